//! Programs of the base, outside of the change, that run a changed text: `require('../notes.md')`, `. ./settings.txt`.
//!
//! The gate sees only what the host reads for it, so the host asks this search which other files of the base to add.
//! Only a line that plainly runs the text counts, or a variable that the program gives its name to. A program that computes
//! the name is not found.

use std::collections::BTreeSet;

use aho_corasick::AhoCorasick;
use regex::bytes::{Regex, RegexBuilder};

use super::super::{BlobState, ParsedChange, Violation};
use super::language::languages;
use super::{loaded, manifest};
use crate::path::RepoPath;

/// Most changed texts whose names are looked for.
const MOST_TEXTS: usize = 64;

/// Most variables of one program that are followed, one step each.
const MOST_VARIABLES: usize = 8;

/// The search for the programs that run the texts of a change.
#[derive(Debug)]
pub struct LoaderSearch {
    /// Each with the expression of a line that runs it.
    texts: Vec<(RepoPath, Regex)>,
    names: AhoCorasick,
}

impl LoaderSearch {
    /// The search for a change; `None` if it changes no text that could be run.
    pub fn of(change: &ParsedChange) -> Option<Self> {
        let paths = change.parts().iter().flatten().flat_map(|part| part.paths().into_iter().cloned());
        let inert = paths.filter(|path| languages(path, "").is_empty() && !manifest::is_one(path));
        let texts: Vec<(RepoPath, Regex)> =
            inert.take(MOST_TEXTS).filter_map(|path| Some((path.clone(), runs(path.file_name())?))).collect();
        let names = AhoCorasick::new(texts.iter().map(|(path, _)| path.file_name())).ok()?;
        (!texts.is_empty()).then_some(Self { texts, names })
    }

    /// Whether a file may be a program by its name.
    pub fn reads(&self, path: &RepoPath) -> bool {
        (!languages(path, "").is_empty() || manifest::is_one(path)) && self.texts.iter().all(|(text, _)| text != path)
    }

    /// How many folders a file shares with a changed text, so that the nearest files can be searched first.
    pub fn nearness(&self, path: &RepoPath) -> usize {
        let shared = |text: &RepoPath| {
            let folders = |path: &RepoPath| path.as_str().matches('/').count();
            let same = path.as_str().split('/').zip(text.as_str().split('/')).take_while(|(a, b)| a == b).count();
            same.min(folders(path)).min(folders(text))
        };
        self.texts.iter().map(|(text, _)| shared(text)).max().unwrap_or(0)
    }

    /// Whether a file runs one of the texts.
    pub fn finds(&self, path: &RepoPath, file: &BlobState) -> bool {
        self.names.is_match(&*file.content)
            && self.texts.iter().any(|(text, runs)| {
                let plainly = || runs.is_match(&file.content) || runs_variable(text.file_name(), &file.content);
                (manifest::is_one(path) || plainly()) && loaded::runs_text(path, file, text)
            })
    }
}

/// The violation of a verdict for which not every program of the base was searched.
pub(super) fn unsearched(programs: u64) -> Option<Violation> {
    let message = format!(
        "{programs} programs of the base were not searched for a line that runs a changed text, because they are too many \
         or too long"
    );
    let hint = "check that no program loads the changed texts";
    (programs > 0).then(|| Violation::flag("loaders-not-searched", message, hint))
}

/// Folders before a name, which a shell or make may compute: `$(dirname "$0")/`, `$(TOP)/`.
const FOLDERS: &str = r#"(?:(?:\$\([^()\n]*\)|[^\s"'`()<>|;&])*/)?"#;

/// What builds a path before its last part: `path.join(__dirname,`, `__DIR__ .`, `HERE /`, `open(os.path.join(d,`.
const BUILT: &str = r"(?:[\w.:$]+(?:\([\w.$]*\))?\s*(?:,|\.\.?|\+|/|\()\s*)";

