//! The errors of a forest.

use std::{error::Error, fmt};

use super::forest::TreeId;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ForestError {
    UnknownTree(TreeId),
    GameOver,
    /// The board size is not that of the forest's trees.
    OtherSize,
    /// The request was gathered by another forest.
    OtherForest,
    /// The tree waits for evaluations.
    Busy,
    IllegalMove(String),
    Memory {
        bytes: usize,
        limit: usize,
    },
    /// An evaluation of the wrong shape or with values that are not finite numbers.
    Evaluation(String),
}

impl fmt::Display for ForestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ForestError::UnknownTree(id) => write!(f, "no tree {id}: it was removed or never added"),
            ForestError::GameOver => write!(f, "the game is over: there is no move to search"),
            ForestError::OtherSize => write!(f, "a forest holds positions of one board size only"),
            ForestError::OtherForest => write!(f, "the request belongs to another forest"),
            ForestError::Busy => write!(f, "the tree waits for an evaluation: scatter every request first"),
            ForestError::IllegalMove(name) => write!(f, "illegal move {name} at the root of the tree"),
            ForestError::Memory { bytes, limit } => write!(
                f,
                "the search trees would need {} MB, and memory_mb = {}: raise it or search fewer nodes",
                bytes.div_ceil(1 << 20),
                limit >> 20
            ),
            ForestError::Evaluation(text) => write!(f, "bad evaluation: {text}"),
        }
    }
}

impl Error for ForestError {}
