//! `gephost init`: looks at the project, shows the `gephost.toml` that fits, and writes it after a yes.

use std::fmt::Write as _;
use std::io::stdin;

use gephost_app::Project;
use gephost_app::init::FirstConfig;
use schemars::JsonSchema;
use serde::Serialize;

use super::own_sessions::is_somebody_there;
use crate::args::InitArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::{Output, Report};
use crate::page::Page;
use crate::render::style::{bold, dim, good, printable};
use crate::render::wrap::{width, wrapped};

pub(super) fn run(environment: &Environment, output: Output, arguments: &InitArguments) -> Result<Report, Failure> {
    let project = Project::open_quietly(environment)?;
    if arguments.undo {
        let file = project.undo_first_config()?.display().to_string();
        return Ok(Report::of(&RemovedPage { file }));
    }
    let first = project.first_config()?;
    let mut page = InitPage::of(&first);
    if !arguments.yes && is_somebody_there(output) {
        page.is_listed = true;
        page.written = agrees(output, &page.listed());
    }
    page.written |= arguments.yes;
    if page.written {
        project.write_first_config(&first)?;
    }
    Ok(Report::of(&page))
}

fn agrees(output: Output, listed: &str) -> bool {
    output.ask(&format!("{listed}\nWrite this file? [y/n]"));
    let mut answer = String::new();
    stdin().read_line(&mut answer).is_ok() && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

/// A comment in lines that fit the terminal, each of which is a comment.
fn comment(line: &str, width: usize) -> String {
    let text = line.trim_start_matches('#').trim_start();
    if line.chars().count() <= width {
        return line.to_owned();
    }
    format!("# {}", wrapped(text, 0, 0, width.saturating_sub(2)).replace('\n', "\n# "))
}

/// A first config.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct InitPage<'a> {
    /// The config file.
    file: String,
    /// Whether it was written.
    written: bool,
    /// The languages of the project.
    languages: &'a [&'static str],
    /// The commands that run its tests.
    commands: &'a [String],
    /// Further ones, whose program gephost has no rules for.
    other_commands: &'a [String],
    /// Commands that record the tests that gephost does not run by itself.
    to_record: &'a [String],
    /// What a proposal may change.
    allow: &'a [String],
    /// Folders of dependencies that git does not track.
    environments: &'a [&'static str],
    /// The agents that worked in the project.
    agents: &'a [&'static str],
    /// The text of the file.
    text: &'a str,
    /// Whether the user has seen all that.
    #[serde(skip)]
    is_listed: bool,
}

impl<'a> InitPage<'a> {
    fn of(first: &'a FirstConfig) -> Self {
        let starter = &first.starter;
        Self {
            file: first.file.display().to_string(),
            written: false,
            languages: &starter.languages,
            commands: &starter.commands,
            other_commands: &starter.other_commands,
            to_record: &starter.to_record,
            allow: &starter.allow,
            environments: &starter.environments,
            agents: &first.agents,
            text: &starter.text,
            is_listed: false,
        }
    }

    fn listed(&self) -> String {
        let tests = [self.commands, self.other_commands, self.to_record].into_iter().flatten();
        let tests: Vec<&str> = tests.map(String::as_str).collect();
        let mut text = String::new();
        for (name, found) in [
            ("Languages", self.languages.join(", ")),
            // Each can be typed.
            ("Tests", tests.join("\n            ")),
            ("Agents", self.agents.join(", ")),
            ("Untracked", self.environments.join(", ")),
        ] {
            let found = if found.is_empty() { dim("none found") } else { found };
            let _ = writeln!(text, "{}  {found}", bold(format!("{name:<10}")));
        }
        let _ = writeln!(text, "{}  {}\n", bold("File      "), printable(&self.file));
        for line in self.text.lines() {
            let _ =
                writeln!(text, "{}", if line.starts_with('#') { dim(comment(line, width())) } else { line.to_owned() });
        }
        text
    }
}

impl Page for InitPage<'_> {
    const KIND: &'static str = "init";

    fn text(&self) -> String {
        let mut text = if self.is_listed { String::new() } else { self.listed() + "\n" };
        let steps: &[(&str, &str)] = if self.written {
            let _ = writeln!(text, "{} {}", good("Written:"), printable(&self.file));
            &[
                ("gephost diagnose", "shows what goes wrong again and again"),
                ("gephost status", "shows what is missing before --apply can work"),
                ("gephost init --undo", "removes the file, if nobody has changed it"),
            ]
        } else {
            text.push_str("Nothing was written.\n");
            &[("gephost init --yes", "writes the file")]
        };
        let mut head = bold("Next      ");
        for (command, what) in steps {
            let _ = writeln!(text, "{head}  {command}\n              {}", dim(what));
            head = " ".repeat(10);
        }
        text
    }
}

/// A config that was removed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RemovedPage {
    /// The file that was removed.
    file: String,
}

impl Page for RemovedPage {
    const KIND: &'static str = "init-undo";

    fn text(&self) -> String {
        format!("Removed: {}\n", printable(&self.file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_comment_stays_a_comment_on_every_line() {
        assert_eq!(comment("# one two three four", 11), "# one two\n# three\n# four");
        assert_eq!(comment("# one two", 11), "# one two");
        assert_eq!(comment("#", 40), "#");
    }
}
