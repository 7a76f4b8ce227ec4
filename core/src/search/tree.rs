//! One search tree in arenas: nodes, and the edges of each expanded node side by side.

use super::margin::NodeMargin;
use crate::game::Move;

pub const ROOT: u32 = 0;
pub const NO_NODE: u32 = u32::MAX;
const NOT_FROZEN: u32 = u32::MAX;

/// Edges and nodes are numbered in 32 bits; a forest that stays below this many bytes cannot run out of numbers.
pub const MOST_BYTES: usize = (u32::MAX as usize - (1 << 20)) * size_of::<Edge>();

/// A legal move of an expanded node.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub prior: f32,
    /// The node behind it, [`NO_NODE`] until its first visit.
    pub child: u32,
    pub mv: Move,
    /// The move's [`Game::class`](crate::game::Game::class) where a rule looks at it, else 0. It fits in what would be
    /// padding.
    pub class: u8,
}

/// A move that the owner of a frozen node goes on to play.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// Its finished visits when the node froze.
    pub visits: u32,
    /// Its number among the node's edges.
    pub edge: u16,
    /// Whether it is the node's last.
    last: bool,
}

const _: () = assert!(size_of::<Edge>() == 12 && size_of::<Node>() == 56 && size_of::<Share>() == 8);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Not visited, or waiting for its first evaluation.
    Unexpanded,
    Expanded,
    /// Its result is known: by the rules, or proven by its children.
    Terminal,
    /// A draw by repetition inside the tree. It depends on the path, so it proves nothing.
    TwoFold,
    /// Over, with a score whose worth depends on who decides: it proves nothing either.
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
    /// Those of the visits in flight that a model forced.
    pub forced_in_flight: u32,
    first_edge: u32,
    /// The first of its shares.
    first_share: u32,
    edges: u16,
    /// One past the last edge that was ever visited; edges behind it are untouched and ordered by prior.
    pub touched: u16,
    pub state: State,
    /// What is proven: −1 loss, 0 draw, +1 win.
    pub lower: i8,
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
            first_share: NOT_FROZEN,
            edges: 0,
            touched: 0,
            state: State::Unexpanded,
            lower: -1,
            upper: 1,
        }
    }

    /// The same statistics without the edges and shares, which belong to the arenas of their tree.
    pub fn without_edges(&self) -> Node {
        Node { first_edge: 0, first_share: NOT_FROZEN, edges: 0, ..self.clone() }
    }

    pub fn is_terminal(&self) -> bool {
        matches!(self.state, State::Terminal | State::TwoFold | State::Scored)
    }

    pub fn is_expanded(&self) -> bool {
        self.edges > 0
    }

    pub fn started(&self) -> u32 {
        self.n + self.in_flight
    }

    /// Started visits that a model forced.
    pub fn started_forced(&self) -> u32 {
        self.forced + self.forced_in_flight
    }

    /// The value for the player who moved into the node, draws counted as `draw_score`.
    pub fn q(&self, draw_score: f64) -> f64 {
        self.wl + draw_score * self.d
    }

    /// Makes one finished visit of this value part of the means.
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

/// What a tree keeps of each node beside its statistics, where a search needs it.
#[derive(Clone, Copy, Default, Debug)]
pub struct Keeps {
    /// The evaluator's own value of each node.
    pub own: bool,
    pub margins: bool,
}

/// A tree; node [`ROOT`] always exists.
#[derive(Clone, Debug)]
pub struct Tree {
    pub keeps: Keeps,
    pub nodes: Vec<Node>,
    /// For each node, if kept: win minus loss of who is to move there, as its own evaluation has it.
    own: Vec<f64>,
    /// For each node, if kept.
    margins: Vec<NodeMargin>,
    pub edges: Vec<Edge>,
    /// For each edge the probability by each followed model, `[edges × models]`.
    pub policies: Vec<f32>,
    /// What the frozen nodes have stored.
    shares: Vec<Share>,
    /// Followed models, the width of `policies`.
    pub models: usize,
    /// Whether the evaluations carry plies to the end.
    pub has_moves_left: bool,
}

impl Tree {
    pub fn new(models: usize, keeps: Keeps) -> Tree {
        let mut tree = Tree {
            keeps,
            nodes: Vec::new(),
            own: Vec::new(),
            margins: Vec::new(),
            edges: Vec::new(),
            policies: Vec::new(),
            shares: Vec::new(),
            models,
            has_moves_left: false,
        };
        tree.push(Node::new());
        tree
    }

    fn push(&mut self, node: Node) {
        self.nodes.push(node);
        if self.keeps.own {
            self.own.push(0.0);
        }
        if self.keeps.margins {
            self.margins.push(NodeMargin::UNKNOWN);
        }
    }

    /// Adds a copy of another tree's node, without its edges.
    pub fn push_copy(&mut self, from: &Tree, index: u32) {
        self.nodes.push(from.node(index).without_edges());
        self.own.extend(from.own.get(index as usize));
        self.margins.extend(from.margins.get(index as usize));
    }

