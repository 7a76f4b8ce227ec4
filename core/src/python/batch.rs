//! Batches of positions of either game.

use std::str::FromStr;
use std::sync::Arc;

use numpy::{
    Element, IntoPyArray, PyArray1, PyArray2, PyArray4, PyReadonlyArray2, PyUntypedArrayMethods, ndarray,
};
use pyo3::prelude::*;

use shakmaty::{Chess, EnPassantMode, Position, fen::Fen};

use super::any_game::{AnyLeaves, AnyPosition, each, positions};
use super::numbers::{below, table, whole};
use super::{FoibleError, PositionError};
use crate::batch::Leaves;
use crate::chess::phase::{self, MOST_MOVE_PHASES, Table};
use crate::chess::{ChessGame, ChessView, Encoding};
use crate::game::{Game, View};
use crate::go::{GoEncoding, GoGame, GoView};

/// Runs the same code on the batch of either game, with an encoding of that game.
macro_rules! each_encoded {
    ($leaves:expr, $encoding:ident, $name:ident => $body:expr) => {
        match $leaves {
            AnyLeaves::Chess($name) => $body,
            AnyLeaves::Go($name) => {
                let $encoding = go_encoding($encoding)?;
                $body
            }
        }
    };
}

/// Reads a text that must be one of a few names.
pub fn parse<T: FromStr<Err = String>>(text: &str) -> PyResult<T> {
    text.parse().map_err(FoibleError::new_err)
}

/// The encoding for Go positions: there is only one, named like the default of chess.
fn go_encoding(encoding: Encoding) -> PyResult<GoEncoding> {
    match encoding {
        Encoding::LC0 => Ok(GoEncoding),
        _ => Err(FoibleError::new_err(format!("encoding \"{}\": for chess positions only", encoding.name()))),
    }
}

/// Checks the number of phases by the move counter.
pub fn move_phases(k: usize) -> PyResult<u8> {
    if !(1..=MOST_MOVE_PHASES).contains(&k) {
        return Err(FoibleError::new_err(format!(
            "{k} phases by the move counter: expected 1 to {MOST_MOVE_PHASES}"
        )));
    }
    Ok(k as u8)
}

fn planes<G: Game>(leaves: &Leaves<G>, encoding: <G::View as View>::Encoding) -> (Vec<f32>, [usize; 4]) {
    let [planes, rows, columns] = leaves.views.first().map_or([0, 0, 0], |view| view.plane_shape(encoding));
    let size = planes * rows * columns;
    let mut out = vec![0.0; leaves.len() * size];
    for (view, out) in leaves.views.iter().zip(out.chunks_exact_mut(size.max(1))) {
        view.planes(encoding, out);
    }
    (out, [leaves.len(), planes, rows, columns])
}

fn names<G: Game>(leaves: &Leaves<G>) -> Vec<Vec<String>> {
    let name = |row: usize| leaves.legal(row).iter().map(|&mv| leaves.views[row].move_name(mv)).collect();
    (0..leaves.len()).map(name).collect()
}

/// The built-in evaluator's logits, win-draw-loss, and margins where the game has them.
fn evaluate_material<G: Game>(leaves: &Leaves<G>) -> (Vec<f32>, Vec<f32>, Vec<f32>) {
    let mut logits = vec![0.0; leaves.moves.len()];
    let (mut wdl, mut margins) = (Vec::with_capacity(3 * leaves.len()), Vec::new());
    for (row, view) in leaves.views.iter().enumerate() {
        let range = leaves.offsets[row]..leaves.offsets[row + 1];
        let worth = view.material(leaves.legal(row), &mut logits[range]);
        wdl.extend(worth.wdl);
        margins.extend(worth.margin.into_iter().flatten());
    }
    (logits, wdl, margins)
}

/// Bit boards and the values of their set bits.
type Packed<'py> = (Bound<'py, PyArray2<u64>>, Bound<'py, PyArray2<f32>>);

/// A batch of positions to be evaluated: N positions of one game and one board size, with M legal moves in
/// all.
///
/// `len(batch)` is N. The arrays over moves are flat: position after position, each in the order of its
/// `legal_moves`.
///
/// :raises PositionError: the list is empty, or mixes games or board sizes.
#[pyclass(frozen, module = "foible._core")]
pub struct Batch {
    pub leaves: AnyLeaves,
}

impl Batch {
    pub fn is_empty(&self) -> bool {
        each!(&self.leaves, leaves => leaves.is_empty())
    }

