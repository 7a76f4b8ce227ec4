//! How the trees of a large request are shared among threads.

use std::process;
use std::sync::OnceLock;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// The process that has the threads: one that is forked from it has none of them.
static PROCESS: OnceLock<u32> = OnceLock::new();

/// The fewest leaves that are worth a thread: to walk down to a leaf takes 2 to 10 µs, to wake a thread some 10 µs.
const LEAVES_PER_THREAD: usize = 32;

/// How many of so many trees one thread takes, where each offers at most `batch` leaves.
pub fn share(trees: usize, batch: usize) -> usize {
    let worth = trees.saturating_mul(batch) / LEAVES_PER_THREAD;
    if worth < 2 { trees } else { trees.div_ceil(worth.min(threads())) }
}

/// Does a piece of work for each item, side by side; a single one is done without waking another thread.
pub fn each<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Send + Sync) -> Vec<R> {
    if items.len() < 2 || threads() < 2 {
        items.into_iter().map(work).collect()
    } else {
        items.into_par_iter().map(work).collect()
    }
}

/// The number of threads that may work side by side: in a forked process, which would wait for the others for ever, only
/// the one that asks.
fn threads() -> usize {
    let own = *PROCESS.get_or_init(process::id) == process::id();
    if own { rayon::current_num_threads() } else { 1 }
}
