//! Many trees that advance together: leaves are gathered into one batch, evaluated, and scattered back.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use super::backup::{Step, cancel, start};
use super::cache::{Cache, Judged};
use super::error::ForestError;
use super::expand::{Expansion, Scratch, expand};
use super::noise::add_noise;
use super::params::{Fpu, SearchParams};
use super::request::{Answer, Leaf, Questions, Request, Source, check_answers};
use super::rules::{At, Pick};
use super::seats::Seats;
use super::tree::{ROOT, State, Tree};
use super::value::draw_score;
use super::value_model::{ValueModel, Visit, value_model};
use crate::game::{Game, Move, Terminal};
use crate::rng::Rng;

pub type TreeId = u64;

/// The id of the next forest, unique in the process: a request can be answered only in the forest that made it.
static NEXT_FOREST: AtomicU64 = AtomicU64::new(0);

/// The most visits of one tree per gather that may end in known results: a solved tree must not hold up the others.
const TERMINAL_VISITS: usize = 512;

pub(super) struct Slot<G> {
    pub(super) tree: Tree,
    pub(super) game: G,
    rng: Rng,
    /// Visits of the root at which the tree is done.
    limit: u32,
    /// The root's moves that are searched; all where absent.
    only: Option<Vec<Move>>,
    /// The number of leaves that wait for their evaluation.
    waiting: u32,
    requests: usize,
}

pub struct Forest<G: Game> {
    id: u64,
    pub(super) params: SearchParams,
    pub(super) seats: Seats,
    /// The evaluators that a node needs, by the parity of its depth.
    needs: [Vec<usize>; 2],
    /// Whether any rule needs the classes of moves.
    by_class: bool,
    slots: BTreeMap<TreeId, Slot<G>>,
    next_id: TreeId,
    /// The tree at which the last gather stopped: the next one begins with the tree after it.
    cursor: TreeId,
    cache: Cache,
    scratch: Scratch,
    pub(super) values: Box<dyn ValueModel>,
    /// An empty tree, from which every new tree is made.
    seedling: Tree,
    /// The bytes that all trees have allocated.
    bytes: usize,
}

impl<G: Game> Forest<G> {
    pub fn new(params: SearchParams, seats: Seats) -> Forest<G> {
        let cache = Cache::new(params.cache);
        let values = value_model(&seats, &params);
        let mut seedling = Tree::new(seats.models().into());
        values.prepare(&mut seedling);
        if [&params.root, &params.inner].iter().any(|one| matches!(one.fpu, Fpu::Net(_))) {
            seedling.keep_own();
        }
        let (needs, by_class) = ([seats.evaluators_at(0), seats.evaluators_at(1)], seats.by_class());
        Forest {
            id: NEXT_FOREST.fetch_add(1, Ordering::Relaxed),
            params,
            seats,
            needs,
            by_class,
            slots: BTreeMap::new(),
            next_id: 0,
            cursor: 0,
            cache,
            scratch: Scratch::default(),
            values,
            seedling,
            bytes: 0,
        }
    }

    pub fn evaluators(&self) -> usize {
        self.seats.evaluators()
    }

    pub fn cached(&self) -> usize {
        self.cache.len()
    }

    /// Adds a tree with the position of `game` as its root; it is done when the root has `limit` visits. With `only`,
    /// no other moves of the root are searched.
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

    /// Removes a tree; evaluations in flight for it are dropped when they arrive.
    pub fn remove(&mut self, id: TreeId) -> Result<(), ForestError> {
        let slot = self.slots.remove(&id).ok_or(ForestError::UnknownTree(id))?;
        self.bytes -= slot.tree.allocated();
        Ok(())
    }

    pub(super) fn slot(&self, id: TreeId) -> Result<&Slot<G>, ForestError> {
        self.slots.get(&id).ok_or(ForestError::UnknownTree(id))
    }

    pub fn game(&self, id: TreeId) -> Result<&G, ForestError> {
        Ok(&self.slot(id)?.game)
    }

    pub fn set_limit(&mut self, id: TreeId, limit: u32) -> Result<(), ForestError> {
        self.slots.get_mut(&id).ok_or(ForestError::UnknownTree(id))?.limit = limit;
        Ok(())
    }

    /// Whether the root of a tree has its visits and no request for the tree is in flight.
    pub fn is_done(&self, id: TreeId) -> Result<bool, ForestError> {
        let slot = self.slot(id)?;
        Ok(slot.requests == 0 && slot.tree.root().n >= slot.limit)
    }

    /// Whether any tree still lacks visits.
    pub fn growing(&self) -> bool {
        self.slots.values().any(|slot| slot.tree.root().n < slot.limit)
    }

