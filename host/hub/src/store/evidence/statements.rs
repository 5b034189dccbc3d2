//! Reports, decisions and revocations: messages, each of which acts once.

use std::sync::Arc;

use gephost_core::a2a::{AssetState, Code, Problem};
use sqlx::SqliteConnection;

use super::{Subject, subject, unknown};
use crate::store::messages::{self, Message, Seen};
use crate::store::nodes::{self, NodeRow};
use crate::store::score::{Explained, Scorer};
use crate::store::state::{self, Decided, Move};
use crate::store::writer::{Changed, Refused};
use crate::store::{Store, digest_text};

/// What a node says about a bundle in a message.
#[derive(Debug, Clone)]
pub(crate) enum Statement {
    /// A validation.
    Report { ok: bool, body: Vec<u8> },
    /// A decision of a node that may decide. `finally`: of an operator, whose word is done at once.
    Decision { to: AssetState, reason: Option<String>, finally: bool },
    /// The publisher withdraws it.
    Revoke { reason: Option<String> },
}

impl Store {
    /// Stores what a node says, with all that follows. Gives the state after it.
    pub(crate) async fn state_something(
        &self,
        message: Message,
        target: [u8; 32],
        statement: Statement,
        scorer: Arc<Scorer>,
    ) -> Result<(Decided, Option<Explained>), Problem> {
        self.writer.write(move |c| Box::pin(async move { say(c, message, target, statement, &scorer).await })).await
    }
}

async fn say(
    c: &mut SqliteConnection,
    message: Message,
    target: [u8; 32],
    statement: Statement,
    scorer: &Scorer,
) -> Result<Changed<(Decided, Option<Explained>)>, Refused> {
    let seen = messages::look(c, &message).await?;
    let subject = subject(c, &target).await?.ok_or_else(|| unknown(&target, "payload.target_asset_id"))?;
    let node = nodes::node_by_id(c, &message.sender).await?.ok_or_else(|| unknown(&target, "sender_id"))?;
    let before = subject.state();
    if matches!(seen, Seen::Before(_)) {
        // The identical message: it acted, and acts no more.
        return Ok(((Decided { state: before, changed: false }, None), Vec::new()));
    }
    if before == AssetState::Revoked && !matches!(statement, Statement::Revoke { .. }) {
        let text = format!("the asset {} was revoked, which is final", digest_text(&target));
        return Err(refused(Code::Conflict, text, "choose another asset"));
    }
    let mut changed = match statement {
        Statement::Report { ok, body } => report(c, &subject, &node, ok, body, message.at).await?,
        Statement::Decision { to, reason, finally } => {
            let decision = Decision { to, reason, finally };
            decide(c, &subject, &node, decision, message.at).await?
        }
        Statement::Revoke { reason } => revoke(c, &subject, &node, reason).await?,
    };
    messages::note(c, &message, None).await?;
    let mut state = super::subject(c, &target).await?.map_or(before, |subject| subject.state());
    let mut explained = None;
    if state != AssetState::Revoked {
        let (fresh, more) = scorer.rescore(c, subject.capsule, message.at).await?;
        state = fresh.state;
        changed.extend(more);
        explained = Some(fresh);
    }
    Ok(((Decided { state, changed: state != before }, explained), changed))
}

/// What a node decided: see [`Statement::Decision`].
struct Decision {
    to: AssetState,
    reason: Option<String>,
    finally: bool,
}

async fn report(
    c: &mut SqliteConnection,
    subject: &Subject,
    node: &NodeRow,
    ok: bool,
    body: Vec<u8>,
    at: i64,
) -> Result<Vec<[u8; 32]>, Refused> {
    sqlx::query(
        "INSERT INTO reports (target, node, ok, at, body) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (target, node) DO UPDATE SET ok = ?3, at = ?4, body = ?5",
    )
    .bind(subject.capsule)
    .bind(node.n)
    .bind(ok)
    .bind(at)
    .bind(body)
    .execute(&mut *c)
    .await?;
    // Somebody's use of an asset is to the credit of its publisher.
    sqlx::query("UPDATE nodes SET dirty = 1 WHERE n = ?").bind(subject.owner).execute(&mut *c).await?;
    Ok(Vec::new())
}

async fn decide(
    c: &mut SqliteConnection,
    subject: &Subject,
    node: &NodeRow,
    decision: Decision,
    at: i64,
) -> Result<Vec<[u8; 32]>, Refused> {
    let Decision { to, reason, finally } = decision;
    if subject.owner == node.n && !finally {
        let text = "a node does not decide about its own asset";
        return Err(refused(Code::Forbidden, text, "let another node decide"));
    }
    let word = match to {
        AssetState::Promoted => "accept",
        AssetState::Rejected => "reject",
        _ => "quarantine",
    };
    sqlx::query("INSERT OR REPLACE INTO decisions (target, node, decision, reason, at) VALUES (?, ?, ?, ?, ?)")
        .bind(subject.capsule)
        .bind(node.n)
        .bind(word)
        .bind(&reason)
        .bind(at)
        .execute(&mut *c)
        .await?;
    if !finally && to == AssetState::Promoted {
        return Ok(Vec::new());
    }
    // Of others than operators, a rejection too only holds an asset back.
    let to = if finally { to } else { AssetState::Quarantined };
    Ok(state::apply(c, &Move { capsule: subject.capsule, to, reason, by: None }).await?)
}

async fn revoke(
    c: &mut SqliteConnection,
    subject: &Subject,
    node: &NodeRow,
    reason: Option<String>,
) -> Result<Vec<[u8; 32]>, Refused> {
    if subject.owner != node.n {
        let text = format!("the asset was published by {}", subject.owner_id);
        let correction = "only its publisher can revoke it; use `decision` or `report` to say what is wrong with it";
        return Err(refused(Code::Forbidden, text, correction));
    }
    if !subject.belongs_to_owner() {
        let text = format!(
            "the asset was published before {} said hello, so nobody can prove to be its publisher",
            subject.owner_id
        );
        let correction = "ask an operator of the hub to reject it; say hello before you publish";
        return Err(refused(Code::Forbidden, text, correction));
    }
    let step = Move { capsule: subject.capsule, to: AssetState::Revoked, reason, by: Some(node.n) };
    Ok(state::apply(c, &step).await?)
}

fn refused(code: Code, text: impl Into<String>, correction: &str) -> Refused {
    Refused::Rule(Problem::new(code, text, correction).at("payload.target_asset_id"))
}
