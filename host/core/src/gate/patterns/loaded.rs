//! Text that a program runs as code. A file whose name says prose or data is code if a program of the change, or of the
//! base as far as it was read, loads it: `require('../notes.md')`, `. ./settings.txt`, `#[path = "a.txt"]`.
//!
//! A name counts where it stands in a statement that runs something, or where a variable that holds it does.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::bytes::{Regex, RegexBuilder};

use super::super::resolve::Resolved;
use super::super::{ApprovedChange, Base, BaseEntry, BlobState, Violation};
use super::language::{Language, languages};
use super::manifest;
use super::mentions::{SPELLINGS, is_only_a_word, mentions, spellings};
use super::statement::{is_inert, statement, without_git};
use crate::patch::shown;
use crate::path::RepoPath;

use Language::{Any, JavaScript, Python, Rust, Shell};

/// What a text is read as when a program runs it.
const OF_ANY: &[Language] = &[Any, Python, JavaScript, Shell];

/// The same for what Rust builds in.
const OF_RUST: &[Language] = &[Any, Rust];

/// How often a variable may be given to another one.
const HANDED_ON: usize = 4;

/// Texts that a program may name before it is taken to run all of them, so that the work stays linear.
const MOST_NAMED: usize = 64;

/// Extensions that JavaScript's loaders read as data.
const DATA_OF_JAVASCRIPT: &[&str] = &["json", "css", "scss", "less", "svg"];

/// A line that runs what it names, by language. Sources: the languages' references on loading files.
static PYTHON: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r"(?:^|[^\w.])(?:exec|eval|compile|execfile|__import__)\s*\(|\brun_(?:path|module)\b|\bSourceFileLoader\b|\bspec_from_(?:file_location|loader)\b|\bload_source\b|\bimport_module\b|\bsubprocess\b|\bPopen\b|\bcheck_(?:call|output)\b|\bos\s*\.\s*(?:system|popen|exec\w+|spawn\w+|posix_spawn)|\bcreate_subprocess_|\bInteractive\w+|\baddsitedir\b|\bexec_module\b|%run\b|\bsource_to_code\b|\brun_line_magic\b|\bzipimporter\b|\bdlopen\b|\b(?:fileConfig|dictConfig)\b|\bexecutescript\b|\btorch\s*\.\s*load\b|\ballow_pickle\b|\bexecute_notebook\b|\bcython\s*\.\s*inline\b",
    )
});
static JAVASCRIPT: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r#"\brequire\b|\bimport\b|\bfrom\s*["'`]|\bimportScripts\b|\b(?:new\s+)?(?:Shared)?Worker\b|\beval\b|\bFunction\s*\(|\bvm\b|\brunIn\w+|\bcompileFunction\b|\b_(?:load|compile|extensions)\b|\b(?:exec|spawn|fork)(?:File)?(?:Sync)?\s*\(|\bregister\s*\(|\bsrc\s*=|\b(?:get)?Script\s*\(|\baddModule\s*\(|\bentryPoints\b|\bsetup(?:Primary|Master)\b|\bjest\s*\.\s*(?:mock|doMock|unstable_mockModule)\b|\bWebAssembly\b"#,
    )
});
static RUST: LazyLock<Regex> =
    LazyLock::new(|| ascii(r"\binclude\s*!\s*[({\[]|\bpath\s*=|\bCommand\s*::\s*new|\.\s*args?\s*\("));
