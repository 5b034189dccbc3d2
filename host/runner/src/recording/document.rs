//! The written form of a recording, `gephost.recording/1`: apart from the live types, and strict. A later version gets a
//! schema of its own; whoever reads a schema that is not this one says so and reads nothing.

use std::fmt;
use std::time::Duration;

use gephost_core::digest::canonical_text;
use gephost_core::gene::Settings;
use gephost_core::recording::{AuditLog, CallResult, Digest, Hasher};
use serde::{Deserialize, Serialize};

use crate::sandbox::{Budgets, Granted};

const SCHEMA: &str = "gephost.recording/1";
/// The largest document, in bytes: an audit at its bound, with room.
pub(super) const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

/// What the gene was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Function {
    /// For findings.
    Diagnose,
    /// For candidates.
    Propose,
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Diagnose => "diagnose",
            Self::Propose => "propose",
        })
    }
}

/// One call of a gene, as it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    pub(super) schema: String,
    /// Which gephost ran it.
    pub gephost: String,
    /// Which engine.
    pub engine: String,
    /// The gene's id.
    pub gene: String,
    /// What it was asked.
    pub function: Function,
    /// The component.
    pub component: Digest,
    /// What it was granted.
    pub granted: Granted,
    pub(super) budgets: Limits,
    pub(super) seed: u64,
    /// Absent where it was told nothing, as in recordings of before there was this.
    #[serde(default, skip_serializing_if = "Settings::is_empty")]
    pub(super) settings: Settings,
    /// Where its clock started, RFC 3339.
    pub(super) now: String,
    pub(super) run_log: Digest,
    pub(super) history: Digest,
    /// Which lines the failing command executed. Absent if the gene was not granted that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) coverage: Option<Digest>,
    pub(super) workspace: Digest,
    /// The diagnosis that it was asked about.
    pub(super) question: Option<Digest>,
    /// What it asked a model, in order; absent where it asked nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) turns: Vec<RecordedTurn>,
    /// Its result.
    #[serde(rename = "came")]
    pub result: CallResult,
    /// Why it cannot be run again, where that is so.
    pub left_out: Option<String>,
    /// What was measured, and no part of the id.
    pub measured: Measured,
}

/// A question to a model, with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedTurn {
    /// Digest of the question as the gene asked it.
    pub(super) asked: Digest,
    /// The question as it was sent, redacted.
    pub(super) sent: Digest,
    /// The answer, or why there was none.
    pub(super) answer: Digest,
}

/// What no second run need repeat.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// When it was recorded first, RFC 3339.
    pub at: String,
    /// Microseconds of the call.
    pub wall_us: u64,
}

/// Budgets as numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Limits {
    wall_ms: u64,
    fuel: u64,
    memory: u64,
    table_elements: u64,
    output: u64,
    log_lines: u64,
    host_calls: u64,
    host_bytes: u64,
    handles: u64,
}

/// Why a document is no recording.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// Another schema.
    #[error("its schema is {0:?}, and this gephost reads `{SCHEMA}`: use the gephost that wrote it")]
    Schema(String),
    /// Not this schema's members.
    #[error("it is damaged or was edited: {0}")]
    Malformed(String),
    /// Its name is not what it holds.
    #[error("it was edited: it holds {computed}, and is named {stated}")]
    Renamed {
        /// Its name.
        stated: String,
        /// Its content's.
        computed: String,
    },
}

impl Limits {
    pub(super) fn of(budgets: &Budgets) -> Self {
        Self {
            wall_ms: u64::try_from(budgets.wall.as_millis()).unwrap_or(u64::MAX),
            fuel: budgets.fuel,
            memory: budgets.memory as u64,
            table_elements: budgets.table_elements as u64,
            output: budgets.output,
            log_lines: budgets.log_lines,
            host_calls: budgets.host_calls,
            host_bytes: budgets.host_bytes,
            handles: budgets.handles as u64,
        }
    }

