//! The quality gate of a hub (seed 002, "Common Failures"; `GEP.md`, section 7): what a bundle must claim to be more than
//! rejected. The publisher asks the same rules before it sends anything.

use crate::blast_radius::BlastRadius;
use crate::capsule::Capsule;

/// Least score of a capsule's outcome.
pub const LEAST_SCORE: f64 = 0.7;

/// A rule that a bundle does not meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortfall {
    /// The rule, as a stable word.
    pub rule: &'static str,
    /// What is the case, and what should be.
    pub message: String,
}

/// Every rule that a capsule does not meet; empty if it passes.
pub fn shortfalls(capsule: &Capsule) -> Vec<Shortfall> {
    let mut found = Vec::new();
    let mut miss = |rule, message: String| found.push(Shortfall { rule, message });
    if !capsule.outcome.is_success() {
        miss("outcome_success", "the capsule's outcome is a failure".to_owned());
    }
    let score = capsule.outcome.score;
    if score < LEAST_SCORE {
        miss("outcome_score", format!("`outcome.score` is {score}: at least {LEAST_SCORE} is needed"));
    }
    let BlastRadius { files, lines } = capsule.blast_radius.unwrap_or(BlastRadius { files: 0, lines: 0 });
    if files == 0 {
        miss(
            "blast_radius_files",
            "`blast_radius.files` is 0 or missing: a change touches at least one file".to_owned(),
        );
    }
    if lines == 0 {
        miss(
            "blast_radius_lines",
            "`blast_radius.lines` is 0 or missing: a change touches at least one line".to_owned(),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_is_named() {
        let check = |members: &str, rules: &[&str]| {
            let text = format!(r#"{{"type":"Capsule","id":"c",{members}}}"#);
            let capsule = Capsule::from_json(text.as_bytes()).expect("a capsule");
            let found: Vec<_> = shortfalls(&capsule).into_iter().map(|shortfall| shortfall.rule).collect();
            assert_eq!(found, rules, "{members}");
        };
        check(r#""outcome":{"status":"success","score":0.7},"blast_radius":{"files":1,"lines":1}"#, &[]);
        check(
            r#""outcome":{"status":"success","score":0.69},"blast_radius":{"files":1,"lines":1}"#,
            &["outcome_score"],
        );
        check(
            r#""outcome":{"status":"success"},"blast_radius":{"files":1,"lines":0}"#,
            &["outcome_score", "blast_radius_lines"],
        );
        check(
            r#""outcome":{"status":"failed","score":0.9}"#,
            &["outcome_success", "blast_radius_files", "blast_radius_lines"],
        );
    }
}
