//! From a leaf to the root: means, and what the children prove (`specs/search.md`, Backup).

use super::rules::Rule;
use super::seats::Seats;
use super::tree::{ROOT, State, Tree};

/// One node of a descent, and whether a model forced the move into it.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub node: u32,
    pub forced: bool,
}

/// The value of a leaf, from the view of the player who moved into it.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    pub wl: f64,
    pub d: f64,
    pub m: f64,
}

/// A node that has just become terminal: its average was wrong in all ancestors by this much per visit.
struct Correction {
    visits: u32,
    wl: f64,
    d: f64,
    m: f64,
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

/// Finishes a started visit of the last node of `path`, from the root; it may freeze nodes on the way. With `sticky`,
/// what the children of a node prove is taken over: it depends on who moves there.
pub fn finish(tree: &mut Tree, path: &[Step], leaf: Value, owners: &Seats, sticky: bool) {
    let Some((last, _)) = path.split_last() else { return };
    let first_visit_of_terminal = tree.node(last.node).is_terminal() && tree.node(last.node).n == 0;
    let mut proves = sticky && first_visit_of_terminal;
    let Value { mut wl, mut d, mut m } = leaf;
    let mut correction: Option<Correction> = None;

    for i in (0..path.len()).rev() {
        let node = tree.node_mut(path[i].node);
        if node.is_terminal() {
            // It may have become so through another descendant: the exact value replaces the leaf's from here on.
            (wl, d, m) = (node.wl, node.d, node.m);
        }
        node.add(wl, d, m);
        if !node.is_terminal()
            && let Some(fix) = &correction
        {
            let share = f64::from(fix.visits) / f64::from(node.n);
            node.wl += fix.wl * share;
            node.d += fix.d * share;
            node.m += fix.m * share;
        }
        arrive(tree, &path[i], owners.rule(i));
        if i == 0 {
            break;
        }
        let (parent, grandparent) = (path[i - 1].node, i.checked_sub(2).map(|i| path[i].node));
        if tree.node(parent).is_terminal() {
            correction = None;
            proves = false;
        }
        proves = proves && parent != ROOT;
        if proves {
            let free = owners.rule(i - 1).is_free(tree, parent);
            match prove_from_children(tree, parent, grandparent, m, free) {
                Proof::None => proves = false,
                Proof::Bounds => {}
                Proof::Result(fix) => correction = Some(fix),
            }
        }
        wl = -wl;
        m += 1.0;
        if let Some(fix) = &mut correction {
            fix.wl = -fix.wl;
        }
    }
}

/// Ends a step that was under way, after the node has its value.
pub fn arrive(tree: &mut Tree, step: &Step, rule: &dyn Rule) {
    let node = tree.node_mut(step.node);
    node.in_flight -= 1;
    node.forced_in_flight -= u32::from(step.forced);
    node.forced += u32::from(step.forced);
    if let Some(visits) = rule.freezes_after() {
        freeze_when_due(tree, step.node, visits);
    }
}

/// The node's own first visit apart, all its visits went to its children.
fn freeze_when_due(tree: &mut Tree, index: u32, visits: u32) {
    let node = tree.node(index);
    if node.n > visits && node.is_expanded() && !node.is_terminal() && tree.shares(index).is_none() {
        tree.freeze(index);
    }
}

enum Proof {
    None,
    Bounds,
    /// The correction has the sign of the proven node's child; the caller turns it with the value.
    Result(Correction),
}

/// Recomputes what is proven of a node from its children, each bound being from the view of the node's mover. A mover
/// who is `free` gets the best of the children; where a model has a say it is proven only what all of them prove.
fn prove_from_children(tree: &mut Tree, index: u32, parent: Option<u32>, m: f64, free: bool) -> Proof {
    let (mut lower, mut upper, mut longest_loss) = (if free { -1 } else { 1 }, -1, 0.0_f64);
    for edge in tree.edges(index) {
        let (child_lower, child_upper, child_m) =
            tree.child(edge).map_or((-1, 1, 0.0), |c| (c.lower, c.upper, c.m));
        lower = if free { lower.max(child_lower) } else { lower.min(child_lower) };
        upper = upper.max(child_upper);
        if free && child_lower == 1 {
            break;
        }
        if child_upper == -1 {
            longest_loss = longest_loss.max(child_m);
        }
    }
    if lower == -1 && upper == 1 {
        return Proof::None;
    }
    let node = tree.node_mut(index);
    if lower < upper {
        node.lower = -upper;
        node.upper = -lower;
        return Proof::Bounds;
    }
    let (visits, old_wl, old_d, old_m) = (node.n, node.wl, node.d, node.m);
    let m = if upper == -1 { longest_loss.max(m) } else { m } + 1.0;
    node.make_terminal(-upper, m, State::Terminal);
    let fix = Correction { visits, wl: -(node.wl - old_wl), d: node.d - old_d, m: node.m - old_m };
    let lost = node.wl < 0.0;
    if let Some(parent) = parent.filter(|_| lost) {
        clear_prior(tree, parent, index);
    }
    Proof::Result(fix)
}

/// A lost move has no uncertainty left to explore.
pub fn clear_prior(tree: &mut Tree, parent: u32, child: u32) {
    if let Some(edge) = tree.edge_to(parent, child) {
        edge.prior = 0.0;
    }
}
