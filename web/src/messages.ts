// Made by `python -m foible.interfaces.web.typescript` from the records of the server: do not edit.

/** What somebody pasted: a PGN of one game, its moves alone in SAN or UCI, or a FEN. */
export interface ReadGame {
  kind: "read_game";
  text: string;
}

/** A position with the moves that led to it: opponent models read the last moves, and repetitions need all. */
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

/** What real games did in a position: how far they are read, and then the answer. */
export interface Openings {
  kind: "openings";
  line: Line;
  rating: number;
  within?: number | null;
}

/** Who can be played. */
export interface Cast {
  kind: "cast";
}

/** A clock for each side. */
export interface TimeControl {
  seconds: number;
  increment?: number;
}

/** What somebody wants to play. */
export interface Setup {
  opponent: string;
  opponent_rating?: number;
  part?: "alone" | "brain" | "hand" | "junior";
  helper?: string;
  own_rating?: number;
  colour?: "black" | "white";
  line?: Line;
  odds?: string;
  clock?: TimeControl | null;
  human_times?: boolean;
  to_the_end?: boolean;
}

/** Begin a game. */
export interface NewGame {
  kind: "new_game";
  setup: Setup;
}

/** How a game stands, whenever that changes. It goes on while somebody watches. */
export interface WatchGame {
  kind: "watch_game";
  id: string;
}

/** The person's move, or the piece that they name as a brain. */
export interface AnswerGame {
  kind: "answer_game";
  id: string;
  ply: number;
  text: string;
}

/** Take back one's last move, and what followed. */
export interface TakeBack {
  kind: "take_back";
  id: string;
}

/** Take the draw that is offered, or else offer one. */
export interface Draw {
  kind: "draw";
  id: string;
}

/** Play on. */
export interface DeclineDraw {
  kind: "decline_draw";
  id: string;
}

/** Give up. */
export interface Resign {
  kind: "resign";
  id: string;
}

/** The game as PGN, with who moved and what they saw. */
export interface GamePgn {
  kind: "game_pgn";
  id: string;
}

/** Who gave away how much in a game that is over. */
export interface ReviewGame {
  kind: "review_game";
  id: string;
}

/** What the nets have done since the server began. */
export interface Load {
  kind: "load";
}

/** Which nets play Go: those that come with foible, those in folders of nets, and those of runs. */
export interface GoNets {
  kind: "go_nets";
}

/** A position by the moves that led to it from the empty board. */
export interface GoLine {
  size: number;
  komi: number;
  rules: "chinese" | "tromp-taylor";
  moves?: string[];
}

/** The board after some moves: whether they are legal, too. */
export interface GoBoard {
  kind: "go_board";
  line: GoLine;
}

/** A game as SGF, under way or over. */
export interface GoRecordOf {
  kind: "go_record";
  line: GoLine;
  black: string;
  white: string;
  remarks: string[];
  resigned?: "black" | "white" | null;
}

/** What a net plays. */
export interface GoNet {
  kind: "go_net";
  net: string;
}

/** A net, and how its search weighs margins. */
export interface GoAim {
  net: string;
  lambda?: number;
  mu?: number;
}

/** Black's winrate by komi, and the bonus points by which an aim weighs it. */
export interface GoCurve {
  kind: "go_curve";
  line: GoLine;
  aim: GoAim;
}

/** A search tree for one game, as long as this question is open: what the engine searched for one move is kept for */
export interface GoTree {
  kind: "go_tree";
}

/** What an engine plays after so many visits; with a tree, those that are known from its last move count. */
export interface GoMove {
  kind: "go_move";
  line: GoLine;
  aim: GoAim;
  visits: number;
  tree?: string;
}

/** What lambda changes in a position: drafts, and at last searches with all visits. */
export interface GoCompare {
  kind: "go_compare";
  line: GoLine;
  net: string;
  lambdas: number[];
  mu?: number;
  visits: number;
}

/** Whom one can prepare against: users of sites, and those whose games are here. */
export interface ListSources {
  kind: "sources";
}

/** Games of somebody, and perhaps of others, as PGN: they are kept on the server. */
export interface GiveGames {
  kind: "give_games";
  pgn: string;
  player: string;
  colour: "black" | "white";
  level?: number | null;
}

