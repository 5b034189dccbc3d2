//! Reads assets: one, by id; many, newest, best or most used first.

use gephost_core::a2a::{AssetState, Problem};
use sqlx::FromRow;

use super::{Kind, Store, state_code, state_of};

/// An asset with what the hub says about it.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct AssetRow {
    pub(crate) n: i64,
    pub(crate) asset_id: Vec<u8>,
    kind: i64,
    pub(crate) node_id: String,
    pub(crate) bundle: String,
    pub(crate) partner: i64,
    pub(crate) local_id: Option<String>,
    state: i64,
    pub(crate) reason: Option<String>,
    pub(crate) published_at: i64,
    pub(crate) rank: i64,
    pub(crate) gdi: f64,
    pub(crate) uses: i64,
    pub(crate) component: Option<Vec<u8>>,
    pub(crate) recording: Option<Vec<u8>>,
    pub(crate) authenticated: bool,
    pub(crate) body: Vec<u8>,
}

impl AssetRow {
    pub(crate) fn kind(&self) -> Kind {
        Kind::of_code(self.kind)
    }

    pub(crate) fn state(&self) -> AssetState {
        state_of(self.state)
    }

    /// The row of the capsule that stands for its bundle.
    pub(crate) fn capsule(&self) -> i64 {
        if self.kind() == Kind::Capsule { self.n } else { self.partner }
    }
}

/// In which order assets are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Newest,
    Ranked,
    MostUsed,
}

/// Where a list goes on: behind this row with this value of the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) value: i64,
    pub(crate) n: i64,
}

impl Page {
    /// Before everything.
    pub(crate) const FIRST: Self = Self { value: i64::MAX, n: i64::MAX };
}

/// What is listed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Listing {
    pub(crate) state: AssetState,
    pub(crate) kind: Option<Kind>,
    pub(crate) order: Order,
    pub(crate) after: Page,
    pub(crate) limit: i64,
}

const SELECT: &str = "SELECT a.n, a.asset_id, a.kind, d.node_id, a.bundle, a.partner, a.local_id, a.state, a.reason,
     a.published_at, a.rank, a.gdi, a.uses, a.component, a.recording, a.authenticated, a.body
     FROM assets AS a JOIN nodes AS d ON d.n = a.node ";

/// A statement of two constants of this file.
fn select(rest: &'static str) -> sqlx::SqlStr {
    use sqlx::SqlSafeStr as _;
    sqlx::AssertSqlSafe([SELECT, rest].concat()).into_sql_str()
}

impl Store {
    /// One asset.
    pub(crate) async fn asset(&self, id: &[u8; 32]) -> Result<Option<AssetRow>, Problem> {
        sqlx::query_as(select("WHERE a.asset_id = ?"))
            .bind(&id[..])
            .fetch_optional(&self.readers)
            .await
            .map_err(|error| self.failed(&error))
    }

    /// Assets by their ids, as many as are here, in no order.
    pub(crate) async fn assets_by_id(&self, ids: &[[u8; 32]]) -> Result<Vec<AssetRow>, Problem> {
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            found.extend(self.asset(id).await?);
        }
        Ok(found)
    }

    /// Assets by their rows, in the given order.
    pub(crate) async fn assets_by_row(&self, rows: &[i64]) -> Result<Vec<AssetRow>, Problem> {
        let list = serde_json::Value::from(rows).to_string();
        let query = select("WHERE a.n IN (SELECT value FROM json_each(?))");
        let mut found: Vec<AssetRow> =
            sqlx::query_as(query).bind(list).fetch_all(&self.readers).await.map_err(|error| self.failed(&error))?;
        found.sort_by_key(|asset| rows.iter().position(|row| *row == asset.n));
        Ok(found)
    }

    /// Promoted assets with a local id.
    pub(crate) async fn assets_by_local_id(
        &self,
        local_id: &str,
        kind: Option<Kind>,
        limit: i64,
    ) -> Result<Vec<AssetRow>, Problem> {
        let query =
            select("WHERE a.local_id = ?1 AND a.state = 1 AND (?2 IS NULL OR a.kind = ?2) ORDER BY a.n DESC LIMIT ?3");
        let kind = kind.map(Kind::code);
        sqlx::query_as(query)
            .bind(local_id)
            .bind(kind)
            .bind(limit)
            .fetch_all(&self.readers)
            .await
            .map_err(|error| self.failed(&error))
    }

    /// The newest promoted gene with a local id, of the node that published the oldest one that was ever promoted. A name stays
    /// with that node, also when it has withdrawn its genes, so that nobody takes over the users of a name.
    pub(crate) async fn gene(&self, local_id: &str) -> Result<Option<AssetRow>, Problem> {
        let query = select(
            "WHERE a.local_id = ?1 AND a.kind = 0 AND a.state = 1 AND a.node =
             (SELECT node FROM assets WHERE local_id = ?1 AND kind = 0 AND was_promoted = 1 ORDER BY n LIMIT 1) ORDER BY a.n DESC LIMIT 1",
        );
        sqlx::query_as(query).bind(local_id).fetch_optional(&self.readers).await.map_err(|error| self.failed(&error))
    }

    /// The other assets of a bundle.
    pub(crate) async fn bundle(&self, capsule: i64) -> Result<Vec<AssetRow>, Problem> {
        let query = select(
            "WHERE a.n = ?1 OR a.n = (SELECT partner FROM assets WHERE n = ?1) OR (a.partner = ?1 AND a.kind = 2) ORDER BY a.kind",
        );
        sqlx::query_as(query).bind(capsule).fetch_all(&self.readers).await.map_err(|error| self.failed(&error))
    }

    /// A page of a list.
    pub(crate) async fn list(&self, listing: Listing) -> Result<Vec<AssetRow>, Problem> {
        let kinds = listing.kind.map_or_else(|| Kind::ALL.to_vec(), |kind| vec![kind]);
        let mut found = Vec::new();
        for kind in kinds {
            found.extend(self.list_kind(listing, kind).await?);
        }
        found.sort_by_key(|asset: &AssetRow| std::cmp::Reverse((listing.order.value(asset), asset.n)));
        found.truncate(listing.limit.try_into().unwrap_or(0));
        Ok(found)
    }

    async fn list_kind(&self, listing: Listing, kind: Kind) -> Result<Vec<AssetRow>, Problem> {
        let query = select(match listing.order {
            Order::Newest => {
                "WHERE a.state = ?1 AND a.kind = ?2 AND a.n < ?4 AND ?3 IS NOT NULL ORDER BY a.n DESC LIMIT ?5"
            }
            Order::Ranked => {
                "WHERE a.state = ?1 AND a.kind = ?2 AND (a.rank, a.n) < (?3, ?4) ORDER BY a.rank DESC, a.n DESC LIMIT ?5"
            }
            Order::MostUsed => {
                "WHERE a.state = ?1 AND a.kind = ?2 AND (a.uses, a.n) < (?3, ?4) ORDER BY a.uses DESC, a.n DESC LIMIT ?5"
            }
        });
        sqlx::query_as(query)
            .bind(state_code(listing.state))
            .bind(kind.code())
            .bind(listing.after.value)
            .bind(listing.after.n)
            .bind(listing.limit)
            .fetch_all(&self.readers)
            .await
            .map_err(|error| self.failed(&error))
    }
}

impl Order {
    /// The value of the order for an asset.
    pub(crate) fn value(self, asset: &AssetRow) -> i64 {
        match self {
            Self::Newest => 0,
            Self::Ranked => asset.rank,
            Self::MostUsed => asset.uses,
        }
    }
}
