//! The two sides of a search: the rules by which they pick moves, and the evaluators that this takes.

use super::margin::Bonus;
use super::rules::{Needs, Rule};

/// One side of the game inside a search.
pub struct Seat {
    pub rule: Box<dyn Rule>,
    /// The evaluator that gives the value and the priors where this side is to move.
    pub evaluator: usize,
    /// How this side weighs margins of victory; `None` where values are win, draw and loss.
    pub bonus: Option<Bonus>,
}

/// The owners of the plies: the side to move at the root, and the other.
pub struct Seats {
    ours: Seat,
    theirs: Seat,
    /// The rule that picks at the root in place of ours, if any: which player moves now may be known even where it is
    /// not known who moves later.
    root: Option<Box<dyn Rule>>,
    /// What the rules of both seats and of the root need.
    needs: Needs,
    /// What [`Seats::evaluators_at`] answers, by the parity of the depth.
    evaluators_by_parity: [Vec<usize>; 2],
}

impl Seats {
    pub fn new(ours: Seat, theirs: Seat, root: Option<Box<dyn Rule>>) -> Seats {
        let of_root = || root.as_ref().map_or_else(Needs::default, |rule| rule.needs());
        let needs = ours.rule.needs().and(theirs.rule.needs()).and(of_root());
        let evaluators_by_parity = [&ours, &theirs].map(|seat| {
            let mut models = seat.rule.needs().and(of_root()).models;
            models.retain(|&model| model != seat.evaluator);
            models.insert(0, seat.evaluator);
            models
        });
        Seats { ours, theirs, root, needs, evaluators_by_parity }
    }

    /// The evaluators whose policies the rules follow, in rising order.
    pub fn models(&self) -> &[usize] {
        &self.needs.models
    }

    fn seat(&self, depth: usize) -> &Seat {
        if depth.is_multiple_of(2) { &self.ours } else { &self.theirs }
    }

    /// How our side and the other weigh margins of victory; `None` where neither does, so that values are win, draw and
    /// loss.
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

    /// The evaluators that a node at this depth needs: first its judge, which gives value and priors, then the models
    /// that its rule follows and those that the root's rule follows, as the node may become the root later.
    pub fn evaluators_at(&self, depth: usize) -> &[usize] {
        &self.evaluators_by_parity[depth % 2]
    }

    /// Whether any rule needs the classes of moves.
    pub fn by_class(&self) -> bool {
        self.needs.classes
    }

    /// The number of evaluators: one more than the highest evaluator number.
    pub fn evaluators(&self) -> usize {
        let judges = [self.ours.evaluator, self.theirs.evaluator];
        judges.iter().chain(self.models()).max().map_or(0, |&highest| highest + 1)
    }
}
