//! Chess moves in 16 bits: from, to, promotion. Castling is the king taking its own rook, as in Chess960.

use shakmaty::{Board, CastlingMode, Chess, File, Move as ChessMove, Position, Role, Square};

use crate::game::Move;

const PROMOTIONS: [Option<Role>; 5] =
    [None, Some(Role::Knight), Some(Role::Bishop), Some(Role::Rook), Some(Role::Queen)];

/// A move of chess in 16 bits; [`unpack`] needs the board as well.
pub fn pack(mv: ChessMove) -> Move {
    let (from, to, promotion) = match mv {
        ChessMove::Normal { from, to, promotion, .. } => (from, to, promotion),
        ChessMove::EnPassant { from, to } => (from, to, None),
        ChessMove::Castle { king, rook } => (king, rook, None),
        ChessMove::Put { to, .. } => (to, to, None),
    };
    let promotion = promotion.map_or(0, |role| role as u16 - 1);
    Move(u16::from(from) | u16::from(to) << 6 | promotion << 12)
}

/// The squares and the promotion of a packed move.
pub fn squares(mv: Move) -> (Square, Square, Option<Role>) {
    let promotion = PROMOTIONS.get(usize::from(mv.0 >> 12)).copied().flatten();
    (square(mv.0), square(mv.0 >> 6), promotion)
}

/// Where UCI says that a castling king goes: in standard chess two steps, in Chess960 onto its rook.
pub fn castling_target(mode: CastlingMode, king: Square, rook: Square) -> Square {
    match mode {
        CastlingMode::Standard => {
            Square::from_coords(if rook > king { File::G } else { File::C }, king.rank())
        }
        CastlingMode::Chess960 => rook,
    }
}

/// The squares of a legal move as its mover sees them, playing up the board, and the promotion. A king castles by two
/// steps where it and its rook stand as in standard chess, in Chess960 too; elsewhere onto its rook.
pub fn seen_by_mover(position: &Chess, mv: Move) -> (Square, Square, Option<Role>) {
    let (from, mut to, promotion) = squares(mv);
    // Only castling ends on a piece of one's own.
    if position.us().contains(to) && castles_as_standard(from, to) {
        to = castling_target(CastlingMode::Standard, from, to);
    }
    let flip = |square: Square| if position.turn().is_black() { square.flip_vertical() } else { square };
    (flip(from), flip(to), promotion)
}

/// Whether a king and its rook stand on the files of standard chess.
pub fn castles_as_standard(king: Square, rook: Square) -> bool {
    king.file() == File::E && matches!(rook.file(), File::A | File::H)
}

fn square(bits: u16) -> Square {
    Square::new(u32::from(bits & 63))
}

/// The move that `mv` packs, given that it is legal on this board.
///
/// # Panics
///
/// When the from-square is empty.
pub fn unpack(board: &Board, mv: Move) -> ChessMove {
    let (from, to, promotion) = squares(mv);
    let role = board.role_at(from).expect("a legal move starts on a piece");
    let capture = board.role_at(to);
    if role == Role::King && board.color_at(from) == board.color_at(to) {
        ChessMove::Castle { king: from, rook: to }
    } else if role == Role::Pawn && capture.is_none() && from.file() != to.file() {
        ChessMove::EnPassant { from, to }
    } else {
        ChessMove::Normal { role, from, capture, to, promotion }
    }
}
