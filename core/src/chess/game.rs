//! A chess game: the position, how it was reached, and how it may have ended.

use std::{error::Error, fmt};

use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, Position,
    san::{SanError, SanPlus},
    uci::UciMove,
    zobrist::Zobrist64,
};

use super::encoding::Encoding;
use super::packed_move::{pack, squares, unpack};
use super::san::{find_move, read_san, read_typed};
use super::view::{ChessView, HISTORY, canonical_past};
use crate::game::{Game, Move, Terminal};
use crate::hash::mix;
use crate::quote::quoted;

/// Says which move is wrong and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveError(pub String);

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for MoveError {}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChessReason {
    Checkmate,
    Stalemate,
    InsufficientMaterial,
    SeventyFiveMoves,
    FivefoldRepetition,
    FiftyMoves,
    ThreefoldRepetition,
}

impl ChessReason {
    /// The name of the reason in Python.
    pub fn name(self) -> &'static str {
        match self {
            ChessReason::Checkmate => "checkmate",
            ChessReason::Stalemate => "stalemate",
            ChessReason::InsufficientMaterial => "insufficient_material",
            ChessReason::SeventyFiveMoves => "seventyfive_moves",
            ChessReason::FivefoldRepetition => "fivefold_repetition",
            ChessReason::FiftyMoves => "fifty_moves",
            ChessReason::ThreefoldRepetition => "threefold_repetition",
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChessOutcome {
    /// `None` is a draw.
    pub winner: Option<Color>,
    pub reason: ChessReason,
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) position: Chess,
    /// Board, side, castling rights, and the en-passant file when an enemy pawn attacks the passed square: what lc0
    /// compares when it counts repetitions.
    pub(super) key: u64,
    /// Earlier occurrences of this position since the last capture or pawn move.
    pub(super) repetitions: u8,
    /// The number of positions since the last capture or pawn move, this one included, that had occurred before.
    pub(super) repeated: u16,
    /// Plies since the last earlier occurrence, 0 when there is none.
    cycle: u16,
}

/// A position with every position before it since the start.
#[derive(Clone, Debug)]
pub struct ChessGame {
    entries: Vec<Entry>,
    moves: Vec<Move>,
    mode: CastlingMode,
}

impl Default for ChessGame {
    fn default() -> Self {
        ChessGame::from_position(Chess::default(), CastlingMode::Standard)
    }
}

impl ChessGame {
    /// A game that starts at a position, whose castling rights are of this mode.
    pub fn from_position(position: Chess, mode: CastlingMode) -> ChessGame {
        // The en-passant square of a start position is taken as given, as lc0 does.
        let Zobrist64(key) = position.zobrist_hash(EnPassantMode::Always);
        let entry = Entry { position, key, repetitions: 0, repeated: 0, cycle: 0 };
        ChessGame { entries: vec![entry], moves: Vec::new(), mode }
    }

    fn last(&self) -> &Entry {
        self.entries.last().expect("a game has a start position")
    }

    pub fn position(&self) -> &Chess {
        &self.last().position
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// How castling is written; in Chess960 rooks may start anywhere, too.
    pub fn mode(&self) -> CastlingMode {
        self.mode
    }

    /// The moves since the start position.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// How often the position occurred before, as lc0 counts.
    pub fn repetitions(&self) -> u8 {
        self.last().repetitions
    }

    /// The UCI name of the move that was played as number `index`, from 0.
    ///
    /// # Panics
    ///
    /// When fewer moves were played.
    pub fn played_name(&self, index: usize) -> String {
        let mv = unpack(self.entries[index].position.board(), self.moves[index]);
        UciMove::from_move(mv, self.mode).to_string()
    }

    /// Reads a move in UCI or SAN, as people also type it (`nf3`, `o-o`), marks as in `Nf3!?` aside, and checks that it
    /// is legal here.
    ///
    /// # Errors
    ///
    /// The text is no move, or means no legal move or more than one; the message repeats it and gives the position.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let position = self.position();
        let bare = text.trim_end_matches(['!', '?']).as_bytes();
        let uci = UciMove::from_ascii(bare);
        if let Ok(uci) = &uci
            && let Ok(mv) = uci.to_move(position)
        {
            return Ok(pack(mv));
        }
        let problem = match read_san(bare).or_else(|| read_typed(bare)) {
            Some(san) => match find_move(san.san, position) {
                Ok(mv) => return Ok(pack(mv)),
                Err(SanError::AmbiguousSan) => "ambiguous move",
                Err(SanError::IllegalSan) => "illegal move",
            },
            None if uci.is_ok() => "illegal move",
            None => "neither UCI nor SAN",
        };
        Err(MoveError(format!("{problem}: {} in {}", quoted(text), self.fen())))
    }

