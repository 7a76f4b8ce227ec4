//! How positions become a net's input and moves its output: lc0's way or CrazyAra's.

use std::str::FromStr;

use shakmaty::Chess;

use super::{crazyara, lc0};
use crate::game::Move;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    #[default]
    Lc0,
    CrazyAra,
}

impl Encoding {
    /// Input planes of 8 × 8.
    pub const fn planes(self) -> usize {
        match self {
            Encoding::Lc0 => lc0::PLANES,
            Encoding::CrazyAra => crazyara::PLANES,
        }
    }

    /// The width of a net's policy output.
    pub const fn policy_size(self) -> usize {
        match self {
            Encoding::Lc0 => lc0::POLICY_SIZE,
            Encoding::CrazyAra => crazyara::POLICY_SIZE,
        }
    }
}

impl FromStr for Encoding {
    type Err = String;

    fn from_str(text: &str) -> Result<Encoding, String> {
        match text {
            "lc0" => Ok(Encoding::Lc0),
            "crazyara" => Ok(Encoding::CrazyAra),
            _ => Err(format!("encoding {text:?}: expected lc0 or crazyara")),
        }
    }
}

/// The index of a legal move in the policy output, below [`Encoding::policy_size`].
pub fn policy_index(encoding: Encoding, position: &Chess, mv: Move) -> u16 {
    match encoding {
        Encoding::Lc0 => lc0::policy_index(position, mv),
        Encoding::CrazyAra => crazyara::policy_index(position, mv),
    }
}
