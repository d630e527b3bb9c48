//! Making, listing, changing and deleting sessions.

use std::sync::atomic::Ordering;

use praxis_proto::{Session, SessionSummary};
use praxis_store::{Change, Filter, Store, StoreError};

use crate::lab::{Lab, NOW, draft, part, step, text, user};

fn titles(sessions: &[Session]) -> Vec<&str> {
    sessions.iter().map(|session| session.title.as_str()).collect()
}

#[tokio::test]
async fn a_new_session_has_a_default_title_a_slug_and_an_id_that_sorts_first() {
    let lab = Lab::new();
    let first = lab.store.create(draft("/a")).await.unwrap();
    let child = lab
        .store
        .create(praxis_store::Draft { parent: Some(first.id.clone()), ..draft("/a") })
        .await
        .unwrap();
    assert_eq!(first.title, "New session - 2026-09-21T14:13:20.000Z");
    assert_eq!(child.title, "Child session - 2026-09-21T14:13:20.000Z");
    assert!(first.has_default_title() && child.id < first.id && first.slug.contains('-'));
    assert_eq!(lab.store.session(&first.id).await.unwrap(), first);
    assert_eq!(lab.store.children(&first.id).await.unwrap(), [child]);
}

#[tokio::test]
async fn lists_are_filtered_and_the_last_used_comes_first() {
    let lab = Lab::new();
    let mut ids = Vec::new();
    for (title, directory, path) in
        [("one 100%", "/a", "src"), ("two", "/b", "src/deep"), ("three", "/a", "srcx")]
    {
        lab.time.fetch_add(1_000, Ordering::SeqCst);
        let made =
            praxis_store::Draft { title: Some(title.into()), path: Some(path.into()), ..draft(directory) };
        ids.push(lab.store.create(made).await.unwrap().id);
    }
    let list = async |filter: Filter| lab.store.list(filter).await.unwrap();
    let all = Filter::default;
    assert_eq!(titles(&list(all()).await), ["three", "two", "one 100%"]);
    assert_eq!(titles(&list(Filter { directory: Some("/a".into()), ..all() }).await), ["three", "one 100%"]);
    assert_eq!(titles(&list(Filter { path: Some("src".into()), ..all() }).await), ["two", "one 100%"]);
    assert_eq!(titles(&list(Filter { title: Some("0%".into()), ..all() }).await), ["one 100%"]);
    assert_eq!(titles(&list(Filter { title: Some("%".into()), limit: 9, ..all() }).await), ["one 100%"]);
    assert_eq!(titles(&list(Filter { since: Some(NOW + 2_000), ..all() }).await), ["three", "two"]);
    assert_eq!(titles(&list(Filter { before: Some(NOW + 2_000), ..all() }).await), ["one 100%"]);
    assert_eq!(titles(&list(Filter { limit: 1, ..all() }).await), ["three"]);

    lab.store.change(&ids[2], vec![Change::Archived(Some(5))]).await.unwrap();
    let opened = lab.store.open(&ids[0]).await.unwrap();
    lab.time.fetch_add(1_000, Ordering::SeqCst);
    lab.store.put_message(&opened.lease, user(&ids[0], "msg_1", NOW)).await.unwrap();
    assert_eq!(titles(&list(all()).await), ["one 100%", "two"]);
    assert_eq!(list(Filter { archived: true, ..all() }).await.len(), 3);
}

#[tokio::test]
async fn a_path_and_a_workspace_are_meant_to_the_letter() {
    let lab = Lab::new();
    for (title, path, workspace) in [
        ("exact", "my_app", None),
        ("below", "my_app/src", None),
        ("case", "MY_APP/src", None),
        ("like", "myxapp", Some("wrk_1")),
    ] {
        lab.time.fetch_add(1_000, Ordering::SeqCst);
        let made = praxis_store::Draft {
            title: Some(title.into()),
            path: Some(path.into()),
            workspace: workspace.map(str::to_owned),
            ..draft("/a")
        };
        lab.store.create(made).await.unwrap();
    }
    let list = async |filter: Filter| lab.store.list(filter).await.unwrap();
    let all = Filter::default;
    assert_eq!(titles(&list(Filter { path: Some("my_app".into()), ..all() }).await), ["below", "exact"]);
    assert_eq!(titles(&list(Filter { workspace: Some("wrk_1".into()), ..all() }).await), ["like"]);
}

#[tokio::test]
async fn a_change_leaves_everything_else_and_totals_are_never_overwritten() {
    let lab = Lab::new();
    let (id, lease) = lab.session().await;
    lab.store.put_message(&lease, user(&id, "msg_1", NOW)).await.unwrap();
    let other = lab.again();
    let steps = async {
        for n in 0..20 {
            lab.store
                .put_part(&lease, part(&id, "msg_1", &format!("prt_{n:02}"), step(0.1, 3)))
                .await
                .unwrap();
        }
    };
    let renames = async {
        for n in 0..20 {
            other.change(&id, vec![Change::Title(format!("title {n}"))]).await.unwrap();
        }
    };
    tokio::join!(steps, renames);
    let session = lab.store.session(&id).await.unwrap();
    assert_eq!((session.title.as_str(), session.cost, session.tokens.input), ("title 19", 2.0, 60));
}

