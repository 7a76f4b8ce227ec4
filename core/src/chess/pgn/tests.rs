use super::replay::unescape;
use super::*;

/// The games of a text, each as its moves and result, or as the message that says why it is broken.
fn read(pgn: &[u8]) -> Vec<Result<String, String>> {
    let mut reader = GameReader::new(pgn, false);
    let mut games = Vec::new();
    while let Some(game) = reader.next_game().expect("a slice does not fail") {
        games.push(match game {
            Ok(game) => {
                let moves: Vec<String> = game.uci_moves().map(|mv| mv.to_string()).collect();
                Ok(format!("{} {}", moves.join(" "), game.result))
            }
            Err(broken) => Err(broken.to_string()),
        });
    }
    games
}

type Case = (&'static str, &'static str, &'static [Result<&'static str, &'static str>]);

const TEXTS: &[Case] = &[
    ("nothing", "\u{feff}\n\n ; a comment\n% escaped\n\n", &[]),
    ("tags_without_moves_are_a_game", "[White \"A\"]\n\n*\n", &[Ok(" *")]),
    ("the_result_tag_counts", "[Result \"1-0\"]\n\n1. e4 *", &[Ok("e2e4 1-0")]),
    ("the_movetext_result_fills_in", "[Result \"*\"]\n\n1. e4 1/2-1/2", &[Ok("e2e4 1/2-1/2")]),
    (
        "variations_comments_and_glyphs_are_passed_over",
        "1. e4 $1 (1. d4 {what (} d5 (1... junk) 2. c4) e5!? {[%clk 0:01:00]} ; rest Nf3\n2. Nf3 * ",
        &[Ok("e2e4 e7e5 g1f3 *")],
    ),
    (
        "castling_is_a_king_move",
        "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 0-0 O-O",
        &[Ok("e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8 *")],
    ),
    (
        "long_castling_from_a_fen",
        "[FEN \"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1\"]\n\n1. O-O-O+ Kf7 2. Rhe1",
        &[Ok("e1c1 e8f7 h1e1 *")],
    ),
    (
        "castling_takes_the_rook_in_chess960",
        "[Variant \"Fischerandom\"]\n[FEN \"1r2k1r1/1p4p1/8/8/8/8/1P4P1/1R2K1R1 w GBgb - 0 1\"]\n\n1. O-O O-O-O",
        &[Ok("e1g1 e8b8 *")],
    ),
    (
        "castling_rights_of_chess960_make_it_one",
        "[FEN \"1r2k1r1/1p4p1/8/8/8/8/1P4P1/1R2K1R1 w GBgb - 0 1\"]\n\n1. O-O-O",
        &[Ok("e1b1 *")],
    ),
    ("promotion", "[FEN \"8/P6k/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. a8=N", &[Ok("a7a8n *")]),
    ("captures_may_lack_the_x", "1. e4 d5 2. exd5 Qd5", &[Ok("e2e4 d7d5 e4d5 d8d5 *")]),
    (
        "moves_in_other_notations",
        "\n1. e2-e4 {(} e7-e5 (1... d7-d5) 2. g1f3 ; Nb1-c3\nNb8-c6++ 3. Bf1-b5! a7a6 4. 0-0++ Ng8f6mate 1-0\n\n1. d4 *",
        &[Ok("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1 g8f6 1-0"), Ok("d2d4 *")],
    ),
    (
        "promotions_and_captures_in_other_notations",
        "[FEN \"r7/1P5k/8/3pP3/8/8/8/4K3 w - d6 0 1\"]\n\n1. e5xd6e.p. Ra8b8 2. d7 ep Ra8 mate 3. bxa8Q Kg7 4. d8N",
        &[Ok("e5d6 a8b8 d6d7 b8a8 b7a8q h7g7 d7d8n *")],
    ),
    (
        "an_illegal_move_after_one_in_another_notation",
        "1. d4\n\n[Event \"b\"]\n\n1. e2-e4 e5\n2. e4-e5 Nc6 1-0\n\n1. c4 *",
        &[Ok("d2d4 *"), Err("game 2, move 2 (white): illegal move e4e5 (line 6)"), Ok("c2c4 *")],
    ),
    (
        "a_token_that_is_no_move_after_one_in_another_notation",
        "1. e2-e4 e7-e5\n2. e8(Q) Nf9 1-0\n\n1. c4 *",
        &[Err("game 1, move 2 (white): illegal move e8 (line 2)"), Ok("c2c4 *")],
    ),
    (
        "an_illegal_move_breaks_its_game_only",
        "[Event \"a\"]\n\n1. e4 e5 2. Ke3 Nc6 1-0\n\n[Event \"b\"]\n\n1. d4 0-1\n",
        &[Err("game 1, move 2 (white): illegal move Ke3 (line 3)"), Ok("d2d4 0-1")],
    ),
    ("a_null_move_is_illegal", "1. e4 -- 2. d4", &[Err("game 1, move 1 (black): illegal move -- (line 1)")]),
    (
        "an_ambiguous_move",
        "1. Nf3 d5 2. d4 e6 3. Nd2 a6\n4. h3 a5 5. Rg1 a4 6. b3 h5\n7. Nb1 h4 8. Nd2",
        &[Err("game 1, move 3 (white): ambiguous move Nd2 (line 1)")],
    ),
    (
        "a_token_that_is_no_move_is_not_passed_over",
        "1. e4 e5 2. Nf3\nNq6 3. Bc4 1-0",
        &[Err("game 1, move 2 (black): unreadable move \"Nq6\" (line 2)")],
    ),
    (
        "nor_is_it_at_the_end",
        "1. e4 e5 2. ♘f3 1-0\n\n1. d4 *",
        &[Err("game 1, move 2 (white): unreadable move \"♘f3\" (line 1)"), Ok("d2d4 *")],
    ),
    (
        "moves_after_the_result",
        "1. e4 1-0\n1. d4 0-1",
        &[Err("game 1, move 1 (black): move d4 after the result (line 2)")],
    ),
    (
        "the_move_number_is_that_of_the_fen",
        "[FEN \"8/8/8/8/8/k7/8/K6R b - - 0 40\"]\n\n40... Kb3 41. Rh3+ Kb2",
        &[Err("game 1, move 41 (black): illegal move Kb2 (line 3)")],
    ),
    (
        "other_variants",
        "[Variant \"Atomic\"]\n\n1. e4\n\n[Variant \"Standard\"]\n\n1. e4",
        &[
            Err("game 1: variant \"Atomic\" is not read, only standard chess and Chess960 (line 3)"),
            Ok("e2e4 *"),
        ],
    ),
    (
        "an_open_comment",
        "1. e4 {and} e5\n2. Nf3 {so on\n\n[White \"A\"]\n\n1. d4 { 2. c4 1-0",
        &[Err("game 1: a comment begins and is never closed (line 2)")],
    ),
    (
        "an_open_comment_ends_before_the_next_event",
        "1. e4 {and} e5\n2. Nf3 {so on 1-0\n\n[Event \"b\"]\n\n1. d4 {a} d5 2. c4 1-0\n\n[Event \"c\"]\n\n1. c4 {[Event \"\n*",
        &[
            Err("game 1: a comment begins and is never closed (line 2)"),
            Ok("d2d4 d7d5 c2c4 1-0"),
            Err("game 3: a comment begins and is never closed (line 10)"),
        ],
    ),
    (
        "open_comments_in_every_game",
        "[Event \"a\"]\n1. e4 {\n[Event \"b\"]\n{\n[Event \"c\"]\n\n1. d4 (1. c4 {\n[Event \"d\"]\n\n1. e4 *",
        &[
            Err("game 1: a comment begins and is never closed (line 2)"),
            Err("game 2: a comment begins and is never closed (line 4)"),
            Err("game 3: a comment begins and is never closed (line 7)"),
            Ok("e2e4 *"),
        ],
    ),
    (
        "an_open_comment_in_a_variation_at_the_end",
        "1. e4 e5 (1... c5 { 2. Nf3) 2. Nc3 *",
        &[Err("game 1: a comment begins and is never closed (line 1)")],
    ),
    (
        "an_open_comment_after_an_illegal_move_and_after_another_notation",
        "1. e4 Ke7 {\n\n[Event \"b\"]\n\n1. e2-e4 {\n[Event \"c\"]\n\n1. e2-e4 Ke7 {\n[Event \"d\"]\n\n1. d4",
        &[
            Err("game 1, move 1 (black): illegal move Ke7 (line 1)"),
            Err("game 2: a comment begins and is never closed (line 5)"),
            Err("game 3, move 1 (black): illegal move Ke7 (line 8)"),
            Ok("d2d4 *"),
        ],
    ),
    (
        "a_brace_that_opens_no_comment",
        "[White \"{\"]\n[Event \"a\"]\n\n1. e4 ; {\n% {\n*\n\n[Event \"b\"]\n\n1. d4 *",
        &[Ok("e2e4 *"), Ok("d2d4 *")],
    ),
];

#[test]
fn texts_read_as_they_should() {
    for (name, pgn, games) in TEXTS {
        let games: Vec<_> = games.iter().map(|game| game.map(str::to_owned).map_err(str::to_owned)).collect();
        assert_eq!(read(pgn.as_bytes()), games, "{name}");
        assert_eq!(read(pgn.replace('\n', "\r\n").as_bytes()), games, "{name} with carriage returns");
    }
}

#[test]
fn a_bad_fen_names_the_field() {
    let games = read(b"[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4\n\n1. e4");
    assert!(games[0].as_ref().is_err_and(|message| message.starts_with("game 1: bad FEN")), "{games:?}");
    assert_eq!(games[1], Ok("e2e4 *".to_owned()));
}

#[test]
fn an_escaped_backslash_does_not_escape_what_follows() {
    assert_eq!(unescape(br#"\\\""#), br#"\""#);
    assert_eq!(unescape(br"a\b\"), br"a\b\");
}

#[test]
fn tags_keep_their_order_and_decode_escapes_and_latin_1() {
    let pgn = b"[White \"J\\\"K\\\\\"]\n[Black \"M\xfcller\"]\n\n*";
    let game = GameReader::new(&pgn[..], false).next_game().unwrap().unwrap().unwrap();
    let tags: Vec<_> = game.tags.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(tags, [("White", "J\"K\\"), ("Black", "Müller")]);
}

#[test]
fn a_draw_may_be_written_in_latin_1() {
    let pgn = b"[Result \"1/2-1/2\"]\n\n1. e4 e5 \xbd-\xbd\n\n1. d4 \xbd 1/2-1/2";
    assert_eq!(read(pgn), [Ok("e2e4 e7e5 1/2-1/2".to_owned()), Ok("d2d4 1/2-1/2".to_owned())]);
}

#[test]
fn no_control_characters_come_out() {
    let pgn = "[White \"\u{1b}[31mA\u{9b}\"]\n\n1. e4 {a\tb\n\u{7}c}";
    let game = GameReader::new(pgn.as_bytes(), true).next_game().unwrap().unwrap().unwrap();
    assert_eq!(game.tags[0].1, "\u{fffd}[31mA\u{fffd}");
    assert_eq!(game.comments.unwrap(), [Some("a\tb\n\u{fffd}c".to_owned())]);
}

#[test]
fn a_message_repeats_no_more_than_the_beginning_of_a_token() {
    let long = "x".repeat(5000);
    for pgn in
        [format!("1. e4 {long}"), format!("[Variant \"{long}\"]\n\n1. e4"), format!("[FEN \"{long}\"]\n\n*")]
    {
        let broken = read(pgn.as_bytes()).remove(0).unwrap_err();
        assert!(broken.len() < 200, "{broken}");
    }
}

#[test]
fn comments_belong_to_the_move_before() {
    let long = "x ".repeat(40_000);
    let pgn = format!("{{start}} 1. e4 {{ a }} {{b\n}} e5 {{}} 2. Nf3 (2. f4 {{no}}) {{{long}}}");
    let game = GameReader::new(pgn.as_bytes(), true).next_game().unwrap().unwrap().unwrap();
    let comments = game.comments.unwrap();
    assert_eq!(comments, [Some("a b".to_owned()), None, Some(long.trim().to_owned())]);
}

#[test]
fn a_game_of_any_length_takes_bounded_memory() {
    let much = 3 * GAME_BYTES;
    let before = "[White \"A\"]\n\n1. e4 ";
    for (what, filler) in [
        ("comment", format!("{{{}}}", "x\n".repeat(much / 2))),
        ("open comment", format!("{{{}", "x\n".repeat(much / 2))),
        ("comments", "{ x }\n".repeat(much / 6)),
        ("rest of line", format!(";{}\n", "x".repeat(much))),
        ("variation", format!("({})", "e4 ".repeat(much / 3))),
        ("one token", "x".repeat(much)),
        ("empty lines", "\n ".repeat(much / 2)),
        ("moves", "Nf6 Nf3 Ng8 Ng1 ".repeat(much / 16)),
        ("glyphs", "$1 ".repeat(much / 3)),
    ] {
        let pgn = format!("{before}{filler} e5 1-0\n\n[Event \"B\"]\n\n1. d4 0-1\n");
        let mut reader = GameReader::new(pgn.as_bytes(), true);
        let broken = reader.next_game().unwrap().unwrap().unwrap_err();
        assert!(broken.to_string().contains("longer than 1 MiB (line "), "{what}: {broken}");
        assert!(lock(&reader.text).bytes.capacity() <= 4 * GAME_BYTES, "{what}");
        let next = reader.next_game().unwrap().unwrap().unwrap_or_else(|broken| panic!("{what}: {broken}"));
        assert_eq!(next.tags, [("Event".to_owned(), "B".to_owned())], "{what}");
        let line = 5 + filler.bytes().filter(|&byte| byte == b'\n').count();
        assert_eq!(lock(&reader.text).lines as usize + 1, line, "{what}");
    }
}

#[test]
fn a_game_in_another_notation_may_break_off_far_from_its_end() {
    for (filler, told) in [
        ("x ".repeat(100), "game 1, move 1 (black): illegal move Ke7 (line 1)"),
        ("x\n".repeat(GAME_BYTES), "game 1: longer than 1 MiB (line 1048579)"),
    ] {
        let pgn = format!("1. e2-e4 Ke7 {{{filler}}}\n\n1. d4");
        assert_eq!(read(pgn.as_bytes()), [Err(told.to_owned()), Ok("d2d4 *".to_owned())]);
    }
}

#[test]
fn what_stands_between_games_is_not_kept() {
    let pgn = format!("1. e4 1-0\n{}1. d4 Ke7", "\n".repeat(3 * GAME_BYTES));
    let mut reader = GameReader::new(pgn.as_bytes(), false);
    assert!(reader.next_game().unwrap().unwrap().is_ok());
    let broken = reader.next_game().unwrap().unwrap().unwrap_err();
    assert_eq!(broken.line as usize, 2 + 3 * GAME_BYTES);
    assert!(lock(&reader.text).bytes.capacity() <= 4 * GAME_BYTES);
}

#[test]
fn a_game_of_many_tags_is_broken() {
    let pgn = "[A \"x\"]\n".repeat(GAME_BYTES / 4) + "\n1. e4 *\n\n1. d4 *";
    let games = read(pgn.as_bytes());
    assert!(games[0].as_ref().unwrap_err().starts_with("game 1: longer than 1 MiB"));
    assert_eq!(games[1], Ok("d2d4 *".to_owned()));
}

/// A source that gives one byte at a time, then fails.
struct Drip<'a>(&'a [u8]);

impl Read for Drip<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((first, rest)) = self.0.split_first() else {
            return Err(io::Error::other("gone"));
        };
        buffer[0] = *first;
        self.0 = rest;
        Ok(1)
    }
}

#[test]
fn an_error_of_the_source_is_not_a_broken_game() {
    let error = GameReader::new(Drip(b"1. e4 e5"), false).next_game().unwrap_err();
    assert_eq!(error.to_string(), "gone");
}

proptest::proptest! {
    #[test]
    fn no_text_panics_or_loops(pgn in "(\\[FEN \"|\n\\[Event \"|[\\[\\](){};%$*\"\\\\ \n]|e4|Nf3|O-O|e7-e5|e8Q|0-0|1-0|mate|é){0,60}") {
        let games = read(pgn.as_bytes());
        proptest::prop_assert!(games.len() <= pgn.len());
    }

    #[test]
    fn no_bytes_panic_or_loop(pgn: Vec<u8>) {
        proptest::prop_assert!(read(&pgn).len() <= pgn.len());
    }
}
