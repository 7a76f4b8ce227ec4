//! Go positions as Python sees them.

use std::hash::{Hash, Hasher};

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::any_game::{moves, vertices};
use super::numbers::{below, real, real_or_none};
use super::position::{Outcome, side_name};
use super::{MoveError, PositionError};
use crate::game::{Game, Move};
use crate::go::{Board, Colour, GoGame, MAX_SIZE, Points, Rules};
use crate::quote::quoted;

/// The largest komi: it keeps the arithmetic of scores exact, and no board is worth nearly as much.
const MAX_KOMI: f64 = 1_000_000.0;

/// Names of rules, and whether suicide is allowed. They differ in nothing else: all have scoring by area and
/// positional superko.
const RULES: [(&str, bool); 2] = [("chinese", false), ("tromp-taylor", true)];

/// What pickling needs: a callable and its arguments.
type Rebuild<'py> = (Bound<'py, PyAny>, (usize, Vec<String>));

/// A Go position on an N×N board, N from 1 to 19, with its whole history: superko looks at all of it.
/// Immutable, hashable, picklable.
///
/// Scoring is by area, superko is positional, and two passes end the game.
///
/// `size`: N. `moves`: GTP vertices (`D4`, no column I) or `pass`, by the colour `to_move` first. `komi`:
/// points added to White's score for any reason, a multiple of ½; by default 7.5, and 9.5 on 7×7, where 9 is fair.
/// `rules`: `chinese` forbids suicide, `tromp-taylor` allows it. `black`, `white`: stones on the board before the
/// first move.
///
/// :raises PositionError: size outside 1…19, a komi that is not a multiple of ½, stones that share a point or
///     have no liberty, or unknown `rules` or `to_move`.
/// :raises MoveError: a move is not legal; the message names it and its index.
#[pyclass(frozen, eq, hash, module = "foible._core")]
pub struct GoPosition {
    pub game: GoGame,
}

