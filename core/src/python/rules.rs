//! The rules and seats of a search, as small Python objects.

use pyo3::prelude::*;

use super::FoibleError;
use crate::search::{self, Rule};

const MOST_EVALUATORS: usize = 64;
/// Colder, and the weights of the frozen visits would overflow.
const LEAST_TEMPERATURE: f64 = 0.05;
const MOST_TEMPERATURE: f64 = 100.0;

/// PUCT: the move with the best mean value plus exploration bonus.
#[pyclass(frozen, module = "foible._core")]
#[derive(Clone, Copy)]
pub struct Puct;

#[pymethods]
impl Puct {
    #[new]
    fn new() -> Puct {
        Puct
    }

    fn __repr__(&self) -> &'static str {
        "Puct()"
    }
}

/// Visits in proportion to a model's policy.
#[pyclass(frozen, get_all, module = "foible._core")]
#[derive(Clone, Copy)]
pub struct Follow {
    model: usize,
}

#[pymethods]
impl Follow {
    #[new]
    fn new(model: usize) -> PyResult<Follow> {
        Ok(Follow { model: evaluator_number(model)? })
    }

    fn __repr__(&self) -> String {
        format!("Follow(model={})", self.model)
    }
}

/// Always a model's most probable move.
#[pyclass(frozen, get_all, module = "foible._core")]
#[derive(Clone, Copy)]
pub struct FollowBest {
    model: usize,
}

#[pymethods]
impl FollowBest {
    #[new]
    fn new(model: usize) -> PyResult<FollowBest> {
        Ok(FollowBest { model: evaluator_number(model)? })
    }

    fn __repr__(&self) -> String {
        format!("FollowBest(model={})", self.model)
    }
}

/// PUCT over piece types; inside a type visits in proportion to a hand's policy.
#[pyclass(frozen, get_all, module = "foible._core")]
#[derive(Clone, Copy)]
pub struct BrainHand {
    hand: usize,
}

#[pymethods]
impl BrainHand {
    #[new]
    fn new(hand: usize) -> PyResult<BrainHand> {
        Ok(BrainHand { hand: evaluator_number(hand)? })
    }

    fn __repr__(&self) -> String {
        format!("BrainHand(hand={})", self.hand)
    }
}

/// PUCT for some visits, then the distribution of these.
#[pyclass(frozen, get_all, module = "foible._core")]
#[derive(Clone)]
pub struct FreezeAfter {
    visits: u32,
    draw: String,
    temperature: f64,
    at: String,
}

#[pymethods]
impl FreezeAfter {
    #[new]
    #[pyo3(signature = (visits, *, draw="sample", temperature=1.0, at="implementation"))]
    fn new(visits: u32, draw: &str, temperature: f64, at: &str) -> PyResult<FreezeAfter> {
        let error = |text| Err(FoibleError::new_err(text));
        if visits == 0 {
            return error("a freeze after 0 visits: expected at least 1".to_owned());
        }
        if !(LEAST_TEMPERATURE..=MOST_TEMPERATURE).contains(&temperature) {
            return error(format!(
                "a contempt temperature of {temperature}: expected {LEAST_TEMPERATURE} to {MOST_TEMPERATURE}"
            ));
        }
        if !["sample", "quota"].contains(&draw) {
            return error(format!("draw = {draw:?}: expected sample or quota"));
        }
        if !["implementation", "paper"].contains(&at) {
            return error(format!("at = {at:?}: expected implementation or paper"));
        }
        Ok(FreezeAfter { visits, draw: draw.to_owned(), temperature, at: at.to_owned() })
    }

    fn __repr__(&self) -> String {
        let FreezeAfter { visits, draw, temperature, at } = self;
        format!("FreezeAfter({visits}, draw={draw:?}, temperature={temperature}, at={at:?})")
    }
}

impl FreezeAfter {
    fn build(&self) -> search::FreezeAfter {
        search::FreezeAfter {
            visits: self.visits,
            draw: if self.draw == "quota" { search::Draw::Quota } else { search::Draw::Sample },
            temperature: self.temperature,
            one_later: self.at == "paper",
        }
    }
}

/// One of two rules, tossed for before each visit.
#[pyclass(frozen, get_all, module = "foible._core")]
pub struct Coin {
    p: f64,
    first: Py<PyAny>,
    second: Py<PyAny>,
}

#[pymethods]
impl Coin {
    #[new]
    fn new(py: Python<'_>, p: f64, first: Py<PyAny>, second: Py<PyAny>) -> PyResult<Coin> {
        if !(0.0..=1.0).contains(&p) {
            return Err(FoibleError::new_err(format!("a coin with probability {p}: expected 0 to 1")));
        }
        rule(first.bind(py))?;
        rule(second.bind(py))?;
        Ok(Coin { p, first, second })
    }

    fn __repr__(&self) -> String {
        format!("Coin({}, {}, {})", self.p, self.first, self.second)
    }
}

/// Evaluators are numbered from 0; a forest keeps a batch for each number up to the highest.
fn evaluator_number(number: usize) -> PyResult<usize> {
    if number < MOST_EVALUATORS {
        return Ok(number);
    }
    Err(FoibleError::new_err(format!(
        "evaluator {number}: expected a number from 0 to {}",
        MOST_EVALUATORS - 1
    )))
}

/// The Rust rule that a Python rule object names.
pub fn rule(object: &Bound<'_, PyAny>) -> PyResult<Box<dyn Rule>> {
    if object.cast::<Puct>().is_ok() {
        return Ok(Box::new(search::Puct));
    }
    if let Ok(follow) = object.cast::<Follow>() {
        return Ok(Box::new(search::Follow::new(follow.get().model)));
    }
    if let Ok(follow) = object.cast::<FollowBest>() {
        return Ok(Box::new(search::FollowBest::new(follow.get().model)));
    }
    if let Ok(brain) = object.cast::<BrainHand>() {
        return Ok(Box::new(search::BrainHand::new(brain.get().hand)));
    }
    if let Ok(freeze) = object.cast::<FreezeAfter>() {
        return Ok(Box::new(freeze.get().build()));
    }
    if let Ok(coin) = object.cast::<Coin>() {
        let (py, coin) = (object.py(), coin.get());
        let (first, second) = (rule(coin.first.bind(py))?, rule(coin.second.bind(py))?);
        return Ok(Box::new(search::Coin { p: coin.p, first, second }));
    }
    Err(pyo3::exceptions::PyTypeError::new_err(format!(
        "expected a rule (Puct, Follow, FollowBest, Coin, BrainHand, FreezeAfter), found {}",
        object.get_type().name()?
    )))
}

/// One side of the game inside a search.
#[pyclass(frozen, get_all, module = "foible._core")]
pub struct Seat {
    rule: Py<PyAny>,
    evaluator: usize,
}

#[pymethods]
impl Seat {
    #[new]
    #[pyo3(signature = (rule=None, evaluator=0))]
    fn new(py: Python<'_>, rule: Option<Py<PyAny>>, evaluator: usize) -> PyResult<Seat> {
        let object = match rule {
            Some(object) => object,
            None => Py::new(py, Puct)?.into_any(),
        };
        self::rule(object.bind(py))?;
        Ok(Seat { rule: object, evaluator: evaluator_number(evaluator)? })
    }

    fn __repr__(&self) -> String {
        format!("Seat({}, evaluator={})", self.rule, self.evaluator)
    }
}

impl Seat {
    pub fn build(&self, py: Python<'_>) -> PyResult<search::Seat> {
        Ok(search::Seat { rule: rule(self.rule.bind(py))?, evaluator: self.evaluator })
    }
}
