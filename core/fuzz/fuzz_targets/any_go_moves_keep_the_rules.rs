//! Moves as SGF and GTP name them: the first bytes choose the board and the rules, the rest are vertices.

#![no_main]

use _core::game::{Game, View};
use _core::go::{Board, Colour, GoEncoding, GoGame, Rules};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [size, rules, komi, text @ ..] = data else { return };
    let rules = Rules { twice_komi: i32::from(*komi) - 128, suicide: rules % 2 == 1 };
    let first = if rules.twice_komi % 3 == 0 { Colour::White } else { Colour::Black };
    let start = GoGame::start(1 + usize::from(size % 19), rules, Board::default(), first);
    let mut game = start.expect("an empty board has no dead stones");
    let mut before = vec![(*game.board(), game.key())];
    for word in String::from_utf8_lossy(text).split_whitespace() {
        let Some(mv) = game.parse_move(word) else { continue };
        assert!(game.move_name(mv).eq_ignore_ascii_case(word));
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        assert_eq!(legal.contains(&mv), game.is_legal(mv));
        if game.is_legal(mv) {
            game.play(mv);
            before.push((*game.board(), game.key()));
        }
    }
    assert!(game.area().unsigned_abs() as usize <= game.size() * game.size());
    let mut planes = vec![0.0; game.view().plane_shape(GoEncoding).iter().product()];
    game.view().planes(GoEncoding, &mut planes);
    assert!(planes.iter().all(|value| value.is_finite()));
    for expected in before.iter().rev().skip(1) {
        game.undo(1);
        assert_eq!(&(*game.board(), game.key()), expected);
    }
});
