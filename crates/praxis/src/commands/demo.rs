//! `praxis demo`: a whole session on a sample project. A script plays the model; everything else is real.

mod page;
mod sample;
mod show;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use praxis_config::Trust;
use praxis_engine::prompt::PromptInput;
use praxis_engine::{
    Ended, Engine, EngineError, EngineParts, Limits, Models, NewSession, Opening, SCRIPTED, Workbench,
};
use praxis_llm::provider::Providers;
use praxis_llm::script::{Player, Script};
use praxis_proto::{Event, PermissionRequest, SessionModel};
use praxis_store::SqliteStore;
use praxis_tools::{Attendance, system_clock};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio_util::sync::CancellationToken;

use self::page::{Look, Page};
use self::sample::Sample;
use self::show::Show;
use crate::Outcome;
use crate::cli::Answer;
use crate::opened::launcher;
use crate::prompt::{Answerer, Desk};
use crate::screen::{Failure, INTERRUPTED, REJECTED, complain};
use crate::signals::{Which, heed};

/// What the model says and does.
const SCRIPT: &str = include_str!("demo/script.yaml");
/// The name under which the script answers.
const NAME: &str = "demo";
/// What the model is asked.
const PROMPT: &str = "The test fails. Find out why, and fix it.";
/// More answers than the script has, so that a demo gone wrong ends.
const MOST_STEPS: u32 = 20;
/// Lines of a diff before the usual two that name the file.
const DIFF_TITLE: usize = 2;

const NEXT: [(&str, &str); 3] = [
    ("praxis auth login", "give Praxis a key of your provider"),
    ("praxis models", "see which models you can use with it"),
    ("praxis run 'what is in this project?'", "ask one, in a project of yours"),
];

/// What the demo came to.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// The test passes, by this change.
    Fixed { diff: String, test: String },
    /// The user said no.
    Refused,
    /// It did not go as the script says.
    Strayed(String),
}

pub(crate) async fn run() -> Outcome {
    // Listened to before the first question can be seen, or an early Ctrl-C would leave the sample behind.
    let stopped = CancellationToken::new();
    let stop = stopped.clone();
    let _heeding = heed(Which::Interrupts, async move |mut signals| {
        signals.next().await;
        stop.cancel();
    })?;
    let sample =
        Sample::make().map_err(|e| Failure::work(format!("could not write the sample project: {e}")))?;
    let answerer = match Answerer::choose(None) {
        Answerer::Person => Answerer::Person,
        Answerer::Nobody | Answerer::Fixed(_) => Answerer::Fixed(Answer::Allow),
    };
    let mut page = Page::stdout();
    let player = Arc::new(Player::new(script(page.is_watched())?));
    let engine = open(&sample, answerer, &player)?;
    introduce(&mut page, &sample)?;

    let mut stage = Stage::new(&engine, answerer, page);
    let verdict = tokio::select! {
        verdict = stage.play(&player) => Some(verdict),
        () = stopped.cancelled() => None,
    };
    engine.close().await;
    match verdict {
        Some(verdict) => conclude(&mut stage.show.page, verdict?),
        None => {
            // A question may have been left on its line.
            stage.show.page.whole(Look::Plain, "")?;
            Ok(ExitCode::from(INTERRUPTED))
        }
    }
}

/// The script; its pauses are for eyes only.
fn script(watched: bool) -> Result<Script, Failure> {
    let mut script = Script::parse("script.yaml", SCRIPT).map_err(Failure::work)?;
    if !watched {
        for turn in &mut script.turns {
            turn.gap = Duration::ZERO;
        }
    }
    Ok(script)
}

