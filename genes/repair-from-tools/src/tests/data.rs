//! Files that do not parse, with the messages of Python, Node, jq, cargo, `PyYAML` and js-yaml.

use super::cases::{candidates, repaired};

#[test]
fn json_with_one_kind_of_fault_is_repaired() {
    for (source, expected) in [
        ("{\"a\": 1,}\n", "{\"a\": 1}\n"),
        ("{\n  \"a\": 1,\n  \"b\": [1, 2,],\n}\n", "{\n  \"a\": 1,\n  \"b\": [1, 2]\n}\n"),
        ("{\n  \"a\": 1\n  \"b\": 2\n}\n", "{\n  \"a\": 1,\n  \"b\": 2\n}\n"),
        ("[1 2]\n", "[1, 2]\n"),
        ("{\"a\" 1}\n", "{\"a\": 1}\n"),
        ("{\"a\": 1,, \"b\": 2}\n", "{\"a\": 1, \"b\": 2}\n"),
        (
            "{\n  // note\n  \"a\": 1, // x\n  \"u\": \"http://x\" /* y */\n}\n",
            "{\n  \"a\": 1,\n  \"u\": \"http://x\"\n}\n",
        ),
        ("{\n  // note\n  \"a\": 1,\n}\n", "{\n  \"a\": 1\n}\n"),
        ("{'a': 'it\\'s \"x\"'}\n", "{\"a\": \"it's \\\"x\\\"\"}\n"),
        ("{\"a\": True, \"b\": None}\n", "{\"a\": true, \"b\": null}\n"),
        ("{a: 1, b_c: 2}\n", "{\"a\": 1, \"b_c\": 2}\n"),
        ("\u{feff}{\"a\": 1}\n", "{\"a\": 1}\n"),
        ("{\"p\": \"C:\\new\\dir\\x\"}\n", "{\"p\": \"C:\\\\new\\\\dir\\\\x\"}\n"),
        ("{\"r\": \"\\d+\\s\"}\n", "{\"r\": \"\\\\d+\\\\s\"}\n"),
        ("{\n  \"a\": \"x,\n  \"b\": 1\n}\n", "{\n  \"a\": \"x\",\n  \"b\": 1\n}\n"),
        ("{\n  \"a\": \"x\n}\n", "{\n  \"a\": \"x\"\n}\n"),
        ("{\"a\": \"x\ty\"}\n", "{\"a\": \"x\\ty\"}\n"),
    ] {
        let output = "SyntaxError: /r/conf/app.json: Expected double-quoted property name in JSON at position 7 (line 1 column 8)\n";
        let found = repaired("node x.js", output, &[("conf/app.json", source)]);
        let same = |text: &str| text.replace(", ", ",").replace(": ", ":");
        assert_eq!(found.as_deref().map(same), Some(same(expected)), "{source}");
    }
}

#[test]
fn yaml_whose_first_line_lost_its_indentation_gets_it_back() {
    let output = "yaml.parser.ParserError: while parsing a block mapping\n  in \"ci.yml\", line 1, column 1\n";
    let source = "# Builds.\nstages:\n    - build\n\n  check:\n    stage: build\n  test:\n    stage: build\n";
    let found = repaired("python3 x.py", output, &[("ci.yml", source)]);
    assert_eq!(found, Some(source.replace("stages", "  stages")));
    for other in [
        // Another line begins at the margin as well.
        "stages:\n    - build\n  check:\n    stage: build\ntest: 1\n",
        // It would still be no YAML.
        "stages:\n    - build\n  check:\n      stage: build\n    test: 1\n",
    ] {
        assert_eq!(repaired("python3 x.py", output, &[("ci.yml", other)]), None, "{other}");
    }
}

#[test]
fn json_with_more_than_one_right_edit_is_left_alone() {
    let output = "json.decoder.JSONDecodeError: Expecting value: line 1 column 2 (char 1)\n";
    for source in [
        "{\"a\": 1\n",
        "{\"a\": }\n",
        "{\"a\": foo}\n",
        "{\"a\": 1}}\n",
        "{\"a\": \"x\\q\\n\"}\n",
        "[\"\\x00\"]\n",
        "[1,,2]\n",
        "<<<<<<< HEAD\n{\"a\": 1,}\n=======\n{}\n>>>>>>> b\n",
        "not json at all\n",
        "{\n \"a\": 1\n \"b\": 2\n \"c\": 3\n}\n",
        "",
    ] {
        assert_eq!(repaired("python3 x.py", output, &[("conf/app.json", source)]), None, "{source}");
    }
}

