//! The constants of the search; the Python class `SearchParams` documents their names, defaults and sources.

use super::margin::Margins;

/// What an unvisited child is taken to be worth (first-play urgency).
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fpu {
    /// The node's own value, minus this much times the square root of the visited children's summed priors.
    Reduction(f64),
    /// The net's own value of the node, minus this much times the square root of the visited children's summed priors.
    Net(f64),
    Absolute(f64),
}

/// The constants of PUCT at one kind of node.
#[derive(Clone, PartialEq, Debug)]
pub struct Selection {
    cpuct: f64,
    cpuct_base: f64,
    cpuct_factor: f64,
    pub fpu: Fpu,
    /// A table of [`Selection::exploration`] for small numbers of visits: most picks are at such nodes, and logarithms
    /// are slow.
    few_visits: Vec<f64>,
}

impl Selection {
    pub fn new(cpuct: f64, cpuct_base: f64, cpuct_factor: f64, fpu: Fpu) -> Selection {
        let mut selection = Selection { cpuct, cpuct_base, cpuct_factor, fpu, few_visits: Vec::new() };
        selection.few_visits = (0..1024).map(|visits| selection.explore(visits)).collect();
        selection
    }

    /// c(n) · √max(n − 1, 1) with c(n) = cpuct + factor · ln((n + base) / base), for a node with n finished visits.
    pub fn exploration(&self, visits: u32) -> f64 {
        self.few_visits.get(visits as usize).copied().unwrap_or_else(|| self.explore(visits))
    }

    fn explore(&self, visits: u32) -> f64 {
        let visits = f64::from(visits);
        let cpuct = self.cpuct + self.cpuct_factor * ((visits + self.cpuct_base) / self.cpuct_base).ln();
        cpuct * (visits - 1.0).max(1.0).sqrt()
    }
}

/// How much a shorter win or a longer loss is worth, for nets with a moves-left head.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MovesLeft {
    pub max_effect: f64,
    pub threshold: f64,
    pub slope: f64,
    pub constant: f64,
    pub scaled: f64,
    pub quadratic: f64,
}

#[derive(Clone, PartialEq, Debug)]
pub struct SearchParams {
    pub root: Selection,
    pub inner: Selection,
    pub policy_temperature: f64,
    /// The value of a draw, from the view of the player who moves first in the game.
    pub draw_score: f64,
    pub margins: Margins,
    pub two_fold_draws: bool,
    pub sticky_endgames: bool,
    pub moves_left: MovesLeft,
    pub noise_epsilon: f64,
    pub noise_alpha: f64,
    /// The most leaves of one tree per gather.
    pub batch: usize,
    /// The most requests of one tree that may be in flight at once.
    pub lanes: usize,
    /// The capacity of the cache, in evaluations.
    pub cache: usize,
    pub memory_bytes: usize,
}
