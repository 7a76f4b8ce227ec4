//! Forests of all games behind one trait, as Python has one class for all.

use std::any::Any;

use pyo3::prelude::*;

use super::any_game::{AnyGame, AnyLeaves, PyGame};
use super::{EvaluationError, FoibleError, MemoryLimitError, MoveError};
use crate::chess::ChessGame;
use crate::go::GoGame;
use crate::quote::quoted;
use crate::search::{self, Answer, SearchParams, Seats, Temperature, TreeId};

/// A forest whose game is not known to the type.
pub(super) trait AnyForest: Send {
    fn add(&mut self, game: AnyGame, nodes: u32, seed: u64, only: Option<&[String]>) -> PyResult<TreeId>;
    fn remove(&mut self, tree: TreeId) -> PyResult<()>;
    fn set_nodes(&mut self, tree: TreeId, nodes: u32) -> PyResult<()>;
    fn is_done(&self, tree: TreeId) -> PyResult<bool>;
    fn take_done(&mut self) -> Vec<TreeId>;
    fn advance(&mut self, tree: TreeId, name: &str, keep: bool) -> PyResult<()>;
    fn gather(&mut self, n: usize) -> PyResult<(Vec<AnyLeaves>, usize, Box<dyn Any + Send>)>;
    fn scatter(&mut self, request: Box<dyn Any + Send>, answers: &[Answer<'_>]) -> PyResult<()>;
    fn withdraw(&mut self, request: Box<dyn Any + Send>);
    /// Whether this forest made a request.
    fn made(&self, request: &(dyn Any + Send)) -> bool;
    fn summary(&self, tree: TreeId) -> PyResult<search::RootSummary>;
    fn choose(&self, tree: TreeId, temperature: Temperature, seed: u64) -> PyResult<Option<String>>;
    fn line(&self, tree: TreeId, first: Option<&str>) -> PyResult<Vec<String>>;
    fn size(&self) -> (usize, usize, usize);
    fn cached(&self) -> usize;
    fn growing(&self) -> bool;
}

pub(super) fn raise(error: search::ForestError) -> PyErr {
    let text = error.to_string();
    match error {
        search::ForestError::Memory { .. } => MemoryLimitError::new_err(text),
        search::ForestError::IllegalMove(_) => MoveError::new_err(text),
        search::ForestError::Evaluation(_) => EvaluationError::new_err(text),
        _ => FoibleError::new_err(text),
    }
}

impl<G: PyGame> AnyForest for search::Forest<G> {
    fn add(&mut self, game: AnyGame, nodes: u32, seed: u64, only: Option<&[String]>) -> PyResult<TreeId> {
        let game =
            G::take(game).ok_or_else(|| FoibleError::new_err("a forest holds trees of one game only"))?;
        let moves = only
            .map(|names| names.iter().map(|name| game.parse(name)).collect::<PyResult<_>>())
            .transpose()?;
        search::Forest::add(self, game, nodes, seed, moves).map_err(raise)
    }

    fn remove(&mut self, tree: TreeId) -> PyResult<()> {
        search::Forest::remove(self, tree).map_err(raise)
    }

    fn set_nodes(&mut self, tree: TreeId, nodes: u32) -> PyResult<()> {
        self.set_limit(tree, nodes).map_err(raise)
    }

    fn is_done(&self, tree: TreeId) -> PyResult<bool> {
        search::Forest::is_done(self, tree).map_err(raise)
    }

    fn take_done(&mut self) -> Vec<TreeId> {
        search::Forest::take_done(self)
    }

    fn advance(&mut self, tree: TreeId, name: &str, keep: bool) -> PyResult<()> {
        let mv = self.game(tree).map_err(raise)?.parse(name)?;
        search::Forest::advance(self, tree, mv, keep).map_err(raise)
    }

    fn gather(&mut self, n: usize) -> PyResult<(Vec<AnyLeaves>, usize, Box<dyn Any + Send>)> {
        let request = search::Forest::gather(self, n).map_err(raise)?;
        let batches = request.batches.iter().map(|leaves| G::wrap(leaves.clone())).collect();
        Ok((batches, request.leaves(), Box::new(request)))
    }

    fn scatter(&mut self, request: Box<dyn Any + Send>, answers: &[Answer<'_>]) -> PyResult<()> {
        match request.downcast::<search::Request<G>>() {
            Ok(request) => search::Forest::scatter(self, *request, answers).map_err(raise),
            Err(_) => Err(raise(search::ForestError::OtherForest)),
        }
    }

    fn made(&self, request: &(dyn Any + Send)) -> bool {
        request
            .downcast_ref::<search::Request<G>>()
            .is_some_and(|request| search::Forest::made(self, request))
    }

    fn withdraw(&mut self, request: Box<dyn Any + Send>) {
        if let Ok(request) = request.downcast::<search::Request<G>>() {
            search::Forest::withdraw(self, *request);
        }
    }

    fn summary(&self, tree: TreeId) -> PyResult<search::RootSummary> {
        search::Forest::summary(self, tree).map_err(raise)
    }

    fn choose(&self, tree: TreeId, temperature: Temperature, seed: u64) -> PyResult<Option<String>> {
        search::Forest::choose(self, tree, temperature, seed).map_err(raise)
    }

    fn line(&self, tree: TreeId, first: Option<&str>) -> PyResult<Vec<String>> {
        let first = first.map(|name| self.game(tree).map_err(raise)?.parse(name)).transpose()?;
        search::Forest::line(self, tree, first).map_err(raise)
    }

    fn size(&self) -> (usize, usize, usize) {
        search::Forest::size(self)
    }

    fn cached(&self) -> usize {
        search::Forest::cached(self)
    }

    fn growing(&self) -> bool {
        search::Forest::growing(self)
    }
}

/// A forest of the game of that name.
pub(super) fn forest_of(game: &str, params: SearchParams, seats: Seats) -> PyResult<Box<dyn AnyForest>> {
    match game {
        "chess" => Ok(Box::new(search::Forest::<ChessGame>::new(params, seats))),
        "go" => Ok(Box::new(search::Forest::<GoGame>::new(params, seats))),
        _ => Err(FoibleError::new_err(format!("unknown game {}: expected chess or go", quoted(game)))),
    }
}
