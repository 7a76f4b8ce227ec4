//! What an evaluator sees of a chess game.

use shakmaty::{Bitboard, Board, Chess, Color, EnPassantMode, Position, Square, uci::UciMove};

use super::encoding::{Encoding, policy_index};
use super::game::{ChessGame, Entry};
use super::material::material;
use super::packed_move::{castling_target, squares, unpack};
use super::{crazyara, lc0, maia2, maia3};
use crate::game::{Move, View, Worth};

/// Plies of history that a net may see.
pub const HISTORY: usize = 8;

/// The position, the last eight boards and moves, and the counters: all that any of the encodings shows.
#[derive(Clone, Debug)]
pub struct ChessView {
    pub(super) position: Chess,
    /// The last boards, newest first; only the first `known` are boards of the game, the others repeat the oldest of
    /// these.
    pub(super) boards: [Board; HISTORY],
    /// Bit i says whether board i had occurred before.
    pub(super) repeated: u8,
    pub(super) known: u8,
    /// Whether the oldest known position is the start of a game that did not begin at the standard start position.
    pub(super) fill: bool,
    /// The from- and the to-square of the pawn that had just moved two squares in the oldest known position, and its
    /// colour.
    pub(super) oldest_double_push: Option<(Bitboard, Color)>,
    /// The number of boards that canonical formats show; those past the known ones repeat the start position.
    pub(super) shown: u8,
    /// Boards older than these that canonical formats show because they had occurred before, newest first, as many as
    /// there is room for.
    pub(super) older_repeated: Vec<Board>,
    /// The last moves, oldest first; only the last `played` of them are moves of the game.
    moves: [Move; HISTORY],
    played: u8,
    /// The number of earlier positions with the same pieces on the same squares and the same side to move.
    pub(super) occurrences: u8,
}

impl ChessView {
    pub(super) fn of(game: &ChessGame) -> ChessView {
        let entries = game.entries();
        let known = entries.len().min(HISTORY);
        let oldest = &entries[entries.len() - known].position;
        // Past the known boards the oldest one stands in.
        let at = |i: usize| &entries[entries.len() - 1 - i.min(known - 1)];
        let boards = std::array::from_fn(|i| at(i).position.board().clone());
        let repeated = (0..known).fold(0, |bits, i| bits | u8::from(at(i).repetitions >= 1) << i);
        let fill = known < HISTORY && !is_standard_start(oldest);
        let oldest_double_push = oldest.maybe_ep_square().map(|square| {
            let mover = !oldest.turn();
            let (from, to) = match mover {
                Color::White => (square.offset(-8), square.offset(8)),
                Color::Black => (square.offset(8), square.offset(-8)),
            };
            let squares = from.into_iter().chain(to).fold(Bitboard::EMPTY, |set, square| set | square);
            (squares, mover)
        });
        let mut moves = [Move(0); HISTORY];
        let played = game.moves().len().min(HISTORY);
        moves[HISTORY - played..].copy_from_slice(&game.moves()[game.moves().len() - played..]);
        let (shown, older_repeated) = canonical_past(entries, fill);
        ChessView {
            position: game.position().clone(),
            boards,
            repeated,
            known: known as u8,
            fill,
            oldest_double_push,
            shown: shown as u8,
            older_repeated: older_repeated.iter().map(|entry| entry.position.board().clone()).collect(),
            moves,
            played: played as u8,
            occurrences: game.occurrences_of_placement(),
        }
    }

    pub fn position(&self) -> &Chess {
        &self.position
    }

    /// The square behind the pawn that just moved two squares, if an enemy pawn attacks it or the position is a start
    /// position that names it.
    pub(super) fn en_passant(&self) -> Option<Square> {
        en_passant(&self.position, self.played == 0)
    }

