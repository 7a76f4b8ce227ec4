//! Hand and brain inside the tree: the owner (the brain) names a type of piece, and another evaluator's policy (the
//! hand) moves one.

use super::choose::Vote;
use super::follow::{Share, most_behind};
use super::puct::Exploration;
use super::rules::{At, Needs, Pick, Rule};
use super::tree::{Node, Tree};
use super::value::{ChildValue, first_play_urgency};
use crate::game::MOVE_CLASSES;
use crate::rng::Rng;

/// PUCT over piece types, and inside the chosen type visits in proportion to the hand's policy.
///
/// A type is an arm. Its prior is the sum of its moves' priors, which is how often the brain's net would name it; its
/// visits are those of its moves; its value is the mean of its moves' values as the hand would play them, each weighted
/// with its probability given the type, over the moves visited so far. That is an estimate of the same expectation as
/// the mean over visits, and stays one where other rules have visited the moves as well. The visits are evidence: the
/// hand forced the move, but the type was the brain's choice.
#[derive(Clone, Debug)]
pub struct BrainHand {
    /// The evaluator whose policy the hand follows.
    pub hand: usize,
}

/// What is known of a piece type at a node.
#[derive(Clone, Copy, Default)]
struct Arm {
    moves: u32,
    prior: f64,
    /// The hand's probability of the type.
    mass: f64,
    /// Visits that no model forced, those under way included.
    started: u32,
    /// Finished visits that no model forced.
    visits: u32,
    /// The hand's probability, given the type, of the moves that have a value.
    known: f64,
    /// Sum of the values of these moves, each weighted with its probability given the type.
    sum: f64,
}

impl Arm {
    /// The probability of a move given its type; uniform where the hand gives the type none.
    fn share(&self, policy: f64) -> f64 {
        if self.mass > 0.0 { policy / self.mass } else { 1.0 / f64::from(self.moves) }
    }

    fn value(&self) -> Option<f64> {
        (self.known > 0.0).then(|| self.sum / self.known)
    }
}

impl BrainHand {
    fn arms(&self, at: &At<'_>) -> [Arm; MOVE_CLASSES] {
        let edges = at.edges();
        let policy = at.tree.policy(at.node, self.hand);
        let mut arms = [Arm::default(); MOVE_CLASSES];
        for (i, edge) in edges.iter().enumerate() {
            let arm = &mut arms[usize::from(edge.class)];
            arm.moves += 1;
            arm.prior += f64::from(edge.prior);
            arm.mass += f64::from(policy(i));
        }
        let value = ChildValue::at(at);
        for (i, edge) in at.tree.touched(at.node).iter().enumerate() {
            let Some(child) = at.tree.child(edge) else { continue };
            let arm = &mut arms[usize::from(edge.class)];
            arm.started += child.started_unforced();
            arm.visits += child.n - child.forced;
            if child.n > 0 {
                let share = arm.share(policy(i).into());
                arm.known += share;
                arm.sum += share * value.of(child);
            }
        }
        arms
    }

    /// The piece type to visit next.
    fn name(&self, at: &At<'_>, arms: &[Arm; MOVE_CLASSES]) -> usize {
        let exploration = Exploration::at(at);
        let visited = arms.iter().filter(|arm| arm.known > 0.0).map(|arm| arm.prior).sum();
        let fpu = first_play_urgency(at, visited);
        let (mut best, mut best_score) = (0, f64::NEG_INFINITY);
        for (class, arm) in arms.iter().enumerate().filter(|(_, arm)| arm.moves > 0) {
            let score = arm.value().unwrap_or(fpu) + exploration.bonus(arm.prior, arm.started);
            if score > best_score {
                (best, best_score) = (class, score);
            }
        }
        best
    }
}

impl Rule for BrainHand {
    fn pick(&self, at: &At<'_>, _rng: &mut Rng) -> Pick {
        let arms = self.arms(at);
        let class = self.name(at, &arms);
        let arm = &arms[class];
        let policy = at.tree.policy(at.node, self.hand);
        let of_class = at.edges().iter().enumerate().filter(|(_, edge)| usize::from(edge.class) == class);
        let shares = of_class.map(|(i, edge)| Share {
            edge: i,
            due: arm.share(policy(i).into()),
            got: at.tree.child(edge).map_or(0, Node::started_unforced),
        });
        Pick::chosen(most_behind(arm.started, shares))
    }

    /// The votes are for piece types: all visits of a type count for the hand's most probable move of that type, which
    /// stands for it.
    fn votes(&self, at: &At<'_>) -> Vec<Vote> {
        let mut favourites = [(usize::MAX, f32::NEG_INFINITY); MOVE_CLASSES];
        let edges = at.edges();
        let policy = at.tree.policy(at.node, self.hand);
        for (i, edge) in edges.iter().enumerate() {
            let favourite = &mut favourites[usize::from(edge.class)];
            if policy(i) > favourite.1 {
                *favourite = (i, policy(i));
            }
        }
        let mut votes = vec![Vote::default(); edges.len()];
        for (arm, (favourite, _)) in self.arms(at).iter().zip(favourites) {
            if let Some(vote) = votes.get_mut(favourite) {
                vote.visits = arm.visits;
                vote.q = arm.value().unwrap_or(f64::NEG_INFINITY);
            }
        }
        votes
    }

    fn is_free(&self, _tree: &Tree, _node: u32) -> bool {
        false
    }

    fn needs(&self) -> Needs {
        Needs { classes: true, ..Needs::policy_of(self.hand) }
    }
}
