//! The 1858 policy indices of lc0, by the rule that orders them.
//!
//! Seen by the mover (ranks flipped for Black): all pairs of squares a queen's or a knight's move apart, by from-square,
//! then by to-square (a1 = 0, h8 = 63); behind them the promotions on the last rank to queen, rook and bishop. A
//! promotion to a knight has the index of the plain move.

use std::sync::LazyLock;

use shakmaty::Role;

use super::packed_move::squares;
use crate::game::Move;

pub const POLICY_SIZE: usize = 1858;

struct Table {
    plain: [[u16; 64]; 64],
    /// By from-file, to-file and piece (queen, rook, bishop).
    promotion: [[[u16; 3]; 8]; 8],
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { plain: [[u16::MAX; 64]; 64], promotion: [[[u16::MAX; 3]; 8]; 8] };
    let mut next = 0;
    let mut take = || {
        next += 1;
        next - 1
    };
    for from in 0..64_usize {
        for to in 0..64_usize {
            let files = (from % 8).abs_diff(to % 8);
            let ranks = (from / 8).abs_diff(to / 8);
            let queen = files == 0 || ranks == 0 || files == ranks;
            let knight = files * ranks == 2;
            if from != to && (queen || knight) {
                table.plain[from][to] = take();
            }
        }
    }
    for from in 0..8_usize {
        for to in from.saturating_sub(1)..=(from + 1).min(7) {
            table.promotion[from][to] = [take(), take(), take()];
        }
    }
    debug_assert_eq!(usize::from(next), POLICY_SIZE);
    table
});

/// The index of a legal move of a side that moves up the board (`flip` false) or down (`flip` true).
pub fn policy_index(mv: Move, flip: bool) -> u16 {
    let (from, to, promotion) = squares(mv);
    let (from, to) = if flip { (from.flip_vertical(), to.flip_vertical()) } else { (from, to) };
    let files = (usize::from(from.file()), usize::from(to.file()));
    match promotion {
        Some(Role::Queen) => TABLE.promotion[files.0][files.1][0],
        Some(Role::Rook) => TABLE.promotion[files.0][files.1][1],
        Some(Role::Bishop) => TABLE.promotion[files.0][files.1][2],
        _ => TABLE.plain[usize::from(from)][usize::from(to)],
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn there_are_exactly_1858_distinct_indices() {
        let plain = TABLE.plain.iter().flatten();
        let promotions = TABLE.promotion.iter().flatten().flatten();
        let used: HashSet<u16> =
            plain.chain(promotions).copied().filter(|&index| index != u16::MAX).collect();
        assert_eq!(used.len(), POLICY_SIZE);
        assert_eq!(used.iter().max(), Some(&(POLICY_SIZE as u16 - 1)));
    }
}
