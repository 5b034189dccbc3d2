//! Backtests of genes: what a gene would have made of findings of the past, and how sure such a figure is.
//!
//! A cell is one gene on one finding, at the commit that was the base when the finding was last seen. What must stay true: a
//! cell's key covers everything that decides how it ends, so an outcome that is known under its key is not computed again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::command::RecordedRun;
use crate::digest::{DigestError, members_id};

/// A command that the operator recorded, and how it ended then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedCommand {
    /// Its words.
    pub argv: Vec<String>,
    /// How it ended; absent in old logs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run: Option<RecordedRun>,
}

/// One gene on one finding of the past: all that a worker needs to know, beside the gene's bytes and the events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// The version of gephost; another one may diagnose and validate in another way.
    pub version: String,
    /// SHA-256 of the gene's bytes, in hexadecimal.
    pub gene: String,
    /// Full hexadecimal id of the commit that was the base.
    pub base: String,
    /// SHA-256 of the config that the gate and the validation follow, in hexadecimal.
    pub policy: String,
    /// SHA-256 of the run events up to then, one on a line, in hexadecimal.
    pub events: String,
    /// Id of the finding.
    pub finding: String,
    /// Calls of recorded commands on which the finding rests.
    pub calls: Vec<String>,
    /// Those commands.
    pub commands: Vec<RecordedCommand>,
    /// For a gene that asks a model, the digest of what names the user's model, or [`NO_MODEL`].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<String>,
}

/// What a [`Cell`] names in the place of a model if the user has none, or refuses the network.
pub const NO_MODEL: &str = "none";

impl Cell {
    /// The key: `sha256:` and the hash of the cell as canonical JSON.
    pub fn key(&self) -> Result<String, DigestError> {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::Object(members)) => members_id(&members),
            // A struct of texts is always an object.
            _ => members_id(&serde_json::Map::new()),
        }
    }
}

/// How far a gene came with a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reached {
    /// The finding does not show in the events up to then.
    NotThere,
    /// The gene failed.
    GeneFailed,
    /// It proposed nothing.
    Nothing,
    /// It proposed, and the gate refused every candidate.
    Refused,
    /// A candidate passed the gate, and no command is known that could show whether it holds.
    NoCommand,
    /// A candidate passed the gate, and its commands cannot run here.
    CannotRun,
    /// Candidates were validated, and none held.
    Failed,
    /// A candidate held.
    Held,
}

impl Reached {
    /// The name in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotThere => "not there",
            Self::GeneFailed => "gene failed",
            Self::Nothing => "nothing",
            Self::Refused => "refused",
            Self::NoCommand => "no command",
            Self::CannotRun => "cannot run",
            Self::Failed => "failed",
            Self::Held => "held",
        }
    }

    /// Whether the gene was asked and answered.
    fn is_answer(self) -> bool {
        self > Self::GeneFailed
    }

    /// Whether the same cell always ends so. What depends on the machine is tried again.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::CannotRun | Self::GeneFailed)
    }
}

/// How a cell ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellEnd {
    /// How far the gene came.
    pub reached: Reached,
    /// Why no further, or the title of what held; one line.
    pub detail: String,
    /// Milliseconds of wall time.
    pub wall_ms: u64,
}

/// A share with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Rate {
    /// How many.
    pub count: u64,
    /// Of how many.
    pub of: u64,
    /// The share, from 0 to 1; 0 of nothing.
    pub share: f64,
    /// The lower end of the 95 % interval (Wilson's score interval).
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Rate {
    /// `count` of `of`, with Wilson's score interval for 95 %. Of nothing, anything is possible: 0 to 1.
    pub fn new(count: u64, of: u64) -> Self {
        /// The 97.5 % quantile of the normal distribution.
        const Z: f64 = 1.959_963_984_540_054;
        if of == 0 {
            return Self { count, of, share: 0.0, low: 0.0, high: 1.0 };
        }
        #[expect(clippy::cast_precision_loss, reason = "counts of findings stay far below 2^53")]
        let (n, share) = (of as f64, count as f64 / of as f64);
        let middle = share + Z * Z / (2.0 * n);
        let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        let whole = 1.0 + Z * Z / n;
        let (low, high) = ((middle - spread) / whole, (middle + spread) / whole);
        Self { count, of, share, low: low.clamp(0.0, 1.0), high: high.clamp(0.0, 1.0) }
    }
}

