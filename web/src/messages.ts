// Made by `python -m foible.interfaces.web.typescript` from the records of the server: do not edit.

/** Read what somebody pasted: a game as PGN, its moves alone in SAN or UCI, or a FEN. */
export interface ReadGame {
  kind: "read_game";
  text: string;
}

/** A position with the moves that led to it: opponent models read the last moves, and repetitions need all. */
export interface Line {
  start?: string | null;
  moves?: string[];
}

/** Predict what players of each rating would play in a position. */
export interface Bars {
  kind: "bars";
  line: Line;
}

/** Explain what our moves in a position are worth against players of a rating. */
export interface Explain {
  kind: "explain";
  line: Line;
  rating: number;
}

/** Judge each position of a game, from the start on. */
export interface Judge {
  kind: "judge";
  line: Line;
}

/** Look up the moves played in a position in real games: first the progress of reading is told, then the answer. */
export interface Openings {
  kind: "openings";
  line: Line;
  rating: number;
  within?: number | null;
}

/** List the players to choose from. */
export interface Cast {
  kind: "cast";
}

/** The time control: the clock of each side. */
export interface TimeControl {
  seconds: number;
  increment?: number;
}

/** The setup of a game: opponent, helper, colour, start, clock and the like. */
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

/** Watch a game: its state now, and whenever it changes. The game goes on only while somebody watches it. */
export interface WatchGame {
  kind: "watch_game";
  id: string;
}

/** Give the person's move, or the type of piece that they name as a brain. */
export interface AnswerGame {
  kind: "answer_game";
  id: string;
  ply: number;
  text: string;
}

/** Take back the person's last move, and all moves after it. */
export interface TakeBack {
  kind: "take_back";
  id: string;
}

/** Accept the draw that is offered, or else offer one. */
export interface Draw {
  kind: "draw";
  id: string;
}

/** Decline the draw that is offered, and play on. */
export interface DeclineDraw {
  kind: "decline_draw";
  id: string;
}

/** Resign the game. */
export interface Resign {
  kind: "resign";
  id: string;
}

/** Export the game as PGN, with comments on who chose each move and what they judged. */
export interface GamePgn {
  kind: "game_pgn";
  id: string;
}

/** Review a game that is over: who gave away how much. */
export interface ReviewGame {
  kind: "review_game";
  id: string;
}

/** Report how much each net has computed since the server began. */
export interface Load {
  kind: "load";
}

/** List the nets for Go: those that come with foible, those in folders of nets, and those of runs. */
export interface GoNets {
  kind: "go_nets";
}

/** A position, given by the moves that lead to it from the empty board. */
export interface GoLine {
  size: number;
  komi: number;
  rules: "chinese" | "tromp-taylor";
  moves?: string[];
}

/** Show the board after some moves, or the error that a move is not legal. */
export interface GoBoard {
  kind: "go_board";
  line: GoLine;
}

/** Write a game, in progress or over, as SGF. */
export interface GoRecordOf {
  kind: "go_record";
  line: GoLine;
  black: string;
  white: string;
  remarks: string[];
  resigned?: "black" | "white" | null;
}

/** Open a net, and describe what it plays. */
export interface GoNet {
  kind: "go_net";
  net: string;
}

/** A net, and the lambda and mu by which its search weighs margins. */
export interface GoAim {
  net: string;
  lambda?: number;
  mu?: number;
}

/** Evaluate Black's winrate by komi, and the bonus points that lambda and mu give. */
export interface GoCurve {
  kind: "go_curve";
  line: GoLine;
  aim: GoAim;
}

/** Open a search tree for one game, for as long as this question is open. */
export interface GoTree {
  kind: "go_tree";
}

/** Choose a move by a search of so many visits; with a tree, visits kept from the engine's last move count. */
export interface GoMove {
  kind: "go_move";
  line: GoLine;
  aim: GoAim;
  visits: number;
  tree?: string;
}

/** Compare searches of a position with several lambdas: drafts first, and at last searches with all visits. */
export interface GoCompare {
  kind: "go_compare";
  line: GoLine;
  net: string;
  lambdas: number[];
  mu?: number;
  visits: number;
}

/** List whom one can prepare against: users of sites, and opponents whose games the server has. */
export interface ListSources {
  kind: "sources";
}

/** Give the server games of a player as PGN, which may hold others' games, too; the server keeps them. */
export interface GiveGames {
  kind: "give_games";
  pgn: string;
  player: string;
  colour: "black" | "white";
  level?: number | null;
}

/** Fetch the games of a user of a site, and keep them on the server. It ends with the page, but keeps what came. */
export interface FetchGames {
  kind: "fetch_games";
  site: "chesscom" | "lichess";
  player: string;
  colour: "black" | "white";
  speeds?: ("blitz" | "bullet" | "classical" | "correspondence" | "rapid" | "ultrabullet")[];
  newest?: number | null;
  level?: number | null;
}

