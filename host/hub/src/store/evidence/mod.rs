//! What nodes say about the assets of others: reports, decisions, votes, reviews, revocations; and what the hub's own
//! replays say.

mod opinions;
mod replays;
mod reports;
mod statements;

use gephost_core::a2a::{AssetState, Code, Problem};
use sqlx::{FromRow, SqliteConnection};

pub(crate) use opinions::Opinion;
pub(crate) use statements::Statement;

use super::{Store, digest_text, state_of};

/// The bundle that an asset id stands for.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct Subject {
    /// The row of its capsule.
    pub(crate) capsule: i64,
    /// The row of its publisher.
    pub(crate) owner: i64,
    pub(crate) owner_id: String,
    state: i64,
    /// Whether the publisher proved who it is.
    authenticated: bool,
    published_at: i64,
    /// When the publisher was first given a secret.
    registered_at: Option<i64>,
}

impl Subject {
    pub(crate) fn state(&self) -> AssetState {
        state_of(self.state)
    }

    /// Whether the one who holds the owner's secret now is the one whose id it was at the publication. Whoever comes later may
    /// have taken the id of a node that never said hello.
    fn belongs_to_owner(&self) -> bool {
        self.authenticated || self.registered_at.is_some_and(|at| at <= self.published_at)
    }
}

const SUBJECT: &str = "SELECT c.n AS capsule, c.node AS owner, d.node_id AS owner_id, c.state AS state,
     c.authenticated, c.published_at, d.registered_at FROM assets AS a
     JOIN assets AS c ON c.n = iif(a.kind = 1, a.n, a.partner) JOIN nodes AS d ON d.n = c.node WHERE a.asset_id = ?";

async fn subject(c: &mut SqliteConnection, id: &[u8; 32]) -> Result<Option<Subject>, sqlx::Error> {
    sqlx::query_as(SUBJECT).bind(&id[..]).fetch_optional(c).await
}

fn unknown(id: &[u8; 32], field: &str) -> Problem {
    let message = format!("there is no asset {} here", digest_text(id));
    Problem::new(Code::NotFound, message, "use the `asset_id` of an asset that this hub has").at(field)
}

impl Store {
    /// The bundle of an asset.
    pub(crate) async fn subject(&self, id: &[u8; 32]) -> Result<Option<Subject>, Problem> {
        sqlx::query_as(SUBJECT).bind(&id[..]).fetch_optional(&self.readers).await.map_err(|error| self.failed(&error))
    }
}