    /// The batch of these positions, which are to be all of one game.
    fn of_one_game(chess: Leaves<ChessGame>, go: Leaves<GoGame>) -> PyResult<Batch> {
        match (chess.is_empty(), go.is_empty()) {
            (true, true) => Err(PositionError::new_err("a batch needs at least one position")),
            (false, false) => Err(PositionError::new_err("a batch holds positions of one game only")),
            (false, true) => Ok(Batch { leaves: AnyLeaves::Chess(Arc::new(chess)) }),
            (true, false) => Ok(Batch { leaves: AnyLeaves::Go(Arc::new(go)) }),
        }
    }

    fn chess(&self, what: &str) -> PyResult<&Leaves<ChessGame>> {
        match &self.leaves {
            AnyLeaves::Chess(leaves) => Ok(leaves),
            AnyLeaves::Go(_) => Err(PositionError::new_err(format!("only chess positions have {what}"))),
        }
    }

    /// Refuses an encoding that cannot show a position.
    fn check_shown(&self, encoding: Encoding) -> PyResult<()> {
        let AnyLeaves::Chess(leaves) = &self.leaves else { return Ok(()) };
        check_encoding_shows(leaves.views.iter().map(|view| view.position()), encoding)
    }

    fn go(&self, what: &str) -> PyResult<&Leaves<GoGame>> {
        match &self.leaves {
            AnyLeaves::Go(leaves) => Ok(leaves),
            AnyLeaves::Chess(_) => Err(PositionError::new_err(format!("only Go positions have {what}"))),
        }
    }

    /// The phase of each position.
    fn phases_by<'py>(
        &self,
        py: Python<'py>,
        phase: impl Fn(&ChessView) -> u8 + Send,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let leaves = self.chess("phases")?;
        Ok(py.detach(|| leaves.views.iter().map(phase).collect::<Vec<_>>()).into_pyarray(py))
    }
}

/// Refuses a Go position of another board size than those before it.
fn check_size(leaves: &Leaves<GoGame>, policy_size: usize) -> PyResult<()> {
    if leaves.is_empty() || leaves.policy_size == policy_size {
        return Ok(());
    }
    Err(PositionError::new_err("a batch holds Go positions of one board size only"))
}

