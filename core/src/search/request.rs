//! Requests: the leaves that are to be evaluated, and the evaluators' answers.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::backup::Step;
use super::cache::{Cached, Judged};
use super::error::ForestError;
use super::forest::TreeId;
use super::value_model::ValueModel;
use crate::batch::Leaves;
use crate::game::{Game, Move};

/// One evaluator's answer to its batch of a request.
pub struct Answer<'a> {
    /// `[M]`, in the order of the batch.
    pub logits: &'a [f32],
    /// `[N × 3]`: win, draw, loss of the side to move.
    pub wdl: &'a [f32],
    pub moves_left: Option<&'a [f32]>,
    /// `[N × 2]`: alpha and beta of the side to move.
    pub margins: Option<&'a [f32]>,
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
    /// The evaluations' sources, one for each evaluator that the leaf needs, its judge first.
    pub(super) sources: Range<usize>,
}

/// Leaves that wait for their evaluation.
pub struct Request<G: Game> {
    /// The id of the forest that asks.
    pub(super) forest: u64,
    /// One batch for each evaluator; some may be empty.
    pub batches: Vec<Arc<Leaves<G>>>,
    pub(super) keys: Vec<Vec<u64>>,
    pub(super) leaves: Vec<Leaf>,
    /// Visits that met a leaf already in flight, or a node about to freeze; they count as in flight, and so steer other
    /// visits away, until the request is answered.
    pub(super) collisions: Vec<(TreeId, Range<usize>)>,
    pub(super) trees: Vec<TreeId>,
    pub(super) steps: Vec<Step>,
    pub(super) moves: Vec<Move>,
    /// Classes of the moves; empty where no rule uses classes.
    pub(super) classes: Vec<u8>,
    pub(super) sources: Vec<Source>,
}

impl<G: Game> Request<G> {
    pub(super) fn new(forest: u64) -> Request<G> {
        Request {
            forest,
            batches: Vec::new(),
            keys: Vec::new(),
            leaves: Vec::new(),
            collisions: Vec::new(),
            trees: Vec::new(),
            steps: Vec::new(),
            moves: Vec::new(),
            classes: Vec::new(),
            sources: Vec::new(),
        }
    }

    pub fn leaves(&self) -> usize {
        self.leaves.len()
    }
}

/// The positions that a request asks about, each once for each evaluator.
pub(super) struct Questions<G: Game> {
    batches: Vec<Leaves<G>>,
    keys: Vec<Vec<u64>>,
    rows: FxHashMap<(usize, u64), usize>,
}

impl<G: Game> Questions<G> {
    pub(super) fn new(evaluators: usize) -> Questions<G> {
        Questions {
            batches: (0..evaluators).map(|_| Leaves::default()).collect(),
            keys: vec![Vec::new(); evaluators],
            rows: FxHashMap::default(),
        }
    }

    /// The row of a position in the batch of an evaluator, to which it is added if it is new.
    pub(super) fn row(&mut self, evaluator: usize, key: u64, game: &G, legal: &[Move]) -> usize {
        *self.rows.entry((evaluator, key)).or_insert_with(|| {
            self.batches[evaluator].push(game, legal);
            self.keys[evaluator].push(key);
            self.keys[evaluator].len() - 1
        })
    }

    pub(super) fn ask(self, request: &mut Request<G>) {
        request.batches = self.batches.into_iter().map(Arc::new).collect();
        request.keys = self.keys;
    }
}

impl Answer<'_> {
    /// Checks the shapes and the numbers against the batch that was asked about.
    fn check<G: Game>(&self, batch: &Leaves<G>, values: &dyn ValueModel) -> Result<(), String> {
        let (n, m) = (batch.len(), batch.moves.len());
        if self.logits.len() != m || self.wdl.len() != 3 * n {
            let (logits, values) = (self.logits.len(), self.wdl.len());
            return Err(format!(
                "{logits} logits and {values} values for {n} positions with {m} legal moves"
            ));
        }
        if self.moves_left.is_some_and(|m| m.len() != n) {
            return Err(format!("moves_left has the wrong length for {n} positions"));
        }
        values.check(self, n)?;
        let others = self.moves_left.into_iter().chain(self.margins).flatten();
        let numbers = self.logits.iter().chain(self.wdl).chain(others);
        numbers.copied().find(|x| !x.is_finite()).map_or(Ok(()), |x| Err(format!("a number in it is {x}")))
    }

    /// The evaluation of one position of the batch.
    pub(super) fn row<G: Game>(&self, batch: &Leaves<G>, row: usize) -> Judged<'_> {
        Judged {
            logits: &self.logits[batch.offsets[row]..batch.offsets[row + 1]],
            wdl: [self.wdl[3 * row], self.wdl[3 * row + 1], self.wdl[3 * row + 2]],
            moves_left: self.moves_left.map(|m| m[row]),
            margin: self.margins.map(|m| [m[2 * row], m[2 * row + 1]]),
        }
    }
}

/// Checks that there is a sound answer for every batch.
pub(super) fn check_answers<G: Game>(
    batches: &[Arc<Leaves<G>>],
    answers: &[Answer<'_>],
    values: &dyn ValueModel,
) -> Result<(), ForestError> {
    if answers.len() != batches.len() {
        let text = format!("{} answers for {} evaluators", answers.len(), batches.len());
        return Err(ForestError::Evaluation(text));
    }
    let mut checks = batches.iter().zip(answers).map(|(batch, answer)| answer.check(batch, values));
    checks.try_for_each(|check| check.map_err(ForestError::Evaluation))
}
