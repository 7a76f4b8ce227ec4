//! The counts of visits in flight and of finished visits at each node, whatever the value model.

use super::rules::Rule;
use super::tree::Tree;

/// One node of a descent, and whether a model forced the move into it.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub node: u32,
    pub forced: bool,
}

/// Counts a visit as in flight at all nodes of its path.
pub fn start(tree: &mut Tree, path: &[Step]) {
    for step in path {
        let node = tree.node_mut(step.node);
        node.in_flight += 1;
        node.forced_in_flight += u32::from(step.forced);
    }
}

/// Takes back a visit that will not be finished: it ended in a collision, or its request was withdrawn.
pub fn cancel(tree: &mut Tree, path: &[Step]) {
    for step in path {
        let node = tree.node_mut(step.node);
        node.in_flight -= 1;
        node.forced_in_flight -= u32::from(step.forced);
    }
}

/// Counts a visit of a node as no longer in flight, after its value was added to the node's means, and lets the rule of
/// the node take notes.
pub fn arrive(tree: &mut Tree, step: &Step, rule: &dyn Rule) {
    let node = tree.node_mut(step.node);
    node.in_flight -= 1;
    node.forced_in_flight -= u32::from(step.forced);
    node.forced += u32::from(step.forced);
    if let Some(memory) = rule.memory() {
        memory.visited(tree, step.node);
    }
}
