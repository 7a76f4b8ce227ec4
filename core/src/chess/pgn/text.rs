//! The text of the current game as it comes from the source: for line numbers, for the bound of its length, and for
//! tokens that the tokenizer does not show.

use std::{
    fmt,
    io::{self, Read},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use pgn_reader::SanPlus;

use super::open_comments::{Seen, Watch};
use crate::chess::san::read_san;

/// The most bytes of a tag line: a longer one makes a game broken.
pub const TAG_LINE_BYTES: usize = 1 << 14;
/// The most bytes of text of a game: more make it broken. The longest annotated games have a hundredth of it. Tests use
/// a smaller limit.
pub const GAME_BYTES: usize = if cfg!(test) { 1 << 20 } else { 16 << 20 };
/// The most bytes of the source that wait in the tokenizer: twice the longest tag line.
const TOKENIZER_BYTES: usize = 2 * TAG_LINE_BYTES;

/// Passes the source through and keeps what was read of the current game. Before a game that a comment would swallow,
/// as nothing closes it, the source seems to end, until `Text::paused` is unset.
pub struct Tap<R> {
    source: R,
    text: Arc<Mutex<Text>>,
    /// Whether the current game has more text than is kept.
    too_long: Arc<AtomicBool>,
    watch: Watch,
    /// What was read of the source and not passed on yet.
    kept_back: Vec<u8>,
    /// Whether it takes more of the source to pass that on.
    undecided: bool,
}

impl<R: Read> Tap<R> {
    pub fn new(source: R, text: Arc<Mutex<Text>>, too_long: Arc<AtomicBool>) -> Tap<R> {
        Tap { source, text, too_long, watch: Watch::default(), kept_back: Vec::new(), undecided: false }
    }

    /// Fills the buffer with what was kept back and, where that does not suffice, from the source: the number of bytes,
    /// and whether the source has ended.
    fn fill(&mut self, buffer: &mut [u8]) -> io::Result<(usize, bool)> {
        let kept = self.kept_back.len().min(buffer.len());
        let (before, after) = buffer.split_at_mut(kept);
        let fresh = if kept == 0 || self.undecided { Some(read(&mut self.source, after)?) } else { None };
        before.copy_from_slice(&self.kept_back[..kept]);
        self.kept_back.drain(..kept);
        Ok((kept + fresh.unwrap_or(0), fresh == Some(0)))
    }
}

impl<R: Read> Read for Tap<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        debug_assert!(buffer.len() >= TAG_LINE_BYTES, "the tokenizer asks for half of its room at least");
        let mut paused = lock(&self.text).paused;
        let mut passed = 0;
        while passed == 0 && !paused {
            let (count, ended) = self.fill(buffer)?;
            let seen = self.watch.pass(&buffer[..count]);
            passed = match seen {
                Seen::Game(at) => at,
                Seen::Perhaps(at) if !ended => at,
                _ => count,
            };
            self.undecided = passed < count && !matches!(seen, Seen::Game(_));
            self.kept_back.splice(..0, buffer[passed..count].iter().copied());
            paused = matches!(seen, Seen::Game(_)) || ended && self.watch.end();
            if ended {
                break;
            }
        }
        let mut text = lock(&self.text);
        text.paused = paused;
        text.bytes.extend_from_slice(&buffer[..passed]);
        if text.bytes.len() - text.start > GAME_BYTES {
            text.forget_all_but(TOKENIZER_BYTES);
            self.too_long.store(true, Ordering::Relaxed);
        }
        Ok(passed)
    }
}

fn read(source: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match source.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read.map_err(|error| io::Error::other(SourceError(error))),
        }
    }
}

/// What was read of the current game, and of the next one as far as the tokenizer has asked for it.
#[derive(Default)]
pub struct Text {
    pub(super) bytes: Vec<u8>,
    /// Where the current game starts in `bytes`.
    start: usize,
    /// Line breaks before `start`.
    pub(super) lines: u64,
    /// Whether the source seems to have ended, or has, within a comment.
    pub paused: bool,
}

impl Text {
    /// Makes the current game start with the last `rest` bytes that were read; the text before them is forgotten.
    pub fn forget_all_but(&mut self, rest: usize) {
        let end = self.bytes.len().saturating_sub(rest);
        self.lines = self.line(self.but_last(rest).len()) - 1;
        self.start = end;
        if self.start > TAG_LINE_BYTES {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
    }

    pub fn but_last(&self, rest: usize) -> &[u8] {
        let end = self.bytes.len().saturating_sub(rest);
        &self.bytes[self.start.min(end)..end]
    }

    /// The line, from 1, of a byte of the current game.
    pub fn line(&self, at: usize) -> u64 {
        let breaks = self.bytes[self.start..].iter().take(at).filter(|&&byte| byte == b'\n').count();
        self.lines + breaks as u64 + 1
    }
}

/// Locks the text, even after a panic in a thread that held the lock.
pub fn lock(text: &Mutex<Text>) -> MutexGuard<'_, Text> {
    text.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells an error of the source (outer) from a complaint of the tokenizer about the text (inner).
pub fn own<T>(read: io::Result<T>) -> io::Result<io::Result<T>> {
    match read {
        Err(error) if error.get_ref().is_some_and(|inner| inner.is::<SourceError>()) => {
            Err(match error.into_inner().and_then(|inner| inner.downcast::<SourceError>().ok()) {
                Some(inner) => inner.0,
                None => io::Error::other("the source failed"),
            })
        }
        read => Ok(read),
    }
}

#[derive(Debug)]
struct SourceError(io::Error);

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for SourceError {}

/// A token that stands where a move should stand, but is not one in SAN.
pub struct Stray<'a> {
    token: &'a [u8],
    /// The offset of the token in the text of the game.
    pub at: usize,
    /// The number of moves of the main line before the token.
    pub moves: usize,
}

