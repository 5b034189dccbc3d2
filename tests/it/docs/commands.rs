//! Every command that a document shows in a `console` block: those of gephost run here, in a copy of the quickstart; the
//! others are in a list that says who runs them.

use gephost_core::command;
use gephost_tests::author_tools::{LANGUAGES, author};
use gephost_tests::environment::TestEnv;
use gephost_tests::skipped;

use super::{Document, documents};
use crate::scene::quickstart;

/// Commands that this test does not run itself, and what does.
const RUN_ELSEWHERE: &[(&str, &str)] = &[
    ("cargo test --release --locked", "is running now"),
    ("cargo run --release --locked -p gephost -- run -C examples/quickstart", ".ci/run, and tests/it/docs/session.rs"),
    ("gephost gene sign my_gene.wasm", "tests/it/signing.rs"),
    ("gephost gene verify my_gene.wasm", "tests/it/signing.rs"),
    ("gephost gene add oci://ghcr.io/ann/my-gene:v1", "tests/it/oci.rs, with a registry of its own"),
    ("gephost gene push my_gene.wasm oci://ghcr.io/ann/my-gene:v1", "tests/it/oci.rs, with a registry of its own"),
    (
        "gephost gene pull oci://ghcr.io/ann/my-gene:v1 --output copy.wasm",
        "tests/it/oci.rs, with a registry of its own",
    ),
    ("gephost hub serve --db hub.db --blobs hub-blobs --listen 127.0.0.1:4000", "tests/it/a2a, at a free port"),
    ("gephost a2a hello --hub http://127.0.0.1:4000", "tests/it/a2a/nodes.rs, with a hub of its own"),
    ("gephost a2a publish --hub http://127.0.0.1:4000", "tests/it/a2a/nodes.rs, with a hub of its own"),
    ("gephost a2a status --hub http://127.0.0.1:4000", "tests/it/a2a/nodes.rs, with a hub of its own"),
    (
        "gephost a2a fetch --search-only --signal error --hub http://127.0.0.1:4000",
        "tests/it/a2a/nodes.rs, with a hub of its own",
    ),
    ("gephost init", "tests/it/first_minute.rs: the quickstart has a config already"),
    ("cargo install --locked --path host/cli", "by hand: it is what cargo does with any program"),
    ("cargo clippy --release --workspace --all-targets --locked -- -D warnings", ".ci/run"),
    ("cargo fmt --all --check", ".ci/run"),
    ("cargo run --release -p gephost-tests --example kill_sweep", "by hand; a sample of it: tests/it/crash.rs"),
    ("cargo run --release -p gephost-tests --example kill_sweep 150 7", "by hand; a sample of it: tests/it/crash.rs"),
    ("cargo deny --all-features check licenses bans sources", ".ci/run"),
    ("rustup target add wasm32-wasip2", ".ci/run"),
    ("cargo test --release -p gephost-core --test outcomes -- --nocapture", "the suite, without what it prints"),
];

/// Commands that end with another code than 0, as the text beside them says.
const ENDS_WITH: &[(&str, i32)] = &[("record -- python3 -m unittest discover -s tests", 1)];

/// What commands must say, wherever they are shown.
const SAYS: &[(&str, &str)] = &[("gephost run --apply", "Published"), ("gephost run", "Nothing was changed")];

#[test]
fn every_command_of_the_documents_works() {
    if !crate::scene::python() {
        return;
    }
    let ran: usize = documents().iter().map(run_all).sum();
    assert!(ran >= 30, "only {ran} commands were found");
}

/// Runs what one document shows, in order, in one project. A `toml` block whose first line is
/// `# gephost.toml` is the project's config from there on.
fn run_all(document: &Document) -> usize {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let mut ran = 0;
    let mut lacks_tool = false;
    for block in document.blocks() {
        match block.info.as_str() {
            "toml" if block.text.starts_with("# gephost.toml\n") => {
                project.write("gephost.toml", &block.text);
                project.commit_all(&env);
            }
            "console" => {
                for line in block.text.lines().filter(|line| is_ours(&document.path, line)) {
                    lacks_tool = (lacks_tool && !line.contains("gene new")) || lacks(line);
                    let is_skipped = lacks_tool && TOOLS_NEEDED.iter().any(|command| line.starts_with(command));
                    if !is_skipped {
                        run(&env, project.root(), &document.path, line);
                        ran += 1;
                    }
                }
            }
            _ => {}
        }
    }
    ran
}

/// Commands that need the compiler of the language in which the gene before them is written.
const TOOLS_NEEDED: &[&str] =
    &["gephost gene build", "gephost gene test", "gephost gene check", "gephost run --gene my-gene/"];

/// Whether a command begins a gene in a language that cannot be built here.
fn lacks(line: &str) -> bool {
    let language = line.split_once("--lang ").map(|(_, language)| language);
    LANGUAGES.iter().filter(|known| language == Some(known.word)).any(|known| {
        let missing = known.missing();
        missing.iter().for_each(|why| skipped(&format!("`{line}`: {why}")));
        missing.is_some()
    })
}

/// Whether this test runs a command; what it does not run must be in the list, or be a benchmark.
fn is_ours(document: &str, line: &str) -> bool {
    let elsewhere = RUN_ELSEWHERE.iter().any(|(known, _)| *known == line) || line.starts_with("cargo bench ");
    let ours = line.starts_with("gephost ") || line.starts_with("cargo run --release -- ");
    assert!(ours || elsewhere || line.is_empty(), "{document} shows `{line}`: who runs it?");
    ours && !elsewhere
}

fn run(env: &TestEnv, project: &std::path::Path, document: &str, line: &str) {
    let arguments = line.trim_start_matches("gephost ").trim_start_matches("cargo run --release -- ");
    let words = words(arguments, project.to_str().unwrap());
    let code = ENDS_WITH.iter().find(|(part, _)| line.contains(part)).map_or(0, |(_, code)| *code);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ran = if words.first() == Some(&"gene") { author(env, project, &words) } else { env.run(project, &words) };
    assert_eq!(ran.code, code, "{document} shows `{line}`\nstdout:\n{}\nstderr:\n{}", ran.stdout, ran.stderr);
    let says = SAYS.iter().find(|(shown, _)| *shown == line).map_or("", |(_, says)| says);
    assert!(ran.stdout.contains(says), "{document} shows `{line}`, which does not say {says:?}:\n{}", ran.stdout);
}

/// The words of a command, with the quickstart's copy for the quickstart.
fn words(arguments: &str, project: &str) -> Vec<String> {
    let word = |word: String| if word == "examples/quickstart" { project.to_owned() } else { word };
    command::words(arguments).unwrap().into_iter().map(word).collect()
}
