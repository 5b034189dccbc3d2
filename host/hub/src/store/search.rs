//! Finds assets by signals.
//!
//! The words of the asked signals are looked up in the table of postings, which holds the assets of each word in the order
//! of their rank. So a common word costs no more than a rare one. Of each word the best [`PER_WORD`] assets are looked at, and
//! those with more of the asked words come first. An asset that has several of the words, but is behind [`PER_WORD`] others
//! for each of them, is not found; a more specific signal finds it.

use std::collections::BTreeMap;

use gephost_core::a2a::{AssetState, Problem};

use super::{Kind, Store, state_code, terms};

/// Assets of each word that are looked at.
const PER_WORD: i64 = 100;
/// Most words of one search.
const MAX_WORDS: usize = 16;
/// Most words that the beginning of a word stands for.
const MAX_BEGUN: i64 = 8;

impl Store {
    /// The rows of the best assets for signals, at most `limit` behind the first `skip`.
    pub(crate) async fn search(
        &self,
        signals: &[String],
        state: AssetState,
        kind: Option<Kind>,
        skip: usize,
        limit: usize,
    ) -> Result<Vec<i64>, Problem> {
        let words = self.words(signals).await?;
        let kinds = kind.map_or_else(|| vec![Kind::Gene, Kind::Capsule], |kind| vec![kind]);
        let mut found: BTreeMap<i64, (i64, i64, usize)> = BTreeMap::new();
        for word in &words {
            for kind in &kinds {
                let rows: Vec<(i64, i64)> =
                    sqlx::query_as("SELECT asset, rank FROM postings WHERE term = ? AND state = ? AND kind = ? ORDER BY rank DESC, asset DESC LIMIT ?")
                        .bind(word)
                        .bind(state_code(state))
                        .bind(kind.code())
                        .bind(PER_WORD)
                        .fetch_all(&self.readers)
                        .await
                        .map_err(|error| self.failed(&error))?;
                for (asset, rank) in rows {
                    found.entry(asset).or_insert((rank, kind.code(), 0)).2 += 1;
                }
            }
        }
        if words.len() > 1 {
            self.count_words(&words, state, &mut found).await?;
        }
        let mut best: Vec<_> = found.into_iter().map(|(asset, (rank, _, hits))| (hits, rank, asset)).collect();
        best.sort_unstable_by(|a, b| b.cmp(a));
        Ok(best.into_iter().skip(skip).take(limit).map(|(_, _, asset)| asset).collect())
    }

    /// Counts the asked words of each found asset, also those for which it was not among the best.
    async fn count_words(
        &self,
        words: &[i64],
        state: AssetState,
        found: &mut BTreeMap<i64, (i64, i64, usize)>,
    ) -> Result<(), Problem> {
        let candidates: Vec<_> = found.iter().map(|(asset, (rank, kind, _))| [*asset, *rank, *kind]).collect();
        let rows: Vec<(i64, i64)> = sqlx::query_as(
            "SELECT p.asset, count(*) FROM json_each(?1) AS f CROSS JOIN json_each(?2) AS w
             CROSS JOIN postings AS p ON p.term = w.value AND p.state = ?3 AND p.kind = (f.value ->> 2) AND p.rank = (f.value ->> 1)
             AND p.asset = (f.value ->> 0) GROUP BY p.asset",
        )
        .bind(serde_json::json!(candidates).to_string())
        .bind(serde_json::json!(words).to_string())
        .bind(state_code(state))
        .fetch_all(&self.readers)
        .await
        .map_err(|error| self.failed(&error))?;
        for (asset, hits) in rows {
            if let Some(entry) = found.get_mut(&asset) {
                entry.2 = usize::try_from(hits).unwrap_or(0);
            }
        }
        Ok(())
    }

    /// The words of signals that some asset has. A word that none has stands for those that begin with it.
    async fn words(&self, signals: &[String]) -> Result<Vec<i64>, Problem> {
        let mut asked: Vec<String> = Vec::new();
        for word in signals.iter().flat_map(|signal| terms::of_signal(signal)) {
            if asked.len() < MAX_WORDS && !asked.contains(&word) {
                asked.push(word);
            }
        }
        let mut words: Vec<i64> = Vec::new();
        for word in asked {
            let exact: Vec<i64> = sqlx::query_scalar("SELECT n FROM terms WHERE term = ?")
                .bind(&word)
                .fetch_all(&self.readers)
                .await
                .map_err(|error| self.failed(&error))?;
            let found = if exact.is_empty() { self.begun(&word).await? } else { exact };
            words.extend(found);
        }
        words.sort_unstable();
        words.dedup();
        words.truncate(MAX_WORDS);
        Ok(words)
    }

    async fn begun(&self, word: &str) -> Result<Vec<i64>, Problem> {
        sqlx::query_scalar("SELECT n FROM terms WHERE term >= ?1 AND term < ?1 || char(1114111) LIMIT ?2")
            .bind(word)
            .bind(MAX_BEGUN)
            .fetch_all(&self.readers)
            .await
            .map_err(|error| self.failed(&error))
    }
}
