//! Scores bundles from everything that the database knows about them.

use gephost_core::a2a::AssetState;
use gephost_core::a2a::gdi::{Gdi, Standing, Tally, gdi, specificity, summary_quality};
use gephost_core::a2a::promotion::{
    Course, DECIDES_FROM, Evidence, Newcomers, Opinion, Rule, Witness, course, rules, weigh, weigh_opinions,
};
use gephost_core::blast_radius::BlastRadius;
use gephost_core::capsule::Capsule;
use sqlx::{FromRow, Row as _, SqliteConnection};

use super::state::{self, Move};
use super::{Kind, state_code, state_of};

/// Most opinions of each kind about one asset that count: the newest.
const OPINIONS: i64 = 1000;
const DAY: i64 = 86_400_000;
/// Days in which a fetch counts (GEP.md section 7).
pub(crate) const FETCH_DAYS: i64 = 30;
/// Most fetches, and most distinct fetchers, of newcomers that count on a hub that doubts them.
const NEWCOMERS_FETCHES: u64 = 50;
const NEWCOMERS_FETCHERS: u64 = 5;
/// Days in which a successful execution counts (GEP.md section 7).
const SUCCESS_DAYS: i64 = 90;

/// What scoring needs beside the database.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scorer {
    pub(crate) newcomers: Newcomers,
    pub(crate) operators: Vec<String>,
}

/// A score and the rules of promotion.
#[derive(Debug, Clone)]
pub(crate) struct Explained {
    pub(crate) gdi: Gdi,
    pub(crate) rules: Vec<Rule>,
    pub(crate) state: AssetState,
    evidence: Evidence,
}

/// What scoring reads of a capsule.
#[derive(Debug, FromRow)]
struct Scored {
    node: i64,
    state: i64,
    published_at: i64,
    authenticated: bool,
    has_event: bool,
    body: Vec<u8>,
    reputation: f64,
}

/// The lower bound as it is stored, in hundredths.
#[expect(clippy::cast_possible_truncation, reason = "a score is from 0 to 100")]
pub(super) fn hundredths(score: f64) -> i64 {
    (score * 100.0) as i64
}

/// What a capsule says about itself, as far as it counts.
pub(crate) fn claims(capsule: &Capsule) -> Standing {
    let BlastRadius { files, lines } = capsule.blast_radius.unwrap_or(BlastRadius { files: 0, lines: 0 });
    Standing {
        confidence: capsule.confidence,
        streak: capsule.success_streak,
        files,
        lines,
        specificity: specificity(capsule.trigger.iter().map(String::as_str)),
        summary: summary_quality(capsule.summary.as_deref().unwrap_or("")),
        ..Standing::default()
    }
}

impl Scorer {
    fn is_newcomer(&self, node: &str, promoted: i64) -> bool {
        promoted == 0 && !self.operators.iter().any(|operator| operator == node)
    }

    /// Scores a capsule as of now.
    pub(crate) async fn explain(
        &self,
        c: &mut SqliteConnection,
        capsule: i64,
        now: i64,
    ) -> Result<Explained, sqlx::Error> {
        let row: Scored = sqlx::query_as(
            "SELECT a.node, a.state, a.published_at, a.authenticated, a.has_event, a.body, d.reputation
             FROM assets AS a JOIN nodes AS d ON d.n = a.node WHERE a.n = ?",
        )
        .bind(capsule)
        .fetch_one(&mut *c)
        .await?;
        let claimed = Capsule::from_json(&row.body).map(|capsule| claims(&capsule)).unwrap_or_default();
        let (validations, successes) = self.validations(c, capsule, row.node, now).await?;
        let replays = replays(c, capsule).await?;
        let decisions = self.decisions(c, capsule, row.node).await?;
        let (count, nodes) = self.fetches(c, capsule, now).await?;
        let standing = Standing {
            reputation: row.reputation,
            has_event: row.has_event,
            fetches: count,
            fetchers: nodes,
            successes,
            votes: self.votes(c, capsule).await?,
            validations,
            reviews: self.reviews(c, capsule).await?,
            replays,
            age_days: days(now - row.published_at),
            ..claimed
        };
        let confirmed = Tally { good: replays.good + decisions.good, bad: replays.bad + decisions.bad };
        let evidence = Evidence { validations, confirmed, authenticated: row.authenticated };
        let gdi = gdi(&standing);
        let rules = rules(&standing, &gdi, &evidence);
        Ok(Explained { gdi, rules, state: state_of(row.state), evidence })
    }

