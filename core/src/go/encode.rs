//! The net input of a Go position: 18 planes of 0 and 1 (arXiv 1809.03928, which takes over the input of AlphaGo Zero).

use super::board::{Board, Colour, Grid, Points};
use super::material::material;
use super::vertex::move_name;
use crate::game::{Move, View, Worth};
use crate::hash::mix;

/// The number of boards that a net sees: the present one and the seven before it.
pub const HISTORY: usize = 8;
/// The number of input planes.
pub const PLANES: usize = 2 * HISTORY + 2;

/// The last eight boards, the side to move and the komi: enough for the planes and for the built-in evaluator.
#[derive(Clone, Debug)]
pub struct GoView {
    pub(super) grid: &'static Grid,
    /// The boards, newest first; empty ones stand for those before the start of the game.
    pub(super) boards: [Board; HISTORY],
    pub(super) turn: Colour,
    pub(super) twice_komi: i32,
}

impl GoView {
    pub(super) fn new(grid: &'static Grid, boards: [Board; HISTORY], turn: Colour, twice_komi: i32) -> Self {
        Self { grid, boards, turn, twice_komi }
    }

    /// The komi as the side to move counts it: added to its margin on the board.
    pub fn signed_komi(&self) -> f32 {
        let komi = self.twice_komi as f32 / 2.0;
        if self.turn == Colour::Black { -komi } else { komi }
    }

    /// A hash of what the planes show.
    pub fn key(&self) -> u64 {
        let stones = self.boards.iter().flat_map(|board| [board.black, board.white]);
        let state = [self.grid.width as u64, self.turn as u64];
        stones.flat_map(Points::words).chain(state).fold(0, |key, part| mix(key ^ part))
    }
}

/// The encoding of Go positions: there is only one.
#[derive(Clone, Copy, Debug)]
pub struct GoEncoding;

impl View for GoView {
    type Encoding = GoEncoding;

    fn plane_shape(&self, _encoding: GoEncoding) -> [usize; 3] {
        [PLANES, self.grid.height, self.grid.width]
    }

    /// Writes the planes `[18, size, size]`, rows from the bottom: stones of the side to move now and 1 to 7 plies
    /// ago, those of the other side at the same times, ones if Black is to move, ones if White is.
    ///
    /// Panics when `out` has another length.
    fn planes(&self, _encoding: GoEncoding, out: &mut [f32]) {
        let area = self.grid.area();
        assert_eq!(out.len(), PLANES * area, "planes of a board with {area} points");
        out.fill(0.0);
        let mut planes = out.chunks_exact_mut(area);
        for colour in [self.turn, self.turn.other()] {
            for (board, plane) in self.boards.iter().zip(&mut planes) {
                for point in board.stones(colour).iter() {
                    plane[point] = 1.0;
                }
            }
        }
        out[(2 * HISTORY + self.turn as usize) * area..][..area].fill(1.0);
    }

    fn policy_index(&self, _encoding: GoEncoding, mv: Move) -> u16 {
        mv.0
    }

    fn material(&self, moves: &[Move], logits: &mut [f32]) -> Worth {
        material(self, moves, logits)
    }

    fn move_name(&self, mv: Move) -> String {
        move_name(self.grid, mv)
    }
}
