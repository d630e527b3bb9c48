//! Applying a patch to a file.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| praxis_text::patch::fuzz_apply(data));
