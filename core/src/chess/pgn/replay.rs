//! Replays games as the tokenizer reads them.

use std::{
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use pgn_reader::{Outcome, RawComment, RawTag, SanPlus, Skip, Visitor};
use shakmaty::{CastlingMode, Chess, Color, KnownOutcome, Move as ChessMove, Position, san::SanError};

use super::{Fault, MovePlace, PgnGame};
use crate::chess::fen::FenError;
use crate::chess::game::ChessGame;
use crate::chess::packed_move::pack;
use crate::chess::san::find_move;
use crate::game::Move;

pub struct Replay {
    /// Whether the comments of the main line are kept.
    pub comments: bool,
    /// Whether the current game has more text than is kept.
    pub too_long: Arc<AtomicBool>,
}

impl Replay {
    pub fn is_too_long(&self) -> bool {
        self.too_long.load(Ordering::Relaxed)
    }
}

#[derive(Default)]
pub struct Tags {
    pairs: Vec<(String, String)>,
    fen: Option<String>,
    variant: Option<String>,
    result: Option<String>,
}

/// A game as far as it was replayed.
pub struct Played {
    tags: Vec<(String, String)>,
    start_fen: Option<String>,
    mode: CastlingMode,
    result_tag: Option<&'static str>,
    outcome: Option<&'static str>,
    /// Plies before the start position by its move number.
    first_ply: usize,
    position: Chess,
    pub moves: Vec<Move>,
    castles: Vec<usize>,
    comments: Option<Vec<Option<String>>>,
    /// Whether the last comment is still incomplete.
    partial: bool,
}

/// Why a replay ended early.
pub struct Stop {
    pub place: Option<MovePlace>,
    pub fault: Fault,
}

impl MovePlace {
    /// The place of another ply of the same game.
    pub fn earlier(self, ply: usize) -> MovePlace {
        MovePlace::at((self.number - 1) * 2 + usize::from(self.turn.is_black()) - self.ply, ply)
    }

    fn at(first_ply: usize, ply: usize) -> MovePlace {
        let plies = first_ply + ply;
        MovePlace { ply, number: plies / 2 + 1, turn: Color::from_white(plies.is_multiple_of(2)) }
    }
}

impl Played {
    pub fn place(&self, ply: usize) -> MovePlace {
        MovePlace::at(self.first_ply, ply)
    }

    /// Whether there were only blank lines or comments.
    pub fn is_nothing(&self) -> bool {
        self.tags.is_empty() && self.moves.is_empty() && self.outcome.is_none()
    }

    pub fn finish(self, number: u64) -> PgnGame {
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
        let mv = match find_move(move_text.san, &game.position) {
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

/// The start position of a FEN tag. Castling rights that only Chess960 has make the game a Chess960 game.
fn start(fen: &str, named: CastlingMode) -> Result<(Chess, CastlingMode), FenError> {
    let mode = if named.is_chess960() { named } else { ChessGame::castling_mode(fen) };
    let game = ChessGame::from_fen(fen, mode == CastlingMode::Chess960)?;
    Ok((game.position().clone(), mode))
}

/// The castling mode of a Variant tag, by the names that lichess, chess.com, ICC and ChessBase write; `None` for other
/// variants.
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
pub(super) fn unescape(raw: &[u8]) -> Vec<u8> {
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
