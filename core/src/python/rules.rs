//! The rules of a search, as small Python objects.

use pyo3::prelude::*;

use super::FoibleError;
use super::numbers::{below, real, whole};
use crate::quote::quoted;
use crate::search::{self, Rule};

const MOST_EVALUATORS: usize = 64;
/// The most rules in a coin: coins in coins are tossed by recursion.
const MOST_RULES: usize = 1000;
/// At lower temperatures the weights of the frozen visits would overflow.
const LEAST_TEMPERATURE: f64 = 0.05;
const MOST_TEMPERATURE: f64 = 100.0;

/// Rule: PUCT as lc0 computes it, the move with the best mean value plus exploration bonus.
///
/// The bonus is prior · c(n) · √max(n − 1, 1) / (1 + started visits of the move), with the constants of
/// `SearchParams`. Visits that a model forced are left out of all its counts.
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

/// Rule: visits in proportion to a model's policy, the move that lags most behind its probability first.
///
/// `model`: the number of the evaluator that is followed, 0 to 63.
///
/// :raises FoibleError: the number is out of range.
#[pyclass(frozen, get_all, module = "foible._core")]
#[derive(Clone, Copy)]
pub struct Follow {
    /// The number of the evaluator that is followed.
    model: usize,
}

#[pymethods]
impl Follow {
    #[new]
    fn new(#[pyo3(from_py_with = evaluator_number)] model: usize) -> Follow {
        Follow { model }
    }

    fn __repr__(&self) -> String {
        format!("Follow(model={})", self.model)
    }
}

/// Rule: always a model's most probable move, as a player who takes the maximum of a policy.
///
/// `model`: the number of the evaluator that is followed, 0 to 63.
///
/// :raises FoibleError: the number is out of range.
#[pyclass(frozen, get_all, module = "foible._core")]
#[derive(Clone, Copy)]
pub struct FollowBest {
    /// The number of the evaluator that is followed.
    model: usize,
}

#[pymethods]
impl FollowBest {
    #[new]
    fn new(#[pyo3(from_py_with = evaluator_number)] model: usize) -> FollowBest {
        FollowBest { model }
    }

    fn __repr__(&self) -> String {
        format!("FollowBest(model={})", self.model)
    }
}

/// Rule: PUCT over the types of pieces that can move; inside a type visits in proportion to a hand's policy.
///
/// A type's prior is the sum of its moves' priors, and its value is the mean of its moves' values, weighted
/// by the hand's policy. In Go there is one type.
///
/// `hand`: the number of the evaluator whose policy the hand follows, 0 to 63.
///
/// :raises FoibleError: the number is out of range.
#[pyclass(frozen, get_all, module = "foible._core")]
#[derive(Clone, Copy)]
pub struct BrainHand {
    /// The number of the evaluator whose policy the hand follows.
    hand: usize,
}

#[pymethods]
impl BrainHand {
    #[new]
    fn new(#[pyo3(from_py_with = evaluator_number)] hand: usize) -> BrainHand {
        BrainHand { hand }
    }

    fn __repr__(&self) -> String {
        format!("BrainHand(hand={})", self.hand)
    }
}

/// Rule: search-contempt, an opponent who thinks for some visits and no further (search-contempt §1, §2, §5).
///
/// PUCT until a node's children have `visits` finished visits; from then on, all visits are dealt out in the
/// proportions of these. No further move is tried at the node, and a won move no longer proves the node won
/// for its owner. Meant for the opponent's plies. On the plies of the side to move at the root it models a
/// player who allows for its own shallow search; give the root itself `Puct` then.
///
/// `visits`: N_scl, at least 1. With 1 the opponent plays the top of the policy.
///
/// `draw`: how frozen visits are dealt out: each by chance, as published (`sample`), or each to the move that
/// lags most behind its share (`quota`).
///
/// `temperature`: shares are proportional to the visits to the power of 1 / temperature, which is 0.05 to
/// 100; above 1, moves with few visits get larger shares.
///
/// `at`: the frozen shares hold from the next visit on (`implementation`), or one visit later, by the paper's
/// inequality (`paper`).
///
/// :raises FoibleError: a value out of range.
#[pyclass(frozen, get_all, module = "foible._core")]
#[derive(Clone)]
pub struct FreezeAfter {
    /// N_scl: the number of finished visits of a node's children at which the node freezes.
    visits: u32,
    /// How frozen visits are dealt out: `sample` or `quota`.
    draw: String,
    /// Frozen shares are proportional to the visits to the power of one over this value.
    temperature: f64,
    /// When frozen shares begin to hold: `implementation` or `paper`.
    at: String,
}

