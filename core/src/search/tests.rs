//! Properties that hold at every node of a finished tree, whatever the rules.

use proptest::prelude::*;

use super::*;
use crate::chess::ChessGame;
use crate::game::{Game, MOVE_CLASSES};
use crate::go::GoGame;
use crate::hash::mix;
use crate::rng::Rng;

fn params(batch: usize, sticky_endgames: bool) -> SearchParams {
    let selection = Selection::new(1.745, 38739.0, 3.894, Fpu::Reduction(0.33));
    SearchParams {
        root: selection.clone(),
        inner: selection,
        policy_temperature: 1.359,
        draw_score: 0.0,
        margins: Margins { decision: Decision::Parent, terminal_beta: 10.0 },
        two_fold_draws: true,
        sticky_endgames,
        moves_left: MovesLeft {
            max_effect: 0.0,
            threshold: 0.8,
            slope: 0.0,
            constant: 0.0,
            scaled: 0.0,
            quadratic: 0.0,
        },
        noise_epsilon: 0.0,
        noise_alpha: 0.3,
        batch,
        lanes: 1,
        cache: 0,
        memory_bytes: 1 << 30,
    }
}

/// A made-up evaluation that depends only on the position's key and the evaluator: a logit from −3 to 3 for every move,
/// some win, draw and loss, and a margin from −6 to 6 points with some steepness.
fn judge(key: u64, evaluator: usize, moves: usize) -> (Vec<f32>, [f32; 3], [f32; 2]) {
    let number = |i: u64| (mix(key ^ (evaluator as u64) << 32 ^ i) >> 40) as f32 / (1 << 24) as f32;
    let logits = (0..moves as u64).map(|i| 6.0 * number(i) - 3.0).collect();
    let (win, rest) = (number(1000), number(1001));
    let margin = [12.0 * number(1002) - 6.0, 0.1 + number(1003)];
    (logits, [win, (1.0 - win) * rest, (1.0 - win) * (1.0 - rest)], margin)
}

fn grow<G: Game>(forest: &mut Forest<G>) -> Result<(), ForestError> {
    while forest.growing() {
        let request = forest.gather(1)?;
        answer(forest, request)?;
    }
    Ok(())
}

fn answer<G: Game>(forest: &mut Forest<G>, request: Request<G>) -> Result<(), ForestError> {
    if request.leaves() == 0 {
        forest.withdraw(request);
        return Ok(());
    }
    let judge_all = |evaluator: usize| {
        let (mut logits, mut wdl, mut margins) = (Vec::new(), Vec::new(), Vec::new());
        for (row, &key) in request.keys[evaluator].iter().enumerate() {
            let moves = request.batches[evaluator].legal(row).len();
            let (some, result, margin) = judge(key, evaluator, moves);
            logits.extend(some);
            wdl.extend(result);
            margins.extend(margin);
        }
        (logits, wdl, margins)
    };
    let by_margins = forest.seats.bonuses().is_some();
    let judged: Vec<_> = (0..request.batches.len()).map(judge_all).collect();
    let answers: Vec<Answer<'_>> = judged
        .iter()
        .map(|(logits, wdl, margins)| Answer {
            logits,
            wdl,
            moves_left: None,
            margins: by_margins.then_some(margins),
        })
        .collect();
    forest.scatter(request, &answers)
}

/// The rule with this number; a new one at each call, as rules cannot be cloned.
fn rule(number: usize) -> Box<dyn Rule> {
    match number {
        0 => Box::new(Puct),
        1 => Box::new(Follow { model: 1 }),
        2 => Box::new(FollowBest { model: 1 }),
        3 => Box::new(BrainHand { hand: 1 }),
        4 => Box::new(Coin { p: 0.5, first: rule(0), second: rule(2) }),
        5 => Box::new(FreezeAfter { visits: 3, draw: Draw::Sample, temperature: 1.0, one_later: false }),
        6 => Box::new(FreezeAfter { visits: 2, draw: Draw::Quota, temperature: 2.0, one_later: true }),
        _ => Box::new(Coin { p: 0.3, first: rule(3), second: rule(1) }),
    }
}

fn searched(
    game: ChessGame,
    numbers: (usize, usize, Option<usize>),
    params: SearchParams,
    visits: u32,
) -> Result<Tree, ForestError> {
    let (ours, theirs, root) = numbers;
    let seat = |number| Seat { rule: rule(number), evaluator: 0, bonus: None };
    let mut forest = Forest::new(params, Seats::new(seat(ours), seat(theirs), root.map(rule)));
    let id = forest.add(game, visits, 1, None)?;
    grow(&mut forest)?;
    Ok(forest.slot(id)?.tree.clone())
}

