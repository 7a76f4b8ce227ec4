//! Stones on a grid: neighbours, chains, captures, area. No history, so no ko.
//!
//! Everything is set algebra on bit boards: a flood fill advances all chains at once, so "which stones have no
//! liberty" costs the same for one chain as for the whole board.

use std::ops::{BitAnd, BitOr, Not};

/// The largest side of a board.
pub const MAX_SIZE: usize = 19;
/// The number of points of the largest board.
pub const MAX_POINTS: usize = MAX_SIZE * MAX_SIZE;
const WORDS: usize = MAX_POINTS.div_ceil(64);

/// A set of points; point `y * width + x` is bit `point % 64` of word `point / 64`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Points([u64; WORDS]);

impl Points {
    pub const EMPTY: Self = Self([0; WORDS]);

    pub const fn single(point: usize) -> Self {
        Self::EMPTY.with(point)
    }

    pub const fn with(mut self, point: usize) -> Self {
        self.0[point / 64] |= 1 << (point % 64);
        self
    }

    pub const fn contains(&self, point: usize) -> bool {
        self.0[point / 64] >> (point % 64) & 1 != 0
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }

    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The bits, word by word.
    pub fn words(self) -> impl Iterator<Item = u64> {
        self.0.into_iter()
    }

    /// The points in ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(index, mut word)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(64 * index + bit)
            })
        })
    }

    pub fn first(&self) -> Option<usize> {
        self.iter().next()
    }

    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).all(|(a, b)| a & !b == 0)
    }

    fn zip(self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|i| join(self.0[i], other.0[i])))
    }
}

impl BitAnd for Points {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
}

impl BitOr for Points {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
}

/// The complement in all bits, also those off the board: meant for `a & !b`.
impl Not for Points {
    type Output = Self;
    fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }
}

/// The shape of a board: which points there are and which of them touch.
#[derive(Debug)]
pub struct Grid {
    pub width: usize,
    pub height: usize,
    pub points: Points,
    /// The number of words that hold points: small boards compute with one word, not with all six.
    words: usize,
    first_column: Points,
    last_column: Points,
}

static SQUARES: [Grid; MAX_SIZE] = {
    let mut grids = [const { Grid::new(1, 1) }; MAX_SIZE];
    let mut size = 2;
    while size <= MAX_SIZE {
        grids[size - 1] = Grid::new(size, size);
        size += 1;
    }
    grids
};

impl Grid {
    /// Panics when a side is 0 or longer than [`MAX_SIZE`].
    pub const fn new(width: usize, height: usize) -> Self {
        assert!(width >= 1 && height >= 1 && width <= MAX_SIZE && height <= MAX_SIZE);
        let mut points = Points::EMPTY;
        let mut first_column = Points::EMPTY;
        let mut last_column = Points::EMPTY;
        let mut point = 0;
        while point < width * height {
            points = points.with(point);
            if point % width == 0 {
                first_column = first_column.with(point);
            }
            if point % width == width - 1 {
                last_column = last_column.with(point);
            }
            point += 1;
        }
        Self { width, height, points, words: (width * height).div_ceil(64), first_column, last_column }
    }

