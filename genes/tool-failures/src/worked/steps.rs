//! Which of the steps between two calls is told as the one that helped.

use crate::cause::Cause;
use crate::worked::cures;
use crate::worked::waiting::Waiting;

/// Longest command that is shown, in bytes.
const MAX_SHOWN: usize = 120;
/// Commands that install all that a project lists.
const INSTALLS_ALL: [&str; 12] = [
    "npm install",
    "npm ci",
    "npm i",
    "pnpm install",
    "pnpm i",
    "yarn install",
    "bun install",
    "uv sync",
    "poetry install",
    "bundle install",
    "composer install",
    "go mod download",
];

/// The newest step between two calls that brings what the error of the first one names.
pub(crate) fn named_cure(failed: &Waiting) -> Option<&str> {
    // A rule is not cured by a step, nor is what an audit finds by an installation of the same.
    let is_of_others =
        matches!(failed.cause, Cause::Exists | Cause::Forbidden | Cause::Denied | Cause::Refused | Cause::Problems);
    let may_lack = !failed.cause.is_about_edits() && !is_of_others;
    let is_named = |step: &&String| cures::is_named(step, &failed.line, &failed.output, &failed.program);
    let cures = || failed.between.cures.iter().rev().filter(|step| may_lack && !failed.vain.contains(step));
    let is_only = failed.between.only_installs() && failed.between.cures.len() == 1;
    let may_be_all = failed.cause == Cause::Module && is_only;
    let all = || cures().find(|step| may_be_all && INSTALLS_ALL.contains(&step.as_str()));
    cures().find(is_named).or_else(all).map(String::as_str)
}

/// A step that sets something, with the others of its kind: a name and an address of git.
pub(crate) fn with_settings(cure: &str, all: &[String]) -> String {
    const SETS: &str = "git config ";
    let others: Vec<&str> = all.iter().map(String::as_str).filter(|step| step.starts_with(SETS)).collect();
    let joined = others.join(" && ");
    let is_told = cure.starts_with(SETS) && others.contains(&cure) && joined.len() <= MAX_SHOWN;
    if is_told { joined } else { cure.to_owned() }
}
