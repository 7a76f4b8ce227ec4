//! Search-contempt: an opponent who thinks for some visits and no further.

use super::choose::sample;
use super::rules::{At, Pick, Puct, Rule};
use super::tree::{Share, Tree};
use crate::rng::Rng;

/// How the moves of a frozen node are dealt out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Draw {
    /// Each visit by chance, as published.
    Sample,
    /// To the move whose visits since the freeze lag most behind its share: the same mean with less variance.
    Quota,
}

/// PUCT until the children of a node have so many finished visits; then the distribution of these is played for good
/// (search-contempt §1).
///
/// A frozen node is not free: its owner no longer takes a won move because it is won, so that only what all its moves
/// prove is proven (§2).
#[derive(Clone, Debug)]
pub struct FreezeAfter {
    pub visits: u32,
    pub draw: Draw,
    /// Shares are proportional to the visits to the power of 1 / temperature (§5).
    pub temperature: f64,
    /// PUCT picks once more after the freeze: the paper's inequality, where its implementation samples at once.
    pub one_later: bool,
}

impl FreezeAfter {
    fn deal(&self, at: &At<'_>, shares: &[Share], rng: &mut Rng) -> usize {
        let weights = shares.iter().map(|share| f64::from(share.visits).powf(1.0 / self.temperature));
        let chosen = match self.draw {
            Draw::Sample => sample(weights, rng),
            Draw::Quota => lagging(at, shares, weights),
        };
        usize::from(shares[chosen].edge)
    }
}

fn lagging(at: &At<'_>, shares: &[Share], weights: impl Iterator<Item = f64> + Clone) -> usize {
    let edges = at.tree.edges(at.node);
    let since = |share: &Share| {
        let started = at.tree.child(&edges[usize::from(share.edge)]).map_or(0, |child| child.started());
        started.saturating_sub(share.visits)
    };
    let next = f64::from(shares.iter().map(since).sum::<u32>() + 1);
    let total: f64 = weights.clone().sum();
    let (mut best, mut best_lag) = (0, f64::NEG_INFINITY);
    for (i, (share, weight)) in shares.iter().zip(weights).enumerate() {
        let lag = weight / total * next - f64::from(since(share));
        if lag > best_lag {
            (best, best_lag) = (i, lag);
        }
    }
    best
}

impl Rule for FreezeAfter {
    fn pick(&self, at: &At<'_>, rng: &mut Rng) -> Pick {
        let finished = at.tree.node(at.node).n.saturating_sub(1);
        match at.tree.shares(at.node) {
            Some(shares) if !self.one_later || finished > self.visits => {
                Pick { edge: self.deal(at, shares, rng), forced: false }
            }
            _ => Puct.pick(at, rng),
        }
    }

    fn is_free(&self, tree: &Tree, node: u32) -> bool {
        tree.shares(node).is_none()
    }

    fn freezes_after(&self) -> Option<u32> {
        Some(self.visits)
    }
}
