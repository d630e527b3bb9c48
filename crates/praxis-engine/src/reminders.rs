//! Notes on a user message that follow from who is to answer it.
//!
//! A note depends on nothing but the message and what came before it, so a message carries the same note in every
//! later request too, and the beginning of the conversation stays as the provider has cached it.

use praxis_policy::BuiltIn;

use crate::prompts;

/// The note for a user message that `agent` is to answer; `before` is the agent of the answer before it, if any.
///
/// It goes behind the message's parts as one more text and is not stored.
pub fn reminder(agent: &str, before: Option<&str>) -> Option<&'static str> {
    let plan = BuiltIn::Plan.name();
    if agent == plan {
        return Some(prompts::PLAN.trim_end());
    }
    let resumes = agent == BuiltIn::Build.name() && before == Some(plan);
    resumes.then(|| prompts::BUILD.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planning_is_recalled_on_every_message_and_its_end_once() {
        let starts = |agent, before| {
            reminder(agent, before).map(|note| note.lines().nth(1).unwrap().split('.').next().unwrap())
        };
        assert_eq!(starts("plan", None), Some("You are planning"));
        assert_eq!(starts("plan", Some("plan")), Some("You are planning"));
        assert_eq!(starts("build", Some("plan")), Some("Planning is over"));
        assert_eq!(starts("build", Some("build")), None);
        assert_eq!(starts("build", None), None);
        assert_eq!(starts("mine", Some("plan")), None);
    }
}
