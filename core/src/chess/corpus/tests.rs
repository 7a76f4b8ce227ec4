use super::*;
use crate::chess::annotations::MATE;
use crate::chess::pgn::GameReader;

const GAMES: &str = r#"
[White "Ada"]
[Black "?"]
[Result "1-0"]
[WhiteElo "1512"]
[TimeControl "180+2"]

1. e4 { [%eval 0.3] } e5 { [%eval 0.25,14] } 2. Qh5 Nc6 { [%eval #2] } 3. Bc4 Nf6 { [%eval #1] } 4. Qxf7# 1-0

[White "Nobody"]
[Result "*"]

1. d4 *

[White "Bo"]
[Black "Ada"]
[Result "1/2-1/2"]
[FEN "4k3/8/8/8/8/8/4P3/4K2R b K - 0 40"]

1... Kd7 2. O-O Ke6 1/2-1/2
"#;

fn corpus() -> (Corpus, usize) {
    let mut corpus = Corpus::default();
    corpus.keep_evals();
    let mut reader = GameReader::new(GAMES.as_bytes(), true);
    let mut refused = 0;
    while let Some(game) = reader.next_game().expect("no source fails here") {
        refused += usize::from(!corpus.push_pgn(&game.expect("the games are good")));
    }
    (corpus, refused)
}

#[test]
fn games_without_a_result_stay_out() {
    let (corpus, refused) = corpus();
    assert_eq!((corpus.games(), refused, corpus.offsets()), (2, 1, &[0, 7, 10][..]));
    assert_eq!(corpus.facts()[0], Facts { result: 1, players: [1, 0], ratings: [1512, 0], clock: [180, 2] });
    assert_eq!(corpus.facts()[1].players, [2, 1]);
    assert_eq!(corpus.names().iter().map(|name| &**name).collect::<Vec<_>>(), ["", "Ada", "Bo"]);
    assert_eq!(corpus.white().collect::<Vec<_>>()[5..], [false, true, false, true, false]);
}

#[test]
fn rows_give_their_positions_and_the_places_of_moves() {
    let (corpus, _) = corpus();
    let rows = [8, 0, 3];
    let positions = corpus.positions(&rows);
    assert_eq!(positions[0].fen(), "8/3k4/8/8/8/8/4P3/4K2R w K - 1 41");
    assert_eq!(positions[2].moves().len(), 3);
    let keys: Vec<_> = positions.iter().map(Game::key).collect();
    assert_eq!(corpus.keys(&rows), keys);
    let moves = ["e1g1", "e2e4", "g1f3", "b8c6"].map(|text| text.parse().expect("UCI"));
    let encoding = Encoding::all().next().expect("there are some");
    let found = corpus.policy_indices(&rows, &[0, 1, 3, 4], &moves, encoding).expect("all are legal");
    for (i, name) in [(0, 0), (1, 1), (1, 2), (2, 3)] {
        let mv = positions[i].parse_move(&moves[name].to_string()).expect("legal");
        assert_eq!(found[name], policy_index(encoding, positions[i].position(), mv));
    }
    let (at, error) = corpus.policy_indices(&rows, &[0, 0, 0, 4], &moves, encoding).expect_err("illegal");
    assert_eq!((at, error.0.contains("e1g1")), (2, true));
}

#[test]
fn rows_may_come_in_any_order() {
    let (corpus, _) = corpus();
    let replayed = |row| {
        let (number, ply) = corpus.place(row);
        let mut game = corpus.start(number);
        corpus.moves(number)[..ply].iter().for_each(|&mv| game.play(mv));
        game
    };
    for rows in [[0, 1, 2, 3, 6, 7, 8, 9], [9, 8, 6, 2, 0, 0, 9, 9], [3, 3, 8, 3, 1, 7, 9, 5]] {
        for (game, row) in corpus.positions(&rows).iter().zip(rows) {
            let expected = replayed(row);
            assert_eq!((game.start_fen(), game.moves()), (expected.start_fen(), expected.moves()));
            assert_eq!((game.fen(), game.key()), (expected.fen(), expected.key()));
        }
    }
}

#[test]
fn an_evaluation_belongs_to_the_position_after_its_move() {
    let (corpus, _) = corpus();
    let expected = [NO_EVAL, 30, 25, NO_EVAL, MATE - 2, NO_EVAL, MATE - 1, NO_EVAL, NO_EVAL, NO_EVAL];
    assert_eq!(corpus.evals(), Some(&expected[..]));
    assert_eq!(centipawns("[%clk 0:01:00] [%eval -1.5]"), Some(-150));
    assert_eq!(centipawns("[%eval #-3]"), Some(3 - MATE));
    assert_eq!(centipawns("[%eval nan]"), None);
}

#[test]
fn encoded_rows_are_what_the_games_show() {
    let (corpus, _) = corpus();
    for encoding in Encoding::all() {
        let planes = encoding.planes();
        let rows: Vec<_> = (0..corpus.rows()).rev().collect();
        for threads in [1, 3, 20] {
            let (mut masks, mut values) = (vec![7; rows.len() * planes], vec![7.0; rows.len() * planes]);
            let mut policy = vec![7; rows.len()];
            let out = Samples { masks: &mut masks, values: &mut values, policy: &mut policy };
            corpus.encode(&rows, encoding, threads, out);
            for (place, &row) in rows.iter().enumerate() {
                let (number, ply) = corpus.place(row);
                let mut game = corpus.start(number);
                corpus.moves(number)[..ply].iter().for_each(|&mv| game.play(mv));
                let (mut expected, mut factors) = (vec![0; planes], vec![0.0; planes]);
                game.view().pack(encoding, &mut expected, &mut factors);
                assert_eq!(masks[place * planes..][..planes], expected);
                assert_eq!(values[place * planes..][..planes], factors);
                let index = policy_index(encoding, game.position(), corpus.moves(number)[ply]);
                assert_eq!(policy[place], i64::from(index));
            }
        }
    }
}

#[test]
fn move_phases_follow_the_move_counter_of_the_start() {
    let (corpus, _) = corpus();
    assert_eq!(corpus.move_phases(2), [0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);
}

#[test]
fn a_game_of_chess960_remains_one_without_a_fen() {
    let pgn = "[Variant \"Chess960\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O 1-0";
    let game = GameReader::new(pgn.as_bytes(), false).next_game();
    let game = game.expect("no source fails here").expect("a game").expect("it is good");
    let mut corpus = Corpus::default();
    assert!(corpus.push_pgn(&game) && corpus.start(0).mode().is_chess960());
    let castled = &corpus.positions(&[6])[0];
    assert_eq!(castled.move_name(corpus.moves(0)[6]), "e1h1");
}

#[test]
fn a_start_that_only_looks_standard_is_kept() {
    let standard = ChessGame::default();
    let late = ChessGame::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 3 30", false);
    let chess960 = ChessGame::from_fen(&standard.start_fen(), true);
    let mut corpus = Corpus::default();
    for start in [standard, late.expect("a FEN"), chess960.expect("a FEN")] {
        let mv = start.parse_move("e4").expect("legal");
        corpus.push(start, &[mv], Facts::default(), None);
    }
    assert_eq!(corpus.move_phases(2), [0, 1, 0]);
    assert!([0, 1, 2].map(|game| corpus.start(game).mode().is_chess960()) == [false, false, true]);
    assert_eq!(corpus.start(1).position().halfmoves(), 3);
}
