//! Who moves how in a search, and whose evaluations that takes.

use super::margin::Bonus;
use super::rules::{Needs, Rule};

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
    /// What the rules of all plies look at.
    needs: Needs,
}

impl Seats {
    pub fn new(ours: Seat, theirs: Seat, root: Option<Box<dyn Rule>>) -> Seats {
        let needs = ours.rule.needs().and(theirs.rule.needs()).and(needs_of(&root));
        Seats { ours, theirs, root, needs }
    }

    /// The evaluators that are followed, in rising order.
    pub fn models(&self) -> &[usize] {
        &self.needs.models
    }

    fn seat(&self, depth: usize) -> &Seat {
        if depth.is_multiple_of(2) { &self.ours } else { &self.theirs }
    }

    /// How our side and the other weigh margins; none where values are win, draw and loss on both sides.
    pub fn bonuses(&self) -> Option<[Bonus; 2]> {
        let bonuses = [self.ours.bonus, self.theirs.bonus];
        bonuses.iter().any(Option::is_some).then(|| bonuses.map(Option::unwrap_or_default))
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
    pub fn evaluators_at(&self, depth: usize) -> Vec<usize> {
        let seat = self.seat(depth);
        let mut models = seat.rule.needs().and(needs_of(&self.root)).models;
        models.retain(|&model| model != seat.evaluator);
        models.insert(0, seat.evaluator);
        models
    }

    /// Whether a rule looks at the classes of moves.
    pub fn by_class(&self) -> bool {
        self.needs.classes
    }

    /// One past the highest evaluator number.
    pub fn evaluators(&self) -> usize {
        let judges = [self.ours.evaluator, self.theirs.evaluator];
        judges.iter().chain(self.models()).max().map_or(0, |&highest| highest + 1)
    }
}

fn needs_of(rule: &Option<Box<dyn Rule>>) -> Needs {
    rule.as_ref().map_or_else(Needs::default, |rule| rule.needs())
}
