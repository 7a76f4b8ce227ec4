//! Maia-2's encoding: 18 input planes of the position alone, and 1880 moves.
//!
//! All is seen by the side to move: ranks are flipped when that is Black. Planes: own pawn to king, the opponent's pawn
//! to king, ones (the plane of the side to move, which is always the same), own O-O, own O-O-O, the opponent's O-O, the
//! opponent's O-O-O, the en-passant square. Neither history nor counters are shown.
//!
//! Moves: from each square the queen moves by descending to-square (a1 = 0, h8 = 63), then the knight moves likewise;
//! after them the promotions by from-file: ahead, to the left, to the right, each to queen, rook, bishop, knight.

use std::sync::LazyLock;

use shakmaty::{Bitboard, CastlingSide, Chess, Color, Position, Role};

use super::encoding::{all, pack_pieces};
use super::packed_move::seen_by_mover;
use super::view::ChessView;
use crate::game::Move;

pub const PLANES: usize = 18;
pub const POLICY_SIZE: usize = 1880;

const ONES: usize = 12;
const CASTLING: usize = 13;
const EN_PASSANT: usize = 17;

/// See [`ChessView::pack`].
pub fn pack(view: &ChessView, masks: &mut [u64], values: &mut [f32]) {
    let position = &view.position;
    let us = position.turn();
    let flip = us == Color::Black;
    let seen = |set: Bitboard| u64::from(if flip { set.flip_vertical() } else { set });
    values.fill(1.0);
    pack_pieces(position.board(), us, seen, masks);
    for (side, colour) in [us, !us].into_iter().enumerate() {
        for (wing, castling) in [CastlingSide::KingSide, CastlingSide::QueenSide].into_iter().enumerate() {
            masks[CASTLING + side * 2 + wing] = all(position.castles().has(colour, castling));
        }
    }
    masks[ONES] = u64::MAX;
    // The nets were trained on positions that name the en-passant square only where a capture is legal.
    masks[EN_PASSANT] = position.legal_ep_square().map_or(0, |square| seen(square.into()));
}

struct Table {
    plain: [[u16; 64]; 64],
    /// Indices of promotions, by from-file, to-file and piece (queen, rook, bishop, knight).
    promotion: [[[u16; 4]; 8]; 8],
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { plain: [[u16::MAX; 64]; 64], promotion: [[[u16::MAX; 4]; 8]; 8] };
    let mut next = 0;
    let mut take = || {
        next += 1;
        next - 1
    };
    let queen = |files: usize, ranks: usize| files == 0 || ranks == 0 || files == ranks;
    let knight = |files: usize, ranks: usize| files * ranks == 2;
    for from in 0..64_usize {
        for reached in [&queen as &dyn Fn(usize, usize) -> bool, &knight] {
            for to in (0..64_usize).rev() {
                if from != to && reached((from % 8).abs_diff(to % 8), (from / 8).abs_diff(to / 8)) {
                    table.plain[from][to] = take();
                }
            }
        }
    }
    for from in 0..8_usize {
        for to in
            [Some(from), from.checked_sub(1), Some(from + 1).filter(|&file| file < 8)].into_iter().flatten()
        {
            table.promotion[from][to] = [take(), take(), take(), take()];
        }
    }
    debug_assert_eq!(usize::from(next), POLICY_SIZE);
    table
});

/// The index of a legal move.
pub fn policy_index(position: &Chess, mv: Move) -> u16 {
    let (from, to, promotion) = seen_by_mover(position, mv);
    match promotion {
        Some(role) => {
            let piece = Role::Queen as usize - role as usize;
            TABLE.promotion[usize::from(from.file())][usize::from(to.file())][piece]
        }
        None => TABLE.plain[usize::from(from)][usize::from(to)],
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Square;

    use super::super::ChessGame;
    use super::*;

    fn index(fen: &str, mv: &str) -> u16 {
        let game = ChessGame::from_fen(fen, false).expect("a FEN");
        policy_index(game.position(), game.parse_move(mv).expect("a legal move"))
    }

    #[test]
    fn moves_have_the_published_numbers() {
        let plain = |from: Square, to: Square| TABLE.plain[usize::from(from)][usize::from(to)];
        assert_eq!(plain(Square::A1, Square::H8), 0);
        assert_eq!(plain(Square::A1, Square::A8), 1);
        assert_eq!(plain(Square::A1, Square::G7), 2);
        assert_eq!(plain(Square::H1, Square::H8), 171);
        assert_eq!(plain(Square::E7, Square::E5), 1503);
        assert_eq!(plain(Square::H8, Square::A1), 1789);
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!([index(start, "e2e4"), index(start, "g1f3")], [311, 169]);
        let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        assert_eq!([index(castling, "e1g1"), index(castling, "e1c1")], [112, 115]);
        let black = castling.replace(" w ", " b ");
        assert_eq!([index(&black, "e8g8"), index(&black, "e8c8")], [112, 115]);
        let promotions = "1n1n2nk/P1P4P/8/8/8/8/8/K7 w - - 0 1";
        assert_eq!(["a7a8q", "a7a8n", "a7b8q"].map(|mv| index(promotions, mv)), [1792, 1795, 1796]);
        assert_eq!(["h7g8n"].map(|mv| index(promotions, mv)), [1879]);
        let black = "k7/8/8/8/8/8/1p6/N1N4K b - - 0 1";
        assert_eq!(["b2b1q", "b2a1q", "b2c1q"].map(|mv| index(black, mv)), [1800, 1804, 1808]);
    }

    #[test]
    fn a_castling_of_the_standard_set_up_is_the_same_in_chess960() {
        let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        let game = ChessGame::from_fen(fen, true).expect("a FEN");
        let castling = game.parse_move("e1h1").expect("legal");
        assert_eq!(policy_index(game.position(), castling), index(fen, "e1g1"));
    }

    #[test]
    fn only_a_legal_en_passant_capture_is_shown() {
        let plane = |fen: &str| {
            let game = ChessGame::from_fen(fen, false).expect("a FEN");
            let (mut masks, mut values) = ([7; PLANES], [7.0; PLANES]);
            pack(&crate::game::Game::view(&game), &mut masks, &mut values);
            assert_eq!(values, [1.0; PLANES]);
            masks[EN_PASSANT]
        };
        assert_eq!(plane("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 30"), 0);
        assert_eq!(plane("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 30"), 1 << Square::E6 as u64);
        assert_eq!(plane("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 30"), 1 << Square::D6 as u64);
    }
}
