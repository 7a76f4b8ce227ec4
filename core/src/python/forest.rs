//! The search forest as Python drives it: gather, evaluate, scatter.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use super::batch::{AnyGame, AnyLeaves, Batch};
use super::params::PyParams;
use super::rules::{Seat, rule};
use super::{EvaluationError, FoibleError, MemoryLimitError, MoveError};
use crate::batch::Leaves;
use crate::chess::ChessGame;
use crate::game::{Game, Move};
use crate::go::GoGame;
use crate::search::{self, Answer, SearchParams, Seats, Temperature, TreeId};

#[pyclass(frozen, get_all, module = "foible._core")]
pub struct RootMove {
    r#move: String,
    n: u32,
    votes: u32,
    q: f64,
    d: f64,
    m: f64,
    prior: f32,
    proven: Option<i8>,
    score: Option<Score>,
}

/// Means of a search by margins.
#[pyclass(frozen, get_all, module = "foible._core")]
#[derive(Clone, Copy)]
pub struct Score {
    winrate: f64,
    margin: f64,
}

impl From<search::Score> for Score {
    fn from(search::Score { winrate, margin }: search::Score) -> Score {
        Score { winrate, margin }
    }
}

/// The net's word on the root of a search by margins.
#[pyclass(frozen, get_all, module = "foible._core")]
#[derive(Clone, Copy)]
pub struct Decided {
    alpha: f64,
    beta: f64,
    interval: (f64, f64),
}

impl From<search::Decided> for Decided {
    fn from(search::Decided { alpha, beta, interval: [from, to] }: search::Decided) -> Decided {
        Decided { alpha, beta, interval: (from, to) }
    }
}

#[pyclass(frozen, get_all, module = "foible._core")]
pub struct RootSummary {
    n: u32,
    q: f64,
    d: f64,
    m: f64,
    score: Option<Score>,
    decided: Option<Decided>,
    moves: Vec<Py<RootMove>>,
}

/// Leaves that wait for their evaluation.
#[pyclass(frozen, module = "foible._core")]
pub struct Request {
    batches: Vec<AnyLeaves>,
    leaves: usize,
    /// The request of the forest's own game; empty once it was answered.
    inner: Mutex<Option<Box<dyn Any + Send>>>,
}

#[pymethods]
impl Request {
    /// One batch for each evaluator, `None` where that evaluator has nothing to do.
    #[getter]
    fn batches(&self) -> Vec<Option<Batch>> {
        let batch =
            |leaves: &AnyLeaves| Some(Batch { leaves: leaves.clone() }).filter(|batch| !batch.is_empty());
        self.batches.iter().map(batch).collect()
    }

    /// Leaves that wait, those whose evaluation is cached included.
    fn __len__(&self) -> usize {
        self.leaves
    }
}

/// Logits, win-draw-loss, moves left, margins.
type PyAnswer<'py> = (
    PyReadonlyArray1<'py, f32>,
    PyReadonlyArray2<'py, f32>,
    Option<PyReadonlyArray1<'py, f32>>,
    Option<PyReadonlyArray2<'py, f32>>,
);

