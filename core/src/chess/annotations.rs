//! What tags and comments of PGN games tell of them, however loosely filled in: ratings, clocks, evaluations.

/// The evaluation of mate in n is this minus n.
pub const MATE: i16 = 32000;
/// The largest evaluation that is not mate, in centipawns.
const MAX_CENTIPAWNS: f32 = 20000.0;

/// The evaluation in a comment, `[%eval 0.17]` or `[%eval #-3]`, optionally with a depth after a comma.
pub fn centipawns(comment: &str) -> Option<i16> {
    let (_, rest) = comment.split_once("[%eval ")?;
    let text = rest.split([']', ',']).next()?.trim();
    if let Some(mate) = text.strip_prefix('#') {
        let moves: i16 = mate.parse().ok()?;
        let distance = moves.saturating_abs().min(MATE / 2);
        return Some(if mate.starts_with('-') { distance - MATE } else { MATE - distance });
    }
    let pawns: f32 = text.parse().ok().filter(|pawns: &f32| pawns.is_finite())?;
    Some((pawns * 100.0).round().clamp(-MAX_CENTIPAWNS, MAX_CENTIPAWNS) as i16)
}

/// The rating in a tag, 0 where it holds no plausible number. lichess writes a question mark behind uncertain ones.
pub fn rating(tag: &str) -> i16 {
    let found = tag.trim().trim_end_matches('?').parse().ok();
    found.filter(|rating| (1..5000).contains(rating)).unwrap_or(0)
}

/// Base time and increment of a TimeControl tag in whole seconds, `600+5`, `600` or `60+0.5`; other time controls count
/// as unknown.
pub fn clock(tag: &str) -> [i32; 2] {
    let seconds = |text: &str| {
        let text = text.trim();
        let plain = text.starts_with(|first: char| first.is_ascii_digit());
        text.parse::<f64>().ok().filter(|seconds| plain && *seconds < 1e9).map(|seconds| seconds as i32)
    };
    let (base, increment) = tag.split_once('+').unwrap_or((tag, "0"));
    match (seconds(base), seconds(increment)) {
        (Some(base), Some(increment)) => [base, increment],
        _ => [-1, -1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_time_controls_are_read() {
        assert_eq!(
            ["600", "60+1", " 180 + 2", "60+0.5", "40/7200:3600", "-", "", "60+-1", "inf", "1e99"].map(clock),
            [[600, 0], [60, 1], [180, 2], [60, 0], [-1; 2], [-1; 2], [-1; 2], [-1; 2], [-1; 2], [-1; 2]]
        );
    }

    #[test]
    fn uncertain_ratings_are_read_and_implausible_ones_are_none() {
        assert_eq!(
            ["1500", "1500?", " 2000 ", "0", "-3", "9999", "?", ""].map(rating),
            [1500, 1500, 2000, 0, 0, 0, 0, 0]
        );
    }
}
