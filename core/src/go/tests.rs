use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::board::{Board, Colour, Grid, Points};
use super::encode::{GoEncoding, PLANES};
use super::game::{Illegal, Rules};
use super::{GoGame, material};
use crate::game::{Game, Move, Terminal, View, perft};

fn grid(width: usize, height: usize) -> &'static Grid {
    Box::leak(Box::new(Grid::new(width, height)))
}

fn on(grid: &'static Grid, suicide: bool) -> GoGame {
    GoGame::on(grid, Rules { twice_komi: 0, suicide }, Board::default(), Colour::Black)
}

fn empty(grid: &'static Grid) -> GoGame {
    on(grid, false)
}

/// A board with these stones, Black to move.
fn set_up(size: usize, suicide: bool, black: &str, white: &str) -> Option<GoGame> {
    let vertices = GoGame::new(size, 0);
    let points = |names: &str| {
        names.split_whitespace().fold(Points::EMPTY, |points, name| {
            points.with(vertices.parse_move(name).expect("a vertex").0.into())
        })
    };
    let board = Board { black: points(black), white: points(white) };
    GoGame::start(size, Rules { twice_komi: 0, suicide }, board, Colour::Black)
}

fn played(mut game: GoGame, moves: &str) -> GoGame {
    for name in moves.split_whitespace() {
        let mv = game.parse_move(name).expect("a vertex");
        assert_eq!(game.check(mv), Ok(()), "{name} after {:?}", game.moves());
        game.play(mv);
    }
    game
}

fn legal(game: &GoGame) -> Vec<Move> {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    moves
}

fn refused(game: &GoGame, name: &str) -> Option<Illegal> {
    game.check(game.parse_move(name).expect("a vertex")).err()
}

#[test]
fn move_sequences_have_their_known_numbers() {
    let known: [(usize, usize, &[u64]); 5] = [
        (2, 2, &[5, 21, 68, 156, 316, 604, 1088, 2184]),
        (2, 3, &[7, 43, 222, 934, 3242, 8666]),
        (3, 3, &[10, 91, 738, 5281, 33384]),
        (5, 5, &[26, 651, 15650, 361_041]),
        (7, 7, &[50, 2451, 117_698, 5_536_281]),
    ];
    for (width, height, counts) in known {
        for (depth, &count) in (1..).zip(counts) {
            let mut game = empty(grid(width, height));
            assert_eq!(perft(&mut game, depth), count, "{width}×{height}, {depth} plies");
        }
    }
}

/// The numbers come from a plain implementation of the rules, which finds the known numbers above when suicide is
/// forbidden.
#[test]
fn move_sequences_with_suicide_are_as_many_as_plain_rules_find() {
    let known: [(usize, usize, &[u64]); 4] = [
        (3, 1, &[4, 11, 22, 41, 58, 78, 98, 110]),
        (2, 2, &[5, 21, 68, 156, 316, 604, 1088, 2184, 4184]),
        (3, 2, &[7, 43, 222, 942, 3378, 9834, 26504]),
        (3, 3, &[10, 91, 738, 5281, 33384, 180_768]),
    ];
    for (width, height, counts) in known {
        for (depth, &count) in (1..).zip(counts) {
            let mut game = on(grid(width, height), true);
            assert_eq!(perft(&mut game, depth), count, "{width}×{height}, {depth} plies");
        }
    }
}

/// Games in which either side may move at any time are simple paths through the legal boards.
#[test]
fn games_with_free_passes_have_their_known_numbers() {
    fn games(game: &GoGame) -> u64 {
        let passed = played(game.clone(), "pass");
        let mut count = 1;
        for from in [game, &passed] {
            for mv in legal(from).into_iter().filter(|&mv| mv != from.pass()) {
                let mut next = from.clone();
                next.play(mv);
                count += games(&next);
            }
        }
        count
    }
    for (width, count) in [(1, 1), (2, 9), (3, 907)] {
        assert_eq!(games(&on(grid(width, 1), true)), count, "{width}×1");
    }
}

