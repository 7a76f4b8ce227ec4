//! Chess: rules with history, net input, policy index, and the built-in evaluator.

mod encode;
mod game;
mod material;
mod packed_move;
pub mod pgn;
mod policy;
#[cfg(test)]
mod tests;

pub use encode::{ChessView, PLANES};
pub use game::{ChessGame, ChessOutcome, ChessReason, FenError, MoveError};
pub use packed_move::{pack, unpack};
pub use policy::{POLICY_SIZE, policy_index};
