//! Batches of positions of either game.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray4, PyReadonlyArray2, PyUntypedArrayMethods, ndarray};
use pyo3::prelude::*;

use super::PositionError;
use super::go_position::GoPosition;
use super::position::ChessPosition;
use crate::batch::Leaves;
use crate::chess::{ChessGame, PLANES};
use crate::game::{Game, View};
use crate::go::GoGame;

/// A position of any game, taken out of its Python object.
pub enum AnyGame {
    Chess(ChessGame),
    Go(GoGame),
}

impl<'a, 'py> FromPyObject<'a, 'py> for AnyGame {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(position) = object.cast::<ChessPosition>() {
            return Ok(AnyGame::Chess(position.get().game.clone()));
        }
        if let Ok(position) = object.cast::<GoPosition>() {
            return Ok(AnyGame::Go(position.get().game.clone()));
        }
        Err(pyo3::exceptions::PyTypeError::new_err(format!(
            "expected a ChessPosition or a GoPosition, found {}",
            object.get_type().name()?
        )))
    }
}

#[derive(Clone)]
pub enum AnyLeaves {
    Chess(Arc<Leaves<ChessGame>>),
    Go(Arc<Leaves<GoGame>>),
}

/// Calls the same code for the batch of whichever game.
macro_rules! each {
    ($leaves:expr, $name:ident => $body:expr) => {
        match $leaves {
            AnyLeaves::Chess($name) => $body,
            AnyLeaves::Go($name) => $body,
        }
    };
}

fn planes<G: Game>(leaves: &Leaves<G>) -> (Vec<f32>, [usize; 4]) {
    let [planes, rows, columns] = leaves.views.first().map_or([0, 0, 0], View::plane_shape);
    let size = planes * rows * columns;
    let mut out = vec![0.0; leaves.len() * size];
    for (view, out) in leaves.views.iter().zip(out.chunks_exact_mut(size.max(1))) {
        view.planes(out);
    }
    (out, [leaves.len(), planes, rows, columns])
}

fn names<G: Game>(leaves: &Leaves<G>) -> Vec<Vec<String>> {
    let name = |row: usize| leaves.legal(row).iter().map(|&mv| leaves.views[row].move_name(mv)).collect();
    (0..leaves.len()).map(name).collect()
}

fn evaluate_material<G: Game>(leaves: &Leaves<G>) -> (Vec<f32>, Vec<f32>) {
    let mut logits = vec![0.0; leaves.moves.len()];
    let mut wdl = Vec::with_capacity(3 * leaves.len());
    for (row, view) in leaves.views.iter().enumerate() {
        let range = leaves.offsets[row]..leaves.offsets[row + 1];
        wdl.extend(view.material(leaves.legal(row), &mut logits[range]));
    }
    (logits, wdl)
}

/// Bit boards and the values of their set bits.
type Packed<'py> = (Bound<'py, PyArray2<u64>>, Bound<'py, PyArray2<f32>>);

/// Positions on their way to an evaluator.
#[pyclass(frozen, module = "foible._core")]
pub struct Batch {
    pub leaves: AnyLeaves,
}

impl Batch {
    pub fn is_empty(&self) -> bool {
        each!(&self.leaves, leaves => leaves.is_empty())
    }
}

fn collect<G: Game>(games: &[G]) -> Arc<Leaves<G>> {
    let mut leaves = Leaves::default();
    let mut legal = Vec::new();
    for game in games {
        legal.clear();
        game.legal_moves(&mut legal);
        leaves.push(game, &legal);
    }
    Arc::new(leaves)
}

fn shaped<'py>(py: Python<'py>, data: Vec<f32>, columns: usize) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let rows = data.len() / columns;
    let array = ndarray::Array2::from_shape_vec((rows, columns), data);
    Ok(array.map_err(|error| PositionError::new_err(error.to_string()))?.into_pyarray(py))
}

