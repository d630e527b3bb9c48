//! Mending and previewing JSON.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| praxis_llm::json::fuzz(data));
