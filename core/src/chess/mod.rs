//! Chess: rules with history, net input, policy index, phases, and the built-in evaluator.

mod annotations;
mod canonical;
pub mod corpus;
mod crazyara;
mod encoding;
mod fen;
mod game;
mod lc0;
mod maia2;
mod maia3;
mod material;
pub mod packed_move;
pub mod pgn;
pub mod phase;
mod san;
#[cfg(test)]
mod tests;
mod view;

pub use canonical::InputFormat;
pub use encoding::{Encoding, policy_index};
pub use fen::FenError;
pub use game::{ChessGame, ChessOutcome, ChessReason, MoveError};
pub use packed_move::{pack, unpack};
pub use view::ChessView;
