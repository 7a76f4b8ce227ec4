//! Owners whose moves a model makes.

use super::rules::{At, Needs, Pick, Rule};
use super::tree::{Node, Tree};
use crate::rng::Rng;

/// One of the edges among which visits are shared out.
pub struct Share {
    pub edge: usize,
    /// Share of the visits, 0 to 1.
    pub due: f64,
    /// Visits that it has.
    pub got: u32,
}

/// The edge whose visits lag most behind its share, the next visit included; the first of several.
pub fn most_behind(shares: impl Iterator<Item = Share> + Clone) -> usize {
    let next = f64::from(shares.clone().map(|share| share.got).sum::<u32>() + 1);
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
        let forced = |child: &Node| child.started_forced();
        let shares = at.edges().iter().enumerate().map(|(i, edge)| Share {
            edge: i,
            due: policy(i).into(),
            got: at.tree.child(edge).map_or(0, forced),
        });
        Pick::forced(most_behind(shares))
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
