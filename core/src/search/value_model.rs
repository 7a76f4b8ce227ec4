//! Value models: the values of positions and of finished games, and how they are backed up the tree, all of which the
//! search loop leaves open.

use super::backup::Step;
use super::cache::Judged;
use super::margin::MarginModel;
use super::params::SearchParams;
use super::request::Answer;
use super::seats::Seats;
use super::summary::{Decided, Score};
use super::tree::Tree;
use super::win_draw_loss::WinDrawLoss;
use crate::game::Terminal;

/// A started visit of a node.
#[derive(Clone, Copy)]
pub struct Visit<'a> {
    /// The nodes from the root to the one at which the visit ends; never empty.
    pub path: &'a [Step],
    pub owners: &'a Seats,
    /// Whether the player who moves first in the game is to move at the root.
    pub first_at_root: bool,
    pub komi: f64,
}

impl Visit<'_> {
    /// The node at which the visit ends.
    pub fn node(&self) -> u32 {
        self.path[self.depth()].node
    }

    /// The plies from the root to that node.
    pub fn depth(&self) -> usize {
        self.path.len() - 1
    }

    /// Whether the player who moves first in the game is to move `depth` plies below the root.
    pub fn first_at(&self, depth: usize) -> bool {
        self.first_at_root == depth.is_multiple_of(2)
    }
}

/// What a value is and how it is backed up; one for all trees of a forest.
pub trait ValueModel: Send + Sync {
    /// Makes an empty tree keep the data that the model stores for each node.
    fn prepare(&self, _tree: &mut Tree) {}

    /// Whether one evaluation of a position serves for every komi.
    fn serves_every_komi(&self) -> bool {
        false
    }

    /// Checks that an answer about `positions` positions, whose lengths are right, has what the model needs beside win,
    /// draw and loss; says what is wrong if not.
    fn check(&self, _answer: &Answer<'_>, _positions: usize) -> Result<(), String> {
        Ok(())
    }

    /// Stores a checked evaluation in the node at which a visit ends; it is the first evaluation of this node.
    fn judge(&self, tree: &mut Tree, visit: &Visit<'_>, judged: &Judged<'_>);

    /// Fixes the value of the node at which a visit ends, where the rules have ended the game. `margin`: by how many
    /// points, after komi, the first player is ahead there.
    fn end(&self, tree: &mut Tree, visit: &Visit<'_>, known: Terminal, margin: f64);

    /// Finishes a visit, after [`judge`](ValueModel::judge) or [`end`](ValueModel::end): adds the value of the node at
    /// which it ends to the means of all nodes on the path.
    fn finish(&self, tree: &mut Tree, visit: &Visit<'_>);

    /// Adapts an expanded tree after another node has become its root; `first`: whether the first player is to move
    /// there.
    fn move_root(&self, _tree: &mut Tree, _first: bool) {}

    /// The mean winrate and margin of a visited node, from the view of the side to move at the root; `first`: whether
    /// that is the first player. `None` where values are not about points.
    fn score(&self, _tree: &Tree, _index: u32, _first: bool) -> Option<Score> {
        None
    }

    /// The net's evaluation of a visited root and the bonus that follows from it; `first` is as in
    /// [`score`](ValueModel::score).
    fn decided(&self, _tree: &Tree, _first: bool, _komi: f64) -> Option<Decided> {
        None
    }
}

/// The value model for these seats: by margins where a seat weighs them, else by win, draw and loss.
pub fn value_model(seats: &Seats, params: &SearchParams) -> Box<dyn ValueModel> {
    match seats.bonuses() {
        Some(bonuses) => Box::new(MarginModel { bonuses, margins: params.margins }),
        None => Box::new(WinDrawLoss { sticky: params.sticky_endgames }),
    }
}
