//! Stores bundles.

use gephost_core::a2a::gdi::{Standing, gdi};
use gephost_core::a2a::{AssetState, Code, Problem};
use serde_json::json;
use sqlx::{Row as _, SqliteConnection};

use super::messages::{self, Message};
use super::writer::{Changed, Refused};
use super::{Kind, Store, digest_text, score, state_code, state_of};

/// An asset that is to be stored.
#[derive(Debug, Clone)]
pub(crate) struct NewAsset {
    pub(crate) id: [u8; 32],
    pub(crate) local_id: Option<String>,
    pub(crate) terms: Vec<String>,
    /// The bytes that were hashed, and the `asset_id`.
    pub(crate) body: Vec<u8>,
    /// Of a gene its component, of a capsule the recording of its run.
    pub(crate) blob: Option<[u8; 32]>,
}

/// A bundle that is to be stored.
#[derive(Debug, Clone)]
pub(crate) struct NewBundle {
    pub(crate) message: Message,
    /// Whether the sender proved who it is.
    pub(crate) proven: bool,
    pub(crate) id: String,
    pub(crate) gene: NewAsset,
    pub(crate) capsule: NewAsset,
    pub(crate) event: Option<NewAsset>,
    /// Candidate, or rejected by the quality gate.
    pub(crate) state: AssetState,
    pub(crate) reason: Option<String>,
    /// Everything that decides about the score but the reputation.
    pub(crate) standing: Standing,
}

/// What became of a bundle.
#[derive(Debug, Clone)]
pub(crate) struct Published {
    /// The row of the capsule.
    pub(crate) capsule: i64,
    /// Whether the bundle was here before.
    pub(crate) duplicate: bool,
}

/// An asset of the bundle that is here already.
struct Present {
    n: i64,
    kind: Kind,
    node: String,
    state: AssetState,
}

impl Store {
    /// Stores a bundle.
    pub(crate) async fn publish(&self, bundle: NewBundle) -> Result<Published, Problem> {
        self.writer.write(move |c| Box::pin(publish(c, bundle))).await
    }
}

async fn publish(c: &mut SqliteConnection, bundle: NewBundle) -> Result<Changed<Published>, Refused> {
    // The identical message goes on: its bundle is here, and is found as a duplicate.
    messages::look(c, &bundle.message).await?;
    let (last, present) = present(c, &bundle).await?;
    let find = |kind: Kind| present.iter().find(|row| row.kind == kind);
    if let Some(capsule) = find(Kind::Capsule) {
        if capsule.node != bundle.message.sender {
            return Err(Refused::Rule(taken(&bundle, capsule)));
        }
        messages::note(c, &bundle.message, None).await?;
        return Ok((Published { capsule: capsule.n, duplicate: true }, Vec::new()));
    }
    if let Some(gene) = find(Kind::Gene).filter(|gene| gene.state == AssetState::Revoked) {
        return Err(Refused::Rule(withdrawn(&bundle, gene)));
    }
    bytes_are_here(c, &bundle).await?;
    let (node, reputation) = count(c, &bundle).await?;
    let standing = Standing {
        reputation,
        has_event: bundle.event.is_some() && find(Kind::Event).is_none(),
        ..bundle.standing.clone()
    };
    let scored = gdi(&standing);
    let rank = score::hundredths(scored.lower);
    messages::note(c, &bundle.message, None).await?;

    let mut rows = Vec::new();
    let mut words = Vec::new();
    let mut next = last;
    let mut number = || {
        next += 1;
        next
    };
    let gene = find(Kind::Gene).map(|gene| gene.n);
    let gene_n = gene.unwrap_or_else(&mut number);
    let capsule_n = number();
    if gene.is_none() {
        rows.push((gene_n, Kind::Gene, capsule_n, &bundle.gene));
    }
    rows.push((capsule_n, Kind::Capsule, gene_n, &bundle.capsule));
    if let Some(event) = bundle.event.as_ref().filter(|_| standing.has_event) {
        rows.push((number(), Kind::Event, capsule_n, event));
    }
    let mut query = sqlx::QueryBuilder::<sqlx::Sqlite>::new(
        "INSERT INTO assets (n, asset_id, kind, node, bundle, partner, local_id, state, reason, published_at, scored_at, rank, gdi,
         component, recording, authenticated, has_event, body) ",
    );
    query.push_values(&rows, |mut row, (n, kind, partner, asset)| {
        let blob = asset.blob.as_ref().map(|blob| blob.to_vec());
        let (component, recording) = if *kind == Kind::Gene { (blob, None) } else { (None, blob) };
        row.push_bind(*n)
            .push_bind(asset.id.to_vec())
            .push_bind(kind.code())
            .push_bind(node)
            .push_bind(&bundle.id)
            .push_bind(*partner)
            .push_bind(&asset.local_id)
            .push_bind(state_code(bundle.state))
            .push_bind(&bundle.reason)
            .push_bind(bundle.message.at)
            .push_bind(bundle.message.at)
            .push_bind(rank)
            .push_bind(scored.mean)
            .push_bind(component)
            .push_bind(recording)
            .push_bind(bundle.proven)
            .push_bind(standing.has_event)
            .push_bind(&asset.body);
    });
    query.build().execute(&mut *c).await?;
    for (n, kind, _, asset) in &rows {
        words.extend(asset.terms.iter().map(|term| json!([term, kind.code(), n])));
    }
    let words = serde_json::Value::Array(words).to_string();
    sqlx::query("INSERT OR IGNORE INTO terms (term) SELECT value ->> 0 FROM json_each(?)")
        .bind(&words)
        .execute(&mut *c)
        .await?;
    sqlx::query(
        "INSERT OR IGNORE INTO postings (term, state, kind, rank, asset)
         SELECT t.n, ?2, j.value ->> 1, ?3, j.value ->> 2 FROM json_each(?1) AS j JOIN terms AS t ON t.term = j.value ->> 0",
    )
    .bind(&words)
    .bind(state_code(bundle.state))
    .bind(rank)
    .execute(c)
    .await?;
    Ok((Published { capsule: capsule_n, duplicate: false }, vec![bundle.gene.id, bundle.capsule.id]))
}

