//! Kills at random moments of a long run.

use std::time::{Duration, Instant};

use praxis_testkit::Format;
use tokio::task::block_in_place;

use super::lab::{Figures, Lab, long_run};

/// Kills in the plain test run; `PRAXIS_CRASH_KILLS` asks for more.
const KILLS: u64 = 12;

/// A small generator, so that a failure can be had again with its seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % most.max(1)
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn format(round: u64) -> Format {
    if round.is_multiple_of(2) { Format::Chat } else { Format::Anthropic }
}

/// How long a run takes that nobody kills; everything holds after it as well.
async fn undisturbed() -> Duration {
    let lab = Lab::new(Format::Chat, long_run()).await;
    let begun = Instant::now();
    let mut live = lab.begin();
    block_in_place(|| {
        live.until(
            "the result",
            |said| matches!(said, praxis_testkit::Said::Out(line) if line.contains(r#""type":"result""#)),
        )
    });
    let took = begun.elapsed();
    assert!(!block_in_place(|| live.runs_for(Duration::from_secs(20))), "it does not end");
    let figures = lab.check(&live.kill(), "undisturbed").await;
    assert_eq!(figures.loss.bytes, 0);
    took
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_kill_at_any_moment_nothing_is_lost_beyond_the_bound_and_the_session_goes_on() {
    let kills = number("PRAXIS_CRASH_KILLS").unwrap_or(KILLS);
    let seed = number("PRAXIS_CRASH_SEED").unwrap_or(7);
    let took = undisturbed().await;
    let mut dice = Dice(seed);
    let mut all: Vec<Figures> = Vec::new();
    for round in 0..kills {
        let lab = Lab::new(format(round), long_run()).await;
        let moment = Duration::from_micros(dice.below(took.as_micros() as u64));
        let mut live = lab.begin();
        block_in_place(|| live.runs_for(moment));
        let killed = block_in_place(|| live.kill());
        all.push(lab.check(&killed, &format!("round {round} of seed {seed}, after {moment:?}")).await);
    }
    tell(&mut all);
}

/// What was measured, for whoever asks for it with `--nocapture`.
#[expect(clippy::print_stderr, reason = "the figures are read by people")]
fn tell(all: &mut [Figures]) {
    all.sort_by_key(|figures| figures.ready);
    let (Some(middle), Some(slowest)) = (all.get(all.len() / 2), all.last()) else { return };
    let bytes = all.iter().map(|figures| figures.loss.bytes).max().unwrap_or_default();
    let age = all.iter().map(|figures| figures.loss.age).max().unwrap_or_default();
    eprintln!(
        "{} kills: at most {bytes} bytes sent up to {age:?} before were lost; the next request came after {:?} (median), {:?} (most)",
        all.len(),
        middle.ready,
        slowest.ready
    );
}
