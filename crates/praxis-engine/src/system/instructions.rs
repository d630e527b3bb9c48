//! The texts of instruction files and addresses, each with its source.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use praxis_config::Instruction;
use praxis_os::{Http, HttpRequest, RealPath, open_regular};
use tokio::task::JoinSet;

use super::cut;

/// Bytes of one file or page that are told.
const MOST_BYTES: usize = 64 << 10;
/// Bytes of all of them together.
const MOST_TOTAL: usize = 256 << 10;
/// How long an address may take to answer.
const DEADLINE: Duration = Duration::from_secs(5);
/// The most that is read of its answer.
const MOST_ANSWER: usize = 1 << 20;
/// Addresses asked at once, and altogether.
const AT_ONCE: usize = 4;
const MOST_PAGES: usize = 32;
/// How long an answer is good for; a failure is tried again sooner.
const FRESH: Duration = Duration::from_mins(10);
const FAILED_FRESH: Duration = Duration::from_secs(30);

/// What one source says, or why it says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstructionText {
    /// The file or the address.
    pub source: String,
    /// Its text, or what went wrong.
    pub text: Result<String, String>,
}

impl InstructionText {
    pub(super) fn told(&self) -> String {
        match &self.text {
            Ok(text) => format!("Instructions from: {}\n{text}", self.source),
            Err(why) => format!("Instructions from: {}\n(not available: {why})", self.source),
        }
    }
}

/// Reads instructions, and remembers for a while what addresses answered. Clones share their memory.
#[derive(Debug, Clone, Default)]
pub struct Library {
    http: Http,
    pages: Arc<Mutex<HashMap<String, Page>>>,
}

#[derive(Debug, Clone)]
struct Page {
    text: Result<String, String>,
    since: Instant,
}

impl Page {
    fn is_fresh(&self) -> bool {
        self.since.elapsed() < if self.text.is_ok() { FRESH } else { FAILED_FRESH }
    }
}

impl Library {
    /// The texts in the order of their sources; empty files are left out. What cannot be had is noted, never fatal.
    pub async fn read(&self, sources: &[Instruction]) -> Vec<InstructionText> {
        let fetched = self.fetch(sources).await;
        let owned = sources.to_vec();
        let reading = tokio::task::spawn_blocking(move || {
            let text = |source: Instruction| match source {
                Instruction::File(path) => {
                    InstructionText { text: read_file(&path), source: path.to_string_lossy().into_owned() }
                }
                Instruction::Url(url) => {
                    let text = fetched.get(&url).cloned();
                    let text = text.unwrap_or_else(|| Err(format!("only {MOST_PAGES} addresses are asked")));
                    InstructionText { text, source: shown(&url) }
                }
            };
            within(owned.into_iter().map(text))
        });
        reading.await.unwrap_or_default()
    }

    async fn fetch(&self, sources: &[Instruction]) -> HashMap<String, Result<String, String>> {
        let addresses = sources.iter().filter_map(|source| match source {
            Instruction::Url(url) => Some(url.clone()),
            Instruction::File(_) => None,
        });
        let addresses: Vec<String> = addresses.take(MOST_PAGES).collect();
        let mut answers = HashMap::new();
        for some in addresses.chunks(AT_ONCE) {
            let mut asked = JoinSet::new();
            for url in some {
                let (library, url) = (self.clone(), url.clone());
                asked.spawn(async move { (url.clone(), library.page(url).await) });
            }
            answers.extend(asked.join_all().await);
        }
        answers
    }

    async fn page(&self, url: String) -> Result<String, String> {
        let known = self.lock().get(&url).filter(|page| page.is_fresh()).cloned();
        if let Some(page) = known {
            return page.text;
        }
        let text = self.get(&url).await;
        if let Err(why) = &text {
            tracing::warn!(url = shown(&url), why, "instructions could not be fetched");
        }
        let mut pages = self.lock();
        pages.retain(|_, page| page.is_fresh());
        if pages.len() < MOST_PAGES {
            pages.insert(url, Page { text: text.clone(), since: Instant::now() });
        }
        text
    }

