//! Game search in which every ply has an owner and every owner a rule (`docs/methods/search.md`).
//!
//! A [`Forest`] holds trees that share evaluations. [`Forest::gather`] walks down each tree and returns the positions
//! that need an evaluation; [`Forest::scatter`] takes the evaluations back and updates the trees. A tree's course
//! depends on its own parameters, seed and evaluations alone, never on the cache and, with one lane, never on the trees
//! beside it.

mod backup;
mod brain_hand;
mod cache;
mod choose;
mod coin;
mod error;
mod expand;
mod follow;
mod forest;
mod freeze_after;
mod gather;
mod margin;
mod noise;
mod params;
mod puct;
mod request;
mod reuse;
mod rules;
mod scatter;
mod seats;
mod summary;
#[cfg(test)]
mod tests;
mod threads;
mod tree;
mod value;
mod value_model;
mod win_draw_loss;

pub use brain_hand::BrainHand;
pub use choose::{Temperature, Vote};
pub use coin::Coin;
pub use error::ForestError;
pub use follow::{Follow, FollowBest};
pub use forest::{Forest, TreeId};
pub use freeze_after::{Draw, FreezeAfter};
pub use margin::{Bonus, Decision, Ends, Interval, Margins, Sigmoid};
pub use params::{Fpu, MovesLeft, SearchParams, Selection};
pub use puct::Puct;
pub use request::{Answer, Request};
pub use rules::{At, Memory, Needs, Pick, Rule};
pub use seats::{Seat, Seats};
pub use summary::{Decided, RootMove, RootSummary, Score};
pub use tree::{Edge, MOST_BYTES, NO_NODE, Node, Note, ROOT, State, Tree};
