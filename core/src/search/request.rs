//! Leaves on their way to the evaluators, and the answers on their way back.

use std::ops::Range;
use std::sync::Arc;

use super::backup::Step;
use super::cache::Cached;
use super::error::ForestError;
use super::forest::TreeId;
use crate::batch::Leaves;
use crate::game::{Game, Move};

/// One evaluator's word on its part of a request.
pub struct Answer<'a> {
    /// `[M]`, in the order of the batch.
    pub logits: &'a [f32],
    /// `[N × 3]`: win, draw, loss of the side to move.
    pub wdl: &'a [f32],
    pub moves_left: Option<&'a [f32]>,
}

/// Where a leaf's evaluation comes from.
#[derive(Clone)]
pub(super) enum Source {
    Row(usize),
    Known(Arc<Cached>),
}

pub(super) struct Leaf {
    pub(super) tree: TreeId,
    pub(super) path: Range<usize>,
    pub(super) moves: Range<usize>,
    /// One for each evaluator that the leaf needs, its judge first.
    pub(super) sources: Range<usize>,
}

/// Leaves that wait for their evaluation.
pub struct Request<G: Game> {
    /// One batch for each evaluator; some may be empty.
    pub batches: Vec<Arc<Leaves<G>>>,
    pub(super) keys: Vec<Vec<u64>>,
    pub(super) leaves: Vec<Leaf>,
    /// Visits that met a leaf already under way; they keep others off until the request is answered.
    pub(super) collisions: Vec<(TreeId, Range<usize>)>,
    pub(super) trees: Vec<TreeId>,
    pub(super) steps: Vec<Step>,
    pub(super) moves: Vec<Move>,
    pub(super) sources: Vec<Source>,
}

impl<G: Game> Request<G> {
    pub fn leaves(&self) -> usize {
        self.leaves.len()
    }
}

/// By evaluator, then by row of its batch.
pub(super) type Evaluated = Vec<Vec<Arc<Cached>>>;

/// Checks the shapes and the numbers of the answers.
pub(super) fn read_answers<G: Game>(
    batches: &[Arc<Leaves<G>>],
    answers: &[Answer<'_>],
) -> Result<Evaluated, ForestError> {
    let bad = |text: String| Err(ForestError::Evaluation(text));
    if answers.len() != batches.len() {
        return bad(format!("{} answers for {} evaluators", answers.len(), batches.len()));
    }
    let mut evaluated = Vec::with_capacity(batches.len());
    for (batch, answer) in batches.iter().zip(answers) {
        let n = batch.len();
        if answer.logits.len() != batch.moves.len() || answer.wdl.len() != 3 * n {
            return bad(format!(
                "{} logits and {} values for {n} positions with {} legal moves",
                answer.logits.len(),
                answer.wdl.len(),
                batch.moves.len()
            ));
        }
        if answer.moves_left.is_some_and(|m| m.len() != n) {
            return bad(format!("moves_left has the wrong length for {n} positions"));
        }
        if let Some(x) = answer.logits.iter().chain(answer.wdl).find(|x| !x.is_finite()) {
            return bad(format!("a logit or value is {x}"));
        }
        if let Some(x) = answer.moves_left.into_iter().flatten().find(|x| !x.is_finite()) {
            return bad(format!("moves_left is {x}"));
        }
        let rows = (0..n).map(|row| {
            let range = batch.offsets[row]..batch.offsets[row + 1];
            let wdl = &answer.wdl[3 * row..3 * row + 3];
            Arc::new(Cached {
                logits: answer.logits[range].into(),
                wdl: [wdl[0], wdl[1], wdl[2]],
                moves_left: answer.moves_left.map(|m| m[row]),
            })
        });
        evaluated.push(rows.collect());
    }
    Ok(evaluated)
}
