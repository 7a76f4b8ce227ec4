//! The Python bindings: only arrays and plain values pass between Python and Rust.

mod any_forest;
mod any_game;
mod batch;
mod corpus;
mod forest;
mod go_position;
mod numbers;
mod params;
mod pgn;
mod position;
mod rules;
mod seats;
mod summary;

use pyo3::prelude::*;
use pyo3::{create_exception, exceptions::PyValueError};

create_exception!(
    foible._core,
    FoibleError,
    PyValueError,
    "Base of all errors that foible raises about its input."
);
create_exception!(
    foible._core,
    PositionError,
    FoibleError,
    "A FEN, a board or a start position that is not valid."
);
create_exception!(
    foible._core,
    MoveError,
    FoibleError,
    "A move that cannot be read or is not legal; says which one and its index."
);
create_exception!(
    foible._core,
    MemoryLimitError,
    FoibleError,
    "A search tree that would outgrow its memory limit."
);
create_exception!(
    foible._core,
    EvaluationError,
    FoibleError,
    "An evaluation of the wrong shape, or with values that are not finite numbers."
);

#[pymodule]
mod _core {
    #[pymodule_export]
    use super::{
        EvaluationError, FoibleError, MemoryLimitError, MoveError, PositionError,
        batch::{Batch, material},
        corpus::{Corpus, Encoded},
        forest::{Forest, Request},
        go_position::GoPosition,
        pgn::{PgnGame, PgnReader, count_positions},
        position::{ChessPosition, Outcome, perft},
        rules::{BrainHand, Coin, Follow, FollowBest, FreezeAfter, Puct},
        seats::{Bonus, Seat, average_winrate},
        summary::{Decided, RootMove, RootSummary, Score},
    };
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
