//! A coin between two rules.

use super::choose::Vote;
use super::rules::{At, Memory, Needs, Pick, Rule};
use super::tree::Tree;
use crate::rng::Rng;

/// Tosses a coin before each visit: `first` decides with probability `p`, else `second`.
///
/// Each node has a single set of notes. So where both rules take notes, they must take the same: the first of them takes
/// them, and the other reads them too. Whoever makes a coin sees to that.
pub struct Coin {
    pub p: f64,
    pub first: Box<dyn Rule>,
    pub second: Box<dyn Rule>,
}

impl Rule for Coin {
    fn pick(&self, at: &At<'_>, rng: &mut Rng) -> Pick {
        let rule = if rng.uniform() < self.p { &self.first } else { &self.second };
        rule.pick(at, rng)
    }

    /// The votes as the first rule counts them.
    fn votes(&self, at: &At<'_>) -> Vec<Vote> {
        self.first.votes(at)
    }

    fn is_free(&self, tree: &Tree, node: u32) -> bool {
        self.first.is_free(tree, node) && self.second.is_free(tree, node)
    }

    fn needs(&self) -> Needs {
        self.first.needs().and(self.second.needs())
    }

    fn memory(&self) -> Option<&dyn Memory> {
        self.first.memory().or_else(|| self.second.memory())
    }
}
