//! Comments that nothing closes: where a source is to end for the sake of the games behind them.

/// How a game begins that stands by itself, at the start of a line. No comment has such a line, but for one that was
/// never closed.
const GAME_START: &[u8] = b"[Event \"";

/// Follows the text of a source, in whatever pieces it comes.
#[derive(Default)]
pub struct Watch {
    within: Within,
    /// Whether the last byte stands within a line.
    in_line: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Within {
    #[default]
    Movetext,
    /// A tag, an escaped line, or a comment that ends with its line.
    Line,
    Braces,
}

/// What [`Watch::pass`] saw of a piece of text.
#[derive(PartialEq, Eq, Debug)]
pub enum Seen {
    /// The piece may go on to its end.
    All,
    /// A comment is open, and from this offset on stands the next game.
    Game(usize),
    /// A comment is open, and the rest from this offset on may be the beginning of the next game: what follows will
    /// tell. The watch waits for that rest again.
    Perhaps(usize),
}

impl Watch {
    /// Follows a piece of text that comes after those before; behind the next game nothing is looked at.
    pub fn pass(&mut self, text: &[u8]) -> Seen {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            let rest = &text[at..];
            if !self.in_line && self.within == Within::Braces {
                if rest.starts_with(GAME_START) {
                    self.within = Within::Movetext;
                    return Seen::Game(at);
                }
                if GAME_START.starts_with(rest) {
                    return Seen::Perhaps(at);
                }
            }
            let stop = match self.within {
                Within::Movetext if !self.in_line && matches!(byte, b'[' | b'%') => {
                    self.within = Within::Line;
                    Some(0)
                }
                // Bytes of an order mark, before the first tag.
                Within::Movetext if !self.in_line && matches!(byte, b'\xef' | b'\xbb' | b'\xbf') => {
                    at += 1;
                    continue;
                }
                Within::Movetext => memchr::memchr3(b'{', b';', b'\n', rest),
                Within::Line => memchr::memchr(b'\n', rest),
                Within::Braces => memchr::memchr2(b'}', b'\n', rest),
            };
            let Some(stop) = stop else {
                self.in_line = true;
                break;
            };
            self.in_line = rest[stop] != b'\n';
            self.within = match (self.within, rest[stop]) {
                (Within::Movetext, b'{') => Within::Braces,
                (Within::Movetext, b';') => Within::Line,
                (Within::Braces, b'}') | (Within::Line, b'\n') => Within::Movetext,
                (within, _) => within,
            };
            at += stop + 1;
        }
        Seen::All
    }

    /// Begins anew, as at the end of a source; whether a comment was open there.
    pub fn end(&mut self) -> bool {
        std::mem::take(self).within == Within::Braces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is seen of a text that comes in pieces, with offsets in the whole text.
    fn seen(text: &str, size: usize) -> Seen {
        let (mut watch, mut from, mut to) = (Watch::default(), 0, 0);
        while to < text.len() {
            to = text.len().min(to + size);
            match watch.pass(&text.as_bytes()[from..to]) {
                Seen::All => from = to,
                Seen::Game(at) => return Seen::Game(from + at),
                Seen::Perhaps(at) => from += at,
            }
        }
        if from < to { Seen::Perhaps(from) } else { Seen::All }
    }

    #[test]
    fn a_game_in_an_open_comment_is_seen_in_pieces_of_any_size() {
        let next = "[Event \"b\"]";
        for (before, open) in [
            ("[Event \"a\"]\n\n1. e4 {so\n", true),
            ("1. e4 {a} e5 (2. f4 {so }) 2. Nf3 { { ;\n[Event \n\n", true),
            ("1. e4 {so ", false),
            ("1. e4 {so}\n", false),
            ("1. e4 ; {so\n", false),
            ("% {so\n", false),
            ("\u{feff}[Event \"{so\"]\n", false),
            ("[White \"{so\"]\n", false),
        ] {
            let text = format!("{before}{next}\n\n1. d4 *\n");
            let expected = if open { Seen::Game(before.len()) } else { Seen::All };
            for size in 1..=text.len() {
                assert_eq!(seen(&text, size), expected, "{text:?} in pieces of {size}");
            }
        }
    }

    #[test]
    fn what_may_become_a_game_is_waited_for() {
        assert_eq!(seen("1. e4 {so\n[Eve", 4), Seen::Perhaps(10));
        assert_eq!(seen("1. e4 {so\n[Even so} e5", 4), Seen::All);
    }
}
