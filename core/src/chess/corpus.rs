//! Games in memory for training: packed moves and labels, from which any position is encoded on demand.
//!
//! A ply takes two bytes for its move and one for its labels, so that ten million positions take 30 MB and can be
//! shuffled without encoded planes on disk. Encoding a position replays its game from the start, some tens of moves, or
//! from the position before, where that is of the same game.

use std::sync::{Mutex, PoisonError};
use std::thread;

use rustc_hash::FxHashMap;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use super::annotations::{centipawns, clock, rating};
use super::encoding::{Encoding, policy_index};
use super::game::{ChessGame, MoveError};
use super::packed_move::{pack, unpack};
use super::pgn::PgnGame;
use super::phase::{self, Table};
use crate::game::{Game, Move};

/// Stands for the evaluation of a position that has none.
pub const NO_EVAL: i16 = i16::MIN;

/// The phase tables, in the order of their bits in a label.
const TABLES: [Table; 3] = [Table::Current, Table::Legacy, Table::Engine];
const WHITE_BIT: u8 = 1 << 6;
/// More threads than any machine has processors: it bounds what a mistaken number asks for.
const MOST_THREADS: usize = 1024;

/// The facts about a game, apart from its moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// 1 White won, 0 draw, −1 Black won.
    pub result: i8,
    /// White's and Black's places in the names of the corpus, 0 when unknown.
    pub players: [u32; 2],
    /// Ratings of White and Black, 0 when unknown.
    pub ratings: [i16; 2],
    /// Base time and increment in seconds, −1 when unknown.
    pub clock: [i32; 2],
}

/// Games and their labels. A row is a ply: game after game, ply after ply.
pub struct Corpus {
    /// The rows of game g are `offsets[g]` to `offsets[g + 1]`.
    offsets: Vec<usize>,
    moves: Vec<Move>,
    /// Per row: the phase under each table in two bits, and whether White is to move.
    labels: Vec<u8>,
    facts: Vec<Facts>,
    names: Names,
    /// Start positions of games that do not begin at the standard start.
    starts: FxHashMap<usize, ChessGame>,
    /// The evaluation of each row's position, before the ply, in centipawns from White's view.
    evals: Option<Vec<i16>>,
}

impl Default for Corpus {
    fn default() -> Self {
        Corpus {
            offsets: vec![0],
            moves: Vec::new(),
            labels: Vec::new(),
            facts: Vec::new(),
            names: Names::default(),
            starts: FxHashMap::default(),
            evals: None,
        }
    }
}

impl Corpus {
    /// The number of games.
    pub fn games(&self) -> usize {
        self.facts.len()
    }

    /// The number of rows: the plies of all games.
    pub fn rows(&self) -> usize {
        self.moves.len()
    }

    /// The rows of game g are `offsets[g]..offsets[g + 1]`.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// What is known of each game.
    pub fn facts(&self) -> &[Facts] {
        &self.facts
    }

    /// The names of players, each once; the first one, which is empty, stands for an unknown one.
    pub fn names(&self) -> &[Box<str>] {
        &self.names.all
    }

    /// By row, the evaluation of the position before the ply in centipawns from White's view, or [`NO_EVAL`]; `None`
    /// where evaluations are not kept.
    pub fn evals(&self) -> Option<&[i16]> {
        self.evals.as_deref()
    }

    /// From now on evaluations are kept; earlier games have none.
    pub fn keep_evals(&mut self) {
        self.evals.get_or_insert_with(|| vec![NO_EVAL; self.moves.len()]);
    }

    /// Appends a game. `comments`: as a PGN source has them, one per move.
    ///
    /// # Panics
    ///
    /// When a move is not legal: the reader of the game has checked them.
    pub fn push(
        &mut self,
        start: ChessGame,
        moves: &[Move],
        facts: Facts,
        comments: Option<&[Option<String>]>,
    ) {
        let mut position = start.position().clone();
        for &mv in moves {
            let white = if position.turn().is_white() { WHITE_BIT } else { 0 };
            let phases = TABLES.map(|table| phase::phase(position.board(), table));
            self.labels.push(phases[0] | phases[1] << 2 | phases[2] << 4 | white);
            let mv = unpack(position.board(), mv);
            position.play_unchecked(mv);
        }
        self.moves.extend_from_slice(moves);
        if let Some(evals) = &mut self.evals {
            // A comment judges the position after its move, a row is the position before one.
            let after = comments.unwrap_or_default().iter().map(|text| text.as_deref().and_then(centipawns));
            let before = std::iter::once(None).chain(after).chain(std::iter::repeat(None));
            evals.extend(before.take(moves.len()).map(|eval| eval.unwrap_or(NO_EVAL)));
        }
        if !is_standard(&start) {
            self.starts.insert(self.facts.len(), start);
        }
        self.facts.push(facts);
        self.offsets.push(self.moves.len());
    }

