//! Cutting a stream into events.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| praxis_llm::sse::fuzz(data));
