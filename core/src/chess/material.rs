//! The built-in evaluator, for use without a net: its value comes from piece values and mobility, and its policy puts
//! captures first. It keeps demonstrations and tests running; it is no substitute for a net.

use shakmaty::{Bitboard, Board, Chess, Color, Move as ChessMove, Position, Role, attacks};

use super::packed_move::unpack;
use crate::game::Move;

/// Pawn, knight, bishop, rook, queen, king: conventional values in pawns; the king's only orders captures.
const PIECE_VALUES: [f32; 6] = [1.0, 3.0, 3.25, 5.0, 9.0, 20.0];
/// Pawns per square that a knight, bishop, rook or queen attacks.
const MOBILITY: f32 = 0.04;
/// Steepness of the logistic from pawns to expected score: one pawn is about 64 %.
const STEEPNESS: f32 = 0.58;
/// The share of draws in an equal position; it falls with the imbalance.
const DRAWS: f32 = 0.3;

fn value(role: Role) -> f32 {
    PIECE_VALUES[role as usize - 1]
}

/// Material and mobility of one side in pawns.
fn strength(board: &Board, side: Color) -> f32 {
    let own = board.by_color(side);
    let count = |set: Bitboard| (set & own).count() as f32;
    let pieces = count(board.pawns()) * PIECE_VALUES[0]
        + count(board.knights()) * PIECE_VALUES[1]
        + count(board.bishops()) * PIECE_VALUES[2]
        + count(board.rooks()) * PIECE_VALUES[3]
        + count(board.queens()) * PIECE_VALUES[4];
    let occupied = board.occupied();
    let mut reach = 0;
    for square in board.knights() & own {
        reach += (attacks::knight_attacks(square) & !own).count();
    }
    for square in board.bishops_and_queens() & own {
        reach += (attacks::bishop_attacks(square, occupied) & !own).count();
    }
    for square in board.rooks_and_queens() & own {
        reach += (attacks::rook_attacks(square, occupied) & !own).count();
    }
    pieces + MOBILITY * reach as f32
}

/// Win, draw and loss probabilities of the side to move, and a logit for each of its legal moves.
pub fn material(position: &Chess, moves: &[Move], logits: &mut [f32]) -> [f32; 3] {
    let board = position.board();
    let us = position.turn();

    for (logit, &mv) in logits.iter_mut().zip(moves) {
        *logit = match unpack(board, mv) {
            ChessMove::Normal { role, capture, promotion, .. } => {
                // Most valuable victim first, least valuable attacker among equals.
                let capture = capture.map_or(0.0, |victim| 1.0 + 0.3 * value(victim) - 0.05 * value(role));
                capture + promotion.map_or(0.0, |role| 0.25 * value(role))
            }
            ChessMove::EnPassant { .. } => 1.0 + 0.25,
            ChessMove::Castle { .. } => 0.5,
            ChessMove::Put { .. } => 0.0,
        };
    }

    let lead = strength(board, us) - strength(board, !us);
    let score = 1.0 / (1.0 + (-STEEPNESS * lead).exp());
    let draw = DRAWS * 4.0 * score * (1.0 - score);
    [score - draw / 2.0, draw, 1.0 - score - draw / 2.0]
}