#[test]
fn files_that_may_have_comments_or_are_broken_on_purpose_are_left_alone() {
    let output = "json.decoder.JSONDecodeError: Expecting value: line 1 column 2 (char 1)\n";
    let source = "{\"a\": 1,}\n";
    for path in [
        "tsconfig.json",
        "tsconfig.build.json",
        ".vscode/x.json",
        "a.jsonc",
        "package-lock.json",
        "tests/bad.json",
        "node_modules/x/a.json",
    ] {
        assert!(candidates("python3 x.py", output, &[(path, source)]).is_empty(), "{path}");
    }
    assert!(candidates("python3 x.py", output, &[("a.json", source), ("b.json", source)]).is_empty(), "which one?");
    assert_eq!(candidates("python3 x.py b.json", output, &[("a.json", source), ("b.json", source)]).len(), 1);
    assert!(candidates("python3 x.py", "KeyError: 'a'\n", &[("a.json", source)]).is_empty(), "another error");
    assert!(candidates("python3 x.py", output, &[("a.json", "{}")]).is_empty(), "it parses");
}

#[test]
fn the_file_that_json_tool_was_given_is_json_whatever_its_name() {
    let output = "Expecting property name enclosed in double quotes: line 2 column 3 (char 4)\n";
    let source = "{\n  // note\n  \"a\": 1,\n}\n";
    for path in ["conf/.eslintrc", "conf/tslint.json", "conf/data"] {
        let found = repaired(&format!("python3 -m json.tool {path}"), output, &[(path, source)]);
        assert_eq!(found.as_deref(), Some("{\n  \"a\": 1\n}\n"), "{path}");
    }
    // Another program may allow comments there, or read another file.
    assert_eq!(repaired("eslint .", output, &[("conf/.eslintrc", source)]), None);
    assert_eq!(repaired("python3 -m json.tool b", output, &[("conf/.eslintrc", source)]), None);
    assert_eq!(repaired("python3 -m json.tool a", output, &[("a", "{\n")]), None);
}

#[test]
fn yaml_is_repaired() {
    for (source, expected) in [
        ("a:\n\tb: 1\n\tc: 2\n", "a:\n  b: 1\n  c: 2\n"),
        ("title: Foo: bar\nx: 1\n", "title: \"Foo: bar\"\nx: 1\n"),
        ("user: @name\n", "user: \"@name\"\n"),
        ("a: \"x\nb: 1\n", "a: \"x\"\nb: 1\n"),
        ("on:\n  - *.py\n", "on:\n  - \"*.py\"\n"),
        ("a: 1\nb:2\nc: 3\n", "a: 1\nb: 2\nc: 3\n"),
        ("p: \"C:\\new\\dir\"\n", "p: \"C:\\\\new\\\\dir\"\n"),
    ] {
        let output = "yaml.scanner.ScannerError: mapping values are not allowed here\n  in \"conf/app.yml\", line 1, column 11\n";
        assert_eq!(
            repaired("python3 x.py", output, &[("conf/app.yml", source)]).as_deref(),
            Some(expected),
            "{source}"
        );
    }
    for source in ["a: [1, 2\nb: 3\n", "a: {b: 1\n", "- a\nb: 1\n"] {
        let output = "YAMLException: bad indentation of a mapping entry (2:1)\n";
        assert_eq!(repaired("node x.js", output, &[("conf/app.yml", source)]), None, "{source}");
    }
}

