//! Every page and document of the command line: each document is what its schema says, and the text is what was reviewed.
//!
//! The files in `tests/it/pages/` hold the texts. `GEPHOST_BLESS=1 cargo test --release --locked --test it -- pages` writes
//! them anew.

mod errors;
mod help;
mod schemas;
mod texts;

use gephost_tests::bless::holds_or_bless;
use gephost_tests::environment::{Ran, TestEnv};
use gephost_tests::project::TestProject;
use regex::Regex;

/// What differs from run to run and from machine to machine, and its replacement.
const PLACEHOLDERS: &[(&str, &str)] = &[
    (r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z", "TIME"),
    (r"\d{8}T\d{6}Z", "TIME"),
    (r"\b[0-9a-f]{40}\b", "COMMIT"),
    (r"\b(main|branch) [0-9a-f]{12}\b", "$1 COMMIT"),
    (r"\b(evt|vr|capsule|record)[_-]\d+", "${1}_ID"),
    (r"\b(rec|ask)_[0-9a-f]{16}\b", "${1}_ID"),
    (r"projects/[0-9A-Za-z._-]+-[0-9a-f]{16}\b", "projects/STATE"),
    (r"/tmp/\.tmp\w+", "/elsewhere"),
    (r"landlock\d+", "landlock"),
    (r"sandbox L\d", "sandbox LEVEL"),
    (r"prev=sha256:[0-9a-f …]+", "prev=HASH"),
];

/// A session in a terminal: what was typed, and what came.
#[derive(Default)]
struct Transcript {
    text: String,
}

impl Transcript {
    /// Runs a command and adds it with its output and its exit code.
    fn run(&mut self, env: &TestEnv, project: &TestProject, arguments: &[&str]) -> Ran {
        let ran = env.run(project.root(), arguments);
        let words: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
        self.text.push_str(&format!("$ gephost {}\n{}{}", words.join(" "), ran.stdout, ran.stderr));
        self.text.push_str(&format!("[exit {}]\n\n", ran.code));
        ran
    }

    /// Compares it with the file of this name.
    fn holds(&self, name: &str, env: &TestEnv, project: &TestProject) {
        let mut text = self.text.clone();
        for (folder, stands_for) in [(project.root(), "/project"), (env.home(), "/home/user")] {
            let real = folder.canonicalize().unwrap();
            text = text.replace(real.to_str().unwrap(), stands_for).replace(folder.to_str().unwrap(), stands_for);
        }
        text = text.replace(std::env::temp_dir().to_str().unwrap(), "/tmp");
        for (pattern, stands_for) in PLACEHOLDERS {
            text = Regex::new(pattern).unwrap().replace_all(&text, *stands_for).into_owned();
        }
        holds_or_bless(&format!("tests/it/pages/{name}.txt"), &text);
    }
}

fn quoted(word: &str) -> String {
    if word.contains([' ', '"']) { format!("'{word}'") } else { word.to_owned() }
}
