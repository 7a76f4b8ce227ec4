//! A game of Go: its rules, the boards since the start, whose turn it is, and the moves that superko forbids.
//!
//! Every ply keeps its whole board, so taking back is exact and costs nothing.

use std::{error::Error, fmt};

use super::board::{Board, Colour, Grid, Points};
use super::encode::{GoView, HISTORY};
use super::vertex::{move_name, parse_move, pass};
use crate::game::{Game, Move, Terminal};
use crate::hash::mix;

/// One position of a game.
#[derive(Clone, Debug)]
struct Ply {
    board: Board,
    /// Exclusive or of a random number per stone; 0 for the empty board.
    hash: u64,
    /// The number of boards before the latest capture, 0 if there was none. Only these can come back by adding a stone,
    /// as stones were only added since.
    before_capture: usize,
}

/// The rules that differ between games. Scoring is always by area, and positional superko always forbids repetition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Points added to White's score, doubled so that halves are exact.
    pub twice_komi: i32,
    /// Whether a stone may take its own chain's last liberty; the chain is then removed.
    pub suicide: bool,
}

/// A game with its whole history.
#[derive(Clone, Debug)]
pub struct GoGame {
    grid: &'static Grid,
    rules: Rules,
    /// Who makes the first move.
    first: Colour,
    moves: Vec<Move>,
    /// The positions from the start to the present one: one more than `moves`.
    plies: Vec<Ply>,
    /// The numbers of black and of white stones on the board of each ply: kept apart from `plies`, so that the superko
    /// check scans little memory.
    counts: Vec<[u16; 2]>,
}

/// Why a move is not legal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Illegal {
    GameOver,
    Occupied,
    Suicide,
    Superko,
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::GameOver => "the game is over after two passes",
            Self::Occupied => "the point is occupied",
            Self::Suicide => "suicide",
            Self::Superko => "it repeats an earlier board (positional superko)",
        })
    }
}

impl Error for Illegal {}

impl GoGame {
    /// A game on an empty board, with suicide forbidden and Black to move. Panics on a size outside 1 to 19.
    pub fn new(size: usize, twice_komi: i32) -> Self {
        Self::on(Grid::square(size), Rules { twice_komi, suicide: false }, Board::default(), Colour::Black)
    }

    /// A game that starts from a board with stones, as handicap games and problems do. `None` where a chain on it has
    /// no liberty.
    ///
    /// Panics on a size outside 1 to 19.
    pub fn start(size: usize, rules: Rules, board: Board, first: Colour) -> Option<Self> {
        let grid = Grid::square(size);
        let dead = board.has_dead(grid, Colour::Black) || board.has_dead(grid, Colour::White);
        (!dead).then(|| Self::on(grid, rules, board, first))
    }

    /// As [`GoGame::start`], but on a grid of any shape and without a check for liberties; tests count games on small
    /// rectangles.
    pub(super) fn on(grid: &'static Grid, rules: Rules, board: Board, first: Colour) -> Self {
        let hash =
            |colour| board.stones(colour).iter().fold(0, |hash, point| hash ^ stone_hash(point, colour));
        let start = Ply { board, hash: hash(Colour::Black) ^ hash(Colour::White), before_capture: 0 };
        let counts = [board.black.count() as u16, board.white.count() as u16];
        Self { grid, rules, first, moves: Vec::new(), plies: vec![start], counts: vec![counts] }
    }

    pub fn size(&self) -> usize {
        self.grid.width
    }

    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The same game with another komi.
    pub fn with_komi(&self, twice_komi: i32) -> Self {
        Self { rules: Rules { twice_komi, ..self.rules }, ..self.clone() }
    }

    /// The board before the first move, and the colour that makes this move.
    pub fn beginning(&self) -> (&Board, Colour) {
        (&self.plies[0].board, self.first)
    }

    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    pub fn board(&self) -> &Board {
        &self.last().board
    }

    pub fn turn(&self) -> Colour {
        if self.moves.len().is_multiple_of(2) { self.first } else { self.first.other() }
    }