static SHELL: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r#"(?:^\s*-?|[;&|({`\s"'@!/])(?:\.|source|source-file|eval|exec|sh|bash|zsh|dash|ksh|mksh|fish|ash|csh|tcsh|nu|elvish|xonsh|busybox|python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|tsx|ts-node|perl|ruby|php|lua\w*|Rscript|julia|octave|osascript|pwsh|powershell|cmd|make|gmake|ninja|gradlew?|mvnw?|ant|rake|bazel|expect|tclsh|wish|xargs|parallel|crontab|gdb|lldb|env|nohup|sudo|time|command|psql|sqlite3|mysql|uv|npx|pipx|java|jshell|groovy|scala|kotlinc?|swift|guile|racket|mocha|jest|vitest|ava|tape|jasmine|rollup|webpack|nodemon|pm2|electron|sbcl|clisp|erl|escript|elixir|iex|ocaml|runghc|runhaskell|nim|tcc|dotnet|csi|nix\S*|emacs|vim|nvim|ansible-playbook|supervisord|tmux|patch[ \t]+-\S*|go[ \t]+run|git[ \t]+(?:apply|am|config)|ENTRYPOINT|CMD|RUN)[ \t]|\|\s*(?:\S*/)?(?:ba|z|da|k)?sh\b|^\s*-?s?include\s|\bchmod\b|(?:^[\s@-]*|[;&|({!@`"']\s*|(?:\b(?:then|do|else|sudo|time|env|exec|nohup)|\w=\S*|:)\s+)\./|\bload\s|-f\s+\S*[./]|\b(?:\w?awk|sed)\s.*-f\s|--file[ =]|\bc(?:make|test)\s.*-[PCS]\b|\bpip[\d.]*\s.*-r|--\w*(?:config|rc|rcfile)[ =]|\b(?:gcc|g\+\+|clang\S*|cc|ld|javac|rustc)\s.*(?:@|-T)|\binclude\.path\b"#,
    )
});
/// What runs another program in any language: a shell or an interpreter at the beginning of a string, or as a word of its own.
const STARTED: &str = r#"[`"'({\[](?:[^\s"'`]*/)?(?:(?:ba|z|da|k)?sh|cmd|python[\d.]*|node|perl|ruby|php|powershell|pwsh)(?:\.exe)?[\s"'`]"#;
static OTHER: LazyLock<Regex> = LazyLock::new(|| {
    ascii(&format!(
        r"(?i)\b(?:include|include_once|require|require_once|require_relative|load|load_file|dofile|loadfile|loadstring|source|sourceCpp|sys\.source|import|eval|evalfile|eval_file|evaluate|instance_eval|class_eval|module_eval|exec|execute|system|popen|do|apply|from|script|src|iex|invoke-\w+|start-process|add_subdirectory|exclude|code|readlisp|read|compile|run|runscript|load-file|subprocess|processbuilder|getruntime|command|autoload|rake_require|eval_gemfile|unsafe_load_file|dlopen|loadlib|load_extension|include_next|include_alias|incbin|execl\w*|urlclassloader|parseclass|loadfrom|evaluateasync|evaluatescript|dget|knit|ccall|import_config|include_lib|path_eval|interpret|mod_use|use_file|staticexec|cinclude|callpackage|scopedimport|add-type|scriptblock|import-clixml|deserialize)\b|\\ir?\b|^\s*(?:\.|\\\.|#use|:r|!!|start)\s|^\s*@@?[\w./\\-]+\.\w+\s*;?\s*$|(?:^|[(;{{])\s*&\s*[($.\x22'\\]|{STARTED}"
    ))
});
/// What runs a file in a batch file of Windows, where its name alone does.
static BATCH: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r"(?i)(?:^|[\s@&|(/\\])(?:call|cmd|start|ren|rename|powershell|pwsh|python\w*|py|node|ruby|perl|php|java|cscript|wscript|mshta|regsvr32|rundll32|msbuild|certutil)(?:\.exe)?[ \t]|^\s*@?[\w\\/%~-]+\.\w+\s*$|\|\s*(?:cmd|powershell|python|node)\b|\bcopy\s.*\.(?:bat|cmd|exe|ps1|vbs|js)\b|\bdo\s+(?:call|cmd|%)",
    )
});
/// The same in a language that gephost does not know.
static LOADS: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r"(?i)\b(?:include|load[\w-]*|compile-file|source|import|require|consult|ensure_loaded|uplevel)\b\s*[(\x22'<\[]|^\s*[`%.\\#({]*(?:include|incbin|source|load[\w-]*|so|runtime|resource|library|variables|py3?file|luafile|rubyfile)\s+[\x22'<\w./]|\buplevel\b|:-\s*\[|[{]\$I",
    )
});

