//! Forsyth-Edwards notation: games that start at a FEN, and the FENs of games.

use std::{error::Error, fmt};

use shakmaty::{
    CastlingMode, Chess, EnPassantMode, PositionErrorKinds,
    fen::{Fen, ParseFenError},
};

use super::game::ChessGame;
use crate::quote::quoted;

/// Says which field of a FEN is wrong and what would be right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FenError(pub String);

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for FenError {}

impl ChessGame {
    /// A game from the start position of a FEN, or from the standard one where there is none.
    ///
    /// # Errors
    ///
    /// As [`ChessGame::from_fen`].
    pub fn start(fen: Option<&str>, chess960: bool) -> Result<ChessGame, FenError> {
        match fen {
            None if !chess960 => Ok(ChessGame::default()),
            None => ChessGame::from_fen(&ChessGame::default().fen(), true),
            Some(fen) => ChessGame::from_fen(fen, chess960),
        }
    }

    /// The castling mode that a FEN is to be read in where nobody names one: Chess960 where standard chess has no such
    /// castling rights.
    pub fn castling_mode(fen: &str) -> CastlingMode {
        Fen::from_ascii(fen.trim().as_bytes())
            .map_or(CastlingMode::Standard, |parsed| CastlingMode::detect(parsed.as_setup()))
    }

    /// A game that starts at the position of a FEN. Positions that no game leads to are taken as long as their rules are
    /// clear: with too many pieces, or with a check that no move can give.
    ///
    /// # Errors
    ///
    /// When the text is not a FEN of standard chess or Chess960; the message names the field.
    #[expect(clippy::result_large_err, reason = "shakmaty hands the position back in its error")]
    pub fn from_fen(fen: &str, chess960: bool) -> Result<ChessGame, FenError> {
        let mode = if chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
        let error = |problem: &str| FenError(format!("FEN {}: {problem}", quoted(fen)));
        let parsed = Fen::from_ascii(fen.trim().as_bytes()).map_err(|found| error(parse_problem(&found)))?;
        let setup = parsed.as_setup();
        if setup.pockets.is_some() {
            return Err(error(parse_problem(&ParseFenError::InvalidPocket)));
        }
        if setup.remaining_checks.is_some() {
            return Err(error(parse_problem(&ParseFenError::InvalidRemainingChecks)));
        }
        let position = parsed
            .into_position::<Chess>(mode)
            .or_else(|found| found.ignore_too_much_material())
            .or_else(|found| found.ignore_impossible_check())
            .map_err(|found| error(setup_problem(found.kinds(), chess960)))?;
        Ok(ChessGame::from_position(position, mode))
    }

    /// The FEN of the position, with an en-passant square only where the capture is legal.
    pub fn fen(&self) -> String {
        Fen::from_position(self.position(), EnPassantMode::Legal).to_string()
    }

    /// The FEN of the start position, from which [`ChessGame::moves`] lead to the present one, with an en-passant
    /// square as it was given: planes and repetitions depend on it even where no capture is legal.
    pub fn start_fen(&self) -> String {
        Fen::from_position(&self.entries()[0].position, EnPassantMode::Always).to_string()
    }
}

fn parse_problem(error: &ParseFenError) -> &'static str {
    match error {
        ParseFenError::InvalidFen => {
            "not a FEN; expected board, side, castling, en passant, halfmoves, fullmoves"
        }
        ParseFenError::InvalidBoard | ParseFenError::InvalidPocket => {
            "field 1 (board): expected eight ranks of eight squares"
        }
        ParseFenError::InvalidTurn => "field 2 (side to move): expected w or b",
        ParseFenError::InvalidCastling => "field 3 (castling): expected - or letters such as KQkq",
        ParseFenError::InvalidEpSquare => "field 4 (en passant): expected - or a square",
        ParseFenError::InvalidHalfmoveClock => "field 5 (halfmove clock): expected a number",
        ParseFenError::InvalidFullmoves => "field 6 (move number): expected a number from 1",
        ParseFenError::InvalidRemainingChecks => "has a check count; expected standard chess",
    }
}

fn setup_problem(kinds: PositionErrorKinds, chess960: bool) -> &'static str {
    let castling = if chess960 {
        "field 3 (castling): no king and rook on the squares that it needs"
    } else {
        "field 3 (castling): no king and rook on the squares that it needs; a Chess960 start needs chess960"
    };
    let problems = [
        (PositionErrorKinds::EMPTY_BOARD, "field 1 (board): no pieces"),
        (PositionErrorKinds::MISSING_KING, "field 1 (board): each side needs a king"),
        (PositionErrorKinds::TOO_MANY_KINGS, "field 1 (board): a side has more than one king"),
        (PositionErrorKinds::PAWNS_ON_BACKRANK, "field 1 (board): a pawn on the first or last rank"),
        (PositionErrorKinds::OPPOSITE_CHECK, "field 2 (side to move): the other side's king is in check"),
        (PositionErrorKinds::INVALID_CASTLING_RIGHTS, castling),
        (PositionErrorKinds::INVALID_EP_SQUARE, "field 4 (en passant): no pawn can have passed that square"),
    ];
    problems
        .into_iter()
        .find(|(kind, _)| kinds.contains(*kind))
        .map_or("not a legal position", |(_, text)| text)
}
