//! Nodes: who they are, and what the hub counted about them.

use gephost_core::a2a::reputation::{Record, reputation};
use gephost_core::a2a::{Code, Problem};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use sqlx::{FromRow, Row as _, SqliteConnection};

use super::Store;
use super::messages::{self, Message, Seen};
use super::writer::{Changed, Refused};

/// Most bundles of a node whose scores count in its reputation: the newest.
const SCORED: i64 = 100;

/// A node.
#[derive(Debug, Clone, PartialEq, FromRow)]
pub(crate) struct NodeRow {
    pub(crate) n: i64,
    pub(crate) node_id: String,
    /// Which secret it was given; 0 for none.
    pub(crate) generation: i64,
    pub(crate) key: Option<Vec<u8>>,
    pub(crate) first_seen: i64,
    pub(crate) last_seen: i64,
    pub(crate) claim_code: Option<String>,
    pub(crate) claim_until: Option<i64>,
    pub(crate) platform: Option<String>,
    pub(crate) arch: Option<String>,
    pub(crate) published: i64,
    pub(crate) promoted: i64,
    pub(crate) rejected: i64,
    pub(crate) revoked: i64,
    pub(crate) reputation: f64,
    /// Whether it ever showed its secret or signed with its key.
    pub(crate) proved: bool,
}

impl NodeRow {
    /// Whether it said hello, and so has a secret or a key.
    pub(crate) fn is_registered(&self) -> bool {
        self.generation > 0
    }
}

const COLUMNS: &str = "n, node_id, generation, key, first_seen, last_seen, claim_code, claim_until, platform, arch, published, \
                       promoted, rejected, revoked, reputation, proved";

/// A hello that is to be carried out.
pub(crate) struct Hello {
    pub(crate) message: Message,
    /// The key that signed it.
    pub(crate) key: Option<[u8; 32]>,
    /// Whether the node id is that of the key, so that nobody else can claim it.
    pub(crate) id_of_key: bool,
    /// Of which generation the secret was shown; `None` if none was.
    pub(crate) shown: Option<i64>,
    pub(crate) claim_code: String,
    pub(crate) claim_until: i64,
    pub(crate) platform: Option<String>,
    pub(crate) arch: Option<String>,
    pub(crate) webhook: Option<String>,
    pub(crate) secrets: std::sync::Arc<crate::secrets::Secrets>,
}

/// How a hello ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Greeting {
    /// The node is new.
    Registered,
    /// The node proved who it is.
    Known,
    /// The node is registered, and the sender did not prove to be it.
    Unproven,
}

impl Store {
    /// A node by its id.
    pub(crate) async fn node(&self, id: &str) -> Result<Option<NodeRow>, Problem> {
        let query = nodes_where("WHERE node_id = ?");
        sqlx::query_as(query).bind(id).fetch_optional(&self.readers).await.map_err(|error| self.failed(&error))
    }

    /// The node that a secret belongs to. The caller still compares the secret itself.
    pub(crate) async fn node_of_secret(&self, secret: &str) -> Result<Option<NodeRow>, Problem> {
        sqlx::query_as(nodes_where("WHERE secret_hash = ?"))
            .bind(secret_hash(secret))
            .fetch_optional(&self.readers)
            .await
            .map_err(|error| self.failed(&error))
    }

    /// Nodes, the best or the newest first.
    pub(crate) async fn nodes(&self, by_reputation: bool, limit: i64, offset: i64) -> Result<Vec<NodeRow>, Problem> {
        let query = if by_reputation {
            nodes_where("ORDER BY reputation DESC, n DESC LIMIT ? OFFSET ?")
        } else {
            nodes_where("ORDER BY n DESC LIMIT ? OFFSET ?")
        };
        sqlx::query_as(query)
            .bind(limit)
            .bind(offset)
            .fetch_all(&self.readers)
            .await
            .map_err(|error| self.failed(&error))
    }

