//! The cache of evaluations, by a hash of all that an evaluator sees.

use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;
use rustc_hash::FxBuildHasher;

/// One evaluator's evaluation of one position.
#[derive(Debug)]
pub struct Cached {
    /// One logit for each legal move, in the game's order.
    pub logits: Box<[f32]>,
    pub wdl: [f32; 3],
    pub moves_left: Option<f32>,
    pub margin: Option<[f32; 2]>,
}

/// An evaluation of one position, borrowed from the cache or from an answer.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    pub logits: &'a [f32],
    /// Win, draw, loss of the side to move.
    pub wdl: [f32; 3],
    pub moves_left: Option<f32>,
    /// Alpha and beta of the side to move (SAI, §0).
    pub margin: Option<[f32; 2]>,
}

impl Cached {
    pub fn judged(&self) -> Judged<'_> {
        Judged { logits: &self.logits, wdl: self.wdl, moves_left: self.moves_left, margin: self.margin }
    }
}

/// A cache that drops the least recently used evaluations when it is full; with a capacity of 0 it keeps none.
pub struct Cache {
    map: Option<LruCache<(usize, u64), Arc<Cached>, FxBuildHasher>>,
}

impl Cache {
    pub fn new(capacity: usize) -> Cache {
        let map = NonZeroUsize::new(capacity).map(|capacity| {
            // `with_hasher` would take the memory of a full cache at once.
            let mut map = LruCache::unbounded_with_hasher(FxBuildHasher);
            map.resize(capacity);
            map
        });
        Cache { map }
    }

    /// An evaluation, if it is known; it counts as used only by [`touch`](Cache::touch).
    pub fn get(&self, evaluator: usize, key: u64) -> Option<Arc<Cached>> {
        self.map.as_ref()?.peek(&(evaluator, key)).cloned()
    }

    /// Marks an evaluation as the most recently used.
    pub fn touch(&mut self, evaluator: usize, key: u64) {
        if let Some(map) = &mut self.map {
            map.promote(&(evaluator, key));
        }
    }

    /// Keeps an evaluation, as the most recently used.
    pub fn put(&mut self, evaluator: usize, key: u64, judged: &Judged<'_>) {
        if let Some(map) = &mut self.map {
            let Judged { logits, wdl, moves_left, margin } = *judged;
            map.put((evaluator, key), Arc::new(Cached { logits: logits.into(), wdl, moves_left, margin }));
        }
    }

    /// The number of evaluations.
    pub fn len(&self) -> usize {
        self.map.as_ref().map_or(0, LruCache::len)
    }
}