#[pymethods]
impl GoPosition {
    #[new]
    #[pyo3(signature = (
        size=None,
        moves=Vec::new(),
        *,
        komi=None,
        rules="chinese",
        black=Vec::new(),
        white=Vec::new(),
        to_move="black",
    ))]
    #[pyo3(
        text_signature = "(size=7, moves=(), *, komi=None, rules='chinese', black=(), white=(), to_move='black')"
    )]
    #[expect(clippy::too_many_arguments, reason = "a constructor with names in Python")]
    fn new(
        py: Python<'_>,
        size: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = moves)] moves: Vec<String>,
        #[pyo3(from_py_with = real_or_none)] komi: Option<f64>,
        rules: &str,
        #[pyo3(from_py_with = vertices)] black: Vec<String>,
        #[pyo3(from_py_with = vertices)] white: Vec<String>,
        to_move: &str,
    ) -> PyResult<Self> {
        let size = size.map_or(Ok(7), board_size)?;
        let komi = komi.unwrap_or_else(|| usual_komi(size));
        let rules = Rules { twice_komi: twice_komi(komi)?, suicide: suicide(rules)? };
        let board = board(size, &black, &white)?;
        let mut game = GoGame::start(size, rules, board, colour(to_move)?)
            .ok_or_else(|| PositionError::new_err("a chain on the board has no liberty"))?;
        py.detach(|| {
            for (index, text) in moves.iter().enumerate() {
                let mv = legal_move(&game, text).map_err(|problem| {
                    MoveError::new_err(format!(
                        "move {} of {}: {problem}: {}",
                        index + 1,
                        moves.len(),
                        quoted(text)
                    ))
                })?;
                game.play(mv);
            }
            Ok(Self { game })
        })
    }

    /// The position after one move: a GTP vertex or `pass`.
    ///
    /// :raises MoveError: the move cannot be read or is not legal.
    fn play(&self, r#move: &str) -> PyResult<Self> {
        let mv = legal_move(&self.game, r#move)
            .map_err(|problem| MoveError::new_err(format!("{problem}: {}", quoted(r#move))))?;
        let mut game = self.game.clone();
        game.play(mv);
        Ok(Self { game })
    }

    /// The same game, its history included, with another komi.
    ///
    /// :raises PositionError: the komi is not a multiple of ½.
    fn with_komi(&self, #[pyo3(from_py_with = real)] komi: f64) -> PyResult<Self> {
        Ok(Self { game: self.game.with_komi(twice_komi(komi)?) })
    }

    /// N, the number of points on a side of the board.
    #[getter]
    fn size(&self) -> usize {
        self.game.size()
    }

    /// Points added to White's score.
    #[getter]
    fn komi(&self) -> f64 {
        self.game.komi()
    }

    /// The rules, `chinese` or `tromp-taylor`, which differ only in whether suicide is allowed.
    #[getter]
    fn rules(&self) -> &'static str {
        let named = RULES.iter().find(|(_, suicide)| *suicide == self.game.rules().suicide);
        named.map_or("", |(name, _)| name)
    }

    /// Black's and White's stones before the first move, as vertices.
    #[getter]
    fn setup(&self) -> (Vec<String>, Vec<String>) {
        let (board, _) = self.game.beginning();
        (self.points(&board.black), self.points(&board.white))
    }

    /// The colour that makes the first move.
    #[getter]
    fn first_mover(&self) -> &'static str {
        if self.game.beginning().1 == Colour::Black { "black" } else { "white" }
    }

    /// Moves played since the beginning, as vertices or `pass`.
    #[getter]
    fn moves(&self) -> Vec<String> {
        self.names(self.game.moves())
    }

    /// The moves from an earlier position of the same game to this one; `None` if `earlier` is not a position
    /// of this game.
    fn moves_since(&self, earlier: &Bound<'_, PyAny>) -> Option<Vec<String>> {
        let earlier = earlier.cast::<GoPosition>().ok()?.get();
        let moves = self.game.moves().strip_prefix(earlier.game.moves())?;
        self.same_start(earlier).then(|| self.names(moves))
    }

    /// Legal vertices row by row from A1 (A1, B1, …), `pass` last; none after two passes.
    #[getter]
    fn legal_moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        self.game.legal_moves(&mut moves);
        self.names(&moves)
    }

    /// The side to move: `first` is Black, `second` is White.
    #[getter]
    fn turn(&self) -> &'static str {
        side_name(self.game.first_to_move())
    }

    /// Moves played, passes included.
    #[getter]
    fn ply(&self) -> usize {
        self.game.moves().len()
    }

    /// The stones, one line per row from the top: `X` Black, `O` White, `.` empty.
    #[getter]
    fn board(&self) -> String {
        let (size, board) = (self.game.size(), self.game.board());
        let stone = |point| match (board.black.contains(point), board.white.contains(point)) {
            (true, _) => 'X',
            (_, true) => 'O',
            _ => '.',
        };
        let rows: Vec<String> =
            (0..size).rev().map(|y| (0..size).map(|x| stone(y * size + x)).collect()).collect();
        rows.join("\n")
    }

    /// Black's area minus White's on the board as it stands, in points, before komi.
    #[getter]
    fn area(&self) -> i32 {
        self.game.area()
    }

    /// Black's area minus White's on the board as it stands, in points, after komi.
    #[getter]
    fn margin(&self) -> f64 {
        self.game.margin()
    }

    /// The outcome after two passes, `None` before. Go knows no claims: `claim_draw` changes nothing.
    #[pyo3(signature = (*, claim_draw=false))]
    fn outcome(&self, claim_draw: bool) -> Option<Outcome> {
        let _ = claim_draw;
        let first_wins = self.game.winner().map(|winner| winner == Colour::Black);
        self.game.is_over().then(|| Outcome::new(first_wins, "two_passes", false))
    }

    /// 64-bit hash of all that an evaluation may depend on: eight boards, side to move, komi, points
    /// forbidden by superko.
    #[getter]
    fn key(&self) -> u64 {
        self.game.key()
    }

    fn __repr__(&self) -> String {
        let mut text = format!("GoPosition({}, {:?}, komi={}", self.size(), self.moves(), self.komi());
        if self.rules() != RULES[0].0 {
            text += &format!(", rules={:?}", self.rules());
        }
        let (black, white) = self.setup();
        for (name, stones) in [("black", black), ("white", white)] {
            if !stones.is_empty() {
                text += &format!(", {name}={stones:?}");
            }
        }
        if self.first_mover() != "black" {
            text += &format!(", to_move={:?}", self.first_mover());
        }
        text + ")"
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Rebuild<'py>> {
        let this = slf.get();
        let (black, white) = this.setup();
        let names = PyDict::new(slf.py());
        names.set_item("komi", this.komi())?;
        names.set_item("rules", this.rules())?;
        names.set_item("black", black)?;
        names.set_item("white", white)?;
        names.set_item("to_move", this.first_mover())?;
        let rebuild =
            slf.py().import("functools")?.getattr("partial")?.call((slf.get_type(),), Some(&names))?;
        Ok((rebuild, (this.size(), this.moves())))
    }
}

