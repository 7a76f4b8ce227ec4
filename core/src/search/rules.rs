//! How the owner of a node picks the next move.
//!
//! A rule sees a node's statistics and names an edge; the search loop knows no rule by name. To add one, write
//! [`Rule::pick`] in a file of its own and give the rule a name at the border to Python.

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

    pub fn edges(&self) -> &'a [Edge] {
        self.tree.edges(self.node)
    }

    pub fn selection(&self) -> &'a Selection {
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

impl Pick {
    pub fn chosen(edge: usize) -> Pick {
        Pick { edge, forced: false }
    }

    pub fn forced(edge: usize) -> Pick {
        Pick { edge, forced: true }
    }
}

/// What the nodes of a rule must hold for it, beside their statistics.
#[derive(Default, Debug)]
pub struct Needs {
    /// The evaluators whose policies it looks at, as the caller numbers them.
    pub models: Vec<usize>,
    /// Whether it looks at the classes of moves.
    pub classes: bool,
}

impl Needs {
    /// The policy of one model.
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

/// How the owner of a node picks the next move. [`pick`](Rule::pick) is all that a rule must have; the rest says what
/// follows from it, and by default is that of an owner who plays what it likes and forgets what it did.
pub trait Rule: Send + Sync {
    /// Which edge of an expanded node the next visit takes.
    fn pick(&self, at: &At<'_>, rng: &mut Rng) -> Pick;

    /// The same, or none where it has to wait for visits under way: then it draws nothing by chance.
    fn next(&self, at: &At<'_>, rng: &mut Rng) -> Option<Pick> {
        let waits = self.memory().is_some_and(|memory| memory.is_forming(at.tree, at.node));
        (!waits).then(|| self.pick(at, rng))
    }

    /// What speaks for each edge when the owner has to play.
    fn votes(&self, at: &At<'_>) -> Vec<Vote> {
        evidence(at)
    }

    /// Whether the owner of a node may play what it likes, so that one won move wins the node for it.
    fn is_free(&self, _tree: &Tree, _node: u32) -> bool {
        true
    }

    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// What the rule does with its notes on a node, where it takes any.
    fn memory(&self) -> Option<&dyn Memory> {
        None
    }
}

/// What a rule keeps in mind of a node from one visit to the next: its [notes](Tree::notes), which no other part of the
/// search reads.
pub trait Memory {
    /// A visit of the node has finished: the time to note something.
    fn visited(&self, tree: &mut Tree, node: u32);

    /// Whether what is about to be noted depends on visits under way, so that nothing can be picked before they finish.
    fn is_forming(&self, tree: &Tree, node: u32) -> bool;
}
