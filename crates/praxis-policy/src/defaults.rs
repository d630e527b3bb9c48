//! The rules Praxis starts from, and the nature of its own agents.

use praxis_proto::{Action, Rule};

use crate::Ceiling;

use Action::{Allow, Ask, Deny};

const DEFAULTS: &str = "defaults";

/// Secret files ask; the samples people check in do not.
const SECRETS: &[(&str, Action)] = &[
    ("*.env", Ask),
    ("*.env.*", Ask),
    ("*.env.example", Allow),
    ("*.env.sample", Allow),
    ("*.env.template", Allow),
];

/// What the explore agent is for.
const EXPLORE: &[&str] = &["grep", "glob", "list", "bash", "webfetch", "websearch", "read"];

/// Programs that only look, as data: the shell of plan and explore. Where one can write after all (`find -delete`,
/// `sort -o`, a redirection), the analyser finds the write, and `edit` is denied to both.
const LOOKING: &str = include_str!("looking.txt");

/// The shell of an agent that only looks: what [`LOOKING`] names, and `otherwise` for the rest.
fn looking(part: &'static str, otherwise: Action) -> Vec<Rule> {
    let commands = LOOKING.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let allow = |command: &str| Rule::built_in(part, "bash", &format!("{command} *"), Allow);
    [Rule::built_in(part, "bash", "*", otherwise)].into_iter().chain(commands.map(allow)).collect()
}

/// Folders outside the project that the rules name, absolute and without a final slash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// Where long outputs are saved.
    pub tool_output: String,
    /// Our temporary folder.
    pub temp: String,
    /// Where plans are kept for projects without git.
    pub plans: String,
    /// Folders of skills and references.
    pub readable: Vec<String>,
}

impl Layout {
    fn open_folders(&self, part: &'static str) -> impl Iterator<Item = Rule> {
        [&self.tool_output, &self.temp]
            .into_iter()
            .chain(&self.readable)
            .filter(|folder| !folder.is_empty())
            .map(move |folder| Rule::built_in(part, "external_directory", &format!("{folder}/*"), Allow))
    }
}

/// The rules every agent begins with.
fn base(layout: &Layout) -> Vec<Rule> {
    let rule =
        |permission: &str, pattern: &str, action| Rule::built_in(DEFAULTS, permission, pattern, action);
    let mut rules =
        vec![rule("*", "*", Allow), rule("doom_loop", "*", Ask), rule("external_directory", "*", Ask)];
    rules.extend(layout.open_folders(DEFAULTS));
    rules.extend(["question", "plan_enter", "plan_exit"].map(|name| rule(name, "*", Deny)));
    rules.push(rule("read", "*", Allow));
    rules.extend(SECRETS.iter().map(|(pattern, action)| rule("read", pattern, *action)));
    rules
}

/// The rules an agent of the user's own begins with.
pub fn for_custom_agent(layout: &Layout) -> Vec<Rule> {
    base(layout)
}

/// Keeps saved outputs readable under a blanket deny of outside folders, unless exactly that folder is denied.
pub fn finish(mut rules: Vec<Rule>, layout: &Layout) -> Vec<Rule> {
    let folder = format!("{}/*", layout.tool_output);
    let refused = rules
        .iter()
        .any(|rule| rule.permission == "external_directory" && rule.pattern == folder && rule.action == Deny);
    if !refused && !layout.tool_output.is_empty() {
        rules.push(Rule::built_in("saved outputs", "external_directory", &folder, Allow));
    }
    rules
}

/// An agent that comes with Praxis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuiltIn {
    /// Normal work.
    Build,
    /// Planning, without changing the project.
    Plan,
    /// A helper for work in several steps.
    General,
    /// A helper that searches and reads.
    Explore,
    /// Writes summaries of long sessions.
    Compaction,
    /// Writes session titles.
    Title,
    /// Writes summaries of changes.
    Summary,
}

