use std::collections::HashSet;

use proptest::prelude::*;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, zobrist::Zobrist64};

use super::packed_move::squares;
use super::{ChessGame, Encoding, pack, unpack};
use crate::game::{Game, Move, Terminal, View, perft};

/// Positions from which castling, en passant (also pinned), promotions, bare kings and high clocks are near.
const STARTS: [&str; 9] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 10",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "k7/4p3/8/3P1P2/2p1p1p1/8/1P1P1P2/K7 w - - 90 80",
    "3k4/8/8/8/3p4/8/4P3/3RK3 w - - 3 40",
    "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 30",
    "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 30",
    "8/5k2/8/8/8/2K5/8/6R1 w - - 140 100",
];

/// The start position with a Chess960 number, by Scharnagl's rule.
fn chess960_start(number: usize) -> String {
    let mut rank = [None; 8];
    rank[number % 4 * 2 + 1] = Some('b');
    rank[number / 4 % 4 * 2] = Some('b');
    let mut place = |nth: usize, piece: char| {
        let square = (0..8).filter(|&i| rank[i].is_none()).nth(nth).expect("an empty square");
        rank[square] = Some(piece);
    };
    place(number / 16 % 6, 'q');
    let (first, second) =
        [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)][number / 96];
    place(first, 'n');
    place(second - 1, 'n');
    ['r', 'k', 'r'].into_iter().for_each(|piece| place(0, piece));
    let black: String = rank.iter().flatten().collect();
    format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{} w KQkq - 0 1", black.to_uppercase())
}

fn start() -> impl Strategy<Value = ChessGame> {
    let fen = prop_oneof![
        (0..STARTS.len()).prop_map(|i| STARTS[i].to_owned()),
        (0..960_usize).prop_map(chess960_start)
    ];
    fen.prop_map(|fen| ChessGame::from_fen(&fen, true).expect("a valid start"))
}

fn legal(game: &ChessGame) -> Vec<Move> {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    moves
}

/// The move that a number picks: every other one takes the player's last move back where it can, so that positions
/// repeat; one in eight is of the rare kinds.
fn choose(game: &ChessGame, moves: &[Move], number: u16) -> Move {
    let rare = |mv: &&Move| {
        let mv = unpack(game.position().board(), **mv);
        mv.is_castle() || mv.is_en_passant() || mv.is_promotion()
    };
    let back = game.moves().iter().rev().nth(1).and_then(|&last| {
        let (from, to, _) = squares(last);
        moves.iter().find(|&&mv| squares(mv) == (to, from, None))
    });
    let preferred = match number % 8 {
        0 => moves.iter().find(rare),
        1 | 3 | 5 | 7 => back,
        _ => None,
    };
    *preferred.unwrap_or(&moves[usize::from(number / 8) % moves.len()])
}

fn play(game: &mut ChessGame, numbers: &[u16]) {
    for &number in numbers {
        let moves = legal(game);
        if moves.is_empty() {
            break;
        }
        game.play(choose(game, &moves, number));
    }
}

fn games(plies: usize) -> impl Strategy<Value = ChessGame> {
    (start(), prop::collection::vec(any::<u16>(), 0..plies)).prop_map(|(mut game, numbers)| {
        play(&mut game, &numbers);
        game
    })
}

fn from_fen(fen: &str) -> ChessGame {
    ChessGame::from_fen(fen, true).expect("a valid position")
}

fn played(mut game: ChessGame, moves: &str) -> ChessGame {
    for text in moves.split_whitespace() {
        let mv = game.parse_move(text).expect("a legal move");
        game.play(mv);
    }
    game
}

/// The properties that must agree when two games are in the same state.
fn state(game: &ChessGame) -> (String, u64, u8, Vec<Move>, Vec<Move>) {
    (game.fen(), game.key(), game.repetitions(), game.moves().to_vec(), legal(game))
}

#[test]
fn playing_and_undoing_visits_as_many_positions_as_published() {
    let known: [(usize, &[u64]); 4] =
        [(0, &[20, 400, 8902]), (1, &[48, 2039]), (2, &[14, 191, 2812]), (3, &[6, 264, 9467])];
    for (start, counts) in known {
        let mut game = from_fen(STARTS[start]);
        for (depth, &count) in (1..).zip(counts) {
            assert_eq!(perft(&mut game, depth), count, "{} to depth {depth}", STARTS[start]);
        }
        assert_eq!(state(&game), state(&from_fen(STARTS[start])));
    }
}