    /// A legal move in standard algebraic notation.
    ///
    /// # Panics
    ///
    /// When no piece stands on the from-square.
    pub fn san(&self, mv: Move) -> String {
        let mv = unpack(self.position().board(), mv);
        SanPlus::from_move(self.position().clone(), mv).to_string()
    }

    /// The outcome by rule; with `claim_draw` also by a draw that the side to move may claim, be it by announcing the
    /// move that brings the repetition or the fiftieth move about (FIDE 9.2, 9.3).
    pub fn outcome(&self, claim_draw: bool) -> Option<ChessOutcome> {
        let position = self.position();
        let draw = |reason| Some(ChessOutcome { winner: None, reason });
        let legal = position.legal_moves();
        if legal.is_empty() && position.is_check() {
            return Some(ChessOutcome { winner: Some(!position.turn()), reason: ChessReason::Checkmate });
        }
        if position.is_insufficient_material() {
            return draw(ChessReason::InsufficientMaterial);
        }
        if legal.is_empty() {
            return draw(ChessReason::Stalemate);
        }
        if position.halfmoves() >= 150 {
            return draw(ChessReason::SeventyFiveMoves);
        }
        let occurrences = self.occurrences(position, self.entries.len() - 1) + 1;
        if occurrences >= 5 {
            return draw(ChessReason::FivefoldRepetition);
        }
        if !claim_draw {
            return None;
        }
        let after = |mv| {
            let mut next = position.clone();
            next.play_unchecked(mv);
            next
        };
        if position.halfmoves() >= 100
            || position.halfmoves() == 99
                && legal.iter().any(|&mv| !mv.is_zeroing() && !after(mv).legal_moves().is_empty())
        {
            return draw(ChessReason::FiftyMoves);
        }
        if occurrences >= 3
            || legal
                .iter()
                .any(|&mv| !mv.is_zeroing() && self.occurrences(&after(mv), self.entries.len()) >= 2)
        {
            return draw(ChessReason::ThreefoldRepetition);
        }
        None
    }

    /// How often `position`, which would stand at index `at` of the game, occurred before it by the rules of chess:
    /// an en-passant square makes a difference only when the capture is legal.
    fn occurrences(&self, position: &Chess, at: usize) -> usize {
        let strict = |position: &Chess| -> Zobrist64 { position.zobrist_hash(EnPassantMode::Legal) };
        let key = strict(position);
        let reversible = position.halfmoves() as usize;
        let first = at.saturating_sub(reversible);
        (first..at).rev().skip(1).step_by(2).filter(|&i| strict(&self.entries[i].position) == key).count()
    }

    /// How often the same pieces stood on the same squares before with the same side to move, whatever the castling and
    /// en-passant rights: what CrazyAra's nets see.
    pub(super) fn occurrences_of_placement(&self) -> u8 {
        let (position, ply) = (self.position(), self.entries.len() - 1);
        let reversible = (position.halfmoves() as usize).min(ply);
        let board = position.board();
        let same = |back: &usize| {
            let earlier = self.entries[ply - back].position.board();
            // One word tells most boards apart.
            earlier.occupied() == board.occupied() && earlier == board
        };
        (4..=reversible).step_by(2).filter(same).count().try_into().unwrap_or(u8::MAX)
    }

    /// Whether no side could mate even with help, as lc0 judges it: at most one minor piece, or bishops of one square
    /// colour.
    fn lacks_mating_material(&self) -> bool {
        let board = self.position().board();
        if (board.pawns() | board.rooks_and_queens()).any() {
            return false;
        }
        if board.occupied().count() < 4 {
            return true;
        }
        board.knights().is_empty()
            && ((board.bishops() & shakmaty::Bitboard::LIGHT_SQUARES).is_empty()
                || (board.bishops() & shakmaty::Bitboard::DARK_SQUARES).is_empty())
    }
}

impl Game for ChessGame {
    type View = ChessView;

