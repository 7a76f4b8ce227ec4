//! Search-contempt: an opponent who thinks for some visits and no further.

use super::choose::sample;
use super::follow::{Share, most_behind};
use super::puct::Puct;
use super::rules::{At, Memory, Pick, Rule};
use super::tree::{Note, Tree};
use crate::rng::Rng;

/// How visits are dealt out among the moves of a frozen node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Draw {
    /// Each visit goes to a move drawn at random, as published.
    Sample,
    /// Each visit goes to the move whose visits since the freeze lag most behind its share: the same mean with less
    /// variance.
    Quota,
}

/// PUCT until the children of a node have `visits` finished visits; from then on, all visits follow the distribution of
/// these (search-contempt §1).
///
/// A frozen node is not free: its owner no longer takes a won move because it is won, so that only what all its moves
/// prove is proven (§2). The rule notes the finished visits of each edge when the node freezes, so that a node with
/// notes is a frozen one.
#[derive(Clone, Debug)]
pub struct FreezeAfter {
    pub visits: u32,
    pub draw: Draw,
    /// Shares are proportional to the visits to the power of 1 / temperature (§5).
    pub temperature: f64,
    /// Whether PUCT picks once more after the freeze, as the paper's inequality has it; the paper's implementation
    /// samples at once.
    pub one_later: bool,
}

impl FreezeAfter {
    /// The weight of a move with so many visits at the freeze, to which its share is proportional.
    fn weight(&self, visits: u32) -> f64 {
        // Powers are slow, and the first power, which is the usual one, is the number itself.
        if self.temperature == 1.0 { visits.into() } else { f64::from(visits).powf(1.0 / self.temperature) }
    }

    /// The edge of a frozen node that the next visit takes.
    fn deal(&self, at: &At<'_>, frozen: &[Note], rng: &mut Rng) -> usize {
        let weights = frozen.iter().map(|note| self.weight(note.number));
        match self.draw {
            Draw::Sample => usize::from(frozen[sample(weights, rng)].edge),
            Draw::Quota => {
                let total: f64 = weights.clone().sum();
                let since = |note: &Note| {
                    let child = at.tree.child(&at.edges()[usize::from(note.edge)]);
                    child.map_or(0, |child| child.started()).saturating_sub(note.number)
                };
                let shares = frozen.iter().zip(weights).map(|(note, weight)| Share {
                    edge: note.edge.into(),
                    due: weight / total,
                    got: since(note),
                });
                most_behind(frozen.iter().map(since).sum(), shares)
            }
        }
    }
}

impl Rule for FreezeAfter {
    fn pick(&self, at: &At<'_>, rng: &mut Rng) -> Pick {
        let finished = at.node().n.saturating_sub(1);
        match at.tree.notes(at.node) {
            Some(frozen) if !self.one_later || finished > self.visits => {
                Pick::chosen(self.deal(at, frozen, rng))
            }
            _ => Puct.pick(at, rng),
        }
    }

    fn is_free(&self, tree: &Tree, node: u32) -> bool {
        tree.notes(node).is_none()
    }

    fn memory(&self) -> Option<&dyn Memory> {
        Some(self)
    }
}

impl Memory for FreezeAfter {
    /// Freezes a node whose children have enough visits; they have all visits of the node but its first.
    fn visited(&self, tree: &mut Tree, index: u32) {
        let node = tree.node(index);
        if node.n <= self.visits || !node.is_expanded() || node.is_terminal() || tree.notes(index).is_some() {
            return;
        }
        let finished = tree.edges(index).iter().map(|edge| tree.child(edge).map_or(0, |child| child.n));
        let visited = (0..).zip(finished).filter(|(_, visits)| *visits > 0);
        let frozen: Vec<Note> = visited.map(|(edge, visits)| Note::new(edge, visits)).collect();
        tree.set_notes(index, &frozen);
    }

    /// Whether the visits at which the node freezes have all started and not all finished.
    fn is_forming(&self, tree: &Tree, index: u32) -> bool {
        let node = tree.node(index);
        node.n <= self.visits && node.started() > self.visits && tree.notes(index).is_none()
    }
}