impl BuiltIn {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Build, Self::Plan, Self::General, Self::Explore, Self::Compaction, Self::Title, Self::Summary];

    /// The name in configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Plan => "plan",
            Self::General => "general",
            Self::Explore => "explore",
            Self::Compaction => "compaction",
            Self::Title => "title",
            Self::Summary => "summary",
        }
    }

    /// Finds one by name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.name() == name)
    }

    fn part(self) -> &'static str {
        match self {
            Self::Build => "agent build",
            Self::Plan => "agent plan",
            Self::General => "agent general",
            Self::Explore => "agent explore",
            Self::Compaction => "agent compaction",
            Self::Title => "agent title",
            Self::Summary => "agent summary",
        }
    }

    /// The defaults and this agent's own rules; the user's come after them.
    pub fn rules(self, layout: &Layout) -> Vec<Rule> {
        let rule = |permission: &str, pattern: &str, action| {
            Rule::built_in(self.part(), permission, pattern, action)
        };
        let mut rules = base(layout);
        match self {
            Self::Build => rules.extend([rule("question", "*", Allow), rule("plan_enter", "*", Allow)]),
            Self::Plan => {
                rules.extend([
                    rule("question", "*", Allow),
                    rule("plan_exit", "*", Allow),
                    rule("task", "general", Deny),
                    rule("external_directory", &format!("{}/*", layout.plans), Allow),
                ]);
                rules.extend(self.plan_files(layout));
            }
            Self::General => rules.push(rule("todowrite", "*", Deny)),
            Self::Explore => {
                rules.push(rule("*", "*", Deny));
                rules.extend(EXPLORE.iter().map(|name| rule(name, "*", Allow)));
                // The blanket `read` above would cancel the question about secret files.
                rules.extend(SECRETS.iter().map(|(pattern, action)| rule("read", pattern, *action)));
                rules.push(rule("external_directory", "*", Ask));
                rules.extend(layout.open_folders(self.part()));
            }
            Self::Compaction | Self::Title | Self::Summary => rules.push(rule("*", "*", Deny)),
        }
        rules
    }

    /// What this agent cannot be allowed by any configuration. A different agent is one entry away; a plan mode
    /// that edits is a trap.
    pub fn ceiling(self, layout: &Layout) -> Option<Ceiling> {
        let rule = |permission: &str, pattern: &str, action| {
            Rule::built_in(self.part(), permission, pattern, action)
        };
        let rules = match self {
            Self::Build | Self::General => return None,
            Self::Plan => {
                let mut rules = self.plan_files(layout);
                rules.extend(looking(self.part(), Ask));
                rules
            }
            Self::Explore => {
                let open = EXPLORE.iter().chain(&["external_directory", "doom_loop"]);
                let mut rules = vec![rule("*", "*", Deny)];
                rules.extend(open.map(|name| rule(name, "*", Allow)));
                rules.extend(looking(self.part(), Deny));
                rules
            }
            Self::Compaction | Self::Title | Self::Summary => vec![rule("*", "*", Deny)],
        };
        Some(Ceiling::new(format!("agent {}", self.name()), rules))
    }

    fn plan_files(self, layout: &Layout) -> Vec<Rule> {
        let rule = |pattern: &str, action| Rule::built_in(self.part(), "edit", pattern, action);
        vec![
            rule("*", Deny),
            rule(".opencode/plans/*.md", Allow),
            rule(".praxis/plans/*.md", Allow),
            rule(&format!("{}/*.md", layout.plans), Allow),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Authority, disabled};

    fn layout() -> Layout {
        Layout {
            tool_output: "/data/tool-output".into(),
            temp: "/tmp/praxis".into(),
            plans: "/data/plans".into(),
            readable: vec!["/skills/a".into()],
        }
    }

    fn agent(agent: BuiltIn, user: &[(&str, &str, Action)]) -> Authority {
        let layout = layout();
        let mut rules = agent.rules(&layout);
        rules.extend(user.iter().map(|(p, t, a)| Rule::built_in("user", p, t, *a)));
        let authority = Authority::new(finish(rules, &layout));
        match agent.ceiling(&layout) {
            Some(ceiling) => authority.under(ceiling),
            None => authority,
        }
    }

    fn says(authority: &Authority, permission: &str, pattern: &str) -> Action {
        authority.decide(permission, pattern, &[]).action
    }

    #[test]
    fn build_works_and_asks_where_it_should() {
        let build = agent(BuiltIn::Build, &[]);
        for permission in ["edit", "bash", "webfetch", "question", "plan_enter", "anything"] {
            assert_eq!(says(&build, permission, "x"), Allow, "{permission}");
        }
        assert_eq!(says(&build, "plan_exit", "*"), Deny);
        assert_eq!(says(&build, "doom_loop", "read"), Ask);
        assert_eq!(says(&build, "external_directory", "/etc/*"), Ask);
        assert_eq!(says(&build, "external_directory", "/data/tool-output/*"), Allow);
        assert_eq!(says(&build, "external_directory", "/tmp/praxis/x/*"), Allow);
        assert_eq!(says(&build, "external_directory", "/skills/a/*"), Allow);
    }

    #[test]
    fn secret_files_ask_for_build_plan_and_explore() {
        for kind in [BuiltIn::Build, BuiltIn::Plan, BuiltIn::Explore] {
            let agent = agent(kind, &[]);
            for file in [".env", "a/.env", ".env.local", ".env.production", ".env.development.local"] {
                assert_eq!(says(&agent, "read", file), Ask, "{kind:?} {file}");
            }
            for file in
                [".env.example", ".env.sample", ".env.template", ".envrc", "environment.ts", "src/a.rs"]
            {
                assert_eq!(says(&agent, "read", file), Allow, "{kind:?} {file}");
            }
        }
    }

    #[test]
    fn plan_edits_only_plans_whatever_the_user_says() {
        for user in [&[][..], &[("edit", "*", Allow)], &[("*", "*", Allow)]] {
            let plan = agent(BuiltIn::Plan, user);
            assert_eq!(says(&plan, "edit", "src/main.rs"), Deny);
            assert_eq!(says(&plan, "edit", ".opencode/plans/foo.md"), Allow);
            assert_eq!(says(&plan, "edit", "/data/plans/foo.md"), Allow);
        }
        let plan = agent(BuiltIn::Plan, &[]);
        assert_eq!(says(&plan, "task", "general"), Deny);
        assert_eq!(says(&plan, "task", "explore"), Allow);
        assert_eq!(says(&plan, "task", "custom"), Allow);
        assert_eq!(says(&agent(BuiltIn::Plan, &[("task", "general", Allow)]), "task", "general"), Allow);
    }

    #[test]
    fn explore_only_looks_whatever_the_user_says() {
        for user in [&[][..], &[("*", "*", Allow)], &[("edit", "*", Allow)]] {
            let explore = agent(BuiltIn::Explore, user);
            for permission in ["edit", "todowrite", "task", "some_mcp_tool"] {
                assert_eq!(says(&explore, permission, "x"), Deny, "{permission}");
            }
            assert_eq!(says(&explore, "grep", "x"), Allow);
            assert!(disabled("write", &explore) && disabled("todowrite", &explore));
            assert!(!disabled("read", &explore));
        }
        assert_eq!(says(&agent(BuiltIn::Explore, &[]), "external_directory", "/etc/*"), Ask);
        assert_eq!(says(&agent(BuiltIn::Explore, &[("bash", "*", Deny)]), "bash", "ls"), Deny);
    }

    #[test]
    fn plan_and_explore_have_a_shell_that_looks_whatever_the_user_says() {
        for user in [&[][..], &[("*", "*", Allow)], &[("bash", "*", Allow), ("bash", "cargo *", Allow)]] {
            let (plan, explore) = (agent(BuiltIn::Plan, user), agent(BuiltIn::Explore, user));
            for script in ["ls", "ls -la src", "cat x", "git status", "git log -5", "git diff --stat", "rg x"]
            {
                assert_eq!(says(&plan, "bash", script), Allow, "{script}");
                assert_eq!(says(&explore, "bash", script), Allow, "{script}");
            }
            for script in ["rm x", "cargo test", "git push", "git statusx", "npm i", "lsx", "> x", "sh -c ls"]
            {
                assert_eq!(says(&plan, "bash", script), Ask, "{script}");
                assert_eq!(says(&explore, "bash", script), Deny, "{script}");
            }
        }
        assert!(
            !disabled("bash", &agent(BuiltIn::Plan, &[])) && !disabled("bash", &agent(BuiltIn::Explore, &[]))
        );
        assert_eq!(
            agent(BuiltIn::Explore, &[]).decide("bash", "rm x", &[]).reason(),
            "the ceiling `agent explore`, built-in agent explore `bash *`"
        );
    }

    #[test]
    fn the_silent_agents_do_nothing_whatever_the_user_says() {
        for kind in [BuiltIn::Compaction, BuiltIn::Title, BuiltIn::Summary] {
            assert_eq!(says(&agent(kind, &[("*", "*", Allow)]), "read", "x"), Deny);
        }
    }

    #[test]
    fn saved_outputs_stay_readable_under_a_blanket_deny() {
        let blanket = agent(BuiltIn::Build, &[("external_directory", "*", Deny)]);
        assert_eq!(says(&blanket, "external_directory", "/data/tool-output/*"), Allow);
        assert_eq!(says(&blanket, "external_directory", "/data/tool-output"), Deny);
        let exact = agent(BuiltIn::Build, &[("external_directory", "/data/tool-output/*", Deny)]);
        assert_eq!(says(&exact, "external_directory", "/data/tool-output/*"), Deny);
    }
}