#[pymethods]
impl FreezeAfter {
    #[new]
    #[pyo3(signature = (visits, *, draw="sample", temperature=1.0, at="implementation"))]
    fn new(
        #[pyo3(from_py_with = whole)] visits: u32,
        draw: &str,
        #[pyo3(from_py_with = real)] temperature: f64,
        at: &str,
    ) -> PyResult<FreezeAfter> {
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
            return error(format!("draw = {}: expected sample or quota", quoted(draw)));
        }
        if !["implementation", "paper"].contains(&at) {
            return error(format!("at = {}: expected implementation or paper", quoted(at)));
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

/// Rule: before each visit a coin decides which of two rules picks.
///
/// At the root, the first rule counts the votes for the moves. Two rules that let models decide share one
/// count of forced visits. A node freezes once for all: every `FreezeAfter` in a coin has the same `visits`.
///
/// `p`: the probability of `first`, 0 to 1. A rule may be a coin itself; at most 1000 rules are in one coin.
///
/// :raises FoibleError: p is outside 0 to 1, there are too many rules, or two freeze after different visits.
/// :raises TypeError: `first` or `second` is no rule.
#[pyclass(frozen, module = "foible._core")]
pub struct Coin {
    /// The probability of `first`, 0 to 1.
    #[pyo3(get)]
    p: f64,
    /// The rule that picks with probability `p`.
    #[pyo3(get)]
    first: Py<PyAny>,
    /// The rule that picks otherwise.
    #[pyo3(get)]
    second: Py<PyAny>,
    /// The number of rules in the coin that are no coins.
    rules: usize,
}

#[pymethods]
impl Coin {
    #[new]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = real)] p: f64,
        first: Py<PyAny>,
        second: Py<PyAny>,
    ) -> PyResult<Coin> {
        if !(0.0..=1.0).contains(&p) {
            return Err(FoibleError::new_err(format!("a coin with probability {p}: expected 0 to 1")));
        }
        let rules = [&first, &second].iter().map(|one| rules_in(one.bind(py))).sum();
        if rules > MOST_RULES {
            return Err(FoibleError::new_err(format!(
                "a coin with {rules} rules: expected at most {MOST_RULES}"
            )));
        }
        rule(first.bind(py))?;
        rule(second.bind(py))?;
        let [one, other] = [&first, &second].map(|rule| freezes_after(rule.bind(py)));
        if let (Some(one), Some(other)) = (one, other)
            && one != other
        {
            return Err(FoibleError::new_err(format!(
                "a coin of FreezeAfter({one}) and FreezeAfter({other}): a node freezes once, for both rules; \
                 expected the same visits"
            )));
        }
        Ok(Coin { p, first, second, rules })
    }

    fn __repr__(&self) -> String {
        format!("Coin({}, {}, {})", self.p, self.first, self.second)
    }
}

/// The number of rules that an object stands for: in a coin there are several.
fn rules_in(object: &Bound<'_, PyAny>) -> usize {
    object.cast::<Coin>().map_or(1, |coin| coin.get().rules)
}

/// Checks the number of an evaluator: numbers start at 0, and a forest keeps a batch for each up to the
/// highest.
pub(super) fn evaluator_number(object: &Bound<'_, PyAny>) -> PyResult<usize> {
    below(object, MOST_EVALUATORS)?.ok_or_else(|| {
        FoibleError::new_err(format!(
            "evaluator {object}: expected a number from 0 to {}",
            MOST_EVALUATORS - 1
        ))
    })
}

/// The Rust rule that a Python rule object names.
pub fn rule(object: &Bound<'_, PyAny>) -> PyResult<Box<dyn Rule>> {
    if object.cast::<Puct>().is_ok() {
        return Ok(Box::new(search::Puct));
    }
    if let Ok(follow) = object.cast::<Follow>() {
        return Ok(Box::new(search::Follow { model: follow.get().model }));
    }
    if let Ok(follow) = object.cast::<FollowBest>() {
        return Ok(Box::new(search::FollowBest { model: follow.get().model }));
    }
    if let Ok(brain) = object.cast::<BrainHand>() {
        return Ok(Box::new(search::BrainHand { hand: brain.get().hand }));
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

/// The visits after which `FreezeAfter` (search-contempt), or a coin that may pick it, freezes a node; `None` for a rule
/// that never does.
pub fn freezes_after(rule: &Bound<'_, PyAny>) -> Option<u32> {
    if let Ok(freeze) = rule.cast::<FreezeAfter>() {
        return Some(freeze.get().visits);
    }
    let coin = rule.cast::<Coin>().ok()?.get();
    [&coin.first, &coin.second].iter().find_map(|one| freezes_after(one.bind(rule.py())))
}