/// An array of rows of so many columns.
pub fn shaped<T: Element>(py: Python<'_>, data: Vec<T>, columns: usize) -> PyResult<Bound<'_, PyArray2<T>>> {
    let rows = data.len() / columns;
    let array = ndarray::Array2::from_shape_vec((rows, columns), data);
    Ok(array.map_err(|error| PositionError::new_err(error.to_string()))?.into_pyarray(py))
}

#[pymethods]
impl Batch {
    #[new]
    fn new(#[pyo3(from_py_with = positions)] positions: Vec<AnyPosition<'_>>) -> PyResult<Batch> {
        let (mut chess, mut go) = (Leaves::default(), Leaves::default());
        for position in &positions {
            match position {
                AnyPosition::Chess(position) => chess.push_game(&position.get().game),
                AnyPosition::Go(position) => {
                    let game = &position.get().game;
                    check_size(&go, game.policy_size())?;
                    go.push_game(game);
                }
            }
        }
        Batch::of_one_game(chess, go)
    }

    fn __len__(&self) -> usize {
        each!(&self.leaves, leaves => leaves.len())
    }

    /// The number M of legal moves in all positions.
    #[getter]
    fn move_count(&self) -> usize {
        each!(&self.leaves, leaves => leaves.moves.len())
    }

    /// The width A of a net's policy output for this game: 1858 in chess, size² + 1 in Go.
    #[getter]
    fn policy_size(&self) -> usize {
        each!(&self.leaves, leaves => leaves.policy_size)
    }

    /// `[N + 1]`: the legal moves of position i stand in the arrays over moves at `offsets[i]` to
    /// `offsets[i + 1] − 1`.
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        each!(&self.leaves, leaves => leaves.offsets.iter().map(|&x| x as i64).collect::<Vec<_>>())
            .into_pyarray(py)
    }

    /// `[M]`: the index of each legal move in a net's policy output, 0 to A − 1; in Go there is only one
    /// encoding.
    ///
    /// :raises FoibleError: the encoding is unknown, or not one of this game.
    #[pyo3(signature = (encoding="lc0"))]
    fn policy_indices<'py>(&self, py: Python<'py>, encoding: &str) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let encoding = parse(encoding)?;
        self.check_shown(encoding)?;
        let indices = each_encoded!(&self.leaves, encoding, leaves => {
            leaves.policy_indices(encoding).map(i64::from).collect::<Vec<_>>()
        });
        Ok(indices.into_pyarray(py))
    }

    /// The legal moves of each position, in the order of the flat arrays: UCI in chess, vertices in Go.
    fn moves(&self) -> Vec<Vec<String>> {
        each!(&self.leaves, leaves => names(leaves))
    }

    /// The net input as floats: in chess `[N, 112, 8, 8]` (lc0's), `[N, 52, 8, 8]` (CrazyAra's, phase-experts
    /// §2.1), `[N, 18, 8, 8]` (Maia-2's) or `[N, 96, 8, 8]` (Maia-3's), in Go `[N, 18, size, size]`.
    ///
    /// :raises FoibleError: the encoding is unknown, or not one of this game.
    /// :raises PositionError: the encoding cannot show a position: Maia's nets know no castling as in
    ///     Chess960.
    #[pyo3(signature = (encoding="lc0"))]
    fn planes<'py>(&self, py: Python<'py>, encoding: &str) -> PyResult<Bound<'py, PyArray4<f32>>> {
        let encoding = parse(encoding)?;
        self.check_shown(encoding)?;
        let (data, shape) =
            each_encoded!(&self.leaves, encoding, leaves => py.detach(|| planes(leaves, encoding)));
        let array = ndarray::Array4::from_shape_vec(shape, data);
        Ok(array.map_err(|error| PositionError::new_err(error.to_string()))?.into_pyarray(py))
    }

    /// The chess net input packed: `[N, C]` bit boards (bit 0 = a1) and the `[N, C]` value of their set bits.
    ///
    /// :raises FoibleError: the encoding is unknown.
    /// :raises PositionError: the game is Go.
    #[pyo3(signature = (encoding="lc0"))]
    fn packed<'py>(&self, py: Python<'py>, encoding: &str) -> PyResult<Packed<'py>> {
        let encoding: Encoding = parse(encoding)?;
        self.check_shown(encoding)?;
        let leaves = self.chess("packed planes")?;
        let planes = encoding.planes();
        let (masks, values) = py.detach(|| {
            let mut masks = vec![0; leaves.len() * planes];
            let mut values = vec![0.0; leaves.len() * planes];
            let rows = masks.chunks_exact_mut(planes).zip(values.chunks_exact_mut(planes));
            leaves
                .views
                .iter()
                .zip(rows)
                .for_each(|(view, (masks, values))| view.pack(encoding, masks, values));
            (masks, values)
        });
        Ok((shaped(py, masks, planes)?, shaped(py, values, planes)?))
    }

    /// `[N, A]` → `[M]`: picks the entries of the legal moves out of a net's policy output, which must be
    /// C-contiguous.
    ///
    /// :raises FoibleError: the encoding is unknown, or not one of this game.
    /// :raises PositionError: `dense` has another shape, or is not C-contiguous.
    #[pyo3(signature = (dense, encoding="lc0"))]
    fn legal<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = table)] dense: PyReadonlyArray2<'py, f32>,
        encoding: &str,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let encoding: Encoding = parse(encoding)?;
        self.check_shown(encoding)?;
        let (rows, width) = match &self.leaves {
            AnyLeaves::Chess(leaves) => (leaves.len(), encoding.policy_size()),
            AnyLeaves::Go(leaves) => (leaves.len(), leaves.policy_size),
        };
        if dense.shape() != [rows, width] {
            return Err(PositionError::new_err(format!(
                "policy of shape {:?} for a batch of shape [{rows}, {width}]",
                dense.shape()
            )));
        }
        // `as_slice` takes Fortran order too, and would read it across the rows.
        let dense = dense.as_slice().ok().filter(|_| dense.is_c_contiguous());
        let dense =
            dense.ok_or_else(|| PositionError::new_err("the policy must be C-contiguous and aligned"))?;
        let entries =
            each_encoded!(&self.leaves, encoding, leaves => leaves.legal_entries(encoding, dense, width));
        Ok(entries.into_pyarray(py))
    }

    /// `[N]`: the komi in points as the player to move counts it, −komi for Black and +komi for White.
    ///
    /// :raises PositionError: the game is chess.
    #[getter]
    fn signed_komi<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let leaves = self.go("komi")?;
        Ok(leaves.views.iter().map(GoView::signed_komi).collect::<Vec<_>>().into_pyarray(py))
    }

    /// `[N]`: a hash of what the planes show.
    ///
    /// :raises PositionError: the game is chess.
    #[getter]
    fn plane_keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let leaves = self.go("keys of planes")?;
        Ok(leaves.views.iter().map(GoView::key).collect::<Vec<_>>().into_pyarray(py))
    }

    /// `[N]`: 0 opening, 1 middlegame, 2 endgame (phase-experts §1.2).
    ///
    /// :raises FoibleError: the table is unknown.
    /// :raises PositionError: the game is Go.
    #[pyo3(signature = (table="current"))]
    fn phases<'py>(&self, py: Python<'py>, table: &str) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let table: Table = parse(table)?;
        self.phases_by(py, |view| phase::phase(view.position().board(), table))
    }

    /// `[N]`: the phase 0…k − 1 by the move counter, k from 1 to 5 (phase-experts §1.5).
    ///
    /// :raises FoibleError: k is outside 1 to 5.
    /// :raises PositionError: the game is Go.
    fn move_phases<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole)] k: usize,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let k = move_phases(k)?;
        self.phases_by(py, |view| phase::move_phase(view.position().fullmoves().get(), k))
    }

    /// `[N, 4]`: the features that determine the phase: the numbers of majors and minors, of White's pieces
    /// on the first rank and of Black's on the eighth, and the mixedness (phase-experts §1.2).
    ///
    /// :raises FoibleError: the table is unknown.
    /// :raises PositionError: the game is Go.
    #[pyo3(signature = (table="current"))]
    fn phase_features<'py>(&self, py: Python<'py>, table: &str) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let table: Table = parse(table)?;
        let leaves = self.chess("phases")?;
        let features = py.detach(|| {
            let row = |view: &ChessView| {
                let found = phase::features(view.position().board(), table);
                [
                    i32::from(found.majors_and_minors),
                    i32::from(found.white_backrank),
                    i32::from(found.black_backrank),
                    i32::from(found.mixedness),
                ]
            };
            leaves.views.iter().flat_map(row).collect()
        });
        shaped(py, features, 4)
    }

    /// All positions of several batches, in order.
    ///
    /// :raises PositionError: there is no position, or the batches mix games or board sizes.
    #[staticmethod]
    fn join(batches: Vec<PyRef<'_, Batch>>) -> PyResult<Batch> {
        let (mut chess, mut go) = (Leaves::default(), Leaves::default());
        for batch in &batches {
            match &batch.leaves {
                AnyLeaves::Chess(leaves) => chess.extend(leaves),
                AnyLeaves::Go(leaves) => {
                    check_size(&go, leaves.policy_size)?;
                    go.extend(leaves);
                }
            }
        }
        Batch::of_one_game(chess, go)
    }

    /// The batch of some of the positions, in the order of `rows`; a row may come twice.
    ///
    /// :raises PositionError: a row is outside 0…N − 1.
    fn select(&self, rows: Vec<Bound<'_, PyAny>>) -> PyResult<Batch> {
        let n = self.__len__();
        let inside = |row| {
            below(row, n)?.ok_or_else(|| PositionError::new_err(format!("row {row} of a batch of {n}")))
        };
        let rows: Vec<usize> = rows.iter().map(inside).collect::<PyResult<_>>()?;
        let leaves = match &self.leaves {
            AnyLeaves::Chess(leaves) => AnyLeaves::Chess(Arc::new(leaves.select(&rows))),
            AnyLeaves::Go(leaves) => AnyLeaves::Go(Arc::new(leaves.select(&rows))),
        };
        Ok(Batch { leaves })
    }
}

