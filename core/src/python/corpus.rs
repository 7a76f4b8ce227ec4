//! Training games for Python: results, labels and encoded positions as arrays.

use numpy::{
    Element, IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use shakmaty::uci::UciMove;

use super::any_game::moves;
use super::batch::{check_encoding_shows, move_phases, parse, shaped};
use super::numbers::{array, below, whole, whole_or_none};
use super::pgn::{LARGEST_BATCH, open};
use super::position::ChessPosition;
use super::{MoveError, PositionError};
use crate::chess::corpus::{Corpus as Games, Facts, Samples, points};
use crate::chess::packed_move::squares;
use crate::chess::pgn::GameReader;
use crate::chess::phase::Table;
use crate::chess::{ChessGame, Encoding};
use crate::game::{Game, Move};
use crate::quote::quoted;

/// Chess games in memory, packed: G games with P plies in all, some three bytes a ply.
///
/// A row, 0…P − 1, is the number of the position before a ply: game after game, ply after ply. `len(corpus)`
/// is G. A new corpus is empty.
#[pyclass(module = "foible._core")]
#[derive(Default)]
pub struct Corpus {
    games: Games,
}

/// N positions of a corpus as a net sees them, with C input planes.
#[pyclass(frozen, get_all, module = "foible._core")]
pub struct Encoded {
    /// `[N, C]`: bit boards; bit 0 is a1 of the board as the net sees it.
    masks: Py<PyArray2<u64>>,
    /// `[N, C]`: the value of the set bits of each plane.
    values: Py<PyArray2<f32>>,
    /// `[N]`: the index of the move that was played in the net's policy output.
    policy: Py<PyArray1<i64>>,
}

#[pymethods]
impl Corpus {
    #[new]
    fn new() -> Corpus {
        Corpus::default()
    }

    fn __len__(&self) -> usize {
        self.games.games()
    }

    /// Append the games of a PGN source, at most `games` of them; returns how many were appended and how many
    /// were skipped because they are broken or have no moves or no result. `evals` keeps the `[%eval …]`
    /// comments.
    ///
    /// :raises OSError: the file cannot be opened or read; errors that a file object raises are passed on.
    /// :raises FoibleError: `games` is below 0.
    #[pyo3(signature = (source, *, evals = false, games = None))]
    fn read(
        &mut self,
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        evals: bool,
        #[pyo3(from_py_with = whole_or_none)] games: Option<usize>,
    ) -> PyResult<(usize, usize)> {
        let mut reader = GameReader::new(open(source)?, evals);
        if evals {
            self.games.keep_evals();
        }
        let before = self.games.games();
        let (most, mut skipped, mut more) = (games.unwrap_or(usize::MAX), 0, true);
        while more && self.games.games() - before < most {
            py.check_signals()?;
            let corpus = &mut self.games;
            more = py.detach(|| -> std::io::Result<bool> {
                for _ in 0..LARGEST_BATCH.min(most - (corpus.games() - before)) {
                    match reader.next_game()? {
                        Some(Ok(game)) if corpus.push_pgn(&game) => {}
                        Some(_) => skipped += 1,
                        None => return Ok(false),
                    }
                }
                Ok(true)
            })?;
        }
        Ok((self.games.games() - before, skipped))
    }

    /// Append one game, with its moves in UCI or SAN. A rating of 0 stands for an unknown one.
    ///
    /// :raises PositionError: the FEN is not valid, the result is not one of the three, there is no move, or a
    ///     rating is not 0 to 32767.
    /// :raises MoveError: a move is not legal.
    #[pyo3(signature = (moves, result, *, start_fen = None, chess960 = false, white_elo = 0, black_elo = 0))]
    #[allow(clippy::too_many_arguments)] // the facts of a game
    fn add(
        &mut self,
        #[pyo3(from_py_with = moves)] moves: Vec<String>,
        result: &str,
        start_fen: Option<&str>,
        chess960: bool,
        #[pyo3(from_py_with = rating)] white_elo: i16,
        #[pyo3(from_py_with = rating)] black_elo: i16,
    ) -> PyResult<()> {
        let result = points(result).ok_or_else(|| {
            PositionError::new_err(format!("result {}, expected 1-0, 1/2-1/2 or 0-1", quoted(result)))
        })?;
        let start = ChessGame::start(start_fen, chess960).map_err(|error| PositionError::new_err(error.0))?;
        if moves.is_empty() {
            return Err(PositionError::new_err("a game without moves, expected at least one"));
        }
        let mut game = start.clone();
        for (index, text) in moves.iter().enumerate() {
            let mv = game
                .parse_move(text)
                .map_err(|error| MoveError::new_err(format!("move {}: {error}", index + 1)))?;
            game.play(mv);
        }
        let facts = Facts { result, players: [0; 2], ratings: [white_elo, black_elo], clock: [-1, -1] };
        self.games.push(start, game.moves(), facts, None);
        Ok(())
    }

    /// `[G + 1]`: the rows of game g are `offsets[g]` to `offsets[g + 1] − 1`.
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.games.offsets().iter().map(|&offset| offset as i64).collect::<Vec<_>>().into_pyarray(py)
    }

    /// `[G]`: 1 White won, 0 draw, −1 Black won.
    #[getter]
    fn results<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        self.games.facts().iter().map(|facts| facts.result).collect::<Vec<_>>().into_pyarray(py)
    }

    /// The names of the players of all games of PGN sources, each once. The first is empty: it stands for a name
    /// that a game does not tell.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.games.names().iter().map(|name| &**name).collect()
    }

    /// `[G, 2]`: the places of White's and Black's names in `names`.
    #[getter]
    fn players<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        pairs(py, self.games.facts().iter().flat_map(|facts| facts.players).collect())
    }

    /// `[G, 2]`: the ratings of White and Black, 0 where the game does not say.
    #[getter]
    fn ratings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i16>>> {
        pairs(py, self.games.facts().iter().flat_map(|facts| facts.ratings).collect())
    }

    /// `[G, 2]`: base time and increment in seconds, −1 where the game does not say.
    #[getter]
    fn clocks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i32>>> {
        pairs(py, self.games.facts().iter().flat_map(|facts| facts.clock).collect())
    }

    /// `[P]`: whether White is to move.
    #[getter]
    fn white<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.games.white().collect::<Vec<_>>().into_pyarray(py)
    }

    /// `[P]`: the evaluation of the position in centipawns from White's view, ±(32000 − n) for mate in n,
    /// −32768 where there is none; `None` when no source was read with `evals`. The evaluation in a comment
    /// belongs to the position after its move.
    #[getter]
    fn evals<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<i16>>> {
        self.games.evals().map(|evals| PyArray1::from_slice(py, evals))
    }

    /// `[P]`: 0 opening, 1 middlegame, 2 endgame (phase-experts §1.2).
    ///
    /// :raises FoibleError: the table is unknown.
    #[pyo3(signature = (table = "current"))]
    fn phases<'py>(&self, py: Python<'py>, table: &str) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let table: Table = parse(table)?;
        Ok(self.games.phases(table).collect::<Vec<_>>().into_pyarray(py))
    }

    /// `[P]`: the phase 0…k − 1 by the move counter, k from 1 to 5 (phase-experts §1.5).
    ///
    /// :raises FoibleError: k is outside 1 to 5.
    fn move_phases<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole)] k: usize,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        Ok(self.games.move_phases(move_phases(k)?).into_pyarray(py))
    }

    /// The moves of one game in UCI.
    ///
    /// :raises PositionError: the game is outside 0…G − 1.
    fn moves(&self, game: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        let games = self.games.games();
        let game =
            below(game, games)?.ok_or_else(|| PositionError::new_err(format!("game {game} of {games}")))?;
        let mut position = self.games.start(game);
        self.games.moves(game).iter().for_each(|&mv| position.play(mv));
        Ok((0..position.moves().len()).map(|index| position.played_name(index)).collect())
    }

    /// Encode N positions: the net input, and the policy index of the move that was played. `rows` `[N]`: any
    /// rows, in any order. The result does not depend on `threads`.
    ///
    /// :raises FoibleError: the encoding is unknown.
    /// :raises PositionError: a row is outside 0…P − 1, or the encoding cannot show it: Maia's nets know no
    ///     castling as in Chess960.
    #[pyo3(signature = (rows, *, encoding = "lc0", threads = 1))]
    fn encode(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = array)] rows: PyReadonlyArray1<'_, i64>,
        encoding: &str,
        #[pyo3(from_py_with = whole)] threads: usize,
    ) -> PyResult<Encoded> {
        let encoding: Encoding = parse(encoding)?;
        let rows = self.rows(&rows)?;
        self.check_shown(py, &rows, encoding)?;
        let planes = encoding.planes();
        let (masks, values, policy) = py.detach(|| {
            let mut masks = vec![0; rows.len() * planes];
            let mut values = vec![0.0; rows.len() * planes];
            let mut policy = vec![0; rows.len()];
            let out = Samples { masks: &mut masks, values: &mut values, policy: &mut policy };
            self.games.encode(&rows, encoding, threads, out);
            (masks, values, policy)
        });
        Ok(Encoded {
            masks: shaped(py, masks, planes)?.unbind(),
            values: shaped(py, values, planes)?.unbind(),
            policy: policy.into_pyarray(py).unbind(),
        })
    }

    /// The positions of N rows `[N]`, each with its history.
    ///
    /// :raises PositionError: a row is outside 0…P − 1.
    fn positions(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = array)] rows: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Vec<ChessPosition>> {
        let rows = self.rows(&rows)?;
        Ok(py.detach(|| self.games.positions(&rows)).into_iter().map(|game| ChessPosition { game }).collect())
    }

    /// `[N]` rows → `[N]`: the `key` of each position, a hash of all that an evaluation may depend on.
    ///
    /// :raises PositionError: a row is outside 0…P − 1.
    fn keys<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = array)] rows: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let rows = self.rows(&rows)?;
        Ok(py.detach(|| self.games.keys(&rows)).into_pyarray(py))
    }

    /// `[K]`: the indices of K moves of N rows in a net's policy output. `offsets` `[N + 1]`: the moves of
    /// row `rows[i]` are `moves[offsets[i]]` to `moves[offsets[i + 1] − 1]`. `moves` `[K]`: as UCI writes
    /// them, coded as from-square + 64 · to-square + 4096 · promotion; 0 is a1, 1 b1, …, and promotion 1 to 4
    /// is knight, bishop, rook, queen.
    ///
    /// :raises FoibleError: the encoding is unknown.
    /// :raises PositionError: a row is outside 0…P − 1, the encoding cannot show it, or the offsets do not
    ///     divide the moves among the rows.
    /// :raises MoveError: a move is not legal in its row.
    #[pyo3(signature = (rows, offsets, moves, *, encoding = "lc0"))]
    fn policy_indices<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = array)] rows: PyReadonlyArray1<'_, i64>,
        #[pyo3(from_py_with = array)] offsets: PyReadonlyArray1<'_, i64>,
        #[pyo3(from_py_with = array)] moves: PyReadonlyArray1<'_, u16>,
        encoding: &str,
    ) -> PyResult<Bound<'py, PyArray1<u16>>> {
        let encoding: Encoding = parse(encoding)?;
        let rows = self.rows(&rows)?;
        self.check_shown(py, &rows, encoding)?;
        let offsets: Option<Vec<_>> =
            items(&offsets)?.into_iter().map(|at| usize::try_from(at).ok()).collect();
        let moves = items(&moves)?.into_iter().map(uci).collect::<PyResult<Vec<_>>>()?;
        let offsets = offsets.filter(|ends| {
            ends.len() == rows.len() + 1
                && ends.is_sorted()
                && ends[0] == 0
                && ends[rows.len()] == moves.len()
        });
        let Some(offsets) = offsets else {
            let (n, k) = (rows.len(), moves.len());
            return Err(PositionError::new_err(format!("offsets do not divide {k} moves among {n} rows")));
        };
        let found = py.detach(|| self.games.policy_indices(&rows, &offsets, &moves, encoding));
        let found = found.map_err(|(i, error)| MoveError::new_err(format!("row {}: {error}", rows[i])))?;
        Ok(found.into_pyarray(py))
    }
}

