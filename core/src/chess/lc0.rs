//! lc0's encoding: the classical 112 input planes and the 1858 policy indices.
//!
//! Planes: eight boards, newest first, 13 planes each (own pawn to king, their pawn to king, repeated); then own O-O-O,
//! own O-O, their O-O-O, their O-O, black to move, half-move clock, zeros, ones. All boards are seen by the side to
//! move now: ranks are flipped when that is Black.
//!
//! Policy, seen by the mover: all pairs of squares a queen's or a knight's move apart, by from-square, then by to-square
//! (a1 = 0, h8 = 63); behind them the promotions on the last rank to queen, rook and bishop. A promotion to a knight has
//! the index of the plain move.

use std::sync::LazyLock;

use shakmaty::{Bitboard, CastlingSide, Chess, Color, Position, Role};

use super::packed_move::squares;
use super::view::{ChessView, HISTORY};
use crate::game::Move;

pub const PLANES: usize = 112;
pub const POLICY_SIZE: usize = 1858;

const PLANES_PER_BOARD: usize = 13;
const FLAGS: usize = HISTORY * PLANES_PER_BOARD;

/// See [`ChessView::pack`].
pub fn pack(view: &ChessView, masks: &mut [u64], values: &mut [f32]) {
    let us = view.position.turn();
    let flip = us == Color::Black;
    let seen = |set: Bitboard| u64::from(if flip { set.flip_vertical() } else { set });
    masks.fill(0);
    values.fill(1.0);

    let known = usize::from(view.known);
    let shown = if view.fill { HISTORY } else { known };
    for (i, board) in view.boards.iter().enumerate().take(shown) {
        let planes = &mut masks[i * PLANES_PER_BOARD..][..PLANES_PER_BOARD];
        for (side, colour) in [us, !us].into_iter().enumerate() {
            for (piece, role) in Role::ALL.into_iter().enumerate() {
                planes[side * 6 + piece] = seen(board.by_color(colour) & board.by_role(role));
            }
        }
        if let Some((squares, mover)) = view.oldest_double_push.filter(|_| i >= known) {
            // The boards before the first known one have the pawn that just moved two squares at home.
            planes[if mover == us { 0 } else { 6 }] ^= seen(squares);
        }
        let source = i.min(known - 1);
        planes[12] = if view.repeated >> source & 1 == 1 { u64::MAX } else { 0 };
    }

    let castles = view.position.castles();
    let all = |flag: bool| if flag { u64::MAX } else { 0 };
    let rights = [
        (us, CastlingSide::QueenSide),
        (us, CastlingSide::KingSide),
        (!us, CastlingSide::QueenSide),
        (!us, CastlingSide::KingSide),
    ];
    for (plane, (colour, side)) in rights.into_iter().enumerate() {
        masks[FLAGS + plane] = all(castles.has(colour, side));
    }
    masks[FLAGS + 4] = all(flip);
    let halfmoves = view.position.halfmoves();
    masks[FLAGS + 5] = all(halfmoves > 0);
    values[FLAGS + 5] = halfmoves as f32;
    masks[FLAGS + 7] = u64::MAX;
}

struct Table {
    plain: [[u16; 64]; 64],
    /// By from-file, to-file and piece (queen, rook, bishop).
    promotion: [[[u16; 3]; 8]; 8],
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { plain: [[u16::MAX; 64]; 64], promotion: [[[u16::MAX; 3]; 8]; 8] };
    let mut next = 0;
    let mut take = || {
        next += 1;
        next - 1
    };
    for from in 0..64_usize {
        for to in 0..64_usize {
            let files = (from % 8).abs_diff(to % 8);
            let ranks = (from / 8).abs_diff(to / 8);
            let queen = files == 0 || ranks == 0 || files == ranks;
            let knight = files * ranks == 2;
            if from != to && (queen || knight) {
                table.plain[from][to] = take();
            }
        }
    }
    for from in 0..8_usize {
        for to in from.saturating_sub(1)..=(from + 1).min(7) {
            table.promotion[from][to] = [take(), take(), take()];
        }
    }
    debug_assert_eq!(usize::from(next), POLICY_SIZE);
    table
});

/// The index of a legal move.
pub fn policy_index(position: &Chess, mv: Move) -> u16 {
    let (from, to, promotion) = squares(mv);
    let flip = position.turn() == Color::Black;
    let (from, to) = if flip { (from.flip_vertical(), to.flip_vertical()) } else { (from, to) };
    let files = (usize::from(from.file()), usize::from(to.file()));
    match promotion {
        Some(Role::Queen) => TABLE.promotion[files.0][files.1][0],
        Some(Role::Rook) => TABLE.promotion[files.0][files.1][1],
        Some(Role::Bishop) => TABLE.promotion[files.0][files.1][2],
        _ => TABLE.plain[usize::from(from)][usize::from(to)],
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn there_are_exactly_1858_distinct_indices() {
        let plain = TABLE.plain.iter().flatten();
        let promotions = TABLE.promotion.iter().flatten().flatten();
        let used: HashSet<u16> =
            plain.chain(promotions).copied().filter(|&index| index != u16::MAX).collect();
        assert_eq!(used.len(), POLICY_SIZE);
        assert_eq!(used.iter().max(), Some(&(POLICY_SIZE as u16 - 1)));
    }
}
