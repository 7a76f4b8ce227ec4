//! A FEN by a stranger: its first byte chooses the castling mode, the rest is the text.

#![no_main]

use _core::chess::{ChessGame, Encoding};
use _core::game::{Game, View};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&mode, text)) = data.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    let chess960 = mode % 2 == 1;
    let mut game = match ChessGame::from_fen(&text, chess960) {
        Ok(game) => game,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert_eq!(ChessGame::from_fen(&game.fen(), chess960).expect("its own FEN is one").fen(), game.fen());
    assert_eq!(
        ChessGame::from_fen(&game.start_fen(), chess960).expect("so is this").start_fen(),
        game.start_fen()
    );
    let (before, key, mut legal) = (game.fen(), game.key(), Vec::new());
    game.legal_moves(&mut legal);
    let view = game.view();
    for encoding in Encoding::all().filter(|encoding| encoding.shows(game.position())) {
        let mut planes = vec![0.0; 64 * encoding.planes()];
        view.planes(encoding, &mut planes);
        assert!(planes.iter().all(|value| value.is_finite()));
        for &mv in &legal {
            assert!(usize::from(view.policy_index(encoding, mv)) < encoding.policy_size());
        }
    }
    for &mv in &legal {
        assert_eq!(game.parse_move(&game.move_name(mv)), Ok(mv));
        assert_eq!(game.parse_move(&game.san(mv)), Ok(mv));
        game.play(mv);
        assert!(game.outcome(true).is_none_or(|outcome| !outcome.reason.name().is_empty()));
        game.undo(1);
    }
    assert_eq!((game.fen(), game.key()), (before, key));
});
