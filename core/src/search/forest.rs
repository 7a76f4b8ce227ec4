//! Many trees that advance together: leaves are gathered into one batch, evaluated, and scattered back.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};

use super::backup::cancel;
use super::cache::Cache;
use super::error::ForestError;
use super::expand::Scratch;
use super::gather::{Gathered, Gatherer};
use super::noise::add_noise;
use super::params::{Fpu, SearchParams};
use super::request::{Answer, Request, check_answers};
use super::scatter::{Scatterer, trees_of};
use super::seats::Seats;
use super::threads::{each, share};
use super::tree::{ROOT, Tree};
use super::value::draw_score;
use super::value_model::{ValueModel, value_model};
use crate::game::{Game, Move};
use crate::rng::Rng;

/// The number of a tree in its forest, from 1; it is never given again.
pub type TreeId = u64;

/// The id of the next forest, unique in the process: a request can be answered only in the forest that made it.
static NEXT_FOREST: AtomicU64 = AtomicU64::new(0);

pub(super) struct Slot<G> {
    pub(super) tree: Tree,
    pub(super) game: G,
    pub(super) rng: Rng,
    /// Visits of the root at which the tree is done.
    limit: u32,
    /// The root's moves that are searched; all where absent.
    pub(super) only: Option<Vec<Move>>,
    /// The number of leaves that wait for their evaluation.
    pub(super) waiting: u32,
    /// The number of requests that wait for their answers.
    pub(super) requests: usize,
}

impl<G> Slot<G> {
    /// Whether another visit may start before those that wait have finished.
    pub(super) fn lacks_visits(&self) -> bool {
        self.tree.root().n + self.waiting < self.limit
    }

    /// Whether the root has its visits and no request for the tree is in flight.
    pub(super) fn is_done(&self) -> bool {
        self.requests == 0 && self.tree.root().n >= self.limit
    }

    /// Whether the tree may offer leaves to another request.
    fn may_offer(&self, lanes: usize) -> bool {
        self.requests < lanes && self.lacks_visits()
    }
}

/// Trees of one game and one board size that share constants, seats and evaluations.
///
/// [`add`](Forest::add) a tree; then, while any is [`growing`](Forest::growing), [`gather`](Forest::gather) a request,
/// let the evaluators answer its batches, and [`scatter`](Forest::scatter) the answers. Every request is to be scattered
/// or [withdrawn](Forest::withdraw), since its trees count the visits in it as under way until then; one without leaves
/// is to be withdrawn.
pub struct Forest<G: Game> {
    id: u64,
    pub(super) params: SearchParams,
    pub(super) seats: Seats,
    slots: BTreeMap<TreeId, Slot<G>>,
    next_id: TreeId,
    /// The tree at which the last gather stopped: the next one begins with the tree after it.
    cursor: TreeId,
    /// The trees that have become done since they were last [taken](Forest::take_done); some may be done no longer.
    ended: BTreeSet<TreeId>,
    cache: Cache,
    /// Buffers of the threads that scatter.
    scratches: Vec<Scratch>,
    pub(super) values: Box<dyn ValueModel>,
    /// An empty tree, from which every new tree is made.
    seedling: Tree,
    /// The bytes that all trees have allocated.
    bytes: usize,
}

impl<G: Game> Forest<G> {
    /// A forest without trees.
    pub fn new(params: SearchParams, seats: Seats) -> Forest<G> {
        let cache = Cache::new(params.cache);
        let values = value_model(&seats, &params);
        let mut seedling = Tree::new(seats.models().into());
        values.prepare(&mut seedling);
        if [&params.root, &params.inner].iter().any(|one| matches!(one.fpu, Fpu::Net(_))) {
            seedling.keep_own();
        }
        Forest {
            id: NEXT_FOREST.fetch_add(1, Ordering::Relaxed),
            params,
            seats,
            slots: BTreeMap::new(),
            next_id: 0,
            cursor: 0,
            ended: BTreeSet::new(),
            cache,
            scratches: Vec::new(),
            values,
            seedling,
            bytes: 0,
        }
    }

    /// The number of batches in a request, as [`Seats::evaluators`].
    pub fn evaluators(&self) -> usize {
        self.seats.evaluators()
    }

    /// The number of evaluations in the cache.
    pub fn cached(&self) -> usize {
        self.cache.len()
    }

