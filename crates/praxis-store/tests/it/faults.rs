//! A disk that is full, a folder that cannot be written, files that are not ours.

use std::process::Command;
use std::sync::Arc;

use praxis_store::{Filter, SqliteStore, Store, StoreError};

use crate::lab::{Lab, NOW, clock, draft, part, say, text, user};

fn open(path: &std::path::Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(path, Arc::new(|| NOW))
}

#[tokio::test]
async fn a_newer_store_is_refused_and_not_touched() {
    let lab = Lab::new();
    lab.store.create(draft("/a")).await.unwrap();
    let path = lab.path();
    drop(lab.store);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(connection);
    let before = std::fs::read(&path).unwrap();
    let told = open(&path).err().unwrap().to_string();
    assert!(told.contains("has version 99 and this program knows 2 at most; use a newer praxis"), "{told}");
    assert!(matches!(SqliteStore::look(&path, Arc::new(|| NOW)), Err(StoreError::Newer { .. })));
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn an_older_store_is_brought_up_to_date_even_by_looking() {
    let lab = Lab::new();
    let (id, lease) = lab.session().await;
    lab.store.put_message(&lease, user(&id, "msg_1", NOW)).await.unwrap();
    lab.store.put_part(&lease, part(&id, "msg_1", "prt_1", text("an old word"))).await.unwrap();
    drop((lease, lab.store));
    let path = lab.folder.path().join("praxis.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("DROP TRIGGER part_gone; DROP TABLE words; PRAGMA user_version = 1").unwrap();
    drop(connection);
    let look = SqliteStore::look(&path, Arc::new(|| NOW)).unwrap().unwrap();
    assert_eq!(look.search("old", 5).await.unwrap().len(), 1);
    assert_eq!(look.examine(praxis_store::Repair::No).await.unwrap(), []);
}

#[tokio::test]
async fn a_passing_store_leaves_nothing_behind() {
    let store = open(std::path::Path::new(":memory:")).unwrap();
    let made = store.create(draft("/a")).await.unwrap();
    assert_eq!(store.list(Filter::default()).await.unwrap(), [made]);
    assert!(!std::path::Path::new(":memory:").exists());
}

#[test]
fn a_file_that_is_not_ours_is_refused_and_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    for content in [
        &b"not a database at all, just some text that is long enough to be read as a header ......"[..],
        b"SQLite format 3\0 and then nothing sensible",
    ] {
        std::fs::write(&path, content).unwrap();
        assert!(matches!(open(&path), Err(StoreError::Corrupt { .. })), "{content:?}");
        assert_eq!(std::fs::read(&path).unwrap(), content);
    }
    std::fs::remove_file(&path).unwrap();
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    let before = std::fs::read(&path).unwrap();
    assert!(matches!(open(&path), Err(StoreError::Foreign(_))));
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn only_the_owner_reads_the_store() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data/praxis/praxis.db");
    let _store = open(&path).unwrap();
    for (path, mode) in [
        (path.clone(), 0o600),
        (path.with_file_name("praxis.db-wal"), 0o600),
        (folder.path().join("data/praxis"), 0o700),
    ] {
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
    }
}

#[tokio::test]
async fn looking_makes_nothing_and_cannot_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none/praxis.db");
    assert!(SqliteStore::look(&path, Arc::new(|| NOW)).unwrap().is_none());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);

    let lab = Lab::new();
    let made = lab.store.create(draft("/a")).await.unwrap();
    let look = SqliteStore::look(&lab.path(), clock(&lab.time)).unwrap().unwrap();
    assert_eq!(look.list(Filter::default()).await.unwrap(), std::slice::from_ref(&made));
    assert!(matches!(look.create(draft("/a")).await, Err(StoreError::ReadOnly(_))));
    assert!(matches!(look.open(&made.id).await, Err(StoreError::ReadOnly(_))));
}

/// Runs the test of that name in a process of its own, started by a shell line that ends in `exec "$@"`.
fn elsewhere(shell: &str, name: &str, path: &std::path::Path) -> std::process::Output {
    Command::new("sh")
        .args(["-c", shell, "sh"])
        .arg(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"])
        .env("PRAXIS_STORE_TEST", path)
        .output()
        .unwrap()
}

#[test]
fn a_full_disk_is_told_and_nothing_before_it_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("praxis.db");
    // A file may not grow beyond the limit; without the trap the system would end the process.
    let output = elsewhere("trap '' XFSZ; ulimit -f 600; exec \"$@\"", "faults::fill", &path);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    let stored: usize = told.lines().find_map(|line| line.split_once("stored=")?.1.parse().ok()).unwrap();
    assert!(stored > 0);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store = open(&path).unwrap();
        let id = store.find("last").await.unwrap();
        let page = store.history(&id, praxis_store::Cut::default()).await.unwrap();
        assert_eq!(page.messages[0].parts.len(), stored);
        assert_eq!(store.examine(praxis_store::Repair::No).await.unwrap(), []);
    });
}

#[tokio::test]
async fn fill() {
    let Some(path) = std::env::var_os("PRAXIS_STORE_TEST") else { return };
    let store = open(path.as_ref()).unwrap();
    let id = store.create(draft("/a")).await.unwrap().id;
    let opened = store.open(&id).await.unwrap();
    store.put_message(&opened.lease, user(&id, "msg_1", NOW)).await.unwrap();
    let mut stored = 0;
    let error = loop {
        let one = part(&id, "msg_1", &format!("prt_{stored:05}"), text(&stored.to_string().repeat(1_000)));
        match store.put_part(&opened.lease, one).await {
            Ok(()) => stored += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::Full(_) | StoreError::Database { .. }), "{error:?}");
    say(&format!("stored={stored}"));
    // What is there can still be read.
    assert_eq!(
        store.history(&id, praxis_store::Cut::default()).await.unwrap().messages[0].parts.len(),
        stored
    );
}

#[test]
fn a_store_in_a_folder_that_cannot_be_written_is_read_and_the_rest_is_told() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let lab = Lab::new();
    let made = runtime.block_on(lab.store.create(draft("/a"))).unwrap();
    let (path, folder) = (lab.path(), lab.folder);
    drop(lab.store);
    // A user namespace lets anybody mount; where the system forbids even that, there is nothing to test with.
    let mount = format!(
        "mount --bind -o ro '{0}' '{0}' && mount -o remount,bind,ro '{0}' && exec \"$@\"",
        folder.path().display()
    );
    let wrapped = format!(
        "exec unshare --user --map-root-user --mount sh -c '{}' sh \"$@\"",
        mount.replace('\'', "'\\''")
    );
    let output = elsewhere(&wrapped, "faults::read_only", &path);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    if !told.contains("running 1 test") {
        return;
    }
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains(made.id.as_str()), "{told}");
}

#[tokio::test]
async fn read_only() {
    let Some(path) = std::env::var_os("PRAXIS_STORE_TEST") else { return };
    let path = std::path::Path::new(&path);
    assert!(
        std::fs::write(path.with_file_name("probe"), "x").is_err(),
        "the folder can be written after all"
    );
    let look = SqliteStore::look(path, Arc::new(|| NOW)).unwrap().unwrap();
    for session in look.list(Filter::default()).await.unwrap() {
        say(session.id.as_str());
    }
    let error = open(path).err().unwrap();
    assert!(matches!(error, StoreError::ReadOnly(_)), "{error:?}");
    let elsewhere = open(&path.with_file_name("new.db")).err().unwrap();
    assert!(matches!(elsewhere, StoreError::ReadOnly(_)), "{elsewhere:?}");
}
