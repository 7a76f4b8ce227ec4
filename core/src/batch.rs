//! Batches of positions to be evaluated, with their legal moves.

use crate::game::{Game, Move, View};

type Encoding<G> = <<G as Game>::View as View>::Encoding;

/// N positions of one game and one board size, with M legal moves in all.
#[derive(Clone)]
pub struct Leaves<G: Game> {
    /// `[N]`.
    pub views: Vec<G::View>,
    /// `[M]`: position after position, each in the order of [`Game::legal_moves`].
    pub moves: Vec<Move>,
    /// `[N + 1]`: the moves of position i are `moves[offsets[i]..offsets[i + 1]]`.
    pub offsets: Vec<usize>,
    /// The width of a net's policy output, see [`Game::policy_size`].
    pub policy_size: usize,
}

impl<G: Game> Default for Leaves<G> {
    fn default() -> Self {
        Leaves { views: Vec::new(), moves: Vec::new(), offsets: vec![0], policy_size: 0 }
    }
}

impl<G: Game> Leaves<G> {
    /// N, the number of positions.
    pub fn len(&self) -> usize {
        self.views.len()
    }

    pub fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    /// Appends a position.
    pub fn push_game(&mut self, game: &G) {
        self.views.push(game.view());
        game.legal_moves(&mut self.moves);
        self.offsets.push(self.moves.len());
        self.policy_size = game.policy_size();
    }

    /// Appends a position whose legal moves are known.
    pub fn push(&mut self, game: &G, legal: &[Move]) {
        self.views.push(game.view());
        self.moves.extend_from_slice(legal);
        self.offsets.push(self.moves.len());
        self.policy_size = game.policy_size();
    }

    /// The legal moves of a position.
    pub fn legal(&self, row: usize) -> &[Move] {
        &self.moves[self.offsets[row]..self.offsets[row + 1]]
    }

    /// Appends one position of another batch.
    pub fn push_row(&mut self, other: &Leaves<G>, row: usize) {
        self.views.push(other.views[row].clone());
        self.moves.extend_from_slice(other.legal(row));
        self.offsets.push(self.moves.len());
        self.policy_size = other.policy_size;
    }

    /// Appends the positions of another batch.
    pub fn extend(&mut self, other: &Leaves<G>) {
        let before = self.moves.len();
        self.views.extend_from_slice(&other.views);
        self.moves.extend_from_slice(&other.moves);
        self.offsets.extend(other.offsets[1..].iter().map(|offset| before + offset));
        self.policy_size = other.policy_size;
    }

    /// Some of the positions, in the order of `rows`; a row may come twice.
    pub fn select(&self, rows: &[usize]) -> Leaves<G> {
        let mut out = Leaves { policy_size: self.policy_size, ..Leaves::default() };
        for &row in rows {
            out.push_row(self, row);
        }
        out
    }

    /// `[M]`: the index of each legal move in a net's policy output.
    pub fn policy_indices(&self, encoding: Encoding<G>) -> impl Iterator<Item = u16> {
        let row = move |row: usize| {
            self.legal(row).iter().map(move |&mv| self.views[row].policy_index(encoding, mv))
        };
        (0..self.len()).flat_map(row)
    }

    /// Picks the legal entries of a net's policy output, `[N × width]` → `[M]`.
    pub fn legal_entries(&self, encoding: Encoding<G>, dense: &[f32], width: usize) -> Vec<f32> {
        let rows = dense.chunks_exact(width).zip(&self.views).enumerate();
        rows.flat_map(|(row, (logits, view))| {
            self.legal(row).iter().map(move |&mv| logits[usize::from(view.policy_index(encoding, mv))])
        })
        .collect()
    }
}