/** Fetch the games of a user of a site, and keep them on the server. It ends with the page; what came is kept. */
export interface FetchGames {
  kind: "fetch_games";
  site: "chesscom" | "lichess";
  player: string;
  colour: "black" | "white";
  speeds?: ("blitz" | "bullet" | "classical" | "correspondence" | "rapid" | "ultrabullet")[];
  newest?: number | null;
  level?: number | null;
}

/** The lines in which an opponent errs, as `foible prep` finds them. */
export interface Prepare {
  kind: "prepare";
  opponent: string;
  games?: number;
  positions?: number;
}

/** Which runs there are, and how far they are, whenever that changes. */
export interface ListRuns {
  kind: "list_runs";
}

/** What is in a run folder, whenever that changes. */
export interface WatchRun {
  kind: "watch_run";
  name: string;
}

/** Which games of a run are in progress, and how busy the nets are, about once a second. */
export interface WatchLive {
  kind: "watch_live";
  name: string;
}

/** Which nets there are, whenever that changes. Nothing is fetched. */
export interface ListNets {
  kind: "list_nets";
}

/** What a net on this machine is: its file, shape, heads and encoding. */
export interface ShowNet {
  kind: "show_net";
  name: string;
}

/** Fetch a public net, under the licence that the list says; stopping the question stops the download. */
export interface FetchNet {
  kind: "fetch_net";
  name: string;
}

/** Which decks there are. */
export interface ListDecks {
  kind: "decks";
}

/** How a deck stands, and what to solve now. */
export interface ShowDeck {
  kind: "deck";
  deck: string;
  theme?: string | null;
}

/** Whether a move solves a puzzle, or leads on. */
export interface TryMove {
  kind: "try_move";
  deck: string;
  puzzle: string;
  played: string[];
  move: string;
}

/** The solution of a puzzle, and why it is one. */
export interface ShowSolution {
  kind: "solution";
  deck: string;
  puzzle: string;
}

/** How somebody fared with a puzzle, for the schedule. */
export interface AnswerPuzzle {
  kind: "answer_puzzle";
  deck: string;
  puzzle: string;
  wrong_moves: number;
  shown: boolean;
  seconds: number;
  theme?: string | null;
}

/** Find the puzzles of some games, and make a deck of them: answered when it is begun. `WatchMaking` follows it. */
export interface MakeDeck {
  kind: "make_deck";
  name: string;
  pgn: string;
  player?: string;
}

/** The deck that is being made, or that was made last: how far it is, until it is done or stopped. */
export interface WatchMaking {
  kind: "watch_making";
}

