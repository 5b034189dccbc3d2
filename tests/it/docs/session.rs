//! The picture of a session in the README: real runs of the quickstart. What differs from run to run (folders, commit ids,
//! the time in a branch's name) is replaced.

use gephost_tests::bless::holds_or_bless;
use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use gephost_tests::skipped;
use gephost_tests::terminal_svg::Session;
use regex::Regex;

use crate::scene::{python, quickstart};

const COLUMNS: usize = 104;

#[test]
fn the_picture_of_the_session_is_what_the_quickstart_prints() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let mut session = Session::default();
    session.command("$ ", "gephost run");
    session.output(&printed(&env, &project, &["run"]), COLUMNS);
    session.gap();
    session.command("$ ", "gephost run --apply");
    let applied = printed(&env, &project, &["run", "--apply"]);
    if !applied.contains("sandbox L2") {
        skipped("the picture shows validation at level L2, which this machine does not have");
        return;
    }
    // What comes before is what the first command printed.
    let end: Vec<&str> = applied.lines().skip_while(|line| !line.contains("Validation")).collect();
    assert!(!end.is_empty(), "no validation:\n{applied}");
    session.output("\u{1b}[2m…\u{1b}[0m", COLUMNS);
    session.output(&end.join("\n"), COLUMNS);
    holds_or_bless("docs/src/session.svg", &session.to_svg("gephost run, then gephost run --apply", COLUMNS));
}

fn printed(env: &TestEnv, project: &TestProject, arguments: &[&str]) -> String {
    let ran = env.run(project.root(), &[arguments, &["--color", "always"]].concat()).expect_code(0);
    let text = ran.stdout.replace(project.root().to_str().unwrap(), "~/inventory");
    let text = text.replace(env.home().to_str().unwrap(), "~");
    let replace =
        |text: &str, pattern: &str, with: &str| Regex::new(pattern).unwrap().replace_all(text, with).into_owned();
    let text = replace(&text, r"\d{8}T\d{6}Z", "20260214T093000Z");
    let text = replace(&text, r"projects/[0-9A-Za-z._-]+-[0-9a-f]{16}\b", "projects/inventory-a2bda5d3066844ae");
    let text = replace(&text, r"[0-9a-f]{40}", "6b1f0c4f7c9c2d05b8e34a17d9f0c2a65e8b3d10");
    replace(&text, r"(main )[0-9a-f]{12}\b", "${1}41c88e07a2d5")
}