    /// Adds a tree with the position of `game` as its root; it is done when the root has `limit` visits, its own
    /// evaluation included. With `only`, which must not be empty, no other moves of the root are searched.
    ///
    /// # Errors
    ///
    /// The game is over, its board has another size than those of the other trees, or a move in `only` is not legal.
    pub fn add(
        &mut self,
        game: G,
        limit: u32,
        seed: u64,
        only: Option<Vec<Move>>,
    ) -> Result<TreeId, ForestError> {
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        if legal.is_empty() {
            return Err(ForestError::GameOver);
        }
        if let Some(illegal) = only.iter().flatten().find(|mv| !legal.contains(mv)) {
            return Err(ForestError::IllegalMove(game.move_name(*illegal)));
        }
        if self.slots.values().next().is_some_and(|slot| slot.game.policy_size() != game.policy_size()) {
            return Err(ForestError::OtherSize);
        }
        self.next_id += 1;
        let tree = self.seedling.fresh();
        self.bytes += tree.allocated();
        let slot = Slot { tree, game, rng: Rng::new(seed), limit, only, waiting: 0, requests: 0 };
        self.slots.insert(self.next_id, slot);
        Ok(self.next_id)
    }

    /// Removes a tree; evaluations in flight for it are dropped when they arrive. As of all methods that name a tree, it
    /// is an error when there is no such tree.
    pub fn remove(&mut self, id: TreeId) -> Result<(), ForestError> {
        let slot = self.slots.remove(&id).ok_or(ForestError::UnknownTree(id))?;
        self.bytes -= slot.tree.allocated();
        self.ended.remove(&id);
        Ok(())
    }

    pub(super) fn slot(&self, id: TreeId) -> Result<&Slot<G>, ForestError> {
        self.slots.get(&id).ok_or(ForestError::UnknownTree(id))
    }

    /// The position at the root of a tree, with its history.
    pub fn game(&self, id: TreeId) -> Result<&G, ForestError> {
        Ok(&self.slot(id)?.game)
    }

    /// Changes the number of root visits at which a tree is done.
    pub fn set_limit(&mut self, id: TreeId, limit: u32) -> Result<(), ForestError> {
        let slot = self.slots.get_mut(&id).ok_or(ForestError::UnknownTree(id))?;
        let was_done = slot.is_done();
        slot.limit = limit;
        if slot.is_done() && !was_done {
            self.ended.insert(id);
        }
        Ok(())
    }

    /// Whether the root of a tree has its visits and no request for the tree is in flight.
    pub fn is_done(&self, id: TreeId) -> Result<bool, ForestError> {
        Ok(self.slot(id)?.is_done())
    }

    /// The trees that have become done since the last call, in order, as far as they still are. That costs nothing for
    /// all the others, however many they are.
    pub fn take_done(&mut self) -> Vec<TreeId> {
        let ended = mem::take(&mut self.ended);
        ended.into_iter().filter(|id| self.slots.get(id).is_some_and(Slot::is_done)).collect()
    }

    /// Whether any tree still lacks visits.
    pub fn growing(&self) -> bool {
        self.slots.values().any(|slot| slot.tree.root().n < slot.limit)
    }

    /// Plays a move at the root; with `keep` the tree below the move is kept. Where the seats differ, keeping is of use
    /// only after an even number of moves, which leaves the owners of the plies the same.
    ///
    /// # Errors
    ///
    /// The move is not legal or ends the game, or a request for the tree is under way; then nothing changes.
    pub fn advance(&mut self, id: TreeId, mv: Move, keep: bool) -> Result<(), ForestError> {
        let slot = self.slots.get_mut(&id).ok_or(ForestError::UnknownTree(id))?;
        if slot.requests > 0 {
            return Err(ForestError::Busy);
        }
        let mut legal = Vec::new();
        slot.game.legal_moves(&mut legal);
        if !legal.contains(&mv) {
            return Err(ForestError::IllegalMove(slot.game.move_name(mv)));
        }
        slot.game.play(mv);
        legal.clear();
        slot.game.legal_moves(&mut legal);
        if legal.is_empty() {
            slot.game.undo(1);
            return Err(ForestError::GameOver);
        }
        let before = slot.tree.allocated();
        let edge = slot.tree.edges(ROOT).iter().position(|edge| edge.mv == mv);
        slot.tree = match edge {
            Some(edge) if keep => slot.tree.below(edge),
            _ => slot.tree.fresh(),
        };
        slot.only = None;
        if slot.tree.root().is_expanded() {
            self.values.move_root(&mut slot.tree, slot.game.first_to_move());
            add_noise(&mut slot.tree, &self.params, &mut slot.rng);
        }
        let after = slot.tree.allocated();
        self.bytes = self.bytes - before + after;
        Ok(())
    }

