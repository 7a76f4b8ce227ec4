//! The search forest as Python drives it: gather, evaluate, scatter.

use std::any::Any;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use super::any_forest::{AnyForest, forest_of, raise};
use super::any_game::{AnyLeaves, AnyPosition, moves_or_none};
use super::batch::Batch;
use super::numbers::{all_whole, expect, real, whole};
use super::params::PyParams;
use super::rules::{freezes_after, rule};
use super::seats::Seat;
use super::summary::RootSummary;
use super::{EvaluationError, FoibleError, MoveError};
use crate::search::{Answer, ForestError, SearchParams, Seats, Temperature, TreeId};

/// Leaves that wait for their evaluation, until the request is scattered or withdrawn; their trees count it
/// as in flight until then.
///
/// `len(request)`: the number of these leaves, those whose evaluation is cached included.
#[pyclass(frozen, module = "foible._core")]
pub struct Request {
    batches: Vec<AnyLeaves>,
    leaves: usize,
    /// The core's request, for the forest's game; `None` once it was answered or withdrawn.
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

    /// The number of leaves that wait, those whose evaluation is cached included.
    fn __len__(&self) -> usize {
        self.leaves
    }
}

impl Request {
    /// Takes the core's request out, if this forest made it: `None` once it was answered or withdrawn.
    ///
    /// The forest is locked first and the request second, everywhere: two threads that lock them in different orders
    /// would wait for each other.
    fn take(&self, forest: &dyn AnyForest) -> PyResult<Option<Box<dyn Any + Send>>> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        match inner.as_deref() {
            Some(made) if !forest.made(made) => Err(raise(ForestError::OtherForest)),
            _ => Ok(inner.take()),
        }
    }
}

/// Logits, win-draw-loss, moves left, margins.
type PyAnswer<'py> = (
    PyReadonlyArray1<'py, f32>,
    PyReadonlyArray2<'py, f32>,
    Option<PyReadonlyArray1<'py, f32>>,
    Option<PyReadonlyArray2<'py, f32>>,
);

/// Search trees that share evaluations. With `lanes = 1` no tree's search depends on the other trees.
///
/// A search alternates two calls: `gather` walks down the trees and returns the positions that need an
/// evaluation, and `scatter` takes the evaluations back. Methods may be called from several threads: they
/// take turns.
///
/// `params`: a `SearchParams`. `ours`: the seat that owns the plies of the side to move at the root; `theirs`
/// owns the others. `root`: the rule at the root itself, that of `ours` when absent; which player moves now
/// may be known even where it is not known who moves later. `game`: `chess` or `go`.
///
/// :raises FoibleError: the game is unknown; `params` has `contempt_visits` but neither seat has the rule
///     `FreezeAfter`, or another constant that the search would ignore; or a seat has a `bonus` in chess, where
///     there are no margins.
#[pyclass(frozen, module = "foible._core")]
pub struct Forest {
    inner: Mutex<Box<dyn AnyForest>>,
    evaluators: usize,
}

impl Forest {
    fn lock(&self) -> MutexGuard<'_, Box<dyn AnyForest>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something short with the forest. The interpreter is let go only where another thread holds the forest: to get
    /// the interpreter back may take milliseconds.
    fn hold<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Box<dyn AnyForest>) -> T + Send) -> T {
        match self.inner.try_lock() {
            Ok(mut forest) => work(&mut forest),
            Err(TryLockError::Poisoned(forest)) => work(&mut forest.into_inner()),
            Err(TryLockError::WouldBlock) => py.detach(|| work(&mut self.lock())),
        }
    }
}

