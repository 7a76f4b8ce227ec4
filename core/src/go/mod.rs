//! Go on boards up to 19×19: area scoring, positional superko, two passes end the game.

mod board;
mod encode;
mod game;
mod material;
mod vertex;

#[cfg(test)]
mod tests;

pub use board::{Board, Colour, Grid, MAX_SIZE, Points};
pub use encode::{GoEncoding, GoView, PLANES};
pub use game::{GoGame, Illegal, Rules};
pub use material::material;
