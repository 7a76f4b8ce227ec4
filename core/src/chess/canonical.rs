//! lc0's later input formats (lc0-nets §10): castling rights shown as rooks, boards transformed by one of their
//! symmetries, and a history that ends where it no longer matters.

use shakmaty::{Bitboard, Chess, Color, File, Position, Rank, Role, Square};

/// How lc0's 112 planes show a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum InputFormat {
    #[default]
    Classic,
    /// As `Classic`, but with the rooks that may castle instead of castling rights.
    CastlingPlane,
    /// As `CastlingPlane`, but with a transform, an en-passant square instead of the colour, and boards only up to the
    /// last irreversible move.
    Canonical,
    /// As `Canonical`, but with the half-move clock in hundreds.
    Hectoplies,
    /// As `Hectoplies`, but of the past positions only those that had occurred before.
    CanonicalV2,
    HectopliesArmageddon,
    V2Armageddon,
}

impl InputFormat {
    /// Whether boards are transformed and the past ends early.
    pub const fn is_canonical(self) -> bool {
        !matches!(self, InputFormat::Classic | InputFormat::CastlingPlane)
    }

    /// Whether the half-move clock counts hundreds of plies.
    pub const fn is_in_hectoplies(self) -> bool {
        self.is_canonical() && !matches!(self, InputFormat::Canonical)
    }

    /// Whether only the past positions that had occurred before are shown.
    pub const fn shows_repeated_alone(self) -> bool {
        matches!(self, InputFormat::CanonicalV2 | InputFormat::V2Armageddon)
    }

    /// Whether a plane tells Black from White.
    pub const fn is_armageddon(self) -> bool {
        matches!(self, InputFormat::HectopliesArmageddon | InputFormat::V2Armageddon)
    }
}

const FLIP: u8 = 1;
const MIRROR: u8 = 2;
const TRANSPOSE: u8 = 4;

/// One of the eight symmetries of a board: files flipped, then ranks mirrored, then squares swapped across h1–a8.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Transform(u8);

impl Transform {
    /// The transform that brings the mover's king into the triangle e1–h1–h4, as far as castling rights and pawns leave
    /// a choice. For a king on the diagonal the sets of pieces decide: as numbers with bit 0 = a1, the smaller is
    /// taken.
    pub fn of(position: &Chess) -> Transform {
        if position.castles().any() {
            return Transform(0);
        }
        let (board, us) = (position.board(), position.turn());
        let seen = |set: Bitboard| if us == Color::Black { set.flip_vertical() } else { set };
        let Some(king) = seen(board.kings() & board.by_color(us)).first() else { return Transform(0) };
        let mut bits = if king.file() < File::E { FLIP } else { 0 };
        if board.pawns().any() {
            return Transform(bits);
        }
        if king.rank() > Rank::Fourth {
            bits |= MIRROR;
        }
        let (plain, swapped) = (Transform(bits), Transform(bits | TRANSPOSE));
        let king = plain.square(king);
        let (rank, edge) = (u32::from(king.rank()), 7 - u32::from(king.file()));
        if rank != edge {
            return if rank > edge { swapped } else { plain };
        }
        let roles = [Role::King, Role::Queen, Role::Rook, Role::Knight, Role::Bishop];
        let sets = [board.occupied(), board.by_color(us)].into_iter();
        for set in sets.chain(roles.into_iter().map(|role| board.by_role(role))) {
            let set = seen(set);
            let (here, there) = (u64::from(plain.apply(set)), u64::from(swapped.apply(set)));
            if here != there {
                return if here > there { swapped } else { plain };
            }
        }
        plain
    }

    /// The set of the squares to which the squares of a set are mapped.
    pub fn apply(self, mut set: Bitboard) -> Bitboard {
        if self.0 & FLIP != 0 {
            set = set.flip_horizontal();
        }
        if self.0 & MIRROR != 0 {
            set = set.flip_vertical();
        }
        if self.0 & TRANSPOSE != 0 {
            set = set.flip_anti_diagonal();
        }
        set
    }

    /// The square to which a square is mapped.
    pub fn square(self, mut square: Square) -> Square {
        if self.0 & FLIP != 0 {
            square = square.flip_horizontal();
        }
        if self.0 & MIRROR != 0 {
            square = square.flip_vertical();
        }
        if self.0 & TRANSPOSE != 0 {
            square = square.flip_anti_diagonal();
        }
        square
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn transforms() -> impl Strategy<Value = Transform> {
        (0..8_u8).prop_map(Transform)
    }

    #[test]
    fn each_step_undoes_itself() {
        for step in [FLIP, MIRROR, TRANSPOSE].map(Transform) {
            for square in Square::ALL {
                assert_eq!(step.square(step.square(square)), square);
            }
        }
        assert_eq!(Transform(TRANSPOSE).square(Square::A1), Square::H8);
        assert_eq!(Transform(TRANSPOSE).square(Square::E1), Square::H4);
    }

    proptest! {
        #[test]
        fn sets_go_where_their_squares_go(transform in transforms(), bits in any::<u64>()) {
            let set = Bitboard(bits);
            let moved: Bitboard = set.into_iter().map(|square| transform.square(square)).collect();
            prop_assert_eq!(transform.apply(set), moved);
            prop_assert_eq!(moved.count(), set.count());
        }

        #[test]
        fn the_steps_in_reverse_lead_back(transform in transforms(), bits in any::<u64>()) {
            let set = Bitboard(bits);
            let steps = [TRANSPOSE, MIRROR, FLIP].map(|step| Transform(transform.0 & step));
            let back = steps.into_iter().fold(transform.apply(set), |set, step| step.apply(set));
            prop_assert_eq!(back, set);
        }

        #[test]
        fn twins_of_a_board_are_transformed_into_one(
            transform in transforms(),
            squares in prop::sample::subsequence(Square::ALL.to_vec(), 5).prop_shuffle(),
        ) {
            use shakmaty::{CastlingMode, FromSetup, Piece, Setup};
            let pieces = [Color::White.king(), Color::Black.king(), Color::White.rook(), Color::Black.bishop(),
                Color::White.knight()];
            let canonical = |transform: Transform| -> Option<Vec<(Square, Piece)>> {
                let mut setup = Setup::empty();
                for (&square, &piece) in squares.iter().zip(&pieces) {
                    setup.board.set_piece_at(transform.square(square), piece);
                }
                let position = Chess::from_setup(setup, CastlingMode::Standard).ok()?;
                let chosen = Transform::of(&position);
                let mut found: Vec<_> = position
                    .board()
                    .clone()
                    .into_iter()
                    .map(|(square, piece)| (chosen.square(square), piece))
                    .collect();
                found.sort_by_key(|&(square, _)| square);
                Some(found)
            };
            prop_assert_eq!(canonical(Transform(0)), canonical(transform));
        }
    }
}
