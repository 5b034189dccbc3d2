//! A cycle, stage by stage, for a person.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gephost_app::Project;
use gephost_app::gene_call::GeneCall;
use gephost_app::stages::{Judged, Proposed};
use gephost_core::observe::{FileSummary, UNKNOWN_FORMAT};
use gephost_core::recording::Digest;
use gephost_core::redact::clip;
use gephost_core::select::{NotAsked, Role, SIGNALS_MATCH, Selection};
use gephost_core::text::with_short_words;
use gephost_runner::bundled::BUNDLED;
use gephost_runner::sandbox::CallError;
use gephost_runner::worktree::Head;

use super::style::{bold, dim, printable};
use super::verdict::{self, plural};

/// The most of a reason for a selection, which may list many signals; `--json` has all of it.
const SHOWN_REASON: usize = 240;

/// Which project it is, and the commit that counts.
pub(crate) fn header(project: &Project, head: Option<&Head>) -> String {
    let state = match head {
        Some(head) => {
            let branch = head.branch.as_deref().unwrap_or("detached HEAD");
            format!("{branch} {}", head.commit.get(..12).unwrap_or(&head.commit))
        }
        None if project.is_in_repository() => "no commit yet: genes read the files as they are".to_owned(),
        None => "in no git repository: genes read the files as they are".to_owned(),
    };
    format!("{}  {}  {}\n", bold("Project   "), project.root.display(), dim(state))
}

/// What was read.
pub(crate) fn observed(files: &[FileSummary]) -> String {
    let mut text = format!("{}  {}\n", bold("Observed  "), calls_of(files));
    if let Some(skipped) = skipped(files) {
        let _ = writeln!(text, "            {}", dim(skipped));
    }
    text
}

/// How many logs were read, and how their calls ended: `1 log, 3 tool calls: 2 ok, 1 failed`.
pub(crate) fn calls_of(files: &[FileSummary]) -> String {
    let sum = |of: fn(&FileSummary) -> u64| files.iter().map(of).sum::<u64>();
    let exceptions = sum(|file| file.events.exception);
    let cascade = sum(|file| file.outcomes.cascade);
    let echo = if cascade == 1 { "echo of another failure" } else { "echoes of another failure" };
    let exception = plural(exceptions, "exception");
    let outcomes: [(u64, &str); 6] = [
        (sum(|file| file.outcomes.success), "ok"),
        (sum(|file| file.outcomes.failure), "failed"),
        (sum(|file| file.outcomes.rejected), "refused by the user"),
        (cascade, echo),
        (sum(|file| file.outcomes.unfinished), "unfinished"),
        (exceptions, &exception),
    ];
    let outcomes: Vec<String> =
        outcomes.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    let logs = files.len() as u64;
    // A log may hold only the ends of calls.
    let calls = sum(|file| file.events.tool_start).max(sum(|file| file.events.tool_end));
    format!(
        "{logs} {}, {calls} tool {}{}{}",
        plural(logs, "log"),
        plural(calls, "call"),
        if outcomes.is_empty() { "" } else { ": " },
        outcomes.join(", ")
    )
}

/// What was skipped, and why; `None` if nothing was.
fn skipped(files: &[FileSummary]) -> Option<String> {
    let mut by_reason: BTreeMap<String, u64> = BTreeMap::new();
    for (reason, count) in files.iter().flat_map(|file| &file.skipped_by_reason) {
        let name = serde_json::to_value(reason).ok().and_then(|name| name.as_str().map(|name| name.replace('_', " ")));
        *by_reason.entry(name.unwrap_or_default()).or_default() += count;
    }
    let unknown = files.iter().filter(|file| file.format == UNKNOWN_FORMAT).count() as u64;
    let mut parts: Vec<String> = by_reason.into_iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    parts.extend((unknown > 0).then(|| format!("{unknown} {} of an unknown format", plural(unknown, "file"))));
    (!parts.is_empty()).then(|| format!("skipped: {}", parts.join(", ")))
}

/// The gene whose proposal a page shows: of the first candidate that passed, else of the first one.
pub(crate) fn author(proposed: &Proposed) -> Option<&str> {
    proposed.passed().or(proposed.candidates.first()).and_then(|judged| judged.proposal.gene.as_deref())
}

