//! Rules under which a model's policy decides the visits.

use super::rules::{At, Needs, Pick, Rule};
use super::tree::{Edge, Node, Tree};
use crate::rng::Rng;

/// One of several edges among which visits are shared out.
pub struct Share {
    pub edge: usize,
    /// The share of the visits that is due to the edge, 0 to 1.
    pub due: f64,
    /// The visits that the edge has got.
    pub got: u32,
}

/// The edge whose visits lag most behind its share of all visits, the next one included; the first among equals. `got`:
/// the visits of all edges together, which the caller knows without walking `shares` twice.
pub fn most_behind(got: u32, shares: impl Iterator<Item = Share>) -> usize {
    let next = f64::from(got + 1);
    let (mut best, mut best_lag) = (0, f64::NEG_INFINITY);
    for Share { edge, due, got } in shares {
        let lag = due * next - f64::from(got);
        if lag > best_lag {
            (best, best_lag) = (edge, lag);
        }
    }
    best
}

/// Visits in proportion to a model's policy: each goes to the move whose share lags most behind its probability.
#[derive(Clone, Debug)]
pub struct Follow {
    /// The evaluator that is followed.
    pub model: usize,
}

impl Rule for Follow {
    fn pick(&self, at: &At<'_>, _rng: &mut Rng) -> Pick {
        let policy = at.tree.policy(at.node, self.model);
        let forced = |edge: &Edge| at.tree.child(edge).map_or(0, Node::started_forced);
        let got = at.tree.touched(at.node).iter().map(forced).sum();
        let shares = at.edges().iter().enumerate().map(|(i, edge)| Share {
            edge: i,
            due: policy(i).into(),
            got: forced(edge),
        });
        Pick::forced(most_behind(got, shares))
    }

    fn is_free(&self, _tree: &Tree, _node: u32) -> bool {
        false
    }

    fn needs(&self) -> Needs {
        Needs::policy_of(self.model)
    }
}

/// Always a model's most probable move, as a player who takes the maximum of a policy.
#[derive(Clone, Debug)]
pub struct FollowBest {
    /// The evaluator that is followed.
    pub model: usize,
}

impl Rule for FollowBest {
    fn pick(&self, at: &At<'_>, _rng: &mut Rng) -> Pick {
        let policy = at.tree.policy(at.node, self.model);
        let (mut best, mut best_policy) = (0, f32::NEG_INFINITY);
        for i in 0..at.edges().len() {
            if policy(i) > best_policy {
                (best, best_policy) = (i, policy(i));
            }
        }
        Pick::forced(best)
    }

    fn is_free(&self, _tree: &Tree, _node: u32) -> bool {
        false
    }

    fn needs(&self) -> Needs {
        Needs::policy_of(self.model)
    }
}
