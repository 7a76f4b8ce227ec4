//! Gathering: walks down trees to the leaves that need an evaluation.

use super::backup::{Step, start};
use super::cache::Cache;
use super::forest::{Slot, TreeId};
use super::params::SearchParams;
use super::request::{Leaf, Part, Questions, Source, Visited};
use super::rules::{At, Pick};
use super::seats::Seats;
use super::tree::{ROOT, State};
use super::value::draw_score;
use super::value_model::{ValueModel, Visit};
use crate::game::{Game, Move, Terminal};

/// The most visits of one tree per gather that may end in known results: a solved tree must not hold up the others.
const TERMINAL_VISITS: usize = 512;

/// What all trees of a forest share while leaves are gathered.
pub(super) struct Gatherer<'a> {
    pub(super) params: &'a SearchParams,
    pub(super) seats: &'a Seats,
    pub(super) cache: &'a Cache,
    pub(super) values: &'a dyn ValueModel,
}

/// What was gathered from some trees.
pub(super) struct Gathered<G: Game> {
    pub(super) part: Part,
    pub(super) questions: Questions<G>,
    /// The evaluations that the cache held, by evaluator and key.
    pub(super) known: Vec<(usize, u64)>,
    /// The bytes by which the trees have grown.
    pub(super) bytes: usize,
    /// The trees that are done now, as their last visits ended in known results.
    pub(super) ended: Vec<TreeId>,
}

impl<G: Game> Gathered<G> {
    pub(super) fn new(evaluators: usize) -> Gathered<G> {
        Gathered {
            part: Part::default(),
            questions: Questions::new(evaluators),
            known: Vec::new(),
            bytes: 0,
            ended: Vec::new(),
        }
    }
}

impl Gatherer<'_> {
    /// Gathers leaves of some trees, one tree after the other, and adds them to what was gathered from others.
    pub(super) fn gather<G: Game>(
        &self,
        trees: &mut [(TreeId, &mut Slot<G>)],
        mut gathered: Gathered<G>,
    ) -> Gathered<G> {
        for (id, slot) in trees {
            let before = slot.tree.allocated();
            self.gather_tree(*id, slot, &mut gathered);
            gathered.bytes += slot.tree.allocated() - before;
        }
        gathered
    }

    fn gather_tree<G: Game>(&self, id: TreeId, slot: &mut Slot<G>, gathered: &mut Gathered<G>) {
        let (first_leaf, first_collision) = (gathered.part.leaves.len(), gathered.part.collisions.len());
        let mut terminal_visits = 0;
        let (first_at_root, komi) = (slot.game.first_to_move(), slot.game.komi());
        while gathered.part.leaves.len() - first_leaf < self.params.batch
            && slot.lacks_visits()
            && terminal_visits < TERMINAL_VISITS
        {
            let part = &mut gathered.part;
            let (first_step, first_move) = (part.steps.len(), part.moves.len());
            let mut arrival = descend(slot, self.seats, self.params, &mut part.steps);
            // While its siblings wait for their evaluations, a draw would take all visits, those of a win among them.
            if slot.waiting > 0
                && matches!(arrival, Arrival::Terminal)
                && part.steps.last().is_some_and(|step| slot.tree.node(step.node).wl < 1.0)
            {
                arrival = Arrival::Collision;
            }
            let path = first_step..part.steps.len();
            let depth = path.len() - 1;
            let visit = Visit { path: &part.steps[path.clone()], owners: self.seats, first_at_root, komi };
            start(&mut slot.tree, visit.path);
            if matches!(arrival, Arrival::New) {
                slot.game.legal_moves(&mut part.moves);
                let known =
                    end_by_rule(&slot.game, &part.moves[first_move..], depth, self.params.two_fold_draws);
                if let Some(known) = known {
                    self.values.end(&mut slot.tree, &visit, known, slot.game.margin());
                    arrival = Arrival::Terminal;
                }
            }
            match arrival {
                Arrival::Terminal => {
                    self.values.finish(&mut slot.tree, &visit);
                    terminal_visits += 1;
                    part.moves.truncate(first_move);
                    part.steps.truncate(first_step);
                }
                Arrival::Collision => part.collisions.push(path),
                Arrival::New => {
                    let first_source = part.sources.len();
                    self.ask(&slot.game, depth, first_move, gathered);
                    let part = &mut gathered.part;
                    let (moves, sources) = (first_move..part.moves.len(), first_source..part.sources.len());
                    part.leaves.push(Leaf { path, moves, sources });
                    slot.waiting += 1;
                }
            }
            slot.game.undo(depth);
            if gathered.part.collisions.len() - first_collision > self.params.batch {
                break;
            }
        }
        let leaves = first_leaf..gathered.part.leaves.len();
        let collisions = first_collision..gathered.part.collisions.len();
        if !leaves.is_empty() || !collisions.is_empty() {
            slot.requests += 1;
            gathered.part.trees.push(Visited { tree: id, leaves, collisions });
        } else if slot.is_done() {
            gathered.ended.push(id);
        }
    }

    /// Notes where the evaluations of a leaf come from, whose legal moves are the last of the part.
    fn ask<G: Game>(&self, game: &G, depth: usize, first_move: usize, gathered: &mut Gathered<G>) {
        let Gathered { part, questions, known, .. } = gathered;
        let legal = &part.moves[first_move..];
        let key = if self.values.serves_every_komi() { game.key_without_komi() } else { game.key() };
        for &evaluator in self.seats.evaluators_at(depth) {
            let source = match self.cache.get(evaluator, key) {
                Some(cached) => {
                    known.push((evaluator, key));
                    Source::Known(cached)
                }
                None => Source::Row(questions.row(evaluator, key, |batch| batch.push(game, legal))),
            };
            part.sources.push(source);
        }
        if self.seats.by_class() {
            part.classes.extend(legal.iter().map(|&mv| game.class(mv)));
        }
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
