//! Chess positions as Python sees them: immutable, with moves as text.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::prelude::*;
use pyo3::types::IntoPyDict;
use shakmaty::{Color, Position};

use super::any_game::{AnyGame, AnyPosition, PyGame, moves};
use super::numbers::{expect, whole};
use super::{MoveError, PositionError};
use crate::chess::{ChessGame, ChessOutcome};
use crate::game::{self, Game};

/// How a game ended. Hashable; outcomes are equal if their values are.
#[pyclass(frozen, get_all, eq, hash, module = "foible._core")]
#[derive(PartialEq, Eq, Hash)]
pub struct Outcome {
    /// The winner: `first` is White in chess and Black in Go, `second` the other side; `None` is a draw.
    winner: Option<&'static str>,
    /// The rule that ended the game: `checkmate`, `stalemate`, `insufficient_material`, `seventyfive_moves`,
    /// `fivefold_repetition`, and by claim `fifty_moves`, `threefold_repetition`; in Go `two_passes`.
    reason: &'static str,
    /// The result as PGN writes it, White's points first.
    result: &'static str,
}

#[pymethods]
impl Outcome {
    fn __repr__(&self) -> String {
        format!("Outcome({} by {})", self.result, self.reason)
    }
}

impl Outcome {
    /// `first_wins` is `None` for a draw; `white_first`: whether the player who moves first has the white pieces.
    pub fn new(first_wins: Option<bool>, reason: &'static str, white_first: bool) -> Outcome {
        let winner = first_wins.map(|first| if first { "first" } else { "second" });
        let result = first_wins.map_or("1/2-1/2", |first| if first == white_first { "1-0" } else { "0-1" });
        Outcome { winner, reason, result }
    }
}

impl From<ChessOutcome> for Outcome {
    fn from(outcome: ChessOutcome) -> Outcome {
        Outcome::new(outcome.winner.map(|winner| winner == Color::White), outcome.reason.name(), true)
    }
}

pub fn side_name(first: bool) -> &'static str {
    if first { "first" } else { "second" }
}

/// What pickling needs: a callable and its arguments.
type Rebuild<'py> = (Bound<'py, PyAny>, (String, Vec<String>));

/// A chess position with its whole history, which draws by repetition and nets with history planes need.
/// Immutable, hashable, picklable.
///
/// `fen`: the start of the game, the standard position when absent. `moves`: the moves played from there, in
/// UCI or SAN. `chess960`: castling is written king takes rook, and rooks may start anywhere; `None`: where the
/// castling rights of the FEN need it.
///
/// :raises PositionError: the FEN is not valid; the message names the field.
/// :raises MoveError: a move is not legal; the message names it and its index.
#[pyclass(frozen, module = "foible._core")]
pub struct ChessPosition {
    pub game: ChessGame,
}

impl ChessPosition {
    /// Whether a game began as this one did.
    fn same_start(&self, other: &ChessGame) -> bool {
        self.game.mode() == other.mode() && self.game.start_fen() == other.start_fen()
    }

    /// The moves that were played from number `first` on.
    fn names_from(&self, first: usize) -> Vec<String> {
        (first..self.game.moves().len()).map(|index| self.game.played_name(index)).collect()
    }
}

