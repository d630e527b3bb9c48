//! Finding a model: under 3 ms from nothing to everything a request needs, for the largest provider too.

#![expect(clippy::unwrap_used, reason = "a benchmark may fail where it stands")]

use praxis_config::{Config, Surroundings};
use praxis_llm::catalogue::Catalogue;
use praxis_llm::provider::{Choice, Providers};

fn main() {
    divan::main();
}

const MODELS: &[&str] = &["anthropic/claude-sonnet-4-5", "openrouter/anthropic/claude-sonnet-4.5"];

#[divan::bench(args = MODELS)]
fn one_model_of_the_catalogue(name: &str) -> bool {
    let (provider, model) = name.split_once('/').unwrap();
    Catalogue::embedded().unwrap().model(provider, model).unwrap().is_some()
}

#[divan::bench(args = MODELS)]
fn everything_a_request_needs(bencher: divan::Bencher<'_, '_>, name: &str) {
    let pairs = [("HOME", "/nowhere"), ("ANTHROPIC_API_KEY", "k"), ("OPENROUTER_API_KEY", "k")];
    let surroundings = Surroundings::from_env(pairs.map(|(k, v)| (k.to_owned(), v.to_owned())));
    let (config, choice) = (Config::default(), Choice::parse(name).unwrap());
    bencher.bench_local(|| Providers::open(&surroundings, &config).unwrap().resolve(&choice).unwrap());
}

#[divan::bench]
fn all_models() -> usize {
    let catalogue = Catalogue::embedded().unwrap();
    catalogue.providers().map(|info| catalogue.models(&info.id).unwrap().len()).sum()
}