    /// Appends a game of a PGN source. Returns false, and appends nothing, when it has no moves, no result, or more
    /// moves than a game can have.
    pub fn push_pgn(&mut self, game: &PgnGame) -> bool {
        let Some(result) = points(game.result) else { return false };
        let Ok(start) = ChessGame::start(game.start_fen.as_deref(), game.mode.is_chess960()) else {
            return false;
        };
        if game.moves.is_empty() || game.moves.len() > usize::from(u16::MAX) {
            return false;
        }
        let tag =
            |name: &str| game.tags.iter().rev().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str());
        let facts = Facts {
            result,
            players: ["White", "Black"].map(|name| tag(name).map_or(0, |name| self.names.place(name))),
            ratings: ["WhiteElo", "BlackElo"].map(|name| tag(name).map_or(0, rating)),
            clock: tag("TimeControl").map_or([-1, -1], clock),
        };
        self.push(start, &game.moves, facts, game.comments.as_deref());
        true
    }

    /// The game of a row, and the ply in it.
    fn place(&self, row: usize) -> (usize, usize) {
        let game = self.offsets.partition_point(|&start| start <= row) - 1;
        (game, row - self.offsets[game])
    }

    /// The start position of a game.
    pub fn start(&self, game: usize) -> ChessGame {
        self.starts.get(&game).cloned().unwrap_or_default()
    }

    /// The moves of a game.
    pub fn moves(&self, game: usize) -> &[Move] {
        &self.moves[self.offsets[game]..self.offsets[game + 1]]
    }

    /// Whether White is to move, by row.
    pub fn white(&self) -> impl ExactSizeIterator<Item = bool> {
        self.labels.iter().map(|label| label & WHITE_BIT != 0)
    }

    /// Game phase, by row.
    pub fn phases(&self, table: Table) -> impl ExactSizeIterator<Item = u8> {
        self.labels.iter().map(move |label| label >> (2 * table as u8) & 3)
    }

    /// Phase by the move counter, by row.
    pub fn move_phases(&self, k: u8) -> Vec<u8> {
        let game = |game: usize| {
            let (plies, fullmoves) = match self.starts.get(&game) {
                None => (0, 1),
                Some(start) => {
                    (usize::from(start.position().turn().is_black()), start.position().fullmoves().get())
                }
            };
            let length = self.offsets[game + 1] - self.offsets[game];
            (plies..plies + length)
                .map(move |ply| phase::move_phase(fullmoves.saturating_add(ply as u32 / 2), k))
        };
        (0..self.games()).flat_map(game).collect()
    }

    /// Writes the net input of each row, `rows × planes` bit boards and values, and the policy index of the move that
    /// was played. The result does not depend on the number of threads.
    ///
    /// # Panics
    ///
    /// When a row is outside the corpus, or a slice has not the length that the rows demand.
    pub fn encode(&self, rows: &[usize], encoding: Encoding, threads: usize, out: Samples<'_>) {
        let threads = threads.clamp(1, MOST_THREADS);
        let part = rows.len().div_ceil(threads).max(1);
        let planes = part * encoding.planes();
        let parts = rows
            .chunks(part)
            .zip(out.masks.chunks_mut(planes))
            .zip(out.values.chunks_mut(planes))
            .zip(out.policy.chunks_mut(part))
            .map(|(((rows, masks), values), policy)| (rows, Samples { masks, values, policy }));
        let more = parts.len().saturating_sub(1);
        let parts = Mutex::new(parts);
        let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            while let Some((rows, out)) = next() {
                self.encode_part(rows, encoding, out);
            }
        };
        thread::scope(|scope| {
            // Where the system gives no more threads, those that there are do the work of all.
            let spawn = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
            (0..more).map_while(spawn).for_each(drop);
            work();
        });
    }

    fn encode_part(&self, rows: &[usize], encoding: Encoding, out: Samples<'_>) {
        let planes = encoding.planes();
        let mut places =
            out.masks.chunks_exact_mut(planes).zip(out.values.chunks_exact_mut(planes)).zip(out.policy);
        self.visit(rows, |_, game, played| {
            let ((masks, values), policy) = places.next().expect("a place for each row");
            game.view().pack(encoding, masks, values);
            *policy = i64::from(policy_index(encoding, game.position(), played));
        });
    }

    /// The positions of some rows, each with its history.
    ///
    /// # Panics
    ///
    /// When a row is outside the corpus.
    pub fn positions(&self, rows: &[usize]) -> Vec<ChessGame> {
        let mut found = Vec::with_capacity(rows.len());
        self.visit(rows, |_, game, _| found.push(game.clone()));
        found
    }

    /// A hash of each row's position by all that an evaluation may depend on.
    ///
    /// # Panics
    ///
    /// When a row is outside the corpus.
    pub fn keys(&self, rows: &[usize]) -> Vec<u64> {
        let mut found = Vec::with_capacity(rows.len());
        self.visit(rows, |_, game, _| found.push(game.key()));
        found
    }

    /// The indices of moves in a net's policy output; the moves of row `rows[i]` are
    /// `moves[offsets[i]..offsets[i + 1]]`, as UCI writes them. A move that is not legal in its row is an error, which
    /// holds i and a message with the position.
    ///
    /// # Panics
    ///
    /// When a row is outside the corpus, or an offset outside the moves.
    pub fn policy_indices(
        &self,
        rows: &[usize],
        offsets: &[usize],
        moves: &[UciMove],
        encoding: Encoding,
    ) -> Result<Vec<u16>, (usize, MoveError)> {
        let mut found = Vec::with_capacity(moves.len());
        let mut refused = None;
        self.visit(rows, |i, game, _| {
            for uci in &moves[offsets[i]..offsets[i + 1]] {
                match uci.to_move(game.position()) {
                    Ok(mv) => found.push(policy_index(encoding, game.position(), pack(mv))),
                    Err(_) => {
                        let text = format!("illegal move: \"{uci}\" in {}", game.fen());
                        refused.get_or_insert((i, MoveError(text)));
                    }
                }
            }
        });
        refused.map_or(Ok(found), Err)
    }

    /// The position of the first of some rows that an encoding cannot show.
    pub fn unshown(&self, rows: &[usize], encoding: Encoding) -> Option<Chess> {
        // A game from the usual start has no castling rights of Chess960.
        let special: Vec<_> =
            rows.iter().copied().filter(|&row| self.starts.contains_key(&self.place(row).0)).collect();
        let mut found = None;
        self.visit(&special, |_, game, _| {
            if found.is_none() && !encoding.shows(game.position()) {
                found = Some(game.position().clone());
            }
        });
        found
    }

    /// Calls `show` for each row with its index in `rows`, its position, and the move that was played there. A row of
    /// the same game as the row before goes on from there, so that rows in order replay each game once.
    fn visit(&self, rows: &[usize], mut show: impl FnMut(usize, &ChessGame, Move)) {
        let (mut usual, mut special) = (ChessGame::default(), None);
        let (mut shown, mut played) = (None, 0_usize);
        for (i, &row) in rows.iter().enumerate() {
            let (number, ply) = self.place(row);
            if shown != Some(number) {
                usual.undo(usual.moves().len());
                special = self.starts.get(&number).cloned();
                (shown, played) = (Some(number), 0);
            }
            let game = special.as_mut().unwrap_or(&mut usual);
            let moves = self.moves(number);
            game.undo(played.saturating_sub(ply));
            moves[..ply].iter().skip(played).for_each(|&mv| game.play(mv));
            played = ply;
            show(i, game, moves[ply]);
        }
    }
}