    /// The square board of a size from 1 to [`MAX_SIZE`]; panics on any other.
    pub fn square(size: usize) -> &'static Self {
        &SQUARES[size - 1]
    }

    pub const fn area(&self) -> usize {
        self.width * self.height
    }

    /// Applies `join` word by word to the set shifted east, west, north and south.
    #[inline(always)]
    fn shifted(&self, set: &Points, join: impl Fn(u64, u64, u64, u64) -> u64) -> Points {
        let mut joined = Points::EMPTY;
        let width = self.width as u32;
        for i in 0..self.words {
            let word = set.0[i];
            let below = if i > 0 { set.0[i - 1] } else { 0 };
            let above = if i + 1 < self.words { set.0[i + 1] } else { 0 };
            let east = (word << 1 | below >> 63) & !self.first_column.0[i];
            let west = (word >> 1 | above << 63) & !self.last_column.0[i];
            let north = word << width | below >> (64 - width);
            let south = word >> width | above << (64 - width);
            joined.0[i] = join(east, west, north, south) & self.points.0[i];
        }
        joined
    }

    /// The points next to at least one point of the set.
    pub fn neighbours(&self, set: &Points) -> Points {
        self.shifted(set, |e, w, n, s| e | w | n | s)
    }

    /// The points next to at least two points of the set.
    fn twice_neighbours(&self, set: &Points) -> Points {
        self.shifted(set, |e, w, n, s| (e & w) | (n & s) | ((e | w) & (n | s)))
    }

    /// The points of `within` that are connected inside it to the seeds.
    pub fn flood(&self, seeds: Points, within: &Points) -> Points {
        let mut reached = seeds & *within;
        loop {
            let next = reached | (self.neighbours(&reached) & *within);
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }

    /// The stones that have no liberty.
    fn dead(&self, stones: &Points, empty: &Points) -> Points {
        *stones & !self.flood(self.neighbours(empty), stones)
    }

    /// The stones of all chains with a single liberty; every chain must have at least one.
    pub fn in_atari(&self, stones: &Points, empty: &Points) -> Points {
        // Most chains have a stone with two liberties of its own; only the others are looked at one by one.
        let safe = self.flood(self.twice_neighbours(empty), stones);
        let mut unknown = *stones & !safe;
        let mut weak = Points::EMPTY;
        while let Some(point) = unknown.first() {
            let chain = self.flood(Points::single(point), &unknown);
            unknown = unknown & !chain;
            if (self.neighbours(&chain) & *empty).count() == 1 {
                weak = weak | chain;
            }
        }
        weak
    }
}

/// The two players, in the order in which they move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    Black,
    White,
}

impl Colour {
    pub const fn other(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

/// Which points carry stones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Board {
    pub black: Points,
    pub white: Points,
}

impl Board {
    pub const fn stones(&self, colour: Colour) -> &Points {
        match colour {
            Colour::Black => &self.black,
            Colour::White => &self.white,
        }
    }

    pub fn empty(&self, grid: &Grid) -> Points {
        grid.points & !(self.black | self.white)
    }

    /// The board after a stone is played on an empty point, and the stones that it captures. The stone itself may be
    /// left without a liberty: see [`Board::has_dead`] and [`Board::without_dead`].
    pub fn place(&self, grid: &Grid, point: usize, colour: Colour) -> (Self, Points) {
        let stone = Points::single(point);
        let own = *self.stones(colour) | stone;
        let other = *self.stones(colour.other());
        let captured = if (grid.neighbours(&stone) & other).is_empty() {
            Points::EMPTY
        } else {
            grid.dead(&other, &(self.empty(grid) & !stone))
        };
        let rest = other & !captured;
        let board = match colour {
            Colour::Black => Self { black: own, white: rest },
            Colour::White => Self { black: rest, white: own },
        };
        (board, captured)
    }

    /// Whether a chain of the colour has no liberty.
    pub fn has_dead(&self, grid: &Grid, colour: Colour) -> bool {
        !grid.dead(self.stones(colour), &self.empty(grid)).is_empty()
    }

    /// Removes the colour's chains that have no liberty; returns the board and the removed stones.
    pub fn without_dead(&self, grid: &Grid, colour: Colour) -> (Self, Points) {
        let dead = grid.dead(self.stones(colour), &self.empty(grid));
        let board = match colour {
            Colour::Black => Self { black: self.black & !dead, ..*self },
            Colour::White => Self { white: self.white & !dead, ..*self },
        };
        (board, dead)
    }

    /// The empty points where a stone of the colour would capture something.
    pub fn captures(&self, grid: &Grid, colour: Colour) -> Points {
        let empty = self.empty(grid);
        grid.neighbours(&grid.in_atari(self.stones(colour.other()), &empty)) & empty
    }

    /// The empty points where a stone of the colour would have a liberty once its captures are removed.
    pub fn placements(&self, grid: &Grid, colour: Colour) -> Points {
        let own = *self.stones(colour);
        let empty = self.empty(grid);
        let supported = own & !grid.in_atari(&own, &empty);
        grid.neighbours(&(empty | supported)) & empty | self.captures(grid, colour)
    }

    /// Black's area minus White's: stones, and empty regions that reach one colour only (Tromp-Taylor).
    pub fn area(&self, grid: &Grid) -> i32 {
        let empty = self.empty(grid);
        let black = self.black | grid.flood(grid.neighbours(&self.black), &empty);
        let white = self.white | grid.flood(grid.neighbours(&self.white), &empty);
        // An empty point that both reach counts for both and cancels out.
        black.count() as i32 - white.count() as i32
    }
}