fn ascii(regex: &str) -> Regex {
    let built = RegexBuilder::new(regex).unicode(false).multi_line(true).build();
    built.expect("the pattern is constant and a test uses it")
}

/// The changed texts that a program runs, with what they are read as and which program runs them.
pub(super) fn texts(resolved: &Resolved, base: &Base) -> BTreeMap<RepoPath, (&'static [Language], Option<RepoPath>)> {
    let mut found = BTreeMap::new();
    let inert =
        |change: &&ApprovedChange| change.after.is_some() && spoken(change.after.as_ref(), &change.path).is_empty();
    let texts: Vec<&ApprovedChange> = resolved.changes.iter().filter(inert).collect();
    if texts.is_empty() {
        return found;
    }
    for change in &texts {
        let content = change.after.as_ref().map(|after| &*after.content).unwrap_or_default();
        if content.starts_with(b"#!/") {
            found.insert(change.path.clone(), (OF_ANY, None));
        }
    }
    let changed: BTreeSet<&RepoPath> = resolved.changes.iter().map(|change| &change.path).collect();
    let new = resolved.changes.iter().filter_map(|change| Some((&change.path, change.after.as_ref()?)));
    let old = base.entries.iter().filter(|(path, _)| !changed.contains(path)).filter_map(|(path, entry)| match entry {
        BaseEntry::Blob(state) => Some((path, state)),
        BaseEntry::Directory | BaseEntry::Gitlink => None,
    });
    let Ok(names) = AhoCorasick::new(texts.iter().flat_map(|text| spellings(text.path.file_name()))) else {
        return found;
    };
    for (path, state) in new.chain(old) {
        let hits = names.find_overlapping_iter(&*state.content).map(|hit| hit.pattern().as_usize() / SPELLINGS);
        let mentioned: BTreeSet<usize> = hits.collect();
        let too_many = mentioned.len() > MOST_NAMED && !spoken(Some(state), path).is_empty();
        let others = mentioned.into_iter().filter_map(|text| texts.get(text)).filter(|text| text.path != *path);
        for text in others.collect::<Vec<_>>() {
            let read_as = if too_many { Some(OF_ANY) } else { loads(path, state, &text.path) };
            if let Some(read_as) = read_as {
                found.entry(text.path.clone()).or_insert_with(|| (read_as, Some(path.clone())));
            }
        }
    }
    found
}

/// Says that a text is read as code, and why.
pub(super) fn violation(by: Option<&RepoPath>) -> Violation {
    let message = match by {
        Some(by) => format!("{by} runs this text as code"),
        None => "the text says which program runs it".to_owned(),
    };
    Violation::flag("loaded-text", message, "review it as code")
}

fn spoken(state: Option<&BlobState>, path: &RepoPath) -> &'static [Language] {
    let content = state.map(|state| &*state.content).unwrap_or_default();
    let first = content.split(|&b| b == b'\n').next().unwrap_or_default();
    languages(path, &String::from_utf8_lossy(first.get(..256).unwrap_or(first)))
}

/// Whether the program at `path` runs the text at `target`.
pub(super) fn runs_text(path: &RepoPath, state: &BlobState, target: &RepoPath) -> bool {
    loads(path, state, target).is_some()
}

