//! Telling printed calls from text.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| praxis_llm::recover::fuzz(data));
