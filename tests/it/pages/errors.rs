//! What a user reads when a command fails: one case for each class of error.

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;

use super::Transcript;

/// Commands that fail, each for a reason of its own, in a project with the files of the test.
const FAILING: &[&[&str]] = &[
    &["runn"],
    &["run", "--since", "yesterday"],
    &["run", "--quiet", "--verbose"],
    &["help", "nothing"],
    &["schema", "nothing"],
    &["gene", "inspect", "missing.wasm"],
    &["gene", "inspect", "note.txt"],
    &["asset", "id", "note.txt"],
    &["observe", "missing.jsonl"],
    &["observe", "--format", "nothing", "note.txt"],
    &["observe", "--watch"],
    &["observe", "--otlp", "example.com:80"],
    &["observe", "--otlp", "0.0.0.0:4318"],
    &["policy", "check", "wrong.toml"],
    &["policy", "check", "missing.toml"],
    &["policy", "promote", "--by", "ann", "--why", "time"],
    &["policy", "command", "rm -rf /"],
    &["gate", "note.txt"],
    &["gate", "outside.diff"],
    &["apply", "note.txt"],
    &["apply", "outside.diff"],
    &["apply", "outside.diff", "--apply"],
    &["approve", "gep-none"],
    &["reject", "gep-none", "--why", "no"],
    &["rollback", "evo/none"],
    &["report", "evt_none"],
    &["replay", "rec_none"],
    &["replay", "note.txt"],
    &["redact", "--json"],
    &["hook", "Nothing", "--strict"],
    &["state", "remove", "none"],
    &["diagnose", "--diagnose", "model"],
    &["record", "--", "no-such-program"],
    &["scan", "missing.txt"],
    &["--json", "report", "evt_none"],
];

#[test]
fn each_class_of_error_reads_as_reviewed() {
    let env = TestEnv::new();
    let project = TestProject::new(
        &env,
        &[
            ("gephost.toml", "[policy]\nallow = [\"src/\"]\n"),
            ("note.txt", "no component, no asset, no proposal\n"),
            ("wrong.toml", "[policy]\nalow = []\n"),
            (
                "outside.diff",
                "--- a/note.txt\n+++ b/note.txt\n@@ -1 +1 @@\n-no component, no asset, no proposal\n+changed\n",
            ),
        ],
    );
    let mut transcript = Transcript::default();
    for arguments in FAILING {
        let ran = transcript.run(&env, &project, arguments);
        assert_ne!(ran.code, 0, "{arguments:?} did not fail");
    }
    // Without git there is no commit to publish on.
    let bare = TestProject::without_git(&[("change.diff", "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n")]);
    transcript.run(&env, &bare, &["apply", "change.diff", "--apply"]);
    transcript.holds("errors", &env, &project);
}