/// A forest whose game is not known to the type.
trait AnyForest: Send {
    fn add(&mut self, game: AnyGame, nodes: u32, seed: u64, only: Option<&[String]>) -> PyResult<TreeId>;
    fn remove(&mut self, tree: TreeId) -> PyResult<()>;
    fn set_nodes(&mut self, tree: TreeId, nodes: u32) -> PyResult<()>;
    fn is_done(&self, tree: TreeId) -> PyResult<bool>;
    fn advance(&mut self, tree: TreeId, name: &str, keep: bool) -> PyResult<()>;
    fn gather(&mut self, n: usize) -> PyResult<(Vec<AnyLeaves>, usize, Box<dyn Any + Send>)>;
    fn scatter(&mut self, request: Box<dyn Any + Send>, answers: &[Answer<'_>]) -> PyResult<()>;
    fn withdraw(&mut self, request: Box<dyn Any + Send>);
    fn summary(&self, tree: TreeId) -> PyResult<search::RootSummary>;
    fn choose(&self, tree: TreeId, temperature: Temperature, seed: u64) -> PyResult<Option<String>>;
    fn line(&self, tree: TreeId, first: Option<&str>) -> PyResult<Vec<String>>;
    fn size(&self) -> (usize, usize, usize);
    fn cached(&self) -> usize;
    fn growing(&self) -> bool;
}

/// What a game adds to be searched from Python.
trait PyGame: Game {
    fn take(game: AnyGame) -> Option<Self>;
    fn wrap(leaves: Arc<Leaves<Self>>) -> AnyLeaves;
    fn parse(&self, name: &str) -> PyResult<Move>;
}

impl PyGame for ChessGame {
    fn take(game: AnyGame) -> Option<ChessGame> {
        if let AnyGame::Chess(game) = game { Some(game) } else { None }
    }

    fn wrap(leaves: Arc<Leaves<ChessGame>>) -> AnyLeaves {
        AnyLeaves::Chess(leaves)
    }

    fn parse(&self, name: &str) -> PyResult<Move> {
        self.parse_move(name).map_err(|error| MoveError::new_err(error.to_string()))
    }
}

impl PyGame for GoGame {
    fn take(game: AnyGame) -> Option<GoGame> {
        if let AnyGame::Go(game) = game { Some(game) } else { None }
    }

    fn wrap(leaves: Arc<Leaves<GoGame>>) -> AnyLeaves {
        AnyLeaves::Go(leaves)
    }

    fn parse(&self, name: &str) -> PyResult<Move> {
        self.parse_move(name).ok_or_else(|| {
            let size = self.size();
            MoveError::new_err(format!(
                "{name:?} is no vertex of a {size}×{size} board: expected e.g. D4 or pass"
            ))
        })
    }
}

fn raise(error: search::ForestError) -> PyErr {
    let text = error.to_string();
    match error {
        search::ForestError::Memory { .. } => MemoryLimitError::new_err(text),
        search::ForestError::IllegalMove(_) => MoveError::new_err(text),
        search::ForestError::Evaluation(_) => EvaluationError::new_err(text),
        _ => FoibleError::new_err(text),
    }
}

impl<G: PyGame> AnyForest for search::Forest<G> {
    fn add(&mut self, game: AnyGame, nodes: u32, seed: u64, only: Option<&[String]>) -> PyResult<TreeId> {
        let game =
            G::take(game).ok_or_else(|| FoibleError::new_err("a forest holds trees of one game only"))?;
        let moves = only
            .map(|names| names.iter().map(|name| game.parse(name)).collect::<PyResult<_>>())
            .transpose()?;
        search::Forest::add(self, game, nodes, seed, moves).map_err(raise)
    }

    fn remove(&mut self, tree: TreeId) -> PyResult<()> {
        search::Forest::remove(self, tree).map_err(raise)
    }

    fn set_nodes(&mut self, tree: TreeId, nodes: u32) -> PyResult<()> {
        self.set_limit(tree, nodes).map_err(raise)
    }

    fn is_done(&self, tree: TreeId) -> PyResult<bool> {
        search::Forest::is_done(self, tree).map_err(raise)
    }

    fn advance(&mut self, tree: TreeId, name: &str, keep: bool) -> PyResult<()> {
        let mv = self.game(tree).map_err(raise)?.parse(name)?;
        search::Forest::advance(self, tree, mv, keep).map_err(raise)
    }

    fn gather(&mut self, n: usize) -> PyResult<(Vec<AnyLeaves>, usize, Box<dyn Any + Send>)> {
        let request = search::Forest::gather(self, n).map_err(raise)?;
        let batches = request.batches.iter().map(|leaves| G::wrap(leaves.clone())).collect();
        Ok((batches, request.leaves(), Box::new(request)))
    }

    fn scatter(&mut self, request: Box<dyn Any + Send>, answers: &[Answer<'_>]) -> PyResult<()> {
        match request.downcast::<search::Request<G>>() {
            Ok(request) => search::Forest::scatter(self, *request, answers).map_err(raise),
            Err(_) => Err(raise(search::ForestError::OtherForest)),
        }
    }

    fn withdraw(&mut self, request: Box<dyn Any + Send>) {
        if let Ok(request) = request.downcast::<search::Request<G>>() {
            search::Forest::withdraw(self, *request);
        }
    }

    fn summary(&self, tree: TreeId) -> PyResult<search::RootSummary> {
        search::Forest::summary(self, tree).map_err(raise)
    }

    fn choose(&self, tree: TreeId, temperature: Temperature, seed: u64) -> PyResult<Option<String>> {
        search::Forest::choose(self, tree, temperature, seed).map_err(raise)
    }

    fn line(&self, tree: TreeId, first: Option<&str>) -> PyResult<Vec<String>> {
        let first = first.map(|name| self.game(tree).map_err(raise)?.parse(name)).transpose()?;
        search::Forest::line(self, tree, first).map_err(raise)
    }

    fn size(&self) -> (usize, usize, usize) {
        search::Forest::size(self)
    }

    fn cached(&self) -> usize {
        search::Forest::cached(self)
    }

    fn growing(&self) -> bool {
        search::Forest::growing(self)
    }
}

/// Search trees that share evaluations.
#[pyclass(frozen, module = "foible._core")]
pub struct Forest {
    inner: Mutex<Box<dyn AnyForest>>,
    evaluators: usize,
}

impl Forest {
    fn lock(&self) -> MutexGuard<'_, Box<dyn AnyForest>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Forest {
    #[new]
    #[pyo3(signature = (params, ours, theirs, *, root=None, game="chess"))]
    fn new(
        py: Python<'_>,
        params: PyParams,
        ours: &Seat,
        theirs: &Seat,
        root: Option<Bound<'_, PyAny>>,
        game: &str,
    ) -> PyResult<Forest> {
        let root = root.map(|object| rule(&object)).transpose()?;
        let seats = Seats::new(ours.build(py)?, theirs.build(py)?, root);
        let evaluators = seats.evaluators();
        let params = SearchParams::from(params);
        let inner: Box<dyn AnyForest> = match game {
            "chess" => Box::new(search::Forest::<ChessGame>::new(params, seats)),
            "go" => Box::new(search::Forest::<GoGame>::new(params, seats)),
            _ => return Err(FoibleError::new_err(format!("unknown game {game:?}: expected chess or go"))),
        };
        Ok(Forest { inner: Mutex::new(inner), evaluators })
    }

    #[getter]
    fn evaluators(&self) -> usize {
        self.evaluators
    }

    #[pyo3(signature = (position, nodes, seed=0, *, only=None))]
    fn add(&self, position: AnyGame, nodes: u32, seed: u64, only: Option<Vec<String>>) -> PyResult<TreeId> {
        if only.as_ref().is_some_and(Vec::is_empty) {
            return Err(MoveError::new_err("only = []: expected at least one legal move"));
        }
        self.lock().add(position, nodes, seed, only.as_deref())
    }

    fn remove(&self, tree: TreeId) -> PyResult<()> {
        self.lock().remove(tree)
    }

    fn set_nodes(&self, tree: TreeId, nodes: u32) -> PyResult<()> {
        self.lock().set_nodes(tree, nodes)
    }

    fn is_done(&self, tree: TreeId) -> PyResult<bool> {
        self.lock().is_done(tree)
    }

    #[pyo3(signature = (tree, r#move, *, keep))]
    fn advance(&self, py: Python<'_>, tree: TreeId, r#move: &str, keep: bool) -> PyResult<()> {
        py.detach(|| self.lock().advance(tree, r#move, keep))
    }

    fn gather(&self, py: Python<'_>, n: usize) -> PyResult<Request> {
        let (batches, leaves, inner) = py.detach(|| self.lock().gather(n))?;
        Ok(Request { batches, leaves, inner: Mutex::new(Some(inner)) })
    }

    fn scatter(&self, py: Python<'_>, request: &Request, answers: Vec<Option<PyAnswer<'_>>>) -> PyResult<()> {
        let inner = request.inner.lock().unwrap_or_else(PoisonError::into_inner).take();
        let inner = inner.ok_or_else(|| FoibleError::new_err("the request was answered before"))?;
        let mut parts = Vec::with_capacity(answers.len());
        for answer in &answers {
            let part = match answer {
                None => Ok(Answer { logits: &[], wdl: &[], moves_left: None, margins: None }),
                Some(arrays) => slices(arrays),
            };
            match part {
                Ok(part) => parts.push(part),
                Err(error) => {
                    self.lock().withdraw(inner);
                    return Err(error);
                }
            }
        }
        py.detach(|| self.lock().scatter(inner, &parts))
    }

    fn withdraw(&self, request: &Request) {
        if let Some(inner) = request.inner.lock().unwrap_or_else(PoisonError::into_inner).take() {
            self.lock().withdraw(inner);
        }
    }

    fn summary(&self, py: Python<'_>, tree: TreeId) -> PyResult<RootSummary> {
        let summary = self.lock().summary(tree)?;
        let wrap = |mv: search::RootMove| {
            let search::RootMove { name, n, votes, q, d, m, prior, proven, score } = mv;
            let score = score.map(Score::from);
            Py::new(py, RootMove { r#move: name, n, votes, q, d, m, prior, proven, score })
        };
        let search::RootSummary { n, q, d, m, score, decided, moves } = summary;
        let (score, decided) = (score.map(Score::from), decided.map(Decided::from));
        let moves = moves.into_iter().map(wrap).collect::<PyResult<_>>()?;
        Ok(RootSummary { n, q, d, m, score, decided, moves })
    }

    #[pyo3(signature = (tree, *, temperature=0.0, value_cutoff=1.0, visit_offset=0.0, seed=0))]
    fn choose(
        &self,
        tree: TreeId,
        temperature: f64,
        value_cutoff: f64,
        visit_offset: f64,
        seed: u64,
    ) -> PyResult<Option<String>> {
        // Q spans twice the range of a win probability.
        let temperature = Temperature { value: temperature, q_cutoff: 2.0 * value_cutoff, visit_offset };
        self.lock().choose(tree, temperature, seed)
    }

    #[pyo3(signature = (tree, first=None))]
    fn line(&self, tree: TreeId, first: Option<&str>) -> PyResult<Vec<String>> {
        self.lock().line(tree, first)
    }

    #[getter]
    fn size(&self) -> (usize, usize, usize) {
        self.lock().size()
    }

    #[getter]
    fn cached(&self) -> usize {
        self.lock().cached()
    }

    #[getter]
    fn growing(&self) -> bool {
        self.lock().growing()
    }
}

fn slices<'a>((logits, wdl, moves_left, margins): &'a PyAnswer<'_>) -> PyResult<Answer<'a>> {
    let error = || EvaluationError::new_err("bad evaluation: arrays must be C-contiguous");
    // `as_slice` takes Fortran order too, and would read it across the rows.
    if !wdl.is_c_contiguous() || margins.as_ref().is_some_and(|margins| !margins.is_c_contiguous()) {
        return Err(error());
    }
    Ok(Answer {
        logits: logits.as_slice().map_err(|_| error())?,
        wdl: wdl.as_slice().map_err(|_| error())?,
        moves_left: moves_left.as_ref().map(|m| m.as_slice().map_err(|_| error())).transpose()?,
        margins: margins.as_ref().map(|m| m.as_slice().map_err(|_| error())).transpose()?,
    })
}
