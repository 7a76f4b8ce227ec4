//! lc0's encoding: 112 input planes, classical or in a later format, and the 1858 policy indices.
//!
//! Classical planes: eight boards, newest first, 13 planes each (own pawn to king, the opponent's pawn to king, whether
//! the board had occurred before); then own O-O-O, own O-O, the opponent's O-O-O, the opponent's O-O, Black to move,
//! half-move clock, zeros, ones. All boards are seen by the side to move now: ranks are flipped when that is Black.
//!
//! Policy, seen by the mover: all pairs of squares a queen's or a knight's move apart, by from-square, then by
//! to-square (a1 = 0, h8 = 63); after them the promotions on the last rank to queen, rook and bishop. A promotion to a
//! knight has the index of the plain move.

use std::sync::LazyLock;

use shakmaty::{Bitboard, CastlingSide, Chess, Color, Position, Rank, Role};

use super::canonical::{InputFormat, Transform};
use super::encoding::{all, pack_pieces};
use super::packed_move::squares;
use super::view::{ChessView, HISTORY};
use crate::game::Move;

pub const PLANES: usize = 112;
pub const POLICY_SIZE: usize = 1858;

const PLANES_PER_BOARD: usize = 13;
const FLAGS: usize = HISTORY * PLANES_PER_BOARD;

/// See [`ChessView::pack`].
pub fn pack(view: &ChessView, format: InputFormat, masks: &mut [u64], values: &mut [f32]) {
    let us = view.position.turn();
    let flip = us == Color::Black;
    let seen = |set: Bitboard| if flip { set.flip_vertical() } else { set };
    masks.fill(0);
    values.fill(1.0);
    if format.is_canonical() {
        let transform = Transform::of(&view.position);
        pack_canonical(view, format, |set| u64::from(transform.apply(seen(set))), masks);
    } else {
        pack_boards(view, |set| u64::from(seen(set)), masks);
        masks[FLAGS + 4] = all(flip);
    }

    let castles = view.position.castles();
    let sides = [CastlingSide::QueenSide, CastlingSide::KingSide];
    for (plane, side) in sides.into_iter().enumerate() {
        if format == InputFormat::Classic {
            masks[FLAGS + plane] = all(castles.has(us, side));
            masks[FLAGS + 2 + plane] = all(castles.has(!us, side));
        } else {
            // These sets are not transformed: with castling rights the transform changes nothing.
            let rooks = [us, !us].into_iter().filter_map(|colour| castles.rook(colour, side));
            masks[FLAGS + plane] = u64::from(seen(rooks.collect()));
        }
    }
    let halfmoves = view.position.halfmoves();
    masks[FLAGS + 5] = all(halfmoves > 0);
    values[FLAGS + 5] = halfmoves as f32;
    if format.is_in_hectoplies() {
        values[FLAGS + 5] /= 100.0;
    }
    masks[FLAGS + 6] = all(flip && format.is_armageddon());
    masks[FLAGS + 7] = u64::MAX;
}

/// Writes the planes of the classical eight boards.
fn pack_boards(view: &ChessView, seen: impl Fn(Bitboard) -> u64, masks: &mut [u64]) {
    let us = view.position.turn();
    let known = usize::from(view.known);
    let shown = if view.fill { HISTORY } else { known };
    let boards = masks.chunks_exact_mut(PLANES_PER_BOARD);
    for (i, (board, planes)) in view.boards.iter().zip(boards).enumerate().take(shown) {
        pack_pieces(board, us, &seen, planes);
        if let Some((squares, mover)) = view.oldest_double_push.filter(|_| i >= known) {
            // The boards before the first known one have the pawn that just moved two squares at home.
            planes[if mover == us { 0 } else { 6 }] ^= seen(squares);
        }
        let source = i.min(known - 1);
        planes[12] = all(view.repeated >> source & 1 == 1);
    }
}

/// Writes the planes of the boards and of the en-passant square as the canonical formats have them.
fn pack_canonical(view: &ChessView, format: InputFormat, seen: impl Fn(Bitboard) -> u64, masks: &mut [u64]) {
    let us = view.position.turn();
    let recent = view.boards.iter().enumerate().take(usize::from(view.shown));
    let recent = recent.map(|(i, board)| (board, view.repeated >> i & 1 == 1));
    let older = view.older_repeated.iter().map(|board| (board, true));
    let skip = format.shows_repeated_alone();
    let boards = recent.enumerate().filter(|&(i, (_, repeated))| i == 0 || repeated || !skip);
    let boards = boards.map(|(_, board)| board).chain(older.filter(|_| skip));
    for ((board, repeated), planes) in boards.zip(masks.chunks_exact_mut(PLANES_PER_BOARD)) {
        pack_pieces(board, us, &seen, planes);
        planes[12] = all(repeated);
    }
    if let Some(square) = view.en_passant() {
        let last_rank = Bitboard::from_rank(us.relative_rank(Rank::Eighth));
        masks[FLAGS + 4] = seen(Bitboard::from_file(square.file()) & last_rank);
    }
}

struct Table {
    plain: [[u16; 64]; 64],
    /// Indices of promotions, by from-file, to-file and piece (queen, rook, bishop).
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

/// The index of a legal move; in canonical formats that of the move on the transformed board.
pub fn policy_index(format: InputFormat, position: &Chess, mv: Move) -> u16 {
    let (from, to, promotion) = squares(mv);
    let flip = position.turn() == Color::Black;
    let (mut from, mut to) = if flip { (from.flip_vertical(), to.flip_vertical()) } else { (from, to) };
    if format.is_canonical() {
        let transform = Transform::of(position);
        (from, to) = (transform.square(from), transform.square(to));
    }
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