#[test]
fn a_board_and_its_transpose_have_equally_many_sequences() {
    for (width, height) in [(1, 5), (2, 3), (3, 4)] {
        let count = |width, height| perft(&mut empty(grid(width, height)), 4);
        assert_eq!(count(width, height), count(height, width));
    }
}

#[test]
fn legal_positions_have_their_known_numbers() {
    let known = [
        (1, 1, 1),
        (2, 2, 57),
        (3, 3, 12_675),
        (1, 2, 5),
        (1, 3, 15),
        (1, 4, 41),
        (2, 3, 489),
        (3, 4, 321_689),
    ];
    for (width, height, count) in known {
        let grid = grid(width, height);
        let legal = (0..3_usize.pow((width * height) as u32)).filter(|&code| {
            let mut board = Board::default();
            let mut rest = code;
            for point in 0..grid.area() {
                match rest % 3 {
                    1 => board.black = board.black.with(point),
                    2 => board.white = board.white.with(point),
                    _ => {}
                }
                rest /= 3;
            }
            !board.has_dead(grid, Colour::Black) && !board.has_dead(grid, Colour::White)
        });
        assert_eq!(legal.count(), count, "{width}×{height}");
    }
}

#[test]
fn positions_with_one_key_look_alike_and_have_the_same_moves() {
    type Shown = (Vec<Move>, bool, Vec<f32>);
    fn shown(game: &GoGame) -> Shown {
        let mut planes = vec![0.0; game.view().plane_shape(GoEncoding).iter().product()];
        game.view().planes(GoEncoding, &mut planes);
        (legal(game), game.is_over(), planes)
    }
    fn visit(game: &mut GoGame, depth: u32, seen: &mut HashMap<u64, Shown>) {
        let here = shown(game);
        assert_eq!(seen.entry(game.key_without_komi()).or_insert_with(|| here.clone()), &here);
        if depth > 0 {
            for mv in here.0 {
                game.play(mv);
                visit(game, depth - 1, seen);
                game.undo(1);
            }
        }
    }
    for (width, height, depth) in [(2, 1, 12), (2, 2, 9), (3, 2, 5)] {
        let mut seen = HashMap::new();
        for suicide in [false, true] {
            visit(&mut on(grid(width, height), suicide), depth, &mut seen);
        }
        assert!(seen.len() > 10);
    }
}

#[test]
fn no_stone_can_be_played_on_a_single_point() {
    let game = GoGame::new(1, 0);
    assert_eq!(legal(&game), [game.pass()]);
    assert_eq!(refused(&game, "A1"), Some(Illegal::Suicide));
}

#[test]
fn on_two_points_the_second_stone_captures_the_first_and_may_not_be_retaken() {
    let game = played(empty(grid(2, 1)), "A1 B1");
    assert_eq!(*game.board(), Board { black: Points::EMPTY, white: Points::single(1) });
    assert_eq!(refused(&game, "A1"), Some(Illegal::Superko));
    assert_eq!(legal(&game), [game.pass()]);
}

#[test]
fn simple_ko_is_forbidden_until_the_board_has_changed() {
    let ko = played(GoGame::new(5, 0), "B3 C3 A2 D2 B1 C1 C2 B2");
    assert!(!ko.board().black.contains(ko.parse_move("C2").unwrap().0.into()));
    assert_eq!(refused(&ko, "C2"), Some(Illegal::Superko));
    assert!(!legal(&ko).contains(&ko.parse_move("C2").unwrap()));
    let later = played(ko, "E5 E1 C2");
    assert!(!later.board().white.contains(later.parse_move("B2").unwrap().0.into()));
}

