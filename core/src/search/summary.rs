//! The results of a search: a summary of the root, the move to play, and the principal variation.

use super::choose::{Temperature, Vote, choose, principal_variation, rank};
use super::error::ForestError;
use super::forest::{Forest, Slot, TreeId};
use super::rules::At;
use super::tree::ROOT;
use crate::game::{Game, Move};
use crate::rng::Rng;

/// A move of the root and what the search found about it, from the view of the side to move at the root.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// As [`Game::move_name`].
    pub name: String,
    /// Finished visits.
    pub n: u32,
    /// The visits that count as evidence for the move, by the root's rule.
    pub votes: u32,
    /// Mean win minus loss, −1 to 1, draws counted as the draw score; 0 without visits, as are the next two.
    pub q: f64,
    /// Mean draw probability, 0 to 1.
    pub d: f64,
    /// Mean plies left.
    pub m: f64,
    /// The judge's probability, 0 to 1, after temperature and noise; 0 for a move known to lose.
    pub prior: f32,
    /// −1 a proven loss, +1 a proven win, 0 a proven draw.
    pub proven: Option<i8>,
    /// `None` without visits, and where values are not about points.
    pub score: Option<Score>,
}

/// The mean values of a move or of the root in a search by margins, for the side to move there.
#[derive(Clone, Copy, Debug)]
pub struct Score {
    /// Mean winrate at the game's own komi, whatever the bonus.
    pub winrate: f64,
    /// Mean margin after komi, in points.
    pub margin: f64,
}

/// The net's evaluation of the root in a search by margins, and the bonus interval that follows from it.
#[derive(Clone, Copy, Debug)]
pub struct Decided {
    /// The side to move's expected margin on the board, without komi, in points.
    pub alpha: f64,
    /// The steepness of the winrate, per point.
    pub beta: f64,
    /// Bonus points of the side to move, from x_mu to x_lambda.
    pub interval: [f64; 2],
}

/// What a search found at its root, for the side to move there.
#[derive(Clone, Debug)]
pub struct RootSummary {
    /// Finished visits, the root's own evaluation included.
    pub n: u32,
    /// Mean win minus loss, −1 to 1, draws counted as the draw score.
    pub q: f64,
    /// Mean draw probability, 0 to 1.
    pub d: f64,
    /// Mean plies left.
    pub m: f64,
    /// `None` before the first visit, and where values are not about points; so is `decided`.
    pub score: Option<Score>,
    pub decided: Option<Decided>,
    /// All moves that are searched, as a player ranks them; none before the root has an evaluation.
    pub moves: Vec<RootMove>,
}

impl<G: Game> Forest<G> {
    /// What the search found at the root, its moves as a player ranks them.
    pub fn summary(&self, id: TreeId) -> Result<RootSummary, ForestError> {
        let slot = self.slot(id)?;
        let tree = &slot.tree;
        let (ds, first) = (self.draw_score(slot), slot.game.first_to_move());
        let (edges, votes) = (tree.edges(ROOT), self.votes(slot));
        let moves = rank(edges, &votes).into_iter().map(|i| {
            let edge = &edges[i];
            let child = tree.child(edge).filter(|child| child.n > 0);
            RootMove {
                name: slot.game.move_name(edge.mv),
                n: child.map_or(0, |c| c.n),
                votes: votes[i].visits,
                q: child.map_or(0.0, |c| c.q(ds)),
                d: child.map_or(0.0, |c| c.d),
                m: child.map_or(0.0, |c| c.m),
                prior: edge.prior,
                proven: child.filter(|c| c.lower == c.upper).map(|c| c.lower),
                score: child.and_then(|_| self.values.score(tree, edge.child, first)),
            }
        });
        let root = tree.root();
        let (score, decided) =
            (self.values.score(tree, ROOT, first), self.values.decided(tree, first, slot.game.komi()));
        Ok(RootSummary {
            n: root.n,
            q: -root.q(-ds),
            d: root.d,
            m: root.m,
            score: score.filter(|_| root.n > 0),
            decided: decided.filter(|_| root.n > 0),
            moves: moves.collect(),
        })
    }

    /// The move that the root's owner plays; `None` when the root has no evaluation.
    pub fn choose(
        &self,
        id: TreeId,
        temperature: Temperature,
        seed: u64,
    ) -> Result<Option<String>, ForestError> {
        let slot = self.slot(id)?;
        let edges = slot.tree.edges(ROOT);
        let edge = choose(edges, &self.votes(slot), temperature, &mut Rng::new(seed));
        Ok(edge.map(|edge| slot.game.move_name(edges[edge].mv)))
    }

    /// The vote for each of the root's moves, by the root's rule.
    fn votes(&self, slot: &Slot<G>) -> Vec<Vote> {
        let (draw_score, params) = (self.draw_score(slot), &self.params);
        self.seats.rule(0).votes(&At { tree: &slot.tree, node: ROOT, draw_score, params })
    }

    /// The names of the moves of the principal variation, or of the line that begins with `first`; none where the root
    /// has no such move.
    pub fn line(&self, id: TreeId, first: Option<Move>) -> Result<Vec<String>, ForestError> {
        let slot = self.slot(id)?;
        let edge_of = |mv| slot.tree.edges(ROOT).iter().position(|edge| edge.mv == mv);
        let first = match first.map(edge_of) {
            Some(None) => return Ok(Vec::new()),
            found => found.flatten(),
        };
        let mut game = slot.game.clone();
        let mut node = ROOT;
        let mut names = Vec::new();
        let draw_score = self.draw_score(slot);
        for edge in principal_variation(&slot.tree, &self.seats, &self.params, first, draw_score) {
            let edge = &slot.tree.edges(node)[edge];
            names.push(game.move_name(edge.mv));
            game.play(edge.mv);
            node = edge.child;
        }
        Ok(names)
    }
}