    /// Scores a capsule again, stores the score, and promotes or quarantines it if that follows. Gives the assets that look
    /// different.
    pub(crate) async fn rescore(
        &self,
        c: &mut SqliteConnection,
        capsule: i64,
        now: i64,
    ) -> Result<(Explained, Vec<[u8; 32]>), sqlx::Error> {
        let mut explained = self.explain(c, capsule, now).await?;
        let mut changed = state::rank(c, capsule, hundredths(explained.gdi.lower), explained.gdi.mean, now).await?;
        let next = match (
            explained.state,
            course(&explained.rules, &explained.evidence, explained.state == AssetState::Promoted),
        ) {
            (AssetState::Candidate, Course::Promote) => Some((AssetState::Promoted, "every rule of promotion is met")),
            (AssetState::Candidate | AssetState::Promoted, Course::Quarantine) => {
                Some((AssetState::Quarantined, "most validations failed"))
            }
            _ => None,
        };
        if let Some((to, reason)) = next {
            changed.extend(state::apply(c, &Move { capsule, to, reason: Some(reason.to_owned()), by: None }).await?);
            explained.state = to;
        }
        Ok((explained, changed))
    }

    async fn validations(
        &self,
        c: &mut SqliteConnection,
        capsule: i64,
        owner: i64,
        now: i64,
    ) -> Result<(Tally, f64), sqlx::Error> {
        let rows = sqlx::query(
            "SELECT r.ok, r.at, d.reputation, d.promoted, d.node_id FROM reports AS r JOIN nodes AS d ON d.n = r.node
             WHERE r.target = ? AND r.node <> ? ORDER BY r.n DESC LIMIT ?",
        )
        .bind(capsule)
        .bind(owner)
        .bind(OPINIONS)
        .fetch_all(c)
        .await?;
        let mut witnesses = Vec::with_capacity(rows.len());
        let mut recent = Vec::new();
        for row in &rows {
            let witness = Witness {
                holds: row.try_get(0)?,
                reputation: row.try_get(2)?,
                authenticated: true,
                newcomer: self.is_newcomer(row.try_get(4)?, row.try_get(3)?),
            };
            witnesses.push(witness);
            if witness.holds && now - row.try_get::<i64, _>(1)? <= SUCCESS_DAYS * DAY {
                recent.push(witness);
            }
        }
        Ok((weigh(&witnesses, self.newcomers), weigh(&recent, self.newcomers).good))
    }

    async fn votes(&self, c: &mut SqliteConnection, capsule: i64) -> Result<Tally, sqlx::Error> {
        let query = "SELECT CAST(v.good AS REAL), d.reputation, d.promoted, d.node_id FROM votes AS v
             JOIN nodes AS d ON d.n = v.node WHERE v.target = ? LIMIT ?";
        self.opinions(c, query, capsule).await
    }

    async fn reviews(&self, c: &mut SqliteConnection, capsule: i64) -> Result<Tally, sqlx::Error> {
        // One star says no, five say yes.
        let query = "SELECT (v.rating - 1) / 4.0, d.reputation, d.promoted, d.node_id FROM reviews AS v
             JOIN nodes AS d ON d.n = v.node WHERE v.target = ? LIMIT ?";
        self.opinions(c, query, capsule).await
    }

    /// Weighs the opinions that a query gives.
    async fn opinions(
        &self,
        c: &mut SqliteConnection,
        query: &'static str,
        capsule: i64,
    ) -> Result<Tally, sqlx::Error> {
        let rows = sqlx::query(query).bind(capsule).bind(OPINIONS).fetch_all(c).await?;
        let mut opinions = Vec::with_capacity(rows.len());
        for row in &rows {
            let newcomer = self.is_newcomer(row.try_get(3)?, row.try_get(2)?);
            opinions.push(Opinion { share: row.try_get(0)?, reputation: row.try_get(1)?, newcomer });
        }
        Ok(weigh_opinions(&opinions, self.newcomers))
    }

