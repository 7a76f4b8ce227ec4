//! One search tree, stored in flat arrays: the nodes, and the edges, those of each expanded node side by side.

use std::sync::Arc;

use super::margin::NodeMargin;
use crate::game::Move;

pub const ROOT: u32 = 0;
pub const NO_NODE: u32 = u32::MAX;
const NO_NOTES: u32 = u32::MAX;

/// Edges and nodes are numbered in 32 bits; a forest that stays below this many bytes cannot run out of numbers.
pub const MOST_BYTES: usize = (u32::MAX as usize - (1 << 20)) * size_of::<Edge>();

/// A legal move of an expanded node.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The judge's probability, 0 to 1, after temperature and noise; 0 for a move known to lose.
    pub prior: f32,
    /// The node to which the edge leads, [`NO_NODE`] until its first visit.
    pub child: u32,
    pub mv: Move,
    /// The move's [`Game::class`](crate::game::Game::class) where a rule uses it, else 0. It takes no memory beyond
    /// what would be padding.
    pub class: u8,
}

/// A number that a rule stores for an edge; its meaning is up to the rule.
#[derive(Clone, Copy, Debug)]
pub struct Note {
    pub number: u32,
    /// The index of the edge among the node's edges.
    pub edge: u16,
    /// Whether this is the last note of its node.
    last: bool,
}

impl Note {
    pub fn new(edge: u16, number: u32) -> Note {
        Note { number, edge, last: false }
    }
}

const _: () = assert!(size_of::<Edge>() == 12 && size_of::<Node>() == 56 && size_of::<Note>() == 8);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Not visited, or waiting for its first evaluation.
    Unexpanded,
    Expanded,
    /// Its result is known: by the rules, or proven by its children.
    Terminal,
    /// A draw by repetition inside the tree. It depends on the path, so it proves nothing.
    TwoFold,
    /// A finished game whose score is worth more or less depending on who decides: it proves nothing either.
    Scored,
}

/// Statistics of a position, from the view of the player who moved into it.
#[derive(Clone, Debug)]
pub struct Node {
    /// Mean of win minus loss over all finished visits.
    pub wl: f64,
    /// Mean draw probability.
    pub d: f64,
    /// Mean of the plies left; for a two-fold draw the length of the cycle.
    pub m: f64,
    /// Finished visits, the one that expanded the node included.
    pub n: u32,
    /// Visits that wait for an evaluation further down.
    pub in_flight: u32,
    /// Finished visits that a model forced, not the choice of the player who moved here.
    pub forced: u32,
    /// Visits in flight that a model forced.
    pub forced_in_flight: u32,
    first_edge: u32,
    /// The index of the node's first note, [`NO_NOTES`] where there is none.
    first_note: u32,
    edges: u16,
    /// One past the last edge that was ever visited; edges behind it are untouched and ordered by prior.
    pub touched: u16,
    pub state: State,
    /// The worst result that is still possible by what is proven: −1 loss, 0 draw, +1 win.
    pub lower: i8,
    /// The best result that is still possible by what is proven.
    pub upper: i8,
}

impl Node {
    fn new() -> Node {
        Node {
            wl: 0.0,
            d: 0.0,
            m: 0.0,
            n: 0,
            in_flight: 0,
            forced: 0,
            forced_in_flight: 0,
            first_edge: 0,
            first_note: NO_NOTES,
            edges: 0,
            touched: 0,
            state: State::Unexpanded,
            lower: -1,
            upper: 1,
        }
    }

    /// The same statistics without the edges and notes, which belong to the arenas of their tree.
    pub fn without_edges(&self) -> Node {
        Node { first_edge: 0, first_note: NO_NOTES, edges: 0, ..self.clone() }
    }

    /// Whether the value of the node is final, so that nothing below it is visited any more.
    pub fn is_terminal(&self) -> bool {
        matches!(self.state, State::Terminal | State::TwoFold | State::Scored)
    }

    /// Whether the node has edges; a node whose result was proven keeps them.
    pub fn is_expanded(&self) -> bool {
        self.edges > 0
    }

    /// Visits finished and in flight.
    pub fn started(&self) -> u32 {
        self.n + self.in_flight
    }

    /// Started visits that a model forced.
    pub fn started_forced(&self) -> u32 {
        self.forced + self.forced_in_flight
    }

    /// Started visits that the player who moved here chose.
    pub fn started_unforced(&self) -> u32 {
        self.started() - self.started_forced()
    }