impl Corpus {
    fn rows(&self, rows: &PyReadonlyArray1<'_, i64>) -> PyResult<Vec<usize>> {
        let total = self.games.rows();
        let inside = |row: i64| usize::try_from(row).ok().filter(|&row| row < total).ok_or(row);
        let found: Result<Vec<_>, _> = items(rows)?.into_iter().map(inside).collect();
        found.map_err(|row| PositionError::new_err(format!("row {row} of a corpus of {total}")))
    }

    /// Refuses an encoding that cannot show a row.
    fn check_shown(&self, py: Python<'_>, rows: &[usize], encoding: Encoding) -> PyResult<()> {
        if encoding.shows_all() {
            return Ok(());
        }
        let unshown = py.detach(|| self.games.unshown(rows, encoding));
        check_encoding_shows(&unshown, encoding)
    }
}

/// The items of an array, whatever its strides. Unaligned ones, as of an array cut out of a file at an odd place, Rust
/// cannot read where they are.
fn items<T: Element + Copy>(array: &PyReadonlyArray1<'_, T>) -> PyResult<Vec<T>> {
    if array.is_aligned() {
        return Ok(array.as_array().to_vec());
    }
    let copy = array.call_method0("copy")?.cast_into::<PyArray1<T>>()?;
    Ok(copy.readonly().as_array().to_vec())
}

/// The UCI move of a 16-bit code.
fn uci(code: u16) -> PyResult<UciMove> {
    if code >> 12 > 4 {
        return Err(MoveError::new_err(format!("move {code}: promotion {}; expected 0 to 4", code >> 12)));
    }
    let (from, to, promotion) = squares(Move(code));
    Ok(UciMove::Normal { from, to, promotion })
}

fn pairs<T: Element>(py: Python<'_>, data: Vec<T>) -> PyResult<Bound<'_, PyArray2<T>>> {
    shaped(py, data, 2)
}

fn rating(elo: &Bound<'_, PyAny>) -> PyResult<i16> {
    let found = below(elo, 1 + i16::MAX as usize)?.ok_or_else(|| {
        PositionError::new_err(format!("rating {elo}: expected 0 to {}, 0 where it is unknown", i16::MAX))
    })?;
    Ok(found as i16)
}
