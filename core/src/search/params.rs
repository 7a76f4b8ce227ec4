//! The constants of the search; the Python class `SearchParams` documents their names, defaults and sources.

use super::margin::Margins;

/// What an unvisited child is taken to be worth (first-play urgency).
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fpu {
    /// The node's own value, minus this much times the square root of the visited children's summed priors.
    Reduction(f64),
    /// The net's own value of the node, minus this much times the square root of the visited children's summed priors.
    Net(f64),
    /// This value, −1 to 1.
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
    /// The constants of c(n), as [`Selection::exploration`] has them, and the first-play urgency; `cpuct_base` is above
    /// 0.
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

/// How much a shorter win or a longer loss is worth, for nets with a moves-left head: the slope times the difference in
/// plies, at most `max_effect`, times a quadratic polynomial in Q (`docs/methods/search.md`, "Moves left").
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MovesLeft {
    /// In units of Q; 0 turns the bonus off.
    pub max_effect: f64,
    /// The bonus counts only where win minus loss of the node is farther than this from 0.
    pub threshold: f64,
    /// Q per ply.
    pub slope: f64,
    pub constant: f64,
    pub scaled: f64,
    pub quadratic: f64,
}

/// The constants that all trees of a forest share.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchParams {
    pub root: Selection,
    /// At all nodes but the root.
    pub inner: Selection,
    /// Divides the judge's logits; above 0.
    pub policy_temperature: f64,
    /// The value of a draw, −1 to 1, from the view of the player who moves first in the game.
    pub draw_score: f64,
    pub margins: Margins,
    /// Whether a position that repeats inside the tree is a draw at once.
    pub two_fold_draws: bool,
    /// Whether a node takes over the result that its children prove.
    pub sticky_endgames: bool,
    pub moves_left: MovesLeft,
    /// The share of Dirichlet noise in the root's priors, 0 to 1.
    pub noise_epsilon: f64,
    /// The concentration of the noise.
    pub noise_alpha: f64,
    /// The most leaves of one tree per gather; at least 1.
    pub batch: usize,
    /// The most requests of one tree that may be in flight at once.
    pub lanes: usize,
    /// The capacity of the cache, in evaluations.
    pub cache: usize,
    /// The most bytes that the trees may allocate, at most [`MOST_BYTES`](super::MOST_BYTES); the cache is not counted.
    pub memory_bytes: usize,
}
