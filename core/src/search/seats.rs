//! Who moves how in a search, and whose evaluations that takes.

use super::margin::Bonus;
use super::rules::Rule;

/// One side of the game inside a search.
pub struct Seat {
    pub rule: Box<dyn Rule>,
    /// The evaluator that gives the value and the priors where this side is to move.
    pub evaluator: usize,
    /// How this side weighs margins; none where values are win, draw and loss.
    pub bonus: Option<Bonus>,
}

/// The owners of the plies: the side to move at the root, and the other.
pub struct Seats {
    ours: Seat,
    theirs: Seat,
    /// Picks at the root where our rule does not: who moves now may be known, as who moves later is not.
    root: Option<Box<dyn Rule>>,
    /// Followed models, in the order of [`Tree::policies`](super::tree::Tree::policies).
    models: Vec<usize>,
}

impl Seats {
    pub fn new(mut ours: Seat, mut theirs: Seat, mut root: Option<Box<dyn Rule>>) -> Seats {
        let mut models = Vec::new();
        let mut rules: Vec<&mut Box<dyn Rule>> = vec![&mut ours.rule, &mut theirs.rule];
        rules.extend(&mut root);
        rules.iter().for_each(|rule| rule.followed(&mut models));
        models.sort_unstable();
        models.dedup();
        rules.into_iter().for_each(|rule| rule.locate(&models));
        Seats { ours, theirs, root, models }
    }

    pub fn models(&self) -> &[usize] {
        &self.models
    }

    fn seat(&self, depth: usize) -> &Seat {
        if depth.is_multiple_of(2) { &self.ours } else { &self.theirs }
    }

    /// Whether values are sigmoids of bonus points.
    pub fn by_margin(&self) -> bool {
        self.ours.bonus.is_some() || self.theirs.bonus.is_some()
    }

    /// How the owner of the nodes at this depth below the root weighs margins.
    pub fn bonus(&self, depth: usize) -> Bonus {
        self.seat(depth).bonus.unwrap_or_default()
    }

    /// The rule of the nodes at this depth below the root.
    pub fn rule(&self, depth: usize) -> &dyn Rule {
        match &self.root {
            Some(rule) if depth == 0 => rule.as_ref(),
            _ => self.seat(depth).rule.as_ref(),
        }
    }

    /// The evaluators that a node at this depth needs: its judge first, then the models that its rule follows, and those
    /// that the root's rule would follow, as the node may be the root one day.
    pub fn needs(&self, depth: usize) -> Vec<usize> {
        let seat = self.seat(depth);
        let mut needs = Vec::new();
        seat.rule.followed(&mut needs);
        if let Some(rule) = &self.root {
            rule.followed(&mut needs);
        }
        needs.sort_unstable();
        needs.dedup();
        needs.retain(|&model| model != seat.evaluator);
        needs.insert(0, seat.evaluator);
        needs
    }

    /// Whether a rule looks at the classes of moves.
    pub fn by_class(&self) -> bool {
        let root = self.root.as_ref().is_some_and(|rule| rule.by_class());
        root || self.ours.rule.by_class() || self.theirs.rule.by_class()
    }

    /// One past the highest evaluator number.
    pub fn evaluators(&self) -> usize {
        let judges = [self.ours.evaluator, self.theirs.evaluator];
        judges.iter().chain(&self.models).max().map_or(0, |&highest| highest + 1)
    }
}
