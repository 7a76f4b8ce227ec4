//! Dirichlet noise on the root's priors (AlphaZero, Silver et al. 2018).

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, Gamma};

use super::params::SearchParams;
use super::tree::{ROOT, Tree};
use crate::rng::Rng;

/// Mixes a Dirichlet sample into the priors of an expanded root: `(1 − epsilon) P + epsilon noise`.
pub fn add_noise(tree: &mut Tree, params: &SearchParams, rng: &mut Rng) {
    let SearchParams { noise_epsilon: epsilon, noise_alpha: alpha, .. } = *params;
    if epsilon <= 0.0 {
        return;
    }
    let Ok(gamma) = Gamma::new(alpha, 1.0) else { return };
    let mut generator = ChaCha8Rng::seed_from_u64(rng.next_u64());
    let samples: Vec<f64> = tree.edges(ROOT).iter().map(|_| gamma.sample(&mut generator)).collect();
    let total: f64 = samples.iter().sum();
    if total < f64::MIN_POSITIVE {
        return;
    }
    for (edge, sample) in tree.edges_mut(ROOT).iter_mut().zip(samples) {
        edge.prior = ((1.0 - epsilon) * f64::from(edge.prior) + epsilon * sample / total) as f32;
    }
    // The priors are no longer sorted: let the selection look at every edge.
    let edges = tree.edges(ROOT).len() as u16;
    tree.node_mut(ROOT).touched = edges;
}
