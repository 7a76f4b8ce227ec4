//! Evaluations by all that an evaluator sees.

use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;
use rustc_hash::FxBuildHasher;

/// One evaluator's word on one position.
#[derive(Debug)]
pub struct Cached {
    /// For each legal move in the order of the game.
    pub logits: Box<[f32]>,
    pub wdl: [f32; 3],
    pub moves_left: Option<f32>,
}

/// Evaluations of the last positions asked for, at most as many as it was made for.
pub struct Cache {
    map: Option<LruCache<(usize, u64), Arc<Cached>, FxBuildHasher>>,
}

impl Cache {
    pub fn new(capacity: usize) -> Cache {
        Cache { map: NonZeroUsize::new(capacity).map(|n| LruCache::with_hasher(n, FxBuildHasher)) }
    }

    pub fn get(&mut self, evaluator: usize, key: u64) -> Option<Arc<Cached>> {
        self.map.as_mut()?.get(&(evaluator, key)).cloned()
    }

    pub fn put(&mut self, evaluator: usize, key: u64, value: Arc<Cached>) {
        if let Some(map) = &mut self.map {
            map.put((evaluator, key), value);
        }
    }

    pub fn len(&self) -> usize {
        self.map.as_ref().map_or(0, LruCache::len)
    }
}
