//! Errors of Go 1.27 and of `go vet`.

use super::cases::repaired;

const SOURCE: &str = "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\n\t\"example.com/x\"\n)\n\ntype S struct {\n\tA int `json:a`\n}\n\nfunc (S) Foo() {}\n\nfunc main() {\n\tunread := 5\n\tfmt.Println(\"a\\n\")\n\tstrings.ToUpper(\"a\")\n\ty := 1\n\ty := 2\n\ty = y\n\tS{}.foo()\n\t_ = []int{\n\t\t1,\n\t\t2 // two\n\t}\n\ts := fmt.Sprint()\n\tfmt.Printf(s)\n\tfor i := range 10 {\n\t}\n}\n";

/// The output for an error at the first place of `at`, `right` columns further.
fn error(at: &str, right: usize, message: &str) -> String {
    let (number, line) = SOURCE.lines().enumerate().find(|(_, line)| line.contains(at)).expect("it is there");
    let column = line.find(at).expect("it is there") + 1 + right;
    format!("# t\n./main.go:{}:{column}: {message}\n", number + 1)
}

fn check(output: &str, old: &str, new: &str) {
    let found = repaired("go build ./...", output, &[("main.go", SOURCE), ("go.mod", "module t\n\ngo 1.21\n")]);
    assert_eq!(found.as_deref(), Some(SOURCE.replacen(old, new, 1).as_str()), "{output}");
}

#[test]
fn errors_with_one_right_edit_are_repaired() {
    check(&error("\"os\"", 0, "\"os\" imported and not used"), "\t\"os\"\n", "");
    check(&error("unread", 0, "declared and not used: unread"), "\tunread := 5\n", "");
    check(&error("unread", 0, "unread declared and not used"), "\tunread := 5\n", "");
    check(&error("strings.", 0, "undefined: strings"), "\"os\"\n", "\"os\"\n\t\"strings\"\n");
    check(&error("y := 2", 2, "no new variables on left side of :="), "y := 2", "y = 2");
    check(
        &error("S{}.foo", 4, "S{}.foo undefined (type S has no field or method foo, but does have method Foo)"),
        "S{}.foo",
        "S{}.Foo",
    );
    check(
        &error("2 // two", 1, "syntax error: unexpected newline in composite literal; possibly missing comma or }"),
        "2 // two",
        "2, // two",
    );
    check(&error("2 // two", 1, "missing ',' before newline in composite literal"), "2 // two", "2, // two");
}

#[test]
fn complaints_of_vet_with_one_right_edit_are_repaired() {
    check(&error("fmt.Println(\"a", 0, "fmt.Println arg list ends with redundant newline"), "a\\n", "a");
    check(&error("Printf(s)", 7, "non-constant format string in call to fmt.Printf"), "Printf(s)", "Printf(\"%s\", s)");
    check(
        &error(
            "A int",
            0,
            "struct field tag `json:a` not compatible with reflect.StructTag.Get: bad syntax for struct tag value",
        ),
        "`json:a`",
        "`json:\"a\"`",
    );
    check(&error("y = y", 0, "self-assignment of y"), "\ty = y\n", "");
}

#[test]
fn imports_are_added_wherever_there_are_any() {
    let use_it = "func f() {\n\tos.Exit(1)\n}\n";
    for (head, expected) in [
        ("package a\n\n", "package a\n\nimport \"os\"\n\n"),
        ("package a\n\nimport \"fmt\"\n\n", "package a\n\nimport \"fmt\"\nimport \"os\"\n\n"),
        (
            "package a\n\nimport (\n\t\"fmt\"\n\t\"time\"\n)\n",
            "package a\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"time\"\n)\n",
        ),
        ("package a\n\nimport (\n\t\"fmt\"\n)\n", "package a\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n"),
    ] {
        let source = format!("{head}{use_it}");
        let line = source.lines().position(|line| line.contains("os.Exit")).expect("it is there") + 1;
        let output = format!("./a.go:{line}:2: undefined: os\n");
        assert_eq!(repaired("go vet", &output, &[("a.go", &source)]), Some(format!("{expected}{use_it}")), "{head}");
    }
}

