//! What a net by a stranger answers in a search: any numbers, in batches of any size, for every rule.

#![no_main]

use _core::chess::ChessGame;
use _core::game::Game;
use _core::go::GoGame;
use _core::search::{
    Answer, Bonus, BrainHand, Coin, Decision, Draw, Ends, Follow, FollowBest, Forest, Fpu, FreezeAfter,
    Margins, MovesLeft, Puct, Rule, SearchParams, Seat, Seats, Selection, Temperature,
};
use libfuzzer_sys::fuzz_target;

/// Visits of each search.
const VISITS: u32 = 24;

fuzz_target!(|data: &[u8]| {
    let [game, ours, theirs, batch, numbers @ ..] = data else { return };
    let params = params(1 + usize::from(batch % 16));
    if game % 2 == 0 {
        search(ChessGame::default(), params, seats(*ours, *theirs, None), numbers);
    } else {
        let ends = Ends { lambda: f64::from(ours / 8) / 16.0, mu: f64::from(theirs / 8) / 16.0 };
        let bonus = Some(Bonus { ahead: ends, behind: ends });
        search(GoGame::new(3, 15), params, seats(*ours, *theirs, bonus), numbers);
    }
});

/// Searches to the end, or to the first answer that is refused.
fn search<G: Game>(game: G, params: SearchParams, seats: Seats, numbers: &[u8]) {
    let margins = seats.bonuses().is_some();
    let mut forest = Forest::new(params, seats);
    let id = forest.add(game, VISITS, 1, None).expect("a game that has begun");
    let mut numbers = Numbers { bytes: numbers, at: 0 };
    while forest.growing() {
        let request = forest.gather(1).expect("memory suffices");
        if request.leaves() == 0 {
            forest.withdraw(request);
            continue;
        }
        let said: Vec<[Vec<f32>; 4]> = request
            .batches
            .iter()
            .map(|batch| {
                [batch.moves.len(), 3 * batch.len(), batch.len(), 2 * batch.len()].map(|n| numbers.take(n))
            })
            .collect();
        let answers: Vec<Answer<'_>> = said
            .iter()
            .map(|[logits, wdl, left, margin]| Answer {
                logits,
                wdl,
                moves_left: Some(left),
                margins: margins.then_some(margin),
            })
            .collect();
        if let Err(error) = forest.scatter(request, &answers) {
            assert!(!error.to_string().is_empty());
            return;
        }
    }
    let found = forest.summary(id).expect("the tree stands");
    assert!(found.n >= VISITS);
    assert_eq!(found.moves.iter().map(|root| root.n).sum::<u32>(), found.n - 1);
    let temperature = Temperature { value: 1.0, q_cutoff: 1.0, visit_offset: 0.0 };
    let chosen = forest.choose(id, temperature, 1).expect("the tree stands").expect("there is a move");
    assert!(found.moves.iter().any(|root| root.name == chosen));
    forest.line(id, None).expect("the tree stands");
}

/// Numbers made of the input's bytes, over and over: any bits, or eighths from −16 to 16, as the byte before says.
struct Numbers<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Numbers<'_> {
    fn byte(&mut self) -> u8 {
        self.at += 1;
        self.bytes.get(self.at % self.bytes.len().max(1)).copied().unwrap_or(0)
    }

    fn take(&mut self, count: usize) -> Vec<f32> {
        (0..count)
            .map(|_| match self.byte() {
                255 => f32::from_le_bytes([(); 4].map(|()| self.byte())),
                byte => f32::from(byte as i8) / 8.0,
            })
            .collect()
    }
}

fn seats(ours: u8, theirs: u8, bonus: Option<Bonus>) -> Seats {
    let seat = |number: u8| Seat { rule: rule(number % 8), evaluator: 0, bonus };
    Seats::new(seat(ours), seat(theirs), None)
}

fn rule(number: u8) -> Box<dyn Rule> {
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

fn params(batch: usize) -> SearchParams {
    let selection = Selection::new(1.745, 38739.0, 3.894, Fpu::Reduction(0.33));
    SearchParams {
        root: selection.clone(),
        inner: selection,
        policy_temperature: 1.359,
        draw_score: 0.0,
        margins: Margins { decision: Decision::Parent, terminal_beta: 10.0 },
        two_fold_draws: true,
        sticky_endgames: true,
        moves_left: MovesLeft {
            max_effect: 0.1,
            threshold: 0.8,
            slope: 0.003,
            constant: 0.0,
            scaled: 0.5,
            quadratic: 0.5,
        },
        noise_epsilon: 0.25,
        noise_alpha: 0.3,
        batch,
        lanes: 1,
        cache: 100,
        memory_bytes: 1 << 28,
    }
}