fn open(sample: &Sample, answerer: Answerer, player: &Arc<Player>) -> Result<Engine, Failure> {
    let surroundings = sample.surroundings();
    let workbench = Workbench::open(Opening {
        surroundings: &surroundings,
        directory: &sample.project(),
        config_file: None,
        // We wrote the sample ourselves, a moment ago.
        trust: Trust::Everything,
        attendance: answerer.attendance(),
        questions: Attendance::Unattended,
        observers: Vec::new(),
        launcher: launcher(),
        hooks: Vec::new(),
    })
    .map_err(Failure::work)?;
    let store = SqliteStore::open(&sample.store(), system_clock()).map_err(Failure::work)?;
    let providers = Providers::open(&surroundings, &workbench.loaded.config).map_err(Failure::work)?;
    let models = Models::new(providers).with_player(NAME, Arc::clone(player));
    Ok(Engine::open(EngineParts::new(workbench, Arc::new(store), models)))
}

/// A session that is played and shown.
struct Stage<'a, W> {
    engine: &'a Engine,
    answerer: Answerer,
    desk: Desk,
    events: Receiver<Event>,
    show: Show<W>,
}

impl<'a, W: Write> Stage<'a, W> {
    fn new(engine: &'a Engine, answerer: Answerer, page: Page<W>) -> Self {
        let desk = answerer.desk(engine.workbench());
        let show = Show::new(page, engine.workbench().instance.root());
        Self { engine, answerer, desk, events: engine.subscribe(), show }
    }

    /// Plays the session to its end.
    async fn play(&mut self, player: &Player) -> Result<Verdict, Failure> {
        let model = SessionModel { id: NAME.to_owned(), provider: SCRIPTED.to_owned(), variant: None };
        let new = NewSession { title: Some("Demo".to_owned()), model: Some(model), ..NewSession::default() };
        let session = self.engine.create(new).await.map_err(Failure::work)?.id;
        let limits = Limits { steps: Some(MOST_STEPS), ..Limits::default() };
        let prompting = self.engine.prompt(PromptInput::text(session, PROMPT), limits);
        let outcome = self.watch(prompting).await?.map_err(Failure::work)?;
        self.show.page.rest()?;
        Ok(self.judge(outcome.ended, player))
    }

    /// Shows events in their order, questions included, until the run has ended.
    async fn watch<T>(
        &mut self,
        running: impl Future<Output = Result<T, EngineError>>,
    ) -> io::Result<Result<T, EngineError>> {
        let mut running = std::pin::pin!(running);
        loop {
            tokio::select! {
                biased;
                event = self.events.recv() => match event {
                    Ok(event) => self.take(event).await?,
                    Err(RecvError::Lagged(_)) => self.catch_up().await?,
                    // The bus lives as long as the engine does.
                    Err(RecvError::Closed) => return Ok(running.await),
                },
                done = &mut running => {
                    self.drain().await?;
                    return Ok(done);
                }
            }
        }
    }

    /// What was told before the run ended and not heard yet.
    async fn drain(&mut self) -> io::Result<()> {
        loop {
            match self.events.try_recv() {
                Ok(event) => self.take(event).await?,
                Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => return Ok(()),
            }
        }
    }

    async fn take(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::PermissionAsked(request) => self.answer(request).await,
            event => self.show.event(&event),
        }
    }

    /// Questions that went by unheard still wait.
    async fn catch_up(&mut self) -> io::Result<()> {
        for request in self.engine.workbench().permissions.pending() {
            self.answer(request).await?;
        }
        Ok(())
    }

    async fn answer(&mut self, request: PermissionRequest) -> io::Result<()> {
        self.show.page.rest()?;
        if self.answerer != Answerer::Person {
            self.show.answered_for_you(&request)?;
        }
        self.desk.permission(request).await;
        Ok(())
    }

    fn judge(&mut self, ended: Ended, player: &Player) -> Verdict {
        if self.show.refused {
            return Verdict::Refused;
        }
        let strayed = match ended {
            Ended::Done => player.complaint(),
            Ended::Failed(failure) => {
                Some(player.complaint().unwrap_or_else(|| failure.message().to_owned()))
            }
            Ended::Limit(limit) => Some(limit.to_string()),
            Ended::Blocked | Ended::Cancelled => Some("the run was stopped".to_owned()),
        };
        if let Some(why) = strayed {
            return Verdict::Strayed(why);
        }
        match (self.show.diff.take(), self.show.passed.take(), player.left()) {
            (Some(diff), Some(test), 0) => Verdict::Fixed { diff, test },
            (_, _, left) => {
                Verdict::Strayed(format!("the run ended before the test passed, {left} turns too early"))
            }
        }
    }
}

