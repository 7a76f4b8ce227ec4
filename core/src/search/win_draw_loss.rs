//! Values that are means of win, draw and loss, and what the children of a node prove (`docs/methods/search.md`,
//! "Backup").

use super::backup::arrive;
use super::cache::Judged;
use super::tree::{ROOT, State, Tree};
use super::value_model::{ValueModel, Visit};
use crate::game::Terminal;

/// The value model of ordinary search: means of win, draw and loss.
pub struct WinDrawLoss {
    /// Whether a node takes over the result that its children prove, which depends on who moves there.
    pub sticky: bool,
}

impl ValueModel for WinDrawLoss {
    fn judge(&self, tree: &mut Tree, visit: &Visit<'_>, judged: &Judged<'_>) {
        let [win, draw, loss] = judged.wdl.map(f64::from);
        tree.set_own(visit.node(), win - loss);
        let node = tree.node_mut(visit.node());
        (node.wl, node.d, node.m) = (loss - win, draw, judged.moves_left.unwrap_or(0.0).into());
    }

    fn end(&self, tree: &mut Tree, visit: &Visit<'_>, known: Terminal, _margin: f64) {
        let state = if known.cycle > 0 { State::TwoFold } else { State::Terminal };
        tree.node_mut(visit.node()).make_terminal(known.result, f64::from(known.cycle), state);
        if let [.., parent, leaf] = visit.path
            && known.result < 0
        {
            clear_prior(tree, parent.node, leaf.node);
        }
    }

    /// Adds the leaf's value to the means of each node on the path; above a terminal node, the exact value of that node
    /// takes its place.
    fn finish(&self, tree: &mut Tree, visit: &Visit<'_>) {
        let path = visit.path;
        let leaf = tree.node(visit.node());
        let mut proves = self.sticky && leaf.is_terminal() && leaf.n == 0;
        let (mut wl, mut d, mut m) = (leaf.wl, leaf.d, leaf.m);
        let mut correction: Option<Correction> = None;

        for i in (0..path.len()).rev() {
            let node = tree.node_mut(path[i].node);
            if node.is_terminal() {
                // The node may have become terminal through another descendant: the exact value replaces the leaf's
                // from here on.
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
            arrive(tree, &path[i], visit.owners.rule(i));
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
                let free = visit.owners.rule(i - 1).is_free(tree, parent);
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
}

/// The correction that the ancestors of a newly proven node need: their means contain its old mean, which was off by
/// these differences in each of its `visits` visits.
struct Correction {
    visits: u32,
    wl: f64,
    d: f64,
    m: f64,
}

enum Proof {
    None,
    Bounds,
    /// The sign of the correction is that of a value at the proven node's child; the caller flips it together with the
    /// value.
    Result(Correction),
}

/// Recomputes what the children of a node prove of it; their bounds are from the view of the node's mover. A mover who
/// is `free` gets the best child; where a model has a say, only what all children prove is proven.
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

/// Sets the prior of a lost move to 0: there is no uncertainty left to explore.
fn clear_prior(tree: &mut Tree, parent: u32, child: u32) {
    if let Some(edge) = tree.edge_to(parent, child) {
        edge.prior = 0.0;
    }
}
