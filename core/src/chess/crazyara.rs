//! CrazyAra's encoding ("chess input 3.0"): 52 input planes and 76 policy planes (phase-experts §2.1, §2.2), by the
//! convention of its training data.
//!
//! The board is seen by the side to move: ranks are flipped when that is Black. A policy index is plane × 64 +
//! from-square.

use std::sync::LazyLock;

use shakmaty::{Bitboard, Board, CastlingSide, Chess, Color, Position, Role, Square};

use super::encoding::{all, pack_pieces};
use super::packed_move::{castling_target, squares};
use super::view::ChessView;
use crate::game::Move;

pub const PLANES: usize = 52;
pub const POLICY_SIZE: usize = 76 * 64;

/// The first plane of each kind.
const PIECES: usize = 0;
const REPETITIONS: usize = 12;
const EN_PASSANT: usize = 14;
const CASTLING: usize = 15;
const HALFMOVES: usize = 19;
const MOVES: usize = 20;
const CHESS960: usize = 36;
const ALL_PIECES: usize = 37;
const CHECKERBOARD: usize = 39;
const MATERIAL_LEAD: usize = 40;
const OPPOSITE_BISHOPS: usize = 45;
const CHECKERS: usize = 46;
const MATERIAL: usize = 47;

const HALFMOVES_UNIT: f32 = 50.0;
const PIECES_UNIT: f32 = 8.0;

/// See [`ChessView::pack`].
pub fn pack(view: &ChessView, masks: &mut [u64], values: &mut [f32]) {
    let position = &view.position;
    let board = position.board();
    let us = position.turn();
    let flip = us == Color::Black;
    let seen = |set: Bitboard| u64::from(if flip { set.flip_vertical() } else { set });
    masks.fill(0);
    values.fill(1.0);

    pack_pieces(board, us, seen, &mut masks[PIECES..]);
    for (side, colour) in [us, !us].into_iter().enumerate() {
        for (wing, castling) in [CastlingSide::KingSide, CastlingSide::QueenSide].into_iter().enumerate() {
            masks[CASTLING + side * 2 + wing] = all(position.castles().has(colour, castling));
        }
        masks[ALL_PIECES + side] = seen(board.by_color(colour));
    }
    masks[REPETITIONS] = all(view.occurrences >= 1);
    masks[REPETITIONS + 1] = all(view.occurrences >= 2);
    masks[EN_PASSANT] = position.legal_ep_square().map_or(0, |square| seen(square.into()));
    for (planes, (from, to)) in masks[MOVES..CHESS960].chunks_exact_mut(2).zip(view.moves()) {
        planes.copy_from_slice(&[seen(from.into()), seen(to.into())]);
    }
    masks[CHESS960] = all(position.castles().mode().is_chess960());
    masks[CHECKERBOARD] = u64::from(Bitboard::LIGHT_SQUARES);
    masks[OPPOSITE_BISHOPS] = all(opposite_bishops(board));
    masks[CHECKERS] = seen(position.checkers());

    let mut fill = |plane: usize, value: f32| {
        masks[plane] = all(value != 0.0);
        values[plane] = value;
    };
    fill(HALFMOVES, position.halfmoves() as f32 / HALFMOVES_UNIT);
    for (piece, role) in Role::ALL.into_iter().take(5).enumerate() {
        let count = |colour| (board.by_color(colour) & board.by_role(role)).count() as f32;
        fill(MATERIAL_LEAD + piece, (count(us) - count(!us)) / PIECES_UNIT);
        fill(MATERIAL + piece, count(us) / PIECES_UNIT);
    }
}

/// Whether each side has exactly one bishop, and these stand on squares of different colours.
fn opposite_bishops(board: &Board) -> bool {
    let one_each =
        Color::ALL.into_iter().all(|colour| (board.bishops() & board.by_color(colour)).count() == 1);
    one_each && (board.bishops() & Bitboard::LIGHT_SQUARES).count() == 1
}

/// Steps of a queen by file and rank, each with a plane for every length 1 to 7.
const DIRECTIONS: [(i32, i32); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
const LENGTHS: usize = 7;
/// Jumps of a knight by file and rank.
const KNIGHT: [(i32, i32); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const FIRST_KNIGHT: usize = DIRECTIONS.len() * LENGTHS;
/// The first plane of the promotions: to knight, bishop, rook, queen; for each piece the capture to the left, the step
/// ahead, the capture to the right.
const FIRST_PROMOTION: usize = FIRST_KNIGHT + KNIGHT.len();

/// The policy plane of a move that is no promotion, by from- and to-square.
static PLAIN: LazyLock<[[u8; 64]; 64]> = LazyLock::new(|| {
    let mut planes = [[u8::MAX; 64]; 64];
    let slides = DIRECTIONS.into_iter().enumerate().flat_map(|(direction, (file, rank))| {
        (1..=LENGTHS).map(move |length| {
            (direction * LENGTHS + length - 1, (file * length as i32, rank * length as i32))
        })
    });
    let jumps = KNIGHT.into_iter().enumerate().map(|(jump, step)| (FIRST_KNIGHT + jump, step));
    for (plane, (file, rank)) in slides.chain(jumps) {
        for from in Square::ALL {
            let (to_file, to_rank) = (from.file().offset(file), from.rank().offset(rank));
            if let (Some(to_file), Some(to_rank)) = (to_file, to_rank) {
                planes[from as usize][Square::from_coords(to_file, to_rank) as usize] = plane as u8;
            }
        }
    }
    planes
});

/// The index of a legal move.
pub fn policy_index(position: &Chess, mv: Move) -> u16 {
    let (from, to, promotion) = squares(mv);
    // Only castling ends on a piece of one's own.
    let castles = position.us().contains(to);
    let to = if castles { castling_target(position.castles().mode(), from, to) } else { to };
    let flip = position.turn() == Color::Black;
    let (from, to) = if flip { (from.flip_vertical(), to.flip_vertical()) } else { (from, to) };
    let plane = match promotion {
        Some(role) => {
            let piece = role as usize - Role::Knight as usize;
            let files = 1 + to.file() as usize - from.file() as usize;
            FIRST_PROMOTION + 3 * piece + files
        }
        None => usize::from(PLAIN[from as usize][to as usize]),
    };
    (plane * 64 + from as usize) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_name_the_moves_of_a_queen_and_a_knight_from_each_square_once() {
        let known = |from: usize| PLAIN[from].iter().filter(|&&plane| plane != u8::MAX);
        assert_eq!((0..64).map(|from| known(from).count()).sum::<usize>(), 1792);
        for from in 0..64 {
            let planes: std::collections::HashSet<u8> = known(from).copied().collect();
            assert_eq!(planes.len(), known(from).count());
            assert!(planes.iter().all(|&plane| usize::from(plane) < FIRST_PROMOTION));
        }
        assert_eq!((FIRST_PROMOTION + 3 * 4) * 64, POLICY_SIZE);
    }
}