#[test]
fn a_move_without_captures_may_repeat_too() {
    // B1 has taken three stones; with B2 put back the board would be that of the second ply.
    let game = played(GoGame::new(2, 0), "B2 B1 A1 pass A2 B1");
    assert_eq!(refused(&game, "B2"), Some(Illegal::Superko));
    let (_, captured) = game.board().place(Grid::square(2), 3, Colour::Black);
    assert!(captured.is_empty());
    assert!(!legal(&game).contains(&game.parse_move("B2").unwrap()));
}

#[test]
fn a_snapback_is_legal() {
    // Black's stone on A1 takes White's on B1; then White takes the whole chain by playing B1 again.
    let game = played(GoGame::new(5, 0), "A2 A3 B2 B3 C2 C3 pass D2 pass D1 C1 B1 A1");
    assert_eq!(game.board().black.count(), 5);
    let after = played(game, "B1");
    assert_eq!(after.board().black.count(), 0);
}

#[test]
fn suicide_of_several_stones_takes_them_away_where_it_is_allowed() {
    let stones = ("A1", "A2 B2 C1");
    let strict = set_up(5, false, stones.0, stones.1).unwrap();
    assert_eq!(refused(&strict, "B1"), Some(Illegal::Suicide));
    assert!(!legal(&strict).contains(&strict.parse_move("B1").unwrap()));
    let loose = set_up(5, true, stones.0, stones.1).unwrap();
    assert!(legal(&loose).contains(&loose.parse_move("B1").unwrap()));
    let mut after = played(loose.clone(), "B1");
    assert_eq!((after.board().black.count(), after.board().white.count()), (0, 3));
    assert_eq!(after.turn(), Colour::White);
    after.undo(1);
    assert_eq!(snapshot(&after), snapshot(&loose));
}

#[test]
fn what_suicide_took_away_may_not_be_put_back_as_it_was() {
    let game = played(set_up(5, true, "A1", "A2 B2 C1").unwrap(), "B1 pass");
    assert_eq!(refused(&game, "A1"), Some(Illegal::Superko));
    assert!(!legal(&game).contains(&game.parse_move("A1").unwrap()));
    let changed = played(game, "E5 pass");
    assert_eq!(refused(&changed, "A1"), None);
}

#[test]
fn suicide_of_a_single_stone_repeats_the_board() {
    let game = set_up(5, true, "", "A2 B1").unwrap();
    assert_eq!(refused(&game, "A1"), Some(Illegal::Superko));
    assert!(!legal(&game).contains(&game.parse_move("A1").unwrap()));
    assert_eq!(refused(&GoGame::new(1, 0), "A1"), Some(Illegal::Suicide));
    assert_eq!(refused(&on(grid(1, 1), true), "A1"), Some(Illegal::Superko));
}

#[test]
fn a_capture_comes_before_suicide() {
    // A stone on A1 has no liberty until it has captured White's stone on B1, whose last liberty it takes.
    let game = set_up(3, true, "B2 C2 C1", "A2 A3 B1").unwrap();
    let after = played(game, "A1");
    assert_eq!((after.board().black.count(), after.board().white.count()), (4, 2));
}

#[test]
fn a_board_with_a_chain_without_liberty_is_no_start() {
    assert!(set_up(3, true, "A1", "A2 B1").is_none());
    assert!(set_up(3, false, "A2 B1", "A1").is_none());
    assert!(set_up(3, false, "A2", "B1").is_some());
}

#[test]
fn two_passes_end_the_game_and_komi_decides_an_empty_board() {
    let one = played(GoGame::new(7, 19), "pass");
    assert_eq!(one.terminal(&legal(&one), 1, true), None);
    let over = played(one, "pass");
    assert!(over.is_over() && legal(&over).is_empty());
    assert_eq!((over.area(), over.twice_margin()), (0, -19));
    // White made the second pass and has won.
    assert_eq!(over.terminal(&[], 1, true), Some(Terminal { result: 1, cycle: 0 }));
    assert_eq!(refused(&over, "A1"), Some(Illegal::GameOver));
}

