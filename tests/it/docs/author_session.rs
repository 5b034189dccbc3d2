//! The recording of an author's first ten minutes: the commands of the page `genes/first-gene.md`, typed into a real terminal
//! by tmux. The picture shows what the terminal shows, and each prompt the time since the beginning.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use gephost_tests::author_tools::{LANGUAGES, path, with_tools};
use gephost_tests::bless::holds_or_bless;
use gephost_tests::environment::{TestEnv, gephost};
use gephost_tests::terminal_svg::Session;
use gephost_tests::tmux::Tmux;
use gephost_tests::{is_installed_as, repository, skipped};
use regex::Regex;

use super::document;

const PAGE: &str = "docs/src/genes/first-gene.md";
const PICTURE: &str = "docs/src/genes/first-gene.svg";
const COLUMNS: usize = 100;
/// The lines that tmux keeps.
const LINES: &str = "2000";
/// How long one command may take. The first build freezes an interpreter, and the first test compiles it.
const PATIENCE: Duration = Duration::from_mins(4);
/// The time since the beginning, before each command.
const PROMPT: &str = r"$(printf %d:%02d $((SECONDS/60)) $((SECONDS%60))) $ ";

#[test]
fn the_picture_of_the_first_ten_minutes_is_what_a_terminal_shows() {
    if !is_installed_as("tmux", "-V") {
        return;
    }
    let python = LANGUAGES.iter().find(|language| language.word == "python").unwrap();
    if let Some(missing) = python.missing() {
        return skipped(&missing);
    }
    let (env, place) = (TestEnv::new(), tempfile::tempdir().unwrap());
    let blocks = document(PAGE).blocks();
    let commands: Vec<&str> =
        blocks.iter().filter(|block| block.info == "console recorded").flat_map(|block| block.text.lines()).collect();
    assert!(commands.len() >= 12, "{PAGE} has lost its commands: {commands:?}");
    let shown = record(&env, place.path(), &commands);
    let picture = picture(&shown);
    let committed = fs::read_to_string(repository().join(PICTURE)).unwrap_or_default();
    // Times and digests differ between two runs, so the committed ones stay if nothing else differs.
    holds_or_bless(PICTURE, if stable(&committed) == stable(&picture) { &committed } else { &picture });
}

/// Types the commands, one after the other, and returns what the terminal shows at the end, with its colours.
fn record(env: &TestEnv, folder: &Path, commands: &[&str]) -> String {
    let prepare = |command: &mut Command| {
        let programs = [gephost().parent().unwrap().to_owned()];
        let search = std::env::join_paths(programs.into_iter().chain(std::env::split_paths(&path()))).unwrap();
        with_tools(command).env("PATH", search).env("PS1", PROMPT).env("PYTHONDONTWRITEBYTECODE", "1");
    };
    let tmux = Tmux { env, folder, server: "first-gene", lines: LINES, prepare: &prepare };
    tmux.open(COLUMNS, &["bash", "--norc", "--noprofile", "--noediting"]);
    let prompt = Regex::new(r"(?m)^\d+:\d\d \$").unwrap();
    let wait_for = |prompts: usize| {
        tmux.wait_for(PATIENCE, &[], |shown| (prompt.find_iter(shown).count() >= prompts).then_some(()));
    };
    for (n, command) in commands.iter().enumerate() {
        wait_for(n + 1);
        tmux.run(&["send-keys", "-l", command]);
        tmux.run(&["send-keys", "Enter"]);
    }
    wait_for(commands.len() + 1);
    let shown = tmux.run(&["capture-pane", "-p", "-e"]);
    tmux.run(&["kill-server"]);
    shown
}

/// The picture of what a terminal shows, without its last prompt.
fn picture(shown: &str) -> String {
    // The style of the line before ends at the prompt.
    let prompt = Regex::new(r"^(?:\x1b\[[\d;]*m)*(\d+:\d\d \$ )(.*)$").unwrap();
    let mut session = Session::default();
    let lines: Vec<&str> = shown.trim_end().lines().collect();
    let Some((_, lines)) = lines.split_last() else { return String::new() };
    for line in lines {
        let Some(prompt) = prompt.captures(line) else {
            session.output(line.trim_end(), COLUMNS);
            continue;
        };
        session.gap();
        session.command(&prompt[1], &prompt[2]);
    }
    session.to_svg("an author writes a first gene in Python: build, test, edit, an error, and the check", COLUMNS)
}

/// A picture without what differs between two runs.
fn stable(picture: &str) -> String {
    let differs =
        Regex::new(r"\d+:\d\d \$|[\d,]+ ms|[0-9a-f]{64}|[\d,]+ bytes|\d+ %|(x|textLength)=\x22[\d.]+\x22").unwrap();
    differs.replace_all(picture, "…").into_owned()
}
