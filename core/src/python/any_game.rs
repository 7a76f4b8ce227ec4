//! Positions and batches of either game, as Python has one class of batches and one of forests for all.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

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
