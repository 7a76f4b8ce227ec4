//! The value of a child node to the player who chooses among the children.

use super::params::{Fpu, MovesLeft};
use super::rules::At;
use super::tree::Node;

/// The draw score of the side to move at a node: the parameter is from the first player's view.
pub fn draw_score(parameter: f64, first_to_move: bool) -> f64 {
    if first_to_move { parameter } else { -parameter }
}

/// First-play urgency: the value that is assumed for a child without visits.
pub fn first_play_urgency(at: &At<'_>, visited_policy: f64) -> f64 {
    match at.selection().fpu {
        Fpu::Absolute(value) => value,
        Fpu::Reduction(value) => -at.node().q(-at.draw_score) - value * visited_policy.sqrt(),
        Fpu::Net(value) => at.tree.own(at.node) - value * visited_policy.sqrt(),
    }
}

/// Computes the values of the visited children of a node for the player who chooses there.
#[derive(Clone, Copy)]
pub struct ChildValue<'a> {
    draw_score: f64,
    moves_left: Option<MovesLeftUtility<'a>>,
}

impl<'a> ChildValue<'a> {
    pub fn at(at: &At<'a>) -> ChildValue<'a> {
        ChildValue { draw_score: at.draw_score, moves_left: MovesLeftUtility::at(at) }
    }

    /// The mean win minus loss of a child with draws counted as the draw score, plus the moves-left bonus.
    #[inline]
    pub fn of(&self, child: &Node) -> f64 {
        let q = child.q(self.draw_score);
        q + self.moves_left.map_or(0.0, |utility| utility.of(child, q))
    }
}

/// The bonus for a shorter win or a longer loss (`docs/methods/search.md`, "Moves left").
#[derive(Clone, Copy)]
struct MovesLeftUtility<'a> {
    params: &'a MovesLeft,
    parent_m: f64,
}

impl<'a> MovesLeftUtility<'a> {
    /// `None` where the bonus is zero for all children: the net has no moves-left head, the bonus is switched off, or
    /// the result at the parent is still open.
    fn at(at: &At<'a>) -> Option<MovesLeftUtility<'a>> {
        let (node, params) = (at.node(), &at.params.moves_left);
        let applies = at.tree.has_moves_left && params.max_effect > 0.0 && node.wl.abs() > params.threshold;
        applies.then_some(MovesLeftUtility { params, parent_m: node.m })
    }

    fn of(&self, child: &Node, q: f64) -> f64 {
        let p = self.params;
        let plies = p.slope * (child.m - self.parent_m);
        let sign = if q == 0.0 { 0.0 } else { -q.signum() };
        let effect = plies.clamp(-p.max_effect, p.max_effect) * sign;
        let q = if p.threshold > 0.0 && p.threshold < 1.0 {
            (q.abs() - p.threshold).max(0.0) / (1.0 - p.threshold)
        } else {
            q.abs()
        };
        effect * (p.constant + p.scaled * q + p.quadratic * q * q)
    }
}
