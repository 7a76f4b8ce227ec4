//! Values that are sigmoids of bonus points, and the agents that weigh them (SAI, §1 and §3).
//!
//! All is from the view of the player who moves first in the game; the other player's view differs by signs alone (§0).

use super::backup::arrive;
use super::cache::Judged;
use super::request::Answer;
use super::summary::{Decided, Score};
use super::tree::{ROOT, State, Tree};
use super::value_model::{ValueModel, Visit};
use crate::game::Terminal;

/// The winrate that a bonus aims at stays at least this far from 0 and 1, or as far as the net's own winrate if that is
/// nearer (§3.6).
const LEAST_PROBABILITY: f64 = 1e-6;
/// Below this difference of logits an average is computed as a series, since a quotient of small differences loses its
/// digits (§3.3).
const NARROW: f64 = 0.01;

/// W(X) = 1 / (1 + exp(−beta (margin + X))): the first player's winrate when given X more points (§1.1).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sigmoid {
    /// The first player's expected margin after komi, in points.
    pub margin: f64,
    /// Steepness per point; infinite where the score is settled for good.
    pub beta: f64,
}

/// An interval of bonus points of the first player; its ends may be in either order.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    pub from: f64,
    pub to: f64,
}

impl Interval {
    /// No bonus at all.
    pub const NONE: Self = Self { from: 0.0, to: 0.0 };
}

impl Sigmoid {
    /// The winrate curve from alpha and beta of the player to move (§1.1); `first`: whether that is the first player.
    pub fn of([alpha, beta]: [f32; 2], komi: f64, first: bool) -> Self {
        let alpha = f64::from(alpha);
        Self { margin: if first { alpha } else { -alpha } - komi, beta: beta.into() }
    }

    /// The mean winrate over an interval (§3.3).
    pub fn average(&self, Interval { from, to }: Interval) -> f64 {
        if self.beta.is_infinite() {
            return if from == to { step(self.margin + from) } else { self.share_won(from, to) };
        }
        let (z1, z2) = (self.beta * (self.margin + from), self.beta * (self.margin + to));
        let h = z2 - z1;
        if h.abs() < NARROW {
            let middle = (z1 + z2) / 2.0;
            let (p, q) = (sigmoid(middle), sigmoid(-middle));
            return p + h * h / 24.0 * p * q * (q - p);
        }
        (z2.max(0.0) - z1.max(0.0)) / h + (tail(z2) - tail(z1)) / h
    }

    /// The share of the interval, 0 to 1, in which the first player wins, where the score is settled.
    fn share_won(&self, from: f64, to: f64) -> f64 {
        ((self.margin + to).max(0.0) - (self.margin + from).max(0.0)) / (to - from)
    }
}

fn sigmoid(z: f64) -> f64 {
    if z >= 0.0 { 1.0 / (1.0 + (-z).exp()) } else { z.exp() / (1.0 + z.exp()) }
}

/// ln(1 + exp(z)) − max(z, 0).
fn tail(z: f64) -> f64 {
    (-z.abs()).exp().ln_1p()
}

fn step(points: f64) -> f64 {
    if points == 0.0 { 0.5 } else { f64::from(u8::from(points > 0.0)) }
}

/// The parameters of an agent: the ends of its interval of virtual bonus points (§3.1, §3.6).
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Bonus {
    /// The ends where the agent is ahead, that is more likely to win than not.
    pub ahead: Ends,
    pub behind: Ends,
}

/// The ends of an interval of bonuses: 0 is no bonus, 1 the bonus that makes the game even.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Ends {
    pub lambda: f64,
    pub mu: f64,
}

impl Bonus {
    /// The interval of bonus points from x_mu to x_lambda at a decision (§3.4); `first`: whether the first player is to
    /// move there.
    pub fn interval(&self, at: &Sigmoid, first: bool) -> Interval {
        let ends = if (at.margin > 0.0) == first { self.ahead } else { self.behind };
        Interval { from: virtual_bonus(at, ends.mu), to: virtual_bonus(at, ends.lambda) }
    }
}

