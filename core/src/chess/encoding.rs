//! The encodings of positions as a net's input and of moves as indices of its policy output: those of lc0, CrazyAra,
//! Maia-2 and Maia-3.

use std::str::FromStr;

use shakmaty::{Bitboard, Board, CastlingSide, Chess, Color, Position, Role};

use super::canonical::InputFormat;
use super::packed_move::castles_as_standard;
use super::{crazyara, lc0, maia2, maia3};
use crate::game::Move;
use crate::quote::quoted;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    Lc0(InputFormat),
    CrazyAra,
    Maia2,
    Maia3,
}

impl Default for Encoding {
    fn default() -> Self {
        Encoding::LC0
    }
}

/// All encodings, by their names in Python.
const ENCODINGS: [(&str, Encoding); 10] = [
    ("lc0", Encoding::LC0),
    ("lc0-castling-plane", Encoding::Lc0(InputFormat::CastlingPlane)),
    ("lc0-canonical", Encoding::Lc0(InputFormat::Canonical)),
    ("lc0-hectoplies", Encoding::Lc0(InputFormat::Hectoplies)),
    ("lc0-canonical-v2", Encoding::Lc0(InputFormat::CanonicalV2)),
    ("lc0-hectoplies-armageddon", Encoding::Lc0(InputFormat::HectopliesArmageddon)),
    ("lc0-canonical-v2-armageddon", Encoding::Lc0(InputFormat::V2Armageddon)),
    ("crazyara", Encoding::CrazyAra),
    ("maia2", Encoding::Maia2),
    ("maia3", Encoding::Maia3),
];

impl Encoding {
    /// lc0's classical planes.
    pub const LC0: Encoding = Encoding::Lc0(InputFormat::Classic);

    /// All encodings, lc0's classical one first.
    pub fn all() -> impl Iterator<Item = Encoding> {
        ENCODINGS.into_iter().map(|(_, encoding)| encoding)
    }

    /// The name of the encoding in Python.
    pub fn name(self) -> &'static str {
        ENCODINGS.into_iter().find(|&(_, encoding)| encoding == self).map_or("", |(name, _)| name)
    }

    /// The number of input planes, each of 8 × 8.
    pub const fn planes(self) -> usize {
        match self {
            Encoding::Lc0(_) => lc0::PLANES,
            Encoding::CrazyAra => crazyara::PLANES,
            Encoding::Maia2 => maia2::PLANES,
            Encoding::Maia3 => maia3::PLANES,
        }
    }

    /// The width of a net's policy output.
    pub const fn policy_size(self) -> usize {
        match self {
            Encoding::Lc0(_) => lc0::POLICY_SIZE,
            Encoding::CrazyAra => crazyara::POLICY_SIZE,
            Encoding::Maia2 => maia2::POLICY_SIZE,
            Encoding::Maia3 => maia3::POLICY_SIZE,
        }
    }

    /// Whether the encoding can show every position: Maia's encodings know no castling but that of standard chess.
    pub fn shows_all(self) -> bool {
        !matches!(self, Encoding::Maia2 | Encoding::Maia3)
    }

    /// Whether the encoding can show the position.
    pub fn shows(self, position: &Chess) -> bool {
        let castles = position.castles();
        let standard = |colour: Color, side: CastlingSide| {
            let king = position.board().king_of(colour);
            castles.rook(colour, side).zip(king).is_none_or(|(rook, king)| castles_as_standard(king, rook))
        };
        let all = || {
            Color::ALL
                .into_iter()
                .all(|colour| CastlingSide::ALL.into_iter().all(|side| standard(colour, side)))
        };
        self.shows_all() || all()
    }
}

impl FromStr for Encoding {
    type Err = String;

    fn from_str(text: &str) -> Result<Encoding, String> {
        let found = ENCODINGS.into_iter().find(|&(name, _)| name == text);
        found.map(|(_, encoding)| encoding).ok_or_else(|| {
            let names: Vec<_> = ENCODINGS.into_iter().map(|(name, _)| name).collect();
            format!("encoding {}: expected one of {}", quoted(text), names.join(", "))
        })
    }
}

/// The index of a legal move in the policy output, below [`Encoding::policy_size`].
pub fn policy_index(encoding: Encoding, position: &Chess, mv: Move) -> u16 {
    match encoding {
        Encoding::Lc0(format) => lc0::policy_index(format, position, mv),
        Encoding::CrazyAra => crazyara::policy_index(position, mv),
        Encoding::Maia2 => maia2::policy_index(position, mv),
        Encoding::Maia3 => maia3::policy_index(position, mv),
    }
}

/// A plane that is the same on all squares.
pub(super) fn all(flag: bool) -> u64 {
    if flag { u64::MAX } else { 0 }
}

/// Writes the first twelve planes: pawn to king of `us`, then those of the other side, as `seen` shows sets of squares.
pub(super) fn pack_pieces(board: &Board, us: Color, seen: impl Fn(Bitboard) -> u64, planes: &mut [u64]) {
    for (side, colour) in [us, !us].into_iter().enumerate() {
        for (piece, role) in Role::ALL.into_iter().enumerate() {
            planes[side * Role::ALL.len() + piece] = seen(board.by_color(colour) & board.by_role(role));
        }
    }
}