    /// The same as budgets, but no more than this host would give: a foreign recording may state anything.
    pub(super) fn budgets(&self) -> Budgets {
        const MOST: Budgets = Budgets {
            wall: Duration::from_mins(10),
            fuel: u64::MAX,
            memory: 4 << 30,
            table_elements: 1 << 20,
            output: 1 << 30,
            log_lines: 1 << 20,
            host_calls: u64::MAX,
            host_bytes: 1 << 30,
            handles: 1024,
            traced_calls: 0,
        };
        let at_most = |number: u64, most: usize| usize::try_from(number).unwrap_or(usize::MAX).min(most);
        Budgets {
            wall: Duration::from_millis(self.wall_ms).min(MOST.wall),
            fuel: self.fuel,
            memory: at_most(self.memory, MOST.memory),
            table_elements: at_most(self.table_elements, MOST.table_elements),
            output: self.output.min(MOST.output),
            log_lines: self.log_lines.min(MOST.log_lines),
            host_calls: self.host_calls,
            host_bytes: self.host_bytes.min(MOST.host_bytes),
            handles: at_most(self.handles, MOST.handles),
            traced_calls: MOST.traced_calls,
        }
    }
}

impl Recording {
    pub(super) fn schema() -> String {
        SCHEMA.to_owned()
    }

    /// The name: `rec_` and 16 hex digits over everything but what was measured. Two runs that were the same have one
    /// name, and are kept once.
    pub fn id(&self) -> Result<String, RecordingError> {
        let malformed = |error: &dyn fmt::Display| RecordingError::Malformed(error.to_string());
        let audit = AuditLog { entries: Vec::new(), ..self.result.audit.clone() };
        let bare = Self {
            // The trail stands for the entries.
            result: CallResult { audit, ..self.result.clone() },
            measured: Measured::default(),
            ..self.clone()
        };
        let value = serde_json::to_value(&bare).map_err(|error| malformed(&error))?;
        let text = canonical_text(&value).map_err(|error| malformed(&error))?;
        Ok(format!("rec_{}", Digest::of(text.as_bytes()).hex().get(..16).unwrap_or_default()))
    }

    /// One line of JSON.
    pub(super) fn to_json(&self) -> Result<Vec<u8>, RecordingError> {
        serde_json::to_vec(self).map_err(|error| RecordingError::Malformed(error.to_string()))
    }

    /// Reads a document and checks what can be checked of it alone. `stated` is the name that it was found under.
    pub(super) fn from_json(bytes: &[u8], stated: Option<&str>) -> Result<Self, RecordingError> {
        #[derive(Deserialize)]
        struct Head {
            schema: String,
        }
        let malformed = |error: serde_json::Error| RecordingError::Malformed(error.to_string());
        let head: Head = serde_json::from_slice(bytes).map_err(malformed)?;
        if head.schema != SCHEMA {
            return Err(RecordingError::Schema(head.schema.chars().take(80).collect()));
        }
        let recording: Self = serde_json::from_slice(bytes).map_err(malformed)?;
        recording.check_trail()?;
        let computed = recording.id()?;
        match stated {
            Some(stated) if stated != computed => Err(RecordingError::Renamed { stated: stated.to_owned(), computed }),
            _ => Ok(recording),
        }
    }

    /// Where every request was kept, the trail can be computed again.
    fn check_trail(&self) -> Result<(), RecordingError> {
        let audit = &self.result.audit;
        let mut trail = Hasher::default();
        for entry in &audit.entries {
            entry.hash_into(&mut trail);
        }
        if audit.omitted.is_empty() && trail.digest() != audit.trail {
            return Err(RecordingError::Malformed("its requests are not those of its trail".to_owned()));
        }
        Ok(())
    }

    /// The blobs that the document itself names.
    pub(super) fn blobs(&self) -> Vec<Digest> {
        let mut blobs = vec![self.component, self.run_log, self.history, self.workspace, self.result.answer];
        blobs.extend(self.question);
        blobs.extend(self.turns.iter().flat_map(|turn| [turn.sent, turn.answer]));
        blobs.extend(self.coverage);
        blobs
    }
}
