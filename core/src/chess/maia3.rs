//! Maia-3's encoding: 96 input planes, which the nets take as 64 squares of 96 numbers, and 4352 moves.
//!
//! Eight boards, oldest first, 12 planes each: pawn to king of the side to move on that board, then of the other. Each
//! board is seen by its own side to move, so consecutive boards are mirrored; where fewer than eight are known, the
//! oldest fills the rest. Neither castling rights nor the en-passant square nor counters are shown.
//!
//! Moves, seen by the mover: 64 · from + to; after them all promotions: 32 · from-file + 4 · to-file + 0 to 3 for
//! queen, rook, bishop, knight.

use shakmaty::{Bitboard, Chess, Color, Position, Role};

use super::encoding::pack_pieces;
use super::packed_move::seen_by_mover;
use super::view::{ChessView, HISTORY};
use crate::game::Move;

pub const PLANES: usize = HISTORY * PLANES_PER_BOARD;
pub const POLICY_SIZE: usize = PROMOTIONS + 256;

const PLANES_PER_BOARD: usize = 12;
const PROMOTIONS: usize = 64 * 64;

/// See [`ChessView::pack`].
pub fn pack(view: &ChessView, masks: &mut [u64], values: &mut [f32]) {
    values.fill(1.0);
    let known = usize::from(view.known);
    for (i, (board, planes)) in view.boards.iter().zip(masks.rchunks_exact_mut(PLANES_PER_BOARD)).enumerate()
    {
        let plies_ago = i.min(known - 1);
        let mover = if plies_ago.is_multiple_of(2) { view.position.turn() } else { !view.position.turn() };
        let seen = |set: Bitboard| u64::from(if mover == Color::Black { set.flip_vertical() } else { set });
        pack_pieces(board, mover, seen, planes);
    }
}

/// The index of a legal move.
pub fn policy_index(position: &Chess, mv: Move) -> u16 {
    let (from, to, promotion) = seen_by_mover(position, mv);
    let index = match promotion {
        Some(role) => {
            let piece = Role::Queen as usize - role as usize;
            PROMOTIONS + 32 * usize::from(from.file()) + 4 * usize::from(to.file()) + piece
        }
        None => 64 * usize::from(from) + usize::from(to),
    };
    index as u16
}

#[cfg(test)]
mod tests {
    use super::super::ChessGame;
    use super::*;
    use crate::game::Game;

    fn index(fen: &str, mv: &str) -> u16 {
        let game = ChessGame::from_fen(fen, false).expect("a FEN");
        policy_index(game.position(), game.parse_move(mv).expect("a legal move"))
    }

    #[test]
    fn moves_have_the_published_numbers() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(["e2e4", "g1f3"].map(|mv| index(start, mv)), [796, 405]);
        assert_eq!(index("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8g8"), 262);
        let white = "1n1r4/P3P2P/8/8/8/8/k7/7K w - - 0 1";
        let found = ["a7a8q", "a7b8n", "e7e8q", "e7d8r", "h7h8n"].map(|mv| index(white, mv));
        assert_eq!(found, [4096, 4103, 4240, 4237, 4351]);
        assert_eq!(index("k7/8/8/8/8/8/p6P/1N5K b - - 0 1", "a2b1n"), 4103);
    }

    #[test]
    fn each_board_is_seen_by_its_own_side_to_move_and_the_oldest_fills_up() {
        let mut game = ChessGame::default();
        for mv in ["e2e4", "e7e5", "g1f3"] {
            let mv = game.parse_move(mv).expect("legal");
            game.play(mv);
        }
        let (mut masks, mut values) = ([7; PLANES], [7.0; PLANES]);
        pack(&game.view(), &mut masks, &mut values);
        assert_eq!(values, [1.0; PLANES]);
        let own_pawns = |board: usize| masks[board * PLANES_PER_BOARD];
        let moved = 0xEF00 | 1 << 28;
        assert_eq!((0..5).map(own_pawns).collect::<Vec<_>>(), [0xFF00; 5]);
        // Black to move: the pawn of the other side has moved, not the own one.
        assert_eq!([own_pawns(5), masks[5 * PLANES_PER_BOARD + 6]], [0xFF00, 0x00EF_0010_0000_0000]);
        assert_eq!([own_pawns(6), own_pawns(7)], [moved; 2]);
        let own_knights = |board: usize| masks[board * PLANES_PER_BOARD + 1];
        let their_knights = masks[7 * PLANES_PER_BOARD + 7];
        assert_eq!(own_knights(7), 0x42);
        assert_eq!(their_knights, 0x0200_2000_0000_0000);
    }
}
