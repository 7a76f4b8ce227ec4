//! Makes the edges of a node from its evaluation.

use super::cache::Judged;
use super::tree::{Edge, NO_NODE, Tree};
use crate::game::Move;

/// The data from which a node's edges are made.
pub struct Expansion<'a> {
    /// The legal moves, in the order of the game.
    pub moves: &'a [Move],
    /// The classes of these moves; empty where no rule needs them.
    pub classes: &'a [u8],
    /// The moves that get an edge, all where absent; the priors sum to 1 over these moves.
    pub only: Option<&'a [Move]>,
    pub judge: Judged<'a>,
    /// For each followed model of the tree its evaluation, where this node needs it.
    pub followed: &'a [Option<Judged<'a>>],
    /// The policy temperature, which divides the judge's logits.
    pub temperature: f64,
}

/// Buffers of [`expand`], reused as long as the forest lives.
#[derive(Default)]
pub struct Scratch {
    kept: Vec<u16>,
    priors: Vec<f64>,
    order: Vec<u64>,
    policy: Vec<f64>,
    policies: Vec<f32>,
}

/// Softmax of `logits / temperature` over the entries in `kept`, exact in 64 bits.
fn softmax(logits: &[f32], kept: &[u16], temperature: f64, out: &mut Vec<f64>) {
    let logit = |&i: &u16| f64::from(logits[usize::from(i)]);
    let top = kept.iter().map(logit).fold(f64::NEG_INFINITY, f64::max);
    out.clear();
    out.extend(kept.iter().map(|i| ((logit(i) - top) / temperature).exp()));
    let sum: f64 = out.iter().sum();
    for p in out.iter_mut() {
        *p /= sum;
    }
}

/// Gives node `index` its edges, sorted by prior from the largest; equal priors keep the order of the game.
pub fn expand(tree: &mut Tree, index: u32, from: &Expansion<'_>, scratch: &mut Scratch) {
    let Scratch { kept, priors, order, policy, policies } = scratch;
    kept.clear();
    kept.extend(0..from.moves.len() as u16);
    if let Some(only) = from.only {
        kept.retain(|&i| only.contains(&from.moves[usize::from(i)]));
    }
    softmax(from.judge.logits, kept, from.temperature, priors);
    order.clear();
    order.extend(priors.iter().zip(0..).map(|(&p, i)| sort_key(p as f32, i)));
    order.sort_unstable();

    policies.clear();
    let models = tree.models().len();
    policies.resize(kept.len() * models, 0.0);
    for (model, evaluation) in from.followed.iter().enumerate() {
        let Some(evaluation) = evaluation else { continue };
        softmax(evaluation.logits, kept, 1.0, policy);
        for (position, &key) in order.iter().enumerate() {
            policies[position * models + model] = policy[index_of(key)] as f32;
        }
    }
    let edges = order.iter().map(|&key| {
        let index = usize::from(kept[index_of(key)]);
        let class = from.classes.get(index).copied().unwrap_or(0);
        Edge { prior: priors[index_of(key)] as f32, child: NO_NODE, mv: from.moves[index], class }
    });
    tree.set_edges(index, edges, policies);
}

/// Orders by falling prior, then by rising index. It takes the priors as they are stored, so that priors equal in 32
/// bits count as equal; positive floats have the same order as their bits.
fn sort_key(prior: f32, index: u16) -> u64 {
    u64::from(!prior.to_bits()) << 16 | u64::from(index)
}

fn index_of(key: u64) -> usize {
    (key & 0xffff) as usize
}
