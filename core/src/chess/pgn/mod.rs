//! PGN streaming with legal replay.
//!
//! pgn-reader tokenizes, shakmaty replays. A game that cannot be replayed to its last move is broken: it comes out as a
//! [`BrokenGame`] that says where and why, and reading goes on with the next one; where a comment is never closed, with
//! the next one that begins with an Event tag. Only a failing source ends the
//! reading early. Memory is bounded by 16 MiB of text, however long a game is and whatever stands between two games; a
//! game whose moves are not in SAN is read a second time, from a copy in SAN, and takes twice as much.

mod open_comments;
mod replay;
#[cfg(test)]
mod tests;
mod text;

use std::{
    error::Error,
    fmt,
    io::{self, Read},
    mem,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use pgn_reader::Reader;
use shakmaty::{CastlingMode, Color, uci::UciMove};

use self::replay::{Replay, Stop};
use self::text::{GAME_BYTES, TAG_LINE_BYTES, Tap, Text, in_san, lock, open_comment, own, stray_token};
use super::fen::FenError;
use super::packed_move::{castling_target, squares};
use crate::game::Move;
use crate::quote::quoted;

/// One game, replayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PgnGame {
    /// The number of the game in its source, from 1; broken games are counted too.
    pub number: u64,
    /// Names and values of the tags in the order of the file; a name may come twice.
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
            if self.castles.contains(&ply) {
                to = castling_target(self.mode, from, to);
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
    /// A comment that nothing closes before the next game that begins with an Event tag, or before the end of the source.
    OpenComment,
    /// More text than is kept of a game: 16 MiB.
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
            Fault::OpenComment => f.write_str("a comment begins and is never closed"),
            Fault::TooLong => write!(f, "longer than {} MiB", GAME_BYTES >> 20),
        }
    }
}

impl Error for Fault {}

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
    /// The number of the game in its source, from 1.
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

impl Error for BrokenGame {}

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
        let tap = Tap::new(source, Arc::clone(&text), Arc::clone(&too_long));
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
    /// Only errors of the source are returned. Reading on after one is allowed and may lose a game.
    #[allow(clippy::result_large_err)] // the Ok variant is as large
    pub fn next_game(&mut self) -> io::Result<Option<Result<PgnGame, BrokenGame>>> {
        loop {
            match own(self.reader.has_more())? {
                Ok(true) => {}
                // The source only seemed to end, as the game before has a comment that nothing closes.
                Ok(false) if mem::take(&mut lock(&self.text).paused) => continue,
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
            if let (Ok(Some(replayed)), Some(stray)) = (&read, &stray)
                && stray.is_move()
            {
                let stopped = replayed.is_err();
                drop(text);
                match self.read_again(stopped)? {
                    Some(game) => return Ok(Some(game)),
                    None => continue,
                }
            }
            let open = if text.paused && rest == 0 { open_comment(game) } else { None };
            let outcome = match (read, &stray) {
                (Ok(None), _) => return Ok(None),
                (Ok(Some(Ok(_))) | Err(_), _) if open.is_some() && !too_long => {
                    Err((None, Fault::OpenComment))
                }
                (Ok(Some(Ok(game))), _) if too_long => {
                    Err((Some(game.place(game.moves.len())), Fault::TooLong))
                }
                (Ok(Some(Ok(game))), None) if game.is_nothing() => continue,
                (Ok(Some(Ok(game))), None) => Ok(game),
                (Ok(Some(Ok(game))), Some(stray)) => {
                    Err((Some(game.place(stray.moves)), Fault::Unreadable(stray.text())))
                }
                // The stray token, which the tokenizer passed over in silence, is the reason why this move is illegal.
                (Ok(Some(Err(Stop { place: Some(place), .. }))), Some(stray)) => {
                    Err((Some(place.earlier(stray.moves)), Fault::Unreadable(stray.text())))
                }
                (Ok(Some(Err(stop))), _) => Err((stop.place, stop.fault)),
                (Err(problem), _) => Err((None, Fault::Syntax(problem.to_string()))),
            };
            self.number += 1;
            let number = self.number;
            return Ok(Some(match outcome {
                Ok(game) => Ok(game.finish(number)),
                Err((place, fault)) => {
                    let end = open
                        .filter(|_| fault == Fault::OpenComment)
                        .or(stray.map(|stray| stray.at))
                        .unwrap_or(game.len());
                    Err(BrokenGame { number, line: text.line(end), place, fault })
                }
            }));
        }
    }

    /// Reads the last game again, with its moves in SAN: the tokenizer passes over those in other notations. Such games
    /// are rare, and the others are read no slower for their sake.
    ///
    /// `stopped`: the replay ended early, and the rest of the game has not come from the source yet.
    #[allow(clippy::result_large_err)] // the Ok variant is as large
    fn read_again(&mut self, stopped: bool) -> io::Result<Option<Result<PgnGame, BrokenGame>>> {
        if stopped {
            // Should the tokenizer complain of that rest, it will do so again below.
            let _ = own(self.reader.has_more())?;
        }
        let text = lock(&self.text);
        let game = text.but_last(self.reader.buffer().len());
        let (before, number) = (text.line(0) - 1, self.number + 1);
        let read = if self.replay.is_too_long() {
            let line = text.line(game.len());
            Some(Err(BrokenGame { number, line, place: None, fault: Fault::TooLong }))
        } else {
            GameReader::new(&in_san(game)[..], self.replay.comments).next_game()?.map(|read| match read {
                Ok(game) => Ok(PgnGame { number, ..game }),
                Err(broken) => Err(BrokenGame { number, line: before + broken.line, ..broken }),
            })
        };
        self.number += u64::from(read.is_some());
        Ok(read)
    }
}
