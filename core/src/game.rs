//! The traits that a game implements for the search and for batches: its rules, and what evaluators see of it.

/// A move in 16 bits; each game has its own way to pack moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Move(pub u16);

/// The number of move classes: one more than the highest [`Game::class`].
pub const MOVE_CLASSES: usize = 6;

/// The exact result of a position in which a search need not go on, seen by the player who moved into it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Terminal {
    /// +1 the player who moved into the position has won, 0 draw, −1 lost.
    pub result: i8,
    /// Plies from an earlier occurrence of the position when this is a two-fold draw, else 0. Such a draw depends on
    /// the path, so it proves nothing about the position.
    pub cycle: u16,
}

/// A game state with the history that its rules and its nets need.
///
/// Plays and undoes in place: a search walks down one path at a time. Cheap to clone relative to a net evaluation.
pub trait Game: Clone + Send + Sync + 'static {
    type View: View;

    /// Appends all legal moves, in an order that depends on the position alone. None when a rule of the game has
    /// ended it (mate, stalemate, two passes); draws by rule that need a claim or a counter still have moves.
    fn legal_moves(&self, out: &mut Vec<Move>);

    /// Plays a legal move. Panics or misbehaves on an illegal one: callers check moves first.
    fn play(&mut self, mv: Move);

    /// Takes back the last `plies` moves; panics when fewer were played since the start position.
    fn undo(&mut self, plies: usize);

    /// Whether the side to move is the one that moves first in a game (White in chess, Black in Go).
    fn first_to_move(&self) -> bool;

    /// The exact result of a position in which there is no need to search, given its legal moves.
    ///
    /// `depth`: plies below the search root (at least 1). `two_fold`: whether a repetition inside the tree is a draw.
    fn terminal(&self, legal: &[Move], depth: u32, two_fold: bool) -> Option<Terminal>;

    /// The type of the piece that a legal move moves, below [`MOVE_CLASSES`]; 0 where all pieces are alike.
    fn class(&self, _mv: Move) -> u8 {
        0
    }

    /// The width A of a net's policy output, in chess that of lc0's encoding.
    fn policy_size(&self) -> usize;

    /// The part of the state that an evaluator may see.
    fn view(&self) -> Self::View;

    /// A hash of all that an evaluation may depend on: history planes, counters, rights, legal moves, komi.
    fn key(&self) -> u64;

    /// As [`Game::key`], but without the komi: for evaluations that do not depend on it.
    fn key_without_komi(&self) -> u64 {
        self.key()
    }

    /// Points added to the score of the player who moves second.
    fn komi(&self) -> f64 {
        0.0
    }

    /// By how many points, after komi, the first player is ahead on the board as it stands.
    fn margin(&self) -> f64 {
        0.0
    }

    /// The move as its protocol writes it: UCI in chess, a GTP vertex in Go.
    fn move_name(&self, mv: Move) -> String;
}

/// The evaluation of a position, for the side to move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Worth {
    /// Probabilities of win, draw and loss.
    pub wdl: [f32; 3],
    /// Alpha and beta, in games that points decide: the expected margin on the board without komi, and the steepness of
    /// the winrate per point (SAI, §0).
    pub margin: Option<[f32; 2]>,
}

/// The part of a game state that an evaluator sees: enough to encode the net input without the game.
pub trait View: Clone + Send + Sync + 'static {
    /// The encodings of net input and policy output that the game has.
    type Encoding: Copy;

    /// The shape of the net input: planes, rows, columns.
    fn plane_shape(&self, encoding: Self::Encoding) -> [usize; 3];

    /// Writes the net input into `out`, which must have the size of [`View::plane_shape`].
    fn planes(&self, encoding: Self::Encoding, out: &mut [f32]);

    /// The index of a legal move in a net's policy output.
    fn policy_index(&self, encoding: Self::Encoding, mv: Move) -> u16;

    /// The built-in evaluation: writes a logit for each legal move and returns the value for the side to move.
    fn material(&self, moves: &[Move], logits: &mut [f32]) -> Worth;

    /// The name of a move, as [`Game::move_name`] gives it.
    fn move_name(&self, mv: Move) -> String;
}

/// The number of move sequences of exactly `depth` plies.
pub fn perft<G: Game>(game: &mut G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut legal = Vec::new();
    game.legal_moves(&mut legal);
    if depth == 1 {
        return legal.len() as u64;
    }
    let count = |mv| {
        game.play(mv);
        let below = perft(game, depth - 1);
        game.undo(1);
        below
    };
    legal.into_iter().map(count).sum()
}
