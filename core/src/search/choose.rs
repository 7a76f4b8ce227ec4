//! The move that a finished search plays (`specs/search.md`, Final move).

use std::cmp::Ordering;

use super::tree::{Edge, ROOT, State, Tree};
use crate::rng::Rng;

/// How to sample among the root's moves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Temperature {
    /// 0 plays the best move.
    pub value: f64,
    /// Moves worse than the most visited one by more than this in Q are not sampled.
    pub q_cutoff: f64,
    /// Added to every move's visits.
    pub visit_offset: f64,
}

/// Sorts the edges of a node as a player ranks them: proven wins (the shortest first), open results by visits, then Q,
/// then prior, and last the proven losses (the longest first).
pub fn rank(tree: &Tree, node: u32, draw_score: f64) -> Vec<usize> {
    let edges = tree.edges(node);
    let mut order: Vec<usize> = (0..edges.len()).collect();
    order.sort_by(|&a, &b| compare(tree, &edges[b], &edges[a], draw_score));
    order
}

fn compare(tree: &Tree, a: &Edge, b: &Edge, draw_score: f64) -> Ordering {
    let key = |edge: &Edge| match tree.child(edge) {
        Some(child) if child.n > 0 => {
            let proven = if child.state == State::Terminal { child.wl as i8 } else { 0 };
            (proven, child.n, child.q(draw_score), child.m)
        }
        _ => (0, 0, f64::NEG_INFINITY, 0.0),
    };
    let (proven_a, n_a, q_a, m_a) = key(a);
    let (proven_b, n_b, q_b, m_b) = key(b);
    proven_a.cmp(&proven_b).then_with(|| match proven_a {
        1 => m_b.total_cmp(&m_a),
        -1 => m_a.total_cmp(&m_b),
        _ => n_a.cmp(&n_b).then(q_a.total_cmp(&q_b)).then(a.prior.total_cmp(&b.prior)),
    })
}

/// The edge that the root's owner plays, `None` when the root was not expanded.
pub fn choose(tree: &Tree, draw_score: f64, temperature: Temperature, rng: &mut Rng) -> Option<usize> {
    let best = rank(tree, ROOT, draw_score).first().copied()?;
    if temperature.value == 0.0 {
        return Some(best);
    }
    let edges = tree.edges(ROOT);
    let visits = |edge: &Edge| tree.child(edge).map_or(0, |child| child.n);
    if edges.iter().all(|edge| visits(edge) == 0) {
        // One visit has no visit counts: sample the priors, as lc0 does from 0.29.
        let weight = |edge: &Edge| f64::from(edge.prior).powf(1.0 / temperature.value);
        return Some(sample(&edges.iter().map(weight).collect::<Vec<_>>(), rng));
    }
    let most = edges.iter().map(visits).max().unwrap_or(0);
    let top_q = edges
        .iter()
        .filter(|edge| visits(edge) == most)
        .filter_map(|edge| tree.child(edge))
        .map(|child| child.q(draw_score))
        .fold(f64::NEG_INFINITY, f64::max);
    let weight = |edge: &Edge| match tree.child(edge) {
        Some(child) if child.n > 0 && child.q(draw_score) >= top_q - temperature.q_cutoff => {
            let share = (f64::from(child.n) + temperature.visit_offset).max(0.0) / f64::from(most);
            share.powf(1.0 / temperature.value)
        }
        _ => 0.0,
    };
    let weights: Vec<f64> = edges.iter().map(weight).collect();
    if weights.iter().sum::<f64>() > 0.0 { Some(sample(&weights, rng)) } else { Some(best) }
}

fn sample(weights: &[f64], rng: &mut Rng) -> usize {
    let mut left = rng.uniform() * weights.iter().sum::<f64>();
    let positive = weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
    let mut last = 0;
    for (i, weight) in positive {
        last = i;
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    last
}

/// The edges of the principal variation, which may start with a given edge of the root.
pub fn principal_variation(tree: &Tree, first: Option<usize>, draw_score: f64) -> Vec<usize> {
    let mut line = Vec::new();
    let (mut node, mut draw_score, mut next) = (ROOT, draw_score, first);
    while let Some(edge) = next.take().or_else(|| rank(tree, node, draw_score).first().copied()) {
        let chosen = &tree.edges(node)[edge];
        let visited = tree.child(chosen).is_some_and(|child| child.n > 0);
        if !visited && !line.is_empty() {
            break;
        }
        line.push(edge);
        if !visited {
            break;
        }
        node = chosen.child;
        draw_score = -draw_score;
    }
    line
}
