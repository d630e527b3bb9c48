//! Replacing one text by another in a third.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| praxis_text::replace::fuzz(data));
