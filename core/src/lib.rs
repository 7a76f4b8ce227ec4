//! The core of foible: rules, encodings, game search, PGN streaming, and the Python bindings.
//!
//! Priorities, in order: safe on untrusted input; correct; fast; small.

pub mod batch;
pub mod chess;
pub mod game;
pub mod go;
pub mod hash;
mod quote;
pub mod rng;
pub mod search;

#[cfg(feature = "python")]
mod python;