impl GoPosition {
    /// Whether a game began as this one did, by the same rules.
    fn same_start(&self, other: &GoPosition) -> bool {
        let (a, b) = (&self.game, &other.game);
        a.size() == b.size() && a.rules() == b.rules() && a.beginning() == b.beginning()
    }

    fn names(&self, moves: &[Move]) -> Vec<String> {
        moves.iter().map(|&mv| self.game.move_name(mv)).collect()
    }

    fn points(&self, points: &Points) -> Vec<String> {
        points.iter().map(|point| self.game.move_name(Move(point as u16))).collect()
    }
}

/// Positions are equal if their rules, starts and moves are: the whole history counts, as it does for
/// superko.
impl PartialEq for GoPosition {
    fn eq(&self, other: &Self) -> bool {
        self.same_start(other) && self.game.moves() == other.game.moves()
    }
}

impl Hash for GoPosition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.game.key().hash(state);
    }
}

fn board_size(size: &Bound<'_, PyAny>) -> PyResult<usize> {
    below(size, MAX_SIZE + 1)?
        .filter(|&size| size > 0)
        .ok_or_else(|| PositionError::new_err(format!("board size {size}: must be from 1 to {MAX_SIZE}")))
}

fn suicide(rules: &str) -> PyResult<bool> {
    let found = RULES.iter().find(|(name, _)| *name == rules).map(|(_, suicide)| *suicide);
    let names = RULES.map(|(name, _)| name).join(" or ");
    found.ok_or_else(|| PositionError::new_err(format!("rules {}: expected {names}", quoted(rules))))
}

fn colour(name: &str) -> PyResult<Colour> {
    match name {
        "black" => Ok(Colour::Black),
        "white" => Ok(Colour::White),
        _ => Err(PositionError::new_err(format!("to_move {}: expected black or white", quoted(name)))),
    }
}

/// A board with these stones.
fn board(size: usize, black: &[String], white: &[String]) -> PyResult<Board> {
    let empty = GoGame::new(size, 0);
    let mut taken = Points::EMPTY;
    let mut points = |names: &[String]| {
        names.iter().try_fold(Points::EMPTY, |points, name| {
            let point = empty.parse_move(name).filter(|mv| *mv != empty.pass());
            let point = point.ok_or_else(|| {
                let last = corner(&empty);
                PositionError::new_err(format!(
                    "stone {}: not a vertex from A1 to {last} (no column I)",
                    quoted(name)
                ))
            })?;
            let point = usize::from(point.0);
            if taken.contains(point) {
                return Err(PositionError::new_err(format!(
                    "stone {}: the point has a stone already",
                    quoted(name)
                )));
            }
            taken = taken.with(point);
            Ok(points.with(point))
        })
    };
    Ok(Board { black: points(black)?, white: points(white)? })
}

/// The last vertex of a board.
fn corner(game: &GoGame) -> String {
    game.move_name(Move((game.size() * game.size() - 1) as u16))
}

/// The default komi. With 9.5 on 7×7 White wins by half a point under perfect play (SAI, §8).
fn usual_komi(size: usize) -> f64 {
    if size == 7 { 9.5 } else { 7.5 }
}

fn twice_komi(komi: f64) -> PyResult<i32> {
    let twice = 2.0 * komi;
    // Not a number fails both comparisons.
    if twice.fract() == 0.0 && komi.abs() <= MAX_KOMI {
        return Ok(twice as i32);
    }
    Err(PositionError::new_err(format!(
        "komi {komi:?}: must be a multiple of 0.5 from -{MAX_KOMI} to {MAX_KOMI}"
    )))
}

/// Reads a legal move; the error says what is wrong with the text.
fn legal_move(game: &GoGame, text: &str) -> Result<Move, String> {
    let mv = vertex(game, text)?;
    game.check(mv).map_err(|illegal| illegal.to_string())?;
    Ok(mv)
}

/// Reads a move, legal or not; the error says what is wrong with the text.
pub fn vertex(game: &GoGame, text: &str) -> Result<Move, String> {
    let problem = || format!("not a vertex from A1 to {} (no column I) or pass", corner(game));
    game.parse_move(text).ok_or_else(problem)
}
