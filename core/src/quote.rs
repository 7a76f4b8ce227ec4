//! Quoting of user input in error messages.

/// The most characters of a text that a message repeats: more than the longest FEN has.
const LONGEST: usize = 100;

/// A text in quotation marks: cut off where it is long, and with escapes in place of invisible characters.
pub fn quoted(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_off_between_characters() {
        assert_eq!(quoted("\u{1b}[31m"), r#""\u{1b}[31m""#);
        assert_eq!(quoted(&"é".repeat(LONGEST)), format!("\"{}\"", "é".repeat(LONGEST)));
        assert_eq!(quoted(&"é".repeat(LONGEST + 1)), format!("\"{}\"…", "é".repeat(LONGEST)));
    }
}
