//! What Python is told of the root of a search.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::search;

/// What a search found of one move, for the side to move at the root.
#[pyclass(frozen, get_all, module = "foible._core")]
pub struct RootMove {
    /// In UCI, or a GTP vertex.
    r#move: String,
    /// Finished visits.
    n: u32,
    /// The visits that speak for the move: all in an ordinary search, else those that no model forced.
    ///
    /// All the same where models forced every one. With `BrainHand` at the root all visits of a piece type
    /// speak for the hand's most probable move of it, which stands for the type.
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
    /// Winrate and margin after the move, in a search by margins where it was visited.
    score: Option<Score>,
}

/// What a search by margins found, for the side to move at the root.
#[pyclass(frozen, get_all, module = "foible._core")]
#[derive(Clone, Copy)]
pub struct Score {
    /// Mean winrate at the game's komi, 0 to 1, whatever the bonus.
    winrate: f64,
    /// Mean margin after komi, in points.
    margin: f64,
}

impl From<search::Score> for Score {
    fn from(search::Score { winrate, margin }: search::Score) -> Score {
        Score { winrate, margin }
    }
}

/// What the net says of the root of a search by margins, for the side to move.
#[pyclass(frozen, get_all, module = "foible._core")]
#[derive(Clone, Copy)]
pub struct Decided {
    /// Expected margin on the board, without komi, in points.
    alpha: f64,
    /// Steepness of the winrate, per point.
    beta: f64,
    /// Virtual bonus points, of mu and of lambda.
    interval: (f64, f64),
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
    /// Made when they are first asked for: of most searches only the value and the best move are.
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

    /// Mean winrate and margin, in a search by margins.
    #[getter]
    fn score(&self) -> Option<Score> {
        self.found.score.map(Score::from)
    }

    /// What the net says of the root and which bonus follows, in a search by margins.
    #[getter]
    fn decided(&self) -> Option<Decided> {
        self.found.decided.map(Decided::from)
    }

    /// All legal moves as a player ranks them: proven wins, then by votes, value and prior, proven losses
    /// last.
    #[getter]
    fn moves(&self, py: Python<'_>) -> PyResult<Vec<Py<RootMove>>> {
        let make = || self.found.moves.iter().map(|found| Py::new(py, RootMove::from(found))).collect();
        let moves = self.moves.get_or_try_init(py, make)?;
        Ok(moves.iter().map(|found| found.clone_ref(py)).collect())
    }

    /// The first of `moves`, by its name; `None` where the root was not evaluated.
    #[getter]
    fn best(&self) -> Option<&str> {
        self.found.moves.first().map(|found| found.name.as_str())
    }
}
