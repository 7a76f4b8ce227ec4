//! Games in memory for training: packed moves and labels, from which any position is encoded on demand.
//!
//! A ply takes two bytes for its move and one for its labels, so that ten million positions take 30 MB and can be
//! shuffled without encoded planes on disk. Encoding a position replays its game from the start: some tens of moves.

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
    pub fn games(&self) -> usize {
        self.facts.len()
    }

    pub fn rows(&self) -> usize {
        self.moves.len()
    }

    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    pub fn facts(&self) -> &[Facts] {
        &self.facts
    }

    /// The names of players, each once; the first one, which is empty, stands for an unknown one.
    pub fn names(&self) -> &[Box<str>] {
        &self.names.all
    }

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

    pub fn start(&self, game: usize) -> ChessGame {
        self.starts.get(&game).cloned().unwrap_or_default()
    }

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

    /// Calls `show` for each row with its index in `rows`, its position, and the move that was played there.
    fn visit(&self, rows: &[usize], mut show: impl FnMut(usize, &mut ChessGame, Move)) {
        let mut fresh = ChessGame::default();
        for (i, &row) in rows.iter().enumerate() {
            let (number, ply) = self.place(row);
            let mut other = self.starts.get(&number).cloned();
            let game = other.as_mut().unwrap_or(&mut fresh);
            let moves = self.moves(number);
            moves[..ply].iter().for_each(|&mv| game.play(mv));
            show(i, game, moves[ply]);
            game.undo(ply);
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

/// The slices to which encoded positions are written.
pub struct Samples<'a> {
    pub masks: &'a mut [u64],
    pub values: &'a mut [f32],
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
mod tests {
    use super::*;
    use crate::chess::annotations::MATE;
    use crate::chess::pgn::GameReader;

    const GAMES: &str = r#"
[White "Ada"]
[Black "?"]
[Result "1-0"]
[WhiteElo "1512"]
[TimeControl "180+2"]

1. e4 { [%eval 0.3] } e5 { [%eval 0.25,14] } 2. Qh5 Nc6 { [%eval #2] } 3. Bc4 Nf6 { [%eval #1] } 4. Qxf7# 1-0

[White "Nobody"]
[Result "*"]

1. d4 *

[White "Bo"]
[Black "Ada"]
[Result "1/2-1/2"]
[FEN "4k3/8/8/8/8/8/4P3/4K2R b K - 0 40"]

1... Kd7 2. O-O Ke6 1/2-1/2
"#;

    fn corpus() -> (Corpus, usize) {
        let mut corpus = Corpus::default();
        corpus.keep_evals();
        let mut reader = GameReader::new(GAMES.as_bytes(), true);
        let mut refused = 0;
        while let Some(game) = reader.next_game().expect("no source fails here") {
            refused += usize::from(!corpus.push_pgn(&game.expect("the games are good")));
        }
        (corpus, refused)
    }

    #[test]
    fn games_without_a_result_stay_out() {
        let (corpus, refused) = corpus();
        assert_eq!((corpus.games(), refused, corpus.offsets()), (2, 1, &[0, 7, 10][..]));
        assert_eq!(
            corpus.facts()[0],
            Facts { result: 1, players: [1, 0], ratings: [1512, 0], clock: [180, 2] }
        );
        assert_eq!(corpus.facts()[1].players, [2, 1]);
        assert_eq!(corpus.names().iter().map(|name| &**name).collect::<Vec<_>>(), ["", "Ada", "Bo"]);
        assert_eq!(corpus.white().collect::<Vec<_>>()[5..], [false, true, false, true, false]);
    }

    #[test]
    fn rows_give_their_positions_and_the_places_of_moves() {
        let (corpus, _) = corpus();
        let rows = [8, 0, 3];
        let positions = corpus.positions(&rows);
        assert_eq!(positions[0].fen(), "8/3k4/8/8/8/8/4P3/4K2R w K - 1 41");
        assert_eq!(positions[2].moves().len(), 3);
        let keys: Vec<_> = positions.iter().map(Game::key).collect();
        assert_eq!(corpus.keys(&rows), keys);
        let moves = ["e1g1", "e2e4", "g1f3", "b8c6"].map(|text| text.parse().expect("UCI"));
        let encoding = Encoding::all().next().expect("there are some");
        let found = corpus.policy_indices(&rows, &[0, 1, 3, 4], &moves, encoding).expect("all are legal");
        for (i, name) in [(0, 0), (1, 1), (1, 2), (2, 3)] {
            let mv = positions[i].parse_move(&moves[name].to_string()).expect("legal");
            assert_eq!(found[name], policy_index(encoding, positions[i].position(), mv));
        }
        let (at, error) = corpus.policy_indices(&rows, &[0, 0, 0, 4], &moves, encoding).expect_err("illegal");
        assert_eq!((at, error.0.contains("e1g1")), (2, true));
    }

    #[test]
    fn an_evaluation_belongs_to_the_position_after_its_move() {
        let (corpus, _) = corpus();
        let expected = [NO_EVAL, 30, 25, NO_EVAL, MATE - 2, NO_EVAL, MATE - 1, NO_EVAL, NO_EVAL, NO_EVAL];
        assert_eq!(corpus.evals(), Some(&expected[..]));
        assert_eq!(centipawns("[%clk 0:01:00] [%eval -1.5]"), Some(-150));
        assert_eq!(centipawns("[%eval #-3]"), Some(3 - MATE));
        assert_eq!(centipawns("[%eval nan]"), None);
    }

    #[test]
    fn encoded_rows_are_what_the_games_show() {
        let (corpus, _) = corpus();
        for encoding in Encoding::all() {
            let planes = encoding.planes();
            let rows: Vec<_> = (0..corpus.rows()).rev().collect();
            for threads in [1, 3, 20] {
                let (mut masks, mut values) = (vec![7; rows.len() * planes], vec![7.0; rows.len() * planes]);
                let mut policy = vec![7; rows.len()];
                let out = Samples { masks: &mut masks, values: &mut values, policy: &mut policy };
                corpus.encode(&rows, encoding, threads, out);
                for (place, &row) in rows.iter().enumerate() {
                    let (number, ply) = corpus.place(row);
                    let mut game = corpus.start(number);
                    corpus.moves(number)[..ply].iter().for_each(|&mv| game.play(mv));
                    let (mut expected, mut factors) = (vec![0; planes], vec![0.0; planes]);
                    game.view().pack(encoding, &mut expected, &mut factors);
                    assert_eq!(masks[place * planes..][..planes], expected);
                    assert_eq!(values[place * planes..][..planes], factors);
                    let index = policy_index(encoding, game.position(), corpus.moves(number)[ply]);
                    assert_eq!(policy[place], i64::from(index));
                }
            }
        }
    }

    #[test]
    fn move_phases_follow_the_move_counter_of_the_start() {
        let (corpus, _) = corpus();
        assert_eq!(corpus.move_phases(2), [0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);
    }

    #[test]
    fn a_game_of_chess960_remains_one_without_a_fen() {
        let pgn = "[Variant \"Chess960\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O 1-0";
        let game = GameReader::new(pgn.as_bytes(), false).next_game();
        let game = game.expect("no source fails here").expect("a game").expect("it is good");
        let mut corpus = Corpus::default();
        assert!(corpus.push_pgn(&game) && corpus.start(0).mode().is_chess960());
        let castled = &corpus.positions(&[6])[0];
        assert_eq!(castled.move_name(corpus.moves(0)[6]), "e1h1");
    }

    #[test]
    fn a_start_that_only_looks_standard_is_kept() {
        let standard = ChessGame::default();
        let late = ChessGame::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 3 30", false);
        let chess960 = ChessGame::from_fen(&standard.start_fen(), true);
        let mut corpus = Corpus::default();
        for start in [standard, late.expect("a FEN"), chess960.expect("a FEN")] {
            let mv = start.parse_move("e4").expect("legal");
            corpus.push(start, &[mv], Facts::default(), None);
        }
        assert_eq!(corpus.move_phases(2), [0, 1, 0]);
        assert!([0, 1, 2].map(|game| corpus.start(game).mode().is_chess960()) == [false, false, true]);
        assert_eq!(corpus.start(1).position().halfmoves(), 3);
    }
}
