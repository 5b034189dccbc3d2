//! What the author of a gene should correct in its manifest before the gene is given to anybody.
//!
//! Loading is lenient with what a later schema may add. A review is not: it also names what would load and then do nothing,
//! for example a pattern that matches no signal.

use crate::command::{CommandRules, MAX_COMMANDS, ValidationCommand};
use crate::gene::{Category, Constraints, Manifest, UnknownMember, unknown_members};
use crate::pattern::{Case, PatternSet};
use crate::secret::find_secrets;
use crate::signal::pattern_problem;

/// Something to correct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The member, with dots for members of members.
    pub member: String,
    /// What is wrong, and what to do.
    pub problem: String,
}

/// Reviews a manifest that loads. The order is that of the members.
pub fn review(manifest: &Manifest) -> Vec<Remark> {
    let mut remarks: Vec<Remark> = unknown_members(manifest.gene.document()).iter().map(of_unknown).collect();
    let mut add = |member: &str, problem: String| remarks.push(Remark { member: member.to_owned(), problem });
    let gene = &manifest.gene;
    if let Category::Other(word) = &gene.category {
        add("category", format!("is {:?}: use repair, optimize or innovate", clip(word)));
    }
    if gene.summary.as_deref().unwrap_or_default().trim().is_empty() {
        add("summary", "is missing: say in one sentence what the gene does".to_owned());
    }
    if manifest.world.proposes() && gene.signals_match.iter().all(|pattern| pattern.trim().is_empty()) {
        add("signals_match", "is empty: the gene would never be selected".to_owned());
    }
    for (position, pattern) in gene.signals_match.iter().enumerate() {
        if let Some(problem) = pattern_problem(pattern) {
            add(&format!("signals_match[{position}]"), format!("{problem}, so {:?} matches nothing", clip(pattern)));
        }
    }
    if let Some(problem) = of_constraints(&gene.constraints) {
        add("constraints.forbidden_paths", problem);
    }
    if gene.constraints.max_files == Some(0) {
        add("constraints.max_files", "is 0: the gene could not change anything".to_owned());
    }
    if gene.validation.len() > MAX_COMMANDS {
        add("validation", format!("has {} commands: the limit is {MAX_COMMANDS}", gene.validation.len()));
    }
    for (position, command) in gene.validation.iter().enumerate() {
        if let Err(error) = ValidationCommand::parse(command, &CommandRules::default()) {
            add(&format!("validation[{position}]"), format!("is refused: {error}"));
        }
    }
    for secret in find_secrets(&serde_json::Value::Object(gene.document().clone()).to_string()) {
        add("the manifest", format!("holds a secret ({}): remove it", secret.kind));
    }
    remarks
}

fn of_unknown(unknown: &UnknownMember) -> Remark {
    let problem = match unknown.meant {
        Some(meant) => format!("is unknown: did you mean `{meant}`?"),
        None => "is unknown: remove it, or let its name begin with `x_`".to_owned(),
    };
    Remark { member: clip(&unknown.path), problem }
}

fn of_constraints(constraints: &Constraints) -> Option<String> {
    let forbidden = constraints.forbidden_paths.iter().map(String::as_str);
    let refused = PatternSet::new(forbidden, Case::Folded).err()?;
    Some(format!("has {:?}: {}", clip(&refused.0), refused.1))
}

/// The beginning of a text that somebody else wrote.
fn clip(text: &str) -> String {
    const SHOWN: usize = 80;
    let short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn good() -> Value {
        json!({
            "type": "Gene", "schema_version": "1.5.0", "id": "gene_x", "category": "repair", "summary": "Repairs x",
            "signals_match": ["error", "/time.?out/i"], "strategy": ["read"],
            "constraints": { "max_files": 3, "forbidden_paths": [".git"] }, "validation": ["pytest -q"],
            "world": "strategy", "capabilities": ["workspace"],
        })
    }

    fn remarks(manifest: &Value) -> Vec<String> {
        let manifest = Manifest::from_json(manifest.to_string().as_bytes()).expect("a manifest");
        review(&manifest).into_iter().map(|remark| format!("{} {}", remark.member, remark.problem)).collect()
    }

    #[test]
    fn a_good_manifest_has_no_remark() {
        assert_eq!(remarks(&good()), Vec::<String>::new());
    }

    #[test]
    fn each_fault_is_named_with_its_member() {
        for (pointer, value, expected) in [
            ("/category", json!("explore"), "category is \"explore\": use repair"),
            ("/summary", json!(" "), "summary is missing"),
            ("/signals_match", json!([]), "signals_match is empty"),
            ("/signals_match/1", json!("/(a/i"), "signals_match[1] the regular expression"),
            ("/signals_match/1", json!("/(?=a)b/"), "signals_match[1] the regular expression"),
            ("/signals_match/1", json!("  "), "signals_match[1] it is empty"),
            ("/signals_match/1", json!("||"), "signals_match[1] it has only empty parts"),
            ("/constraints/max_files", json!(0), "constraints.max_files is 0"),
            ("/constraints/forbidden_paths/0", json!("!x"), "constraints.forbidden_paths has \"!x\""),
            ("/validation/0", json!("sh -c true"), "validation[0] is refused"),
            ("/validation/0", json!("pytest; rm -rf /"), "validation[0] is refused"),
        ] {
            let mut manifest = good();
            *manifest.pointer_mut(pointer).expect(pointer) = value;
            let found = remarks(&manifest);
            assert!(found.len() == 1 && found[0].starts_with(expected), "{pointer}: {found:?}");
        }
    }

    #[test]
    fn a_member_that_nobody_knows_is_named() {
        let mut manifest = good();
        manifest["homepage"] = json!("x");
        manifest["x_homepage"] = json!("x");
        assert_eq!(remarks(&manifest), ["homepage is unknown: remove it, or let its name begin with `x_`"]);
    }

    #[test]
    fn a_secret_is_found_and_not_repeated() {
        let mut manifest = good();
        let secret = ["ghp", "_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        manifest["strategy"] = json!([format!("use {secret}")]);
        let found = remarks(&manifest);
        assert!(found.len() == 1 && found[0].starts_with("the manifest holds a secret"), "{found:?}");
        assert!(!found[0].contains(&secret));
    }
}