#[pymethods]
impl Forest {
    #[new]
    #[pyo3(signature = (params, ours, theirs, *, root=None, game="chess"))]
    fn new(
        py: Python<'_>,
        params: Bound<'_, PyAny>,
        ours: &Seat,
        theirs: &Seat,
        root: Option<Bound<'_, PyAny>>,
        game: &str,
    ) -> PyResult<Forest> {
        let given: PyParams = params.extract()?;
        if let Some(visits) = given.contempt_visits
            && ![ours, theirs].iter().any(|seat| freezes_after(seat.rule.bind(py)).is_some())
        {
            return Err(FoibleError::new_err(format!(
                "contempt_visits = {visits}, but neither seat has the rule FreezeAfter: the search would ignore it. \
                 `seats(params)` makes the seats that it means; else set contempt_visits=None"
            )));
        }
        let root = root.map(|object| rule(&object)).transpose()?;
        let seats = Seats::new(ours.build(py)?, theirs.build(py)?, root);
        let margins = seats.bonuses().is_some();
        if game == "chess" && margins {
            return Err(FoibleError::new_err(
                "a seat has a bonus, but games of chess have no margins: expected game=\"go\", or no bonus",
            ));
        }
        let evaluators = seats.evaluators();
        let inner = forest_of(game, SearchParams::from(given), seats)?;
        params.call_method1("refuse_unread", (game, margins))?;
        Ok(Forest { inner: Mutex::new(inner), evaluators })
    }

    /// The number of evaluators: one more than the highest number that the seats name.
    #[getter]
    fn evaluators(&self) -> usize {
        self.evaluators
    }

    /// Add a tree that is done when its root has `nodes` visits; returns the number of the tree.
    ///
    /// `seed`: the seed of the tree's random choices. `only`: the moves of the root that are searched, all
    /// when absent.
    ///
    /// :raises FoibleError: the game is over or is not the forest's game, its board has another size than the
    ///     forest's other trees, or a number is out of range.
    /// :raises MoveError: `only` is empty, or a move in it is not legal.
    #[pyo3(signature = (position, nodes, seed=0, *, only=None))]
    fn add(
        &self,
        py: Python<'_>,
        position: AnyPosition<'_>,
        #[pyo3(from_py_with = whole)] nodes: u32,
        #[pyo3(from_py_with = whole)] seed: u64,
        #[pyo3(from_py_with = moves_or_none)] only: Option<Vec<String>>,
    ) -> PyResult<TreeId> {
        if only.as_ref().is_some_and(Vec::is_empty) {
            return Err(MoveError::new_err("only = []: expected at least one legal move"));
        }
        let game = position.game();
        self.hold(py, |forest| forest.add(game, nodes, seed, only.as_deref()))
    }

    /// Remove a tree; evaluations in flight for it are dropped when they arrive.
    ///
    /// :raises FoibleError: there is no such tree.
    fn remove(&self, py: Python<'_>, #[pyo3(from_py_with = whole)] tree: TreeId) -> PyResult<()> {
        self.hold(py, |forest| forest.remove(tree))
    }