    /// Fetches and distinct fetchers. A hub that doubts newcomers counts so many of theirs that they give a third of the points.
    async fn fetches(&self, c: &mut SqliteConnection, capsule: i64, now: i64) -> Result<(u64, u64), sqlx::Error> {
        let rows = sqlx::query(
            "SELECT d.promoted = 0 AND d.node_id NOT IN (SELECT value FROM json_each(?3)) AS newcomer, sum(f.count),
                 count(DISTINCT f.node)
             FROM fetches AS f JOIN nodes AS d ON d.n = f.node WHERE f.target = ?1 AND f.day > ?2 GROUP BY newcomer",
        )
        .bind(capsule)
        .bind(now / DAY - FETCH_DAYS)
        .bind(serde_json::json!(self.operators).to_string())
        .fetch_all(c)
        .await?;
        let (mut known, mut new) = ((0_u64, 0_u64), (0_u64, 0_u64));
        for row in &rows {
            let count =
                |index| -> Result<u64, sqlx::Error> { Ok(row.try_get::<i64, _>(index)?.try_into().unwrap_or(0)) };
            let counted = (count(1)?, count(2)?);
            if row.try_get(0)? { new = counted } else { known = counted }
        }
        if self.newcomers == Newcomers::Doubted {
            new = (new.0.min(NEWCOMERS_FETCHES), new.1.min(NEWCOMERS_FETCHERS));
        }
        Ok((known.0 + new.0, known.1 + new.1))
    }

    async fn decisions(&self, c: &mut SqliteConnection, capsule: i64, owner: i64) -> Result<Tally, sqlx::Error> {
        let rows = sqlx::query(
            "SELECT x.decision, d.reputation, d.node_id FROM decisions AS x JOIN nodes AS d ON d.n = x.node
             WHERE x.target = ? AND x.node <> ? LIMIT ?",
        )
        .bind(capsule)
        .bind(owner)
        .bind(OPINIONS)
        .fetch_all(c)
        .await?;
        let mut tally = Tally::default();
        for row in rows {
            let operator = self.operators.iter().any(|operator| Some(operator.as_str()) == row.try_get(2).ok());
            if operator || row.try_get::<f64, _>(1)? >= DECIDES_FROM {
                let side = if row.try_get::<&str, _>(0)? == "accept" { &mut tally.good } else { &mut tally.bad };
                *side += 1.0;
            }
        }
        Ok(tally)
    }
}

async fn replays(c: &mut SqliteConnection, capsule: i64) -> Result<Tally, sqlx::Error> {
    let row = sqlx::query("SELECT outcome FROM replays WHERE target = ?").bind(capsule).fetch_optional(c).await?;
    let outcome = row.map(|row| row.try_get::<String, _>(0)).transpose()?;
    Ok(match outcome.as_deref() {
        Some("same") => Tally { good: 1.0, bad: 0.0 },
        Some("differs") => Tally { good: 0.0, bad: 1.0 },
        _ => Tally::default(),
    })
}

#[expect(clippy::cast_precision_loss, reason = "days since publication")]
fn days(milliseconds: i64) -> f64 {
    milliseconds.max(0) as f64 / DAY as f64
}

/// Those capsules that were not scored for the longest time, before `before`.
pub(crate) async fn stale(c: &mut SqliteConnection, before: i64, limit: i64) -> Result<Vec<i64>, sqlx::Error> {
    sqlx::query_scalar(
        "SELECT n FROM assets WHERE kind = ? AND scored_at < ? AND state IN (?, ?) ORDER BY scored_at LIMIT ?",
    )
    .bind(Kind::Capsule.code())
    .bind(before)
    .bind(state_code(AssetState::Candidate))
    .bind(state_code(AssetState::Promoted))
    .bind(limit)
    .fetch_all(c)
    .await
}

impl super::Store {
    /// The score of a capsule as of now, without storing it.
    pub(crate) async fn explain(
        &self,
        capsule: i64,
        scorer: &Scorer,
        now: i64,
    ) -> Result<Explained, gephost_core::a2a::Problem> {
        let mut connection = self.readers.acquire().await.map_err(|error| self.failed(&error))?;
        scorer.explain(&mut connection, capsule, now).await.map_err(|error| self.failed(&error))
    }
}
