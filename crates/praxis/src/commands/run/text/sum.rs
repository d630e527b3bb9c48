//! What a run took, on one line.

use praxis_proto::Tokens;

use super::super::view::{Ending, Sums};

/// Steps, tokens, money and time.
pub(super) fn line(ending: Ending<'_>, sums: &Sums) -> String {
    let Tokens { input, output, reasoning, cache, .. } = sums.tokens;
    let steps = ending.came.steps;
    let mut parts = vec![format!("{steps} {}", if steps == 1 { "step" } else { "steps" })];
    let read = input.saturating_add(cache.read).saturating_add(cache.write);
    if read > 0 || output > 0 {
        let cached = if cache.read > 0 { format!(" ({} cached)", short(cache.read)) } else { String::new() };
        parts.push(format!("{} in{cached}, {} out", short(read), short(output.saturating_add(reasoning))));
    }
    if ending.came.cost > 0.0 {
        parts.push(format!("${:.4}", ending.came.cost));
    }
    parts.push(format!("{:.1} s", ending.took.as_secs_f64()));
    parts.join(" · ")
}

/// A number in a few digits.
pub(super) fn short(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..1_000_000 => format!("{}k", number / 1_000),
        _ => format!("{:.1}M", number as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use praxis_engine::{Ended, Outcome};
    use praxis_proto::CacheTokens;

    use super::*;

    #[test]
    fn only_what_was_used_is_told() {
        let mut came = Outcome { message: None, ended: Ended::Done, steps: 1, cost: 0.0 };
        let took = Duration::from_millis(1_240);
        let mut sums = Sums::default();
        assert_eq!(line(Ending { came: &came, code: 0, took }, &sums), "1 step · 1.2 s");
        (came.steps, came.cost) = (2, 0.01234);
        sums.tokens = Tokens {
            input: 500,
            output: 20,
            reasoning: 5,
            cache: CacheTokens { read: 12_000, write: 0 },
            ..Tokens::default()
        };
        assert_eq!(
            line(Ending { came: &came, code: 0, took }, &sums),
            "2 steps · 12k in (12k cached), 25 out · $0.0123 · 1.2 s"
        );
    }
}