    /// Carries a hello out. `render` makes the answer, which is kept in case it gets lost.
    pub(crate) async fn hello<R>(&self, hello: Hello, render: R) -> Result<Vec<u8>, Problem>
    where
        R: FnOnce(&NodeRow, Greeting) -> Vec<u8> + Send + 'static,
    {
        self.writer.write(move |c| Box::pin(greet(c, hello, render))).await
    }

    /// Notes that a node proved who it is, so that it is asked for proof from now on.
    pub(crate) async fn proved(&self, node: i64) -> Result<(), Problem> {
        self.writer
            .write(move |c| {
                Box::pin(async move {
                    sqlx::query("UPDATE nodes SET proved = 1 WHERE n = ?").bind(node).execute(c).await?;
                    Ok(((), Vec::new()))
                })
            })
            .await
    }

    /// Notes that a node is alive.
    pub(crate) async fn seen(&self, node: i64, at: i64) -> Result<(), Problem> {
        self.writer
            .write(move |c| {
                Box::pin(async move {
                    sqlx::query("UPDATE nodes SET last_seen = max(last_seen, ?) WHERE n = ?")
                        .bind(at)
                        .bind(node)
                        .execute(c)
                        .await?;
                    Ok(((), Vec::new()))
                })
            })
            .await
    }
}

pub(super) fn nodes_where(rest: &'static str) -> sqlx::SqlStr {
    use sqlx::SqlSafeStr as _;
    // Both parts are constants of this file.
    sqlx::AssertSqlSafe(format!("SELECT {COLUMNS} FROM nodes {rest}")).into_sql_str()
}

/// A node within a write.
pub(super) async fn node_by_id(c: &mut SqliteConnection, id: &str) -> Result<Option<NodeRow>, sqlx::Error> {
    sqlx::query_as(nodes_where("WHERE node_id = ?")).bind(id).fetch_optional(c).await
}

async fn greet<R>(c: &mut SqliteConnection, hello: Hello, render: R) -> Result<Changed<Vec<u8>>, Refused>
where
    R: FnOnce(&NodeRow, Greeting) -> Vec<u8>,
{
    if let Seen::Before(Some(answer)) = messages::look(c, &hello.message).await? {
        return Ok((answer, Vec::new()));
    }
    let before = node_by_id(c, &hello.message.sender).await?;
    let key = hello.key.map(|key| key.to_vec());
    let (greeting, generation) = match &before {
        Some(node) if node.is_registered() => {
            let has_secret = hello.shown == Some(node.generation);
            let has_key = key.is_some() && node.key == key;
            match (has_secret, has_key) {
                (_, true) => (Greeting::Known, node.generation),
                // The id is made of the key: whoever took it before was somebody else, and their secret ends.
                _ if hello.id_of_key && node.key.is_none() && !has_secret => (Greeting::Known, node.generation + 1),
                (true, _) if key.is_none() || node.key.is_none() => (Greeting::Known, node.generation),
                (_, false) if key.is_some() => return Err(Refused::Rule(other_key())),
                _ => (Greeting::Unproven, node.generation),
            }
        }
        _ => (Greeting::Registered, 1),
    };
    if greeting == Greeting::Unproven {
        let Some(node) = before else { return Err(Refused::Rule(other_key())) };
        return Ok((render(&node, greeting), Vec::new()));
    }
    let valid = before.as_ref().and_then(|node| node.claim_until).is_some_and(|until| until > hello.message.at);
    let keeps = valid && greeting == Greeting::Known;
    let proved = key.is_some() || greeting == Greeting::Known;
    sqlx::query(
        "INSERT INTO nodes (node_id, generation, key, first_seen, last_seen, claim_code, claim_until, platform, arch, webhook, secret_hash,
             registered_at, proved)
         VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?8, ?9, ?11, ?4, ?12)
         ON CONFLICT (node_id) DO UPDATE SET generation = ?2, secret_hash = ?11, key = coalesce(?3, key), last_seen = ?4,
             registered_at = coalesce(registered_at, ?4), proved = max(proved, ?12),
             claim_code = iif(?10, claim_code, ?5), claim_until = iif(?10, claim_until, ?6),
             platform = coalesce(?7, platform), arch = coalesce(?8, arch), webhook = coalesce(?9, webhook)",
    )
    .bind(&hello.message.sender)
    .bind(generation)
    .bind(key)
    .bind(hello.message.at)
    .bind(&hello.claim_code)
    .bind(hello.claim_until)
    .bind(&hello.platform)
    .bind(&hello.arch)
    .bind(&hello.webhook)
    .bind(keeps)
    .bind(secret_hash(&hello.secrets.of(&hello.message.sender, generation)))
    .bind(proved)
    .execute(&mut *c)
    .await?;
    let node = node_by_id(c, &hello.message.sender).await?.ok_or(sqlx::Error::RowNotFound)?;
    let answer = render(&node, greeting);
    messages::note(c, &hello.message, Some(&answer)).await?;
    Ok((answer, Vec::new()))
}