    /// The move that plays no stone: one past the last point.
    pub fn pass(&self) -> Move {
        pass(self.grid)
    }

    /// Whether two passes have ended the game.
    pub fn is_over(&self) -> bool {
        self.moves.ends_with(&[self.pass(), self.pass()])
    }

    /// Black's area minus White's, before komi.
    pub fn area(&self) -> i32 {
        self.board().area(self.grid)
    }

    /// Black's margin of area after komi, doubled.
    pub fn twice_margin(&self) -> i32 {
        2 * self.area() - self.rules.twice_komi
    }

    /// Who is ahead after komi; none in a draw.
    pub fn winner(&self) -> Option<Colour> {
        match self.twice_margin() {
            1.. => Some(Colour::Black),
            0 => None,
            _ => Some(Colour::White),
        }
    }

    /// A GTP vertex of this board or `pass`, in either case; says nothing about legality.
    pub fn parse_move(&self, text: &str) -> Option<Move> {
        parse_move(self.grid, text)
    }

    /// Checks whether a move may be played, and says why not. The move must be numbered at most as [`GoGame::pass`].
    pub fn check(&self, mv: Move) -> Result<(), Illegal> {
        if self.is_over() {
            return Err(Illegal::GameOver);
        }
        if mv == self.pass() {
            return Ok(());
        }
        let point = usize::from(mv.0);
        if !self.board().empty(self.grid).contains(point) {
            return Err(Illegal::Occupied);
        }
        let (board, _) = self.board().place(self.grid, point, self.turn());
        if !self.rules.suicide && board.has_dead(self.grid, self.turn()) {
            return Err(Illegal::Suicide);
        }
        if self.was_there(&self.after(point).0) {
            return Err(Illegal::Superko);
        }
        Ok(())
    }

    /// The board after the mover's stone on an empty point, and the stones of Black and of White that are removed.
    fn after(&self, point: usize) -> (Board, [Points; 2]) {
        let turn = self.turn();
        let (board, captured) = self.board().place(self.grid, point, turn);
        let (board, lost) = if captured.is_empty() && self.rules.suicide {
            board.without_dead(self.grid, turn)
        } else {
            (board, Points::EMPTY)
        };
        let taken = match turn {
            Colour::Black => [lost, captured],
            Colour::White => [captured, lost],
        };
        (board, taken)
    }

    fn was_there(&self, board: &Board) -> bool {
        self.plies.iter().any(|ply| ply.board == *board)
    }

    /// Whether a move may be played; any number may be asked about.
    pub fn is_legal(&self, mv: Move) -> bool {
        mv <= self.pass() && self.check(mv).is_ok()
    }

    fn last(&self) -> &Ply {
        self.plies.last().expect("a game has a start position")
    }

    /// The points where a stone that stays on the board would repeat an earlier board.
    ///
    /// A move can repeat an earlier board only if that board has all the mover's present stones and one more, the one
    /// to be played, and no stone of the opponent that is not on the present board. A move without captures can repeat
    /// a board too, by putting back a stone that was captured since.
    fn forbidden(&self) -> Points {
        let Ply { board, before_capture, .. } = self.last();
        let turn = self.turn();
        let (own, other) = (board.stones(turn), board.stones(turn.other()));
        let now = self.counts[self.moves.len()];
        let side = turn as usize;
        let mut forbidden = Points::EMPTY;
        for (earlier, count) in self.plies.iter().zip(&self.counts[..*before_capture]) {
            if count[side] == now[side] + 1
                && count[1 - side] <= now[1 - side]
                && own.is_subset(earlier.board.stones(turn))
                && earlier.board.stones(turn.other()).is_subset(other)
                && let Some(point) = (*earlier.board.stones(turn) & !*own).first()
                && board.place(self.grid, point, turn).0 == earlier.board
            {
                forbidden = forbidden.with(point);
            }
        }
        forbidden
    }

    /// The points of all legal suicides, moves that remove their own chain; none where the rules forbid suicide.
    /// `without_liberty`: the empty points where a stone of the mover would have no liberty.
    fn suicides(&self, without_liberty: Points) -> Points {
        if !self.rules.suicide {
            return Points::EMPTY;
        }
        let new = |point: &usize| !self.was_there(&self.after(*point).0);
        without_liberty.iter().filter(new).fold(Points::EMPTY, Points::with)
    }
}

