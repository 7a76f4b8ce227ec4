//! The constants of a search, taken out of the Python object that holds them.

use pyo3::prelude::*;

use crate::search::{Decision, Fpu, MOST_BYTES, Margins, MovesLeft, SearchParams, Selection};

/// `SearchParams` of the Python side, attribute by attribute.
#[derive(FromPyObject)]
pub struct PyParams {
    cpuct: f64,
    cpuct_base: f64,
    cpuct_factor: f64,
    fpu: String,
    fpu_value: f64,
    root_cpuct: Option<f64>,
    root_cpuct_base: Option<f64>,
    root_cpuct_factor: Option<f64>,
    root_fpu: Option<String>,
    root_fpu_value: Option<f64>,
    policy_temperature: f64,
    draw_score: f64,
    interval: String,
    terminal_beta: f64,
    two_fold_draws: bool,
    sticky_endgames: bool,
    moves_left_max_effect: f64,
    moves_left_threshold: f64,
    moves_left_slope: f64,
    moves_left_constant: f64,
    moves_left_scaled: f64,
    moves_left_quadratic: f64,
    /// Not used by the trees: the caller makes seats from it before making the forest.
    pub contempt_visits: Option<u64>,
    noise_epsilon: f64,
    noise_alpha: f64,
    batch: usize,
    lanes: usize,
    cache: usize,
    memory_mb: usize,
}

impl From<PyParams> for SearchParams {
    fn from(p: PyParams) -> SearchParams {
        let fpu = |name: &str, value| match name {
            "absolute" => Fpu::Absolute(value),
            "net" => Fpu::Net(value),
            _ => Fpu::Reduction(value),
        };
        let decision = if p.interval == "root" { Decision::Root } else { Decision::Parent };
        SearchParams {
            root: Selection::new(
                p.root_cpuct.unwrap_or(p.cpuct),
                p.root_cpuct_base.unwrap_or(p.cpuct_base),
                p.root_cpuct_factor.unwrap_or(p.cpuct_factor),
                fpu(p.root_fpu.as_ref().unwrap_or(&p.fpu), p.root_fpu_value.unwrap_or(p.fpu_value)),
            ),
            inner: Selection::new(p.cpuct, p.cpuct_base, p.cpuct_factor, fpu(&p.fpu, p.fpu_value)),
            policy_temperature: p.policy_temperature,
            draw_score: p.draw_score,
            margins: Margins { decision, terminal_beta: p.terminal_beta },
            two_fold_draws: p.two_fold_draws,
            sticky_endgames: p.sticky_endgames,
            moves_left: MovesLeft {
                max_effect: p.moves_left_max_effect,
                threshold: p.moves_left_threshold,
                slope: p.moves_left_slope,
                constant: p.moves_left_constant,
                scaled: p.moves_left_scaled,
                quadratic: p.moves_left_quadratic,
            },
            noise_epsilon: p.noise_epsilon,
            noise_alpha: p.noise_alpha,
            batch: p.batch,
            lanes: p.lanes,
            cache: p.cache,
            memory_bytes: p.memory_mb.saturating_mul(1 << 20).min(MOST_BYTES),
        }
    }
}
