//! What follows `position` in a UCI message: `startpos` or a FEN, then moves in UCI or SAN.

#![no_main]

use _core::chess::ChessGame;
use _core::game::Game;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (start, moves) = text.split_once("moves").unwrap_or((&text, ""));
    let mut game = match ChessGame::from_fen(start, start.contains("960")) {
        Ok(game) => game,
        Err(_) => ChessGame::default(),
    };
    let mut before = vec![(game.fen(), game.key())];
    for word in moves.split_whitespace() {
        match game.parse_move(word) {
            Ok(mv) => {
                assert_eq!(game.parse_move(&game.move_name(mv)), Ok(mv));
                game.play(mv);
                before.push((game.fen(), game.key()));
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    let (last, played) = (before.last().cloned(), game.moves().to_vec());
    for expected in before.iter().rev().skip(1) {
        game.undo(1);
        assert_eq!(&(game.fen(), game.key()), expected);
    }
    for mv in played {
        game.play(mv);
    }
    assert_eq!(Some((game.fen(), game.key())), last);
});