/// What the text at `target` is read as by the program at `path`, if that runs it.
fn loads(path: &RepoPath, state: &BlobState, target: &RepoPath) -> Option<&'static [Language]> {
    let name = target.file_name();
    if !mentions(&state.content, name) {
        return None;
    }
    let content = shown(&state.content);
    // A value with a blank is a command; another one is a path.
    let is_run = |command: &str| mentions(command.as_bytes(), name) && SHELL.is_match(command.as_bytes());
    let named = |value: &str| {
        let is_command = value.contains(' ');
        if is_command { is_run(&without_git(value.trim_matches('"'))) } else { mentions(value.as_bytes(), name) }
    };
    if let Some(is_rust) = manifest::runs(path, &content, named) {
        return Some(if is_rust { OF_RUST } else { OF_ANY });
    }
    let of_program = spoken(Some(state), path);
    let runs: &[&Regex] = match of_program {
        [] => return None,
        [Any, Python] => &[&PYTHON, &SHELL],
        [Any, JavaScript] if is_data_of_javascript(name) => return None,
        [Any, JavaScript] => &[&JAVASCRIPT],
        [Any, Rust] => &[&RUST],
        [Any, Shell] | [Any, Language::Yaml | Language::Dockerfile, ..] => &[&SHELL],
        [Any] if is_batch(path) => &[&BATCH],
        [Any] | [Any, Language::Go] => &[&OTHER],
        _ => &[&PYTHON, &JAVASCRIPT, &SHELL, &LOADS],
    };
    let read_as = if of_program == OF_RUST { OF_RUST } else { OF_ANY };
    let is_shell = matches!(of_program.get(1), Some(Shell | Language::Yaml | Language::Dockerfile));
    let is_prose = !is_shell && of_program.len() < OF_ANY.len() && is_only_a_word(&content, name);
    (!is_prose && runs_name(&content, name, runs, is_shell)).then_some(read_as)
}

fn is_batch(path: &RepoPath) -> bool {
    let extension = path.file_name().rsplit_once('.').map_or("", |(_, extension)| extension);
    ["bat", "cmd"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

fn is_data_of_javascript(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| DATA_OF_JAVASCRIPT.contains(&extension))
}

/// Whether a statement that runs something names the file, or a variable that was made from its name.
fn runs_name(content: &str, name: &str, runs: &[&Regex], is_shell: bool) -> bool {
    let lines: Vec<&str> = content.lines().collect();
    let runs_at = |number: usize| {
        let statement = statement(&lines, number, is_shell);
        let is_inert = is_shell && is_inert(&statement);
        !is_inert && runs.iter().any(|regex| regex.is_match(statement.as_bytes()))
    };
    let named: Vec<usize> = (0..lines.len())
        .filter(|&number| lines.get(number).is_some_and(|line| mentions(line.as_bytes(), name)))
        .collect();
    if named.iter().any(|&number| runs_at(number)) {
        return true;
    }
    let mut variables = BTreeMap::new();
    let mut given: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, line) in lines.iter().enumerate() {
        if let Some(name) = opened(line) {
            given.entry(name).or_default().push(number);
        }
    }
    for &number in &named {
        assign(&lines, &given, number, &mut variables);
    }
    for _ in 0..HANDED_ON {
        let stands_for_it =
            |word: &str, number: usize| variables.get(word).is_some_and(|range| range.contains(&number));
        let users: Vec<usize> = (0..lines.len())
            .filter(|&number| lines.get(number).is_some_and(|line| words(line).any(|word| stands_for_it(word, number))))
            .collect();
        let runs_line = |line: &&str| runs.iter().any(|regex| regex.is_match(line.as_bytes()));
        if users.iter().filter_map(|&number| lines.get(number)).any(runs_line) {
            return true;
        }
        let known = variables.len();
        for &number in &users {
            assign(&lines, &given, number, &mut variables);
        }
        if variables.len() == known {
            return false;
        }
    }
    false
}

/// Adds the variables that a line makes, with the lines in which they count. One after `as` counts up to the next line that
/// gives its name away again, since such names are short and used often. `given` has the lines that give each name.
fn assign<'a>(
    lines: &[&'a str],
    given: &BTreeMap<&str, Vec<usize>>,
    number: usize,
    variables: &mut BTreeMap<&'a str, Range<usize>>,
) {
    let Some(line) = lines.get(number) else { return };
    for name in assigned(line) {
        variables.insert(name, 0..lines.len());
    }
    if let Some(name) = opened(line) {
        let again = given.get(name).and_then(|at| at.get(at.partition_point(|&other| other <= number)));
        variables.entry(name).or_insert(number..again.copied().unwrap_or(lines.len()));
    }
}