/// The last row number, and those assets of the bundle that are here.
async fn present(c: &mut SqliteConnection, bundle: &NewBundle) -> Result<(i64, Vec<Present>), sqlx::Error> {
    let event = bundle.event.as_ref().map(|event| event.id.to_vec());
    let rows = sqlx::query(
        "SELECT a.n, a.kind, d.node_id, a.state FROM assets AS a JOIN nodes AS d ON d.n = a.node WHERE a.asset_id IN (?, ?, ?)
         UNION ALL SELECT coalesce(max(n), 0), NULL, NULL, NULL FROM assets",
    )
    .bind(bundle.gene.id.to_vec())
    .bind(bundle.capsule.id.to_vec())
    .bind(event)
    .fetch_all(c)
    .await?;
    let mut last = 0;
    let mut present = Vec::new();
    for row in rows {
        let n = row.try_get(0)?;
        match row.try_get::<Option<i64>, _>(1)? {
            None => last = n,
            Some(kind) => {
                let state = state_of(row.try_get(3)?);
                present.push(Present { n, kind: Kind::of_code(kind), node: row.try_get(2)?, state });
            }
        }
    }
    Ok((last, present))
}

/// Refuses a bundle whose bytes were removed since it was checked.
async fn bytes_are_here(c: &mut SqliteConnection, bundle: &NewBundle) -> Result<(), Refused> {
    for digest in [bundle.gene.blob, bundle.capsule.blob].iter().flatten() {
        let is_here: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM blobs WHERE digest = ?)")
            .bind(&digest[..])
            .fetch_one(&mut *c)
            .await?;
        if !is_here {
            let message = format!("the bundle names the bytes {}, which this hub does not have", digest_text(digest));
            let correction = "upload them, and send the bundle again";
            return Err(Refused::Rule(Problem::new(Code::ComponentMissing, message, correction).at("payload.assets")));
        }
    }
    Ok(())
}

/// Counts the publication. Gives the row and the reputation of the node.
async fn count(c: &mut SqliteConnection, bundle: &NewBundle) -> Result<(i64, f64), sqlx::Error> {
    let rejected = i64::from(bundle.state == AssetState::Rejected);
    let row = sqlx::query(
        "INSERT INTO nodes (node_id, first_seen, last_seen, published, rejected, dirty) VALUES (?1, ?2, ?2, 1, ?3, 1)
         ON CONFLICT (node_id) DO UPDATE SET published = published + 1, rejected = rejected + ?3, last_seen = max(last_seen, ?2),
             dirty = 1
         RETURNING n, reputation",
    )
    .bind(&bundle.message.sender)
    .bind(bundle.message.at)
    .bind(rejected)
    .fetch_one(c)
    .await?;
    Ok((row.try_get(0)?, row.try_get(1)?))
}

fn taken(bundle: &NewBundle, capsule: &Present) -> Problem {
    let id = digest_text(&bundle.capsule.id);
    let message = format!("the capsule {id} was published by {}, and is {}", capsule.node, capsule.state);
    Problem::new(Code::Conflict, message, "report or vote on it, or publish a capsule of your own").at("payload.assets")
}

fn withdrawn(bundle: &NewBundle, gene: &Present) -> Problem {
    let message = format!("the gene {} was revoked by {}", digest_text(&bundle.gene.id), gene.node);
    Problem::new(Code::Conflict, message, "publish another gene: a revocation is final").at("payload.assets")
}