#[pymethods]
impl ChessPosition {
    #[new]
    #[pyo3(
        signature = (fen=None, moves=Vec::new(), *, chess960=Some(false)),
        text_signature = "(fen=None, moves=..., *, chess960=False)"
    )]
    fn new(
        fen: Option<&str>,
        #[pyo3(from_py_with = moves)] moves: Vec<String>,
        chess960: Option<bool>,
    ) -> PyResult<Self> {
        let chess960 =
            chess960.unwrap_or_else(|| fen.is_some_and(|fen| ChessGame::castling_mode(fen).is_chess960()));
        let mut game =
            ChessGame::start(fen, chess960).map_err(|error| PositionError::new_err(error.to_string()))?;
        for (index, text) in moves.iter().enumerate() {
            let mv = game.parse_move(text).map_err(|error| {
                MoveError::new_err(format!("move {} of {}: {error}", index + 1, moves.len()))
            })?;
            game.play(mv);
        }
        Ok(ChessPosition { game })
    }

    /// The position after one move, in UCI or SAN.
    ///
    /// :raises MoveError: the move cannot be read or is not legal.
    fn play(&self, r#move: &str) -> PyResult<Self> {
        let mut game = self.game.clone();
        game.play(self.game.parse(r#move)?);
        Ok(ChessPosition { game })
    }

    /// The position in Forsyth-Edwards notation, without its history.
    #[getter]
    fn fen(&self) -> String {
        self.game.fen()
    }

    /// The FEN of the start position, from which `moves` lead to this one.
    #[getter]
    fn start_fen(&self) -> String {
        self.game.start_fen()
    }

    /// Moves played since `start_fen`, in UCI.
    #[getter]
    fn moves(&self) -> Vec<String> {
        self.names_from(0)
    }

    /// The last of `moves`; `None` where there is none.
    #[getter]
    fn last_move(&self) -> Option<String> {
        self.game.moves().len().checked_sub(1).map(|last| self.game.played_name(last))
    }

    /// The moves from an earlier position of the same game to this one; `None` if `earlier` is not a position
    /// of this game.
    fn moves_since(&self, earlier: &Bound<'_, PyAny>) -> Option<Vec<String>> {
        let earlier = &earlier.cast::<ChessPosition>().ok()?.get().game;
        let same = self.same_start(earlier) && self.game.moves().starts_with(earlier.moves());
        same.then(|| self.names_from(earlier.moves().len()))
    }

    /// All legal moves in UCI, in an order that depends on the position alone; none after mate and stalemate.
    #[getter]
    fn legal_moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        self.game.legal_moves(&mut moves);
        moves.into_iter().map(|mv| self.game.move_name(mv)).collect()
    }

    /// The standard algebraic notation of a legal move, which may be given in UCI or SAN.
    ///
    /// :raises MoveError: the move cannot be read or is not legal.
    fn san(&self, r#move: &str) -> PyResult<String> {
        Ok(self.game.san(self.game.parse(r#move)?))
    }

    /// The side to move: `first` is White, `second` is Black.
    #[getter]
    fn turn(&self) -> &'static str {
        side_name(self.game.first_to_move())
    }

    /// Whether moves are read and written as in Chess960.
    #[getter]
    fn chess960(&self) -> bool {
        self.game.mode().is_chess960()
    }

    /// Plies since the start of the game, by the move counter of the FEN.
    #[getter]
    fn ply(&self) -> u64 {
        let position = self.game.position();
        2 * (u64::from(position.fullmoves().get()) - 1) + u64::from(position.turn() == Color::Black)
    }

    /// Plies since the last capture or pawn move.
    #[getter]
    fn halfmove_clock(&self) -> u32 {
        self.game.position().halfmoves()
    }

    /// Whether the side to move is in check.
    #[getter]
    fn is_check(&self) -> bool {
        self.game.position().is_check()
    }

    /// The number of earlier occurrences of the position as lc0 counts them: an en-passant square makes a
    /// difference when a pawn attacks it.
    #[getter]
    fn repetitions(&self) -> u8 {
        self.game.repetitions()
    }

    /// The outcome by rule; with `claim_draw` also a draw that the side to move may claim now (threefold
    /// repetition, fifty moves). `None` while the game goes on.
    #[pyo3(signature = (*, claim_draw=false))]
    fn outcome(&self, claim_draw: bool) -> Option<Outcome> {
        self.game.outcome(claim_draw).map(Outcome::from)
    }

    /// 64-bit hash of all that an evaluation may depend on: eight boards, repetitions, castling rights, counters,
    /// the number of the move.
    #[getter]
    fn key(&self) -> u64 {
        self.game.key()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<ChessPosition>().is_ok_and(|other| {
            let other = &other.get().game;
            self.game.moves() == other.moves() && self.same_start(other)
        })
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.game.moves(), self.game.key()).hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        format!("ChessPosition({:?})", self.game.fen())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Rebuild<'py>> {
        let this = slf.get();
        let arguments = (this.start_fen(), this.moves());
        if !this.chess960() {
            return Ok((slf.get_type().into_any(), arguments));
        }
        let partial = slf.py().import("functools")?.getattr("partial")?;
        let options = [("chess960", true)].into_py_dict(slf.py())?;
        Ok((partial.call((slf.get_type(),), Some(&options))?, arguments))
    }
}

/// The most plies of [`perft`], which goes down by recursion.
const DEEPEST: u32 = 1000;

/// The number of move sequences of exactly `depth` plies, 0 to 1000.
///
/// :raises FoibleError: `depth` is out of range.
#[pyfunction]
pub fn perft(
    py: Python<'_>,
    position: AnyPosition<'_>,
    #[pyo3(from_py_with = whole)] depth: u32,
) -> PyResult<u64> {
    expect("depth", depth.into(), depth <= DEEPEST, "at most 1000")?;
    let game = position.game();
    Ok(py.detach(|| match game {
        AnyGame::Chess(mut game) => game::perft(&mut game, depth),
        AnyGame::Go(mut game) => game::perft(&mut game, depth),
    }))
}
