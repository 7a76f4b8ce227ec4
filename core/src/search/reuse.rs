//! Keeping the part of a tree below the move that was played.

use super::tree::{NO_NODE, Node, ROOT, State, Tree};

impl Tree {
    /// The tree below the root's move number `edge`; an empty tree where nothing below it was evaluated.
    ///
    /// A draw by repetition whose earlier occurrence now lies before the root is a draw no longer: its visits are taken
    /// out of all its ancestors and it waits to be expanded. A new root that was proven is reopened.
    pub fn below(&self, edge: usize) -> Tree {
        let mut tree = self.fresh();
        tree.has_moves_left = self.has_moves_left;
        let child = self.edges(ROOT)[edge].child;
        if child == NO_NODE || !self.node(child).is_expanded() {
            return tree;
        }
        tree.clear();
        copy(self, child, &mut tree);
        reopen_root(&mut tree);
        tree
    }
}

/// Copies the subtree at `from` to the empty tree `new`.
fn copy(old: &Tree, from: u32, new: &mut Tree) {
    // An explicit stack: recursion through a deep tree could overflow the thread's.
    struct Task {
        from: u32,
        to: u32,
        depth: usize,
    }
    new.push_copy(old, from);
    let mut tasks = vec![Task { from, to: ROOT, depth: 0 }];
    let mut path: Vec<u32> = Vec::new();
    while let Some(Task { from, to, depth }) = tasks.pop() {
        path.truncate(depth);
        path.push(to);
        let source = old.node(from);
        debug_assert_eq!(source.in_flight, 0, "a tree moves on only when no evaluation is under way");
        if source.state == State::TwoFold && (depth as f64) < source.m {
            // Below a proven node nothing is taken out: it is not searched any more, and its exact value has replaced
            // the draw's in the means.
            if !path[1..depth].iter().any(|&node| new.node(node).is_terminal()) {
                forget(new, &path);
            }
            continue;
        }
        new.set_edges(to, old.edges(from).iter().copied(), old.policies_of(from));
        if let Some(notes) = old.notes(from) {
            new.set_notes(to, notes);
        }
        for (position, edge) in old.edges(from).iter().enumerate() {
            if edge.child != NO_NODE {
                let child = new.nodes.len() as u32;
                new.push_copy(old, edge.child);
                new.edges_mut(to)[position].child = child;
                tasks.push(Task { from: edge.child, to: child, depth: depth + 1 });
            }
        }
    }
}

/// Takes the visits of the last node of `path` out of this node and out of all its ancestors on the path.
fn forget(tree: &mut Tree, path: &[u32]) {
    let Some(&last) = path.last() else { return };
    let Node { n: visits, wl, d, m, .. } = tree.node(last).clone();
    for (height, &index) in path.iter().rev().enumerate() {
        let node = tree.node_mut(index);
        let left = node.n - visits;
        node.n = left;
        node.forced = node.forced.min(left);
        if left == 0 {
            (node.wl, node.d, node.m) = (0.0, 0.0, 0.0);
        } else {
            let ratio = f64::from(visits) / f64::from(left);
            // A draw is worth nothing to both sides: no change of sign on the way up.
            node.wl -= ratio * (wl - node.wl);
            node.d -= ratio * (d - node.d);
            node.m -= ratio * (m + height as f64 - node.m);
        }
    }
    let node = tree.node_mut(last);
    node.state = State::Unexpanded;
}

/// Opens the root again, which is never terminal. A root that was proven gets the mean of its children and of the
/// proven value.
fn reopen_root(tree: &mut Tree) {
    let mut root = tree.root().clone();
    (root.forced, root.lower, root.upper) = (0, -1, 1);
    if root.is_terminal() {
        root.state = State::Expanded;
        root.n = 1;
        for child in tree.edges(ROOT).iter().filter_map(|edge| tree.child(edge)).filter(|child| child.n > 0) {
            root.n += child.n;
            let weight = f64::from(child.n) / f64::from(root.n);
            root.wl += (-child.wl - root.wl) * weight;
            root.d += (child.d - root.d) * weight;
            root.m += (child.m + 1.0 - root.m) * weight;
        }
    }
    *tree.node_mut(ROOT) = root;
}
