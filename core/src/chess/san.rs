//! Moves as people and programs write them: standard algebraic notation (SAN), and what departs from it.
//!
//! The PGN standard leaves it to each reader what else its import format takes (section 8.2.3.7). Taken is what
//! python-chess takes: squares alone (`g1f3`), a hyphen (`Ng1-f3`), a promotion without its sign (`bxa8Q`), a capture
//! without its `x` or an `x` without a capture, castling with zeros; also `++`, `mate`, `ep` and `e.p.` behind a move.
//! Outside PGN, where people type moves, small letters for castling and for pieces but bishops are taken too (`nf3`).

use shakmaty::{
    Chess, Move, Role, Square,
    san::{San, SanError, SanPlus},
    uci::UciMove,
};

/// What may stand behind a move without being a part of it. Where a dot ends a word, `e.p.` leaves an `e` behind.
const MARKS: &[&[u8]] = &[b"+", b"#", b"mate", b"ep", b"e.p.", b"e"];

/// A move in SAN or in a notation that departs from it as the head of this file says.
pub fn read_san(text: &[u8]) -> Option<SanPlus> {
    SanPlus::from_ascii(text).ok().or_else(|| SanPlus::from_ascii(&canonical(text)).ok())
}

/// A move as people type it: with a small letter for the piece, or for castling. A small `b` remains the file.
pub fn read_typed(text: &[u8]) -> Option<SanPlus> {
    let length = match text {
        [b'n' | b'r' | b'q' | b'k', ..] => 1,
        [b'o', ..] => text.len(),
        _ => return None,
    };
    let mut large = text.to_vec();
    large[..length].make_ascii_uppercase();
    read_san(&large)
}

/// The legal move that the text means.
pub fn find_move(san: San, position: &Chess) -> Result<Move, SanError> {
    san.to_move(position).or_else(|error| match san {
        _ if error == SanError::AmbiguousSan => Err(error),
        San::Normal { role: Role::Pawn, file: Some(file), rank: Some(rank), to, promotion, .. } => {
            UciMove::Normal { from: Square::from_coords(file, rank), to, promotion }
                .to_move(position)
                .map_err(|_| error)
        }
        // A pawn that captures needs its file: `e4` is never a capture.
        San::Normal { role: Role::Pawn, file: None, capture: false, .. } => Err(error),
        San::Normal { role, file, rank, capture, to, promotion } => {
            San::Normal { role, file, rank, capture: !capture, to, promotion }.to_move(position)
        }
        _ => Err(error),
    })
}

/// The text with what SAN has not left out, and with the sign of a promotion put in.
fn canonical(text: &[u8]) -> Vec<u8> {
    let mut bare = text;
    while let Some(rest) = MARKS.iter().find_map(|mark| bare.strip_suffix(*mark)) {
        bare = rest;
    }
    match bare {
        b"0-0" => return b"O-O".to_vec(),
        b"0-0-0" => return b"O-O-O".to_vec(),
        _ => {}
    }
    let mut san = bare.to_vec();
    if let Some(hyphen) = san.iter().position(|&byte| byte == b'-')
        && let [b'a'..=b'h', b'1'..=b'8', ..] = san[hyphen + 1..]
    {
        san.remove(hyphen);
    }
    if let [.., b'1'..=b'8', role] = *san
        && b"nbrqNBRQ".contains(&role)
    {
        san.insert(san.len() - 1, b'=');
    }
    san
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::ChessGame;

    fn uci(fen: &str, text: &str) -> Option<String> {
        let game = ChessGame::from_fen(fen, false).expect("a sound position");
        let found = find_move(read_san(text.as_bytes())?.san, game.position()).ok()?;
        Some(found.to_uci(shakmaty::CastlingMode::Standard).to_string())
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const CASTLING: &str = "r3k2r/1P6/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1";

    #[test]
    fn what_departs_from_san_is_read() {
        for (fen, move_in_uci, texts) in [
            (START, "e2e4", "e4 e2e4 e2-e4 e-e4 Pe4 Pe2-e4 e4+ e4++ e4# e4mate e4+mate"),
            (START, "g1f3", "Nf3 Ng1f3 Ng1-f3 N-f3 Ng-f3 N1-f3 g1f3 g1-f3 Nxf3 Ng1xf3"),
            (CASTLING, "e1g1", "O-O 0-0 O-O+ 0-0++ O-Omate e1g1 e1-g1"),
            (CASTLING, "e1c1", "O-O-O 0-0-0 0-0-0# e1c1 e1-c1"),
            (CASTLING, "e5d6", "exd6 ed6 e5xd6 e5-d6 e5d6 exd6ep exd6e.p. exd6ep+ exd6e"),
            (CASTLING, "b7a8q", "bxa8=Q bxa8Q bxa8q ba8Q b7-a8Q b7xa8=q b7a8q bxa8Q++"),
            (CASTLING, "b7b8n", "b8=N b8N b7-b8N b7b8n b8=n b7-b8=N b-b8=N"),
        ] {
            for text in texts.split(' ') {
                assert_eq!(uci(fen, text).as_deref(), Some(move_in_uci), "{text}");
            }
        }
    }

    #[test]
    fn what_is_no_move_is_refused() {
        let texts = "e5 e2--e4 e2-e-4 -- e 4 Ng1-f Ng1-g3 Nq6 e8(Q) e8Q b8 b8= b8K b8QQ O-O O-O-O-O 0-0- mate ep + Nf3!";
        for text in texts.split(' ') {
            assert_eq!(uci(START, text), None, "{text}");
        }
        assert_eq!(uci(CASTLING, "b8"), None);
        assert_eq!(uci(CASTLING, "d6"), None, "a capture by a pawn without its file");
    }
}