fn other_key() -> Problem {
    Problem::new(
        Code::SignatureInvalid,
        "this node has another key, or none",
        "sign with the key of the node's first signed hello, or show its secret too",
    )
    .at("signature.public_key")
}

/// Computes the reputation of a node again.
pub(super) async fn refresh(c: &mut SqliteConnection, node: i64) -> Result<f64, sqlx::Error> {
    let row = sqlx::query("SELECT published, promoted, rejected, revoked, penalties FROM nodes WHERE n = ?")
        .bind(node)
        .fetch_one(&mut *c)
        .await?;
    let scores = sqlx::query(
        "SELECT coalesce(avg(gdi), 0.0) FROM (SELECT gdi FROM assets WHERE node = ? AND kind = 1 AND state = 1 ORDER BY n DESC LIMIT ?)",
    )
    .bind(node)
    .bind(SCORED)
    .fetch_one(&mut *c)
    .await?;
    // Reports of others about its newest bundles.
    let reports = sqlx::query(
        "SELECT a.body, count(*) FROM (SELECT n, body FROM assets WHERE node = ?1 AND kind = 1 ORDER BY n DESC LIMIT ?2) AS a
         JOIN reports AS r ON r.target = a.n AND r.ok = 1 AND r.node <> ?1 GROUP BY a.n",
    )
    .bind(node)
    .bind(SCORED)
    .fetch_all(&mut *c)
    .await?;
    let mut reused = 0;
    let mut confidence = 0.0;
    for report in &reports {
        let body: Vec<u8> = report.try_get(0)?;
        reused += report.try_get::<i64, _>(1)?;
        confidence += serde_json::from_slice::<serde_json::Value>(&body)
            .ok()
            .and_then(|body| body.get("confidence")?.as_f64())
            .unwrap_or(0.0);
    }
    let count =
        |index: usize| -> Result<u64, sqlx::Error> { Ok(row.try_get::<i64, _>(index)?.try_into().unwrap_or(0)) };
    let record = Record {
        published: count(0)?,
        promoted: count(1)?,
        rejected: count(2)?,
        revoked: count(3)?,
        validated_confidence: if reports.is_empty() {
            0.0
        } else {
            confidence / f64::from(u32::try_from(reports.len()).unwrap_or(u32::MAX))
        },
        reused: reused.try_into().unwrap_or(0),
        mean_gdi: scores.try_get(0)?,
        penalties: row.try_get(4)?,
    };
    let value = reputation(&record).value;
    sqlx::query("UPDATE nodes SET reputation = ?, dirty = 0 WHERE n = ?").bind(value).bind(node).execute(c).await?;
    Ok(value)
}

/// What a secret is looked up by.
fn secret_hash(secret: &str) -> Vec<u8> {
    Sha256::digest(secret).to_vec()
}
