//! Numbers that Python passes, checked.

use numpy::{Element, Ix1, Ix2, PyReadonlyArray, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArray};
use numpy::{PyUntypedArrayMethods, dtype, ndarray::Dimension};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;

use super::FoibleError;

/// A whole number of a type that does not hold all of Python's: one that it does not hold is a `FoibleError`, which says
/// what there may be, not Python's `OverflowError`.
pub fn whole<T>(object: &Bound<'_, PyAny>) -> PyResult<T>
where
    T: for<'a, 'py> FromPyObject<'a, 'py, Error = PyErr> + Limits,
{
    object.extract::<T>().map_err(|error| {
        if error.is_instance_of::<PyOverflowError>(object.py()) {
            FoibleError::new_err(format!(
                "{object}: expected a whole number from {} to {}",
                T::LEAST,
                T::MOST
            ))
        } else {
            error
        }
    })
}

/// As [`whole`], of each number of an iterable.
pub fn all_whole<T>(object: &Bound<'_, PyAny>) -> PyResult<Vec<T>>
where
    T: for<'a, 'py> FromPyObject<'a, 'py, Error = PyErr> + Limits,
{
    object.try_iter()?.map(|one| whole(&one?)).collect()
}

/// As [`whole`], where there may be no number.
pub fn whole_or_none<T>(object: &Bound<'_, PyAny>) -> PyResult<Option<T>>
where
    T: for<'a, 'py> FromPyObject<'a, 'py, Error = PyErr> + Limits,
{
    if object.is_none() { Ok(None) } else { whole(object).map(Some) }
}

/// A whole number from 0 to below `end`; `None` where it is another, however large.
pub fn below(object: &Bound<'_, PyAny>, end: usize) -> PyResult<Option<usize>> {
    match object.extract() {
        Ok(number) => Ok(Some(number).filter(|&number| number < end)),
        Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A number. One beyond all of its type becomes infinite, so that whoever takes it says what there may be, as of any
/// other that is out of range, and not Python's `OverflowError`.
pub fn real(object: &Bound<'_, PyAny>) -> PyResult<f64> {
    match object.extract::<f64>() {
        Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => {
            Ok(if object.lt(0)? { f64::NEG_INFINITY } else { f64::INFINITY })
        }
        found => found,
    }
}

/// As [`real`], where there may be no number.
pub fn real_or_none(object: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    if object.is_none() { Ok(None) } else { real(object).map(Some) }
}

/// An array of one dimension, of exactly this type of numbers.
pub fn array<'py, T: Element>(object: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray1<'py, T>> {
    array_of::<T, Ix1>("[N]", object)
}

/// An array of rows and columns, of exactly this type of numbers.
pub fn table<'py, T: Element>(object: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray2<'py, T>> {
    array_of::<T, Ix2>("[N, A]", object)
}

/// An array of exactly this type of numbers and of the dimensions that `shape` names.
fn array_of<'py, T: Element, D: Dimension>(
    shape: &str,
    object: &Bound<'py, PyAny>,
) -> PyResult<PyReadonlyArray<'py, T, D>> {
    object.extract().map_err(|_| {
        let found = match object.cast::<PyUntypedArray>() {
            Ok(array) => format!("{} of shape {:?}", array.dtype(), array.shape()),
            Err(_) => object.get_type().name().map_or_else(|_| "?".into(), |name| name.to_string()),
        };
        PyTypeError::new_err(format!(
            "expected an array {shape} of {}, found {found}",
            dtype::<T>(object.py())
        ))
    })
}

/// Refuses a number that is not as it should be.
pub fn expect(name: &str, value: f64, good: bool, expected: &str) -> PyResult<()> {
    if good { Ok(()) } else { Err(FoibleError::new_err(format!("{name} = {value}: expected {expected}"))) }
}

/// The range of a type of whole numbers.
pub trait Limits {
    const LEAST: i128;
    const MOST: i128;
}

macro_rules! limits {
    ($($kind:ty),*) => {
        $(impl Limits for $kind {
            const LEAST: i128 = <$kind>::MIN as i128;
            const MOST: i128 = <$kind>::MAX as i128;
        })*
    };
}

limits!(u32, u64, usize);