    /// Walks down the trees until `n` leaves or more wait for an evaluation, or no tree has another to offer. Where many
    /// are asked for, several threads walk down trees, each down its own: the request is the same. At most
    /// [`batch`](SearchParams::batch) leaves come from one tree, and none from a tree with
    /// [`lanes`](SearchParams::lanes) requests in flight.
    ///
    /// # Errors
    ///
    /// The trees have outgrown [`memory_bytes`](SearchParams::memory_bytes).
    pub fn gather(&mut self, n: usize) -> Result<Request<G>, ForestError> {
        let evaluators = self.evaluators();
        let mut trees: Vec<(TreeId, &mut Slot<G>)> =
            self.slots.iter_mut().map(|(&id, slot)| (id, slot)).collect();
        let first = trees.partition_point(|(id, _)| *id <= self.cursor);
        trees.rotate_left(first);
        let mut offering = trees.into_iter().filter(|(_, slot)| slot.may_offer(self.params.lanes));

        let gatherer = Gatherer {
            params: &self.params,
            seats: &self.seats,
            cache: &self.cache,
            values: self.values.as_ref(),
        };
        let (mut gathered, mut leaves) = (Vec::new(), 0);
        while leaves < n {
            // Fewer trees cannot offer the leaves that are lacking: all of these would be visited one by one as well.
            let round = (n - leaves).div_ceil(self.params.batch);
            let mut round: Vec<_> = offering.by_ref().take(round).collect();
            let Some((last, _)) = round.last() else { break };
            self.cursor = *last;
            let share = share(round.len(), self.params.batch);
            let parts = gathered.pop().into_iter().chain(iter::repeat_with(|| Gathered::new(evaluators)));
            let shares = round.chunks_mut(share).zip(parts).collect();
            gathered.extend(each(shares, |(trees, part)| gatherer.gather(trees, part)));
            leaves = gathered.iter().map(|one: &Gathered<G>| one.part.leaves.len()).sum();
        }
        drop(offering);
        for one in &gathered {
            self.bytes += one.bytes;
            self.ended.extend(&one.ended);
            one.known.iter().for_each(|&(evaluator, key)| self.cache.touch(evaluator, key));
        }
        let gathered = gathered.into_iter().map(|one| (one.part, one.questions)).collect();
        let request = Request::new(self.id, evaluators, gathered);
        if self.bytes > self.params.memory_bytes {
            let error = ForestError::Memory { bytes: self.bytes, limit: self.params.memory_bytes };
            self.withdraw(request);
            return Err(error);
        }
        Ok(request)
    }

    /// Takes the evaluations of a request back: one answer for each evaluator.
    ///
    /// # Errors
    ///
    /// The request is another forest's, which is dropped, or an answer has a wrong shape or a number that is not finite.
    /// A bad answer withdraws the whole request: its visits are taken back. Random numbers that the rules drew for them
    /// stay used up.
    pub fn scatter(&mut self, request: Request<G>, answers: &[Answer<'_>]) -> Result<(), ForestError> {
        if !self.made(&request) {
            return Err(ForestError::OtherForest);
        }
        if let Err(error) = check_answers(&request.batches, answers, self.values.as_ref()) {
            self.withdraw(request);
            return Err(error);
        }
        for (evaluator, keys) in request.keys.iter().enumerate() {
            for (row, &key) in keys.iter().enumerate() {
                let judged = answers[evaluator].row(&request.batches[evaluator], row);
                self.cache.put(evaluator, key, &judged);
            }
        }
        let scatterer = Scatterer {
            params: &self.params,
            seats: &self.seats,
            values: self.values.as_ref(),
            batches: &request.batches,
            answers,
        };
        self.scratches.resize_with(request.parts.len().max(self.scratches.len()), Scratch::default);
        let trees = trees_of(&request, &mut self.slots);
        let shares = request.parts.iter().zip(trees).zip(&mut self.scratches).collect();
        for (bytes, ended) in each(shares, |((part, trees), scratch)| scatterer.scatter(part, trees, scratch))
        {
            self.bytes += bytes;
            self.ended.extend(ended);
        }
        Ok(())
    }

    /// Forgets a request that will not be answered, and takes its unfinished visits back; one of another forest is
    /// dropped.
    pub fn withdraw(&mut self, request: Request<G>) {
        if !self.made(&request) {
            return;
        }
        for part in &request.parts {
            for visited in &part.trees {
                let Some(slot) = self.slots.get_mut(&visited.tree) else { continue };
                let leaves = &part.leaves[visited.leaves.clone()];
                let collisions = &part.collisions[visited.collisions.clone()];
                for path in leaves.iter().map(|leaf| &leaf.path).chain(collisions) {
                    cancel(&mut slot.tree, &part.steps[path.clone()]);
                }
                slot.waiting -= leaves.len() as u32;
                slot.requests -= 1;
                if slot.is_done() {
                    self.ended.insert(visited.tree);
                }
            }
        }
    }

    /// Whether a request is one of this forest's.
    pub fn made(&self, request: &Request<G>) -> bool {
        request.forest == self.id
    }

    /// Nodes and edges of all trees, and the bytes that these have allocated, which `memory_bytes` limits.
    pub fn size(&self) -> (usize, usize, usize) {
        let trees = self.slots.values().map(|slot| &slot.tree);
        trees.fold((0, 0, self.bytes), |(n, e, b), tree| (n + tree.nodes.len(), e + tree.edges.len(), b))
    }

    pub(super) fn draw_score(&self, slot: &Slot<G>) -> f64 {
        draw_score(self.params.draw_score, slot.game.first_to_move())
    }
}