impl Game for GoGame {
    type View = GoView;

    fn legal_moves(&self, out: &mut Vec<Move>) {
        if self.is_over() {
            return;
        }
        let placements = self.board().placements(self.grid, self.turn());
        let suicides = self.suicides(self.board().empty(self.grid) & !placements);
        let points = (placements & !self.forbidden()) | suicides;
        out.extend(points.iter().map(|point| Move(point as u16)));
        out.push(self.pass());
    }

    fn play(&mut self, mv: Move) {
        debug_assert!(self.is_legal(mv), "{} is not legal", self.move_name(mv));
        let mut next = self.last().clone();
        let mut counts = self.counts[self.moves.len()];
        if mv != self.pass() {
            let (turn, point) = (self.turn(), usize::from(mv.0));
            let (board, taken) = self.after(point);
            next.board = board;
            next.hash ^= stone_hash(point, turn);
            counts[turn as usize] += 1;
            for (colour, stones) in [Colour::Black, Colour::White].into_iter().zip(taken) {
                if !stones.is_empty() {
                    next.hash = stones.iter().fold(next.hash, |hash, stone| hash ^ stone_hash(stone, colour));
                    next.before_capture = self.plies.len();
                    counts[colour as usize] -= stones.count() as u16;
                }
            }
        }
        self.moves.push(mv);
        self.plies.push(next);
        self.counts.push(counts);
    }

    fn undo(&mut self, plies: usize) {
        let left =
            self.moves.len().checked_sub(plies).expect("no more plies are taken back than were played");
        self.moves.truncate(left);
        self.plies.truncate(left + 1);
        self.counts.truncate(left + 1);
    }

    fn first_to_move(&self) -> bool {
        self.turn() == Colour::Black
    }

    fn terminal(&self, _legal: &[Move], _depth: u32, _two_fold: bool) -> Option<Terminal> {
        if !self.is_over() {
            return None;
        }
        let result = self.winner().map_or(0, |winner| if winner == self.turn().other() { 1 } else { -1 });
        Some(Terminal { result, cycle: 0 })
    }

    fn policy_size(&self) -> usize {
        self.grid.area() + 1
    }

    fn view(&self) -> GoView {
        let mut boards = [Board::default(); HISTORY];
        for (board, ply) in boards.iter_mut().zip(self.plies.iter().rev()) {
            *board = ply.board;
        }
        GoView::new(self.grid, boards, self.turn(), self.rules.twice_komi)
    }

    fn key(&self) -> u64 {
        mix(self.key_without_komi() ^ self.rules.twice_komi as u64)
    }

    fn key_without_komi(&self) -> u64 {
        let Rules { suicide, .. } = self.rules;
        let state = [self.grid.width as u64, suicide.into(), self.turn() as u64, self.is_over().into()];
        // Boards before the start are encoded as empty ones, whose hash is 0.
        let boards = self.plies.iter().rev().map(|ply| ply.hash).chain(std::iter::repeat(0)).take(HISTORY);
        let mut forbidden = self.forbidden();
        if suicide {
            let placements = self.board().placements(self.grid, self.turn());
            let without_liberty = self.board().empty(self.grid) & !placements;
            forbidden = forbidden | (without_liberty & !self.suicides(without_liberty));
        }
        let forbidden = forbidden.iter().map(|point| point as u64);
        state.into_iter().chain(boards).chain(forbidden).fold(0, |key, part| mix(key ^ part))
    }

    fn komi(&self) -> f64 {
        f64::from(self.rules.twice_komi) / 2.0
    }

    fn margin(&self) -> f64 {
        f64::from(self.twice_margin()) / 2.0
    }

    fn move_name(&self, mv: Move) -> String {
        move_name(self.grid, mv)
    }
}

fn stone_hash(point: usize, colour: Colour) -> u64 {
    mix(2 * point as u64 + colour as u64)
}
