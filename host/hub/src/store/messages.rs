//! Messages that were taken, so that each acts once.
//!
//! The identical message gets its answer again; another message with the same id is refused. Messages are forgotten when
//! they are too old to be accepted.

use gephost_core::a2a::{Code, Problem};
use sqlx::{Row as _, SqliteConnection};

use super::writer::Refused;

/// What names a message.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) sender: String,
    pub(crate) id: String,
    /// SHA-256 of its bytes.
    pub(crate) digest: [u8; 32],
    /// When it arrived.
    pub(crate) at: i64,
}

/// Whether a message was taken before.
pub(super) enum Seen {
    Never,
    /// With the answer, if it was kept.
    Before(Option<Vec<u8>>),
}

/// Looks a message up. Another message with its id is a problem.
pub(super) async fn look(c: &mut SqliteConnection, message: &Message) -> Result<Seen, Refused> {
    let row = sqlx::query("SELECT digest, answer FROM messages WHERE sender = ? AND message_id = ?")
        .bind(&message.sender)
        .bind(&message.id)
        .fetch_optional(c)
        .await?;
    let Some(row) = row else { return Ok(Seen::Never) };
    if row.try_get::<&[u8], _>(0)? == message.digest {
        return Ok(Seen::Before(row.try_get(1)?));
    }
    let text = "a different message with this `message_id` was taken already";
    Err(Refused::Rule(
        Problem::new(Code::ReplayedMessage, text, "give every message an id of its own").at("message_id"),
    ))
}

/// Notes that a message was taken.
pub(super) async fn note(
    c: &mut SqliteConnection,
    message: &Message,
    answer: Option<&[u8]>,
) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT OR REPLACE INTO messages (sender, message_id, digest, at, answer) VALUES (?, ?, ?, ?, ?)")
        .bind(&message.sender)
        .bind(&message.id)
        .bind(&message.digest[..])
        .bind(message.at)
        .bind(answer)
        .execute(c)
        .await?;
    Ok(())
}