    fn legal_moves(&self, out: &mut Vec<Move>) {
        out.extend(self.position().legal_moves().iter().map(|&mv| pack(mv)));
    }

    fn play(&mut self, mv: Move) {
        let before = self.last();
        let mut position = before.position.clone();
        let chess_move = unpack(position.board(), mv);
        let updated =
            position.update_zobrist_hash(Zobrist64(before.key), chess_move, EnPassantMode::PseudoLegal);
        position.play_unchecked(chess_move);
        let Zobrist64(key) = updated.unwrap_or_else(|| position.zobrist_hash(EnPassantMode::PseudoLegal));

        let ply = self.entries.len();
        let reversible = (position.halfmoves() as usize).min(ply);
        let (mut repetitions, mut cycle) = (0, 0);
        for back in (4..=reversible).step_by(2) {
            let earlier = &self.entries[ply - back];
            if earlier.key == key {
                repetitions = earlier.repetitions.saturating_add(1);
                cycle = u16::try_from(back).unwrap_or(u16::MAX);
                break;
            }
        }
        let before = if position.halfmoves() == 0 { 0 } else { self.last().repeated };
        let repeated = before.saturating_add(u16::from(repetitions > 0));
        self.entries.push(Entry { position, key, repetitions, repeated, cycle });
        self.moves.push(mv);
    }

    fn undo(&mut self, plies: usize) {
        assert!(plies <= self.moves.len(), "cannot take back more moves than were played");
        self.entries.truncate(self.entries.len() - plies);
        self.moves.truncate(self.moves.len() - plies);
    }

    fn first_to_move(&self) -> bool {
        self.position().turn() == Color::White
    }

    fn terminal(&self, legal: &[Move], depth: u32, two_fold: bool) -> Option<Terminal> {
        let draw = Some(Terminal { result: 0, cycle: 0 });
        let last = self.last();
        if legal.is_empty() {
            return if last.position.is_check() { Some(Terminal { result: 1, cycle: 0 }) } else { draw };
        }
        if self.lacks_mating_material() || last.position.halfmoves() >= 100 || last.repetitions >= 2 {
            return draw;
        }
        let inside_tree = depth >= 4 && depth >= u32::from(last.cycle);
        (two_fold && last.repetitions == 1 && inside_tree)
            .then_some(Terminal { result: 0, cycle: last.cycle })
    }

    /// The type of the piece on the from-square: pawn, knight, bishop, rook, queen, king, from 0. Castling is a move of
    /// the king.
    fn class(&self, mv: Move) -> u8 {
        let (from, ..) = squares(mv);
        self.position().board().role_at(from).map_or(0, |role| role as u8 - 1)
    }

    fn policy_size(&self) -> usize {
        Encoding::default().policy_size()
    }

    fn view(&self) -> ChessView {
        ChessView::of(self)
    }

    fn key(&self) -> u64 {
        let first_seen = self.entries.len().saturating_sub(HISTORY);
        let seen = &self.entries[first_seen..];
        let position = self.position();
        let counters = u64::from(position.fullmoves().get()) << 32
            | u64::from(position.halfmoves()) << 8
            | u64::from(self.occurrences_of_placement().min(2)) << 5
            | u64::from(self.mode.is_chess960()) << 4
            | seen.len() as u64;
        // The boards determine all moves between them, but not the move that led to the oldest.
        let first_move = first_seen.checked_sub(1).map_or(0, |before| 1 + u64::from(self.moves[before].0));
        // Chess960: the hash of an entry says which sides may castle, not with which rook.
        let rooks = u64::from(position.castles().castling_rights());
        let (_, older) = canonical_past(&self.entries, false);
        let shown = seen.iter().chain(older);
        shown.fold(mix(mix(mix(counters) ^ rooks) ^ first_move), |hash, entry| {
            mix(hash ^ entry.key ^ u64::from(entry.repetitions.min(1)))
        })
    }

    fn move_name(&self, mv: Move) -> String {
        UciMove::from_move(unpack(self.position().board(), mv), self.mode).to_string()
    }
}