#[tokio::test]
async fn totals_follow_steps_that_are_replaced_and_removed() {
    let lab = Lab::new();
    let (id, lease) = lab.session().await;
    let totals = async || {
        let session = lab.store.session(&id).await.unwrap();
        (session.cost, session.tokens.input, session.tokens.output)
    };
    for message in ["msg_1", "msg_2"] {
        lab.store.put_message(&lease, user(&id, message, NOW)).await.unwrap();
        for n in 1..=2 {
            lab.store
                .put_part(&lease, part(&id, message, &format!("prt_{message}_{n}"), step(0.1, 5)))
                .await
                .unwrap();
        }
    }
    assert_eq!(totals().await, (0.4, 20, 8));
    lab.store.put_part(&lease, part(&id, "msg_1", "prt_msg_1_1", step(0.25, 1))).await.unwrap();
    assert_eq!(totals().await, (0.55, 16, 8));
    lab.store.remove_part(&lease, &praxis_proto::PartId::from_raw("prt_msg_1_1")).await.unwrap();
    assert_eq!(totals().await, (0.3, 15, 6));
    lab.store.remove_message(&lease, &praxis_proto::MessageId::from_raw("msg_2")).await.unwrap();
    assert_eq!(totals().await, (0.1, 5, 2));
}

#[tokio::test]
async fn a_session_is_found_by_the_beginning_of_its_id() {
    let lab = Lab::new();
    let first = lab.store.create(draft("/a")).await.unwrap().id;
    lab.time.fetch_add(60_000_000_000, Ordering::SeqCst);
    let second = lab.store.create(draft("/a")).await.unwrap().id;
    assert_eq!(lab.store.find(first.as_str()).await.unwrap(), first);
    assert_eq!(lab.store.find(&second.as_str()[..20]).await.unwrap(), second);
    assert_eq!(lab.store.find("last").await.unwrap(), second);
    assert!(matches!(lab.store.find("ses_").await, Err(StoreError::Ambiguous { .. })));
    assert!(matches!(lab.store.find("ses_%").await, Err(StoreError::NoSession(_))));
}

#[tokio::test]
async fn deleting_takes_children_and_big_texts_along_and_refuses_what_is_in_use() {
    let lab = Lab::new();
    let (id, lease) = lab.session().await;
    let child = praxis_store::Draft { parent: Some(id.clone()), ..draft("/work") };
    let child = lab.store.create(child).await.unwrap().id;
    lab.store.put_message(&lease, user(&id, "msg_1", NOW)).await.unwrap();
    lab.store.put_part(&lease, part(&id, "msg_1", "prt_1", text(&"big ".repeat(9_000)))).await.unwrap();
    let other = lab.again();
    assert!(matches!(other.delete(&id).await, Err(StoreError::InUse { .. })));
    drop(lease);
    assert_eq!(other.delete(&id).await.unwrap(), [child, id.clone()]);
    assert!(matches!(lab.store.session(&id).await, Err(StoreError::NoSession(_))));
    let left = rusqlite::Connection::open(lab.path()).unwrap();
    for table in ["session", "message", "part", "blob", "blob_piece", "blob_use", "words"] {
        let rows: i64 =
            left.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 0, "{table}");
    }
}

#[tokio::test]
async fn a_summary_with_big_patches_comes_back_whole() {
    let lab = Lab::new();
    let id = lab.store.create(draft("/a")).await.unwrap().id;
    let diff = praxis_proto::FileDiff {
        patch: Some("+x\n".repeat(20_000)),
        additions: 20_000,
        ..Default::default()
    };
    let summary = SessionSummary { additions: 20_000, deletions: 0, files: 1, diffs: Some(vec![diff]) };
    let changed = lab.store.change(&id, vec![Change::Summary(Some(summary.clone()))]).await.unwrap();
    assert_eq!(changed.summary, Some(summary));
    assert_eq!(lab.store.session(&id).await.unwrap(), changed);
}

#[tokio::test]
async fn todos_are_replaced_as_a_whole() {
    let lab = Lab::new();
    let id = lab.store.create(draft("/a")).await.unwrap().id;
    let todo = |content: &str| praxis_proto::Todo {
        content: content.into(),
        status: "pending".into(),
        priority: "low".into(),
    };
    lab.store.put_todos(&id, vec![todo("a"), todo("b")]).await.unwrap();
    lab.store.put_todos(&id, vec![todo("c")]).await.unwrap();
    assert_eq!(lab.store.todos(&id).await.unwrap(), [todo("c")]);
}

#[tokio::test]
async fn words_and_letters_are_found_in_titles_and_texts() {
    let lab = Lab::new();
    let (id, lease) = lab.session().await;
    lab.store.change(&id, vec![Change::Title("Fix the parser".into())]).await.unwrap();
    lab.store.put_message(&lease, user(&id, "msg_1", NOW)).await.unwrap();
    lab.store
        .put_part(&lease, part(&id, "msg_1", "prt_1", text("The Tokenizer loops; 修复解析器吧")))
        .await
        .unwrap();
    lab.store
        .put_part(&lease, part(&id, "msg_1", "prt_2", text(&format!("zebra {}", "x ".repeat(20_000)))))
        .await
        .unwrap();
    let found = async |wanted: &str| -> Vec<Option<String>> {
        let hits = lab.store.search(wanted, 10).await.unwrap();
        hits.into_iter().map(|hit| hit.part.map(|part| part.to_string())).collect()
    };
    assert_eq!(found("PARSER").await, [None]);
    assert_eq!(found("tokenizer").await, [Some("prt_1".into())]);
    assert_eq!(found("loops tok").await, [Some("prt_1".into())]);
    assert_eq!(found("kenize").await, [Some("prt_1".into())]);
    assert_eq!(found("解析").await, [Some("prt_1".into())]);
    assert_eq!(found("zebra").await, [Some("prt_2".into())]);
    assert_eq!(found("\" OR *").await, Vec::<Option<String>>::new());
    lab.store.put_part(&lease, part(&id, "msg_1", "prt_1", text("nothing"))).await.unwrap();
    assert_eq!(found("tokenizer").await, Vec::<Option<String>>::new());
}