    /// The value for the player who moved into the node, draws counted as `draw_score`.
    pub fn q(&self, draw_score: f64) -> f64 {
        self.wl + draw_score * self.d
    }

    /// Adds one finished visit with this value to the means.
    pub fn add(&mut self, wl: f64, d: f64, m: f64) {
        let n = f64::from(self.n) + 1.0;
        self.wl += (wl - self.wl) / n;
        self.d += (d - self.d) / n;
        self.m += (m - self.m) / n;
        self.n += 1;
    }

    /// Fixes the result for the player who moved here. A draw by repetition leaves the bounds open.
    pub fn make_terminal(&mut self, result: i8, m: f64, state: State) {
        self.state = state;
        self.wl = f64::from(result);
        self.d = if result == 0 { 1.0 } else { 0.0 };
        self.m = m;
        if state == State::Terminal {
            self.lower = result;
            self.upper = result;
        }
    }
}

/// A tree; node [`ROOT`] always exists.
#[derive(Clone, Debug)]
pub struct Tree {
    pub nodes: Vec<Node>,
    /// For each node, if kept: win minus loss of the side to move there, by the evaluation of the node itself.
    own: Option<Vec<f64>>,
    /// For each node, if kept: its data for a search by margins.
    margins: Option<Vec<NodeMargin>>,
    pub edges: Vec<Edge>,
    /// For each edge the probability by each followed model, `[edges × models]`.
    policies: Vec<f32>,
    /// The notes of the rules on nodes, those on each node side by side.
    notes: Vec<Note>,
    /// Followed models by their number as evaluators.
    models: Arc<[usize]>,
    /// Whether evaluations tell the plies left.
    pub has_moves_left: bool,
}

impl Tree {
    /// A root alone, in a tree whose edges hold the policies of these models.
    pub fn new(models: Arc<[usize]>) -> Tree {
        let mut tree = Tree {
            nodes: Vec::new(),
            own: None,
            margins: None,
            edges: Vec::new(),
            policies: Vec::new(),
            notes: Vec::new(),
            models,
            has_moves_left: false,
        };
        tree.push(Node::new());
        tree
    }

    /// A root alone, in a tree that keeps what this one keeps.
    pub fn fresh(&self) -> Tree {
        let mut tree = Tree::new(self.models.clone());
        if self.own.is_some() {
            tree.keep_own();
        }
        if self.margins.is_some() {
            tree.keep_margins();
        }
        tree
    }

    /// Keeps the evaluator's own value of each node from now on.
    pub fn keep_own(&mut self) {
        self.own = Some(vec![0.0; self.nodes.len()]);
    }

    /// Keeps the data for a search by margins from now on.
    pub fn keep_margins(&mut self) {
        self.margins = Some(vec![NodeMargin::UNKNOWN; self.nodes.len()]);
    }

    /// The followed models, by their numbers as evaluators, in rising order.
    pub fn models(&self) -> &[usize] {
        &self.models
    }

    fn push(&mut self, node: Node) {
        self.nodes.push(node);
        if let Some(own) = &mut self.own {
            own.push(0.0);
        }
        if let Some(margins) = &mut self.margins {
            margins.push(NodeMargin::UNKNOWN);
        }
    }

    /// Adds a copy of another tree's node, without its edges.
    pub fn push_copy(&mut self, from: &Tree, index: u32) {
        self.nodes.push(from.node(index).without_edges());
        if let (Some(own), Some(theirs)) = (&mut self.own, &from.own) {
            own.push(theirs[index as usize]);
        }
        if let (Some(margins), Some(theirs)) = (&mut self.margins, &from.margins) {
            margins.push(theirs[index as usize]);
        }
    }

