//! Visits on their way: what a node counts as under way and as finished, whatever values are.

use super::rules::Rule;
use super::tree::Tree;

/// One node of a descent, and whether a model forced the move into it.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub node: u32,
    pub forced: bool,
}

pub fn start(tree: &mut Tree, path: &[Step]) {
    for step in path {
        let node = tree.node_mut(step.node);
        node.in_flight += 1;
        node.forced_in_flight += u32::from(step.forced);
    }
}

/// Takes back a visit that ended in a collision.
pub fn cancel(tree: &mut Tree, path: &[Step]) {
    for step in path {
        let node = tree.node_mut(step.node);
        node.in_flight -= 1;
        node.forced_in_flight -= u32::from(step.forced);
    }
}

/// Ends a step that was under way, after the node has its value.
pub fn arrive(tree: &mut Tree, step: &Step, rule: &dyn Rule) {
    let node = tree.node_mut(step.node);
    node.in_flight -= 1;
    node.forced_in_flight -= u32::from(step.forced);
    node.forced += u32::from(step.forced);
    if let Some(memory) = rule.memory() {
        memory.visited(tree, step.node);
    }
}