impl Stray<'_> {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.token).into_owned()
    }

    /// Whether it is a move in another notation.
    pub fn is_move(&self) -> bool {
        read_san(self.token).is_some()
    }
}

/// The first stray token of the main line.
///
/// The tokenizer passes over such tokens in silence; the moves behind one would be played by the wrong side.
pub fn stray_token(game: &[u8]) -> Option<Stray<'_>> {
    let mut moves = 0;
    first_word(game, |at, token| {
        if SanPlus::from_ascii(token).is_ok() || token.starts_with(b"0-0") {
            moves += 1;
            return None;
        }
        let word = token[0].is_ascii_alphabetic() || !token[0].is_ascii();
        (word && !is_harmless(token)).then_some(Stray { token, at, moves })
    })
}

/// Where a comment begins that nothing closes.
pub fn open_comment(game: &[u8]) -> Option<usize> {
    let from = game.iter().rposition(|&byte| byte == b'}').map_or(0, |at| at + 1);
    game[from..].iter().position(|&byte| byte == b'{').map(|length| from + length)
}

/// The text of a game with the moves of its main line in SAN, which is all that the tokenizer reads, wherever they stand
/// in another notation.
pub fn in_san(game: &[u8]) -> Vec<u8> {
    let (mut text, mut copied) = (Vec::with_capacity(game.len()), 0);
    first_word(game, |at, token| -> Option<()> {
        if SanPlus::from_ascii(token).is_err()
            && let Some(san) = read_san(token)
        {
            text.extend_from_slice(&game[copied..at]);
            san.append_ascii_to(&mut text);
            copied = at + token.len();
        }
        None
    });
    text.extend_from_slice(&game[copied..]);
    text
}

/// What `find` makes, of the first word of the main line of which it makes anything. Words are what is neither tag,
/// comment, variation, number nor glyph; `find` gets their offsets, too.
fn first_word<'a, T>(game: &'a [u8], mut find: impl FnMut(usize, &'a [u8]) -> Option<T>) -> Option<T> {
    let (mut index, mut variations) = (0, 0_usize);
    let run = |from: usize, stop: &dyn Fn(u8) -> bool| {
        game[from..].iter().position(|&byte| stop(byte)).map_or(game.len(), |length| from + length)
    };
    while let Some(&byte) = game.get(index) {
        let (at, line_start) = (index, index == 0 || game[index - 1] == b'\n');
        match byte {
            b'{' => index = run(at, &|byte| byte == b'}') + 1,
            b';' => index = run(at, &|byte| byte == b'\n'),
            b'[' | b'%' if line_start => index = run(at, &|byte| byte == b'\n'),
            b'(' => (index, variations) = (at + 1, variations + 1),
            b')' => (index, variations) = (at + 1, variations.saturating_sub(1)),
            b'$' | b'0'..=b'9' => {
                index = run(at + 1, &|byte| !matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'/'));
                let castles = game[at..].starts_with(b"0-0") && variations == 0;
                if castles && let Some(found) = find(at, &game[at..index]) {
                    return Some(found);
                }
            }
            byte if ends_token(byte) => index += 1,
            byte => {
                index = run(at, &ends_token);
                let token = &game[at..index];
                if variations == 0
                    && (byte != b'-' || token == b"--")
                    && let Some(found) = find(at, token)
                {
                    return Some(found);
                }
            }
        }
    }
    None
}

fn ends_token(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b'\r' | b'{' | b'}' | b'(' | b')' | b'!' | b'?' | b'$' | b';' | b'.' | b'*'
    )
}

/// Whether a token that is no move does no harm: `mate`, the parts of `e.p.`, a byte order mark, or the drawn result
/// written with ½, also that of Latin-1, or long dashes.
fn is_harmless(token: &[u8]) -> bool {
    matches!(token, b"mate" | b"e" | b"p" | b"ep" | b"\xef\xbb\xbf" | b"\xbd" | b"\xbd-\xbd")
        || token.starts_with("½".as_bytes())
        || token.starts_with(b"\xe2\x80")
}
