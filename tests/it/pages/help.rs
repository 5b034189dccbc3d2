//! `--help` of every command.

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;

use super::Transcript;

#[test]
fn the_help_of_every_command_is_the_reviewed_one() {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[]);
    let mut transcript = Transcript::default();
    show(&mut transcript, &env, &project, &mut Vec::new());
    transcript.holds("help", &env, &project);
}

/// The help of a command, then that of the commands below it.
fn show(transcript: &mut Transcript, env: &TestEnv, project: &TestProject, path: &mut Vec<String>) {
    let mut words: Vec<&str> = path.iter().map(String::as_str).collect();
    words.push("--help");
    let help = transcript.run(env, project, &words).expect_code(0).stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<String> = names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
    // Below a group, clap's own `help` says the same again.
    let is_root = path.is_empty();
    for name in names.into_iter().filter(|name| is_root || name != "help") {
        path.push(name);
        show(transcript, env, project, path);
        path.pop();
    }
}