/// Grows trees side by side with so many threads; one request is answered wrongly, and a tree is removed while a request
/// for it is under way. Returns the keys of all requests, the most parts of one, and all trees with their size.
fn grown_by(
    threads: usize,
    starts: &[Vec<usize>],
    ours: usize,
    params: &SearchParams,
    n: usize,
) -> (Vec<Vec<u64>>, usize, String) {
    let grow = || {
        let seat = |number| Seat { rule: rule(number), evaluator: 0, bonus: None };
        let mut forest = Forest::new(params.clone(), Seats::new(seat(ours), seat(4), None));
        let ids: Vec<TreeId> = starts
            .iter()
            .zip(1..)
            .map(|(moves, seed)| forest.add(game(moves), 20, seed, None).unwrap())
            .collect();
        let (mut keys, mut parts, mut made) = (Vec::new(), 0, 0);
        while forest.growing() {
            let requests: Vec<_> = (0..params.lanes).map(|_| forest.gather(n).unwrap()).collect();
            for request in requests {
                parts = parts.max(request.parts.len());
                keys.extend(request.keys.iter().cloned());
                made += 1;
                if made == 2 {
                    forest.scatter(request, &[]).unwrap_err();
                    continue;
                }
                if made == 3 {
                    forest.remove(ids[1]).unwrap();
                }
                answer(&mut forest, request).unwrap();
            }
        }
        let trees = ids.iter().filter_map(|&id| forest.slot(id).ok()).map(|slot| &slot.tree);
        (keys, parts, format!("{:?} {:?}", forest.size(), trees.collect::<Vec<_>>()))
    };
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(grow)
}

/// A game after some moves, each given by a number.
fn game(choices: &[usize]) -> ChessGame {
    let mut game = ChessGame::default();
    for choice in choices {
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        game.play(moves[choice % moves.len()]);
        moves.clear();
        game.legal_moves(&mut moves);
        if moves.is_empty() {
            game.undo(1);
            break;
        }
    }
    game
}

/// The open nodes of a tree with their depths.
fn open_nodes(tree: &Tree) -> Vec<(u32, usize)> {
    let (mut found, mut tasks) = (Vec::new(), vec![(ROOT, 0)]);
    while let Some((index, depth)) = tasks.pop() {
        let node = tree.node(index);
        if node.is_expanded() && !node.is_terminal() {
            found.push((index, depth));
        }
        let children = tree.edges(index).iter().filter(|edge| edge.child != NO_NODE);
        tasks.extend(children.map(|edge| (edge.child, depth + 1)));
    }
    found
}

fn children(tree: &Tree, index: u32) -> impl Iterator<Item = &Node> {
    tree.edges(index).iter().filter_map(|edge| tree.child(edge))
}