#[test]
fn the_result_is_seen_by_the_player_who_moved_and_whole_komi_can_draw() {
    for (twice_komi, result) in [(17, -1), (18, 0), (19, 1)] {
        let game = played(GoGame::new(3, twice_komi), "B2 pass pass");
        // Black moved into the end; the whole board of nine points is Black's.
        assert_eq!(game.area(), 9);
        assert_eq!(game.terminal(&[], 1, false), Some(Terminal { result: -result, cycle: 0 }));
    }
}

#[test]
fn area_counts_stones_and_regions_of_one_colour_only() {
    let game = played(GoGame::new(5, 0), "B1 D1 B2 D2 B3 D3 B4 D4 B5 D5");
    assert_eq!(game.area(), 0);
    let game = played(game, "C3");
    assert_eq!(game.area(), 1);
    assert_eq!(played(game, "A3").area(), 1 - 5 - 1);
}

#[test]
fn vertices_skip_the_letter_i_and_ignore_case() {
    let game = GoGame::new(19, 0);
    assert_eq!(game.parse_move("j1"), Some(Move(8)));
    assert_eq!(game.parse_move("T19"), Some(Move(360)));
    assert_eq!(game.parse_move("PaSS"), Some(game.pass()));
    for bad in [
        "",
        "I1",
        "A0",
        "A20",
        "U1",
        "A",
        "1A",
        "A+1",
        "A01",
        "A1 ",
        "Ä1",
        "A９",
        "pas",
        "A99999999999999999999",
    ] {
        assert_eq!(game.parse_move(bad), None, "{bad}");
    }
    for size in 1..=19 {
        let game = GoGame::new(size, 0);
        for mv in (0..game.policy_size() as u16).map(Move) {
            assert_eq!(game.parse_move(&game.move_name(mv)), Some(mv));
        }
    }
}

#[test]
fn planes_show_eight_boards_from_the_view_of_the_side_to_move() {
    let game = played(GoGame::new(3, 0), "A1 C3 B1");
    let mut planes = vec![9.0; PLANES * 9];
    game.view().planes(GoEncoding, &mut planes);
    let set: Vec<(usize, usize)> = (0..PLANES * 9)
        .filter(|&i| planes[i] != 0.0)
        .map(|i| (i / 9, i % 9))
        .filter(|&(plane, _)| plane < 16)
        .collect();
    // White to move: its stone on C3 now and one ply ago, Black's on A1 for three boards and on B1 now.
    assert_eq!(set, [(0, 8), (1, 8), (8, 0), (8, 1), (9, 0), (10, 0)]);
    assert!(planes.iter().all(|&value| value == 0.0 || value == 1.0));
    assert!(planes[16 * 9..17 * 9].iter().all(|&value| value == 0.0));
    assert!(planes[17 * 9..].iter().all(|&value| value == 1.0));
}

#[test]
fn the_built_in_evaluator_prefers_captures_and_spares_its_eyes() {
    // White's stone on B1 is in atari; once it is taken, B1 becomes an eye of Black.
    let game = played(GoGame::new(5, 0), "B2 B1 A1");
    let mut game = played(game, "pass");
    let logit = |game: &GoGame, name: &str| {
        let moves = legal(game);
        let mut logits = vec![f32::NAN; moves.len()];
        material(&game.view(), &moves, &mut logits);
        let mv = game.parse_move(name).unwrap();
        logits[moves.iter().position(|&other| other == mv).unwrap()]
    };
    assert!(logit(&game, "C1") > logit(&game, "D4"));
    assert!(logit(&game, "D4") > logit(&game, "pass"));
    game = played(game, "C1 pass A2 pass");
    assert!(logit(&game, "B1") < logit(&game, "pass"));
}

