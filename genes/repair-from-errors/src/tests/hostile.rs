//! No text makes the gene panic, and only a real fault makes it propose.

use super::cases::{Files, candidates};
use gephost_gene::failures::Failure;

use crate::fault::faults;
use crate::plan::drafts;

/// A small random number generator with a fixed seed, so that every run has the same cases.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

#[test]
fn scrambled_sources_and_outputs_never_panic() {
    const PIECES: [&str; 61] = [
        "import collections",
        "collections.Mapping",
        "from collections import ",
        "(",
        ")",
        "{",
        "}",
        "[",
        "'",
        "\"\"\"",
        "f'",
        "`",
        "${",
        "/",
        "\\",
        "\n",
        "\r\n",
        "\t",
        ":",
        ";",
        ",",
        "#",
        "é",
        "print ",
        "new Buffer(",
        "require('os')",
        ".tmpDir(",
        "try:",
        "except ImportError:",
        "if x",
        "lambda ",
        " = ",
        "as ",
        "\u{feff}",
        "except E, e:",
        "raise E, v, t",
        "exec x in y",
        "lambda (a, b): a",
        "def f((a, b)):",
        "unicode",
        "collection",
        "os.path",
        ".has_key(",
        "d.keys()",
        "[0]",
        "sorted(x, cmp=f)",
        "string.join(",
        "open(",
        "json.load(",
        "(?i)",
        "import urllib2, ",
        "from string import join",
        "x",
        "0777L",
        "<>",
        "async",
        "class x:",
        "def next(self): ",
        "import path from ",
        "assert { type: ",
        "ur'",
    ];
    let errors = [
        "AttributeError: module 'collections' has no attribute 'Mapping'",
        "ImportError: cannot import name 'Mapping' from 'collections' (x)",
        "ModuleNotFoundError: No module named 'cgi'",
        "SyntaxError: expected ':'",
        "SyntaxError: '(' was never closed",
        "SyntaxError: invalid syntax",
        "SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?",
        "AttributeError: 'T' object has no attribute 'assertEquals'",
        "SyntaxError: multiple exception types must be parenthesized",
        "TabError: inconsistent use of tabs and spaces in indentation",
        "NameError: name 'unicode' is not defined",
        "NameError: name 'os' is not defined",
        "NameError: name 'collection' is not defined. Did you mean: 'collections'?",
        "ModuleNotFoundError: No module named 'urllib2'",
        "AttributeError: module 'string' has no attribute 'join'",
        "AttributeError: 'dict' object has no attribute 'has_key'",
        "TypeError: 'dict_keys' object is not subscriptable",
        "TypeError: 'cmp' is an invalid keyword argument for sort()",
        "TypeError: 'x' object is not an iterator",
        "re.error: global flags not at the start of the expression at position 1",
        "json.decoder.JSONDecodeError: Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)",
        "UnicodeDecodeError: 'ascii' codec can't decode byte 0xc3 in position 0: ordinal not in range(128)",
    ];
    let mut state = 1;
    for round in 0..4000 {
        let count = next(&mut state) % 24;
        let source: String =
            (0..count).filter_map(|_| PIECES.get(usize::try_from(next(&mut state) % 61).ok()?).copied()).collect();
        let line = next(&mut state) % 4;
        let error = errors[round % errors.len()];
        let output = format!("  File \"/r/m.py\", line {line}\n{error}\n");
        let node = format!("/r/m.js:{line}\nTypeError: os.tmpDir is not a function\n    at f (/r/m.js:{line}:1)\n");
        candidates(&output, &[("m.py", &source)]);
        candidates(&node, &[("m.js", &source)]);
        for thrown in
            ["ReferenceError: path is not defined", "ReferenceError: require is not defined in ES module scope"]
        {
            let output = format!("/r/m.js:{line}\nx\n^\n\n{thrown}\n    at f (/r/m.js:{line}:1)\n");
            candidates(&output, &[("m.js", &source)]);
        }
        for manifest in ["requirements.txt", "pyproject.toml"] {
            let missing = format!("  File \"/r/m.py\", line {line}\nModuleNotFoundError: No module named 'yaml'\n");
            candidates(&missing, &[("m.py", "import yaml\nx\ny\nz\n"), (manifest, &source)]);
        }
        faults(&source);
    }
}

#[test]
fn large_and_deeply_nested_inputs_are_handled() {
    let deep = "(".repeat(200_000);
    let nested = "f'{".repeat(100_000);
    let many = "import collections\n".to_owned() + &"x = collections.Mapping\n".repeat(20_000);
    let output =
        "  File \"m.py\", line 2\nAttributeError: module 'collections' has no attribute 'Mapping'\n".repeat(2000);
    for source in [deep, nested, many] {
        let failure = Failure { event: 1, input: String::new(), output: output.clone() };
        drafts(&[], &[failure], &mut Files::of(&[("m.py", &source)]));
    }
}

#[test]
fn texts_that_only_resemble_a_fault_give_no_candidate() {
    let source = "import collections\nx = collections.Mapping\n";
    for output in [
        "",
        "all fine\n",
        "AttributeError: module 'collections' has no attribute 'Mapping'\n",
        "  File \"/repo/m.py\", line 2, in <module>\n    x = collections.Mapping\n",
        "m.py:2: DeprecationWarning: Using or importing the ABCs from 'collections' is deprecated\n",
        "Traceback (most recent call last):\n  File \"<string>\", line 2, in <module>\nAttributeError: module 'collections' has no attribute 'Mapping'\n",
        "Traceback (most recent call last):\n  File \"/repo/other.py\", line 2, in <module>\n    x = collections.Mapping\nAttributeError: module 'collections' has no attribute 'Mapping'\n",
        "Traceback (most recent call last):\n  File \"/repo/m.py\", line 99999999999999999999, in <module>\nAttributeError: module 'collections' has no attribute 'Mapping'\n",
    ] {
        assert!(candidates(output, &[("m.py", source)]).is_empty(), "{output}");
    }
}