/// Who proposes something, and who was asked before.
pub(crate) fn asked(proposed: &Proposed) -> String {
    let selection = &proposed.selection;
    let author = author(proposed);
    let mut lines = Vec::new();
    let has_candidate =
        |gene: &str| proposed.candidates.iter().any(|judged| judged.proposal.gene.as_deref() == Some(gene));
    let failed = proposed.calls.iter().filter(|call| call.failure.is_some() && author.is_some());
    lines.extend(failed.map(|call| {
        let error = call.error.as_deref().unwrap_or_default();
        format!("{} failed: it {}", call.gene, clip(&with_short_words(error), SHOWN_REASON))
    }));
    let answered = proposed.calls.iter().filter(|call| call.failure.is_none());
    let asked = answered.map(|call| call.gene.as_str()).filter(|gene| Some(*gene) != author);
    let (others, idle): (Vec<&str>, Vec<&str>) = asked.partition(|gene| has_candidate(gene));
    if !others.is_empty() {
        lines.push(format!("others that propose too: {}", others.join(", ")));
    }
    // If nobody proposes anything, another part of the page says who was asked.
    if author.is_some() && !idle.is_empty() {
        let is_alone = !proposed.is_contest() && proposed.candidates.iter().all(|judged| judged.capsule.is_none());
        let when = if is_alone { "asked before it" } else { "asked too" };
        lines.push(format!("{when}, with nothing to propose: {}", idle.join(", ")));
    }
    let plain = |reason: &&String| *reason != SIGNALS_MATCH && !reason.starts_with("signals: ");
    lines.extend(selection.reason.iter().filter(plain).map(|reason| clip(reason, SHOWN_REASON).into_owned()));
    lines.extend(selection.not_asked.iter().map(NotAsked::line));
    let name = match (author, &selection.selected) {
        (Some(author), _) => author,
        (None, None) => "none",
        (None, Some(_)) if lines.is_empty() => return String::new(),
        (None, Some(_)) => "none proposes anything",
    };
    let digest = author.and_then(|author| own_digest(author, &proposed.calls));
    let digest = digest.map(|digest| format!("  {}", dim(format!("sha256:{}", digest.short())))).unwrap_or_default();
    let mut text = format!("{}  {name}{digest}\n", bold("Gene      "));
    for line in lines {
        let _ = writeln!(text, "            {}", dim(printable(&line)));
    }
    text
}

/// The digest of the component with this id that ran, unless it is one of gephost's own.
fn own_digest(gene: &str, calls: &[GeneCall]) -> Option<Digest> {
    let call = calls.iter().find(|call| call.gene == gene && call.carried_out_by.is_none())?;
    let bundled = BUNDLED.iter().find(|bundled| bundled.id == gene);
    bundled.is_none_or(|bundled| Digest::of(bundled.bytes) != call.digest).then_some(call.digest)
}

/// Who would be asked, and why.
pub(crate) fn selection(selection: &Selection) -> String {
    let mut text = match &selection.selected {
        Some(gene) => format!("{}  {gene}\n", bold("Gene      ")),
        None => format!("{}  none\n", bold("Gene      ")),
    };
    for reason in &selection.reason {
        let reason = match selection.ranked.first() {
            Some(best) if reason == SIGNALS_MATCH => format!("its patterns that match: {}", best.patterns.join(", ")),
            _ => reason.clone(),
        };
        let _ = writeln!(text, "            {}", dim(printable(&clip(&reason, SHOWN_REASON))));
    }
    for no in &selection.not_asked {
        let _ = writeln!(text, "            {}", dim(printable(&no.line())));
    }
    if !selection.alternatives.is_empty() {
        let _ = writeln!(text, "            {}", dim(format!("alternatives: {}", selection.alternatives.join(", "))));
    }
    text
}