    async fn get(&self, url: &str) -> Result<String, String> {
        let request = HttpRequest {
            url: url.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
            deadline: DEADLINE,
            most_bytes: MOST_ANSWER,
        };
        let reply = self.http.get(request).await.map_err(|error| error.to_string())?;
        match reply.status {
            200..300 => Ok(String::from_utf8_lossy(&reply.body).into_owned()),
            status => Err(format!("the server answered with status {status}")),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Page>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What stands behind a question mark may be a key.
fn shown(url: &str) -> String {
    url.split('?').next().unwrap_or_default().to_owned()
}

fn read_file(path: &Path) -> Result<String, String> {
    let real = RealPath::resolve(Path::new("/"), path).map_err(|error| error.to_string())?;
    let file = open_regular(&real).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(MOST_ANSWER as u64).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    let text = praxis_text::encoding::decode(&bytes).map_err(|_| "it is not text".to_owned())?.text;
    Ok(text)
}

/// Cuts each text, and all of them together.
fn within(texts: impl Iterator<Item = InstructionText>) -> Vec<InstructionText> {
    let mut left = MOST_TOTAL;
    let bounded = texts.filter_map(|InstructionText { source, text }| {
        let text = match text {
            Ok(text) if text.trim().is_empty() => return None,
            Ok(_) if left == 0 => {
                Err(format!("the instructions before it fill the {} KiB there are", MOST_TOTAL >> 10))
            }
            Ok(text) => {
                let text = cut(text.trim(), MOST_BYTES.min(left)).into_owned();
                left = left.saturating_sub(text.len());
                Ok(text)
            }
            Err(why) => Err(why),
        };
        Some(InstructionText { source, text })
    });
    bounded.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(source: &str, text: &str) -> InstructionText {
        InstructionText { source: source.to_owned(), text: Ok(text.to_owned()) }
    }

    #[test]
    fn a_text_is_cut_at_its_limit_and_all_of_them_at_theirs() {
        let exact = "x".repeat(MOST_BYTES);
        let kept = within([text("a", &exact), text("empty", " \n")].into_iter());
        assert_eq!(kept, [text("a", &exact)]);

        let over = within([text("a", &format!("{exact}y"))].into_iter());
        let cut = format!("{exact}\n(cut here: {MOST_BYTES} of {} bytes are shown)", MOST_BYTES + 1);
        assert_eq!(over, [text("a", &cut)]);

        let many = within((0..6).map(|n| text(&n.to_string(), &exact)));
        let full = Err("the instructions before it fill the 256 KiB there are".to_owned());
        assert_eq!(many.iter().filter(|one| one.text.is_ok()).count(), 4);
        assert_eq!((&many[4].text, &many[5].text), (&full, &full));
    }

    #[tokio::test]
    async fn what_cannot_be_had_is_noted_and_the_rest_is_read() {
        let temp = tempfile::tempdir().unwrap();
        let (there, gone) = (temp.path().join("AGENTS.md"), temp.path().join("gone.md"));
        std::fs::write(&there, "Be brief.\n").unwrap();
        let sources = [
            Instruction::File(gone.clone()),
            Instruction::Url("nowhere:key?secret".to_owned()),
            Instruction::File(there.clone()),
        ];
        let texts = Library::default().read(&sources).await;
        assert_eq!(texts[0].text, Err(format!("File not found: {}", gone.display())));
        assert_eq!(texts[1].source, "nowhere:key");
        assert_eq!(texts[1].text, Err("nowhere:key is not an http or https address".to_owned()));
        assert_eq!(texts[2], text(&there.to_string_lossy(), "Be brief."));
    }

    /// Answers each path with its own status and text, and counts.
    fn server(answers: &'static [(&'static str, u16, &'static str)]) -> (String, Arc<Mutex<usize>>) {
        use std::io::Write as _;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(0));
        let counted = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut request = [0; 4_096];
                let length = stream.read(&mut request).unwrap();
                let request = String::from_utf8_lossy(&request[..length]).into_owned();
                let (_, status, text) =
                    answers.iter().find(|(path, ..)| request.starts_with(&format!("GET {path} "))).unwrap();
                *counted.lock().unwrap() += 1;
                let head =
                    format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}", text.len());
                stream.write_all(format!("{head}\r\n\r\n{text}").as_bytes()).unwrap();
            }
        });
        (address, asked)
    }

    #[tokio::test]
    async fn addresses_are_asked_once_in_a_while_and_their_failures_are_noted() {
        let (address, asked) = server(&[("/a", 200, "Be kind.\n"), ("/b", 500, "no")]);
        let urls = ["a", "b"].map(|path| format!("{address}/{path}"));
        let sources = urls.clone().map(Instruction::Url);
        let library = Library { http: Http::direct(), ..Library::default() };
        let texts = library.read(&sources).await;
        let failed = Err("the server answered with status 500".to_owned());
        assert_eq!(
            texts,
            [text(&urls[0], "Be kind."), InstructionText { source: urls[1].clone(), text: failed }]
        );
        assert_eq!(library.clone().read(&sources).await, texts);
        assert_eq!(*asked.lock().unwrap(), 2);
    }
}