    pub fn clear(&mut self) {
        self.nodes.clear();
        self.own.clear();
        self.margins.clear();
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

    /// The evaluator's own value of a node, for who is to move there; 0 where it is not kept.
    pub fn own(&self, index: u32) -> f64 {
        self.own.get(index as usize).copied().unwrap_or(0.0)
    }

    pub fn set_own(&mut self, index: u32, value: f64) {
        if let Some(own) = self.own.get_mut(index as usize) {
            *own = value;
        }
    }

    /// Panics where margins are not kept.
    pub fn margin(&self, index: u32) -> &NodeMargin {
        &self.margins[index as usize]
    }

    /// Panics where margins are not kept.
    pub fn margin_mut(&mut self, index: u32) -> &mut NodeMargin {
        &mut self.margins[index as usize]
    }

    /// The nodes behind the edges of a node that were visited.
    pub fn children(&self, index: u32) -> impl Iterator<Item = u32> {
        self.edges(index).iter().map(|edge| edge.child).filter(|&child| child != NO_NODE)
    }

    fn range(&self, index: u32) -> std::ops::Range<usize> {
        let node = self.node(index);
        let first = node.first_edge as usize;
        first..first + usize::from(node.edges)
    }

    pub fn edges(&self, index: u32) -> &[Edge] {
        &self.edges[self.range(index)]
    }

    pub fn edges_mut(&mut self, index: u32) -> &mut [Edge] {
        let range = self.range(index);
        &mut self.edges[range]
    }

    /// The node behind an edge, when it was visited.
    pub fn child(&self, edge: &Edge) -> Option<&Node> {
        (edge.child != NO_NODE).then(|| self.node(edge.child))
    }

    /// The probability of edge `edge` of node `index` by followed model number `model`.
    pub fn policy(&self, index: u32, edge: usize, model: usize) -> f32 {
        self.policies[(self.node(index).first_edge as usize + edge) * self.models + model]
    }

    /// The probabilities of all edges of a node by all followed models.
    pub fn policies_of(&self, index: u32) -> &[f32] {
        let range = self.range(index);
        &self.policies[range.start * self.models..range.end * self.models]
    }

    /// Gives a node its edges; `policies` holds `models` probabilities for each.
    pub fn set_edges(&mut self, index: u32, edges: impl IntoIterator<Item = Edge>, policies: &[f32]) {
        let first = self.edges.len();
        self.edges.extend(edges);
        self.policies.extend_from_slice(policies);
        let count = self.edges.len() - first;
        let node = self.node_mut(index);
        node.first_edge = first as u32;
        node.edges = count as u16;
    }

    /// What a frozen node has stored, by edge; `None` where the node is not frozen.
    pub fn shares(&self, index: u32) -> Option<&[Share]> {
        let first = self.node(index).first_share;
        let run = self.shares.get(first as usize..)?;
        run.iter().position(|share| share.last).map(|last| &run[..=last])
    }

    /// Whether the visits at which a node freezes have all started and not all finished.
    pub fn is_about_to_freeze(&self, index: u32, visits: u32) -> bool {
        let node = self.node(index);
        node.n <= visits && node.started() > visits && self.shares(index).is_none()
    }

    /// Stores the finished visits of a node's children for good.
    pub fn freeze(&mut self, index: u32) {
        let children = self.edges(index).iter().map(|edge| self.child(edge).map_or(0, |child| child.n));
        let visited = (0..).zip(children).filter(|(_, visits)| *visits > 0);
        let shares: Vec<Share> = visited.map(|(edge, visits)| Share { visits, edge, last: false }).collect();
        self.set_shares(index, &shares);
    }

    pub fn set_shares(&mut self, index: u32, shares: &[Share]) {
        let first = self.shares.len();
        self.shares.extend_from_slice(shares);
        if let Some(last) = self.shares[first..].last_mut() {
            last.last = true;
            self.node_mut(index).first_share = first as u32;
        }
    }

    /// The node behind edge `edge` of node `index`, made at its first visit.
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

    /// What nodes and edges take.
    pub fn bytes(&self) -> usize {
        let extra = bytes_beside(self.own.len(), self.margins.len());
        extra + bytes_of(self.nodes.len(), self.edges.len(), self.policies.len(), self.shares.len())
    }

    /// The same with the room that is kept for more.
    pub fn allocated(&self) -> usize {
        let extra = bytes_beside(self.own.capacity(), self.margins.capacity());
        extra
            + bytes_of(
                self.nodes.capacity(),
                self.edges.capacity(),
                self.policies.capacity(),
                self.shares.capacity(),
            )
    }
}

fn bytes_beside(own: usize, margins: usize) -> usize {
    own * size_of::<f64>() + margins * size_of::<NodeMargin>()
}

fn bytes_of(nodes: usize, edges: usize, policies: usize, shares: usize) -> usize {
    let policies = policies * size_of::<f32>();
    nodes * size_of::<Node>() + edges * size_of::<Edge>() + policies + shares * size_of::<Share>()
}
