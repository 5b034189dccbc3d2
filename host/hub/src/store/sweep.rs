//! Forgets bytes that nobody needs. Their files are removed by `crate::sweep`.
//!
//! What must stay true: bytes that an asset names stay, except for a revoked one; and a digest without a row keeps its mark
//! until its file is gone, so that a crash leaves no file behind.

use gephost_core::a2a::{AssetState, Problem};
use sqlx::{Row as _, SqliteConnection};

use super::writer::Refused;
use super::{Store, state_code};

/// Most bytes that are looked at in one sweep.
const AT_A_TIME: i64 = 100;

impl Store {
    /// Whether there is something to sweep: bytes that nobody used since `before`, or a mark.
    pub(crate) async fn needs_sweep(&self, before: i64) -> Result<bool, Problem> {
        sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM blobs WHERE used_at < ?) OR EXISTS (SELECT 1 FROM blob_marks)")
            .bind(before)
            .fetch_one(&self.readers)
            .await
            .map_err(|error| self.failed(&error))
    }

    /// Forgets some of the bytes that nobody used since `before` and that no asset names. Returns the digests whose files are
    /// to be removed.
    pub(crate) async fn forget_unused(&self, before: i64, now: i64) -> Result<Vec<[u8; 32]>, Problem> {
        self.writer
            .write(move |c| {
                Box::pin(async move {
                    for (digest, is_named) in old(c, before).await? {
                        if is_named {
                            // It is looked at again after the same time.
                            sqlx::query("UPDATE blobs SET used_at = ? WHERE digest = ?")
                                .bind(now)
                                .bind(&digest)
                                .execute(&mut *c)
                                .await?;
                        } else {
                            forget(c, &digest).await?;
                        }
                    }
                    // A mark of bytes that have a row is of an upload that somebody repeated.
                    sqlx::query("DELETE FROM blob_marks WHERE digest IN (SELECT digest FROM blobs)")
                        .execute(&mut *c)
                        .await?;
                    let marked: Vec<Vec<u8>> = sqlx::query_scalar("SELECT digest FROM blob_marks LIMIT ?")
                        .bind(AT_A_TIME)
                        .fetch_all(c)
                        .await?;
                    Ok((marked.into_iter().filter_map(|digest| digest.try_into().ok()).collect(), Vec::new()))
                })
            })
            .await
    }

    /// Takes the marks of removed files away.
    pub(crate) async fn unmark(&self, digests: Vec<[u8; 32]>) -> Result<(), Problem> {
        self.writer
            .write(move |c| {
                Box::pin(async move {
                    for digest in digests {
                        let unmark = "DELETE FROM blob_marks WHERE digest = ?";
                        sqlx::query(unmark).bind(&digest[..]).execute(&mut *c).await?;
                    }
                    Ok(((), Vec::new()))
                })
            })
            .await
    }
}

/// The bytes that were not used for the longest time, and whether an asset names them.
async fn old(c: &mut SqliteConnection, before: i64) -> Result<Vec<(Vec<u8>, bool)>, sqlx::Error> {
    let rows = sqlx::query(
        "SELECT digest, EXISTS (SELECT 1 FROM assets WHERE component = b.digest AND state <> ?2)
             OR EXISTS (SELECT 1 FROM assets WHERE recording = b.digest AND state <> ?2)
         FROM blobs AS b WHERE used_at < ?1 ORDER BY used_at LIMIT ?3",
    )
    .bind(before)
    .bind(state_code(AssetState::Revoked))
    .bind(AT_A_TIME)
    .fetch_all(c)
    .await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

async fn forget(c: &mut SqliteConnection, digest: &[u8]) -> Result<(), Refused> {
    for forget in [
        "INSERT OR IGNORE INTO blob_marks (digest) VALUES (?)",
        "DELETE FROM blobs WHERE digest = ?",
        "DELETE FROM attestations WHERE digest = ?",
    ] {
        sqlx::query(forget).bind(digest).execute(&mut *c).await?;
    }
    Ok(())
}