#[test]
fn the_language_version_is_raised_if_loops_keep_their_meaning() {
    let source = "package a\n\nfunc F[T any](x T) {}\n";
    let output = "./a.go:3:8: type parameter requires go1.18 or later (-lang was set to go1.16; check go.mod)\n";
    let module = "module t\n\ngo 1.16\n";
    assert_eq!(
        repaired("go build", output, &[("go.mod", module), ("a.go", source)]),
        Some("module t\n\ngo 1.18\n".to_owned())
    );
    let loops = "./a.go:3:8: cannot range over 10: requires go1.22 or later (-lang was set to go1.16; check go.mod)\n";
    assert_eq!(repaired("go build", loops, &[("go.mod", module), ("a.go", source)]), None);
    let newer = "module t\n\ngo 1.19\n";
    assert_eq!(repaired("go build", output, &[("go.mod", newer), ("a.go", source)]), None, "it has changed since");
}

#[test]
fn what_is_not_sure_is_left_alone() {
    let module = "module t\n\ngo 1.21\n\nrequire github.com/pkg/errors v0.9.1\n";
    for (source, output) in [
        // The value has an effect.
        ("package a\n\nfunc f() {\n\tx := g()\n}\n", "./a.go:4:2: declared and not used: x\n"),
        ("package a\n\nfunc f() {\n\tx := 1\n\tx = 2\n}\n", "./a.go:4:2: declared and not used: x\n"),
        // Several packages have the name, or the project requires one that has it.
        ("package a\n\nfunc f() {\n\trand.Int()\n}\n", "./a.go:4:2: undefined: rand\n"),
        ("package a\n\nfunc f() {\n\terrors.Wrap()\n}\n", "./a.go:4:2: undefined: errors\n"),
        ("package a\n\nfunc f() {\n\tos.exit()\n}\n", "./a.go:4:2: undefined: os\n"),
        ("package a\n\nfunc f() {\n\thelper()\n}\n", "./a.go:4:2: undefined: helper\n"),
        // An outer variable would change.
        ("package a\n\nfunc f() {\n\tif x := g(); x {\n\t}\n}\n", "./a.go:4:7: no new variables on left side of :=\n"),
        ("package a\n\nimport _ \"os\"\n", "./a.go:3:8: \"os\" imported and not used\n"),
        ("package a\n\nimport \"os\"\n", "./a.go:3:8: no required module provides package example.com/x\n"),
        ("package a\n\nvar s = \"a\"\n", "./a.go:3:9: non-constant format string in call to fmt.Printf\n"),
    ] {
        assert_eq!(repaired("go build", output, &[("a.go", source), ("go.mod", module)]), None, "{output}{source}");
    }
}

#[test]
fn directives_are_formatted_and_tags_are_well_formed() {
    let case = |line: &str, column: usize, message: &str| {
        let source = format!("package a\n\n{line}\n");
        let text = repaired("go vet", &format!("./a.go:3:{column}: {message}\n"), &[("a.go", &source)])?;
        Some(text.lines().nth(2)?.to_owned())
    };
    let called = |name: &str| format!("{name} call has possible Printf formatting directive %d");
    for (line, name, expected) in [
        ("\tfmt.Println(\"%d items\", n)", "fmt.Println", Some("\tfmt.Printf(\"%d items\\n\", n)")),
        ("\tlog.Println(\"%d of %d\", a.n, b)", "log.Println", Some("\tlog.Printf(\"%d of %d\", a.n, b)")),
        ("\tt.Error(\"got %d\", n)", "(*testing.common).Error", Some("\tt.Errorf(\"got %d\", n)")),
        // Another number of values, a percent sign that is meant, or a value that is a call.
        ("\tfmt.Println(\"%d of %d\", n)", "fmt.Println", None),
        ("\tfmt.Println(\"100%% %d\", n)", "fmt.Println", None),
        ("\tfmt.Println(\"%d\", f(a, b))", "fmt.Println", None),
        ("\tfmt.Println(\"a\", \"%d\", n)", "fmt.Println", None),
    ] {
        assert_eq!(case(line, 2, &called(name)).as_deref(), expected, "{line}");
    }
    let said =
        |tag: &str, fault: &str| format!("struct field tag `{tag}` not compatible with reflect.StructTag.Get: {fault}");
    let (value, pairs) = ("bad syntax for struct tag value", "key:\"value\" pairs not separated by spaces");
    for (tag, fault, expected) in [
        ("json: \"age,omitempty\"", value, Some("json:\"age,omitempty\"")),
        ("json:\"a\",db:\"b\"", pairs, Some("json:\"a\" db:\"b\"")),
        ("json:\"a\", db:\"b\"", pairs, None),
    ] {
        let expected = expected.map(|tag| format!("\tA int `{tag}`"));
        assert_eq!(case(&format!("\tA int `{tag}`"), 2, &said(tag, fault)), expected, "{tag}");
    }
}
