//! Scattering: hands the evaluations of leaves to their trees.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::backup::cancel;
use super::cache::Judged;
use super::expand::{Expansion, Scratch, expand};
use super::forest::{Slot, TreeId};
use super::noise::add_noise;
use super::params::SearchParams;
use super::request::{Answer, Leaf, Part, Request, Source, Visited};
use super::seats::Seats;
use super::tree::State;
use super::value_model::{ValueModel, Visit};
use crate::batch::Leaves;
use crate::game::Game;

/// For each part of a request its trees, as far as they are still there.
pub(super) fn trees_of<'a, G: Game>(
    request: &'a Request<G>,
    slots: &'a mut BTreeMap<TreeId, Slot<G>>,
) -> Vec<Vec<(&'a Visited, &'a mut Slot<G>)>> {
    let parts = request.parts.iter().enumerate();
    let places: FxHashMap<TreeId, (usize, &Visited)> = parts
        .flat_map(|(number, part)| part.trees.iter().map(move |visited| (visited.tree, (number, visited))))
        .collect();
    let mut trees: Vec<_> = request.parts.iter().map(|part| Vec::with_capacity(part.trees.len())).collect();
    for (id, slot) in slots {
        if let Some(&(part, visited)) = places.get(id) {
            trees[part].push((visited, slot));
        }
    }
    trees
}

/// What all parts of a request share while its answers are scattered.
pub(super) struct Scatterer<'a, G: Game> {
    pub(super) params: &'a SearchParams,
    pub(super) seats: &'a Seats,
    pub(super) values: &'a dyn ValueModel,
    pub(super) batches: &'a [Arc<Leaves<G>>],
    pub(super) answers: &'a [Answer<'a>],
}

impl<G: Game> Scatterer<'_, G> {
    /// Finishes the visits of a part, in those of its trees that are still there. Returns the bytes by which these have
    /// grown, and those that are done now.
    pub(super) fn scatter(
        &self,
        part: &Part,
        trees: Vec<(&Visited, &mut Slot<G>)>,
        scratch: &mut Scratch,
    ) -> (usize, Vec<TreeId>) {
        let (mut bytes, mut ended) = (0, Vec::new());
        for (visited, slot) in trees {
            let before = slot.tree.allocated();
            for path in &part.collisions[visited.collisions.clone()] {
                cancel(&mut slot.tree, &part.steps[path.clone()]);
            }
            for leaf in &part.leaves[visited.leaves.clone()] {
                self.finish(part, leaf, slot, scratch);
            }
            slot.requests -= 1;
            bytes += slot.tree.allocated() - before;
            if slot.is_done() {
                ended.push(visited.tree);
            }
        }
        (bytes, ended)
    }

    /// Finishes the visit that made a leaf: gives the leaf its edges, and its value to all nodes above it.
    fn finish(&self, part: &Part, leaf: &Leaf, slot: &mut Slot<G>, scratch: &mut Scratch) {
        let steps = &part.steps[leaf.path.clone()];
        let depth = steps.len() - 1;
        let evaluators = self.seats.evaluators_at(depth);
        let find = |wanted: usize| {
            let position = evaluators.iter().position(|&evaluator| evaluator == wanted)?;
            Some(match &part.sources[leaf.sources.start + position] {
                Source::Row(row) => self.answers[wanted].row(&self.batches[wanted], part.row(wanted, *row)),
                Source::Known(known) => known.judged(),
            })
        };
        slot.waiting -= 1;
        let Some(judge) = find(evaluators[0]) else { return };
        let followed: Vec<Option<Judged<'_>>> =
            self.seats.models().iter().map(|&model| find(model)).collect();

        let index = steps[depth].node;
        slot.tree.has_moves_left |= judge.moves_left.is_some();
        let classes = if part.classes.is_empty() { &[][..] } else { &part.classes[leaf.moves.clone()] };
        let expansion = Expansion {
            moves: &part.moves[leaf.moves.clone()],
            classes,
            only: slot.only.as_deref().filter(|_| depth == 0),
            judge,
            followed: &followed,
            temperature: self.params.policy_temperature,
        };
        expand(&mut slot.tree, index, &expansion, scratch);
        slot.tree.node_mut(index).state = State::Expanded;
        if depth == 0 {
            add_noise(&mut slot.tree, self.params, &mut slot.rng);
        }
        let (first_at_root, komi) = (slot.game.first_to_move(), slot.game.komi());
        let visit = Visit { path: steps, owners: self.seats, first_at_root, komi };
        self.values.judge(&mut slot.tree, &visit, &judge);
        self.values.finish(&mut slot.tree, &visit);
    }
}
