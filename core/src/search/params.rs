//! The constants of the search; names, defaults and sources stand in the Python class of the same name.

/// What an unvisited child is taken to be worth (first-play urgency).
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fpu {
    /// The node's own value minus this much times the root of the visited children's priors.
    Reduction(f64),
    Absolute(f64),
}

/// The constants of PUCT at one kind of node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Selection {
    pub cpuct: f64,
    pub cpuct_base: f64,
    pub cpuct_factor: f64,
    pub fpu: Fpu,
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
    /// From the view of the player who moves first in the game.
    pub draw_score: f64,
    pub two_fold_draws: bool,
    pub sticky_endgames: bool,
    pub moves_left: MovesLeft,
    pub noise_epsilon: f64,
    pub noise_alpha: f64,
    /// Leaves of one tree per gather.
    pub batch: usize,
    /// Requests of one tree that may be under way at once.
    pub lanes: usize,
    /// Positions in the evaluation cache.
    pub cache: usize,
    pub memory_bytes: usize,
}
