//! Positions and batches of either game, as Python has one class of batches and one of forests for all.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PySequence, PyString};

use super::MoveError;
use super::go_position::{GoPosition, vertex};
use super::position::ChessPosition;
use crate::batch::Leaves;
use crate::chess::ChessGame;
use crate::game::{Game, Move};
use crate::go::GoGame;
use crate::quote::quoted;

/// A game of any kind, with a history of its own.
pub enum AnyGame {
    Chess(ChessGame),
    Go(GoGame),
}

/// A position of any game, in its Python object.
pub enum AnyPosition<'py> {
    Chess(Bound<'py, ChessPosition>),
    Go(Bound<'py, GoPosition>),
}

impl AnyPosition<'_> {
    /// A copy of the game, its history included.
    pub fn game(&self) -> AnyGame {
        match self {
            AnyPosition::Chess(position) => AnyGame::Chess(position.get().game.clone()),
            AnyPosition::Go(position) => AnyGame::Go(position.get().game.clone()),
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for AnyPosition<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(position) = object.cast::<ChessPosition>() {
            return Ok(AnyPosition::Chess(position.to_owned()));
        }
        if let Ok(position) = object.cast::<GoPosition>() {
            return Ok(AnyPosition::Go(position.to_owned()));
        }
        Err(PyTypeError::new_err(format!(
            "expected a ChessPosition or a GoPosition, found {}",
            object.get_type().name()?
        )))
    }
}

#[derive(Clone)]
pub enum AnyLeaves {
    Chess(Arc<Leaves<ChessGame>>),
    Go(Arc<Leaves<GoGame>>),
}

/// Runs the same code on the batch of either game.
macro_rules! each {
    ($leaves:expr, $name:ident => $body:expr) => {
        match $leaves {
            AnyLeaves::Chess($name) => $body,
            AnyLeaves::Go($name) => $body,
        }
    };
}

pub(super) use each;

/// The methods that a game needs beyond [`Game`] to be searched from Python.
pub(super) trait PyGame: Game {
    fn take(game: AnyGame) -> Option<Self>;
    fn wrap(leaves: Arc<Leaves<Self>>) -> AnyLeaves;
    fn parse(&self, name: &str) -> PyResult<Move>;
}

impl PyGame for ChessGame {
    fn take(game: AnyGame) -> Option<ChessGame> {
        if let AnyGame::Chess(game) = game { Some(game) } else { None }
    }

    fn wrap(leaves: Arc<Leaves<ChessGame>>) -> AnyLeaves {
        AnyLeaves::Chess(leaves)
    }

    fn parse(&self, name: &str) -> PyResult<Move> {
        self.parse_move(name).map_err(|error| MoveError::new_err(error.to_string()))
    }
}

impl PyGame for GoGame {
    fn take(game: AnyGame) -> Option<GoGame> {
        if let AnyGame::Go(game) = game { Some(game) } else { None }
    }

    fn wrap(leaves: Arc<Leaves<GoGame>>) -> AnyLeaves {
        AnyLeaves::Go(leaves)
    }

    fn parse(&self, name: &str) -> PyResult<Move> {
        vertex(self, name).map_err(|problem| MoveError::new_err(format!("{problem}: {}", quoted(name))))
    }
}

/// The moves of a list of texts.
pub fn moves(object: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    list_of("moves, such as ['e2e4']", object)
}

/// As [`moves`], where there may be no list.
pub fn moves_or_none(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<String>>> {
    if object.is_none() { Ok(None) } else { moves(object).map(Some) }
}

/// The points of a list of texts.
pub fn vertices(object: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    list_of("vertices, such as ['D4']", object)
}

/// The positions of a list.
pub fn positions<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<AnyPosition<'py>>> {
    list_of("positions, such as [ChessPosition()]", object)
}

/// The items of a list or another sequence; a text is none, though Python takes it for a sequence of letters.
fn list_of<'py, T>(what: &str, object: &Bound<'py, PyAny>) -> PyResult<Vec<T>>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    if object.is_instance_of::<PyString>() || object.cast::<PySequence>().is_err() {
        let found = object.get_type().name()?;
        return Err(PyTypeError::new_err(format!("expected a list of {what}, found {found}")));
    }
    object.extract()
}