/** Throw away what was found so far; where the deck is done it stays, and is not told of any more. */
export interface StopMaking {
  kind: "stop_making";
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
  games: number;
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
  models: string[];
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

/** How far the reading of the games is. */
export interface ReadingGames {
  what: string;
  games: number;
  part: number;
}

/** A move that was played here. */
export interface OpeningMove {
  move: string;
  san: string;
  games: number;
  share: number;
  score: number | null;
  error: number | null;
}

/** What games did here. See `foible.analysis.openings.PlayedMoves`. */
export interface OpeningsHere {
  games: number;
  games_of_any_rating: number;
  score: number | null;
  error: number | null;
  opening: string | null;
  opening_share: number;
  moves: OpeningMove[];
  all_games: number;
  all_rated: number;
}

/** One of these, or none: the server was given no games. */
export interface OpeningsReply {
  reading?: ReadingGames | null;
  here?: OpeningsHere | null;
}

/** Somebody who can be played against or with. */
export interface PlayerShown {
  name: string;
  about: string;
  roles: ("brain" | "hand" | "opponent" | "partner")[];
  rated: boolean;
  human: boolean;
  group: string;
  missing: string;
}

/** Who can be played. */
export interface Players {
  players: PlayerShown[];
  odds: string[];
}

/** A game that has begun. */
export interface GameBegun {
  id: string;
}

/** A move of a game, and what is known of how it came about. */
export interface MoveShown {
  uci: string;
  san: string;
  fen: string;
  by: "" | "helper" | "opponent" | "you";
  named: string;
  wish: string;
  value: number | null;
}

/** How a game stands. */
export interface GameView {
  start: string;
  moves: MoveShown[];
  ply: number;
  white: string;
  black: string;
  you: "black" | "white";
  setup: Setup;
  to_move: "black" | "white";
  wanted: "" | "move" | "piece";
  named: string;
  choices: string[];
  result: string;
  termination: string;
  draw_offered: boolean;
  failure: string;
  seconds: Record<string, number> | null;
  running: "black" | "white" | null;
}

/** It is done. */
export interface Accepted {
  ply: number;
}

/** What became of a draw that was taken or offered. */
export interface DrawAnswered {
  drawn: boolean;
}

/** A game as PGN. */
export interface GameText {
  pgn: string;
}

/** A move, and what it gave away. */
export interface MoveJudged {
  ply: number;
  text: string;
  white: boolean;
  loss: number;
}

/** What a player gave away a move. */
export interface PlayerJudged {
  white: boolean;
  who: string;
  moves: number;
  mean: number;
  error: number | null;
}

/** A partner's move, beside what players of the person's rating would have played. */
export interface PartnerJudged {
  ply: number;
  text: string;
  help: number;
}

/** Who gave away how much, as far as that is known, and then where a partner helped. */
export interface Reviewed {
  judge: string;
  total: number;
  moves: MoveJudged[];
  players: PlayerJudged[];
  partner: PartnerJudged[];
}

/** What one net has done since the server began. */
export interface NetLoad {
  name: string;
  evaluations: number;
  batches: number;
  mean_batch: number;
  seconds: number;
}

/** What the nets have done since the server began. */
export interface LoadOf {
  nets: NetLoad[];
}

/** The nets for Go that can be named. */
export interface GoNetsKnown {
  nets: string[];
}

/** A board. */
export interface GoBoardShown {
  moves: string[];
  rows: string[];
  turn: "black" | "white";
  over: boolean;
  score: string;
}

/** A game as SGF. */
export interface GoRecordWritten {
  sgf: string;
}

/** A net. */
export interface GoNetOpened {
  net: string;
  size: number;
  margins: boolean;
  even_komi: number;
}

/** Black's winrate by komi, of a net that judges margins; see `foible.analysis.go.KomiCurve`. */
export interface GoCurveShown {
  alpha: number;
  beta: number;
  fair_komi: number;
  interval: [number, number];
  shaded: [number, number];
  komi: number[];
  winrates: number[];
}

/** What a net says of a position at first sight: the mean over the symmetries of the board (SAI, §7). */
export interface GoOpinion {
  winrate: number;
  curve: GoCurveShown | null;
}

/** A search tree for one game. */
export interface GoTreeOpened {
  tree: string;
}

/** A move, and what its search made of the position. Winrate and margin are those of the player who moves. */
export interface GoMovePlayed {
  ply: number;
  move: string;
  visits: number;
  winrate: number | null;
  margin: number | null;
  remark: string;
}

/** A move that a search visited; winrate and margin as in `GoMovePlayed`. */
export interface GoMoveSearched {
  move: string;
  visits: number;
  winrate: number;
  margin: number | null;
}

/** What a search with one lambda prefers. */
export interface GoPreference {
  lambda: number;
  visits: number;
  moves: GoMoveSearched[];
}

/** What searches with several lambdas prefer. */
export interface GoPreferences {
  turn: "black" | "white";
  complete: boolean;
  by_lambda: GoPreference[];
}

/** Where games can be fetched. */
export interface SiteShown {
  name: "chesscom" | "lichess";
  title: string;
  url: string;
}

/** Somebody whose games are here. */
export interface OpponentShown {
  id: string;
  name: string;
  player: string;
  colour: "black" | "white";
  source: "chesscom" | "lichess" | "pgn";
  games: number;
  rating: number | null;
}

/** Whom one can prepare against. */
export interface Sources {
  sites: SiteShown[];
  speeds: ("blitz" | "bullet" | "classical" | "correspondence" | "rapid" | "ultrabullet")[];
  opponents: OpponentShown[];
  largest: number;
}

/** How many games have come. */
export interface Fetching {
  came: number;
  most: number | null;
  note: string;
  opponent: OpponentShown | null;
}

/** A move of a line. */
export interface LineMove {
  uci: string;
  san: string;
  fen: string;
  loss: number | null;
}

/** A reply of the player's. */
export interface PlayerReply {
  uci: string;
  san: string;
  share: number;
  worth: number;
  games: number;
  loss: number | null;
}

/** A line that ends with a move of ours. See `foible.analysis.prep.Line` and its `Measures`. */
export interface PrepLine {
  moves: LineMove[];
  games: number;
  reach: number;
  trust: number;
  surplus: number;
  expected: number;
  low: number;
  high: number;
  along: number;
  worth: number;
  price: number;
  gain: number;
  trappiness: number;
  trap: number;
  replies: PlayerReply[];
  strongest: PlayerReply | null;
}

/** How well a model foretold the player's later moves. */
export interface ModelForetold {
  log_loss: number | null;
  error: number | null;
  top1: number | null;
}

/** What stands beside the lines. */
export interface PrepReport {
  opponent: OpponentShown;
  first: string | null;
  last: string | null;
  base: string;
  judge: string;
  personal: boolean;
  foretold: number;
  by_games: ModelForetold;
  by_base: ModelForetold;
  gain: number | null;
  gain_error: number | null;
  positions: number;
  remarks: string[];
  pgn: string;
  note: string;
}

/** How far a preparation is. */
export interface Preparing {
  what: string;
  done: number;
  total: number;
  lines: PrepLine[];
  report: PrepReport | null;
}

/** How far something is. */
export interface Standing {
  done: number;
  total: number | null;
  unit: string;
}

/** A run in a list. */
export interface RunEntry {
  name: string;
  kind: "attune" | "experts" | "go match" | "go training" | "improvement" | "labels" | "match" | "self-play" | "sweep" | "training" | null;
  part_of: string | null;
  standing: Standing | null;
  live: boolean;
  changed: number;
  problem: string | null;
}

/** All runs, the one that changed last first. */
export interface Runs {
  folder: string;
  runs: RunEntry[];
}

/** An Elo difference with its 95 % interval. */
export interface Elo {
  value: number | null;
  low: number;
  high: number;
}

/** A test of Elo ≤ `elo0` (H0) against Elo ≥ `elo1` (H1). */
export interface Sprt {
  elo0?: number;
  elo1?: number;
  alpha?: number;
  beta?: number;
  model?: "logistic" | "normalised";
}

/** Where a test stands. */
export interface SprtStanding {
  test: Sprt;
  llr: number;
  lower: number;
  upper: number;
  verdict: "continue" | "H0" | "H1";
}

/** What one member of one team lost, in percentage points of expected score per move. */
export interface RoleLoss {
  team: string;
  role: string;
  moves: number;
  judged: number;
  mean: number | null;
  error: number | null;
  raw_mean: number | null;
}

/** How fast the last process was that played in a folder; known when it ends. */
export interface MatchSpeed {
  seconds: number;
  plies_per_second: number;
  busy: Record<string, number>;
}

/** A game of a run. */
export interface ChessGame {
  number: number;
  white: string;
  black: string;
  start: string;
  chess960: boolean;
  moves: string[];
  result: string;
  termination: string;
}

/** A match, from the view of the player under test. */
export interface MatchRun {
  type: "match";
  focal: string;
  alter: string;
  framework: string;
  finished: number;
  finished_share: number | null;
  finished_error: number | null;
  wins: number;
  draws: number;
  losses: number;
  pairs: number[];
  share: number | null;
  error: number | null;
  elo: Elo | null;
  sprt: SprtStanding | null;
  terminations: Record<string, number>;
  mean_plies: number | null;
  roles: RoleLoss[];
  judge: string | null;
  speed: MatchSpeed | null;
  latest: ChessGame[];
}

/** A mean over games. */
export interface Mean {
  games: number;
  value: number | null;
  error: number | null;
}

/** The finished games of two players, from the view of the one under test. */
export interface GoCell {
  focal: string;
  opponent: string;
  games: number;
  total: number;
  wins: number;
  draws: number;
  losses: number;
  share: Mean;
  elo: Elo;
  margin: Mean;
  margin_won: Mean;
}

/** A game of a run. */
export interface GoGameShown {
  number: number;
  black: string;
  white: string;
  rows: string[];
  last_move: string;
  plies: number;
  result: string;
  termination: string;
}

/** All matches of a run. */
export interface GoMatchRun {
  type: "go match";
  size: number;
  komi: number;
  cells: GoCell[];
  latest: GoGameShown[];
}

/** One match of a sweep, from the view of the player under test. */
export interface SweepCell {
  player: string;
  opponent: string;
  nodes: number | null;
  part: string;
  finished: number;
  total: number | null;
  share: number | null;
  error: number | null;
}

/** All cells that lie in a folder, the cheapest first. */
export interface SweepRun {
  type: "sweep";
  framework: string;
  cells: SweepCell[];
}

/** (w + l) / d with its 95 % interval; `None` stands for no bound, and for a value that does not exist. */
export interface DecisiveRatio {
  value: number | null;
  low: number | null;
  high: number | null;
}

/** A batch on the path of the controller. */
export interface Point {
  batch: number;
  contempt_visits: number;
  games: number;
  decisive: number;
}

/** A net against itself. */
export interface SelfplayRun {
  type: "self-play";
  finished: number;
  white: number;
  draws: number;
  black: number;
  decisive_ratio: DecisiveRatio;
  mean_plies: number | null;
  terminations: Record<string, number>;
  contempt_visits: number | null;
  target: number | null;
  path: Point[];
  latest: ChessGame[];
}

/** A loss by step. */
export interface LossCurve {
  steps: number[];
  losses: (number | null)[];
}

/** A training. */
export interface TrainingRun {
  type: "training";
  step: number;
  steps: number | null;
  training: LossCurve;
  validation: LossCurve;
  best_step: number | null;
  spikes: number;
  positions_per_second: number | null;
  ended: string | null;
  test: number | null;
}

/** Those that played for promotion (SAI, §5.2). */
export interface Candidates {
  played: number;
  games: number;
  points: number;
}

/** A match of a generation's net against an earlier one. */
export interface Against {
  opponent: number;
  games: number;
  points: number;
}

/** One generation; number 0 is the random net that the run begins with. */
export interface Generation {
  number: number;
  best: number;
  candidates?: Candidates | null;
  games?: number;
  branches?: number;
  plies?: number;
  komi?: [number, number] | null;
  halves?: number;
  policy?: number | null;
  value?: number | null;
  alpha?: number | null;
  beta?: number | null;
  games_per_second?: number | null;
  seconds?: number;
  matches?: Against[];
  elo?: number | null;
  elo_error?: number | null;
  panel?: number | null;
  panel_error?: number | null;
}

/** A run from random play. */
export interface GoTrainingRun {
  type: "go training";
  size: number;
  asked: number;
  generations: Generation[];
  perfect: number | null;
  games: number;
  games_asked: number;
  ended: string | null;
}

/** Positions with what a teacher says of them. */
export interface LabelsRun {
  type: "labels";
  teacher: string;
  labelled: number;
  wanted: number | null;
  shards: number;
  bytes: number;
  positions_per_second: number | null;
  agreement: number | null;
  nats: number | null;
}

/** A round of expert iteration; `None` stands for what is yet to be done. */
export interface RoundSoFar {
  number: number;
  labelled: number;
  agreement: number | null;
  step: number | null;
  loss: number | null;
  games: number;
  share: number | null;
  error: number | null;
}

/** Expert iteration. */
export interface ImproveRun {
  type: "improvement";
  asked: number | null;
  rounds: RoundSoFar[];
}

/** A run of which nothing more is told than its configuration, its report and its parts. */
export interface OtherRun {
  type: "other";
}

/** A run as it is now. */
export interface RunDescription {
  kind: "attune" | "experts" | "go match" | "go training" | "improvement" | "labels" | "match" | "self-play" | "sweep" | "training";
  standing: Standing | null;
  changed: number;
  configuration: string;
  report: string;
  content: MatchRun | GoMatchRun | SweepRun | SelfplayRun | TrainingRun | GoTrainingRun | LabelsRun | ImproveRun | OtherRun;
}

/** A run as it is now. */
export interface RunShown {
  name: string;
  run: RunDescription | null;
  problem: string | null;
  rate: number | null;
  seconds_left: number | null;
}

/** A game of chess in progress. */
export interface LiveChess {
  type: "chess";
  game: string;
  white: string;
  black: string;
  start: string;
  moves: string[];
  opening: number;
}

/** A game of Go in progress. */
export interface LiveGo {
  type: "go";
  game: string;
  black: string;
  white: string;
  rows: string[];
  last_move: string;
  plies: number;
  opening: number;
  komi: number;
}

/** What a net did of late. */
export interface LiveNet {
  name: string;
  evaluations_per_second: number;
  mean_batch: number;
  busy: number;
}

/** A process that plays a part of a run. */
export interface LiveWorker {
  part: string;
  machine: string;
  process: number;
  done: number;
  total: number;
}

/** A run whose games are in progress. */
export interface Live {
  written: number;
  process: number;
  machine?: string;
  stage: string;
  done: number;
  total: number;
  rate: number | null;
  plies_per_second: number;
  seconds_left: number | null;
  in_progress: number;
  games: (LiveChess | LiveGo)[];
  nets: LiveNet[];
  workers?: LiveWorker[];
}

/** The games of a run that are in progress. */
export interface RunLive {
  part: string;
  live: Live | null;
}

/** A net that can be named. */
export interface NetListed {
  name: string;
  kind: "built-in" | "by hand" | "download" | "folder" | "shipped";
  here: boolean;
  about: string;
  licence: string;
  size: number | null;
  source: string;
}

/** Every name that works here. */
export interface Nets {
  nets: NetListed[];
}

/** What a net is. */
export interface NetShown {
  name: string;
  facts: Record<string, string>;
}

/** How far a download is. */
export interface Fetched {
  done: number;
  size: number | null;
  here: boolean;
}

/** The decks that can be trained with. */
export interface DeckNames {
  decks: string[];
  folder: string;
}

/** How the puzzles of a theme stand. */
export interface ThemeCounts {
  theme: string;
  puzzles: number;
  due: number;
  new: number;
  learned: number;
}

/** A puzzle, without what would give it away. */
export interface PuzzleShown {
  id: string;
  before: string;
  setup: string | null;
  fen: string;
  moves: number;
  rating: number | null;
  new: boolean;
}

/** How a deck stands, and what to solve now. */
export interface DeckShown {
  puzzles: number;
  due: number;
  new: number;
  learned: number;
  themes: ThemeCounts[];
  answers: number;
  solved: number;
  new_today: number;
  new_a_day: number;
  puzzle: PuzzleShown | null;
  seconds: number | null;
}

/** What a solver's move is worth. */
export interface MoveTried {
  right: boolean;
  reply: string | null;
  solved: boolean;
}

/** The solution, and what is known of a puzzle. */
export interface SolutionShown {
  moves: MoveMade[];
  themes: string[];
  findings: string[];
  source: string;
  url: string;
}

/** An answer is kept. */
export interface PuzzleAnswered {
  grade: "again" | "good" | "hard";
  days: number;
  deck: DeckShown;
}

/** How far a deck of somebody's games is; see `foible.analysis.puzzles.Making`. */
export interface DeckMade {
  name: string;
  positions: number;
  total: number;
  games: number;
  games_given: number;
  left_out: number;
  puzzles: number;
  done: boolean;
  seconds: number;
  confirmed_by: string;
}

/** No deck is being made. */
export interface MakingStopped {
}

export type AnyQuestion = ReadGame | Bars | Explain | Judge | Openings | Cast | NewGame | WatchGame | AnswerGame | TakeBack | Draw | DeclineDraw | Resign | GamePgn | ReviewGame | Load | GoNets | GoBoard | GoRecordOf | GoNet | GoCurve | GoTree | GoMove | GoCompare | ListSources | GiveGames | FetchGames | Prepare | ListRuns | WatchRun | WatchLive | ListNets | ShowNet | FetchNet | ListDecks | ShowDeck | TryMove | ShowSolution | AnswerPuzzle | MakeDeck | WatchMaking | StopMaking;

/** What is replied to a question of each kind. */
export interface Answers {
  read_game: Game;
  bars: BarsOf;
  explain: Explained;
  judge: Judged;
  openings: OpeningsReply;
  cast: Players;
  new_game: GameBegun;
  watch_game: GameView;
  answer_game: Accepted;
  take_back: Accepted;
  draw: DrawAnswered;
  decline_draw: Accepted;
  resign: Accepted;
  game_pgn: GameText;
  review_game: Reviewed;
  load: LoadOf;
  go_nets: GoNetsKnown;
  go_board: GoBoardShown;
  go_record: GoRecordWritten;
  go_net: GoNetOpened;
  go_curve: GoOpinion;
  go_tree: GoTreeOpened;
  go_move: GoMovePlayed;
  go_compare: GoPreferences;
  sources: Sources;
  give_games: OpponentShown;
  fetch_games: Fetching;
  prepare: Preparing;
  list_runs: Runs;
  watch_run: RunShown;
  watch_live: RunLive;
  list_nets: Nets;
  show_net: NetShown;
  fetch_net: Fetched;
  decks: DeckNames;
  deck: DeckShown;
  try_move: MoveTried;
  solution: SolutionShown;
  answer_puzzle: PuzzleAnswered;
  make_deck: DeckMade;
  watch_making: DeckMade;
  stop_making: MakingStopped;
}

/** For which there are players and models. */
export const RATINGS = { lowest: 1000, highest: 2000, step: 50 };
