//! The two sides of a search and how they weigh margins of victory, as small Python objects.

use pyo3::prelude::*;

use super::numbers::{expect, real, real_or_none};
use super::rules::{Puct, evaluator_number, rule};
use crate::search;

/// The virtual bonus points by which one side weighs margins of victory (SAI, §3.1, §3.6).
///
/// Values are averaged over the bonuses from that of `mu` to that of `lambda_`: 0 is no bonus, 1 the bonus
/// that makes the game even. Where the side is behind, that is less likely to win than not, `mu_behind` and
/// `lambda_behind` hold instead; when absent, they equal `mu` and `lambda_`.
///
/// :raises FoibleError: a parameter outside −10 to 10.
#[pyclass(frozen, get_all, eq, module = "foible._core")]
#[derive(Clone, Copy, PartialEq)]
pub struct Bonus {
    /// The far end of the interval where the side is ahead.
    lambda_: f64,
    /// The near end of the interval where the side is ahead.
    mu: f64,
    /// The far end of the interval where the side is behind.
    lambda_behind: f64,
    /// The near end of the interval where the side is behind.
    mu_behind: f64,
}

/// The largest parameter of a bonus: beyond it the bonus is cut off anyway.
const MOST_LAMBDA: f64 = 10.0;

#[pymethods]
impl Bonus {
    #[new]
    #[pyo3(signature = (lambda_=0.0, mu=0.0, *, lambda_behind=None, mu_behind=None))]
    fn new(
        #[pyo3(from_py_with = real)] lambda_: f64,
        #[pyo3(from_py_with = real)] mu: f64,
        #[pyo3(from_py_with = real_or_none)] lambda_behind: Option<f64>,
        #[pyo3(from_py_with = real_or_none)] mu_behind: Option<f64>,
    ) -> PyResult<Bonus> {
        let (lambda_behind, mu_behind) = (lambda_behind.unwrap_or(lambda_), mu_behind.unwrap_or(mu));
        let expected = format!("-{MOST_LAMBDA} to {MOST_LAMBDA}");
        for (name, value) in
            [("lambda", lambda_), ("mu", mu), ("lambda_behind", lambda_behind), ("mu_behind", mu_behind)]
        {
            expect(name, value, (-MOST_LAMBDA..=MOST_LAMBDA).contains(&value), &expected)?;
        }
        Ok(Bonus { lambda_, mu, lambda_behind, mu_behind })
    }

    /// Black's bonus points for mu and for lambda, at a decision where Black's winrate given X more points is
    /// 1 / (1 + exp(−beta (margin + X))) (SAI, §3.2): `margin` after komi in points, `beta` per point.
    ///
    /// :raises FoibleError: `margin` or `beta` is not finite, or `beta` is not above 0.
    #[pyo3(signature = (margin, beta, *, black_to_move))]
    fn interval(
        &self,
        #[pyo3(from_py_with = real)] margin: f64,
        #[pyo3(from_py_with = real)] beta: f64,
        black_to_move: bool,
    ) -> PyResult<(f64, f64)> {
        expect("margin", margin, margin.is_finite(), "a finite number")?;
        expect("beta", beta, beta > 0.0 && beta.is_finite(), "a finite number above 0")?;
        let found = self.build().interval(&search::Sigmoid { margin, beta }, black_to_move);
        Ok((found.from, found.to))
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

/// Black's mean winrate 1 / (1 + exp(−beta (margin + X))), 0 to 1, for X from `start` to `end` points (SAI,
/// §3.3).
///
/// `margin`: Black's margin after komi, in points. `beta`: the steepness per point; infinite where the game
/// is over.
///
/// :raises FoibleError: `beta` is not above 0, or another value is not finite.
#[pyfunction]
pub fn average_winrate(
    #[pyo3(from_py_with = real)] margin: f64,
    #[pyo3(from_py_with = real)] beta: f64,
    #[pyo3(from_py_with = real)] start: f64,
    #[pyo3(from_py_with = real)] end: f64,
) -> PyResult<f64> {
    for (name, value) in [("margin", margin), ("start", start), ("end", end)] {
        expect(name, value, value.is_finite(), "a finite number")?;
    }
    expect("beta", beta, beta > 0.0, "a number above 0")?;
    Ok(search::Sigmoid { margin, beta }.average(search::Interval { from: start, to: end }))
}

/// One side of the game inside a search: its rule, and the evaluator that judges where it is to move.
///
/// `rule`: how the side picks moves, `Puct()` when absent. `evaluator`: the number of the evaluator, 0 to 63,
/// which is the index of its answers in `Forest.scatter`. `bonus`: how the side weighs margins of victory; if
/// either side has one, values are sigmoids of bonus points on both sides, and each evaluator must give alpha
/// and beta.
///
/// :raises FoibleError: the number is out of range.
/// :raises TypeError: `rule` is not a rule.
#[pyclass(frozen, get_all, module = "foible._core")]
pub struct Seat {
    /// The rule by which the side picks moves.
    pub rule: Py<PyAny>,
    /// The number of the evaluator that gives value and priors where the side is to move.
    evaluator: usize,
    /// How the side weighs margins of victory; `None` where it does not.
    bonus: Option<Bonus>,
}

#[pymethods]
impl Seat {
    #[new]
    #[pyo3(signature = (rule=None, evaluator=0, *, bonus=None))]
    fn new(
        py: Python<'_>,
        rule: Option<Py<PyAny>>,
        #[pyo3(from_py_with = evaluator_number)] evaluator: usize,
        bonus: Option<&Bonus>,
    ) -> PyResult<Seat> {
        let object = match rule {
            Some(object) => object,
            None => Py::new(py, Puct)?.into_any(),
        };
        self::rule(object.bind(py))?;
        Ok(Seat { rule: object, evaluator, bonus: bonus.copied() })
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
