//! How the owner of a node picks the next move.
//!
//! A rule is one small type with one method. It sees a node's statistics and names an edge; the search loop knows no
//! rule by name. To add one, implement [`Rule`] and give it a name at the border.

use super::choose::{Vote, evidence};
use super::params::{SearchParams, Selection};
use super::tree::{NO_NODE, Node, ROOT, Tree};
use super::value::{MovesLeftUtility, first_play_urgency};
use crate::rng::Rng;

/// The node at which a rule chooses.
pub struct At<'a> {
    pub tree: &'a Tree,
    pub node: u32,
    /// The worth of a draw to the side to move here.
    pub draw_score: f64,
    pub params: &'a SearchParams,
}

impl At<'_> {
    pub fn selection(&self) -> &Selection {
        if self.node == ROOT { &self.params.root } else { &self.params.inner }
    }
}

/// A rule's answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pick {
    pub edge: usize,
    /// A model forced the move: the visit is no evidence of what the owner would choose.
    pub forced: bool,
}

pub trait Rule: Send + Sync {
    fn pick(&self, at: &At<'_>, rng: &mut Rng) -> Pick;

    /// What speaks for each edge when the owner has to play.
    fn votes(&self, at: &At<'_>) -> Vec<Vote> {
        evidence(at)
    }

    /// Whether the owner of a node may play what it likes, so that one won move wins the node for it.
    fn is_free(&self, _tree: &Tree, _node: u32) -> bool {
        true
    }

    /// Finished visits into a node's children at which they are frozen.
    fn freezes_after(&self) -> Option<u32> {
        None
    }

    /// Appends the evaluators whose policy this rule follows, as the caller numbers them.
    fn followed(&self, _models: &mut Vec<usize>) {}

    /// Tells the rule where the policies of the models it follows stand in the tree.
    fn locate(&mut self, _models: &[usize]) {}

    /// Whether the rule looks at the classes of moves.
    fn by_class(&self) -> bool {
        false
    }
}

/// PUCT as lc0 computes it (`specs/search.md`, Selection at a node). Visits forced by a model count neither in the
/// numerator nor in the denominator of the exploration term.
#[derive(Clone, Debug)]
pub struct Puct;

impl Rule for Puct {
    fn pick(&self, at: &At<'_>, _rng: &mut Rng) -> Pick {
        let tree = at.tree;
        let node = tree.node(at.node);
        let edges = tree.edges(at.node);
        let selection = at.selection();
        let moves_left = MovesLeftUtility::at(tree, node, &at.params.moves_left);
        let touched = &edges[..usize::from(node.touched).min(edges.len())];

        let forced: u32 = if tree.models == 0 {
            0
        } else {
            touched.iter().filter_map(|edge| tree.child(edge)).map(|c| c.forced).sum()
        };
        let exploration = selection.exploration(node.n - forced);

        let (mut best, mut best_score) = (0, f64::NEG_INFINITY);
        let (mut fresh, mut fresh_bonus) = (edges.len(), f64::NEG_INFINITY);
        let mut visited_policy = 0.0;
        for (i, edge) in touched.iter().enumerate() {
            let prior = f64::from(edge.prior);
            let mut started = 0;
            if edge.child != NO_NODE {
                let child = tree.node(edge.child);
                started = child.started() - child.started_forced();
                if child.n > 0 {
                    visited_policy += prior;
                    let q = child.q(at.draw_score);
                    let q = q + moves_left.map_or(0.0, |utility| utility.of(child, q));
                    let score = q + prior * exploration / f64::from(1 + started);
                    if score > best_score {
                        (best, best_score) = (i, score);
                    }
                    continue;
                }
            }
            let bonus = prior * exploration / f64::from(1 + started);
            if bonus > fresh_bonus {
                (fresh, fresh_bonus) = (i, bonus);
            }
        }
        // Of the untouched edges the first has the largest prior.
        if let Some(edge) = edges.get(touched.len()) {
            let bonus = f64::from(edge.prior) * exploration;
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
        Pick { edge: best, forced: false }
    }
}

/// Visits in proportion to a model's policy: each goes to the move whose share lags most behind its probability.
#[derive(Clone, Debug)]
pub struct Follow {
    /// The evaluator that is followed.
    pub model: usize,
    slot: usize,
}

impl Follow {
    pub fn new(model: usize) -> Follow {
        Follow { model, slot: 0 }
    }
}

impl Rule for Follow {
    fn pick(&self, at: &At<'_>, _rng: &mut Rng) -> Pick {
        let edges = at.tree.edges(at.node);
        let forced = |i: usize| at.tree.child(&edges[i]).map_or(0, Node::started_forced);
        let next = f64::from((0..edges.len()).map(forced).sum::<u32>() + 1);
        let (mut best, mut best_lag) = (0, f64::NEG_INFINITY);
        for i in 0..edges.len() {
            let lag = f64::from(at.tree.policy(at.node, i, self.slot)) * next - f64::from(forced(i));
            if lag > best_lag {
                (best, best_lag) = (i, lag);
            }
        }
        Pick { edge: best, forced: true }
    }

