//! PGN games for Python. Games are read in batches without the interpreter lock; only a Python file object takes it.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, Read},
    path::PathBuf,
};

use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    sync::PyOnceLock,
    types::{PyBytes, PyDict, PyList, PyString},
};
use shakmaty::CastlingMode;

use crate::chess::pgn;

/// Bytes asked of a Python file object at a time.
const CHUNK: usize = 1 << 20;
/// The first batch is small so that the first game comes at once; each batch after it is twice as large.
const FIRST_BATCH: usize = 4;
pub(super) const LARGEST_BATCH: usize = 256;
/// A batch ends when its games, however many, have this many bytes of text.
const BATCH_BYTES: usize = 1 << 20;
/// The most messages about skipped games that are kept.
const MESSAGES: usize = 100;

type Source = Box<dyn Read + Send + Sync>;
type Item = Result<pgn::PgnGame, pgn::BrokenGame>;

/// Reads from a binary Python file object by its method `read(n)`.
struct FileObject {
    object: Py<PyAny>,
    chunk: Option<Py<PyBytes>>,
    /// Bytes of the chunk that were handed on.
    used: usize,
}

impl Read for FileObject {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            if self.chunk.as_ref().is_none_or(|chunk| self.used >= chunk.as_bytes(py).len()) {
                py.check_signals()?;
                let chunk = self.object.bind(py).call_method1("read", (CHUNK,))?;
                let chunk = chunk.cast_into::<PyBytes>().map_err(|error| {
                    let name = error
                        .into_inner()
                        .get_type()
                        .name()
                        .map_or_else(|_| "?".into(), |name| name.to_string());
                    PyTypeError::new_err(format!(
                        "read() of a PGN source returned {name}, needs bytes: open it in binary mode"
                    ))
                })?;
                (self.chunk, self.used) = (Some(chunk.unbind()), 0);
            }
            let bytes = self.chunk.as_ref().map_or(&[][..], |chunk| &chunk.as_bytes(py)[self.used..]);
            let count = bytes.len().min(buffer.len());
            buffer[..count].copy_from_slice(&bytes[..count]);
            self.used += count;
            Ok(count)
        })
    }
}

pub(super) fn open(source: &Bound<'_, PyAny>) -> PyResult<Source> {
    if source.hasattr("read")? {
        return Ok(Box::new(FileObject { object: source.clone().unbind(), chunk: None, used: 0 }));
    }
    let path: PathBuf = source.extract().map_err(|_| {
        let name = source.get_type().name().map_or_else(|_| "?".into(), |name| name.to_string());
        PyTypeError::new_err(format!("a PGN source is a path or a binary file object, not {name}"))
    })?;
    Ok(Box::new(File::open(path)?))
}

/// One game of a PGN source, replayed to its last move.
#[pyclass(frozen, module = "foible._core")]
pub struct PgnGame {
    game: pgn::PgnGame,
    tags: PyOnceLock<Py<PyDict>>,
    moves: PyOnceLock<Py<PyList>>,
    comments: PyOnceLock<Option<Py<PyList>>>,
}

#[pymethods]
impl PgnGame {
    /// The number of the game in its source, from 1; skipped games are counted too.
    #[getter]
    fn number(&self) -> u64 {
        self.game.number
    }

    /// The tags in the order of the file; a tag that comes twice has its last value. Text that is not UTF-8
    /// is read as Latin-1.
    #[getter]
    fn tags(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        let tags = self.tags.get_or_try_init(py, || -> PyResult<_> {
            let tags = PyDict::new(py);
            for (name, value) in &self.game.tags {
                tags.set_item(name, value)?;
            }
            Ok(tags.unbind())
        })?;
        Ok(tags.clone_ref(py))
    }

    /// The FEN tag, if any: `ChessPosition(start_fen, moves, chess960=chess960)` is the last position.
    #[getter]
    fn start_fen(&self) -> Option<&str> {
        self.game.start_fen.as_deref()
    }

    /// Whether the game is Chess960, by the Variant tag or by castling rights that standard chess does not
    /// have.
    #[getter]
    fn chess960(&self) -> bool {
        self.game.mode == CastlingMode::Chess960
    }

    /// The main line in UCI; castling is `e1g1` in standard chess, king takes rook in Chess960.
    #[getter]
    fn moves(&self, py: Python<'_>) -> PyResult<Py<PyList>> {
        let moves = self.moves.get_or_try_init(py, || {
            let mut name = String::new();
            let names: Vec<_> = self
                .game
                .uci_moves()
                .map(|mv| {
                    name.clear();
                    mv.append_to_string(&mut name);
                    PyString::new(py, &name)
                })
                .collect();
            PyList::new(py, names).map(Bound::unbind)
        })?;
        Ok(moves.clone_ref(py))
    }

