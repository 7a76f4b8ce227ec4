//! Game phases: opening, middlegame, endgame, by the position alone (phase-experts §1.1 to §1.3) or by the move counter
//! (§1.5).

use std::array;
use std::str::FromStr;

use shakmaty::{Bitboard, Board, Rank};

use crate::quote::quoted;

pub const OPENING: u8 = 0;
pub const MIDDLEGAME: u8 = 1;
pub const ENDGAME: u8 = 2;

/// The number of phases that [`move_phase`] can tell apart.
pub const MOST_MOVE_PHASES: usize = 5;

/// An endgame has at most this many majors and minors.
const ENDGAME_PIECES: u8 = 6;
/// A middlegame has at most this many majors and minors, ...
const MIDDLEGAME_PIECES: u8 = 10;
/// ... or a back rank with fewer pieces than this, ...
const FULL_BACKRANK: u8 = 4;
/// ... or is more mixed than this.
const MIXED: u16 = 150;
/// The length in moves of the game that [`move_phase`] cuts into equal parts.
const GAME_LENGTH: f64 = 42.85;

/// The table of scores of which the mixedness is the sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Table {
    /// lichess since June 2025: the same for both colours.
    #[default]
    Current,
    /// lichess before that; the paper's data was labelled by it.
    Legacy,
    /// CrazyAra's engine; the paper's matches were played by it.
    Engine,
}

impl FromStr for Table {
    type Err = String;

    fn from_str(text: &str) -> Result<Table, String> {
        match text {
            "current" => Ok(Table::Current),
            "legacy" => Ok(Table::Legacy),
            "engine" => Ok(Table::Engine),
            _ => Err(format!("table {}: expected current, legacy or engine", quoted(text))),
        }
    }
}

/// The features of a position on which its phase depends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features {
    /// Queens, rooks, bishops and knights of both sides.
    pub majors_and_minors: u8,
    /// White pieces, pawns and king included, on the first rank.
    pub white_backrank: u8,
    /// Black pieces on the eighth rank.
    pub black_backrank: u8,
    /// As [`mixedness`].
    pub mixedness: u16,
}

/// The features of a position, its mixedness by this table.
pub fn features(board: &Board, table: Table) -> Features {
    let (white_backrank, black_backrank) = backranks(board);
    Features {
        majors_and_minors: majors_and_minors(board),
        white_backrank,
        black_backrank,
        mixedness: mixedness(board, table),
    }
}

/// The phase of a position: [`OPENING`], [`MIDDLEGAME`] or [`ENDGAME`].
pub fn phase(board: &Board, table: Table) -> u8 {
    let pieces = majors_and_minors(board);
    if pieces <= ENDGAME_PIECES {
        return ENDGAME;
    }
    let (white, black) = backranks(board);
    let sparse = white.min(black) < FULL_BACKRANK;
    if pieces <= MIDDLEGAME_PIECES || sparse || mixedness(board, table) > MIXED {
        MIDDLEGAME
    } else {
        OPENING
    }
}

/// The phase when games are cut into `k` equal lengths by the move counter of the FEN: 0 to k − 1. `k` is 1 to
/// [`MOST_MOVE_PHASES`].
pub fn move_phase(fullmoves: u32, k: u8) -> u8 {
    let length = (GAME_LENGTH / f64::from(k)).round() as u32;
    let phase = fullmoves.saturating_sub(1) / length;
    phase.min(u32::from(k) - 1) as u8
}

fn count(set: Bitboard) -> u8 {
    set.count() as u8
}

fn majors_and_minors(board: &Board) -> u8 {
    count(board.occupied() & !board.pawns() & !board.kings())
}

/// White's pieces on the first rank, Black's on the eighth.
fn backranks(board: &Board) -> (u8, u8) {
    (count(board.white() & Bitboard::from(Rank::First)), count(board.black() & Bitboard::from(Rank::Eighth)))
}

/// How far the two sides have mingled: the sum of the scores of all 49 blocks of 2×2 squares, by the pieces in them and
/// by their rank.
pub fn mixedness(board: &Board, table: Table) -> u16 {
    let scores = &SCORES[table as usize];
    let row = |set: Bitboard, rank: usize| SPREAD[usize::from(u64::from(set).to_le_bytes()[rank])];
    // Byte x holds the code of file x. Codes of neighbours add up without a carry, as a block has only four squares.
    let ranks: [u64; 8] =
        array::from_fn(|rank| WHITE * row(board.white(), rank) + BLACK * row(board.black(), rank));
    let mut sum = 0;
    for (scores, pair) in scores.iter().zip(ranks.windows(2)) {
        let columns = pair[0] + pair[1];
        let squares = (columns + (columns >> 8)).to_le_bytes();
        for &code in &squares[..7] {
            sum += u16::from(scores[usize::from(code)]);
        }
    }
    sum
}

/// A block of squares has the code WHITE · white pieces + BLACK · black pieces.
const WHITE: u64 = 1;
const BLACK: u64 = 5;
const CODES: usize = 4 * BLACK as usize + 1;

/// Each bit of a byte as a byte of its own.
static SPREAD: [u64; 256] = {
    let mut spread = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut file = 0;
        while file < 8 {
            spread[bits] |= (bits as u64 >> file & 1) << (8 * file);
            file += 1;
        }
        bits += 1;
    }
    spread
};

/// Scores of blocks by the rank of their lower row, from the first to the seventh, then by code.
type Scores = [[u8; CODES]; 7];

/// The numbers of white and black pieces in a block, and its scores with the lower row on rank 1 to 7.
type Row = (u64, u64, [u8; 7]);