    /// Plays a move at the root; with `keep` the tree below the move is kept. Where the seats differ, keeping is of use
    /// only after an even number of moves, which leaves the owners of the plies the same. A move that ends the game is
    /// an error and changes nothing.
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

    /// Walks down the trees until `n` leaves or more wait for an evaluation, or no tree has another to offer.
    pub fn gather(&mut self, n: usize) -> Result<Request<G>, ForestError> {
        let mut questions = Questions::new(self.evaluators());
        let mut request = Request::new(self.id);
        let later = self.slots.range(self.cursor + 1..).map(|(&id, _)| id);
        let order: Vec<TreeId> = later.chain(self.slots.range(..=self.cursor).map(|(&id, _)| id)).collect();
        for id in order {
            if request.leaves.len() >= n {
                break;
            }
            self.cursor = id;
            self.gather_tree(id, &mut request, &mut questions);
        }
        questions.ask(&mut request);
        if self.bytes > self.params.memory_bytes {
            let error = ForestError::Memory { bytes: self.bytes, limit: self.params.memory_bytes };
            self.withdraw(request);
            return Err(error);
        }
        Ok(request)
    }

    fn gather_tree(&mut self, id: TreeId, request: &mut Request<G>, questions: &mut Questions<G>) {
        let Some(slot) = self.slots.get_mut(&id) else { return };
        if slot.requests >= self.params.lanes {
            return;
        }
        let (before, gathered) = (slot.tree.allocated(), request.leaves.len());
        let (mut terminal_visits, mut collided) = (0, 0);
        let (first_at_root, komi) = (slot.game.first_to_move(), slot.game.komi());
        while request.leaves.len() - gathered < self.params.batch
            && slot.tree.root().n + slot.waiting < slot.limit
            && terminal_visits < TERMINAL_VISITS
        {
            let (first_step, first_move) = (request.steps.len(), request.moves.len());
            let mut arrival = descend(slot, &self.seats, &self.params, &mut request.steps);
            // While its siblings wait for their evaluations, a draw would take all visits, those of a win among them.
            if slot.waiting > 0
                && matches!(arrival, Arrival::Terminal)
                && request.steps.last().is_some_and(|step| slot.tree.node(step.node).wl < 1.0)
            {
                arrival = Arrival::Collision;
            }
            let path = first_step..request.steps.len();
            let depth = path.len() - 1;
            let visit =
                Visit { path: &request.steps[path.clone()], owners: &self.seats, first_at_root, komi };
            start(&mut slot.tree, visit.path);
            if matches!(arrival, Arrival::New) {
                slot.game.legal_moves(&mut request.moves);
                let known =
                    end_by_rule(&slot.game, &request.moves[first_move..], depth, self.params.two_fold_draws);
                if let Some(known) = known {
                    self.values.end(&mut slot.tree, &visit, known, slot.game.margin());
                    arrival = Arrival::Terminal;
                }
            }
            match arrival {
                Arrival::Terminal => {
                    self.values.finish(&mut slot.tree, &visit);
                    terminal_visits += 1;
                    request.moves.truncate(first_move);
                    request.steps.truncate(first_step);
                }
                Arrival::Collision => {
                    collided += 1;
                    request.collisions.push((id, path));
                }
                Arrival::New => {
                    let key = if self.values.serves_every_komi() {
                        slot.game.key_without_komi()
                    } else {
                        slot.game.key()
                    };
                    let first_source = request.sources.len();
                    for &evaluator in &self.needs[depth % 2] {
                        let source = match self.cache.get(evaluator, key) {
                            Some(known) => Source::Known(known),
                            None => Source::Row(questions.row(
                                evaluator,
                                key,
                                &slot.game,
                                &request.moves[first_move..],
                            )),
                        };
                        request.sources.push(source);
                    }
                    let moves = first_move..request.moves.len();
                    if self.by_class {
                        let classes = request.moves[moves.clone()].iter().map(|&mv| slot.game.class(mv));
                        request.classes.extend(classes);
                    }
                    let sources = first_source..request.sources.len();
                    request.leaves.push(Leaf { tree: id, path, moves, sources });
                    slot.waiting += 1;
                }
            }
            slot.game.undo(depth);
            if collided > self.params.batch {
                break;
            }
        }
        if request.leaves.len() > gathered || collided > 0 {
            slot.requests += 1;
            request.trees.push(id);
        }
        self.bytes = self.bytes - before + slot.tree.allocated();
    }

