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
    pub(super) path: Range<usize>,
    pub(super) moves: Range<usize>,
    /// The evaluations' sources, one for each evaluator that the leaf needs, its judge first.
    pub(super) sources: Range<usize>,
}

/// What was gathered from one tree: ranges of the part to which it belongs.
pub(super) struct Visited {
    pub(super) tree: TreeId,
    pub(super) leaves: Range<usize>,
    pub(super) collisions: Range<usize>,
}

/// What one thread gathered from some of the trees.
#[derive(Default)]
pub(super) struct Part {
    pub(super) trees: Vec<Visited>,
    pub(super) leaves: Vec<Leaf>,
    /// The paths of visits that met a leaf already in flight, or a node about to freeze; they count as in flight, and
    /// so steer other visits away, until the request is answered.
    pub(super) collisions: Vec<Range<usize>>,
    pub(super) steps: Vec<Step>,
    pub(super) moves: Vec<Move>,
    /// Classes of the moves; empty where no rule uses classes.
    pub(super) classes: Vec<u8>,
    pub(super) sources: Vec<Source>,
    /// For each evaluator the rows of the request's batch that the rows of the sources stand for; empty where they are
    /// the same.
    rows: Vec<Vec<usize>>,
}

impl Part {
    /// The row of the request's batch for a row that a source names.
    pub(super) fn row(&self, evaluator: usize, row: usize) -> usize {
        self.rows.get(evaluator).map_or(row, |rows| rows[row])
    }
}

/// Leaves that wait for their evaluation.
pub struct Request<G: Game> {
    /// The id of the forest that asks.
    pub(super) forest: u64,
    /// One batch for each evaluator; some may be empty.
    pub batches: Vec<Arc<Leaves<G>>>,
    pub(super) keys: Vec<Vec<u64>>,
    pub(super) parts: Vec<Part>,
}

impl<G: Game> Request<G> {
    /// A request of what was gathered, in this order.
    pub(super) fn new(forest: u64, evaluators: usize, gathered: Vec<(Part, Questions<G>)>) -> Request<G> {
        let mut gathered = gathered.into_iter();
        let (first, mut questions) =
            gathered.next().unwrap_or_else(|| (Part::default(), Questions::new(evaluators)));
        let mut parts = vec![first];
        parts.extend(gathered.map(|(part, others)| Part { rows: questions.add(&others), ..part }));
        let batches = questions.batches.into_iter().map(Arc::new).collect();
        Request { forest, batches, keys: questions.keys, parts }
    }

    /// The number of leaves that wait, those whose evaluation is cached included.
    pub fn leaves(&self) -> usize {
        self.parts.iter().map(|part| part.leaves.len()).sum()
    }
}

/// Positions to ask about, each once for each evaluator.
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

    /// The row of a position in the batch of an evaluator; where it is new, `push` adds it to that batch.
    pub(super) fn row(&mut self, evaluator: usize, key: u64, push: impl FnOnce(&mut Leaves<G>)) -> usize {
        *self.rows.entry((evaluator, key)).or_insert_with(|| {
            push(&mut self.batches[evaluator]);
            self.keys[evaluator].push(key);
            self.keys[evaluator].len() - 1
        })
    }

    /// Adds other questions; returns for each evaluator the rows here that stand for its rows there.
    fn add(&mut self, others: &Questions<G>) -> Vec<Vec<usize>> {
        let batches = others.batches.iter().zip(&others.keys).enumerate();
        let rows = batches.map(|(evaluator, (batch, keys))| {
            let keys = keys.iter().enumerate();
            keys.map(|(row, &key)| self.row(evaluator, key, |to| to.push_row(batch, row))).collect()
        });
        rows.collect()
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
        if self.margins.is_some_and(|m| m.len() != 2 * n) {
            return Err(format!("margins have the wrong length for {n} positions"));
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
