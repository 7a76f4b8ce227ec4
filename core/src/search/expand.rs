//! From an evaluation to a node's edges.

use super::cache::Cached;
use super::tree::{Edge, NO_NODE, Tree};
use crate::game::Move;

/// Softmax of `logits / temperature`, exact in 64 bits.
pub fn softmax(logits: &[f32], temperature: f64, out: &mut Vec<f64>) {
    out.clear();
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    out.extend(logits.iter().map(|&x| ((f64::from(x) - f64::from(top)) / temperature).exp()));
    let sum: f64 = out.iter().sum();
    for p in out.iter_mut() {
        *p /= sum;
    }
}

/// Buffers that live as long as the forest.
#[derive(Default)]
pub struct Scratch {
    priors: Vec<f64>,
    order: Vec<u16>,
    policy: Vec<f64>,
    policies: Vec<f32>,
}

/// Gives node `index` its edges, by prior from the largest; equal priors keep the order of the game.
///
/// `followed`: for each followed model of the tree its evaluation, where this node needs it.
pub fn expand(
    tree: &mut Tree,
    index: u32,
    moves: &[Move],
    judge: &Cached,
    followed: &[Option<&Cached>],
    temperature: f64,
    scratch: &mut Scratch,
) {
    let Scratch { priors, order, policy, policies } = scratch;
    softmax(&judge.logits, temperature, priors);
    order.clear();
    order.extend(0..moves.len() as u16);
    // Sort by what is stored, so that priors equal in 32 bits count as equal.
    order.sort_by(|&a, &b| (priors[usize::from(b)] as f32).total_cmp(&(priors[usize::from(a)] as f32)));

    policies.clear();
    policies.resize(moves.len() * tree.models, 0.0);
    for (model, evaluation) in followed.iter().enumerate() {
        let Some(evaluation) = evaluation else { continue };
        softmax(&evaluation.logits, 1.0, policy);
        for (position, &i) in order.iter().enumerate() {
            policies[position * tree.models + model] = policy[usize::from(i)] as f32;
        }
    }
    let edges = order.iter().map(|&i| Edge {
        prior: priors[usize::from(i)] as f32,
        child: NO_NODE,
        mv: moves[usize::from(i)],
    });
    tree.set_edges(index, edges, policies);
}