/** Find the lines in which an opponent is likely to err, as `foible prep` does. */
export interface Prepare {
  kind: "prepare";
  opponent: string;
  games?: number;
  positions?: number;
}

/** List the runs and their progress, now and whenever that changes. */
export interface ListRuns {
  kind: "list_runs";
}

/** Show the content of a run folder, now and whenever it changes. */
export interface WatchRun {
  kind: "watch_run";
  name: string;
}

/** Show the games of a run that are in progress, and how busy the nets are, about once a second. */
export interface WatchLive {
  kind: "watch_live";
  name: string;
}

/** List the nets, now and whenever the list changes. Nothing is fetched. */
export interface ListNets {
  kind: "list_nets";
}

/** Describe a net on this machine: its file, shape, heads and encoding. */
export interface ShowNet {
  kind: "show_net";
  name: string;
}

/** Fetch a public net, under the licence given in the list; stopping the question stops the download. */
export interface FetchNet {
  kind: "fetch_net";
  name: string;
}

/** List the decks. */
export interface ListDecks {
  kind: "decks";
}

/** Show the state of a deck, and the puzzle to solve now. */
export interface ShowDeck {
  kind: "deck";
  deck: string;
  theme?: string | null;
}

/** Try a move in a puzzle: it is right where it solves the puzzle, or is the next step. */
export interface TryMove {
  kind: "try_move";
  deck: string;
  puzzle: string;
  played: string[];
  move: string;
}

/** Show the solution of a puzzle, and the findings on it. */
export interface ShowSolution {
  kind: "solution";
  deck: string;
  puzzle: string;
}

/** Record how well somebody solved a puzzle, and schedule its repetition. */
export interface AnswerPuzzle {
  kind: "answer_puzzle";
  deck: string;
  puzzle: string;
  wrong_moves: number;
  shown: boolean;
  seconds: number;
  theme?: string | null;
}

/** Find puzzles in games, and make a deck of them. It is answered once that has begun; `WatchMaking` follows it. */
export interface MakeDeck {
  kind: "make_deck";
  name: string;
  pgn: string;
  player?: string;
}

/** Follow the making of the current or last deck, until it is done or stopped. */
export interface WatchMaking {
  kind: "watch_making";
}

/** Stop making a deck and discard it; one that is done is kept, but `WatchMaking` no longer reports it. */
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

/** A move, and the share of the players of each rating who play it. */
export interface Bar {
  uci: string;
  san: string;
  shares: number[];
}

/** The shares of players of each rating who play each of the most popular moves, and all other moves together. */
export interface BarsOf {
  ratings: number[];
  models: string[];
  bars: Bar[];
  rest: number[];
}

/** A possible reply of the opponent. */
export interface ReplyShown {
  uci: string;
  san: string;
  p: number;
  loss: number;
}

/** One of our moves, with our win probabilities, 0 to 1; see `foible.agents.candidates.Candidate`. */
export interface CandidateShown {
  uci: string;
  san: string;
  expected: number;
  safe: number;
  price: number;
  gain: number;
  trap_probability: number;
  affordable: boolean;
  pawns: number | null;
  mate: number | null;
  sentence: string;
  replies: ReplyShown[];
}

/** What our moves in a position are worth: each reply is better than the one before, the last one is complete. */
export interface Explained {
  fen: string;
  judge: string;
  opponent: string;
  complete: boolean;
  verdict: string;
  soundest: string[];
  candidates: CandidateShown[];
}

/** The values of some consecutive positions of a game. */
export interface Judged {
  judge: string;
  first: number;
  white: number[];
}

/** The progress of reading the games. */
export interface ReadingGames {
  what: string;
  games: number;
  part: number;
}

/** A move that was played in the position. */
export interface OpeningMove {
  move: string;
  san: string;
  games: number;
  share: number;
  score: number | null;
  standard_error: number | null;
}

/** The moves that were played in a position. See `foible.analysis.openings.PlayedMoves`. */
export interface OpeningsHere {
  games: number;
  games_of_any_rating: number;
  score: number | null;
  standard_error: number | null;
  opening: string | null;
  opening_share: number;
  moves: OpeningMove[];
  all_games: number;
  all_rated: number;
}

/** The progress or the answer; neither where the server was given no games. */
export interface OpeningsReply {
  reading?: ReadingGames | null;
  here?: OpeningsHere | null;
}

/** A player that people can play against or with. */
export interface PlayerShown {
  name: string;
  about: string;
  roles: ("brain" | "hand" | "opponent" | "partner")[];
  rated: boolean;
  human: boolean;
  group: string;
  missing: string;
}