/// How each gene that matches came to its score.
pub(crate) fn scores(selection: &Selection) -> String {
    let mut text = format!("{}\n", bold("Scores"));
    for ranked in &selection.ranked {
        let hits = ranked.patterns.len();
        let capsule = match &ranked.capsule {
            Some(capsule) => format!(" + {:.2} for {}", ranked.capsule_weight, printable(capsule)),
            None => String::new(),
        };
        let (tries, probability) = (ranked.memory.tries, ranked.memory.probability);
        #[expect(clippy::float_cmp, reason = "the strategy that changes nothing multiplies by 1")]
        let is_plain = ranked.strategy_weight == 1.0;
        let strategy = if is_plain {
            String::new()
        } else {
            format!(" × {} for {}", ranked.strategy_weight, printable(&ranked.category))
        };
        let _ = writeln!(
            text,
            "  {:.2}  {} = ({hits} {}{capsule}) × (0.5 + {probability:.2} from {tries} {}){strategy}",
            ranked.score,
            ranked.gene,
            plural(hits as u64, "pattern"),
            if tries == 1 { "try" } else { "tries" },
        );
        let last = match (ranked.searches, ranked.is_received) {
            (true, _) => "; asked last, because it tries many edits",
            (_, true) => "; received from elsewhere, asked only by name",
            _ => "",
        };
        let patterns = ranked.patterns.join(", ");
        let patterns = clip(&patterns, SHOWN_REASON);
        let _ = writeln!(text, "        {}", dim(printable(&format!("{patterns}{last}"))));
    }
    for reuse in &selection.reuse {
        let role = match reuse.role {
            Role::Direct => "its change is proposed again",
            Role::Reference => "a reference",
            Role::None => "not reused",
        };
        let line = format!("{}: {role} ({})", reuse.capsule, reuse.reason);
        let _ = writeln!(text, "  {:.2}  {}", reuse.score, printable(&line));
    }
    text
}

/// One candidate with its verdict and its diff. `named` is the gene that the page names already.
pub(crate) fn candidate(judged: &Judged, named: Option<&str>) -> String {
    let proposal = &judged.proposal;
    let mut text = format!("{}  {}  {}\n", bold("Proposal  "), printable(&proposal.title), dim(&proposal.id));
    if !proposal.objective.is_empty() {
        let _ = writeln!(text, "            {}", printable(&proposal.objective));
    }
    let gene = proposal.gene.as_deref();
    let by = gene.filter(|gene| judged.worth.is_some() || Some(*gene) != named).map(|gene| format!("by {gene}"));
    let worth = judged.worth.map(|worth| format!("expected worth {worth:.2}"));
    let by: Vec<String> = by.into_iter().chain(worth).collect();
    if !by.is_empty() {
        let _ = writeln!(text, "            {}", dim(printable(&by.join(", "))));
    }
    let diff = judged.verdict.diff();
    if !diff.is_empty() {
        let _ = write!(text, "\n{}\n", verdict::diff(diff));
    }
    text.push_str(&verdict::verdict(&judged.verdict));
    text
}

/// How much of each limit a call used, in percent.
fn headroom(call: &GeneCall) -> String {
    let share = |used: u64, limit: u64| u128::from(used) * 100 / u128::from(limit.max(1));
    let parts = call.headroom.iter().map(|room| {
        let used = share(room.used, room.limit);
        format!("{} {used} % ({})", room.budget, room.counts.replace('_', " "))
    });
    format!("used of its budgets: {}", parts.collect::<Vec<_>>().join(", "))
}

/// What genes wrote and used.
pub(crate) fn calls(calls: &[GeneCall]) -> String {
    calls.iter().map(call).collect()
}

/// A call that failed: where, and what the gene wrote before.
pub(crate) fn failed(call: &GeneCall, failure: &CallError) -> String {
    let mut text = String::new();
    if let Some(place) = failure.stopped_at() {
        let _ = writeln!(text, "{}", dim(format!("{} {}: {}", call.gene, call.function, printable(&place))));
    }
    if !failure.backtrace().is_empty() {
        let _ = writeln!(text, "{}", dim(format!("{} {}: innermost function first", call.gene, call.function)));
        for frame in failure.backtrace() {
            let _ = writeln!(text, "  {} {}", dim("at"), printable(frame));
        }
    }
    text.push_str(&self::call(call));
    text.truncate(text.trim_end().len());
    text
}

fn call(call: &GeneCall) -> String {
    let usage = &call.usage;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{}",
        dim(format!(
            "{} {}: {} µs, {} fuel, {} KiB memory, {} host calls, {} bytes handed over",
            call.gene,
            call.function,
            usage.wall_us,
            usage.fuel,
            usage.memory >> 10,
            usage.host_calls,
            usage.host_bytes
        ))
    );
    let ran = format!("{}; in {}, {}", headroom(call), call.isolation, call.digest);
    let _ = writeln!(text, "  {}", dim(ran));
    for line in &call.log {
        let _ = writeln!(text, "  {} {}", dim(line.level.as_str()), printable(&line.message));
    }
    text
}