/// What a gene would have achieved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Rates {
    /// Cells in which it was asked and answered.
    pub asked: u64,
    /// Of those: it proposed something.
    pub proposed: Rate,
    /// Of those in which it proposed: a candidate passed the gate.
    pub passed: Rate,
    /// Of those that passed and could be validated: a candidate held.
    pub held: Rate,
}

/// The rates over cells.
pub fn rates(ends: impl IntoIterator<Item = Reached>) -> Rates {
    let (mut asked, mut proposed, mut passed, mut validated, mut held) = (0, 0, 0, 0, 0);
    for reached in ends.into_iter().filter(|reached| reached.is_answer()) {
        asked += 1;
        proposed += u64::from(reached > Reached::Nothing);
        passed += u64::from(reached > Reached::Refused);
        validated += u64::from(reached > Reached::CannotRun);
        held += u64::from(reached == Reached::Held);
    }
    Rates {
        asked,
        proposed: Rate::new(proposed, asked),
        passed: Rate::new(passed, proposed),
        held: Rate::new(held, validated),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn intervals_are_those_of_wilson() {
        // The figures of Newcombe (1998), table I, method 3.
        for (count, of, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let rate = Rate::new(count, of);
            assert!((rate.low - low).abs() < 5e-5 && (rate.high - high).abs() < 5e-5, "{rate:?}");
        }
        assert_eq!((Rate::new(0, 0).low, Rate::new(0, 0).high), (0.0, 1.0));
    }

    #[test]
    fn each_step_counts_among_those_that_reached_it() {
        use Reached::*;
        let rates = rates([NotThere, GeneFailed, Nothing, Refused, NoCommand, CannotRun, Failed, Held, Held]);
        let pair = |rate: Rate| (rate.count, rate.of);
        assert_eq!(rates.asked, 7);
        assert_eq!((pair(rates.proposed), pair(rates.passed), pair(rates.held)), ((6, 7), (5, 6), (2, 3)));
    }

    #[test]
    fn a_key_covers_every_member() {
        let cell = Cell {
            version: "1".to_owned(),
            gene: "g".to_owned(),
            base: "b".to_owned(),
            policy: "p".to_owned(),
            events: "e".to_owned(),
            finding: "f".to_owned(),
            calls: vec!["c".to_owned()],
            commands: vec![RecordedCommand { argv: vec!["x".to_owned()], run: None }],
            model: Some("m".to_owned()),
        };
        let key = cell.key().expect("a key");
        assert_eq!(cell.clone().key().expect("a key"), key);
        let changes: [fn(&mut Cell); 10] = [
            |cell| cell.version.push('x'),
            |cell| cell.gene.push('x'),
            |cell| cell.base.push('x'),
            |cell| cell.policy.push('x'),
            |cell| cell.events.push('x'),
            |cell| cell.finding.push('x'),
            |cell| cell.calls.clear(),
            |cell| cell.commands.clear(),
            |cell| cell.model = Some(NO_MODEL.to_owned()),
            |cell| cell.model = None,
        ];
        for change in changes {
            let mut other = cell.clone();
            change(&mut other);
            assert_ne!(other.key().expect("a key"), key);
        }
    }

    proptest! {
        #[test]
        fn an_interval_holds_its_share(of in 1..1_000_000_u64, share in 0.0..=1.0_f64) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a test")]
            let count = (of as f64 * share) as u64;
            let rate = Rate::new(count, of);
            prop_assert!(0.0 <= rate.low && rate.low <= rate.share + 1e-12 && rate.share <= rate.high + 1e-12 && rate.high <= 1.0);
        }
    }
}
