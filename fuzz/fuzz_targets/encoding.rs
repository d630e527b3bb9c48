//! Decoding a file and changing it.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| praxis_text::encoding::fuzz(data));