const LEGACY: [Row; 14] = [
    (1, 0, [8, 7, 6, 5, 4, 3, 2]),
    (2, 0, [0, 0, 3, 4, 5, 6, 7]),
    (3, 0, [0, 4, 5, 6, 7, 8, 9]),
    (4, 0, [0, 4, 5, 6, 7, 8, 9]),
    (0, 1, [2, 3, 4, 5, 6, 7, 8]),
    (0, 2, [7, 6, 5, 4, 3, 0, 0]),
    (0, 3, [9, 8, 7, 6, 5, 4, 0]),
    (0, 4, [9, 8, 7, 6, 5, 4, 0]),
    (1, 1, [7, 6, 5, 6, 7, 8, 9]),
    (2, 1, [5, 6, 7, 8, 9, 10, 11]),
    (3, 1, [6, 7, 8, 9, 10, 11, 12]),
    (1, 2, [9, 8, 7, 6, 5, 4, 3]),
    (1, 3, [10, 9, 8, 7, 6, 5, 4]),
    (2, 2, [7, 7, 7, 7, 7, 7, 7]),
];
/// The rows of the other tables that differ from `LEGACY`.
const CURRENT: [Row; 5] = [
    (1, 1, [8, 7, 6, 5, 6, 7, 8]),
    (2, 1, [4, 5, 6, 7, 8, 9, 10]),
    (3, 1, [5, 6, 7, 8, 9, 10, 11]),
    (1, 2, [10, 9, 8, 7, 6, 5, 4]),
    (1, 3, [11, 10, 9, 8, 7, 6, 5]),
];
const ENGINE: [Row; 6] = [
    (2, 0, [2, 2, 3, 4, 5, 6, 7]),
    (3, 0, [3, 4, 5, 6, 7, 8, 9]),
    (4, 0, [3, 4, 5, 6, 7, 8, 9]),
    (0, 2, [7, 6, 5, 4, 3, 2, 2]),
    (0, 3, [9, 8, 7, 6, 5, 4, 3]),
    (0, 4, [9, 8, 7, 6, 5, 4, 3]),
];

/// The scores of each [`Table`].
static SCORES: [Scores; 3] = [
    with(with([[0; CODES]; 7], &LEGACY), &CURRENT),
    with([[0; CODES]; 7], &LEGACY),
    with(with([[0; CODES]; 7], &LEGACY), &ENGINE),
];

const fn with(mut scores: Scores, rows: &[Row]) -> Scores {
    let mut i = 0;
    while i < rows.len() {
        let (white, black, by_rank) = rows[i];
        let mut rank = 0;
        while rank < 7 {
            scores[rank][(WHITE * white + BLACK * black) as usize] = by_rank[rank];
            rank += 1;
        }
        i += 1;
    }
    scores
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::{ByColor, Color, Piece, Role, Square};

    use super::*;

    const TABLES: [Table; 3] = [Table::Current, Table::Legacy, Table::Engine];

    fn boards() -> impl Strategy<Value = Board> {
        let piece = (any::<bool>(), 0..Role::ALL.len())
            .prop_map(|(white, role)| Piece { color: Color::from_white(white), role: Role::ALL[role] });
        prop::collection::vec((0..64_u32, piece), 0..64).prop_map(|pieces| {
            let mut board = Board::empty();
            pieces.into_iter().for_each(|(square, piece)| board.set_piece_at(Square::new(square), piece));
            board
        })
    }

    fn with_colours_swapped(board: &Board) -> Board {
        let mut swapped = Board::empty();
        for (square, piece) in board.iter() {
            swapped.set_piece_at(square.flip_vertical(), Piece { color: !piece.color, ..piece });
        }
        swapped
    }

    proptest! {
        #[test]
        fn mixedness_is_the_sum_over_all_squares_of_four(board in boards()) {
            for table in TABLES {
                let mut sum = 0;
                for corner in 0..55_u32 {
                    if corner % 8 == 7 {
                        continue;
                    }
                    let around: Bitboard = [0, 1, 8, 9].map(|step| Square::new(corner + step)).into_iter().collect();
                    let found: ByColor<u64> =
                        ByColor::new_with(|colour| (board.by_color(colour) & around).count() as u64);
                    let code = (WHITE * found.white + BLACK * found.black) as usize;
                    sum += u16::from(SCORES[table as usize][corner as usize / 8][code]);
                }
                prop_assert_eq!(mixedness(&board, table), sum);
            }
        }

        #[test]
        fn swapping_colours_changes_nothing_in_the_current_table(board in boards()) {
            let (one, other) = (features(&board, Table::Current), features(&with_colours_swapped(&board), Table::Current));
            let swapped = Features {
                white_backrank: other.black_backrank,
                black_backrank: other.white_backrank,
                ..other
            };
            prop_assert_eq!(one, swapped);
        }
    }

    #[test]
    fn the_start_is_an_opening_in_every_table() {
        for (table, wanted) in TABLES.into_iter().zip([0, 0, 70]) {
            assert_eq!(mixedness(&Board::new(), table), wanted);
            assert_eq!(phase(&Board::new(), table), OPENING);
        }
    }

    #[test]
    fn the_move_counter_cuts_a_game_into_equal_lengths() {
        assert!((1..500).all(|move_number| move_phase(move_number, 1) == 0));
        for (k, length) in [(2, 21), (3, 14), (4, 11), (5, 9)] {
            for move_number in 1..500 {
                let wanted = ((move_number - 1) / length).min(u32::from(k) - 1);
                assert_eq!(u32::from(move_phase(move_number, k)), wanted);
            }
        }
    }
}