#[test]
fn chess960_number_518_is_the_standard_start() {
    assert_eq!(chess960_start(518), STARTS[0]);
    assert_eq!((0..960).map(chess960_start).collect::<HashSet<_>>().len(), 960);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn legal_moves_survive_packing(game in games(50)) {
        let position = game.position();
        let moves: Vec<_> = position.legal_moves().into_iter().collect();
        for &mv in &moves {
            prop_assert_eq!(unpack(position.board(), pack(mv)), mv);
        }
        let packed: HashSet<Move> = moves.iter().map(|&mv| pack(mv)).collect();
        prop_assert_eq!(packed.len(), moves.len());
    }

    #[test]
    fn legal_moves_have_names_that_are_read_back(game in games(50)) {
        for mv in legal(&game) {
            prop_assert_eq!(game.parse_move(&game.move_name(mv)), Ok(mv));
            prop_assert_eq!(game.parse_move(&game.san(mv)), Ok(mv));
            prop_assert_eq!(game.view().move_name(mv), game.move_name(mv));
        }
    }

    #[test]
    fn undoing_leads_to_the_same_state_as_replaying(
        first in start(),
        numbers in prop::collection::vec(any::<u16>(), 0..50),
        back in any::<prop::sample::Index>(),
        other in prop::collection::vec(any::<u16>(), 0..20),
    ) {
        let mut game = first.clone();
        play(&mut game, &numbers);
        let kept = back.index(game.moves().len() + 1);
        let moves = game.moves()[..kept].to_vec();
        game.undo(game.moves().len() - kept);
        play(&mut game, &other);

        let mut replayed = first.clone();
        moves.into_iter().for_each(|mv| replayed.play(mv));
        play(&mut replayed, &other);
        prop_assert_eq!(state(&game), state(&replayed));
    }

    #[test]
    fn a_start_position_and_its_moves_rebuild_the_game(game in games(40)) {
        let names = (0..game.moves().len()).map(|i| game.played_name(i)).collect::<Vec<_>>().join(" ");
        let rebuilt = played(from_fen(&game.start_fen()), &names);
        prop_assert_eq!(state(&rebuilt), state(&game));
    }

    #[test]
    fn hashes_grow_with_the_game_as_if_taken_afresh(game in games(60)) {
        for (ply, entry) in game.entries().iter().enumerate() {
            let mode = if ply == 0 { EnPassantMode::Always } else { EnPassantMode::PseudoLegal };
            let Zobrist64(fresh) = entry.position.zobrist_hash(mode);
            prop_assert_eq!(entry.key, fresh, "after {} plies", ply);
        }
    }

    #[test]
    fn repetitions_are_what_a_scan_of_all_positions_finds(game in games(80)) {
        let seen = |ply: usize| {
            let position = &game.entries()[ply].position;
            let mode = if ply == 0 { EnPassantMode::Always } else { EnPassantMode::PseudoLegal };
            let rights = position.castles().castling_rights();
            (position.board().clone(), position.turn(), rights, position.ep_square(mode))
        };
        let states: Vec<_> = (0..game.entries().len()).map(seen).collect();
        for (ply, state) in states.iter().enumerate() {
            let earlier: Vec<usize> = (0..ply).filter(|&i| states[i] == *state).collect();
            prop_assert_eq!(usize::from(game.entries()[ply].repetitions), earlier.len());
            let mut then = game.clone();
            then.undo(states.len() - 1 - ply);
            // A clock of 100 or bare kings end the game sooner.
            let legal = legal(&then);
            if earlier.len() == 1 && then.terminal(&legal, 500, false).is_none() {
                let cycle = ply - earlier[0];
                let draw = Some(Terminal { result: 0, cycle: cycle as u16 });
                prop_assert_eq!(then.terminal(&legal, cycle as u32, true), draw);
                prop_assert_eq!(then.terminal(&legal, cycle as u32 - 1, true), None);
            }
        }
    }

    #[test]
    fn legal_moves_have_distinct_policy_indices(game in games(50)) {
        let moves = legal(&game);
        for encoding in Encoding::all() {
            let index = |&mv: &Move| usize::from(game.view().policy_index(encoding, mv));
            let indices: HashSet<usize> = moves.iter().map(index).collect();
            prop_assert_eq!(indices.len(), moves.len());
            prop_assert!(indices.iter().all(|&index| index < encoding.policy_size()));
        }
    }

    #[test]
    fn planes_are_the_packed_bits_times_their_values(game in games(30)) {
        for encoding in Encoding::all() {
            let (mut masks, mut values) = (vec![1; encoding.planes()], vec![2.0; encoding.planes()]);
            game.view().pack(encoding, &mut masks, &mut values);
            let mut planes = vec![3.0; encoding.planes() * 64];
            game.view().planes(encoding, &mut planes);
            for (i, &x) in planes.iter().enumerate() {
                let bit = masks[i / 64] >> (i % 64) & 1;
                prop_assert_eq!(x, bit as f32 * values[i / 64]);
            }
        }
    }

    #[test]
    fn any_text_is_a_position_or_an_error(text in ".*") {
        if let Ok(game) = ChessGame::from_fen(&text, true) {
            let _ = state(&game);
        }
        prop_assert!(ChessGame::default().parse_move(&text).is_err());
    }

    #[test]
    fn a_damaged_fen_is_a_position_that_can_be_played_or_an_error(
        which in 0..STARTS.len(),
        at in any::<prop::sample::Index>(),
        letter in prop::sample::select("kqrbnpKQRBNP12345678/ -wbah[]~+_".chars().collect::<Vec<_>>()),
        numbers in prop::collection::vec(any::<u16>(), 0..8),
    ) {
        let mut fen: Vec<char> = STARTS[which].chars().collect();
        let at = at.index(fen.len());
        fen[at] = letter;
        let fen: String = fen.into_iter().collect();
        if let Ok(mut game) = ChessGame::from_fen(&fen, true) {
            play(&mut game, &numbers);
            for encoding in Encoding::all() {
                game.view().planes(encoding, &mut vec![0.0; encoding.planes() * 64]);
            }
            let _ = (state(&game), game.outcome(true));
        }
    }
}