/// The bonus x with W(x) = (1 − L) W(0) + L / 2 (§3.2), the same formula from either side's view.
fn virtual_bonus(at: &Sigmoid, l: f64) -> f64 {
    if l == 0.0 {
        return 0.0;
    }
    let z = at.beta * at.margin;
    // Above 1 compute with 2 − l and flip the sign: otherwise numbers near 1 would be subtracted from 1.
    let mixed = l.min(2.0 - l);
    let [win, loss] = [z, -z].map(|z| (1.0 - mixed) * sigmoid(z) + mixed / 2.0);
    let odds = win.max(0.0).ln() - loss.max(0.0).ln();
    let zeta = if l > 1.0 { -odds } else { odds };
    let most = z.abs().max((1.0 - LEAST_PROBABILITY).ln() - LEAST_PROBABILITY.ln());
    (zeta.clamp(-most, most) - z) / at.beta
}

/// The state at which the interval of bonus points is fixed (§3.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// The parent of each node; for the root, the root itself.
    Parent,
    Root,
}

/// How the search averages values over bonus points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Margins {
    pub decision: Decision,
    /// The steepness of a finished game's sigmoid (§3.4); if infinite, each bonus makes the game a plain win or loss.
    pub terminal_beta: f64,
}

/// The data that a search by margins keeps of a node, beside its ordinary statistics.
#[derive(Clone, Copy, Debug)]
pub struct NodeMargin {
    pub sigmoid: Sigmoid,
    /// The interval of bonus points for a decision at this node.
    pub interval: Interval,
    /// The first player's winrate at the game's own komi, as the mean over the visits.
    pub winrate: f64,
    /// The first player's margin after komi, as the mean over the visits.
    pub score: f64,
}

impl NodeMargin {
    pub const UNKNOWN: Self = Self {
        sigmoid: Sigmoid { margin: 0.0, beta: 1.0 },
        interval: Interval::NONE,
        winrate: 0.0,
        score: 0.0,
    };
}

/// A position whose value is backed up the tree.
struct Leaf {
    sigmoid: Sigmoid,
    /// Whether the game is over there.
    settled: bool,
}

impl Leaf {
    fn of(tree: &Tree, index: u32, margins: &Margins) -> Self {
        let sigmoid = tree.margin(index).sigmoid;
        let settled = tree.node(index).state == State::Scored;
        let beta = if settled { margins.terminal_beta } else { sigmoid.beta };
        Self { sigmoid: Sigmoid { beta, ..sigmoid }, settled }
    }

    /// The first player's mean winrate over the interval. Without a bonus a finished game has its plain result,
    /// whatever beta says (§3.4).
    fn value(&self, interval: Interval) -> f64 {
        if self.settled && interval == Interval::NONE {
            return step(self.sigmoid.margin);
        }
        self.sigmoid.average(interval)
    }
}

/// Win minus loss, from the first player's winrate: for the first player if `first`, else for the other.
fn signed(winrate: f64, first: bool) -> f64 {
    if first { 2.0 * winrate - 1.0 } else { 1.0 - 2.0 * winrate }
}

/// The value model of a search by margins: values are winrates averaged over bonus points, and each side has a bonus of
/// its own.
pub struct MarginModel {
    /// The bonuses of the side to move at the root, and of the other.
    pub bonuses: [Bonus; 2],
    pub margins: Margins,
}

impl ValueModel for MarginModel {
    fn prepare(&self, tree: &mut Tree) {
        tree.keep_margins();
    }

    fn serves_every_komi(&self) -> bool {
        true
    }

    fn check(&self, answer: &Answer<'_>, positions: usize) -> Result<(), String> {
        if positions == 0 {
            return Ok(());
        }
        let margins = answer.margins.ok_or("it has no margins (alpha and beta), which this search needs")?;
        let flat = margins.iter().skip(1).step_by(2).find(|&&beta| beta <= 0.0);
        flat.map_or(Ok(()), |beta| Err(format!("a beta in it is {beta}")))
    }

