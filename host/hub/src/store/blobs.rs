//! What the hub knows about components and recordings, and the statements that are attached to components.

use gephost_core::a2a::{Code, Problem};
use sqlx::FromRow;

use super::Store;
use super::writer::Refused;

/// How precisely the hub knows when bytes were last used, in milliseconds.
const USED_STEP: i64 = 86_400_000;
/// Most attestations of one component.
const MAX_ATTESTATIONS: i64 = 16;

/// Bytes that the hub has.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct BlobRow {
    /// `component` or `recording`.
    pub(crate) kind: String,
    pub(crate) size: i64,
    pub(crate) world: Option<String>,
    pub(crate) gene_id: Option<String>,
    /// When they were last stored or fetched, as far as it was noted.
    pub(crate) used_at: i64,
}

impl Store {
    /// What is known about bytes.
    pub(crate) async fn blob(&self, digest: &[u8; 32]) -> Result<Option<BlobRow>, Problem> {
        sqlx::query_as("SELECT kind, size, world, gene_id, used_at FROM blobs WHERE digest = ?")
            .bind(&digest[..])
            .fetch_optional(&self.readers)
            .await
            .map_err(|error| self.failed(&error))
    }

    /// Marks bytes that are about to be stored. If they never get their row, the next sweep removes them.
    pub(crate) async fn mark_blob(&self, digest: [u8; 32]) -> Result<(), Problem> {
        self.writer
            .write(move |c| {
                Box::pin(async move {
                    let mark = "INSERT OR IGNORE INTO blob_marks (digest) VALUES (?)";
                    sqlx::query(mark).bind(&digest[..]).execute(c).await?;
                    Ok(((), Vec::new()))
                })
            })
            .await
    }

    /// Notes that the hub has bytes, and takes their mark away. They must be on disk already. Bytes that somebody stored as a
    /// recording become a component if they are one.
    pub(crate) async fn note_blob(&self, digest: [u8; 32], blob: BlobRow) -> Result<(), Problem> {
        self.writer
            .write(move |c| {
                Box::pin(async move {
                    sqlx::query(
                        "INSERT INTO blobs (digest, kind, size, world, gene_id, at, used_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
                         ON CONFLICT (digest) DO UPDATE SET kind = ?2, world = ?4, gene_id = ?5, used_at = ?6
                         WHERE ?2 = 'component'",
                    )
                    .bind(&digest[..])
                    .bind(blob.kind)
                    .bind(blob.size)
                    .bind(blob.world)
                    .bind(blob.gene_id)
                    .bind(blob.used_at)
                    .execute(&mut *c)
                    .await?;
                    sqlx::query("DELETE FROM blob_marks WHERE digest = ?").bind(&digest[..]).execute(c).await?;
                    Ok(((), Vec::new()))
                })
            })
            .await
    }

    /// Notes that bytes were asked for, at most once a day.
    pub(crate) async fn used_blob(&self, digest: [u8; 32], blob: &BlobRow, at: i64) -> Result<(), Problem> {
        if at - blob.used_at < USED_STEP {
            return Ok(());
        }
        self.writer
            .write(move |c| {
                Box::pin(async move {
                    sqlx::query("UPDATE blobs SET used_at = max(used_at, ?) WHERE digest = ?")
                        .bind(at)
                        .bind(&digest[..])
                        .execute(c)
                        .await?;
                    Ok(((), Vec::new()))
                })
            })
            .await
    }

    /// The statements attached to a component, oldest first.
    pub(crate) async fn attestations(&self, digest: &[u8; 32]) -> Result<Vec<Vec<u8>>, Problem> {
        sqlx::query_scalar("SELECT body FROM attestations WHERE digest = ? ORDER BY n")
            .bind(&digest[..])
            .fetch_all(&self.readers)
            .await
            .map_err(|error| self.failed(&error))
    }

    /// Attaches a statement. Says whether it is new.
    pub(crate) async fn attest(
        &self,
        digest: [u8; 32],
        body: Vec<u8>,
        body_digest: [u8; 32],
        at: i64,
    ) -> Result<bool, Problem> {
        self.writer
            .write(move |c| {
                Box::pin(async move {
                    let (same, all): (i64, i64) = sqlx::query_as(
                        "SELECT coalesce(sum(body_digest = ?2), 0), count(*) FROM attestations WHERE digest = ?1",
                    )
                    .bind(&digest[..])
                    .bind(&body_digest[..])
                    .fetch_one(&mut *c)
                    .await?;
                    if same > 0 {
                        return Ok((false, Vec::new()));
                    }
                    if all >= MAX_ATTESTATIONS {
                        let text = format!("the component has {MAX_ATTESTATIONS} attestations already");
                        return Err(Refused::Rule(Problem::new(
                            Code::Conflict,
                            text,
                            "use one of those that are there",
                        )));
                    }
                    sqlx::query("INSERT INTO attestations (digest, body_digest, at, body) VALUES (?, ?, ?, ?)")
                        .bind(&digest[..])
                        .bind(&body_digest[..])
                        .bind(at)
                        .bind(body)
                        .execute(c)
                        .await?;
                    Ok((true, Vec::new()))
                })
            })
            .await
    }
}