fn choices() -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(0..60usize, 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_visit_is_accounted_for(
        choices in choices(),
        ours in 0..8usize,
        theirs in 0..8usize,
        root in proptest::option::of(0..8usize),
        batch in 1..20usize,
        sticky: bool,
    ) {
        let tree = searched(game(&choices), (ours, theirs, root), params(batch, sticky), 300).unwrap();
        prop_assert_eq!(tree.root().n, 300);
        prop_assert!(tree.nodes.iter().all(|node| node.in_flight == 0 && node.forced_in_flight == 0));
        prop_assert!(tree.nodes.iter().all(|node| node.forced <= node.n && node.wl.abs() < 1.0 + 1e-9));
        prop_assert!(tree.edges.iter().all(|edge| usize::from(edge.class) < MOVE_CLASSES));
        for (index, _) in open_nodes(&tree) {
            let visits: u32 = children(&tree, index).map(|child| child.n).sum();
            prop_assert_eq!(tree.node(index).n, 1 + visits);
        }
    }

    /// Few pieces shuffle to and fro, so that draws by repetition lose their earlier occurrence as the root moves on.
    #[test]
    fn every_visit_is_accounted_for_in_what_is_kept_of_a_tree(
        start in prop::sample::select(&["8/8/8/4k3/8/8/4K3/7R w - - 0 1", "7k/8/5K2/6Q1/8/8/8/8 w - - 90 80", "8/5k2/8/8/8/2K5/8/6R1 w - - 96 100"][..]),
        moves in prop::collection::vec(any::<prop::sample::Index>(), 1..8),
        ours in 0..8usize,
        theirs in 0..8usize,
        batch in 1..9usize,
        sticky: bool,
    ) {
        let seat = |number| Seat { rule: rule(number), evaluator: 0, bonus: None };
        let mut forest = Forest::new(params(batch, sticky), Seats::new(seat(ours), seat(theirs), None));
        let id = forest.add(ChessGame::from_fen(start, false).expect("a FEN"), 0, 1, None).unwrap();
        for choice in moves {
            let visits = forest.slot(id).unwrap().tree.root().n + 200;
            forest.set_limit(id, visits).unwrap();
            grow(&mut forest).unwrap();
            let edges = forest.slot(id).unwrap().tree.edges(ROOT);
            let mv = edges[choice.index(edges.len().min(5))].mv;
            if forest.advance(id, mv, true).is_err() {
                break;
            }
            let tree = &forest.slot(id).unwrap().tree;
            prop_assert!(!tree.root().is_terminal());
            for (index, depth) in open_nodes(tree) {
                let visits: u32 = children(tree, index).map(|child| child.n).sum();
                prop_assert_eq!(tree.node(index).n, 1 + visits);
                let forced: u32 = children(tree, index).map(|child| child.forced).sum();
                prop_assert!(forced <= visits && tree.node(index).wl.abs() < 1.0 + 1e-9);
                for child in children(tree, index).filter(|child| child.state == State::TwoFold) {
                    prop_assert!(child.m <= (depth + 1) as f64, "a cycle that begins before the root");
                }
            }
        }
    }

    #[test]
    fn the_best_of_a_model_is_all_that_is_searched(choices in choices(), batch in 1..20usize) {
        let tree = searched(game(&choices), (0, 2, None), params(batch, true), 300).unwrap();
        for (index, depth) in open_nodes(&tree) {
            let visited: Vec<usize> = (0..tree.edges(index).len())
                .filter(|&i| tree.child(&tree.edges(index)[i]).is_some())
                .collect();
            if depth % 2 == 1 {
                let policy = tree.policy(index, 1);
                let most = (0..tree.edges(index).len()).map(&policy).fold(0.0, f32::max);
                prop_assert!(visited.len() <= 1);
                prop_assert!(visited.iter().all(|&i| policy(i) == most));
                prop_assert!(children(&tree, index).all(|child| child.forced == child.n));
            } else {
                prop_assert!(children(&tree, index).all(|child| child.forced == 0));
            }
        }
    }

    #[test]
    fn hands_share_the_visits_of_a_type_by_their_policy(choices in choices()) {
        let tree = searched(game(&choices), (3, 3, None), params(1, true), 500).unwrap();
        for (index, _) in open_nodes(&tree) {
            let edges = tree.edges(index);
            for class in 0..MOVE_CLASSES as u8 {
                let of_class: Vec<usize> = (0..edges.len()).filter(|&i| edges[i].class == class).collect();
                let probability = tree.policy(index, 1);
                let policy = |i: usize| f64::from(probability(i));
                let mass: f64 = of_class.iter().map(|&i| policy(i)).sum();
                let n = |i: usize| f64::from(tree.child(&edges[i]).map_or(0, |child| child.n));
                let visits: f64 = of_class.iter().map(|&i| n(i)).sum();
                for &i in &of_class {
                    prop_assert!(n(i) <= policy(i) / mass * visits + 1.0 + 1e-6);
                }
            }
        }
    }
}

