//! PUCT as lc0 computes it.

use super::rules::{At, Pick, Rule};
use super::tree::NO_NODE;
use super::value::{ChildValue, first_play_urgency};
use crate::rng::Rng;

/// PUCT's exploration term at a node. Visits forced by a model count neither in its numerator nor in its denominator.
#[derive(Clone, Copy)]
pub struct Exploration(f64);

impl Exploration {
    pub fn at(at: &At<'_>) -> Exploration {
        let (tree, node) = (at.tree, at.node());
        let visited = tree.touched(at.node).iter().filter_map(|edge| tree.child(edge));
        let forced: u32 = if tree.models().is_empty() { 0 } else { visited.map(|child| child.forced).sum() };
        Exploration(at.selection().exploration(node.n - forced))
    }

    /// The exploration bonus of a move, or of a group of moves, with this prior and this many started visits that no
    /// model forced.
    #[inline]
    pub fn bonus(self, prior: f64, started: u32) -> f64 {
        prior * self.0 / f64::from(1 + started)
    }
}

/// The move with the best mean value plus exploration bonus (`docs/methods/search.md`, "Selection at a node").
#[derive(Clone, Debug)]
pub struct Puct;

impl Rule for Puct {
    fn pick(&self, at: &At<'_>, _rng: &mut Rng) -> Pick {
        let (tree, edges) = (at.tree, at.edges());
        let touched = tree.touched(at.node);
        let (value, exploration) = (ChildValue::at(at), Exploration::at(at));

        let (mut best, mut best_score) = (0, f64::NEG_INFINITY);
        let (mut fresh, mut fresh_bonus) = (edges.len(), f64::NEG_INFINITY);
        let mut visited_policy = 0.0;
        for (i, edge) in touched.iter().enumerate() {
            let prior = f64::from(edge.prior);
            let mut started = 0;
            if edge.child != NO_NODE {
                let child = tree.node(edge.child);
                started = child.started_unforced();
                if child.n > 0 {
                    visited_policy += prior;
                    let score = value.of(child) + exploration.bonus(prior, started);
                    if score > best_score {
                        (best, best_score) = (i, score);
                    }
                    continue;
                }
            }
            let bonus = exploration.bonus(prior, started);
            if bonus > fresh_bonus {
                (fresh, fresh_bonus) = (i, bonus);
            }
        }
        // Of the untouched edges the first has the largest prior.
        if let Some(edge) = edges.get(touched.len()) {
            let bonus = exploration.bonus(edge.prior.into(), 0);
            if bonus > fresh_bonus {
                (fresh, fresh_bonus) = (touched.len(), bonus);
            }
        }
        if fresh < edges.len() {
            let score = first_play_urgency(at, visited_policy) + fresh_bonus;
            if score > best_score || (score == best_score && fresh < best) {
                best = fresh;
            }
        }
        Pick::chosen(best)
    }
}
