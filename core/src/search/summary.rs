//! What a finished search has to say.

use super::choose::{Temperature, choose, principal_variation, rank};
use super::error::ForestError;
use super::forest::{Forest, TreeId};
use super::tree::ROOT;
use crate::game::{Game, Move};
use crate::rng::Rng;

/// A root's move and what the search found of it, for the side to move at the root.
#[derive(Clone, Debug)]
pub struct RootMove {
    pub name: String,
    pub n: u32,
    pub q: f64,
    pub d: f64,
    pub m: f64,
    pub prior: f32,
    /// −1 a proven loss, +1 a proven win, 0 a proven draw.
    pub proven: Option<i8>,
}

#[derive(Clone, Debug)]
pub struct RootSummary {
    pub n: u32,
    pub q: f64,
    pub d: f64,
    pub m: f64,
    pub moves: Vec<RootMove>,
}

impl<G: Game> Forest<G> {
    /// What the search found at the root, its moves as a player ranks them.
    pub fn summary(&self, id: TreeId) -> Result<RootSummary, ForestError> {
        let slot = self.slot(id)?;
        let tree = &slot.tree;
        let ds = self.draw_score(slot);
        let moves = rank(tree, ROOT, ds).into_iter().map(|i| {
            let edge = &tree.edges(ROOT)[i];
            let child = tree.child(edge).filter(|child| child.n > 0);
            RootMove {
                name: slot.game.move_name(edge.mv),
                n: child.map_or(0, |c| c.n),
                q: child.map_or(0.0, |c| c.q(ds)),
                d: child.map_or(0.0, |c| c.d),
                m: child.map_or(0.0, |c| c.m),
                prior: edge.prior,
                proven: child.filter(|c| c.lower == c.upper).map(|c| c.lower),
            }
        });
        let root = tree.root();
        Ok(RootSummary { n: root.n, q: -root.q(-ds), d: root.d, m: root.m, moves: moves.collect() })
    }

    /// The move that the root's owner plays; `None` when the root has no evaluation.
    pub fn choose(
        &self,
        id: TreeId,
        temperature: Temperature,
        seed: u64,
    ) -> Result<Option<String>, ForestError> {
        let slot = self.slot(id)?;
        let edge = choose(&slot.tree, self.draw_score(slot), temperature, &mut Rng::new(seed));
        Ok(edge.map(|edge| slot.game.move_name(slot.tree.edges(ROOT)[edge].mv)))
    }

    /// The names of the moves of the principal variation, after a given first move where there is one.
    pub fn line(&self, id: TreeId, first: Option<Move>) -> Result<Vec<String>, ForestError> {
        let slot = self.slot(id)?;
        let first = first.and_then(|mv| slot.tree.edges(ROOT).iter().position(|edge| edge.mv == mv));
        let mut game = slot.game.clone();
        let mut node = ROOT;
        let mut names = Vec::new();
        for edge in principal_variation(&slot.tree, first, self.draw_score(slot)) {
            let edge = &slot.tree.edges(node)[edge];
            names.push(game.move_name(edge.mv));
            game.play(edge.mv);
            node = edge.child;
        }
        Ok(names)
    }
}
