//! Acts that destroy more than they name: whole trees deleted, moved away, emptied, or opened to everybody.
//!
//! Only what is aimed at is noted here; whether that is a place to be protected is for the judge to say.

use super::path;
use super::walk::{Walker, short};
use super::word::{Resolved, Sweep};
use super::{Harm, Reach};

/// Programs that delete whole trees without being told to.
const SWEEPERS: &[&str] = &["rimraf", "trash", "trash-put", "del-cli", "rm-rf"];
/// Programs that are about whole devices.
const FORMATTERS: &[&str] =
    &["wipefs", "blkdiscard", "fdisk", "sfdisk", "gdisk", "sgdisk", "parted", "mkswap", "badblocks", "shred"];
/// What an unknown word names when it may well be a place that must not be lost.
const PLACES: &[&str] = &["HOME", "PWD", "pwd", "show-toplevel", "/.git"];
/// Acts noted; a script with more is dynamic.
const MOST_HARMS: usize = 1_000;

impl Walker<'_> {
    /// Notes what the command would destroy as a whole.
    pub(super) fn harm(&mut self, name: &str, words: &[Resolved]) {
        let operands = operands(words);
        // Who knows what an unknown word adds; it may be the flag itself.
        let unknown = words[1..].iter().any(|word| !word.is_static && !word.tame);
        let recurs = unknown || has_flag(words, &['r', 'R'], &["--recursive"]);
        match name {
            "rm" | "srm" | "wipe" => self.sweep("delete", Reach::Tree, &operands, recurs),
            _ if SWEEPERS.contains(&name) => self.sweep("delete", Reach::Tree, &operands, true),
            "unlink" | "rmdir" | "truncate" => self.sweep("destroy", Reach::Tree, &operands, false),
            "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" => {
                self.sweep("change the rights of", Reach::Rights, &operands, recurs);
            }
            "mv" => self.moved(words, &operands),
            "rsync" if has_flag(words, &[], &["--del", "--delete"]) => {
                let into = operands.last().copied().filter(|word| !is_remote(&word.text));
                self.sweep("empty", Reach::Tree, into.as_slice(), true);
            }
            "tar" if has_flag(words, &[], &["--remove-files"]) => {
                self.sweep("delete", Reach::Tree, &operands, true);
            }
            "zip" if has_flag(words, &['m'], &["--move"]) => {
                self.sweep("delete", Reach::Tree, &operands, recurs);
            }
            _ => {}
        }
        if FORMATTERS.contains(&name) || name.starts_with("mkfs") {
            for word in operands.iter().filter(|word| word.text.starts_with("/dev/")) {
                self.touch(word, true);
            }
            self.sweep("destroy", Reach::Tree, &operands, false);
        }
    }

    /// Moving a place away is as good as deleting it; moving it onto a place replaces that.
    fn moved(&mut self, words: &[Resolved], operands: &[&Resolved]) {
        let into_first = has_flag(words, &['t'], &["--target-directory"]);
        let (from, onto) = match operands.split_last() {
            Some((onto, from)) if !into_first => (from, Some(*onto)),
            _ => (operands, None),
        };
        self.sweep("move away", Reach::Itself, from, true);
        if has_flag(words, &['T'], &["--no-target-directory"]) {
            self.sweep("replace", Reach::Itself, onto.as_slice(), true);
        }
    }

    /// Notes each target, if it is taken with all that is below it.
    pub(super) fn sweep(&mut self, act: &'static str, reach: Reach, targets: &[&Resolved], recurs: bool) {
        for word in targets {
            match word.sweep {
                Sweep::All => {}
                Sweep::Named if recurs => {}
                Sweep::Named | Sweep::Few => continue,
            }
            self.aim(act, reach, word);
        }
    }

    fn aim(&mut self, act: &'static str, reach: Reach, word: &Resolved) {
        if self.out.harms.len() >= MOST_HARMS {
            return self.doubt("the script deletes too much");
        }
        if !word.is_static {
            if is_unsure(&word.text) {
                self.unsure(act, &word.text);
            }
            return;
        }
        let start = word.glob.map(|glob| word.text[..glob].rfind('/').map_or(0, |at| at + 1));
        let (folder, glob) = word.text.split_at(start.unwrap_or(word.text.len()));
        if glob.split('/').any(|part| part == "..") {
            return self.unsure(act, &word.text);
        }
        let glob = (!glob.is_empty()).then(|| glob.to_owned());
        let harm = |path: String, unless| Harm { act, path, glob: glob.clone(), reach, unless };
        if folder.starts_with('/') {
            return self.out.harms.push(harm(folder.to_owned(), None));
        }
        let is_here = matches!(folder.trim_end_matches('/'), "" | "." | "..");
        if self.state.folders.is_empty() && is_here {
            return self.unsure(act, &word.text);
        }
        for from in &self.state.folders {
            self.out.harms.push(harm(path::join(from, folder), None));
        }
        // Where a `cd` may have failed, everything happens where it was meant to leave.
        for from in &self.state.fallback {
            self.out.harms.push(harm(path::join(from, folder), self.state.meant()));
        }
    }

    fn unsure(&mut self, act: &'static str, text: &str) {
        self.out.harms.push(Harm { act, path: short(text), glob: None, reach: Reach::Unsure, unless: None });
    }
}

/// The words that are no flags.
fn operands(words: &[Resolved]) -> Vec<&Resolved> {
    let mut ended = false;
    let mut out = Vec::new();
    for word in &words[1..] {
        if !ended && word.text == "--" {
            ended = true;
        } else if ended || !word.text.starts_with('-') {
            out.push(word);
        }
    }
    out
}

/// Is one of the flags there, alone, among others, with a value or shortened?
fn has_flag(words: &[Resolved], letters: &[char], long: &[&str]) -> bool {
    words[1..].iter().map(|word| word.text.as_str()).take_while(|text| *text != "--").any(|text| {
        let name = text.split('=').next().unwrap_or(text);
        if name.starts_with("--") {
            let is_short_for = |flag: &&str| flag.starts_with(name) || name.starts_with(&format!("{flag}-"));
            return name.len() > 4 && long.iter().any(is_short_for);
        }
        text.starts_with('-') && text.contains(letters)
    })
}

/// `host:path`.
fn is_remote(text: &str) -> bool {
    text.split_once(':').is_some_and(|(host, _)| !host.contains('/'))
}

/// Does an unknown word seem to mean a place that must not be lost, or `/` if a variable is empty?
fn is_unsure(text: &str) -> bool {
    if text.starts_with('~') || PLACES.iter().any(|place| text.contains(place)) {
        return true;
    }
    let bare = text.replace('"', "");
    let Some(after) = bare.strip_prefix('$') else { return false };
    let rest = match after.strip_prefix('{') {
        // `${x:?}` fails where it is empty.
        Some(body) if body.split('}').next().is_some_and(|name| name.contains('?')) => return false,
        Some(body) => body.split_once('}').map_or("", |(_, rest)| rest),
        None => after.trim_start_matches(|c: char| c == '_' || c.is_ascii_alphanumeric()),
    };
    rest.starts_with('/') && rest.chars().all(|c| matches!(c, '/' | '*' | '.' | '?'))
}
