//! Go positions as Python sees them.

use std::hash::{Hash, Hasher};

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

use super::position::{Outcome, side_name};
use super::{MoveError, PositionError};
use crate::game::{Game, Move};
use crate::go::{Colour, GoGame, MAX_SIZE};

/// Keeps the arithmetic of scores exact; no board is worth nearly as much.
const MAX_KOMI: f64 = 1_000_000.0;

/// What pickling needs: a callable and its arguments.
type Rebuild<'py> = (Bound<'py, PyAny>, (usize, Vec<String>));

/// A Go position on an N×N board, N from 1 to 19, with its whole history. Immutable.
///
/// Area scoring, suicide forbidden, positional superko, two passes end the game.
#[pyclass(frozen, eq, hash, module = "foible._core")]
pub struct GoPosition {
    pub game: GoGame,
}

#[pymethods]
impl GoPosition {
    #[new]
    #[pyo3(signature = (size=None, moves=Vec::new(), *, komi=9.5))]
    #[pyo3(text_signature = "(size=7, moves=(), *, komi=9.5)")]
    fn new(py: Python<'_>, size: Option<&Bound<'_, PyAny>>, moves: Vec<String>, komi: f64) -> PyResult<Self> {
        let size = size.map_or(Ok(7), board_size)?;
        let mut game = GoGame::new(size, twice_komi(komi)?);
        py.detach(|| {
            for (index, text) in moves.iter().enumerate() {
                let mv = legal_move(&game, text).map_err(|problem| {
                    MoveError::new_err(format!("move {} of {}: {problem}: {text:?}", index + 1, moves.len()))
                })?;
                game.play(mv);
            }
            Ok(Self { game })
        })
    }

    /// The position after one move: a GTP vertex or `pass`.
    fn play(&self, r#move: &str) -> PyResult<Self> {
        let mv = legal_move(&self.game, r#move)
            .map_err(|problem| MoveError::new_err(format!("{problem}: {:?}", r#move)))?;
        let mut game = self.game.clone();
        game.play(mv);
        Ok(Self { game })
    }

    #[getter]
    fn size(&self) -> usize {
        self.game.size()
    }

    #[getter]
    fn komi(&self) -> f64 {
        f64::from(self.game.twice_komi()) / 2.0
    }

    #[getter]
    fn moves(&self) -> Vec<String> {
        self.names(self.game.moves())
    }

    /// Legal vertices row by row from A1 (A1, B1, …), `pass` last; none after two passes.
    #[getter]
    fn legal_moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        self.game.legal_moves(&mut moves);
        self.names(&moves)
    }

    /// `first`: Black is to move.
    #[getter]
    fn turn(&self) -> &'static str {
        side_name(self.game.first_to_move())
    }

    #[getter]
    fn ply(&self) -> usize {
        self.game.moves().len()
    }

    /// The stones, one line per row from the top: `X` Black, `O` White, `.` empty.
    #[getter]
    fn board(&self) -> String {
        let (size, board) = (self.game.size(), self.game.board());
        let stone = |point| match (board.black.contains(point), board.white.contains(point)) {
            (true, _) => 'X',
            (_, true) => 'O',
            _ => '.',
        };
        let rows: Vec<String> =
            (0..size).rev().map(|y| (0..size).map(|x| stone(y * size + x)).collect()).collect();
        rows.join("\n")
    }

    /// Black's area minus White's, before komi.
    #[getter]
    fn area(&self) -> i32 {
        self.game.area()
    }

    /// The outcome after two passes; Go knows no claims.
    #[pyo3(signature = (*, claim_draw=false))]
    fn outcome(&self, claim_draw: bool) -> Option<Outcome> {
        let _ = claim_draw;
        let first_wins = self.game.winner().map(|winner| winner == Colour::Black);
        self.game.is_over().then(|| Outcome::new(first_wins, "two_passes", false))
    }

    /// 64-bit hash of all that an evaluation may depend on: eight boards, side to move, komi, points forbidden by
    /// superko.
    #[getter]
    fn key(&self) -> u64 {
        self.game.key()
    }

    fn __repr__(&self) -> String {
        format!("GoPosition({}, {:?}, komi={})", self.size(), self.moves(), self.komi())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Rebuild<'py>> {
        let this = slf.get();
        let komi = [("komi", this.komi())].into_py_dict(slf.py())?;
        let rebuild =
            slf.py().import("functools")?.getattr("partial")?.call((slf.get_type(),), Some(&komi))?;
        Ok((rebuild, (this.size(), this.moves())))
    }
}

impl GoPosition {
    fn names(&self, moves: &[Move]) -> Vec<String> {
        moves.iter().map(|&mv| self.game.move_name(mv)).collect()
    }
}

/// Equal rules and equal moves: the whole history counts, as it does for superko.
impl PartialEq for GoPosition {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.game, &other.game);
        a.size() == b.size() && a.twice_komi() == b.twice_komi() && a.moves() == b.moves()
    }
}

impl Hash for GoPosition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.game.key().hash(state);
    }
}

fn board_size(size: &Bound<'_, PyAny>) -> PyResult<usize> {
    let found = match size.extract::<i64>() {
        Ok(size) if (1..=MAX_SIZE as i64).contains(&size) => return Ok(size as usize),
        Ok(size) => size.to_string(),
        Err(error) if error.is_instance_of::<PyOverflowError>(size.py()) => "beyond 64 bits".to_owned(),
        Err(error) => return Err(error),
    };
    Err(PositionError::new_err(format!("board size {found}: must be from 1 to {MAX_SIZE}")))
}

fn twice_komi(komi: f64) -> PyResult<i32> {
    let twice = 2.0 * komi;
    // Not a number fails both comparisons.
    if twice.fract() == 0.0 && komi.abs() <= MAX_KOMI {
        return Ok(twice as i32);
    }
    Err(PositionError::new_err(format!(
        "komi {komi}: must be a multiple of 0.5 from -{MAX_KOMI} to {MAX_KOMI}"
    )))
}

/// The move of a text, or what is wrong with it.
fn legal_move(game: &GoGame, text: &str) -> Result<Move, String> {
    let mv = game.parse_move(text).ok_or_else(|| {
        let corner = game.move_name(Move((game.size() * game.size() - 1) as u16));
        format!("not a vertex from A1 to {corner} (no column I) or pass")
    })?;
    game.check(mv).map_err(|illegal| illegal.reason().to_owned())?;
    Ok(mv)
}
