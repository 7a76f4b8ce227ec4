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

/// The virtual bonus points of one side: how it weighs margins of victory.
#[pyclass(frozen, get_all, eq, module = "foible._core")]
#[derive(Clone, Copy, PartialEq)]
pub struct Bonus {
    lambda_: f64,
    mu: f64,
    lambda_behind: f64,
    mu_behind: f64,
}

/// Beyond these the bonus has long been cut off.
const MOST_LAMBDA: f64 = 10.0;

#[pymethods]
impl Bonus {
    #[new]
    #[pyo3(signature = (lambda_=0.0, mu=0.0, *, lambda_behind=None, mu_behind=None))]
    fn new(lambda_: f64, mu: f64, lambda_behind: Option<f64>, mu_behind: Option<f64>) -> PyResult<Bonus> {
        let (lambda_behind, mu_behind) = (lambda_behind.unwrap_or(lambda_), mu_behind.unwrap_or(mu));
        for (name, value) in
            [("lambda", lambda_), ("mu", mu), ("lambda_behind", lambda_behind), ("mu_behind", mu_behind)]
        {
            if !(-MOST_LAMBDA..=MOST_LAMBDA).contains(&value) {
                return Err(FoibleError::new_err(format!(
                    "{name} = {value}: expected -{MOST_LAMBDA} to {MOST_LAMBDA}"
                )));
            }
        }
        Ok(Bonus { lambda_, mu, lambda_behind, mu_behind })
    }

    /// Bonus points of Black, from those of mu to those of lambda, where it is `to_move`'s decision.
    #[pyo3(signature = (margin, beta, *, black_to_move))]
    fn interval(&self, margin: f64, beta: f64, black_to_move: bool) -> (f64, f64) {
        let found = self.build().interval(&search::Sigmoid { margin, beta }, black_to_move);
        (found.from, found.to)
    }

    fn __repr__(&self) -> String {
        let Bonus { lambda_, mu, lambda_behind, mu_behind } = self;
        format!("Bonus({lambda_}, {mu}, lambda_behind={lambda_behind}, mu_behind={mu_behind})")
    }
}

impl Bonus {
    fn build(&self) -> search::Bonus {
        search::Bonus {
            ahead: search::Ends { lambda: self.lambda_, mu: self.mu },
            behind: search::Ends { lambda: self.lambda_behind, mu: self.mu_behind },
        }
    }
}

/// The mean of a sigmoid over an interval.
#[pyfunction]
pub fn average_winrate(margin: f64, beta: f64, start: f64, end: f64) -> f64 {
    search::Sigmoid { margin, beta }.average(search::Interval { from: start, to: end })
}

/// One side of the game inside a search.
#[pyclass(frozen, get_all, module = "foible._core")]
pub struct Seat {
    rule: Py<PyAny>,
    evaluator: usize,
    bonus: Option<Bonus>,
}

#[pymethods]
impl Seat {
    #[new]
    #[pyo3(signature = (rule=None, evaluator=0, *, bonus=None))]
    fn new(
        py: Python<'_>,
        rule: Option<Py<PyAny>>,
        evaluator: usize,
        bonus: Option<&Bonus>,
    ) -> PyResult<Seat> {
        let object = match rule {
            Some(object) => object,
            None => Py::new(py, Puct)?.into_any(),
        };
        self::rule(object.bind(py))?;
        Ok(Seat { rule: object, evaluator: evaluator_number(evaluator)?, bonus: bonus.copied() })
    }

    fn __repr__(&self) -> String {
        let bonus = self.bonus.map_or(String::new(), |bonus| format!(", bonus={}", bonus.__repr__()));
        format!("Seat({}, evaluator={}{bonus})", self.rule, self.evaluator)
    }
}

impl Seat {
    pub fn build(&self, py: Python<'_>) -> PyResult<search::Seat> {
        let bonus = self.bonus.map(|bonus| bonus.build());
        Ok(search::Seat { rule: rule(self.rule.bind(py))?, evaluator: self.evaluator, bonus })
    }
}