/// Logits of the legal moves; win, draw, loss by row; alpha and beta by row.
type Judged<'py> = (Bound<'py, PyArray1<f32>>, Bound<'py, PyArray2<f32>>, Option<Bound<'py, PyArray2<f32>>>);

/// The built-in evaluator, which needs no net (piece values and mobility in chess, area in Go): logits of the
/// legal moves `[M]`, win, draw, loss `[N, 3]` of the side to move, 0 to 1, and in Go alpha and beta
/// `[N, 2]`: the side to move's expected margin without komi, in points, and the steepness of the winrate per
/// point.
#[pyfunction]
pub fn material<'py>(py: Python<'py>, batch: &Batch) -> PyResult<Judged<'py>> {
    let (logits, wdl, margins) = py.detach(|| each!(&batch.leaves, leaves => evaluate_material(leaves)));
    let margins = (!margins.is_empty()).then(|| shaped(py, margins, 2)).transpose()?;
    Ok((logits.into_pyarray(py), shaped(py, wdl, 3)?, margins))
}

/// Refuses an encoding that cannot show one of the positions.
pub fn check_encoding_shows<'a>(
    positions: impl IntoIterator<Item = &'a Chess>,
    encoding: Encoding,
) -> PyResult<()> {
    match positions.into_iter().find(|position| !encoding.shows(position)) {
        Some(position) => Err(PositionError::new_err(format!(
            "{}: castles as in Chess960, which nets of the encoding {:?} do not know; expected a king on e and rooks \
             on a and h, or no castling rights",
            Fen::from_position(position, EnPassantMode::Legal),
            encoding.name()
        ))),
        None => Ok(()),
    }
}
