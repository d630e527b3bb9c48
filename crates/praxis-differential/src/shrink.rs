//! A failing script made as short as it can be.

use std::time::{Duration, Instant};

use crate::generate::tokens;

/// Tries at most.
const MOST: usize = 400;
/// Time at most.
const LONGEST: Duration = Duration::from_secs(4);

/// Drops pieces of `script` as long as `fails` says that the rest still fails.
pub(crate) fn shrink(script: &str, mut fails: impl FnMut(&str) -> bool) -> String {
    let start = Instant::now();
    let mut tries = 0;
    let mut best: Vec<String> = tokens(script);
    for letters in [false, true] {
        if letters {
            best = best.concat().chars().map(String::from).collect();
        }
        let mut size = best.len().div_ceil(2).max(1);
        loop {
            let mut at = 0;
            let mut dropped = false;
            while at < best.len() {
                let mut shorter = best.clone();
                shorter.drain(at..(at + size).min(best.len()));
                tries += 1;
                if tries > MOST || start.elapsed() > LONGEST {
                    return best.concat();
                }
                if fails(&shorter.concat()) {
                    best = shorter;
                    dropped = true;
                } else {
                    at += size;
                }
            }
            if size == 1 && !dropped {
                break;
            }
            size = if dropped && size == 1 { 1 } else { (size / 2).max(1) };
        }
    }
    best.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_goes() {
        assert_eq!(shrink("ls a b c; rm -rf x && cat y", |script| script.contains("rm")), "rm");
    }
}
