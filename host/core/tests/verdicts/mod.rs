//! Whole verdicts on the cases of the data files, as text beside them: each violation with its place and words, the
//! parts of the risk, the radius, and what would be written. A case says what must hold of its verdict; these files
//! show all the rest of it, so that no change of a number or a word goes unseen.
//!
//! `GEPHOST_BLESS=1 cargo test --release -p gephost-core` writes them anew; the difference is then for review.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use gephost_core::digest::sha256_hex;
use gephost_core::gate::{Approved, Base, BlobState, GeneHistory, ParsedChange, Verdict, review};
use gephost_core::policy::Policy;
use gephost_core::proposal::Proposal;

/// The verdict in the repository, and the one where nobody knows the files.
pub(crate) fn both(id: &str, proposal: Proposal, base: impl Fn(&ParsedChange) -> Base, policy: &Policy) -> String {
    let candidate = ParsedChange::read(proposal);
    let there = review(&candidate, &base(&candidate), policy, GeneHistory::default());
    let nowhere = review(&candidate, &Base::assumed(&candidate), policy, GeneHistory { tries: 4, successes: 3 });
    let there = told(&there);
    let nowhere: String = told(&nowhere)
        .split_inclusive('\n')
        .filter(|line| !there.split_inclusive('\n').any(|told| told == *line))
        .collect();
    format!("[{id}]\n{there}without a commit\n{nowhere}")
}

fn told(verdict: &Verdict) -> String {
    let whole = serde_json::to_value(verdict).unwrap();
    let parts: Vec<String> =
        verdict.risk().parts.iter().map(|part| format!("{} {} ({})", part.name, part.points, part.why)).collect();
    let diff = digest(verdict.diff().as_bytes());
    let mut text =
        format!("  {} risk {}: {}\n", whole["verdict"].as_str().unwrap(), verdict.risk().score, parts.join(", "));
    let _ = writeln!(text, "  radius {} diff {diff}", whole["blast_radius"]);
    for layer in verdict.layers() {
        let name = titled(layer.layer);
        for found in &layer.violations {
            let place = found.path.as_deref().unwrap_or("-").escape_debug().to_string();
            let line = found.line.map_or_else(String::new, |line| format!(":{line}"));
            let message = found.message.escape_debug();
            let _ = writeln!(text, "  {name} {:?} {} {place}{line} {message}", found.severity, found.rule);
        }
    }
    for change in verdict.approved().into_iter().flat_map(Approved::changes) {
        let _ =
            writeln!(text, "  {} {} -> {}", change.path, state(change.before.as_ref()), state(change.after.as_ref()));
    }
    text
}

fn titled(name: &str) -> String {
    name.char_indices().map(|(at, letter)| if at == 0 { letter.to_ascii_uppercase() } else { letter }).collect()
}

fn state(state: Option<&BlobState>) -> String {
    state.map_or_else(
        || "nothing".to_owned(),
        |state| format!("{:?} {} {}", state.mode, state.content.len(), digest(&state.content)),
    )
}

fn digest(bytes: &[u8]) -> String {
    sha256_hex(bytes)[..8].to_owned()
}

/// Compares with the file of this name, or writes it.
#[expect(clippy::disallowed_methods, reason = "a person asks for the files to be written anew")]
pub(crate) fn agree(name: &str, found: &[String]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gate_cases/verdicts").join(name);
    let found = found.concat();
    if std::env::var_os("GEPHOST_BLESS").is_some() {
        fs::write(&file, &found).unwrap();
    }
    let kept = fs::read_to_string(&file).unwrap();
    for (number, (kept, found)) in kept.lines().zip(found.lines()).enumerate() {
        assert_eq!(found, kept, "{}:{}: see tests/verdicts/mod.rs", file.display(), number + 1);
    }
    assert_eq!(found.len(), kept.len(), "{} ends elsewhere", file.display());
}
