//! The REST side: plain requests without an envelope.

pub(crate) mod assets;
pub(crate) mod blobs;
pub(crate) mod lists;
pub(crate) mod nodes;
pub(crate) mod opinions;
pub(crate) mod status;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use gephost_core::a2a::{AssetState, Code, Problem};
use serde::Deserialize;

use crate::answer::Refusal;
use crate::store::{Kind, Page, digest_bytes};

/// Entries of a page, at most and if nothing is asked.
pub(crate) const MAX_LIMIT: i64 = 100;
pub(crate) const LIMIT: i64 = 20;
/// Most characters of a cursor.
const MAX_CURSOR: usize = 64;

/// The name in a path.
#[derive(Debug)]
pub(crate) struct InPath(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for InPath {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let read = Path::<String>::from_request_parts(parts, state).await;
        let Path(text) = read.map_err(|_| {
            let correction = "write names in a path as UTF-8 with percent-encoding";
            Problem::new(Code::NotFound, "a name in the path is not UTF-8", correction)
        })?;
        Ok(Self(text))
    }
}

/// What the query of a list may say. Unknown members are ignored, as other hubs do.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Asked {
    pub(crate) status: Option<String>,
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    pub(crate) limit: Option<String>,
    pub(crate) sort: Option<String>,
    pub(crate) cursor: Option<String>,
    pub(crate) signals: Option<String>,
    pub(crate) asset_id: Option<String>,
    pub(crate) explain: Option<String>,
}

/// Reads a query.
pub(crate) fn asked(query: Option<&str>) -> Result<Asked, Problem> {
    let pairs = url::form_urlencoded::parse(query.unwrap_or("").as_bytes());
    let mut asked = Asked::default();
    for (name, value) in pairs {
        let slot = match &*name {
            "status" => &mut asked.status,
            "type" | "asset_type" => &mut asked.kind,
            "limit" => &mut asked.limit,
            "sort" => &mut asked.sort,
            "cursor" => &mut asked.cursor,
            "signals" => &mut asked.signals,
            "asset_id" => &mut asked.asset_id,
            "explain" => &mut asked.explain,
            _ => continue,
        };
        if slot.replace(value.into_owned()).is_some() {
            return Err(wrong(&name, "is given twice", "give it once"));
        }
    }
    Ok(asked)
}

pub(crate) fn wrong(name: &str, message: &str, correction: &str) -> Problem {
    Problem::new(Code::ValidationError, format!("`{name}` {message}"), correction).at(name)
}

impl Asked {
    pub(crate) fn limit(&self) -> Result<i64, Problem> {
        let Some(text) = &self.limit else { return Ok(LIMIT) };
        let is_number = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
        // A number that is too long for the type is too large too.
        match text.parse().unwrap_or(i64::MAX) {
            limit @ 1.. if is_number => Ok(std::cmp::min(limit, MAX_LIMIT)),
            _ => Err(wrong("limit", "is not a positive integer", "use a number from 1 to 100")),
        }
    }

    pub(crate) fn state(&self) -> Result<AssetState, Problem> {
        let Some(word) = self.status.as_deref().filter(|word| !word.is_empty()) else {
            return Ok(AssetState::Promoted);
        };
        AssetState::of(word)
            .ok_or_else(|| wrong("status", "is no state", "use candidate, promoted, rejected, quarantined or revoked"))
    }

    pub(crate) fn kind(&self) -> Result<Option<Kind>, Problem> {
        let Some(word) = self.kind.as_deref().filter(|word| !word.is_empty()) else { return Ok(None) };
        Kind::of(word)
            .map(Some)
            .ok_or_else(|| wrong("type", "is no type of asset", "use Gene, Capsule or EvolutionEvent"))
    }

    /// Where the page begins.
    pub(crate) fn page(&self) -> Result<Page, Problem> {
        let Some(text) = self.cursor.as_deref().filter(|text| !text.is_empty()) else { return Ok(Page::FIRST) };
        read_cursor(text).ok_or_else(|| {
            wrong("cursor", "is none that this hub gave", "use `next_cursor` of the page before, or none")
        })
    }
}

/// A cursor is opaque: only the hub reads it. Whatever it says, it only moves within a list that everybody may read.
pub(crate) fn cursor(page: Page) -> String {
    format!("c1-{:x}-{:x}", page.value, page.n)
}

fn read_cursor(text: &str) -> Option<Page> {
    let (value, n) = text.strip_prefix("c1-").filter(|_| text.len() <= MAX_CURSOR)?.split_once('-')?;
    let number =
        |text: &str| i64::from_str_radix(text, 16).ok().filter(|number| *number >= 0 && !text.starts_with('+'));
    Some(Page { value: number(value)?, n: number(n)? })
}

/// Reads an asset id in a path.
pub(crate) fn id(text: &str) -> Result<[u8; 32], Problem> {
    digest_bytes(text).ok_or_else(|| {
        Problem::new(Code::NotFound, "this is not an asset id", "use sha256: and 64 lower-case hexadecimal digits")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_and_nothing_else_does() {
        for page in [Page { value: 0, n: 1 }, Page { value: 9999, n: i64::MAX }] {
            assert_eq!(read_cursor(&cursor(page)), Some(page));
        }
        for bad in [
            "",
            "c1-",
            "c1-1",
            "c2-1-1",
            "c1--1-1",
            "c1-1--1",
            "c1-+1-1",
            "c1-g-1",
            "c1-1-1-1",
            "c1-ffffffffffffffffff-1",
        ] {
            assert_eq!(read_cursor(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_query_is_read_strictly_where_it_is_known() {
        let read = |query: &str| {
            asked(Some(query)).and_then(|asked| Ok((asked.limit()?, asked.state()?, asked.kind()?, asked.page()?)))
        };
        assert!(read("").is_ok() && read("unknown=1").is_ok());
        for large in ["limit=1000", "limit=99999999999999999999"] {
            assert_eq!(read(large).expect("bounded").0, MAX_LIMIT);
        }
        for bad in [
            "limit=0",
            "limit=-1",
            "limit=x",
            "limit=",
            "limit=+1",
            "status=open",
            "type=gene",
            "cursor=x",
            "limit=1&limit=2",
            "limit=1e3",
        ] {
            assert_eq!(read(bad).expect_err(bad).code, Code::ValidationError);
        }
    }
}
