//! PGN streaming with legal replay.
//!
//! pgn-reader tokenizes, shakmaty replays. A game that cannot be replayed to its last move is broken: it comes out as
//! a [`BrokenGame`] that says where and why, and reading goes on with the next one. Only a failing source ends it early.
//! Memory is bounded by 16 MiB of text, however long a game is, and whatever stands between two.

use std::{
    fmt,
    io::{self, Read},
    ops::ControlFlow,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use pgn_reader::{Outcome, RawComment, RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::{
    CastlingMode, CastlingSide, Chess, Color, KnownOutcome, Move as ChessMove, Position, Role,
    fen::Fen,
    san::{San, SanError},
    uci::UciMove,
};

use super::game::{ChessGame, FenError};
use super::packed_move::{pack, squares};
use crate::game::Move;
use crate::quote::quoted;

/// Longer tag lines make a game broken.
const TAG_LINE_BYTES: usize = 1 << 14;
/// More text makes a game broken: the longest annotated games have a hundredth of it. Tests make do with less.
const GAME_BYTES: usize = if cfg!(test) { 1 << 20 } else { 16 << 20 };
/// No more of the source than this waits in the tokenizer (twice the longest tag line).
const TOKENIZER_BYTES: usize = 2 * TAG_LINE_BYTES;

/// One game, replayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PgnGame {
    /// Counts all games of the source from 1, broken ones included.
    pub number: u64,
    /// In the order of the file; a name may come twice.
    pub tags: Vec<(String, String)>,
    /// The FEN tag, where there is one.
    pub start_fen: Option<String>,
    pub mode: CastlingMode,
    pub moves: Vec<Move>,
    /// Plies that castle: packed moves alone do not tell a king that takes its rook from any other move.
    castles: Vec<usize>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`: the Result tag, or the end of the movetext where the tag says nothing.
    pub result: &'static str,
    /// Per move, the comments after it joined by a space; `None` when comments were not asked for.
    pub comments: Option<Vec<Option<String>>>,
}

impl PgnGame {
    /// The moves in UCI. Castling is `e1g1` in standard chess and king takes rook in Chess960.
    pub fn uci_moves(&self) -> impl Iterator<Item = UciMove> {
        self.moves.iter().enumerate().map(|(ply, &mv)| {
            let (from, mut to, promotion) = squares(mv);
            if self.mode == CastlingMode::Standard && self.castles.contains(&ply) {
                to = CastlingSide::from_king_side(to > from)
                    .king_to(Color::from_white(to < shakmaty::Square::A8));
            }
            UciMove::Normal { from, to, promotion }
        })
    }
}

/// What makes a game unusable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    Fen(FenError),
    /// A variant whose rules are not those of chess.
    Variant(String),
    Illegal(String),
    Ambiguous(String),
    /// A token of the main line that is not a move.
    Unreadable(String),
    /// A move behind the result: two games without a blank line between them.
    AfterResult(String),
    Syntax(String),
    /// More than [`GAME_BYTES`] of text.
    TooLong,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Fen(error) => write!(f, "bad {error}"),
            Fault::Variant(name) => {
                write!(f, "variant {} is not read, only standard chess and Chess960", quoted(name))
            }
            Fault::Illegal(san) => write!(f, "illegal move {san}"),
            Fault::Ambiguous(san) => write!(f, "ambiguous move {san}"),
            Fault::Unreadable(token) => write!(f, "unreadable move {}", quoted(token)),
            Fault::AfterResult(san) => write!(f, "move {san} after the result"),
            Fault::Syntax(problem) => f.write_str(problem),
            Fault::TooLong => write!(f, "longer than {} MiB", GAME_BYTES >> 20),
        }
    }
}

/// Where a move stands in its game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MovePlace {
    /// Plies since the start position.
    pub ply: usize,
    /// The move number that a score sheet shows.
    pub number: usize,
    pub turn: Color,
}

/// A game that was skipped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrokenGame {
    /// Counts all games of the source from 1.
    pub number: u64,
    /// The line, counted from 1, at which the fault showed.
    pub line: u64,
    pub place: Option<MovePlace>,
    pub fault: Fault,
}

impl fmt::Display for BrokenGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game {}", self.number)?;
        if let Some(place) = self.place {
            write!(f, ", move {} ({})", place.number, place.turn)?;
        }
        write!(f, ": {} (line {})", self.fault, self.line)
    }
}

/// Reads one game after another from `source`. Does its own buffering.
pub struct GameReader<R> {
    reader: Reader<Tap<R>>,
    text: Arc<Mutex<Text>>,
    replay: Replay,
    number: u64,
}

impl<R: Read> GameReader<R> {
    /// `comments`: keep the comments of the main line.
    pub fn new(source: R, comments: bool) -> GameReader<R> {
        let text = Arc::new(Mutex::new(Text::default()));
        let too_long = Arc::new(AtomicBool::new(false));
        let tap = Tap { source, text: Arc::clone(&text), too_long: Arc::clone(&too_long) };
        let reader = Reader::build(tap).set_supported_tag_line_length(TAG_LINE_BYTES).finish();
        GameReader { reader, text, replay: Replay { comments, too_long }, number: 0 }
    }

    /// Bytes of text in the game that was read last.
    pub fn game_bytes(&self) -> usize {
        lock(&self.text).but_last(self.reader.buffer().len()).len()
    }

    /// The next game; `None` at the end of the source.
    ///
    /// # Errors
    ///
    /// Those of the source alone. Reading on after one is allowed and may lose a game.
    #[allow(clippy::result_large_err)] // the Ok variant is as large
    pub fn next_game(&mut self) -> io::Result<Option<Result<PgnGame, BrokenGame>>> {
        loop {
            match own(self.reader.has_more())? {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                // The rest of a game that has been reported as broken.
                Err(_) => continue,
            }
            lock(&self.text).forget_all_but(self.reader.buffer().len());
            self.replay.too_long.store(false, Ordering::Relaxed);
            let read = own(self.reader.read_game(&mut self.replay))?;
            let text = lock(&self.text);
            let rest = self.reader.buffer().len();
            let game = text.but_last(rest);
            let too_long = self.replay.is_too_long();
            let stray = if too_long { None } else { stray_token(game) };
            let outcome = match (read, &stray) {
                (Ok(None), _) => return Ok(None),
                (Ok(Some(Ok(game))), _) if too_long => {
                    Err((Some(game.place(game.moves.len())), Fault::TooLong))
                }
                (Ok(Some(Ok(game))), None) if game.is_nothing() => continue,
                (Ok(Some(Ok(game))), None) => Ok(game),
                (Ok(Some(Ok(game))), Some(stray)) => Err((Some(game.place(stray.moves)), stray.fault())),
                // What was passed over in silence is why this move is illegal.
                (Ok(Some(Err(Stop { place: Some(place), .. }))), Some(stray)) => {
                    Err((Some(place.earlier(stray.moves)), stray.fault()))
                }
                (Ok(Some(Err(stop))), _) => Err((stop.place, stop.fault)),
                (Err(problem), _) => Err((None, Fault::Syntax(problem.to_string()))),
            };
            self.number += 1;
            let number = self.number;
            return Ok(Some(match outcome {
                Ok(game) => Ok(game.finish(number)),
                Err((place, fault)) => {
                    let end = stray.map_or(game.len(), |stray| stray.at);
                    Err(BrokenGame { number, line: text.line(end), place, fault })
                }
            }));
        }
    }
}

/// Tells an error of the source (outer) from a complaint of the tokenizer about the text (inner).
fn own<T>(read: io::Result<T>) -> io::Result<io::Result<T>> {
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

/// Passes the source through and keeps what was read of the current game, for line numbers and for tokens that the
/// tokenizer does not show.
struct Tap<R> {
    source: R,
    text: Arc<Mutex<Text>>,
    /// Whether the current game has more text than is kept.
    too_long: Arc<AtomicBool>,
}

impl<R: Read> Read for Tap<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.source.read(buffer) {
                Ok(count) => {
                    let mut text = lock(&self.text);
                    text.bytes.extend_from_slice(&buffer[..count]);
                    if text.bytes.len() - text.start > GAME_BYTES {
                        text.forget_all_but(TOKENIZER_BYTES);
                        self.too_long.store(true, Ordering::Relaxed);
                    }
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(io::Error::other(SourceError(error))),
            }
        }
    }
}

#[derive(Default)]
struct Text {
    bytes: Vec<u8>,
    /// Where the current game starts in `bytes`.
    start: usize,
    /// Line breaks before `start`.
    lines: u64,
}

impl Text {
    /// The current game starts with the last `rest` bytes that were read.
    fn forget_all_but(&mut self, rest: usize) {
        let end = self.bytes.len().saturating_sub(rest);
        self.lines = self.line(self.but_last(rest).len()) - 1;
        self.start = end;
        if self.start > TAG_LINE_BYTES {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
    }

    fn but_last(&self, rest: usize) -> &[u8] {
        let end = self.bytes.len().saturating_sub(rest);
        &self.bytes[self.start.min(end)..end]
    }

    /// The line, from 1, of a byte of the current game.
    fn line(&self, at: usize) -> u64 {
        let breaks = self.bytes[self.start..].iter().take(at).filter(|&&byte| byte == b'\n').count();
        self.lines + breaks as u64 + 1
    }
}

fn lock(text: &Mutex<Text>) -> MutexGuard<'_, Text> {
    text.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A token that stands where a move should and is none.
struct Stray<'a> {
    token: &'a [u8],
    /// Where in the text of the game.
    at: usize,
    /// Moves before it.
    moves: usize,
}

impl Stray<'_> {
    fn fault(&self) -> Fault {
        Fault::Unreadable(String::from_utf8_lossy(self.token).into_owned())
    }
}

/// The first stray token of the main line.
///
/// The tokenizer passes over such tokens in silence; the moves behind one would be played by the wrong side.
fn stray_token(game: &[u8]) -> Option<Stray<'_>> {
    let (mut index, mut variations, mut moves) = (0, 0_usize, 0);
    let run = |from: usize, stop: &dyn Fn(u8) -> bool| {
        game[from..].iter().position(|&byte| stop(byte)).map_or(game.len(), |length| from + length)
    };
    while let Some(&byte) = game.get(index) {
        let line_start = index == 0 || game[index - 1] == b'\n';
        match byte {
            b'{' => index = run(index, &|byte| byte == b'}') + 1,
            b';' => index = run(index, &|byte| byte == b'\n'),
            b'[' | b'%' if line_start => index = run(index, &|byte| byte == b'\n'),
            b'(' => (index, variations) = (index + 1, variations + 1),
            b')' => (index, variations) = (index + 1, variations.saturating_sub(1)),
            b'$' | b'0'..=b'9' => {
                let end = run(index + 1, &|byte| !matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'/'));
                let castles = game[index..].starts_with(b"0-0") && variations == 0;
                (index, moves) = (end, moves + usize::from(castles));
            }
            byte if ends_token(byte) => index += 1,
            byte => {
                let end = run(index, &ends_token);
                let (token, at) = (&game[index..end], index);
                index = end;
                if variations > 0 || byte == b'-' && token != b"--" {
                    continue;
                }
                if SanPlus::from_ascii(token).is_ok() {
                    moves += 1;
                } else if (byte.is_ascii_alphabetic() || !byte.is_ascii()) && !is_harmless(token) {
                    return Some(Stray { token, at, moves });
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

/// The parts of `e.p.`, a byte order mark, and the drawn result written with ½ or long dashes.
fn is_harmless(token: &[u8]) -> bool {
    matches!(token, b"e" | b"p" | b"ep" | b"\xef\xbb\xbf")
        || token.starts_with("½".as_bytes())
        || token.starts_with(b"\xe2\x80")
}

/// Replays games as the tokenizer reads them.
struct Replay {
    comments: bool,
    too_long: Arc<AtomicBool>,
}

impl Replay {
    fn is_too_long(&self) -> bool {
        self.too_long.load(Ordering::Relaxed)
    }
}

#[derive(Default)]
struct Tags {
    pairs: Vec<(String, String)>,
    fen: Option<String>,
    variant: Option<String>,
    result: Option<String>,
}

struct Played {
    tags: Vec<(String, String)>,
    start_fen: Option<String>,
    mode: CastlingMode,
    result_tag: Option<&'static str>,
    outcome: Option<&'static str>,
    /// Plies before the start position by its move number.
    first_ply: usize,
    position: Chess,
    moves: Vec<Move>,
    castles: Vec<usize>,
    comments: Option<Vec<Option<String>>>,
    /// The last comment goes on.
    partial: bool,
}

struct Stop {
    place: Option<MovePlace>,
    fault: Fault,
}

impl MovePlace {
    fn earlier(self, ply: usize) -> MovePlace {
        MovePlace::at((self.number - 1) * 2 + usize::from(self.turn.is_black()) - self.ply, ply)
    }

    fn at(first_ply: usize, ply: usize) -> MovePlace {
        let plies = first_ply + ply;
        MovePlace { ply, number: plies / 2 + 1, turn: Color::from_white(plies.is_multiple_of(2)) }
    }
}

impl Played {
    fn place(&self, ply: usize) -> MovePlace {
        MovePlace::at(self.first_ply, ply)
    }

    /// Only blank lines or comments.
    fn is_nothing(&self) -> bool {
        self.tags.is_empty() && self.moves.is_empty() && self.outcome.is_none()
    }

    fn finish(self, number: u64) -> PgnGame {
        PgnGame {
            number,
            tags: self.tags,
            start_fen: self.start_fen,
            mode: self.mode,
            moves: self.moves,
            castles: self.castles,
            result: self.result_tag.or(self.outcome).unwrap_or("*"),
            comments: self.comments,
        }
    }

    fn stop<T>(&self, fault: Fault) -> ControlFlow<Result<Played, Stop>, T> {
        ControlFlow::Break(Err(Stop { place: Some(self.place(self.moves.len())), fault }))
    }

    fn comment(&mut self, comment: RawComment<'_>, partial: bool) {
        let continues = std::mem::replace(&mut self.partial, partial);
        let Some(Some(last)) = self.comments.as_mut().map(|comments| comments.last_mut()) else { return };
        let text = decode(comment.as_bytes());
        match last {
            Some(last) if continues => last.push_str(&text),
            Some(last) => {
                last.push(' ');
                last.push_str(text.trim_start());
            }
            None => *last = Some(text.trim_start().to_owned()),
        }
        if !partial && let Some(text) = last {
            text.truncate(text.trim_end().len());
            if text.is_empty() {
                *last = None;
            }
        }
    }
}

impl Visitor for Replay {
    type Tags = Tags;
    type Movetext = Played;
    type Output = Result<Played, Stop>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Tags> {
        ControlFlow::Continue(Tags::default())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        if self.is_too_long() {
            return ControlFlow::Break(Err(Stop { place: None, fault: Fault::TooLong }));
        }
        let value = decode(&unescape(value.as_bytes()));
        match name {
            b"FEN" => tags.fen = Some(value.clone()),
            b"Variant" => tags.variant = Some(value.clone()),
            b"Result" => tags.result = Some(value.clone()),
            _ => {}
        }
        tags.pairs.push((decode(name), value));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Self::Output, Played> {
        let stop = |fault| ControlFlow::Break(Err(Stop { place: None, fault }));
        let Some(named) = tags.variant.as_deref().map_or(Some(CastlingMode::Standard), castling_mode) else {
            return stop(Fault::Variant(tags.variant.unwrap_or_default()));
        };
        let (position, mode) = match tags.fen.as_deref().map(|fen| start(fen, named)) {
            Some(Err(error)) => return stop(Fault::Fen(error)),
            Some(Ok(start)) => start,
            None => (Chess::default(), named),
        };
        let first_ply =
            (position.fullmoves().get() as usize - 1) * 2 + usize::from(position.turn().is_black());
        ControlFlow::Continue(Played {
            tags: tags.pairs,
            start_fen: tags.fen,
            mode,
            result_tag: tags.result.as_deref().and_then(result_name),
            outcome: None,
            first_ply,
            position,
            moves: Vec::new(),
            castles: Vec::new(),
            comments: self.comments.then(Vec::new),
            partial: false,
        })
    }

    fn san(&mut self, game: &mut Played, move_text: SanPlus) -> ControlFlow<Self::Output> {
        if self.is_too_long() {
            return game.stop(Fault::TooLong);
        }
        if game.outcome.is_some() {
            return game.stop(Fault::AfterResult(move_text.to_string()));
        }
        let mv = match resolve(move_text.san, &game.position) {
            Ok(mv) => mv,
            Err(SanError::IllegalSan) => return game.stop(Fault::Illegal(move_text.to_string())),
            Err(SanError::AmbiguousSan) => return game.stop(Fault::Ambiguous(move_text.to_string())),
        };
        if matches!(mv, ChessMove::Castle { .. }) {
            game.castles.push(game.moves.len());
        }
        game.position.play_unchecked(mv);
        game.moves.push(pack(mv));
        if let Some(comments) = &mut game.comments {
            comments.push(None);
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _game: &mut Played) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn partial_comment(&mut self, game: &mut Played, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        if self.is_too_long() {
            return game.stop(Fault::TooLong);
        }
        game.comment(comment, true);
        ControlFlow::Continue(())
    }

    fn comment(&mut self, game: &mut Played, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        game.comment(comment, false);
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, game: &mut Played, outcome: Outcome) -> ControlFlow<Self::Output> {
        game.outcome = Some(match outcome {
            Outcome::Known(KnownOutcome::Decisive { winner: Color::White }) => "1-0",
            Outcome::Known(KnownOutcome::Decisive { winner: Color::Black }) => "0-1",
            Outcome::Known(KnownOutcome::Draw) => "1/2-1/2",
            Outcome::Unknown => "*",
        });
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Played) -> Self::Output {
        Ok(game)
    }
}

/// The move that the text means. Old files leave out the `x` of a capture.
fn resolve(san: San, position: &Chess) -> Result<ChessMove, SanError> {
    san.to_move(position).or_else(|error| match san {
        San::Normal { role, file, rank, capture: false, to, promotion }
            if error == SanError::IllegalSan && (role != Role::Pawn || file.is_some()) =>
        {
            San::Normal { role, file, rank, capture: true, to, promotion }.to_move(position)
        }
        _ => Err(error),
    })
}

/// The start position of a FEN tag. Castling rights that only Chess960 knows make the game one.
fn start(fen: &str, named: CastlingMode) -> Result<(Chess, CastlingMode), FenError> {
    let mode = match Fen::from_ascii(fen.trim().as_bytes()) {
        Ok(parsed) if named == CastlingMode::Standard => CastlingMode::detect(parsed.as_setup()),
        _ => named,
    };
    let game = ChessGame::from_fen(fen, mode == CastlingMode::Chess960)?;
    Ok((game.position().clone(), mode))
}

/// What the Variant tag says: the names that lichess, chess.com, ICC and ChessBase write.
fn castling_mode(variant: &str) -> Option<CastlingMode> {
    match variant.trim().to_ascii_lowercase().as_str() {
        "" | "?" | "chess" | "classical" | "from position" | "normal" | "standard" => {
            Some(CastlingMode::Standard)
        }
        "960"
        | "chess 960"
        | "chess960"
        | "fischer random"
        | "fischer random chess"
        | "fischerandom"
        | "fischerrandom"
        | "freestyle" => Some(CastlingMode::Chess960),
        _ => None,
    }
}

fn result_name(tag: &str) -> Option<&'static str> {
    ["1-0", "0-1", "1/2-1/2"].into_iter().find(|name| *name == tag.trim())
}

/// The value of a tag: `\"` is a quote and `\\` a backslash. `RawTag::decode` takes the second backslash of a pair for
/// the start of another escape.
fn unescape(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    let mut bytes = raw.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let escaped = bytes.next_if(|&next| byte == b'\\' && matches!(next, b'\\' | b'"'));
        out.push(escaped.unwrap_or(byte));
    }
    out
}

/// UTF-8, or Latin-1 as the PGN standard has it (section 4.1); no control characters, which no game needs and by which
/// it could command a terminal.
fn decode(bytes: &[u8]) -> String {
    let text: String = std::str::from_utf8(bytes)
        .map_or_else(|_| bytes.iter().map(|&byte| char::from(byte)).collect(), str::to_owned);
    let unseen = |c: char| c.is_control() && !c.is_ascii_whitespace();
    if text.contains(unseen) { text.replace(unseen, "\u{fffd}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The games of a text, each as its moves and result or as its message.
    fn read(pgn: &[u8]) -> Vec<Result<String, String>> {
        let mut reader = GameReader::new(pgn, false);
        let mut games = Vec::new();
        while let Some(game) = reader.next_game().expect("a slice does not fail") {
            games.push(match game {
                Ok(game) => {
                    let moves: Vec<String> = game.uci_moves().map(|mv| mv.to_string()).collect();
                    Ok(format!("{} {}", moves.join(" "), game.result))
                }
                Err(broken) => Err(broken.to_string()),
            });
        }
        games
    }

    type Case = (&'static str, &'static str, &'static [Result<&'static str, &'static str>]);

    const TEXTS: &[Case] = &[
        ("nothing", "\u{feff}\n\n ; a comment\n% escaped\n\n", &[]),
        ("tags_without_moves_are_a_game", "[White \"A\"]\n\n*\n", &[Ok(" *")]),
        ("the_result_tag_counts", "[Result \"1-0\"]\n\n1. e4 *", &[Ok("e2e4 1-0")]),
        ("the_movetext_result_fills_in", "[Result \"*\"]\n\n1. e4 1/2-1/2", &[Ok("e2e4 1/2-1/2")]),
        (
            "variations_comments_and_glyphs_are_passed_over",
            "1. e4 $1 (1. d4 {what (} d5 (1... junk) 2. c4) e5!? {[%clk 0:01:00]} ; rest Nf3\n2. Nf3 * ",
            &[Ok("e2e4 e7e5 g1f3 *")],
        ),
        (
            "castling_is_a_king_move",
            "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 0-0 O-O",
            &[Ok("e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8 *")],
        ),
        (
            "long_castling_from_a_fen",
            "[FEN \"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1\"]\n\n1. O-O-O+ Kf7 2. Rhe1",
            &[Ok("e1c1 e8f7 h1e1 *")],
        ),
        (
            "castling_takes_the_rook_in_chess960",
            "[Variant \"Fischerandom\"]\n[FEN \"1r2k1r1/1p4p1/8/8/8/8/1P4P1/1R2K1R1 w GBgb - 0 1\"]\n\n1. O-O O-O-O",
            &[Ok("e1g1 e8b8 *")],
        ),
        (
            "castling_rights_of_chess960_make_it_one",
            "[FEN \"1r2k1r1/1p4p1/8/8/8/8/1P4P1/1R2K1R1 w GBgb - 0 1\"]\n\n1. O-O-O",
            &[Ok("e1b1 *")],
        ),
        ("promotion", "[FEN \"8/P6k/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. a8=N", &[Ok("a7a8n *")]),
        ("captures_may_lack_the_x", "1. e4 d5 2. exd5 Qd5", &[Ok("e2e4 d7d5 e4d5 d8d5 *")]),
        (
            "an_illegal_move_breaks_its_game_only",
            "[Event \"a\"]\n\n1. e4 e5 2. Ke3 Nc6 1-0\n\n[Event \"b\"]\n\n1. d4 0-1\n",
            &[Err("game 1, move 2 (white): illegal move Ke3 (line 3)"), Ok("d2d4 0-1")],
        ),
        (
            "a_null_move_is_illegal",
            "1. e4 -- 2. d4",
            &[Err("game 1, move 1 (black): illegal move -- (line 1)")],
        ),
        (
            "an_ambiguous_move",
            "1. Nf3 d5 2. d4 e6 3. Nd2 a6\n4. h3 a5 5. Rg1 a4 6. b3 h5\n7. Nb1 h4 8. Nd2",
            &[Err("game 1, move 3 (white): ambiguous move Nd2 (line 1)")],
        ),
        (
            "a_token_that_is_no_move_is_not_passed_over",
            "1. e4 e5 2. Nf3\nNq6 3. Bc4 1-0",
            &[Err("game 1, move 2 (black): unreadable move \"Nq6\" (line 2)")],
        ),
        (
            "nor_is_it_at_the_end",
            "1. e4 e5 2. ♘f3 1-0\n\n1. d4 *",
            &[Err("game 1, move 2 (white): unreadable move \"♘f3\" (line 1)"), Ok("d2d4 *")],
        ),
        (
            "moves_after_the_result",
            "1. e4 1-0\n1. d4 0-1",
            &[Err("game 1, move 1 (black): move d4 after the result (line 2)")],
        ),
        (
            "the_move_number_is_that_of_the_fen",
            "[FEN \"8/8/8/8/8/k7/8/K6R b - - 0 40\"]\n\n40... Kb3 41. Rh3+ Kb2",
            &[Err("game 1, move 41 (black): illegal move Kb2 (line 3)")],
        ),
        (
            "other_variants",
            "[Variant \"Atomic\"]\n\n1. e4\n\n[Variant \"Standard\"]\n\n1. e4",
            &[
                Err("game 1: variant \"Atomic\" is not read, only standard chess and Chess960 (line 3)"),
                Ok("e2e4 *"),
            ],
        ),
        ("an_open_comment", "1. e4 {and so on", &[Err("game 1: unterminated comment (line 1)")]),
    ];

    #[test]
    fn texts_read_as_they_should() {
        for (name, pgn, games) in TEXTS {
            let games: Vec<_> =
                games.iter().map(|game| game.map(str::to_owned).map_err(str::to_owned)).collect();
            assert_eq!(read(pgn.as_bytes()), games, "{name}");
            assert_eq!(read(pgn.replace('\n', "\r\n").as_bytes()), games, "{name} with carriage returns");
        }
    }

    #[test]
    fn a_bad_fen_names_the_field() {
        let games = read(b"[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4\n\n1. e4");
        assert!(games[0].as_ref().is_err_and(|message| message.starts_with("game 1: bad FEN")), "{games:?}");
        assert_eq!(games[1], Ok("e2e4 *".to_owned()));
    }

    #[test]
    fn an_escaped_backslash_does_not_escape_what_follows() {
        assert_eq!(unescape(br#"\\\""#), br#"\""#);
        assert_eq!(unescape(br"a\b\"), br"a\b\");
    }

    #[test]
    fn tags_keep_their_order_and_decode_escapes_and_latin_1() {
        let pgn = b"[White \"J\\\"K\\\\\"]\n[Black \"M\xfcller\"]\n\n*";
        let game = GameReader::new(&pgn[..], false).next_game().unwrap().unwrap().unwrap();
        let tags: Vec<_> = game.tags.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(tags, [("White", "J\"K\\"), ("Black", "Müller")]);
    }

    #[test]
    fn no_control_characters_come_out() {
        let pgn = "[White \"\u{1b}[31mA\u{9b}\"]\n\n1. e4 {a\tb\n\u{7}c}";
        let game = GameReader::new(pgn.as_bytes(), true).next_game().unwrap().unwrap().unwrap();
        assert_eq!(game.tags[0].1, "\u{fffd}[31mA\u{fffd}");
        assert_eq!(game.comments.unwrap(), [Some("a\tb\n\u{fffd}c".to_owned())]);
    }

    #[test]
    fn a_message_repeats_no_more_than_the_beginning_of_a_token() {
        let long = "x".repeat(5000);
        for pgn in [
            format!("1. e4 {long}"),
            format!("[Variant \"{long}\"]\n\n1. e4"),
            format!("[FEN \"{long}\"]\n\n*"),
        ] {
            let broken = read(pgn.as_bytes()).remove(0).unwrap_err();
            assert!(broken.len() < 200, "{broken}");
        }
    }

    #[test]
    fn comments_belong_to_the_move_before() {
        let long = "x ".repeat(40_000);
        let pgn = format!("{{start}} 1. e4 {{ a }} {{b\n}} e5 {{}} 2. Nf3 (2. f4 {{no}}) {{{long}}}");
        let game = GameReader::new(pgn.as_bytes(), true).next_game().unwrap().unwrap().unwrap();
        let comments = game.comments.unwrap();
        assert_eq!(comments, [Some("a b".to_owned()), None, Some(long.trim().to_owned())]);
    }

    #[test]
    fn a_game_of_any_length_takes_bounded_memory() {
        let much = 3 * GAME_BYTES;
        let before = "[White \"A\"]\n\n1. e4 ";
        for (what, filler) in [
            ("comment", format!("{{{}}}", "x\n".repeat(much / 2))),
            ("comments", "{ x }\n".repeat(much / 6)),
            ("rest of line", format!(";{}\n", "x".repeat(much))),
            ("variation", format!("({})", "e4 ".repeat(much / 3))),
            ("one token", "x".repeat(much)),
            ("empty lines", "\n ".repeat(much / 2)),
            ("moves", "Nf6 Nf3 Ng8 Ng1 ".repeat(much / 16)),
            ("glyphs", "$1 ".repeat(much / 3)),
        ] {
            let pgn = format!("{before}{filler} e5 1-0\n\n[White \"B\"]\n\n1. d4 0-1\n");
            let mut reader = GameReader::new(pgn.as_bytes(), true);
            let broken = reader.next_game().unwrap().unwrap().unwrap_err();
            assert!(broken.to_string().contains("longer than 1 MiB (line "), "{what}: {broken}");
            assert!(lock(&reader.text).bytes.capacity() <= 4 * GAME_BYTES, "{what}");
            let next =
                reader.next_game().unwrap().unwrap().unwrap_or_else(|broken| panic!("{what}: {broken}"));
            assert_eq!(next.tags, [("White".to_owned(), "B".to_owned())], "{what}");
            let line = 5 + filler.bytes().filter(|&byte| byte == b'\n').count();
            assert_eq!(lock(&reader.text).lines as usize + 1, line, "{what}");
        }
    }

    #[test]
    fn what_stands_between_games_is_not_kept() {
        let pgn = format!("1. e4 1-0\n{}1. d4 Ke7", "\n".repeat(3 * GAME_BYTES));
        let mut reader = GameReader::new(pgn.as_bytes(), false);
        assert!(reader.next_game().unwrap().unwrap().is_ok());
        let broken = reader.next_game().unwrap().unwrap().unwrap_err();
        assert_eq!(broken.line as usize, 2 + 3 * GAME_BYTES);
        assert!(lock(&reader.text).bytes.capacity() <= 4 * GAME_BYTES);
    }

    #[test]
    fn a_game_of_many_tags_is_broken() {
        let pgn = "[A \"x\"]\n".repeat(GAME_BYTES / 4) + "\n1. e4 *\n\n1. d4 *";
        let games = read(pgn.as_bytes());
        assert!(games[0].as_ref().unwrap_err().starts_with("game 1: longer than 1 MiB"));
        assert_eq!(games[1], Ok("d2d4 *".to_owned()));
    }

    /// Gives one byte at a time, then fails.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else {
                return Err(io::Error::other("gone"));
            };
            buffer[0] = *first;
            self.0 = rest;
            Ok(1)
        }
    }

    #[test]
    fn an_error_of_the_source_is_not_a_broken_game() {
        let error = GameReader::new(Drip(b"1. e4 e5"), false).next_game().unwrap_err();
        assert_eq!(error.to_string(), "gone");
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics_or_loops(pgn in "(\\[FEN \"|[\\[\\](){};%$*\"\\\\ \n]|e4|Nf3|O-O|1-0|é){0,60}") {
            let games = read(pgn.as_bytes());
            proptest::prop_assert!(games.len() <= pgn.len());
        }

        #[test]
        fn no_bytes_panic_or_loop(pgn: Vec<u8>) {
            proptest::prop_assert!(read(&pgn).len() <= pgn.len());
        }
    }
}