#[test]
fn the_rook_that_may_castle_is_part_of_the_key() {
    let outer = from_fen("4k3/8/8/8/8/8/8/4K1RR w H - 0 1");
    let inner = from_fen("4k3/8/8/8/8/8/8/4K1RR w G - 0 1");
    assert_ne!(legal(&outer), legal(&inner));
    assert_ne!(outer.key(), inner.key());
}

#[test]
fn a_given_en_passant_square_stays_with_the_start() {
    let fen = "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 30";
    assert_eq!(from_fen(fen).start_fen(), fen);
    assert_eq!(from_fen(fen).fen(), fen.replace("e3", "-"));
    assert_ne!(from_fen(fen).key(), from_fen(&fen.replace("e3", "-")).key());
}

#[test]
fn an_en_passant_square_counts_when_a_pinned_pawn_attacks_it() {
    let pinned = played(from_fen("3k4/8/8/8/3p4/8/4P3/3RK3 w - - 3 40"), "e2e4");
    assert_eq!(pinned.position().legal_ep_square(), None);
    let once = played(pinned, "d8e8 e1f1 e8d8 f1e1");
    assert_eq!(once.repetitions(), 0);
    let twice = played(once, "d8e8 e1f1 e8d8 f1e1");
    assert_eq!(twice.repetitions(), 1);
    assert_eq!(twice.outcome(true).map(|outcome| outcome.reason.name()), Some("threefold_repetition"));
}

#[test]
fn searches_stop_where_lc0_sees_too_little_material() {
    let dead = ["k7/8/K7/8/8/8/8/8", "k7/8/K7/8/8/8/8/5B2", "k7/8/K7/8/8/8/8/5n2", "kb1b4/8/K7/8/8/8/8/B1B5"];
    let alive =
        ["k7/8/K7/8/8/8/8/4NN2", "k7/8/K7/8/8/8/8/5Bb1", "k7/8/K7/8/8/8/8/5Bn1", "k7/8/K7/8/8/8/P7/8"];
    for (boards, draw) in [(dead, true), (alive, false)] {
        for board in boards {
            let game = from_fen(&format!("{board} w - - 0 1"));
            assert_eq!(game.terminal(&legal(&game), 1, true).is_some(), draw, "{board}");
        }
    }
}

#[test]
fn the_player_who_mates_has_won() {
    let mate = played(ChessGame::default(), "f3 e5 g4 Qh4#");
    assert_eq!(mate.terminal(&[], 1, true), Some(Terminal { result: 1, cycle: 0 }));
    let stalemate = from_fen("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1");
    assert_eq!(legal(&stalemate), []);
    assert_eq!(stalemate.terminal(&[], 1, true), Some(Terminal { result: 0, cycle: 0 }));
}

#[test]
fn marks_behind_a_move_are_left_aside() {
    let game = ChessGame::default();
    let move_ = game.parse_move("e2e4").expect("legal");
    for text in ["e4!", "e4!?", "e2e4??"] {
        assert_eq!(game.parse_move(text), Ok(move_));
    }
    for text in ["!", "??", "!e4", "e4!x"] {
        assert!(game.parse_move(text).is_err());
    }
}

#[test]
fn a_piece_may_be_typed_with_a_small_letter() {
    let start = ChessGame::default();
    assert_eq!(start.parse_move("nf3"), start.parse_move("Nf3"));
    assert_eq!(start.parse_move("ng1-f3!"), start.parse_move("g1f3"));
    for text in ["ne5", "bc4", "pe4", "n", "o", "o-o"] {
        assert!(start.parse_move(text).is_err(), "{text}");
    }
    let game = from_fen("r3k2r/8/8/8/1p6/2B5/8/R3K2R w KQkq - 0 1");
    for (typed, meant) in [("o-o", "O-O"), ("o-o-o", "O-O-O"), ("rxa8+", "Rxa8"), ("kd2", "Kd2")] {
        assert_eq!(game.parse_move(typed), game.parse_move(meant), "{typed}");
    }
    assert!(game.parse_move("bxb4").is_err(), "no pawn captures there, and a small b is a file");
}

#[test]
fn standard_castling_is_written_as_a_king_move_and_read_either_way() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let game = ChessGame::from_fen(fen, false).expect("a valid position");
    assert_eq!(game.mode(), CastlingMode::Standard);
    let castling = game.parse_move("O-O").expect("castling is legal");
    assert_eq!(game.move_name(castling), "e1g1");
    assert_eq!(from_fen(fen).move_name(castling), "e1h1");
    assert_eq!([game.parse_move("e1g1"), game.parse_move("e1h1")], [Ok(castling), Ok(castling)]);
    assert_eq!(Chess::default().castles().mode(), CastlingMode::Standard);
}
