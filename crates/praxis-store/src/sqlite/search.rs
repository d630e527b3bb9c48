//! Finding what was said.

use praxis_proto::{MessageId, PartBody, PartId, SessionId};
use rusqlite::{Connection, params};

use super::sessions::like;
use crate::error::Work;
use crate::store::Hit;

/// How much of one text can be found.
const INDEXED: usize = 64 * 1_024;
/// Characters shown on each side of what was found.
const AROUND: usize = 60;

/// What of a part can be searched for: finished texts.
pub(crate) fn words(body: &PartBody) -> Option<String> {
    match body {
        PartBody::Text(text) if !body.is_open() => {
            Some(text.text[..text.text.floor_char_boundary(INDEXED)].to_owned())
        }
        _ => None,
    }
}

pub(crate) fn index(connection: &Connection, number: i64, words: &str) -> Work<()> {
    forget(connection, number)?;
    connection
        .prepare_cached("INSERT INTO words (rowid, body) VALUES (?1, ?2)")?
        .execute(params![number, words])?;
    Ok(())
}

pub(crate) fn forget(connection: &Connection, number: i64) -> Work<()> {
    connection.prepare_cached("DELETE FROM words WHERE rowid = ?1")?.execute([number])?;
    Ok(())
}

/// Titles first, then texts by their words, then, if no word fits, texts that contain the letters.
pub(crate) fn search(connection: &Connection, text: &str, limit: usize) -> Work<Vec<Hit>> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let mut hits = titles(connection, text, limit)?;
    let left = limit.saturating_sub(hits.len());
    let said = "SELECT s.id, s.title, s.updated, m.id, p.id, coalesce(json_extract(p.data, '$.text'), '')
                FROM part p JOIN session s ON s.id = p.session_id
                JOIN message m ON m.session_id = p.session_id AND m.seq = p.message_seq";
    let order = "ORDER BY s.updated DESC, p.number DESC LIMIT ?2";
    let by_word = format!("{said} WHERE p.number IN (SELECT rowid FROM words WHERE words MATCH ?1) {order}");
    let found = match query(text) {
        Some(query) => texts(connection, &by_word, &query, text, left)?,
        None => Vec::new(),
    };
    if !found.is_empty() {
        hits.extend(found);
        return Ok(hits);
    }
    let by_letter = format!(
        "{said} WHERE p.type = 'text' AND json_extract(p.data, '$.text') LIKE '%' || ?1 || '%' ESCAPE '\\' {order}"
    );
    hits.extend(texts(connection, &by_letter, &like(text), text, left)?);
    Ok(hits)
}

/// All words must be there, the last one perhaps only its beginning.
fn query(text: &str) -> Option<String> {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    (!quoted.is_empty()).then(|| format!("{}*", quoted.join(" AND ")))
}

fn titles(connection: &Connection, text: &str, limit: usize) -> Work<Vec<Hit>> {
    let mut rows = connection.prepare_cached(
        "SELECT id, title, updated FROM session WHERE title LIKE '%' || ?1 || '%' ESCAPE '\\'
         ORDER BY updated DESC, id LIMIT ?2",
    )?;
    let hit = |row: &rusqlite::Row<'_>| {
        let title: String = row.get(1)?;
        let session = SessionId::from_raw(row.get::<_, String>(0)?);
        let updated = u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0);
        Ok(Hit { session, snippet: title.clone(), title, updated, message: None, part: None })
    };
    Ok(rows.query_map(params![like(text), bound(limit)], hit)?.collect::<Result<_, _>>()?)
}

fn texts(connection: &Connection, sql: &str, wanted: &str, text: &str, limit: usize) -> Work<Vec<Hit>> {
    let mut rows = connection.prepare_cached(sql)?;
    let hit = |row: &rusqlite::Row<'_>| {
        Ok(Hit {
            session: SessionId::from_raw(row.get::<_, String>(0)?),
            title: row.get(1)?,
            updated: u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0),
            message: Some(MessageId::from_raw(row.get::<_, String>(3)?)),
            part: Some(PartId::from_raw(row.get::<_, String>(4)?)),
            snippet: snippet(row.get_ref(5)?.as_str().unwrap_or_default(), text),
        })
    };
    Ok(rows.query_map(params![wanted, bound(limit)], hit)?.collect::<Result<_, _>>()?)
}

fn bound(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// The words around what was found, on one line.
fn snippet(text: &str, wanted: &str) -> String {
    if text.is_empty() {
        // Too long for its row, and not worth reading whole for one line.
        return "(in a long text)".to_owned();
    }
    let words = wanted.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let at = std::iter::once(wanted).chain(words).find_map(|wanted| find(text, wanted)).unwrap_or(0);
    let begin = text[..at].char_indices().rev().nth(AROUND - 1).map_or(0, |(index, _)| index);
    let end = text[at..].char_indices().nth(2 * AROUND).map_or(text.len(), |(index, _)| at + index);
    let cut: Vec<&str> = text[begin..end].split_whitespace().collect();
    let mark = |cut: bool| if cut { "…" } else { "" };
    format!("{}{}{}", mark(begin > 0), cut.join(" "), mark(end < text.len()))
}

/// Where a text begins, whatever the case of its letters.
fn find(text: &str, wanted: &str) -> Option<usize> {
    let same = |a: char, b: char| a == b || a.to_lowercase().eq(b.to_lowercase());
    let fits = |rest: &str| {
        let mut rest = rest.chars();
        wanted.chars().all(|wanted| rest.next().is_some_and(|c| same(c, wanted)))
    };
    text.char_indices().map(|(index, _)| index).find(|&index| fits(&text[index..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_shows_the_words_around_and_marks_what_is_cut() {
        let text = format!("{}\n the NEEDLE\tis here {}", "hay ".repeat(30), "straw ".repeat(40));
        let shown = snippet(&text, "needle");
        assert!(
            shown.starts_with("…") && shown.ends_with("…") && shown.contains("the NEEDLE is here"),
            "{shown}"
        );
        assert_eq!(snippet("short", "absent"), "short");
        assert_eq!(snippet("çok iyi — İĞNE", "iğne"), "çok iyi — İĞNE");
    }

    #[test]
    fn a_query_is_only_words_whatever_is_typed() {
        assert_eq!(query("foo-bar \"x\" OR*").as_deref(), Some("\"foo\" AND \"bar\" AND \"x\" AND \"OR\"*"));
        assert_eq!(query("--- \"\""), None);
    }
}
