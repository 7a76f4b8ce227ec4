// Made by `python -m foible.interfaces.web.typescript` from the records of the server: do not edit.

/** What somebody pasted: a PGN of one game, its moves alone, or a FEN. */
export interface ReadGame {
  kind: "read_game";
  text: string;
}

/** A position by the moves that led to it: models look at the last ones, and draws at all. */
export interface Line {
  start?: string | null;
  moves?: string[];
}

/** Who would play what in a position. */
export interface Bars {
  kind: "bars";
  line: Line;
}

/** What our moves in a position are worth against players of a rating. */
export interface Explain {
  kind: "explain";
  line: Line;
  rating: number;
}

/** What each position of a game is worth, from the start on. */
export interface Judge {
  kind: "judge";
  line: Line;
}

/** A move of a game. */
export interface MoveMade {
  uci: string;
  san: string;
  fen: string;
}

/** A game, or a position without moves. */
export interface Game {
  start: string;
  white: string;
  black: string;
  result: string;
  moves: MoveMade[];
}

/** A move, and what share of the players of each rating play it. */
export interface Bar {
  uci: string;
  san: string;
  shares: number[];
}

/** Who would play what: the moves that some of these players play most, and the rest together. */
export interface BarsOf {
  ratings: number[];
  model: string;
  bars: Bar[];
  rest: number[];
}

/** What the opponent may reply. */
export interface ReplyShown {
  uci: string;
  san: string;
  share: number;
  lost: number;
}

/** One of our moves. Win probabilities, ours, 0 to 1; see `foible.agents.candidates.Candidate`. */
export interface CandidateShown {
  uci: string;
  san: string;
  expected: number;
  safe: number;
  price: number;
  gain: number;
  trap: number;
  affordable: boolean;
  pawns: number | null;
  mate: number | null;
  sentence: string;
  replies: ReplyShown[];
}

/** What our moves are worth here: a draft, and then others that are better. */
export interface Explained {
  fen: string;
  judge: string;
  opponent: string;
  complete: boolean;
  verdict: string;
  soundest: string[];
  candidates: CandidateShown[];
}

/** What some positions of a game are worth. */
export interface Judged {
  judge: string;
  first: number;
  white: number[];
}

export type AnyQuestion = ReadGame | Bars | Explain | Judge;

/** What is replied to a question of each kind. */
export interface Answers {
  read_game: Game;
  bars: BarsOf;
  explain: Explained;
  judge: Judged;
}
