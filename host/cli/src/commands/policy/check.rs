//! `gephost policy check`: what a policy means.

use std::fmt::Write as _;
use std::path::Path;

use gephost_app::Project;
use gephost_app::files::{untrusted_config_text, utf8};
use gephost_core::config::{CONFIG_FILE, Config, MAX_CONFIG_BYTES};
use gephost_core::policy::{BUILT_IN_DENY, BUILT_IN_NAMES, PolicyTable, ValidationTable};
use gephost_core::trust::Widening;
use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::trust;
use crate::context::read_input;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bold, good, note, printable};

pub(super) fn run(environment: &Environment, file: Option<&Path>) -> Result<Report, Failure> {
    let of_project = || Ok::<_, Failure>(Project::open(environment)?.root.join(CONFIG_FILE));
    let path = file.map_or_else(of_project, |file| Ok(environment.resolve(file)))?;
    if file.is_none() && path.symlink_metadata().is_err() {
        let message = format!("this project has no {CONFIG_FILE}, so nothing may change");
        return Err(Failure::new(Exit::Usage, "policy", message).hint("`gephost init` writes one"));
    }
    let file = file.unwrap_or(&path);
    let text = utf8(&path, read_input(environment, file, MAX_CONFIG_BYTES)?)?;
    let config = untrusted_config_text(&path, &text)?;
    let table = config.policy.table();
    Ok(Report::of(&PolicyPage {
        valid: true,
        policy: table,
        validation: &config.file.validation,
        built_in_deny: built_in_deny(),
        built_in_except: built_in_except(),
        phase_allow: table.phase.map(|phase| table.phases.of(phase).allow.as_slice()),
        phase_deny: table.phase.map(|phase| table.phases.of(phase).deny.as_slice()),
        warnings: config.policy.warnings(),
        widens: config.widenings(),
        config: &config,
        file: file.display().to_string(),
    }))
}

fn built_in_deny() -> Vec<&'static str> {
    BUILT_IN_DENY.iter().copied().chain(BUILT_IN_NAMES.iter().map(|rule| rule.denied)).collect()
}

fn built_in_except() -> Vec<&'static str> {
    BUILT_IN_NAMES.iter().flat_map(|rule| rule.excepted).copied().collect()
}

/// A valid policy, and what it means.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PolicyPage<'a> {
    /// Always true: a config that is not valid is an error.
    valid: bool,
    /// The table `[policy]`, with its defaults.
    policy: &'a PolicyTable,
    /// The table `[validation]`, with its defaults.
    validation: &'a ValidationTable,
    /// Paths that no policy can allow.
    built_in_deny: Vec<&'static str>,
    /// The names among them that may be allowed.
    built_in_except: Vec<&'static str>,
    /// Paths that the phase allows; null without a phase.
    phase_allow: Option<&'a [String]>,
    /// Paths that the phase denies; null without a phase.
    phase_deny: Option<&'a [String]>,
    /// What is probably not meant.
    warnings: Vec<String>,
    /// Keys that count only once the user trusts the file.
    widens: Vec<Widening>,
    #[serde(skip)]
    config: &'a Config,
    #[serde(skip)]
    file: String,
}

impl Page for PolicyPage<'_> {
    const KIND: &'static str = "policy";

    fn text(&self) -> String {
        let mut text = format!("{} {}\n", good("valid:"), printable(&self.file));
        for (name, value) in meaning(self.config) {
            let _ = writeln!(text, "  {}  {}", bold(format!("{name:<18}")), printable(&value));
        }
        for warning in &self.warnings {
            let _ = writeln!(text, "  {}  {warning}", note("warning"));
        }
        if !self.widens.is_empty() {
            let _ = writeln!(text, "These keys widen what gephost may do, and count only once you trust the file:");
            text.push_str(&trust::listed(&self.widens, true));
        }
        text
    }
}

/// The policy in a person's words, line by line.
fn meaning(config: &Config) -> Vec<(&'static str, String)> {
    let table = config.policy.table();
    let listed = |patterns: &[String]| if patterns.is_empty() { "nothing".to_owned() } else { patterns.join("  ") };
    let phase = table.phase.map(|phase| {
        let paths = table.phases.of(phase);
        ("phase", format!("{phase}: within {}, without {}", listed(&paths.allow), listed(&paths.deny)))
    });
    let allow = match (table.phase, table.allow.as_slice()) {
        (Some(_), []) => "what the phase opens".to_owned(),
        (_, patterns) => listed(patterns),
    };
    let limits = format!(
        "{} files, {} lines and {} bytes of diff, risk {} of 100",
        table.max_files, table.max_patch_lines, table.max_patch_bytes, table.max_risk
    );
    let treated = format!(
        "patterns {}, weakened tests {}, new dependencies {}",
        table.patterns, table.weakened_tests, table.new_dependencies
    );
    let modes = if table.mode_changes { "may change" } else { "stay as they are" };
    let mut lines = Vec::from_iter(phase);
    lines.extend([
        ("may change", allow),
        ("may not", listed(&table.deny)),
        ("never", format!("{}  (but for {})", built_in_deny().join("  "), built_in_except().join("  "))),
        ("at most", limits),
        ("violations", treated),
        ("modes", modes.to_owned()),
        ("programs", config.policy.command_rules().listed()),
        ("each command", format!("at most {} s", config.policy.timeout_s())),
    ]);
    lines
}
