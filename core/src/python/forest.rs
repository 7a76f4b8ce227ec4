//! The search forest as Python drives it: gather, evaluate, scatter.

use std::any::Any;
use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use super::any_forest::{AnyForest, forest_of};
use super::batch::{AnyGame, AnyLeaves, Batch};
use super::params::PyParams;
use super::rules::{Seat, freezes, rule};
use super::summary::RootSummary;
use super::{EvaluationError, FoibleError, MoveError};
use crate::search::{Answer, SearchParams, Seats, Temperature, TreeId};

/// Leaves that wait for their evaluation. Their trees wait with them until it is scattered or withdrawn.
///
/// `len(request)`: the leaves that wait, those whose evaluation is cached included.
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

/// Search trees that share evaluations. With `lanes = 1` each tree's course depends on itself alone.
///
/// A search asks, and takes answers back: `gather` walks down the trees and returns the positions that need
/// an evaluation, `scatter` brings the evaluations. Methods may be called from several threads: they take
/// turns.
///
/// `params`: a `SearchParams`. `ours` owns the plies of the side to move at the root, `theirs` the others.
/// `root`: the rule of the root itself, ours when absent: who moves now may be known as who moves later is
/// not. `game`: `chess` or `go`.
///
/// :raises FoibleError: the game is unknown; or `params` has `contempt_visits` and neither seat a
///     `FreezeAfter`.
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
        if let Some(visits) = params.contempt_visits
            && ![ours, theirs].iter().any(|seat| freezes(seat.rule.bind(py)))
        {
            return Err(FoibleError::new_err(format!(
                "contempt_visits = {visits}, but neither seat has the rule FreezeAfter: the search would ignore it. \
                 `seats(params)` makes the seats that it means; else set contempt_visits=None"
            )));
        }
        let root = root.map(|object| rule(&object)).transpose()?;
        let seats = Seats::new(ours.build(py)?, theirs.build(py)?, root);
        let evaluators = seats.evaluators();
        let inner = forest_of(game, SearchParams::from(params), seats)?;
        Ok(Forest { inner: Mutex::new(inner), evaluators })
    }

    /// How many evaluators the seats name: one more than the highest number.
    #[getter]
    fn evaluators(&self) -> usize {
        self.evaluators
    }

    /// Plant a tree that is done at `nodes` visits of its root; returns its number.
    ///
    /// `seed`: of all that the tree draws by chance. `only`: the moves of the root that are searched, all
    /// when absent.
    ///
    /// :raises FoibleError: the game is over, or another than the forest's; the board has another size than
    ///     that of the trees that stand.
    /// :raises MoveError: `only` is empty, or a move in it is not legal.
    #[pyo3(signature = (position, nodes, seed=0, *, only=None))]
    fn add(&self, position: AnyGame, nodes: u32, seed: u64, only: Option<Vec<String>>) -> PyResult<TreeId> {
        if only.as_ref().is_some_and(Vec::is_empty) {
            return Err(MoveError::new_err("only = []: expected at least one legal move"));
        }
        self.lock().add(position, nodes, seed, only.as_deref())
    }

    /// Fell a tree; evaluations under way for it are dropped when they arrive.
    ///
    /// :raises FoibleError: there is no such tree.
    fn remove(&self, tree: TreeId) -> PyResult<()> {
        self.lock().remove(tree)
    }

    /// Change the visits of its root at which a tree is done.
    ///
    /// :raises FoibleError: there is no such tree.
    fn set_nodes(&self, tree: TreeId, nodes: u32) -> PyResult<()> {
        self.lock().set_nodes(tree, nodes)
    }

    /// Whether a tree has its visits and waits for nothing.
    ///
    /// :raises FoibleError: there is no such tree.
    fn is_done(&self, tree: TreeId) -> PyResult<bool> {
        self.lock().is_done(tree)
    }

    /// Those of some trees that have their visits and wait for nothing, in the same order.
    ///
    /// :raises FoibleError: there is no such tree.
    fn done(&self, trees: Vec<TreeId>) -> PyResult<Vec<TreeId>> {
        let forest = self.lock();
        let mut done = Vec::new();
        for tree in trees {
            if forest.is_done(tree)? {
                done.push(tree);
            }
        }
        Ok(done)
    }

    /// Play a move at the root; with `keep` what was searched below it stays.
    ///
    /// Where the seats differ, keeping is of use only after an even number of moves: the owners of the plies
    /// must stay the same.
    ///
    /// :raises MoveError: the move is not legal there.
    /// :raises FoibleError: there is no such tree, a request for it is under way, or the move ends the game.
    #[pyo3(signature = (tree, r#move, *, keep))]
    fn advance(&self, py: Python<'_>, tree: TreeId, r#move: &str, keep: bool) -> PyResult<()> {
        py.detach(|| self.lock().advance(tree, r#move, keep))
    }

    /// Walk down the trees until `n` leaves or more wait, or no tree has another to offer: at most `batch` of
    /// one tree, and none of a tree that waits for `lanes` requests.
    ///
    /// An empty request is withdrawn, not answered: its visits met results that are known, or leaves under
    /// way.
    ///
    /// :raises MemoryLimitError: the trees outgrew `memory_mb`.
    fn gather(&self, py: Python<'_>, n: usize) -> PyResult<Request> {
        let (batches, leaves, inner) = py.detach(|| self.lock().gather(n))?;
        Ok(Request { batches, leaves, inner: Mutex::new(Some(inner)) })
    }

    /// Give the evaluations back, one answer for each evaluator's batch, `None` where there was none: logits
    /// `[M]`; win, draw, loss `[N, 3]` of the side to move, 0 to 1; plies left `[N]`, or `None`; alpha and
    /// beta `[N, 2]` of the side to move, or `None`. All are C-contiguous 32-bit floats.
    ///
    /// :raises EvaluationError: wrong shapes or values that are not finite; the request is withdrawn.
    /// :raises FoibleError: the request was answered before, or is another forest's.
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

    /// Forget a request that will not be answered: its visits never were. One that was answered stays so.
    fn withdraw(&self, request: &Request) {
        if let Some(inner) = request.inner.lock().unwrap_or_else(PoisonError::into_inner).take() {
            self.lock().withdraw(inner);
        }
    }

    /// What the search found at the root of a tree so far.
    ///
    /// :raises FoibleError: there is no such tree.
    fn summary(&self, tree: TreeId) -> PyResult<RootSummary> {
        self.lock().summary(tree).map(RootSummary::from)
    }

    /// The move to play, `None` when the root was not evaluated.
    ///
    /// `temperature`: 0 plays the best move, 1 samples moves by their votes, more flattens. `value_cutoff`:
    /// moves worse than the one with the most votes by more than this win probability, 0 to 1, are not
    /// sampled. `visit_offset`: added to the votes of each. `seed`: of the sample.
    ///
    /// With `BrainHand` at the root the answer is its piece type: the move is the hand's most probable one of
    /// it.
    ///
    /// :raises FoibleError: there is no such tree.
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

    /// The principal variation, each move as the owner of its node would play; after a given first move where
    /// there is one.
    ///
    /// :raises FoibleError: there is no such tree.
    /// :raises MoveError: the first move cannot be read, or in chess is not legal.
    #[pyo3(signature = (tree, first=None))]
    fn line(&self, tree: TreeId, first: Option<&str>) -> PyResult<Vec<String>> {
        self.lock().line(tree, first)
    }

    /// Nodes, edges and bytes of all trees.
    #[getter]
    fn size(&self) -> (usize, usize, usize) {
        self.lock().size()
    }

    /// Evaluations in the cache.
    #[getter]
    fn cached(&self) -> usize {
        self.lock().cached()
    }

    /// Whether any tree lacks visits.
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