/** All players to choose from, and the names of all odds. */
export interface Players {
  players: PlayerShown[];
  odds: string[];
}

/** A game that has begun. */
export interface GameBegun {
  id: string;
}

/** A move of a game, with who chose it and why. */
export interface MoveShown {
  uci: string;
  san: string;
  fen: string;
  by: "" | "helper" | "opponent" | "you";
  named: string;
  wish: string;
  value: number | null;
}

/** The state of a game. */
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

/** The confirmation that an action in a game is done. */
export interface Accepted {
  ply: number;
}

/** The result of accepting or offering a draw. */
export interface DrawAnswered {
  drawn: boolean;
}

/** A game as PGN. */
export interface GameText {
  pgn: string;
}

/** A move, and the win probability that it gave away. */
export interface MoveJudged {
  ply: number;
  text: string;
  white: boolean;
  loss: number;
}

/** A player, and the mean win probability that their moves gave away. */
export interface PlayerJudged {
  white: boolean;
  who: string;
  moves: number;
  mean: number;
  standard_error: number | null;
}

/** A partner's move, compared with what players of the person's rating would have played. */
export interface PartnerJudged {
  ply: number;
  text: string;
  help: number;
}

/** The review of a game so far: who gave away how much, and, once that is complete, where a partner helped. */
export interface Reviewed {
  judge: string;
  total: number;
  moves: MoveJudged[];
  players: PlayerJudged[];
  partner: PartnerJudged[];
}

/** How much one net has computed since the server began. */
export interface NetLoad {
  name: string;
  evaluations: number;
  batches: number;
  mean_batch: number;
  seconds: number;
}

/** How much each net has computed since the server began. */
export interface LoadOf {
  nets: NetLoad[];
}

/** The names of the nets for Go. */
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

/** Black's winrate by komi, by a net that judges margins; see `foible.analysis.go.KomiCurve`. */
export interface GoCurveShown {
  alpha: number;
  beta: number;
  fair_komi: number;
  interval: [number, number];
  shaded: [number, number];
  komi: number[];
  winrates: number[];
}

/** A net's evaluation of a position without search: the mean over the symmetries of the board (SAI, §7). */
export interface GoOpinion {
  winrate: number;
  curve: GoCurveShown | null;
}

/** A search tree for one game. */
export interface GoTreeOpened {
  tree: string;
}

/** A move, and the result of its search. Winrate and margin are those of the player who moves. */
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

/** The moves of a search with one lambda. */
export interface GoPreference {
  lambda: number;
  visits: number;
  moves: GoMoveSearched[];
}

/** The moves of searches with several lambdas. */
export interface GoPreferences {
  turn: "black" | "white";
  complete: boolean;
  by_lambda: GoPreference[];
}

/** A site from which games can be fetched. */
export interface SiteShown {
  name: "chesscom" | "lichess";
  title: string;
  url: string;
}

/** An opponent whose games the server has. */
export interface OpponentShown {
  id: string;
  name: string;
  player: string;
  colour: "black" | "white";
  source: "chesscom" | "lichess" | "pgn";
  games: number;
  rating: number | null;
}

/** The sites and the opponents that one can prepare against. */
export interface Sources {
  sites: SiteShown[];
  speeds: ("blitz" | "bullet" | "classical" | "correspondence" | "rapid" | "ultrabullet")[];
  opponents: OpponentShown[];
  largest: number;
}

/** The progress of fetching games. */
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

/** A reply of the opponent. */
export interface PlayerReply {
  uci: string;
  san: string;
  p: number;
  value: number;
  games: number;
  loss: number | null;
}

/** A line that ends with a move of ours. See `foible.analysis.prep.KnownLine` and its `Measures`. */
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
  safe: number;
  price: number;
  gain: number;
  trappiness: number;
  trap_probability: number;
  replies: PlayerReply[];
  strongest: PlayerReply | null;
}

/** How well a model predicted the opponent's moves in later games. */
export interface ModelPrediction {
  log_loss: number | null;
  standard_error: number | null;
  top1: number | null;
}

/** The report on a preparation, beside its lines. */
export interface PrepReport {
  opponent: OpponentShown;
  first: string | null;
  last: string | null;
  base: string;
  judge: string;
  personal: boolean;
  predicted: number;
  by_games: ModelPrediction;
  by_base: ModelPrediction;
  gain: number | null;
  gain_standard_error: number | null;
  positions: number;
  remarks: string[];
  pgn: string;
  note: string;
}

/** The progress of a preparation, and its lines so far. */
export interface Preparing {
  what: string;
  done: number;
  total: number;
  lines: PrepLine[];
  report: PrepReport | null;
}