#[pymethods]
impl Batch {
    #[new]
    fn new(positions: Vec<AnyGame>) -> PyResult<Batch> {
        let (mut chess, mut go) = (Vec::new(), Vec::new());
        for position in positions {
            match position {
                AnyGame::Chess(game) => chess.push(game),
                AnyGame::Go(game) => go.push(game),
            }
        }
        match (chess.is_empty(), go.is_empty()) {
            (true, true) => Err(PositionError::new_err("a batch needs at least one position")),
            (false, false) => Err(PositionError::new_err("a batch holds positions of one game only")),
            (false, true) => Ok(Batch { leaves: AnyLeaves::Chess(collect(&chess)) }),
            (true, false) if go.iter().any(|game| game.size() != go[0].size()) => {
                Err(PositionError::new_err("a batch holds Go positions of one board size only"))
            }
            (true, false) => Ok(Batch { leaves: AnyLeaves::Go(collect(&go)) }),
        }
    }

    fn __len__(&self) -> usize {
        each!(&self.leaves, leaves => leaves.len())
    }

    #[getter]
    fn policy_size(&self) -> usize {
        each!(&self.leaves, leaves => leaves.policy_size)
    }

    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        each!(&self.leaves, leaves => leaves.offsets.iter().map(|&x| x as i64).collect::<Vec<_>>())
            .into_pyarray(py)
    }

    #[getter]
    fn policy_indices<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        each!(&self.leaves, leaves => leaves.policy_indices().map(i64::from).collect::<Vec<_>>())
            .into_pyarray(py)
    }

    fn moves(&self) -> Vec<Vec<String>> {
        each!(&self.leaves, leaves => names(leaves))
    }

    fn planes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray4<f32>>> {
        let (data, shape) = py.detach(|| each!(&self.leaves, leaves => planes(leaves)));
        let array = ndarray::Array4::from_shape_vec(shape, data);
        Ok(array.map_err(|error| PositionError::new_err(error.to_string()))?.into_pyarray(py))
    }

    fn packed<'py>(&self, py: Python<'py>) -> PyResult<Packed<'py>> {
        let AnyLeaves::Chess(leaves) = &self.leaves else {
            return Err(PositionError::new_err("only chess positions have packed planes"));
        };
        let (masks, values) = py.detach(|| {
            let mut masks = vec![0; leaves.len() * PLANES];
            let mut values = vec![0.0; leaves.len() * PLANES];
            let rows = masks.chunks_exact_mut(PLANES).zip(values.chunks_exact_mut(PLANES));
            leaves.views.iter().zip(rows).for_each(|(view, (masks, values))| view.pack(masks, values));
            (masks, values)
        });
        let masks = ndarray::Array2::from_shape_vec((leaves.len(), PLANES), masks);
        let masks = masks.map_err(|error| PositionError::new_err(error.to_string()))?.into_pyarray(py);
        Ok((masks, shaped(py, values, PLANES)?))
    }

    fn legal<'py>(
        &self,
        py: Python<'py>,
        dense: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let (rows, width) = (self.__len__(), self.policy_size());
        if dense.shape() != [rows, width] {
            return Err(PositionError::new_err(format!(
                "policy of shape {:?} for a batch of shape [{rows}, {width}]",
                dense.shape()
            )));
        }
        // `as_slice` takes Fortran order too, and would read it across the rows.
        let dense = dense.as_slice().ok().filter(|_| dense.is_c_contiguous());
        let dense = dense.ok_or_else(|| PositionError::new_err("the policy must be C-contiguous"))?;
        Ok(each!(&self.leaves, leaves => leaves.legal_entries(dense)).into_pyarray(py))
    }

    fn select(&self, rows: Vec<usize>) -> PyResult<Batch> {
        let n = self.__len__();
        if let Some(row) = rows.iter().find(|&&row| row >= n) {
            return Err(PositionError::new_err(format!("row {row} of a batch of {n}")));
        }
        let leaves = match &self.leaves {
            AnyLeaves::Chess(leaves) => AnyLeaves::Chess(Arc::new(leaves.select(&rows))),
            AnyLeaves::Go(leaves) => AnyLeaves::Go(Arc::new(leaves.select(&rows))),
        };
        Ok(Batch { leaves })
    }
}

/// Logits of the legal moves, and win, draw, loss by row.
type Judged<'py> = (Bound<'py, PyArray1<f32>>, Bound<'py, PyArray2<f32>>);

/// The built-in evaluator.
#[pyfunction]
pub fn material<'py>(py: Python<'py>, batch: &Batch) -> PyResult<Judged<'py>> {
    let (logits, wdl) = py.detach(|| each!(&batch.leaves, leaves => evaluate_material(leaves)));
    Ok((logits.into_pyarray(py), shaped(py, wdl, 3)?))
}
