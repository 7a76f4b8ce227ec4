//! A game of Go: the boards since the start, whose turn it is, and what their history forbids.
//!
//! Every ply keeps its whole board, so taking back is exact and costs nothing.

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
    /// How many boards lie before the latest capture, 0 without one. No later board can come back by adding a stone.
    before_capture: usize,
}

/// A game with its whole history.
#[derive(Clone, Debug)]
pub struct GoGame {
    grid: &'static Grid,
    twice_komi: i32,
    moves: Vec<Move>,
    /// From the empty board to the present one: one more than `moves`.
    plies: Vec<Ply>,
    /// Black and white stones on the board of each ply: apart, so that superko scans little memory.
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

impl Illegal {
    pub const fn reason(self) -> &'static str {
        match self {
            Self::GameOver => "the game is over after two passes",
            Self::Occupied => "the point is occupied",
            Self::Suicide => "suicide",
            Self::Superko => "it repeats an earlier board (positional superko)",
        }
    }
}

impl GoGame {
    /// An empty board. `twice_komi`: points added to White's score, doubled so that halves are exact.
    ///
    /// Panics on a size outside 1 to 19.
    pub fn new(size: usize, twice_komi: i32) -> Self {
        Self::on(Grid::square(size), twice_komi)
    }

    /// The same on any grid, as counts of small rectangles need it.
    pub(super) fn on(grid: &'static Grid, twice_komi: i32) -> Self {
        let start = Ply { board: Board::default(), hash: 0, before_capture: 0 };
        Self { grid, twice_komi, moves: Vec::new(), plies: vec![start], counts: vec![[0, 0]] }
    }

    pub fn size(&self) -> usize {
        self.grid.width
    }

    /// Points added to White's score, doubled.
    pub fn twice_komi(&self) -> i32 {
        self.twice_komi
    }

    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    pub fn board(&self) -> &Board {
        &self.last().board
    }

    pub fn turn(&self) -> Colour {
        if self.moves.len().is_multiple_of(2) { Colour::Black } else { Colour::White }
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
        2 * self.area() - self.twice_komi
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

    /// Why a move up to [`GoGame::pass`] may not be played, if so.
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
        if board.has_dead(self.grid, self.turn()) {
            return Err(Illegal::Suicide);
        }
        if self.plies.iter().any(|ply| ply.board == board) {
            return Err(Illegal::Superko);
        }
        Ok(())
    }

    pub fn is_legal(&self, mv: Move) -> bool {
        mv <= self.pass() && self.check(mv).is_ok()
    }

    fn last(&self) -> &Ply {
        self.plies.last().expect("a game has a start position")
    }

    /// The points where a stone would repeat an earlier board.
    ///
    /// An earlier board can come back only if it has all stones of the mover and one more, and of the other's stones
    /// none that is not here: that one more is the move. This holds for moves without captures too, which repeat a
    /// board when what was captured since is put back.
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
}

impl Game for GoGame {
    type View = GoView;

    fn legal_moves(&self, out: &mut Vec<Move>) {
        if self.is_over() {
            return;
        }
        let points = self.board().placements(self.grid, self.turn()) & !self.forbidden();
        out.extend(points.iter().map(|point| Move(point as u16)));
        out.push(self.pass());
    }

    fn play(&mut self, mv: Move) {
        debug_assert!(self.is_legal(mv), "{} is not legal", self.move_name(mv));
        let mut next = self.last().clone();
        let mut counts = self.counts[self.moves.len()];
        if mv != self.pass() {
            let (turn, point) = (self.turn(), usize::from(mv.0));
            let (board, captured) = next.board.place(self.grid, point, turn);
            next.board = board;
            next.hash ^= stone_hash(point, turn);
            counts[turn as usize] += 1;
            if !captured.is_empty() {
                next.hash =
                    captured.iter().fold(next.hash, |hash, stone| hash ^ stone_hash(stone, turn.other()));
                next.before_capture = self.plies.len();
                counts[turn.other() as usize] -= captured.count() as u16;
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
        GoView::new(self.grid, boards, self.turn(), self.twice_komi)
    }

    fn key(&self) -> u64 {
        let state =
            [self.grid.width as u64, self.twice_komi as u64, self.turn() as u64, u64::from(self.is_over())];
        // Boards before the start are encoded as empty ones, whose hash is 0.
        let boards = self.plies.iter().rev().map(|ply| ply.hash).chain(std::iter::repeat(0)).take(HISTORY);
        let forbidden = self.forbidden().iter().map(|point| point as u64);
        state.into_iter().chain(boards).chain(forbidden).fold(0, |key, part| mix(key ^ part))
    }

    fn move_name(&self, mv: Move) -> String {
        move_name(self.grid, mv)
    }
}

fn stone_hash(point: usize, colour: Colour) -> u64 {
    mix(2 * point as u64 + colour as u64)
}
