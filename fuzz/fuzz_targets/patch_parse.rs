//! Reading a patch.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| praxis_text::patch::fuzz_parse(data));
