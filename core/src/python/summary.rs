//! The results of a search at its root, as Python objects.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::search;

/// A move of the root and what a search found about it, from the view of the side to move at the root.
#[pyclass(frozen, get_all, module = "foible._core")]
pub struct RootMove {
    /// The move, in UCI or as a GTP vertex.
    r#move: String,
    /// Finished visits.
    n: u32,
    /// The visits that count as evidence for the move: all in an ordinary search, else those that no model
    /// forced.
    ///
    /// Where models forced every visit, all count. With `BrainHand` at the root all visits of a piece type
    /// count for the hand's most probable move of that type, which stands for it.
    votes: u32,
    /// Mean win minus loss, −1 to 1, draws counted as the draw score; 0 when never visited.
    q: f64,
    /// Mean draw probability, 0 to 1; 0 when never visited.
    d: f64,
    /// Mean plies left, where the net knows them; 0 when never visited.
    m: f64,
    /// The evaluator's probability of the move, 0 to 1, after policy temperature and noise; 0 for a move
    /// known to lose.
    prior: f32,
    /// −1 a proven loss, 0 a proven draw, 1 a proven win; `None` where nothing is proven.
    proven: Option<i8>,
    /// Mean winrate and margin after the move; `None` unless the search is by margins and visited the move.
    score: Option<Score>,
}

#[pymethods]
impl RootMove {
    fn __repr__(&self) -> String {
        format!("RootMove({}, n={}, q={:+.3}, prior={:.3})", self.r#move, self.n, self.q, self.prior)
    }
}

/// The mean winrate and margin that a search by margins found, for the side to move at the root.
#[pyclass(frozen, get_all, module = "foible._core")]
#[derive(Clone, Copy)]
pub struct Score {
    /// Mean winrate at the game's komi, 0 to 1, whatever the bonus.
    winrate: f64,
    /// Mean margin after komi, in points.
    margin: f64,
}

#[pymethods]
impl Score {
    fn __repr__(&self) -> String {
        format!("Score(winrate={:.3}, margin={:+.1})", self.winrate, self.margin)
    }
}

impl From<search::Score> for Score {
    fn from(search::Score { winrate, margin }: search::Score) -> Score {
        Score { winrate, margin }
    }
}

/// The net's evaluation of the root in a search by margins, and the bonus that follows from it, for the side
/// to move.
#[pyclass(frozen, get_all, module = "foible._core")]
#[derive(Clone, Copy)]
pub struct Decided {
    /// Expected margin on the board, without komi, in points.
    alpha: f64,
    /// Steepness of the winrate, per point.
    beta: f64,
    /// The interval of virtual bonus points, from that of mu to that of lambda.
    interval: (f64, f64),
}

#[pymethods]
impl Decided {
    fn __repr__(&self) -> String {
        let (from, to) = self.interval;
        format!("Decided(alpha={:+.1}, beta={:.2}, interval=({from:.1}, {to:.1}))", self.alpha, self.beta)
    }
}

impl From<search::Decided> for Decided {
    fn from(search::Decided { alpha, beta, interval: [from, to] }: search::Decided) -> Decided {
        Decided { alpha, beta, interval: (from, to) }
    }
}

impl From<&search::RootMove> for RootMove {
    fn from(found: &search::RootMove) -> RootMove {
        let search::RootMove { name, n, votes, q, d, m, prior, proven, score } = found.clone();
        RootMove { r#move: name, n, votes, q, d, m, prior, proven, score: score.map(Score::from) }
    }
}

/// What a search found at its root, for the side to move.
#[pyclass(frozen, module = "foible._core")]
pub struct RootSummary {
    found: search::RootSummary,
    /// The moves, made when they are first asked for: most callers use only the value and the best move.
    moves: PyOnceLock<Vec<Py<RootMove>>>,
}

impl From<search::RootSummary> for RootSummary {
    fn from(found: search::RootSummary) -> RootSummary {
        RootSummary { found, moves: PyOnceLock::new() }
    }
}

#[pymethods]
impl RootSummary {
    /// Finished visits, the root's own evaluation included.
    #[getter]
    fn n(&self) -> u32 {
        self.found.n
    }

    /// Mean win minus loss, −1 to 1, draws counted as the draw score.
    #[getter]
    fn q(&self) -> f64 {
        self.found.q
    }

    /// Mean draw probability, 0 to 1.
    #[getter]
    fn d(&self) -> f64 {
        self.found.d
    }

    /// Mean plies left, where the net knows them.
    #[getter]
    fn m(&self) -> f64 {
        self.found.m
    }

    /// Mean winrate and margin in a search by margins; `None` in others.
    #[getter]
    fn score(&self) -> Option<Score> {
        self.found.score.map(Score::from)
    }

    /// The net's evaluation of the root and the bonus that follows from it, in a search by margins; `None` in
    /// others.
    #[getter]
    fn decided(&self) -> Option<Decided> {
        self.found.decided.map(Decided::from)
    }

    /// All moves of the root, unvisited ones included, as a player ranks them: proven wins first, then by
    /// votes, value and prior, proven losses last.
    #[getter]
    fn moves(&self, py: Python<'_>) -> PyResult<Vec<Py<RootMove>>> {
        let make = || self.found.moves.iter().map(|found| Py::new(py, RootMove::from(found))).collect();
        let moves = self.moves.get_or_try_init(py, make)?;
        Ok(moves.iter().map(|found| found.clone_ref(py)).collect())
    }

    /// The name of the first of `moves`; `None` where the root was not evaluated.
    #[getter]
    fn best(&self) -> Option<&str> {
        self.found.moves.first().map(|found| found.name.as_str())
    }

    fn __repr__(&self) -> String {
        format!("RootSummary(n={}, q={:+.3}, best={})", self.n(), self.q(), self.best().unwrap_or("None"))
    }
}
