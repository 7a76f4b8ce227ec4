//! How the owner of a node picks the next move.
//!
//! A rule sees a node's statistics and names an edge; the search loop knows no rule by name. To add one, write
//! [`Rule::pick`] in a file of its own and give the rule a name in the Python bindings.

use super::choose::{Vote, evidence};
use super::params::{SearchParams, Selection};
use super::tree::{Edge, Node, ROOT, Tree};
use crate::rng::Rng;

/// The node at which a rule chooses.
pub struct At<'a> {
    pub tree: &'a Tree,
    pub node: u32,
    /// The worth of a draw to the side to move here.
    pub draw_score: f64,
    pub params: &'a SearchParams,
}

impl<'a> At<'a> {
    pub fn node(&self) -> &'a Node {
        self.tree.node(self.node)
    }

    /// The edges of the node, of which a rule picks one.
    pub fn edges(&self) -> &'a [Edge] {
        self.tree.edges(self.node)
    }

    /// The constants of PUCT here: the root has its own.
    pub fn selection(&self) -> &'a Selection {
        if self.node == ROOT { &self.params.root } else { &self.params.inner }
    }
}

/// The move that a rule picks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pick {
    pub edge: usize,
    /// A model forced the move: the visit is no evidence of what the owner would choose.
    pub forced: bool,
}

impl Pick {
    pub fn chosen(edge: usize) -> Pick {
        Pick { edge, forced: false }
    }

    pub fn forced(edge: usize) -> Pick {
        Pick { edge, forced: true }
    }
}

/// The data that a rule needs in its nodes, beside their statistics.
#[derive(Default, Debug)]
pub struct Needs {
    /// The numbers of the evaluators whose policies the rule uses.
    pub models: Vec<usize>,
    /// Whether the rule uses the classes of moves.
    pub classes: bool,
}

impl Needs {
    /// The needs of a rule that uses the policy of one model alone.
    pub fn policy_of(model: usize) -> Needs {
        Needs { models: vec![model], classes: false }
    }

    /// All that either needs, each model once, in rising order.
    pub fn and(mut self, other: Needs) -> Needs {
        self.models.extend(other.models);
        self.models.sort_unstable();
        self.models.dedup();
        Needs { models: self.models, classes: self.classes || other.classes }
    }
}

/// How the owner of a node picks the next move. Only [`pick`](Rule::pick) is required; the defaults of the other
/// methods are for an owner who may play what it likes and takes no notes.
pub trait Rule: Send + Sync {
    /// The edge of an expanded node that the next visit takes.
    fn pick(&self, at: &At<'_>, rng: &mut Rng) -> Pick;

    /// As [`pick`](Rule::pick); but `None`, without drawing random numbers, where the rule has to wait for visits in
    /// flight.
    fn next(&self, at: &At<'_>, rng: &mut Rng) -> Option<Pick> {
        let waits = self.memory().is_some_and(|memory| memory.is_forming(at.tree, at.node));
        (!waits).then(|| self.pick(at, rng))
    }

    /// The vote for each edge, by which the owner chooses the move to play.
    fn votes(&self, at: &At<'_>) -> Vec<Vote> {
        evidence(at)
    }

    /// Whether the owner of a node may play what it likes, so that one won move wins the node for it.
    fn is_free(&self, _tree: &Tree, _node: u32) -> bool {
        true
    }

    /// What the rule needs in nodes beside their statistics; nothing by default.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// The part of the rule that takes notes on nodes, if it takes any.
    fn memory(&self) -> Option<&dyn Memory> {
        None
    }
}

/// The memory that a rule has of a node from one visit to the next: its [notes](Tree::notes), which only the rule of the
/// node reads. Two rules of one [`Coin`](super::Coin) share them, and so must take the same.
pub trait Memory {
    /// Called when a visit of the node has finished: the time to take notes.
    fn visited(&self, tree: &mut Tree, node: u32);

    /// Whether the next notes depend on visits in flight, so that nothing can be picked before these finish.
    fn is_forming(&self, tree: &Tree, node: u32) -> bool;
}
