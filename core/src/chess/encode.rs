//! lc0's classical 112 input planes.
//!
//! Eight boards, newest first, 13 planes each (own pawn to king, their pawn to king, repeated); then own O-O-O, own
//! O-O, their O-O-O, their O-O, black to move, half-move clock, zeros, ones. All boards are seen by the side to move
//! now: ranks are flipped when that is Black.

use shakmaty::{Bitboard, Board, CastlingSide, Chess, Color, Position, Role, uci::UciMove};

use super::game::ChessGame;
use super::material::material;
use super::packed_move::unpack;
use super::policy::policy_index;
use crate::game::{Move, View};

pub const PLANES: usize = 112;
pub const BOARDS: usize = 8;
const PLANES_PER_BOARD: usize = 13;
const FLAGS: usize = BOARDS * PLANES_PER_BOARD;

/// What a net sees: the last eight boards and the counters.
#[derive(Clone, Debug)]
pub struct ChessView {
    /// Newest first; only the first `known` were played.
    boards: [Board; BOARDS],
    /// Bit i: board i occurred before.
    repeated: u8,
    known: u8,
    /// The oldest known position is the start of a game that did not begin at the standard start position.
    fill: bool,
    /// The square behind the pawn that just moved two squares in the oldest known position, and its colour.
    oldest_double_push: Option<(Bitboard, Color)>,
    position: Chess,
}

impl ChessView {
    pub(super) fn of(game: &ChessGame) -> ChessView {
        let entries = game.entries();
        let known = entries.len().min(BOARDS);
        let oldest = &entries[entries.len() - known].position;
        // Past the known boards the oldest one stands in.
        let at = |i: usize| &entries[entries.len() - 1 - i.min(known - 1)];
        let boards = std::array::from_fn(|i| at(i).position.board().clone());
        let repeated = (0..known).fold(0, |bits, i| bits | u8::from(at(i).repetitions >= 1) << i);
        let fill = known < BOARDS && !is_standard_start(oldest);
        let oldest_double_push = oldest.maybe_ep_square().map(|square| {
            let mover = !oldest.turn();
            let (from, to) = match mover {
                Color::White => (square.offset(-8), square.offset(8)),
                Color::Black => (square.offset(8), square.offset(-8)),
            };
            let squares = from.into_iter().chain(to).fold(Bitboard::EMPTY, |set, square| set | square);
            (squares, mover)
        });
        let position = game.position().clone();
        ChessView { boards, repeated, known: known as u8, fill, oldest_double_push, position }
    }

    /// The bit board of each plane (bit 0 = a1, or a8 when Black is to move), and the value of its set bits.
    pub fn pack(&self, masks: &mut [u64], values: &mut [f32]) {
        let us = self.position.turn();
        let flip = us == Color::Black;
        let seen = |set: Bitboard| u64::from(if flip { set.flip_vertical() } else { set });
        masks.fill(0);
        values.fill(1.0);

        let known = usize::from(self.known);
        let shown = if self.fill { BOARDS } else { known };
        for (i, board) in self.boards.iter().enumerate().take(shown) {
            let planes = &mut masks[i * PLANES_PER_BOARD..][..PLANES_PER_BOARD];
            for (side, colour) in [us, !us].into_iter().enumerate() {
                for (piece, role) in Role::ALL.into_iter().enumerate() {
                    planes[side * 6 + piece] = seen(board.by_color(colour) & board.by_role(role));
                }
            }
            if let Some((squares, mover)) = self.oldest_double_push.filter(|_| i >= known) {
                // The boards before the first known one have the pawn that just moved two squares at home.
                planes[if mover == us { 0 } else { 6 }] ^= seen(squares);
            }
            let source = i.min(known - 1);
            planes[12] = if self.repeated >> source & 1 == 1 { u64::MAX } else { 0 };
        }

        let castles = self.position.castles();
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
        let halfmoves = self.position.halfmoves();
        masks[FLAGS + 5] = all(halfmoves > 0);
        values[FLAGS + 5] = halfmoves as f32;
        masks[FLAGS + 7] = u64::MAX;
    }
}

impl View for ChessView {
    fn plane_shape(&self) -> [usize; 3] {
        [PLANES, 8, 8]
    }

    fn planes(&self, out: &mut [f32]) {
        let mut masks = [0; PLANES];
        let mut values = [0.0; PLANES];
        self.pack(&mut masks, &mut values);
        for ((plane, &mask), &value) in out.chunks_exact_mut(64).zip(&masks).zip(&values) {
            match mask {
                0 => plane.fill(0.0),
                u64::MAX => plane.fill(value),
                _ => {
                    for (i, x) in plane.iter_mut().enumerate() {
                        *x = (mask >> i & 1) as f32 * value;
                    }
                }
            }
        }
    }

    fn policy_index(&self, mv: Move) -> u16 {
        policy_index(mv, self.position.turn() == Color::Black)
    }

    fn material(&self, moves: &[Move], logits: &mut [f32]) -> [f32; 3] {
        material(&self.position, moves, logits)
    }

    fn move_name(&self, mv: Move) -> String {
        UciMove::from_move(unpack(self.position.board(), mv), self.position.castles().mode()).to_string()
    }
}

fn is_standard_start(position: &Chess) -> bool {
    position.board() == Chess::default().board()
        && position.turn() == Color::White
        && position.castles().castling_rights() == Chess::default().castles().castling_rights()
}
