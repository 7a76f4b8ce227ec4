//! What positions are worth, how that goes up the tree, and what the end of a game is worth: all that the search loop
//! leaves open of values.

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
    /// From the root to the node at which it ends; never empty.
    pub path: &'a [Step],
    pub owners: &'a Seats,
    /// Whether the player who moves first in the game is to move at the root.
    pub first_at_root: bool,
    pub komi: f64,
}

impl Visit<'_> {
    /// The node at which it ends.
    pub fn node(&self) -> u32 {
        self.path[self.depth()].node
    }

    /// The plies from the root to that node.
    pub fn depth(&self) -> usize {
        self.path.len() - 1
    }

    /// Whether the player who moves first in the game is to move so many plies below the root.
    pub fn first_at(&self, depth: usize) -> bool {
        self.first_at_root == depth.is_multiple_of(2)
    }
}

pub trait ValueModel: Send + Sync {
    /// Makes an empty tree keep what the model remembers of each node.
    fn prepare(&self, _tree: &mut Tree) {}

    /// Whether one evaluation of a position serves for every komi.
    fn serves_every_komi(&self) -> bool {
        false
    }

    /// Whether an answer about so many positions has what the model needs beside win, draw and loss; else what is wrong.
    fn check(&self, _answer: &Answer<'_>, _positions: usize) -> Result<(), String> {
        Ok(())
    }

    /// Takes over what a checked evaluation says of the node at which a visit ends, the first that it has.
    fn judge(&self, tree: &mut Tree, visit: &Visit<'_>, judged: &Judged<'_>);

    /// The rules have ended the game where the visit ends: fixes what that is worth. `margin`: by how many points, after
    /// komi, the first player is ahead there.
    fn end(&self, tree: &mut Tree, visit: &Visit<'_>, known: Terminal, margin: f64);

    /// Finishes a visit of a node that was judged or ended: its worth becomes part of the means of all nodes on the
    /// path.
    fn finish(&self, tree: &mut Tree, visit: &Visit<'_>);

    /// Another node has become the root of an expanded tree; `first`: whether the first player is to move there.
    fn move_root(&self, _tree: &mut Tree, _first: bool) {}

    /// The points of a visited node, as the side to move at the root sees them; `first`: whether that is the first
    /// player. None where values are not about points.
    fn score(&self, _tree: &Tree, _index: u32, _first: bool) -> Option<Score> {
        None
    }

    /// What was decided at a visited root, with the same `first`.
    fn decided(&self, _tree: &Tree, _first: bool, _komi: f64) -> Option<Decided> {
        None
    }
}

/// By margins where a seat weighs them, else by win, draw and loss.
pub fn value_model(seats: &Seats, params: &SearchParams) -> Box<dyn ValueModel> {
    match seats.bonuses() {
        Some(bonuses) => Box::new(MarginModel { bonuses, margins: params.margins }),
        None => Box::new(WinDrawLoss { sticky: params.sticky_endgames }),
    }
}
