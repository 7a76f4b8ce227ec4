//! A PGN file by a stranger, read with its comments: what comes out as a game can be replayed, and be filed as data for
//! training.

#![no_main]

use _core::chess::ChessGame;
use _core::chess::corpus::Corpus;
use _core::chess::pgn::GameReader;
use _core::game::Game;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut reader = GameReader::new(data, true);
    let mut corpus = Corpus::default();
    corpus.keep_evals();
    let (mut number, mut rows) = (0, 0);
    while let Some(read) = reader.next_game().expect("the source does not fail") {
        number += 1;
        let game = match read {
            Ok(game) => game,
            Err(broken) => {
                assert_eq!(broken.number, number);
                assert!(!broken.to_string().is_empty());
                continue;
            }
        };
        assert_eq!(game.number, number);
        let start = ChessGame::start(game.start_fen.as_deref(), game.mode.is_chess960());
        let mut replayed = start.expect("the reader took it");
        for (&mv, name) in game.moves.iter().zip(game.uci_moves()) {
            assert_eq!(replayed.parse_move(&name.to_string()), Ok(mv));
            replayed.play(mv);
        }
        assert_eq!(game.comments.as_ref().map(Vec::len), Some(game.moves.len()));
        rows += if corpus.push_pgn(&game) { game.moves.len() } else { 0 };
    }
    assert_eq!(corpus.rows(), rows);
    assert_eq!(corpus.evals().map(<[i16]>::len), Some(rows));
});