    /// The result by the Result tag, or by the end of the movetext where the tag names none.
    #[getter]
    fn result(&self) -> &'static str {
        self.game.result
    }

    /// Per move, the `{}` comments after it joined by a space; `None` when comments were not asked for.
    #[getter]
    fn comments(&self, py: Python<'_>) -> PyResult<Option<Py<PyList>>> {
        let comments = self.comments.get_or_try_init(py, || {
            self.game.comments.as_ref().map(|all| PyList::new(py, all).map(Bound::unbind)).transpose()
        })?;
        Ok(comments.as_ref().map(|list| list.clone_ref(py)))
    }

    fn __repr__(&self) -> String {
        format!("<PgnGame {}: {} plies, {}>", self.game.number, self.game.moves.len(), self.game.result)
    }
}

/// An iterator over the games of a PGN source: a path, or a binary file object that is read to its end.
///
/// A game that cannot be replayed is skipped: it has an illegal, ambiguous or unreadable move, a bad FEN,
/// another variant, a comment that is never closed, or more than 16 MiB of text. Only one thread at a time
/// may use a reader. `comments`: whether the comments of the main line are kept.
///
/// :raises OSError: the file cannot be opened or read; errors that a file object raises are passed on.
#[pyclass(module = "foible._core")]
pub struct PgnReader {
    /// `None` once the end of the source or an error was met.
    reader: Option<pgn::GameReader<Source>>,
    ready: VecDeque<Item>,
    batch: usize,
    failure: Option<io::Error>,
    skipped: u64,
    errors: Vec<String>,
}

impl PgnReader {
    fn read_batch(&mut self) {
        let Some(reader) = &mut self.reader else { return };
        let mut bytes = 0;
        while self.ready.len() < self.batch && bytes < BATCH_BYTES {
            match reader.next_game() {
                Ok(Some(item)) => {
                    self.ready.push_back(item);
                    bytes += reader.game_bytes();
                }
                Ok(None) => {
                    self.reader = None;
                    return;
                }
                Err(error) => {
                    self.failure = Some(error);
                    self.reader = None;
                    return;
                }
            }
        }
        self.batch = (self.batch * 2).min(LARGEST_BATCH);
    }
}

#[pymethods]
impl PgnReader {
    #[new]
    #[pyo3(signature = (source, *, comments = false))]
    fn new(source: &Bound<'_, PyAny>, comments: bool) -> PyResult<PgnReader> {
        Ok(PgnReader {
            reader: Some(pgn::GameReader::new(open(source)?, comments)),
            ready: VecDeque::new(),
            batch: FIRST_BATCH,
            failure: None,
            skipped: 0,
            errors: Vec::new(),
        })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<PgnGame>> {
        loop {
            match self.ready.pop_front() {
                Some(Ok(game)) => {
                    return Ok(Some(PgnGame {
                        game,
                        tags: PyOnceLock::new(),
                        moves: PyOnceLock::new(),
                        comments: PyOnceLock::new(),
                    }));
                }
                Some(Err(broken)) => {
                    self.skipped += 1;
                    if self.errors.len() < MESSAGES {
                        self.errors.push(broken.to_string());
                    }
                }
                None if self.reader.is_some() => {
                    py.check_signals()?;
                    py.detach(|| self.read_batch());
                }
                None => return self.failure.take().map_or(Ok(None), |error| Err(error.into())),
            }
        }
    }

    /// Games skipped so far.
    #[getter]
    fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Messages that say why games were skipped, for the first 100, such as
    /// `game 17, move 23 (black): illegal move Nf6 (line 340)`.
    #[getter]
    fn errors(&self) -> Vec<String> {
        self.errors.clone()
    }
}

/// Replays a PGN source and counts its games, their plies, and the games skipped.
///
/// :raises OSError: the file cannot be opened or read; errors that a file object raises are passed on.
#[pyfunction]
pub fn count_positions(py: Python<'_>, source: &Bound<'_, PyAny>) -> PyResult<(u64, u64, u64)> {
    let mut reader = pgn::GameReader::new(open(source)?, false);
    let (mut games, mut plies, mut skipped) = (0, 0, 0);
    loop {
        py.check_signals()?;
        let more = py.detach(|| -> io::Result<bool> {
            for _ in 0..LARGEST_BATCH {
                match reader.next_game()? {
                    Some(Ok(game)) => {
                        games += 1;
                        plies += game.moves.len() as u64;
                    }
                    Some(Err(_)) => skipped += 1,
                    None => return Ok(false),
                }
            }
            Ok(true)
        })?;
        if !more {
            return Ok((games, plies, skipped));
        }
    }
}