/// The name after `as`.
fn opened(line: &str) -> Option<&str> {
    line.split_once(" as ").and_then(|(_, rest)| words(rest).next())
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// The variables that a line makes: before its first `=`, and after C's `#define`. Of `a.b`, it makes `b`.
fn assigned(line: &str) -> Vec<&str> {
    let macro_name =
        line.trim_start().strip_prefix('#').map(str::trim_start).and_then(|rest| rest.strip_prefix("define"));
    if let Some(name) = macro_name.and_then(|rest| words(rest).next()) {
        return vec![name];
    }
    let keywords =
        ["const", "let", "var", "local", "my", "our", "export", "readonly", "final", "auto", "static", "with"];
    let left = line.split_once('=').map_or("", |(left, _)| left);
    let paths = left.split(|c: char| !(c.is_alphanumeric() || "_.->".contains(c)));
    paths.filter_map(|path| words(path).last()).filter(|word| !keywords.contains(word)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::gate::FileMode;

    fn is_code(loader: &str, program: &str, text: &str) -> bool {
        let path = |name: &str| RepoPath::new(name).expect("a path");
        let state = BlobState { mode: FileMode::Regular, content: Arc::from(program.as_bytes()) };
        loads(&path(loader), &state, &path(text)).is_some()
    }

    #[test]
    fn what_a_program_runs_is_code() {
        for (loader, program, text) in [
            ("src/a.js", "const x = require('../docs/notes.md')", "docs/notes.md"),
            ("src/a.js", "require(\n  '../docs/notes.md'\n)", "docs/notes.md"),
            ("src/a.mjs", "await import(\"./notes.txt\")", "src/notes.txt"),
            ("src/a.mjs", "import './notes.txt'", "src/notes.txt"),
            ("src/a.ts", "export * from './notes.txt'", "src/notes.txt"),
            ("src/a.js", "const p = './notes.txt'\nconst q = path.join(d, p)\nrequire(q)", "src/notes.txt"),
            ("src/a.js", "eval(fs.readFileSync('data.csv', 'utf8'))", "src/data.csv"),
            ("src/a.js", "child_process.fork('./w.log')", "src/w.log"),
            ("web/a.html", "<script src=\"x.txt\"></script>", "web/x.txt"),
            ("src/a.py", "exec(open('notes.md').read())", "notes.md"),
            (
                "src/a.py",
                "with open('notes.md') as f:\n    text = f.read()\n\nprint(1)\nprint(2)\nexec(text)",
                "notes.md",
            ),
            ("src/a.py", "P = Path('docs') / 'notes.md'\n\n\n\n\nrunpy.run_path(P)", "docs/notes.md"),
            ("src/a.py", "SourceFileLoader('m', 'm.txt').load_module()", "m.txt"),
            ("src/a.py", "subprocess.run(['bash', 'x.md'])", "x.md"),
            ("src/lib.rs", "#[path = \"notes.txt\"]\nmod notes;", "src/notes.txt"),
            ("src/lib.rs", "include!(\"../notes.md\");", "notes.md"),
            ("src/lib.rs", "include!(\n    \"x.md\"\n);", "src/x.md"),
            ("build.sh", ". ./x.txt", "x.txt"),
            ("build.sh", "source conf.d/x.conf", "conf.d/x.conf"),
            ("build.sh", "bash x.md", "x.md"),
            ("build.sh", "python3 x.txt", "x.txt"),
            ("build.sh", "cat x.txt | sh", "x.txt"),
            ("build.sh", "sh < x.txt", "x.txt"),
            ("build.sh", "for f in parts/*.txt; do . $f; done", "parts/a.txt"),
            ("Makefile", "include config.txt", "config.txt"),
            ("Makefile", "-include config.txt", "config.txt"),
            ("Makefile", "all: build\n\ninclude config.txt", "config.txt"),
            ("Makefile", "test:\n\tsh x.md", "x.md"),
            ("Dockerfile", "COPY x.txt /x\nRUN sh /x.txt", "x.txt"),
            (".gitlab-ci.yml", "test:\n  script:\n    - bash x.md", "x.md"),
            ("a.rb", "load 'x.txt'", "x.txt"),
            ("a.rb", "load 'LICENSE'", "LICENSE"),
            ("a.php", "<?php include __DIR__ . '/LICENSE';", "LICENSE"),
            ("a.tcl", "source LICENSE", "LICENSE"),
            ("a.php", "<?php include 'x.txt';", "x.txt"),
            ("a.c", "#include \"x.txt\"", "x.txt"),
            ("a.lua", "dofile('x.txt')", "x.txt"),
            ("a.r", "source('x.txt')", "x.txt"),
            ("a.jl", "include(\"x.txt\")", "x.txt"),
            ("a.pl", "do './x.txt';", "x.txt"),
            ("a.ps1", ". ./x.txt", "x.txt"),
            ("package.json", "{\"main\": \"lib/x.txt\"}", "lib/x.txt"),
            ("package.json", "{\"bin\": {\"a\": \"./x.md\"}}", "x.md"),
            ("package.json", "{\"exports\": {\".\": {\"import\": \"./x.md\"}}}", "x.md"),
            ("package.json", "{\"scripts\": {\"build\": \"bash x.md\"}}", "x.md"),
            ("Cargo.toml", "[package]\nbuild = \"build.txt\"", "build.txt"),
            ("Cargo.toml", "[lib]\npath = \"src/x.md\"", "src/x.md"),
            ("composer.json", "{\"autoload\": {\"files\": [\"x.txt\"]}}", "x.txt"),
            ("build.sh", "/bin/sh x.txt", "x.txt"),
            ("build.sh", "if a; then ./x.txt; fi", "x.txt"),
            ("build.sh", "awk -f LICENSE a.csv", "LICENSE"),
            ("build.sh", "unknown-tool -f x.txt", "x.txt"),
            ("build.sh", "A=1 ./x.txt", "x.txt"),
            ("Makefile", "all:\n\t@./x.txt", "x.txt"),
            ("Makefile", "all:\n\t-sh x.txt", "x.txt"),
            (".gitlab-ci.yml", "a:\n  script: ./x.txt", "x.txt"),
            ("package.json", "{\"scripts\": {\"a\": \"cp x.txt y.js && node y.js\"}}", "x.txt"),
            ("package.json", "{\"scripts\": {\"a\": \"git add . && bash x.md\"}}", "x.md"),
            ("src/a.py", "with open('a') as f:\n    b = 1\nwith open('x.txt') as f:\n    exec(f.read())", "x.txt"),
            ("build.sh", "\"$DIR\"/bin/bash x.txt", "x.txt"),
            ("build.sh", "escript x.txt", "x.txt"),
            ("build.sh", "git apply x.txt", "x.txt"),
            ("build.sh", "pip3 install -q -r x.txt", "x.txt"),
            ("build.sh", "gcc @x.txt a.c", "x.txt"),
            ("build.sh", "bazel --bazelrc=x.txt build", "x.txt"),
            ("src/a.py", "logging.config.fileConfig('x.txt')", "x.txt"),
            ("src/a.js", "new Worker('a')\nCSS.paintWorklet.addModule('x.txt')", "x.txt"),
            ("a.rb", "autoload :A, './x.txt'", "x.txt"),
            ("a.rb", "`sh x.txt`", "x.txt"),
            ("a.hs", "callProcess \"sh\" [\"x.txt\"]", "x.txt"),
            ("a.c", "execl(\"/bin/sh\", \"sh\", \"x.txt\", 0);", "x.txt"),
            ("a.c", "#define F \"x.txt\"\n\n\n\n\n#include F", "x.txt"),
            ("a.c", "#include_next \"x.txt\"", "x.txt"),
            ("a.cs", "Assembly.LoadFrom(\"x.txt\");", "x.txt"),
            ("a.swift", "context.evaluateScript(String(contentsOfFile: \"x.txt\"))", "x.txt"),
            ("a.ml", "#use \"x.txt\";;", "x.txt"),
            ("a.nix", "callPackage ./x.txt {}", "x.txt"),
            ("a.ps1", "& .\\x.txt", "x.txt"),
            ("a.ps1", "& ([scriptblock]::Create((Get-Content x.txt -Raw)))", "x.txt"),
            ("a.bat", "call x.txt", "x.txt"),
            ("a.cmd", "@x.txt", "x.txt"),
            ("a.bat", "cmd < x.txt", "x.txt"),
            ("a.bat", "ren x.txt x.bat && x.bat", "x.txt"),
            ("a.sql", "@@x.txt", "x.txt"),
            ("a.sql", "\\ir x.txt", "x.txt"),
            ("a.el", "(load-file \"x.txt\")", "x.txt"),
            ("a.tcl", "uplevel #0 [read [open x.txt]]", "x.txt"),
            ("a.pro", ":- ['x.txt'].", "x.txt"),
            ("a.pro", ":- include('x.txt').", "x.txt"),
            ("a.sv", "`include \"x.txt\"", "x.txt"),
            ("a.asm", "%include \"x.txt\"", "x.txt"),
            ("a.pas", "{$I x.txt}", "x.txt"),
            ("a.vim", "runtime x.txt", "x.txt"),
            ("a.robot", "Resource    x.txt", "x.txt"),
        ] {
            assert!(is_code(loader, program, text), "{loader}: {program}");
        }
    }

    #[test]
    fn what_a_program_only_reads_is_none() {
        for (loader, program, text) in [
            ("src/a.js", "const text = fs.readFileSync('notes.md', 'utf8')", "notes.md"),
            ("src/a.js", "import data from './data.json'", "src/data.json"),
            ("src/a.js", "import './style.css'", "src/style.css"),
            ("src/a.js", "const link = 'docs/notes.md'", "docs/notes.md"),
            ("src/a.js", "require('./other-notes.md')", "src/notes.md"),
            ("src/a.py", "text = open('README.md').read()", "README.md"),
            ("setup.py", "exec(open('version.py').read())\n\n\n\n\nlong = open('README.md').read()\n", "README.md"),
            ("src/a.py", "data = json.load(open('a.json'))", "a.json"),
            ("src/a.py", "re.compile(x)\n\n\n\n\ntext = Path('notes.md').read_text()", "notes.md"),
            ("src/lib.rs", "#![doc = include_str!(\"../README.md\")]", "README.md"),
            ("src/lib.rs", "const TEXT: &str = include_str!(\"a.txt\");", "src/a.txt"),
            ("src/lib.rs", "include_bytes!(\"a.txt\")", "src/a.txt"),
            ("main.go", "//go:embed a.txt", "a.txt"),
            ("build.sh", "cp README.md dist/", "README.md"),
            ("build.sh", "grep -q x notes.txt", "notes.txt"),
            ("Makefile", "docs: README.md", "README.md"),
            ("package.json", "{\"files\": [\"README.md\"], \"description\": \"see README.md\"}", "README.md"),
            ("package.json", "{\"types\": \"x.txt\"}", "x.txt"),
            ("Cargo.toml", "[package]\nreadme = \"README.md\"", "README.md"),
            ("docs/guide.md", "run `bash x.md`", "x.md"),
            ("build.sh", "curl -d @x.txt https://example.com", "x.txt"),
            ("build.sh", "wc -l < x.txt\nmkdir -p bin/sh\ncp x.txt bin/", "x.txt"),
            ("src/a.py", "template = env.get_template('x.txt')", "x.txt"),
            ("src/a.js", "const page = ejs.renderFile('x.txt')", "x.txt"),
            ("a.c", "FILE *f = fopen(\"x.txt\", \"r\");", "x.txt"),
            ("a.cs", "var text = File.ReadAllText(\"x.txt\");", "x.txt"),
            ("A.java", "@Override\nvoid f() {\n  int b = a & c;\n  text = open(\"x.txt\");", "x.txt"),
            ("a.clj", "(slurp \"x.txt\")", "x.txt"),
            ("build.sh", "echo look at x.txt", "x.txt"),
            ("a.wiki", "Please read x.txt from the start; the code is there.", "x.txt"),
            ("a.hs", "text <- readFile \"x.txt\"", "x.txt"),
            ("a.ps1", "$text = Get-Content x.txt", "x.txt"),
            ("a.bat", "setlocal\necho see x.txt\ncopy x.txt out\\\nset /p a=<x.txt\nfindstr a x.txt", "x.txt"),
            ("a.tcl", "set f [open x.txt r]", "x.txt"),
            ("a.el", "(insert-file-contents \"x.txt\")", "x.txt"),
            ("a.sv", "$readmemh(\"x.txt\", memory);", "x.txt"),
            ("requirements.txt", "-r x.txt", "x.txt"),
            ("MANIFEST.in", "include README.md\nrecursive-include docs *.md", "README.md"),
            ("a.gemspec", "Gem::Specification.new do |s|\n  s.files = %w(README.md)\n  s.x = 1\nend", "README.md"),
            ("Makefile.PL", "LICENSE => 'perl',", "LICENSE"),
            ("a.go", "// Use of this source code is governed by a license\n// that is in the LICENSE file.", "LICENSE"),
            ("a.c", "/* This source file is free.\n   See the file LICENSE. */", "LICENSE"),
            ("cli.js", "const fs = require('fs');\nconst usage = fs.readFileSync('x.txt');", "x.txt"),
            ("cli.js", "const fs = require('fs')\nconst usage = fs.readFileSync('x.txt')", "x.txt"),
            ("src/a.py", "import_module(name)\ntext = open('x.txt').read()", "x.txt"),
            ("src/a.py", "save('dir/name.x.txt', eval(b))", "x.txt"),
            ("Makefile", "docs:\n\trm -f docs/x.rst", "docs/x.rst"),
            ("Makefile", "docs:\n\tsed -e s/a/b/ a > x.md\n\tgit add x.md", "x.md"),
            ("a.yml", "run: |\n  mv ./Cargo.toml.new ./Cargo.toml", "Cargo.toml"),
            ("release.sh", "sed -i s/a/b/ pyproject.toml", "pyproject.toml"),
            (
                "package.json",
                "{\"scripts\": {\"version\": \"auto-changelog && git add CHANGELOG.md\"}}",
                "CHANGELOG.md",
            ),
            (
                "package.json",
                "{\"scripts\": {\"v\": \"a && git add CHANGELOG.md && git tag x$(node -p 1)\"}}",
                "CHANGELOG.md",
            ),
            ("package.json", "{\"scripts\": {\"changelog\": \"changelogx -f markdown -o ./x.md\"}}", "x.md"),
            ("Makefile", "serve:\n\twatchmedo shell-command -p '*.rst' -c 'echo'", "a.rst"),
            ("a.php", "// see the LICENSE file that was distributed with this source code.", "LICENSE"),
            ("a.c", "| This source file is free, |\n| see the file LICENSE |", "LICENSE"),
            (
                "setup.py",
                "with open('about.py') as f:\n    exec(f.read())\nwith open('x.md') as f:\n    text = f.read()\n",
                "x.md",
            ),
            (
                "setup.py",
                "with open('x.md') as f:\n    text = f.read()\nwith open('about.py') as f:\n    exec(f.read())\n",
                "x.md",
            ),
            ("package.json", "{\"scripts\": {\"lint\": \"eslint -c .eslintrc.json src\"}}", ".eslintrc.json"),
            ("Cargo.toml", "[[package.metadata.release.pre-release-replacements]]\nfile = \"x.md\"", "x.md"),
            (
                "pom.xml",
                "<project><build><resources><resource><includes><include>x.txt</include></includes></resource></resources>\
                 </build></project>",
                "x.txt",
            ),
        ] {
            assert!(!is_code(loader, program, text), "{loader}: {program}");
        }
    }
}