fn bonuses() -> impl Strategy<Value = Bonus> {
    let ends = || (-1.0..2.0, -1.0..2.0).prop_map(|(lambda, mu)| Ends { lambda, mu });
    prop_oneof![Just(Bonus::default()), (ends(), ends()).prop_map(|(ahead, behind)| Bonus { ahead, behind })]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Also in what is kept of a tree, where the root's interval of bonus points is another than before.
    #[test]
    fn values_by_margins_are_means_of_a_node_and_its_children(
        size in 1..6usize,
        twice_komi in -9..9i32,
        ours in bonuses(),
        theirs in bonuses(),
        decision in prop::sample::select(&[Decision::Parent, Decision::Root][..]),
        terminal_beta in prop::sample::select(&[0.5, 10.0, f64::INFINITY][..]),
        moves in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        batch in 1..9usize,
    ) {
        let seat = |number, bonus| Seat { rule: rule(number), evaluator: 0, bonus: Some(bonus) };
        let params = SearchParams { margins: Margins { decision, terminal_beta }, ..params(batch, true) };
        let mut forest = Forest::new(params, Seats::new(seat(0, ours), seat(1, theirs), None));
        let id = forest.add(GoGame::new(size, twice_komi), 150, 1, None).unwrap();
        grow(&mut forest).unwrap();
        for choice in moves {
            let edges = forest.slot(id).unwrap().tree.edges(ROOT);
            let mv = edges[choice.index(edges.len().min(3))].mv;
            if forest.advance(id, mv, true).is_err() {
                break;
            }
            forest.set_limit(id, forest.slot(id).unwrap().tree.root().n + 50).unwrap();
            grow(&mut forest).unwrap();
        }
        let slot = forest.slot(id).unwrap();
        let (tree, interval) = (&slot.tree, slot.tree.margin(ROOT).interval);
        for (index, depth) in open_nodes(tree) {
            let (node, own) = (tree.node(index), tree.margin(index));
            let first = slot.game.first_to_move() == depth.is_multiple_of(2);
            let mean = |own: f64, of: &dyn Fn(u32) -> f64| {
                let children = tree.children(index).map(|child| f64::from(tree.node(child).n) * of(child));
                (own + children.sum::<f64>()) / f64::from(node.n)
            };
            let winrate = mean(own.sigmoid.average(Interval::NONE), &|child| tree.margin(child).winrate);
            prop_assert!((own.winrate - winrate).abs() < 1e-9);
            prop_assert!((own.score - mean(own.sigmoid.margin, &|child| tree.margin(child).score)).abs() < 1e-9);
            prop_assert!(node.wl.abs() < 1.0 + 1e-9 && node.d == 0.0);
            if decision == Decision::Root {
                // All values are averages over one interval, those of finished games as well.
                let value = 2.0 * own.sigmoid.average(interval) - 1.0;
                let wl = mean(if first { -value } else { value }, &|child| -tree.node(child).wl);
                prop_assert!((node.wl - wl).abs() < 1e-9, "{} at depth {depth}, not {wl}", node.wl);
                for child in tree.children(index).filter(|&child| tree.node(child).state == State::Scored) {
                    let margin = tree.margin(child).sigmoid.margin;
                    let winrate = match interval == Interval::NONE {
                        true => (1.0 + if margin == 0.0 { 0.0 } else { margin.signum() }) / 2.0,
                        false => Sigmoid { margin, beta: terminal_beta }.average(interval),
                    };
                    let wl = if first { 2.0 * winrate - 1.0 } else { 1.0 - 2.0 * winrate };
                    prop_assert!((tree.node(child).wl - wl).abs() < 1e-9);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn threads_change_nothing(
        starts in proptest::collection::vec(proptest::collection::vec(0..60usize, 0..4), 64..100),
        ours in 0..8usize,
        batch in 1..4usize,
        lanes in 1..3usize,
        cache in prop::sample::select(&[0usize, 50, 10_000][..]),
    ) {
        let params = SearchParams { cache, lanes, ..params(batch, true) };
        let (keys, parts, trees) = grown_by(1, &starts, ours, &params, 64 * batch);
        let (keys_of_three, parts_of_three, trees_of_three) = grown_by(3, &starts, ours, &params, 64 * batch);
        prop_assert_eq!(parts, 1);
        prop_assert!(parts_of_three > 1);
        prop_assert_eq!(keys, keys_of_three);
        prop_assert_eq!(trees, trees_of_three);
    }
}

#[test]
fn only_a_rule_that_names_types_has_classes_looked_up() {
    for (number, expected) in [(0, false), (2, false), (3, true), (5, false), (7, true)] {
        let tree = searched(game(&[]), (number, 0, None), params(1, true), 50).unwrap();
        assert_eq!(tree.edges.iter().any(|edge| edge.class > 0), expected);
    }
}

/// A rule that picks the move with the fewest visits, those in flight included.
struct Evenly;

impl Rule for Evenly {
    fn pick(&self, at: &At<'_>, _rng: &mut Rng) -> Pick {
        let started = |edge: &Edge| at.tree.child(edge).map_or(0, Node::started);
        let fewest = (0..at.edges().len()).min_by_key(|&i| started(&at.edges()[i]));
        Pick::chosen(fewest.unwrap_or(0))
    }
}

#[test]
fn a_rule_that_only_picks_is_a_rule() -> Result<(), ForestError> {
    let seat = || Seat { rule: Box::new(Evenly), evaluator: 0, bonus: None };
    let mut forest = Forest::new(params(7, true), Seats::new(seat(), seat(), None));
    let id = forest.add(ChessGame::default(), 201, 1, None)?;
    grow(&mut forest)?;
    assert!(children(&forest.slot(id)?.tree, ROOT).all(|child| child.n == 10));
    Ok(())
}