/// A line that runs the file of this name. Sources: the languages' references on loading files.
fn runs(name: &str) -> Option<Regex> {
    let name = format!(r#"{FOLDERS}{}(?:[\s"'`)>;|&\]]|$)"#, regex::escape(name));
    let literal = format!(r#"{BUILT}{{0,4}}["'`<]{name}"#);
    let forms = [
        by_programs(&name),
        by_loaders(&literal),
        format!(
            r#"["'](?:(?:ba|z|da|k)?sh|python[\d.]*|node|perl|ruby|php)["']\s*,\s*(?:["']-\w+["']\s*,\s*)*["']{name}"#
        ),
        format!(
            r"\\i\s+{name}|\.(?:read|include)\s+[\x22']?{name}|^\s*do\s+[\x22']{name}|<script\b[^>\n]*\bsrc\s*=\s*[\x22']?{name}"
        ),
        // Make and its kin; CMake; Gradle.
        format!(
            r"^\s*[-s]?include\s+(?:\S+\s+)*{name}|\binclude\s*\(\s*{name}|\bapply\s*\(?\s*from\s*[:=]\s*[\x22']{name}"
        ),
        // A loader gets it as a literal.
        format!(
            r#"(?:\b(?:load|load_file|sourceCpp|import|fork|Worker|importScripts|require_once|include_once|SourceFileLoader|spec_from_file_location|import_module)|#\s*include|\binclude\s*!)\s*[({{\[]?\s*(?:["'`]\w*["'`]\s*,\s*)?{literal}"#
        ),
        format!(r#"\bfrom\s*["'`]{name}"#),
        format!(
            r#"\b(?:require\s*\(\s*require\.resolve|Worker\s*\(\s*new\s+URL|include\s*!\s*\(\s*concat\s*!)\s*\([^\n]*["'`]{name}"#
        ),
        // What it reads there, it evaluates at once.
        format!(
            r#"\b(?:eval|runIn\w+|\w+_eval|evaluate|unsafe_load|pickle\.loads?|CDLL|from_string|eval_file|load-file|iex|Invoke-Expression)\b[^\n;]{{0,60}}["'`\s(]{name}"#
        ),
        format!(r#"#\s*!?\[\s*(?:cfg_attr\s*\([^\]]*,\s*)?path\s*=\s*r?#*"{name}"#),
        format!(r#"\b(?:exec|eval|compile)\s*\(\s*\(?\s*{BUILT}{{1,5}}["'`]{name}"#),
    ];
    one_of(&forms)
}

/// A line of a shell whose program, or script of a program, is this.
fn by_programs(name: &str) -> String {
    let shells = "(?:ba|z|da|k|mk|a|c|tc)?sh|fish|nu|elvish|xonsh";
    let others = "python[\\d.]*|pypy[\\d.]*|node|perl|ruby|php";
    [
        format!(
            r#"(?:^|[\s;&|({{`"'@!/-])(?:\.|source|{shells}|{others}|deno run|bun(?: run)?|tsx|ts-node|Rscript|julia|octave|lua|expect|tclsh|wish|osascript|groovy|scala|jshell|elixir|escript|ocaml|swift|racket|guile|runghc|go run|dotnet script|nix-shell|nix-build|cmd /c|call|git apply|tmux source-file|ansible-playbook)\s+(?:-\w*\s+)*["']?{name}"#
        ),
        format!(r#"\b(?:(?:ba|z|da|k)?sh|{others}|psql|mysql|sqlite3|parallel)\b[^|;&\n<]*<\s*["']?{name}"#),
        format!(
            r#"\bcat\s+["']?{name}["']?\s*\|\s*(?:sudo\s+)?(?:\S*/)?(?:(?:ba|z|da|k)?sh|{others}|xargs|parallel)\b"#
        ),
        format!(
            r#"(?:\b(?:eval|source|\.|sh\s+-\w*c|bash\s+-\w*c|bash|env)\s+["']?|^\s*)(?:\$\(|`|<\()\s*(?:cat\s+|<\s*)["']?{name}"#
        ),
        format!(
            r#"\b(?:g?awk|sed|at|psql|mysql|g?make|ninja|just|php|docker\s+build|docker\s+compose|docker-compose|podman\s+build)\s+(?:[^\s;|&]+[ \t]+)*?(?:-f|--file)[ =]?["']?{name}"#
        ),
        format!(
            r#"\bgdb\s+(?:[^\s;|&]+[ \t]+)*?-x\s*["']?{name}|\bcrontab\s+["']?{name}|\bcmake\s+(?:[^\s;|&]+[ \t]+)*?-[PC]\s*["']?{name}|\b(?:n?vim|vi)\s+(?:[^\s;|&]+[ \t]+)*?-S\s*["']?{name}"#
        ),
        format!(
            r#"\bemacs\s+(?:[^\s;|&]+[ \t]+)*?(?:--script|-l|--load)\s+["']?{name}|\b(?:pwsh|powershell)\s+(?:[^\s;|&]+[ \t]+)*?-File\s+["']?{name}|\b(?:xargs|parallel)\s+(?:[^\s;|&]+[ \t]+)*?-a\s*["']?{name}[^\n]*\bsh\b"#
        ),
        format!(r#"\b(?:node|bun|tsx|ruby)\s+(?:[^\s;|&]+[ \t]+)*?(?:-r|--require|--import)[ =]?["']?{name}"#),
    ]
    .join("|")
}

/// A call that runs a file as code, whatever else the program does with files.
fn by_loaders(file: &str) -> String {
    format!(
        r"\b(?:require|require_relative|include|dofile|loadfile|source|run_path|execfile|runInThisContext)\s*[({{\[]?\s*{file}"
    )
}

/// A variable that gets the file's name, or the open file, and a line that runs what the variable stands for.
fn runs_variable(name: &str, content: &[u8]) -> bool {
    let name = format!(r#"{FOLDERS}{}["'`)\s;]"#, regex::escape(name));
    let given = format!(
        r#"^\s*(?:(?:const|let|var|local|my|our|export|readonly)\s+)?\$?(\w+)\s*:?=\s*{BUILT}{{0,4}}["'`]?{name}|\bopen\s*\(\s*{BUILT}{{0,4}}["'`]{name}[^\n]*\bas\s+(\w+)"#
    );
    let Some(given) = one_of(&[given]) else { return false };
    let found = given.captures_iter(content).filter_map(|found| found.iter().skip(1).flatten().next());
    let names: BTreeSet<&str> = found.filter_map(|found| std::str::from_utf8(found.as_bytes()).ok()).collect();
    names.into_iter().take(MOST_VARIABLES).any(|variable| {
        let forms = [
            by_programs(&format!(r"\$[({{]?{variable}\b")),
            by_loaders(&format!(r"\$?{variable}\b")),
            format!(r"\b(?:exec|eval|import)\s*\(\s*(?:compile\s*\(\s*)?\$?{variable}\b"),
        ];
        one_of(&forms).is_some_and(|runs| runs.is_match(content))
    })
}

fn one_of(forms: &[String]) -> Option<Regex> {
    let one = forms.iter().map(|form| format!("(?:{form})")).collect::<Vec<_>>().join("|");
    RegexBuilder::new(&one).unicode(false).multi_line(true).build().ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::gate::FileMode;
    use crate::proposal::{Change, Proposal};

    fn search(paths: &[&str]) -> Option<LoaderSearch> {
        let new = |path: &&str| Change::NewContent { path: (*path).to_owned(), content: b"x\n".to_vec() };
        let changes = paths.iter().map(new).collect();
        LoaderSearch::of(&ParsedChange::read(Proposal { changes, ..Proposal::from_diff("") }))
    }

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).expect("a path")
    }

    fn finds(text: &str, program: &str, content: &str) -> bool {
        let search = search(&[text]).expect("a text");
        let state = BlobState { mode: FileMode::Regular, content: Arc::from(content.as_bytes()) };
        search.reads(&path(program)) && search.finds(&path(program), &state)
    }

    #[test]
    fn programs_that_run_a_text_are_found() {
        let missed = [
            ("docs/notes.md", "src/a.js", "const x = require('../docs/notes.md')\n"),
            ("src/notes.txt", "src/a.mjs", "import './notes.txt'\n"),
            ("src/notes.txt", "src/a.ts", "export * from './notes.txt';\n"),
            ("src/w.log", "src/a.js", "child_process.fork('./w.log')\n"),
            ("src/notes.txt", "src/lib.rs", "#[path = \"notes.txt\"]\nmod notes;\n"),
            ("notes.md", "src/lib.rs", "include!(\n    \"../notes.md\"\n);\n"),
            ("x.txt", "build.sh", "set -e\n. ./x.txt\n"),
            ("x.md", "build.sh", "bash -e x.md\n"),
            ("x.md", "build.sh", "exec /bin/sh x.md\n"),
            ("x.md", "build.sh", "/usr/bin/env python3 x.md\n"),
            ("x.md", "build.sh", "set -e\nescript x.md\n"),
            ("x.txt", "a.bat", "@echo off\ncall x.txt\n"),
            ("x.txt", "build.sh", "cat x.txt | sh\n"),
            ("x.txt", "build.sh", "sh < x.txt\n"),
            ("config.txt", "Makefile", "all:\n-include config.txt\n"),
            ("x.md", "Makefile", "test:\n\tsh x.md\n"),
            ("x.md", ".github/workflows/ci.yml", "jobs:\n  a:\n    steps:\n      - run: bash scripts/x.md\n"),
            ("x.txt", "Dockerfile", "COPY x.txt /x\nRUN sh /x.txt\n"),
            ("x.txt", "build.sh", "python3 - < x.txt\n"),
            ("x.txt", "build.sh", "cat x.txt | xargs -n1 sh -c\n"),
            ("x.txt", "build.sh", "eval \"$(cat x.txt)\"\n"),
            ("x.txt", "build.sh", "awk -f x.txt data\n"),
            ("x.txt", "build.sh", "crontab x.txt\n"),
            ("x.txt", "src/a.js", "vm.runInThisContext(fs.readFileSync('x.txt'));\n"),
            ("x.txt", "src/a.js", "new Worker(new URL('./x.txt', import.meta.url));\n"),
            ("x.txt", "src/lib.rs", "include!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/x.txt\"));\n"),
            ("x.txt", "a.rb", "instance_eval(File.read('x.txt'))\n"),
            ("x.txt", "a.pl", "do './x.txt';\n"),
            ("x.txt", "a.groovy", "evaluate(new File('x.txt'))\n"),
            ("x.txt", "a.clj", "(load-file \"x.txt\")\n"),
            ("notes.md", "a.py", "exec(open('notes.md').read())\n"),
            ("x.md", "a.py", "subprocess.run(['bash', 'x.md'])\n"),
            ("m.txt", "a.py", "SourceFileLoader('m', 'm.txt').load_module()\n"),
            ("x.txt", "a.rb", "load 'x.txt'\n"),
            ("x.txt", "a.php", "<?php include 'x.txt';\n"),
            ("x.txt", "a.c", "#include \"x.txt\"\n"),
            ("x.txt", "build.sh", "source \"$(dirname \"$0\")/x.txt\"\n"),
            ("x.txt", "build.sh", "sh -c \"$(cat x.txt)\"\n"),
            ("x.txt", "build.sh", "bash <(cat x.txt)\n"),
            ("x.txt", "build.sh", "make -f x.txt\n"),
            ("x.txt", "build.sh", "cmake -DX=1 -P x.txt\n"),
            ("x.txt", "build.sh", "docker build -t a --file x.txt .\n"),
            ("x.txt", "build.sh", "node -r ./x.txt a.js\n"),
            ("x.txt", "build.sh", "emacs --batch -l x.txt\n"),
            ("x.txt", "build.sh", "xargs -a x.txt -n1 sh -c\n"),
            ("x.txt", "build.sh", "python3 -c \"exec(open('x.txt').read())\"\n"),
            ("x.txt", "build.sh", "CONF=etc/x.txt\nset -e\n. \"$CONF\"\n"),
            ("x.txt", "build.sh", "script=\"$HERE/x.txt\"\nbash \"${script}\"\n"),
            ("config.txt", "Makefile", "include $(TOP)/config.txt\n"),
            ("x.txt", "CMakeLists.txt", "include(cmake/x.txt)\n"),
            ("x.txt", "build.gradle", "apply from: 'gradle/x.txt'\n"),
            ("x.md", "src/a.js", "require(path.join(__dirname, 'x.md'))\n"),
            ("x.md", "src/a.js", "const hook = './x.md';\n\n\n\n\nrequire(hook);\n"),
            ("x.txt", "a.php", "<?php require_once __DIR__ . '/x.txt';\n"),
            ("x.txt", "a.php", "<?php include dirname(__FILE__) . '/x.txt';\n"),
            ("x.txt", "a.rb", "load File.join(__dir__, 'x.txt')\n"),
            ("x.txt", "a.lua", "dofile(dir .. 'x.txt')\n"),
            ("x.txt", "a.py", "runpy.run_path(HERE / 'x.txt')\n"),
            ("x.txt", "a.py", "exec(compile(open(os.path.join(d, 'x.txt')).read(), 'x', 'exec'))\n"),
            ("x.txt", "a.py", "exec((HERE / 'x.txt').read_text())\n"),
            ("x.txt", "a.py", "with open('x.txt') as f:\n    exec(f.read())\n"),
            ("lib/x.txt", "package.json", "{\"main\": \"lib/x.txt\"}\n"),
            ("build.txt", "Cargo.toml", "[package]\nbuild = \"build.txt\"\n"),
        ]
        .into_iter()
        .filter(|(text, program, content)| !finds(text, program, content));
        assert_eq!(missed.collect::<Vec<_>>(), []);
    }

    #[test]
    fn programs_that_only_name_or_read_a_text_are_none() {
        for (text, program, content) in [
            ("README.md", "setup.py", "long = open('README.md').read()\nexec(open('version.py').read())\n"),
            ("README.md", "Makefile", "docs:\n\tsed -i s/a/b/ README.md\n\tpandoc -f markdown README.md\n"),
            ("README.md", ".github/workflows/ci.yml", "      - run: npx markdownlint README.md\n"),
            ("README.md", "Dockerfile", "COPY README.md .\nRUN pip install .\n"),
            ("README.md", "package.json", "{\"files\": [\"README.md\"], \"readme\": \"README.md\"}\n"),
            ("data.json", "src/a.js", "import data from './data.json'\n"),
            ("notes.md", "src/a.js", "const text = fs.readFileSync('notes.md', 'utf8')\n"),
            ("a.txt", "src/lib.rs", "const TEXT: &str = include_str!(\"a.txt\");\n"),
            ("x.md", "build.sh", "bash other-x.md.sh\ngrep -q x x.md\n"),
            ("x.md", "docs/guide.md", "run `bash x.md`\n"),
            ("x.txt", "build.sh", "grep -f x.txt data\nwc -l < x.txt\ncat x.txt | sort\n"),
            ("x.txt", "src/a.js", "const model = evaluate(data);\nconst text = fs.readFileSync('x.txt');\n"),
            ("logo.svg", "src/a.jsx", "<p>{require}</p>\n"),
            ("x.txt", "build.sh", "OUT=x.txt\nsh build.sh > \"$OUT\"\ncat \"$OUT\"\ntar -f \"$OUT\"\n"),
            ("x.txt", "build.sh", "# make x.txt\nnode a.js x.txt\ngrep -f x.txt y\n"),
            ("README.md", "setup.py", "README = HERE / 'README.md'\ntext = README.read_text()\nexec(version)\n"),
            ("data.json", "a.py", "with open('data.json') as f:\n    data = json.load(f)\n"),
            ("x.txt", "a.py", "pattern = re.compile('x.txt')\nshutil.copy(HERE / 'x.txt', d)\n"),
            (
                "x.md",
                "src/a.js",
                "fs.readFileSync(path.join(__dirname, 'x.md'));\nrequire(path.join(__dirname, 'y'));\n",
            ),
            ("config.txt", "Makefile", "INCLUDES = $(TOP)/config.txt\n"),
        ] {
            assert!(!finds(text, program, content), "{program}: {content}");
        }
    }

    #[test]
    fn only_texts_are_looked_for_and_the_nearest_programs_come_first() {
        assert!(search(&["src/a.py", "package.json"]).is_none());
        let search = search(&["a/b/notes.md"]).expect("a text");
        let near = ["a/b/x.py", "a/x.py", "x.py"].map(|program| search.nearness(&path(program)));
        assert_eq!(near, [2, 1, 0]);
        assert!(!search.reads(&path("a/b/notes.md")) && !search.reads(&path("b.csv")));
    }
}