    fn judge(&self, tree: &mut Tree, visit: &Visit<'_>, judged: &Judged<'_>) {
        let (index, depth) = (visit.node(), visit.depth());
        let first = visit.first_at(depth);
        let sigmoid = Sigmoid::of(judged.margin.expect("the answer was checked"), visit.komi, first);
        let interval = self.bonuses[depth % 2].interval(&sigmoid, first);
        let node = tree.margin_mut(index);
        (node.sigmoid, node.interval) = (sigmoid, interval);
        tree.set_own(index, signed(sigmoid.average(interval), first));
    }

    /// Marks the node as a finished game with a score, the value of which depends on who decides.
    fn end(&self, tree: &mut Tree, visit: &Visit<'_>, _known: Terminal, margin: f64) {
        tree.node_mut(visit.node()).state = State::Scored;
        tree.margin_mut(visit.node()).sigmoid.margin = margin;
    }

    /// Each node on the path adds the leaf's value over the interval of its own decision state (§3.4, eq. 5).
    fn finish(&self, tree: &mut Tree, visit: &Visit<'_>) {
        let leaf = Leaf::of(tree, visit.node(), &self.margins);
        let winrate = leaf.value(Interval::NONE);
        for (depth, step) in visit.path.iter().enumerate().rev() {
            let decision = match self.margins.decision {
                Decision::Parent => visit.path[depth.saturating_sub(1)].node,
                Decision::Root => ROOT,
            };
            let value = leaf.value(tree.margin(decision).interval);
            // Statistics are from the view of the player who moved into the node.
            tree.node_mut(step.node).add(signed(value, !visit.first_at(depth)), 0.0, 0.0);
            let n = f64::from(tree.node(step.node).n);
            let mean = tree.margin_mut(step.node);
            mean.winrate += (winrate - mean.winrate) / n;
            mean.score += (leaf.sigmoid.margin - mean.score) / n;
            arrive(tree, step, visit.owners.rule(depth));
        }
    }

    /// Recomputes all means where they are taken over the root's interval, which has changed with the root.
    fn move_root(&self, tree: &mut Tree, first: bool) {
        if self.margins.decision == Decision::Parent {
            return;
        }
        let interval = tree.margin(ROOT).interval;
        // Children have higher indices than their parents.
        let mut sides = vec![first; tree.nodes.len()];
        let mut sums = vec![0.0; tree.nodes.len()];
        for index in 0..tree.nodes.len() {
            for child in tree.children(index as u32) {
                sides[child as usize] = !sides[index];
            }
        }
        for index in (0..tree.nodes.len()).rev() {
            let node = tree.node(index as u32);
            if node.n == 0 {
                continue;
            }
            let visits = if node.is_terminal() { f64::from(node.n) } else { 1.0 };
            let below: f64 = tree.children(index as u32).map(|child| sums[child as usize]).sum();
            sums[index] = visits * Leaf::of(tree, index as u32, &self.margins).value(interval) + below;
            let node = tree.node_mut(index as u32);
            node.wl = signed(sums[index] / f64::from(node.n), !sides[index]);
        }
    }

    fn score(&self, tree: &Tree, index: u32, first: bool) -> Option<Score> {
        let node = tree.margin(index);
        Some(if first {
            Score { winrate: node.winrate, margin: node.score }
        } else {
            Score { winrate: 1.0 - node.winrate, margin: -node.score }
        })
    }

    fn decided(&self, tree: &Tree, first: bool, komi: f64) -> Option<Decided> {
        let NodeMargin { sigmoid, interval, .. } = tree.margin(ROOT);
        let sign = if first { 1.0 } else { -1.0 };
        let alpha = sign * (sigmoid.margin + komi);
        Some(Decided { alpha, beta: sigmoid.beta, interval: [sign * interval.from, sign * interval.to] })
    }
}