#[test]
fn the_built_in_value_follows_the_margin_after_komi_for_the_mover() {
    let win = |game: &GoGame| material(&game.view(), &[], &mut []).wdl[0];
    assert_eq!(win(&GoGame::new(7, 0)), 0.5);
    assert!((win(&GoGame::new(7, 18)) - 1.0 / (1.0 + (90.0_f32 / 49.0).exp())).abs() < 1e-6);
    let white = played(GoGame::new(7, 18), "pass");
    assert!((win(&GoGame::new(7, 18)) + win(&white) - 1.0).abs() < 1e-6);
}

fn start(size: usize, rules: Rules) -> GoGame {
    GoGame::start(size, rules, Board::default(), Colour::Black).expect("no stone on it")
}

/// A game of at most `choices.len()` plies on a board, passes rare.
fn random_game(size: usize, suicide: bool, choices: &[u16]) -> GoGame {
    let mut game = start(size, Rules { twice_komi: 9, suicide });
    for &choice in choices {
        let moves = legal(&game);
        let stones = moves.len().saturating_sub(1);
        let Some(&mv) = (if stones > 0 && choice % 23 != 0 {
            moves.get(usize::from(choice / 23) % stones)
        } else {
            moves.last()
        }) else {
            break;
        };
        game.play(mv);
    }
    game
}

fn games(plies: usize) -> impl Strategy<Value = GoGame> {
    let size = prop_oneof![4 => 1_usize..=4, 2 => 5_usize..=9, 1 => Just(19_usize)];
    (size, any::<bool>(), prop::collection::vec(any::<u16>(), 0..plies))
        .prop_map(|(size, suicide, choices)| random_game(size, suicide, &choices))
}

fn snapshot(game: &GoGame) -> (u64, Board, Vec<Move>) {
    (game.key(), *game.board(), legal(game))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn taking_back_equals_replaying(game in games(120), share in 0.0..=1.0_f64) {
        let plies = (game.moves().len() as f64 * share) as usize;
        let mut replayed = start(game.size(), game.rules());
        let mut before = Vec::new();
        for &mv in game.moves() {
            before.push(snapshot(&replayed));
            replayed.play(mv);
        }
        prop_assert_eq!(snapshot(&replayed), snapshot(&game));
        before.push(snapshot(&replayed));
        let mut back = game.clone();
        back.undo(plies);
        let kept = game.moves().len() - plies;
        prop_assert_eq!(&snapshot(&back), &before[kept]);
        for &mv in &game.moves()[kept..] {
            back.play(mv);
        }
        prop_assert_eq!(snapshot(&back), snapshot(&game));
    }

    #[test]
    fn listed_moves_are_exactly_the_legal_ones(game in games(200)) {
        let mut game = game;
        loop {
            let listed = legal(&game);
            let legal: Vec<Move> = (0..=u16::MAX).take(400).map(Move).filter(|&mv| game.is_legal(mv)).collect();
            prop_assert_eq!(listed, legal);
            if game.moves().is_empty() {
                break;
            }
            game.undo(1);
        }
    }

    #[test]
    fn no_board_comes_back_and_no_chain_is_without_liberty(game in games(200)) {
        let mut game = game;
        let mut seen = HashSet::new();
        loop {
            let board = *game.board();
            let passed = game.moves().last() == Some(&game.pass());
            let grid = Grid::square(game.size());
            prop_assert!(!board.has_dead(grid, Colour::Black) && !board.has_dead(grid, Colour::White));
            prop_assert!((board.black & board.white).is_empty());
            prop_assert!(passed || seen.insert(board));
            if game.moves().is_empty() {
                break;
            }
            game.undo(1);
        }
    }

    #[test]
    fn swapping_colours_negates_the_area(game in games(200)) {
        let (board, grid) = (game.board(), Grid::square(game.size()));
        let swapped = Board { black: board.white, white: board.black };
        prop_assert_eq!(swapped.area(grid), -board.area(grid));
        prop_assert!(board.area(grid).unsigned_abs() as usize <= grid.area());
    }
}
