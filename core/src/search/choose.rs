//! The move that a finished search plays (`docs/methods/search.md`, "Final move").

use std::cmp::Ordering;

use super::params::SearchParams;
use super::rules::At;
use super::seats::Seats;
use super::tree::{Edge, ROOT, State, Tree};
use crate::rng::Rng;

/// How to sample among the root's moves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Temperature {
    /// 0 plays the best move.
    pub value: f64,
    /// Moves worse than the most visited one by more than this in Q are not sampled.
    pub q_cutoff: f64,
    /// Added to the visits of every move that has any.
    pub visit_offset: f64,
}

/// The evidence for a move, by which the root's moves are ranked and sampled.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Vote {
    /// −1 a proven loss, +1 a proven win, else 0.
    pub proven: i8,
    pub visits: u32,
    pub q: f64,
    /// Mean plies left.
    pub m: f64,
}

impl Default for Vote {
    /// The vote for a move without visits.
    fn default() -> Vote {
        Vote { proven: 0, visits: 0, q: f64::NEG_INFINITY, m: 0.0 }
    }
}

/// The vote for each edge. Only visits that no model forced count; but all count where models forced every one, as then
/// it is the models who choose the move.
pub fn evidence(at: &At<'_>) -> Vec<Vote> {
    let edges = at.edges();
    let visited = |edge: &Edge| at.tree.child(edge).filter(|child| child.n > 0);
    let chosen = edges.iter().filter_map(visited).any(|child| child.n > child.forced);
    let vote = |edge: &Edge| match visited(edge) {
        Some(child) => Vote {
            proven: if child.state == State::Terminal { child.wl as i8 } else { 0 },
            visits: if chosen { child.n - child.forced } else { child.n },
            q: child.q(at.draw_score),
            m: child.m,
        },
        None => Vote::default(),
    };
    edges.iter().map(vote).collect()
}

/// Sorts edges as a player ranks them: proven wins (the shortest first), open results by visits, then Q, then prior,
/// and last the proven losses (the longest first).
pub fn rank(edges: &[Edge], votes: &[Vote]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..edges.len()).collect();
    let prior = |i: usize| edges[i].prior;
    order.sort_by(|&a, &b| compare(&votes[b], &votes[a], || prior(b).total_cmp(&prior(a))));
    order
}

fn compare(a: &Vote, b: &Vote, by_prior: impl Fn() -> Ordering) -> Ordering {
    a.proven.cmp(&b.proven).then_with(|| match a.proven {
        1 => b.m.total_cmp(&a.m),
        -1 => a.m.total_cmp(&b.m),
        _ => a.visits.cmp(&b.visits).then(a.q.total_cmp(&b.q)).then_with(by_prior),
    })
}

/// The index of the edge to play; `None` when there are no edges because the root was not expanded.
pub fn choose(edges: &[Edge], votes: &[Vote], temperature: Temperature, rng: &mut Rng) -> Option<usize> {
    let best = rank(edges, votes).first().copied()?;
    if temperature.value == 0.0 {
        return Some(best);
    }
    let most = votes.iter().map(|vote| vote.visits).max().unwrap_or(0);
    if most == 0 {
        // After a single visit no move has visits yet: sample by the priors, as lc0 does since 0.29.
        let largest = edges.iter().map(|edge| edge.prior).fold(f32::MIN_POSITIVE, f32::max);
        let weight = |edge: &Edge| f64::from(edge.prior / largest).powf(1.0 / temperature.value);
        return Some(sample(edges.iter().map(weight), rng));
    }
    let largest = (f64::from(most) + temperature.visit_offset).max(f64::MIN_POSITIVE);
    let leaders = votes.iter().filter(|vote| vote.visits == most);
    let top_q = leaders.map(|vote| vote.q).fold(f64::NEG_INFINITY, f64::max);
    let weight = |vote: &Vote| {
        if vote.visits == 0 || vote.q < top_q - temperature.q_cutoff {
            return 0.0;
        }
        let visits = f64::from(vote.visits) + temperature.visit_offset;
        // At most 1, so that a low temperature makes it small, not infinite.
        (visits.max(0.0) / largest).powf(1.0 / temperature.value)
    };
    let weights = votes.iter().map(weight);
    if weights.clone().sum::<f64>() > 0.0 { Some(sample(weights, rng)) } else { Some(best) }
}

/// Draws the index of one of the weights, with probability in proportion to the weight.
pub fn sample(weights: impl Iterator<Item = f64> + Clone, rng: &mut Rng) -> usize {
    let mut left = rng.uniform() * weights.clone().sum::<f64>();
    let positive = weights.enumerate().filter(|(_, weight)| *weight > 0.0);
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

/// The edges of the principal variation, each the one that the owner of its node would play. `first`: the edge of the
/// root to start with, if given.
pub fn principal_variation(
    tree: &Tree,
    seats: &Seats,
    params: &SearchParams,
    first: Option<usize>,
    draw_score: f64,
) -> Vec<usize> {
    let mut line = Vec::new();
    let (mut node, mut draw_score, mut next) = (ROOT, draw_score, first);
    let best = |node, draw_score, depth| {
        let at = At { tree, node, draw_score, params };
        rank(tree.edges(node), &seats.rule(depth).votes(&at)).first().copied()
    };
    while let Some(edge) = next.take().or_else(|| best(node, draw_score, line.len())) {
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
