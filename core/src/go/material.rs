//! The built-in evaluator, for use without a net: its value comes from the area, and its policy puts captures first and
//! filling own eyes last. It keeps demonstrations and tests running; it is no substitute for a net.

use super::board::Colour;
use super::encode::GoView;
use crate::game::{Move, Worth};

/// Steepness of the logistic from points to winning chances, times the number of points of the board: that of an
/// untrained net (arXiv 1809.03928), whose logit is ten for a lead by the whole board.
const STEEPNESS: f32 = 10.0;
/// Logit of a capture of one stone; each doubling of the number of stones adds half of this.
const CAPTURE: f32 = 2.0;
/// Logit of a move that fills a point enclosed by own stones: hardly ever good.
const FILLED_EYE: f32 = -6.0;
/// Logit of a pass: below every move but a filled eye.
const PASS: f32 = -4.0;

/// Evaluates a position: returns the value for the side to move, and writes a logit for each of its legal moves.
pub fn material(view: &GoView, moves: &[Move], logits: &mut [f32]) -> Worth {
    let GoView { grid, boards: [board, ..], turn, .. } = view;
    let empty = board.empty(grid);
    let captures = board.captures(grid, *turn);
    let eyes = empty & !grid.neighbours(&(empty | *board.stones(turn.other())));

    for (logit, &Move(mv)) in logits.iter_mut().zip(moves) {
        let point = usize::from(mv);
        *logit = if point == grid.area() {
            PASS
        } else if captures.contains(point) {
            let (_, captured) = board.place(grid, point, *turn);
            CAPTURE * (1.0 + 0.5 * (captured.count() as f32).log2())
        } else if eyes.contains(point) {
            FILLED_EYE
        } else {
            0.0
        };
    }

    let black = board.area(grid) as f32;
    let alpha = if *turn == Colour::Black { black } else { -black };
    let beta = STEEPNESS / grid.area() as f32;
    let win = 1.0 / (1.0 + (-beta * (alpha + view.signed_komi())).exp());
    Worth { wdl: [win, 0.0, 1.0 - win], margin: Some([alpha, beta]) }
}
