//! Names of moves as GTP writes them: a column letter (I is left out) and a row number from 1 at the bottom, or `pass`.

use super::board::Grid;
use crate::game::Move;

const COLUMNS: &[u8; 19] = b"ABCDEFGHJKLMNOPQRST";

/// The move that plays no stone: one past the last point.
pub fn pass(grid: &Grid) -> Move {
    Move(grid.area() as u16)
}

pub fn move_name(grid: &Grid, mv: Move) -> String {
    if mv == pass(grid) {
        return "pass".to_owned();
    }
    let point = usize::from(mv.0);
    format!("{}{}", char::from(COLUMNS[point % grid.width]), point / grid.width + 1)
}

/// Reads a move in upper or lower case; `None` if the text is no move on this grid.
pub fn parse_move(grid: &Grid, text: &str) -> Option<Move> {
    if text.eq_ignore_ascii_case("pass") {
        return Some(pass(grid));
    }
    let (letter, row) = text.split_at_checked(1)?;
    let letter = letter.as_bytes()[0].to_ascii_uppercase();
    let x = COLUMNS[..grid.width].iter().position(|&column| column == letter)?;
    if row.len() > 2 || row.starts_with('0') || !row.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let y = row.parse::<usize>().ok()?.checked_sub(1)?;
    (y < grid.height).then_some(Move((y * grid.width + x) as u16))
}