#[test]
fn toml_is_repaired() {
    for (source, expected) in [
        ("[package]\nname = \"a\nversion = \"1\"\n", "[package]\nname = \"a\"\nversion = \"1\"\n"),
        ("[package\nname = \"a\"\n", "[package]\nname = \"a\"\n"),
        ("[a]\nx: 1\n", "[a]\nx = 1\n"),
        ("[a]\nx = True\n", "[a]\nx = true\n"),
        ("[a]\nv = 1.2.3\n", "[a]\nv = \"1.2.3\"\n"),
        ("[a]\nv = foo\n", "[a]\nv = \"foo\"\n"),
        ("// note\n[a]\nx = 1\n", "# note\n[a]\nx = 1\n"),
        ("[a]\nx = 1,\ny = 2\n", "[a]\nx = 1\ny = 2\n"),
        ("x = [\"a\" \"b\"]\n", "x = [\"a\", \"b\"]\n"),
        ("x = [\n  \"a\"\n  \"b\",\n]\n", "x = [\n  \"a\",\n  \"b\",\n]\n"),
        ("p = \"C:\\new\\dir\"\n", "p = \"C:\\\\new\\\\dir\"\n"),
    ] {
        let output = "error: failed to parse manifest at `/r/Cargo.toml`\n\nCaused by:\n  TOML parse error at line 2, column 10\n";
        let found = repaired("cargo check", output, &[("Cargo.toml", source)]);
        let same = |text: &str| text.replace("\",\"", "\", \"");
        assert_eq!(found.as_deref().map(same), Some(same(expected)), "{source}");
    }
    for source in ["a = 1\na = 2\n", "[a]\nx = \n", "x = [1, 2\ny = 3\n", "a = null\n", "= 1\n"] {
        let output = "tomllib.TOMLDecodeError: Cannot overwrite a value (at line 2, column 6)\n";
        assert_eq!(repaired("python3 x.py", output, &[("conf.toml", source)]), None, "{source}");
    }
}

#[test]
fn a_value_is_moved_to_the_bound_that_the_error_names() {
    let source = "{\n  \"maxWorkers\": 16,\n  \"port\": 80\n}\n";
    let output = "Error: `maxWorkers` must be at most 8\n";
    assert_eq!(repaired("node x.js", output, &[("app.json", source)]), Some(source.replace("16", "8")));
    let least = "ValueError: port must be at least 1024.\n";
    assert_eq!(repaired("node x.js", least, &[("app.json", source)]), Some(source.replace("80", "1024")));
    for (output, files) in [
        (output, vec![("app.json", source), ("b.yaml", "maxWorkers: 12\n")]),
        ("Error: `maxWorkers` must be at most 32\n", vec![("app.json", source)]),
        ("Error: `minWorkers` must be at most 8\n", vec![("app.json", source)]),
        (output, vec![("app.json", "{\"maxWorkers\": \"16\"}\n")]),
        (output, vec![("app.js", "maxWorkers: 16\n")]),
    ] {
        assert!(candidates("node x.js", output, &files).is_empty(), "{output}");
    }
}

#[test]
fn the_same_fault_is_repaired_wherever_it_is() {
    let toml = |text: &str| {
        repaired("tool", "tomllib.TOMLDecodeError: Invalid value (at line 2, column 10)", &[("a.toml", text)])
    };
    let before = "[tool]\nstrict = True\nname = \"a\"\nquiet = False\n";
    let after = "[tool]\nstrict = true\nname = \"a\"\nquiet = false\n";
    assert_eq!(toml(before).as_deref(), Some(after));
    assert_eq!(toml("[tool]\nstrict = True\nname = \"a\n[other\n"), None, "two kinds of fault");
    let yaml =
        |text: &str| repaired("tool", "yaml.parser.ParserError: while parsing a block mapping", &[("a.yml", text)]);
    for (before, after) in [
        ("a: 'it's here'\nb: 'that's'\n", Some("a: 'it''s here'\nb: 'that''s'\n")),
        ("a: {{ home }}/x\nb: 1\nc: {{ home }}/y\n", Some("a: \"{{ home }}/x\"\nb: 1\nc: \"{{ home }}/y\"\n")),
        ("a: 'it''s' here'\n", None),
    ] {
        assert_eq!(yaml(before).as_deref(), after, "{before}");
    }
    let json =
        |text: &str| repaired("tool", "json.decoder.JSONDecodeError: Expecting ',' delimiter", &[("a.json", text)]);
    for (before, after) in [
        ("{\n  \"a\" = 1,\n  \"b\" = {\"c\" = 2}\n}\n", Some("{\n  \"a\": 1,\n  \"b\": {\"c\": 2}\n}\n")),
        ("{\n  \"a\": {\n    \"b\": 1\n  },\n  \"c\": 2\n", Some("{\n  \"a\": {\n    \"b\": 1\n  },\n  \"c\": 2\n}\n")),
        // The indentation says that another brace is missing, or does not say anything; or the text ends within a value.
        ("{\n  \"a\": {\n    \"b\": 1,\n  \"c\": 2\n}\n", None),
        ("{\"a\": {\"b\": 1}\n", None),
        ("{\n  \"a\": [1,\n", None),
    ] {
        assert_eq!(json(before).as_deref(), after, "{before}");
    }
}