    /// Removes all nodes, the root as well.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.own.iter_mut().for_each(Vec::clear);
        self.margins.iter_mut().for_each(Vec::clear);
    }

    pub fn root(&self) -> &Node {
        &self.nodes[ROOT as usize]
    }

    pub fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    pub fn node_mut(&mut self, index: u32) -> &mut Node {
        &mut self.nodes[index as usize]
    }

    /// The evaluator's own value of a node, for the side to move there; 0 where it is not kept.
    pub fn own(&self, index: u32) -> f64 {
        self.own.as_ref().map_or(0.0, |own| own[index as usize])
    }

    /// Stores the evaluator's own value of a node, where it is kept.
    pub fn set_own(&mut self, index: u32, value: f64) {
        if let Some(own) = &mut self.own {
            own[index as usize] = value;
        }
    }

    /// The node's data for a search by margins. Panics where it is not kept.
    pub fn margin(&self, index: u32) -> &NodeMargin {
        &self.margins.as_ref().expect("margins are kept")[index as usize]
    }

    /// The node's data for a search by margins. Panics where it is not kept.
    pub fn margin_mut(&mut self, index: u32) -> &mut NodeMargin {
        &mut self.margins.as_mut().expect("margins are kept")[index as usize]
    }

    /// The children of a node, as far as they were visited.
    pub fn children(&self, index: u32) -> impl Iterator<Item = u32> {
        self.edges(index).iter().map(|edge| edge.child).filter(|&child| child != NO_NODE)
    }

    fn range(&self, index: u32) -> std::ops::Range<usize> {
        let node = self.node(index);
        let first = node.first_edge as usize;
        first..first + usize::from(node.edges)
    }

    /// The edges of a node; none before it is expanded.
    pub fn edges(&self, index: u32) -> &[Edge] {
        &self.edges[self.range(index)]
    }

    pub fn edges_mut(&mut self, index: u32) -> &mut [Edge] {
        let range = self.range(index);
        &mut self.edges[range]
    }

    /// The edges up to the last that was ever visited.
    pub fn touched(&self, index: u32) -> &[Edge] {
        let edges = self.edges(index);
        &edges[..usize::from(self.node(index).touched).min(edges.len())]
    }

    /// The node to which an edge leads, if it was visited.
    pub fn child(&self, edge: &Edge) -> Option<&Node> {
        (edge.child != NO_NODE).then(|| self.node(edge.child))
    }

    /// The probability of each edge of a node by a followed model. Panics where the model is not followed.
    pub fn policy(&self, index: u32, model: usize) -> impl Fn(usize) -> f32 {
        let column =
            self.models.iter().position(|&one| one == model).expect("a rule names the models it follows");
        let (width, policies) = (self.models.len(), self.policies_of(index));
        move |edge| policies[edge * width + column]
    }

    /// The probabilities of all edges of a node by all followed models.
    pub fn policies_of(&self, index: u32) -> &[f32] {
        let range = self.range(index);
        &self.policies[range.start * self.models.len()..range.end * self.models.len()]
    }

    /// Gives a node its edges; `policies` holds for each edge its probability by each followed model.
    pub fn set_edges(&mut self, index: u32, edges: impl IntoIterator<Item = Edge>, policies: &[f32]) {
        let first = self.edges.len();
        self.edges.extend(edges);
        self.policies.extend_from_slice(policies);
        let count = self.edges.len() - first;
        let node = self.node_mut(index);
        node.first_edge = first as u32;
        node.edges = count as u16;
    }

    /// The notes of the rule on a node; `None` where there are none.
    pub fn notes(&self, index: u32) -> Option<&[Note]> {
        let first = self.node(index).first_note;
        let run = self.notes.get(first as usize..)?;
        run.iter().position(|note| note.last).map(|last| &run[..=last])
    }

    /// Stores notes on a node for good; an empty slice stores nothing.
    pub fn set_notes(&mut self, index: u32, notes: &[Note]) {
        let first = self.notes.len();
        self.notes.extend(notes.iter().map(|note| Note { last: false, ..*note }));
        if let Some(last) = self.notes[first..].last_mut() {
            last.last = true;
            self.node_mut(index).first_note = first as u32;
        }
    }

    /// The node to which edge number `edge` of node `index` leads; it is made at the first visit.
    pub fn visit_child(&mut self, index: u32, edge: usize) -> u32 {
        let position = self.node(index).first_edge as usize + edge;
        if self.edges[position].child == NO_NODE {
            self.edges[position].child = self.nodes.len() as u32;
            self.push(Node::new());
        }
        let node = self.node_mut(index);
        node.touched = node.touched.max(edge as u16 + 1);
        self.edges[position].child
    }

    /// The edge of node `parent` that leads to `child`.
    pub fn edge_to(&mut self, parent: u32, child: u32) -> Option<&mut Edge> {
        self.edges_mut(parent).iter_mut().find(|edge| edge.child == child)
    }

    /// The bytes that the tree has allocated, spare room included.
    pub fn allocated(&self) -> usize {
        let beside = self.own.as_ref().map_or(0, room) + self.margins.as_ref().map_or(0, room);
        room(&self.nodes) + room(&self.edges) + room(&self.policies) + room(&self.notes) + beside
    }
}

fn room<T>(items: &Vec<T>) -> usize {
    items.capacity() * size_of::<T>()
}