    /// Takes the evaluations of a request back: one answer for each evaluator.
    ///
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
        self.cancel_collisions(&request);
        for leaf in &request.leaves {
            let Some(slot) = self.slots.get_mut(&leaf.tree) else { continue };
            let steps = &request.steps[leaf.path.clone()];
            let depth = steps.len() - 1;
            let needs = &self.needs[depth % 2];
            let find = |wanted: usize| {
                let position = needs.iter().position(|&evaluator| evaluator == wanted)?;
                Some(match &request.sources[leaf.sources.start + position] {
                    Source::Row(row) => answers[wanted].row(&request.batches[wanted], *row),
                    Source::Known(known) => known.judged(),
                })
            };
            let Some(judge) = find(needs[0]) else { continue };
            let followed: Vec<Option<Judged<'_>>> =
                self.seats.models().iter().map(|&model| find(model)).collect();

            let index = steps[depth].node;
            let before = slot.tree.allocated();
            slot.tree.has_moves_left |= judge.moves_left.is_some();
            let expansion = Expansion {
                moves: &request.moves[leaf.moves.clone()],
                classes: if self.by_class { &request.classes[leaf.moves.clone()] } else { &[] },
                only: slot.only.as_deref().filter(|_| depth == 0),
                judge,
                followed: &followed,
                temperature: self.params.policy_temperature,
            };
            expand(&mut slot.tree, index, &expansion, &mut self.scratch);
            slot.tree.node_mut(index).state = State::Expanded;
            if depth == 0 {
                add_noise(&mut slot.tree, &self.params, &mut slot.rng);
            }
            let (first_at_root, komi) = (slot.game.first_to_move(), slot.game.komi());
            let visit = Visit { path: steps, owners: &self.seats, first_at_root, komi };
            self.values.judge(&mut slot.tree, &visit, &judge);
            self.values.finish(&mut slot.tree, &visit);
            slot.waiting -= 1;
            self.bytes = self.bytes - before + slot.tree.allocated();
        }
        self.close(&request);
        Ok(())
    }

    /// Forgets a request that will not be answered, and takes its unfinished visits back.
    pub fn withdraw(&mut self, request: Request<G>) {
        if !self.made(&request) {
            return;
        }
        self.cancel_collisions(&request);
        for leaf in &request.leaves {
            if let Some(slot) = self.slots.get_mut(&leaf.tree) {
                cancel(&mut slot.tree, &request.steps[leaf.path.clone()]);
                slot.waiting -= 1;
            }
        }
        self.close(&request);
    }

    /// Whether a request is one of this forest's.
    pub fn made(&self, request: &Request<G>) -> bool {
        request.forest == self.id
    }

    fn cancel_collisions(&mut self, request: &Request<G>) {
        for (id, path) in &request.collisions {
            if let Some(slot) = self.slots.get_mut(id) {
                cancel(&mut slot.tree, &request.steps[path.clone()]);
            }
        }
    }

    fn close(&mut self, request: &Request<G>) {
        for id in &request.trees {
            if let Some(slot) = self.slots.get_mut(id) {
                slot.requests -= 1;
            }
        }
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

enum Arrival {
    New,
    Collision,
    Terminal,
}

/// Walks from the root to a node that has no edges, playing the moves in the slot's game. It stops at a node whose rule
/// waits for visits in flight.
fn descend<G: Game>(
    slot: &mut Slot<G>,
    seats: &Seats,
    params: &SearchParams,
    steps: &mut Vec<Step>,
) -> Arrival {
    let mut node = ROOT;
    let mut depth = 0;
    steps.push(Step { node, forced: false });
    loop {
        match slot.tree.node(node).state {
            State::Terminal | State::TwoFold | State::Scored => return Arrival::Terminal,
            State::Unexpanded if slot.tree.node(node).in_flight > 0 => return Arrival::Collision,
            State::Unexpanded => return Arrival::New,
            State::Expanded => {}
        }
        let draw_score = draw_score(params.draw_score, slot.game.first_to_move());
        let at = At { tree: &slot.tree, node, draw_score, params };
        let Some(Pick { edge, forced }) = seats.rule(depth).next(&at, &mut slot.rng) else {
            return Arrival::Collision;
        };
        slot.game.play(slot.tree.edges(node)[edge].mv);
        node = slot.tree.visit_child(node, edge);
        steps.push(Step { node, forced });
        depth += 1;
    }
}

/// The result by which the rules end the game `depth` plies below the root, if they do. The root itself is searched
/// even where it is a draw by rule.
fn end_by_rule<G: Game>(game: &G, legal: &[Move], depth: usize, two_fold: bool) -> Option<Terminal> {
    if depth == 0 { None } else { game.terminal(legal, depth as u32, two_fold) }
}