    fn is_free(&self, _tree: &Tree, _node: u32) -> bool {
        false
    }

    fn followed(&self, models: &mut Vec<usize>) {
        models.push(self.model);
    }

    fn locate(&mut self, models: &[usize]) {
        self.slot = models.iter().position(|&model| model == self.model).unwrap_or(0);
    }
}

/// Always a model's most probable move, as a player who takes the maximum of a policy.
#[derive(Clone, Debug)]
pub struct FollowBest {
    /// The evaluator that is followed.
    pub model: usize,
    slot: usize,
}

impl FollowBest {
    pub fn new(model: usize) -> FollowBest {
        FollowBest { model, slot: 0 }
    }
}

impl Rule for FollowBest {
    fn pick(&self, at: &At<'_>, _rng: &mut Rng) -> Pick {
        let (mut best, mut best_policy) = (0, f32::NEG_INFINITY);
        for i in 0..at.tree.edges(at.node).len() {
            let policy = at.tree.policy(at.node, i, self.slot);
            if policy > best_policy {
                (best, best_policy) = (i, policy);
            }
        }
        Pick { edge: best, forced: true }
    }

    fn is_free(&self, _tree: &Tree, _node: u32) -> bool {
        false
    }

    fn followed(&self, models: &mut Vec<usize>) {
        models.push(self.model);
    }

    fn locate(&mut self, models: &[usize]) {
        self.slot = models.iter().position(|&model| model == self.model).unwrap_or(0);
    }
}

/// Tosses a coin before each visit: `first` decides with probability `p`, else `second`.
pub struct Coin {
    pub p: f64,
    pub first: Box<dyn Rule>,
    pub second: Box<dyn Rule>,
}

impl Rule for Coin {
    fn pick(&self, at: &At<'_>, rng: &mut Rng) -> Pick {
        let rule = if rng.uniform() < self.p { &self.first } else { &self.second };
        rule.pick(at, rng)
    }

    /// As the first rule counts them.
    fn votes(&self, at: &At<'_>) -> Vec<Vote> {
        self.first.votes(at)
    }

    fn is_free(&self, tree: &Tree, node: u32) -> bool {
        self.first.is_free(tree, node) && self.second.is_free(tree, node)
    }

    fn freezes_after(&self) -> Option<u32> {
        self.first.freezes_after().or_else(|| self.second.freezes_after())
    }

    fn followed(&self, models: &mut Vec<usize>) {
        self.first.followed(models);
        self.second.followed(models);
    }

    fn locate(&mut self, models: &[usize]) {
        self.first.locate(models);
        self.second.locate(models);
    }

    fn by_class(&self) -> bool {
        self.first.by_class() || self.second.by_class()
    }
}