/** The progress of a run, as a count. */
export interface Standing {
  done: number;
  total: number | null;
  unit: string;
}

/** A run in a list. */
export interface RunEntry {
  name: string;
  kind: "attune" | "experts" | "go match" | "go training" | "improvement" | "labels" | "match" | "puzzles" | "self-play" | "sweep" | "training" | null;
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
  standard_error: number | null;
  raw_mean: number | null;
}

/** The speed of the last process that played in the folder; known once that process has ended. */
export interface MatchSpeed {
  seconds: number;
  plies_per_second: number;
  busy: Record<string, number>;
}

/** A game of a run, for display. */
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

/** The state of a match, as seen by the player under test. */
export interface MatchRun {
  type: "match";
  focal: string;
  alter: string;
  framework: string;
  finished: number;
  finished_share: number | null;
  finished_standard_error: number | null;
  wins: number;
  draws: number;
  losses: number;
  pairs: number[];
  share: number | null;
  paired_error: number | null;
  elo: Elo | null;
  repetition: string | null;
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
  standard_error: number | null;
}

/** The finished games of two players, as seen by the one under test. */
export interface GoCell {
  focal: string;
  opponent: string;
  games: number;
  total: number;
  wins: number;
  draws: number;
  losses: number;
  share: Mean;
  elo: Elo | null;
  margin: Mean;
  margin_won: Mean;
}

/** A game of a run, for display. */
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

/** One match of a sweep, as seen by the player under test. */
export interface SweepCell {
  player: string;
  opponent: string;
  nodes: number | null;
  part: string;
  finished: number;
  total: number | null;
  share: number | null;
  paired_error: number | null;
}

/** All cells of a sweep that have a folder, those with the fewest visits first. */
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

/** A batch of games, its N_scl and its results. */
export interface Point {
  batch: number;
  contempt_visits: number;
  games: number;
  decisive: number;
}

/** The state of a run of self-play. */
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

/** The progress of a training. */
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

/** The candidates of a generation that played for promotion (SAI, §5.2). */
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
  elo_standard_error?: number | null;
  panel?: number | null;
  panel_standard_error?: number | null;
}

/** A training from random play. */
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

/** Positions labelled by a teacher. */
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

/** The progress of a round of expert iteration; fields are `None` until their stage is done. */
export interface RoundSoFar {
  number: number;
  labelled: number;
  agreement: number | null;
  step: number | null;
  loss: number | null;
  games: number;
  share: number | null;
  paired_error: number | null;
}

/** The progress of an expert iteration. */
export interface ImproveRun {
  type: "improvement";
  asked: number | null;
  rounds: RoundSoFar[];
}

/** A run of a kind that has no description beyond its configuration, report and parts. */
export interface OtherRun {
  type: "other";
}

/** The current state of a run. */
export interface RunDescription {
  kind: "attune" | "experts" | "go match" | "go training" | "improvement" | "labels" | "match" | "puzzles" | "self-play" | "sweep" | "training";
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

/** The work of a net in the last seconds. */
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

/** A net in the list of nets. */
export interface NetListed {
  name: string;
  kind: "built-in" | "by hand" | "download" | "folder" | "shipped";
  here: boolean;
  about: string;
  licence: string;
  size: number | null;
  source: string;
}

/** All nets that have a name here. */
export interface Nets {
  nets: NetListed[];
}

/** The description of a net. */
export interface NetShown {
  name: string;
  facts: Record<string, string>;
}

/** The progress of a download. */
export interface Fetched {
  done: number;
  size: number | null;
  here: boolean;
}

/** The names of the decks. */
export interface DeckNames {
  decks: string[];
  folder: string;
}

/** How many puzzles of a theme there are, and how many of them are due, new or learned. */
export interface ThemeCounts {
  theme: string;
  puzzles: number;
  due: number;
  new: number;
  learned: number;
}

/** A puzzle to solve, without anything that would give it away. */
export interface PuzzleShown {
  id: string;
  before: string;
  setup: string | null;
  fen: string;
  moves: number;
  rating: number | null;
  new: boolean;
}

/** The state of a deck, and the puzzle to solve now. */
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

/** Whether a solver's move is right. */
export interface MoveTried {
  right: boolean;
  reply: string | null;
  solved: boolean;
}

/** The solution of a puzzle, and what is known of the puzzle. */
export interface SolutionShown {
  moves: MoveMade[];
  themes: string[];
  findings: string[];
  source: string;
  url: string;
}

/** The confirmation that an answer is recorded. */
export interface PuzzleAnswered {
  grade: "again" | "good" | "hard";
  days: number;
  deck: DeckShown;
}

/** The progress of making a deck; see `foible.analysis.puzzles.Making`. */
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

/** The confirmation that no deck is being made any more. */
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