    /// The from- and to-squares of the last moves, newest first, as UCI writes them.
    pub(super) fn moves(&self) -> impl Iterator<Item = (Square, Square)> {
        let mode = self.position.castles().mode();
        let uci = move |(mv, board): (&Move, &Board)| {
            let (from, to, _) = squares(*mv);
            // Only castling leaves its to-square empty, which is the rook's square in packed moves.
            let castled = !board.occupied().contains(to);
            (from, if castled { castling_target(mode, from, to) } else { to })
        };
        self.moves.iter().rev().zip(&self.boards).take(usize::from(self.played)).map(uci)
    }

    /// The bit board of each plane (bit 0 = a1, or a8 when Black is to move), and the value of its set bits. Both have
    /// [`Encoding::planes`] items.
    pub fn pack(&self, encoding: Encoding, masks: &mut [u64], values: &mut [f32]) {
        match encoding {
            Encoding::Lc0(format) => lc0::pack(self, format, masks, values),
            Encoding::CrazyAra => crazyara::pack(self, masks, values),
            Encoding::Maia2 => maia2::pack(self, masks, values),
            Encoding::Maia3 => maia3::pack(self, masks, values),
        }
    }
}

impl View for ChessView {
    type Encoding = Encoding;

    fn plane_shape(&self, encoding: Encoding) -> [usize; 3] {
        [encoding.planes(), 8, 8]
    }

    fn planes(&self, encoding: Encoding, out: &mut [f32]) {
        // lc0 has the most planes.
        let (mut masks, mut values) = ([0; lc0::PLANES], [0.0; lc0::PLANES]);
        self.pack(encoding, &mut masks[..encoding.planes()], &mut values[..encoding.planes()]);
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

    fn policy_index(&self, encoding: Encoding, mv: Move) -> u16 {
        policy_index(encoding, &self.position, mv)
    }

    fn material(&self, moves: &[Move], logits: &mut [f32]) -> Worth {
        Worth { wdl: material(&self.position, moves, logits), margin: None }
    }

    fn move_name(&self, mv: Move) -> String {
        UciMove::from_move(unpack(self.position.board(), mv), self.position.castles().mode()).to_string()
    }
}

/// The en-passant square of a position; that of a start position is taken as given, as it is when repetitions are
/// counted.
fn en_passant(position: &Chess, is_start: bool) -> Option<Square> {
    position.ep_square(if is_start { EnPassantMode::Always } else { EnPassantMode::PseudoLegal })
}

/// The past that canonical formats show: the number of the newest boards, up to [`HISTORY`], and the older positions
/// that had occurred before, newest first. `fill`: whether the start position stands in for the boards before it.
///
/// The past ends with the position after a capture or a pawn move, and before one with other castling rights or an
/// en-passant square.
pub(super) fn canonical_past(entries: &[Entry], fill: bool) -> (usize, Vec<&Entry>) {
    let last = entries.len() - 1;
    let rights = entries[last].position.castles().castling_rights();
    let alike = |index: usize| {
        let position = &entries[index].position;
        position.castles().castling_rights() == rights && en_passant(position, index == 0).is_none()
    };
    let zeroed = |index: usize| entries[index].position.halfmoves() == 0;
    let mut oldest = last;
    while last - oldest + 1 < HISTORY && !zeroed(oldest) && oldest > 0 && alike(oldest - 1) {
        oldest -= 1;
    }
    let shown = last - oldest + 1;
    if oldest == 0 && fill && !zeroed(0) && alike(0) {
        return (HISTORY, Vec::new());
    }
    let repeated = |entry: &&Entry| entry.repetitions > 0;
    let room = HISTORY - 1 - entries[oldest..last].iter().filter(repeated).count();
    let mut older = Vec::new();
    // The past beyond the eighth board is walked only as far as it holds repeated positions.
    while shown == HISTORY && older.len() < room && !zeroed(oldest) && oldest > 0 {
        oldest -= 1;
        if entries[oldest].repeated == 0 || !alike(oldest) {
            break;
        }
        older.extend(Some(&entries[oldest]).filter(repeated));
    }
    (shown, older)
}

fn is_standard_start(position: &Chess) -> bool {
    position.board() == Chess::default().board()
        && position.turn() == Color::White
        && position.castles().castling_rights() == Chess::default().castles().castling_rights()
}
