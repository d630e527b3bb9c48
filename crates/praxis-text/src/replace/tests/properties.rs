use std::borrow::Cow;

use proptest::prelude::*;

use crate::replace::{exact, fuzz, hunks, replace};
use crate::{Hunk, Unified, apply};

proptest! {
    #[test]
    fn a_unique_exact_text_is_replaced_as_the_standard_library_does(
        text in "[abé \n]{1,30}", from in any::<prop::sample::Index>(), length in 1usize..8, new in "[xé\n]{0,4}",
    ) {
        let chars: Vec<char> = text.chars().collect();
        let old: String = chars[from.index(chars.len())..].iter().take(length).collect();
        let unique = text.find(&old) == text.rfind(&old);
        prop_assume!(old != new);
        match replace(&text, &old, &new, false) {
            Ok(done) => {
                prop_assert!(unique);
                prop_assert_eq!(apply(&text, &done.hunks), text.replacen(&old, &new, 1));
            }
            Err(error) => prop_assert!(!unique, "{error}"),
        }
        let all = replace(&text, &old, &new, true).unwrap();
        prop_assert_eq!(apply(&text, &all.hunks), text.replace(&old, &new));
    }

    #[test]
    fn near_matches_keep_the_promises(
        text in "([ab{}\\\\\"n$ \t\r]|é|\n){0,40}", from in any::<prop::sample::Index>(), length in 1usize..20,
        noise in "[a \t\r\n]{0,2}", new in "[ab \r\n$]{0,6}", all: bool,
    ) {
        let chars: Vec<char> = text.chars().collect();
        let piece = chars.get(from.index(chars.len() + 1)..).unwrap_or_default().iter().take(length);
        let piece: String = piece.collect();
        for old in [format!("{noise}{piece}"), piece.replacen(' ', &noise, 1), format!("{piece}{noise}")] {
            fuzz::check(&text, &old, &new, all);
        }
    }

    #[test]
    fn any_text_keeps_the_promises(text: String, old: String, new: String, all: bool) {
        fuzz::check(&text, &old, &new, all);
    }

    #[test]
    fn any_bytes_keep_the_promises(data: Vec<u8>) {
        fuzz::fuzz(&data);
    }

    #[test]
    fn hunks_are_those_of_the_unified_text(text in "[ab\r\n]{1,30}", new in "[x\n]{1,3}") {
        let unified = Unified::new(&text);
        let places = exact::places(unified.text(), "a");
        let expected: Vec<Hunk> = places.iter().map(|place| unified.original_hunk(place.clone(), &new)).collect();
        prop_assert_eq!(hunks(&unified, &places, |_| Cow::Borrowed(&new)), expected);
    }
}