fn introduce(page: &mut Page<impl Write>, sample: &Sample) -> io::Result<()> {
    page.prose(
        "A script plays the model here. Everything else is real: the files, the tools, the rules and the question. \
         There is no key and no network.",
    )?;
    page.line(Look::Faint, &format!("The sample project is in {}", sample.project().display()))?;
    page.gap()?;
    page.line(Look::Strong, &format!("> {PROMPT}"))
}

fn conclude(page: &mut Page<impl Write>, verdict: Verdict) -> Outcome {
    page.gap()?;
    match verdict {
        Verdict::Fixed { diff, test } => {
            ending(page, &diff, &test)?;
            Ok(ExitCode::SUCCESS)
        }
        Verdict::Refused => {
            page.prose("You said no, so the command did not run and the work stopped there.")?;
            page.prose("Nothing was changed. Run `praxis demo` again and answer y to see the test pass.")?;
            Ok(ExitCode::from(REJECTED))
        }
        Verdict::Strayed(why) => {
            complain("the demo did not go as scripted", &why);
            Err(Failure::work(
                "a tool gave something else than it should on this machine; `praxis doctor` looks for the cause",
            ))
        }
    }
}

/// The change, the test, and what to do next.
fn ending(page: &mut Page<impl Write>, diff: &str, test: &str) -> io::Result<()> {
    page.line(Look::Strong, "The change")?;
    for line in diff.lines().skip(DIFF_TITLE) {
        let look = match line.as_bytes().first() {
            Some(b'+') => Look::Good,
            Some(b'-') => Look::Bad,
            _ => Look::Plain,
        };
        page.whole(look, &format!("  {line}"))?;
    }
    page.gap()?;
    page.line(Look::Strong, "The test")?;
    for line in test.lines() {
        page.line(Look::Plain, &format!("  {line}"))?;
    }
    page.gap()?;
    page.line(Look::Strong, "What to do next")?;
    for (command, what) in NEXT {
        page.whole(Look::Plain, &format!("  {command}"))?;
        page.line(Look::Faint, &format!("    {what}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays a script on the sample; it must get by without commands.
    async fn played(script: &str) -> (Verdict, String) {
        let sample = Sample::make().unwrap();
        let player = Arc::new(Player::new(Script::parse("test.yaml", script).unwrap()));
        let answerer = Answerer::Fixed(Answer::Allow);
        let engine = open(&sample, answerer, &player).unwrap_or_else(|failure| panic!("{failure:?}"));
        let mut out = Vec::new();
        let mut stage = Stage::new(&engine, answerer, Page::new(&mut out, false, None));
        let verdict = stage.play(&player).await.unwrap_or_else(|failure| panic!("{failure:?}"));
        engine.close().await;
        (verdict, String::from_utf8(out).unwrap())
    }

    #[tokio::test]
    async fn a_result_that_the_script_does_not_expect_is_told() {
        let (verdict, shown) = played(
            "
            - call: { read: { filePath: lib/year.sh } }
            - expect: { result: { of: read, text: something else } }
              say: It was as I thought.
            ",
        )
        .await;
        let Verdict::Strayed(why) = verdict else { panic!("{verdict:?}") };
        assert!(why.contains("something else") && why.contains("is_leap"), "{why}");
        assert!(shown.contains("✓ read lib/year.sh") && !shown.contains("as I thought"), "{shown}");
    }

    #[tokio::test]
    async fn a_script_that_fixes_nothing_has_not_fixed_it() {
        let (verdict, shown) = played("- say: All is well.").await;
        assert_eq!(
            verdict,
            Verdict::Strayed("the run ended before the test passed, 0 turns too early".into())
        );
        assert_eq!(shown, "\nAll is well.\n");
    }
}