    /// Change the number of root visits at which a tree is done.
    ///
    /// :raises FoibleError: there is no such tree, or `nodes` is out of range.
    fn set_nodes(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole)] tree: TreeId,
        #[pyo3(from_py_with = whole)] nodes: u32,
    ) -> PyResult<()> {
        self.hold(py, |forest| forest.set_nodes(tree, nodes))
    }

    /// Whether the root of a tree has its visits and no request for the tree is in flight.
    ///
    /// :raises FoibleError: there is no such tree.
    fn is_done(&self, py: Python<'_>, #[pyo3(from_py_with = whole)] tree: TreeId) -> PyResult<bool> {
        self.hold(py, |forest| forest.is_done(tree))
    }

    /// Those of the given trees that are done (see `is_done`), in the given order.
    ///
    /// :raises FoibleError: there is no such tree.
    fn done(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = all_whole)] trees: Vec<TreeId>,
    ) -> PyResult<Vec<TreeId>> {
        self.hold(py, |forest| {
            let mut done = Vec::new();
            for tree in trees {
                if forest.is_done(tree)? {
                    done.push(tree);
                }
            }
            Ok(done)
        })
    }

    /// The trees that have become done (see `is_done`) since the last call, in order, as far as they still are. That
    /// costs nothing for all the others, however many they are.
    fn take_done(&self, py: Python<'_>) -> Vec<TreeId> {
        self.hold(py, |forest| forest.take_done())
    }

    /// Play a move at the root; with `keep` the tree below the move is kept.
    ///
    /// Where the seats differ, keeping is of use only after an even number of moves: the owners of the plies
    /// must stay the same.
    ///
    /// :raises MoveError: the move is not legal there.
    /// :raises FoibleError: there is no such tree, a request for it is under way, or the move ends the game.
    #[pyo3(signature = (tree, r#move, *, keep))]
    fn advance(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole)] tree: TreeId,
        r#move: &str,
        keep: bool,
    ) -> PyResult<()> {
        py.detach(|| self.lock().advance(tree, r#move, keep))
    }

    /// Walk down the trees until at least `n` leaves wait for an evaluation, or no tree has another to offer.
    /// At most `batch` leaves come from one tree, and none from a tree that has `lanes` requests in flight.
    ///
    /// A request without leaves is to be withdrawn, not answered: its visits all ended in known results or at
    /// leaves already in flight.
    ///
    /// :raises MemoryLimitError: the trees outgrew `memory_mb`.
    /// :raises FoibleError: `n` is below 0.
    fn gather(&self, py: Python<'_>, #[pyo3(from_py_with = whole)] n: usize) -> PyResult<Request> {
        let (batches, leaves, inner) = py.detach(|| self.lock().gather(n))?;
        Ok(Request { batches, leaves, inner: Mutex::new(Some(inner)) })
    }

    /// Take the evaluations of a request, one answer for each evaluator's batch, `None` where it has no
    /// batch. An answer is logits `[M]`; win, draw, loss `[N, 3]` of the side to move, 0 to 1; plies left
    /// `[N]`, or `None`; alpha and beta `[N, 2]` of the side to move, or `None`. All are C-contiguous 32-bit
    /// floats.
    ///
    /// :raises EvaluationError: wrong shapes or values that are not finite; the request is withdrawn.
    /// :raises FoibleError: the request was answered before, or is another forest's.
    fn scatter(
        &self,
        py: Python<'_>,
        request: &Request,
        answers: Vec<Option<Bound<'_, PyAny>>>,
    ) -> PyResult<()> {
        let arrays: PyResult<Vec<_>> =
            answers.iter().map(|answer| answer.as_ref().map(arrays).transpose()).collect();
        let parts: PyResult<Vec<_>> = match &arrays {
            Ok(arrays) => arrays.iter().map(slices).collect(),
            Err(error) => Err(error.clone_ref(py)),
        };
        py.detach(|| {
            let mut forest = self.lock();
            let inner = request.take(forest.as_ref())?;
            let inner = inner.ok_or_else(|| FoibleError::new_err("the request was answered before"))?;
            match parts {
                Ok(parts) => forest.scatter(inner, &parts),
                Err(error) => {
                    forest.withdraw(inner);
                    Err(error)
                }
            }
        })
    }

    /// Forget a request that will not be answered: its unfinished visits are taken back. Does nothing if it
    /// was answered before.
    ///
    /// :raises FoibleError: the request is another forest's.
    fn withdraw(&self, py: Python<'_>, request: &Request) -> PyResult<()> {
        self.hold(py, |forest| {
            if let Some(inner) = request.take(forest.as_ref())? {
                forest.withdraw(inner);
            }
            Ok(())
        })
    }

    /// What the search found at the root of a tree so far.
    ///
    /// :raises FoibleError: there is no such tree.
    fn summary(&self, py: Python<'_>, #[pyo3(from_py_with = whole)] tree: TreeId) -> PyResult<RootSummary> {
        self.hold(py, |forest| forest.summary(tree)).map(RootSummary::from)
    }

    /// The move to play, `None` when the root was not evaluated.
    ///
    /// `temperature`: 0 plays the best move, 1 samples moves in proportion to their votes, higher values
    /// flatten the distribution. `value_cutoff`: moves worse than the one with the most votes by more than
    /// this win probability, 0 to 1, are not sampled. `visit_offset`: added to the votes of every move that
    /// has any. `seed`: the seed of the sampling.
    ///
    /// With `BrainHand` at the root the search chooses a piece type, and the move is the hand's most probable
    /// one of that type; before its first visits it is chosen by the brain's priors.
    ///
    /// :raises FoibleError: there is no such tree; or `temperature` is not a finite number from 0 on,
    ///     `value_cutoff` is not 0 to 1, or `visit_offset` is not finite.
    #[pyo3(signature = (tree, *, temperature=0.0, value_cutoff=1.0, visit_offset=0.0, seed=0))]
    fn choose(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole)] tree: TreeId,
        #[pyo3(from_py_with = real)] temperature: f64,
        #[pyo3(from_py_with = real)] value_cutoff: f64,
        #[pyo3(from_py_with = real)] visit_offset: f64,
        #[pyo3(from_py_with = whole)] seed: u64,
    ) -> PyResult<Option<String>> {
        expect("temperature", temperature, temperature >= 0.0 && temperature.is_finite(), "at least 0")?;
        expect("value_cutoff", value_cutoff, (0.0..=1.0).contains(&value_cutoff), "0 to 1")?;
        expect("visit_offset", visit_offset, visit_offset.is_finite(), "a finite number")?;
        // Q spans twice the range of a win probability.
        let temperature = Temperature { value: temperature, q_cutoff: 2.0 * value_cutoff, visit_offset };
        self.hold(py, |forest| forest.choose(tree, temperature, seed))
    }

    /// The principal variation, each move the one that the owner of its node would play. `first`: the move to
    /// start with, if given; where the search leaves that move out the line is empty.
    ///
    /// :raises FoibleError: there is no such tree.
    /// :raises MoveError: the first move cannot be read, or in chess is not legal.
    #[pyo3(signature = (tree, first=None))]
    fn line(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole)] tree: TreeId,
        first: Option<&str>,
    ) -> PyResult<Vec<String>> {
        self.hold(py, |forest| forest.line(tree, first))
    }

    /// The numbers of nodes and edges of all trees, and the bytes allocated for them, which `memory_mb` limits.
    #[getter]
    fn size(&self, py: Python<'_>) -> (usize, usize, usize) {
        self.hold(py, |forest| forest.size())
    }

    /// The number of evaluations in the cache.
    #[getter]
    fn cached(&self, py: Python<'_>) -> usize {
        self.hold(py, |forest| forest.cached())
    }

    /// Whether any tree lacks visits.
    #[getter]
    fn growing(&self, py: Python<'_>) -> bool {
        self.hold(py, |forest| forest.growing())
    }
}

/// The arrays of an answer, their types and shapes checked as far as they do not depend on the request.
fn arrays<'py>(answer: &Bound<'py, PyAny>) -> PyResult<PyAnswer<'py>> {
    let found: Option<PyAnswer<'_>> = answer.extract().ok();
    let right = |(_, wdl, _, margins): &PyAnswer<'_>| {
        wdl.shape()[1] == 3 && margins.as_ref().is_none_or(|margins| margins.shape()[1] == 2)
    };
    found.filter(right).ok_or_else(|| {
        EvaluationError::new_err(
            "bad evaluation: expected logits [M], win, draw, loss [N, 3], plies left [N] or None, and margins [N, 2] \
             or None, all of 32-bit floats",
        )
    })
}

/// The contents of the arrays, which must be C-contiguous.
fn slices<'a>(answer: &'a Option<PyAnswer<'_>>) -> PyResult<Answer<'a>> {
    let Some((logits, wdl, moves_left, margins)) = answer else {
        return Ok(Answer { logits: &[], wdl: &[], moves_left: None, margins: None });
    };
    let error = || EvaluationError::new_err("bad evaluation: arrays must be C-contiguous and aligned");
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