/// Distinct names of players, and the place of each.
struct Names {
    all: Vec<Box<str>>,
    places: FxHashMap<Box<str>, u32>,
}

impl Default for Names {
    fn default() -> Self {
        Names { all: vec!["".into()], places: FxHashMap::from_iter([("".into(), 0), ("?".into(), 0)]) }
    }
}

impl Names {
    /// The place of a name, which is added where it is new. PGN writes an unknown name as `?`.
    fn place(&mut self, name: &str) -> u32 {
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        let place = u32::try_from(self.all.len()).expect("fewer names than u32 counts");
        self.all.push(name.into());
        self.places.insert(name.into(), place);
        place
    }
}

/// White's result as PGN writes it: 1 won, 0 draw, −1 lost; `None` where it is not one of these.
pub fn points(result: &str) -> Option<i8> {
    match result {
        "1-0" => Some(1),
        "1/2-1/2" => Some(0),
        "0-1" => Some(-1),
        _ => None,
    }
}

/// The slices to which N encoded positions with C planes are written.
pub struct Samples<'a> {
    /// `[N × C]`: the bit board of each plane.
    pub masks: &'a mut [u64],
    /// `[N × C]`: the value of the set bits of each plane.
    pub values: &'a mut [f32],
    /// `[N]`: the index of the move that was played in a net's policy output.
    pub policy: &'a mut [i64],
}

/// Whether a start position is that of nearly all games, castling mode and move counters included.
fn is_standard(start: &ChessGame) -> bool {
    let (position, standard) = (start.position(), ChessGame::default());
    start.mode() == standard.mode()
        && position == standard.position()
        && position.halfmoves() == standard.position().halfmoves()
        && position.fullmoves() == standard.position().fullmoves()
}

#[cfg(test)]
mod tests;
