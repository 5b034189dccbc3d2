//! Options and imports that TypeScript 5.9 asks for. The outputs are its own.

use super::cases::repaired;

/// The options that the first repair gives a configuration.
fn configured(options: &str, output: &str, files: &[(&str, &str)]) -> Option<String> {
    let config = format!("{{\n  \"compilerOptions\": {{\n    {options}\n  }}\n}}\n");
    let all: Vec<(&str, &str)> =
        [("tsconfig.json", config.as_str())].into_iter().chain(files.iter().copied()).collect();
    let text = repaired("npx tsc -p .", output, &all)?;
    let inner = text.strip_prefix("{\n  \"compilerOptions\": {\n    ")?.strip_suffix("\n  }\n}\n")?;
    Some(inner.to_owned())
}

#[test]
fn an_option_gets_what_the_compiler_names() {
    let at = |column: usize, rest: &str| format!("tsconfig.json(3,{column}): error {rest}\n");
    for (options, output, expected) in [
        (
            "\"checkJs\": true",
            at(5, "TS5052: Option 'checkJs' cannot be specified without specifying option 'allowJs'."),
            Some("\"allowJs\": true,\n    \"checkJs\": true"),
        ),
        (
            "\"moduleResolution\": \"nodenext\", \"module\": \"commonjs\"",
            at(
                5,
                "TS5110: Option 'module' must be set to 'NodeNext' when option 'moduleResolution' is set to 'NodeNext'.",
            ),
            Some("\"moduleResolution\": \"nodenext\", \"module\": \"nodenext\""),
        ),
        (
            "\"strict\": \"true\"",
            at(15, "TS5024: Compiler option 'strict' requires a value of type boolean."),
            Some("\"strict\": true"),
        ),
        (
            "\"lib\": \"es2020\"",
            at(12, "TS5024: Compiler option 'lib' requires a value of type Array."),
            Some("\"lib\": [\"es2020\"]"),
        ),
        (
            "\"paths\": { \"@/*\": [\"src/*\"] }",
            at(
                24,
                "TS5090: Non-relative paths are not allowed when 'baseUrl' is not set. Did you forget a leading './'?",
            ),
            Some("\"paths\": { \"@/*\": [\"./src/*\"] }"),
        ),
        (
            "\"moduleResolution\": \"nodenext\", \"module\": \"esnext\"",
            at(
                5,
                "TS5110: Option 'module' must be set to 'NodeNext' when option 'moduleResolution' is set to 'NodeNext'.",
            ),
            None,
        ),
        // A value that contradicts, that is not one of two, or a place that holds something else.
        (
            "\"allowJs\": false, \"checkJs\": true",
            at(5, "TS5052: Option 'checkJs' cannot be specified without specifying option 'allowJs'."),
            None,
        ),
        ("\"strict\": \"yes\"", at(15, "TS5024: Compiler option 'strict' requires a value of type boolean."), None),
        ("\"lib\": true", at(12, "TS5024: Compiler option 'lib' requires a value of type Array."), None),
        (
            "\"paths\": {}",
            at(
                9,
                "TS5090: Non-relative paths are not allowed when 'baseUrl' is not set. Did you forget a leading './'?",
            ),
            None,
        ),
    ] {
        assert_eq!(configured(options, &output, &[]).as_deref(), expected, "{options}");
    }
}

#[test]
fn an_import_of_data_or_of_global_names_is_allowed() {
    let source = ("src/a.ts", "import data from './d.json';\n");
    let json = "src/a.ts(1,18): error TS2732: Cannot find module './d.json'. Consider using '--resolveJsonModule' to import module with '.json' extension.\n";
    let expected = "\"resolveJsonModule\": true,\n    \"strict\": true";
    assert_eq!(configured("\"strict\": true", json, &[source]).as_deref(), Some(expected));
    let types = "src/a.ts(1,18): error TS2591: Cannot find name 'process'. Do you need to install type definitions for node? Try `npm i --save-dev @types/node` and then add 'node' to the types field in your tsconfig.\n";
    let has = ("package.json", "{\"devDependencies\": {\"@types/node\": \"20\"}}\n");
    for (options, manifest, expected) in [
        ("\"types\": []", has, Some("\"types\": [\"node\"]")),
        ("\"types\": [\"mocha\"]", has, Some("\"types\": [\"mocha\", \"node\"]")),
        ("\"strict\": true", has, None),
        ("\"types\": []", ("package.json", "{}\n"), None),
    ] {
        assert_eq!(configured(options, types, &[source, manifest]).as_deref(), expected, "{options}");
    }
}

#[test]
fn imports_and_comments_are_what_the_compiler_wants() {
    let fixed = |source: &str, output: &str| repaired("npx tsc", output, &[("src/a.ts", source)]);
    let value =
        "src/a.ts(2,22): error TS1361: 'Foo' cannot be used as a value because it was imported using 'import type'.\n";
    let used = "\nexport const x = new Foo();\n";
    for (import, expected) in [
        ("import type { Foo } from './b';", Some("import { Foo } from './b';")),
        ("import type Foo from './b';", Some("import Foo from './b';")),
        ("import { a, type Foo } from './b';", Some("import { a, Foo } from './b';")),
        ("import type { Other } from './b';", None),
    ] {
        let expected = expected.map(|import| format!("{import}{used}"));
        assert_eq!(fixed(&format!("{import}{used}"), value), expected, "{import}");
    }
    let expects = "src/a.ts(1,1): error TS2578: Unused '@ts-expect-error' directive.\n";
    assert_eq!(fixed("// @ts-expect-error why\nf();\n", expects).as_deref(), Some("f();\n"));
    assert_eq!(fixed("f(); // @ts-expect-error why\n", expects), None);
    // The name is also a part of the module's path.
    let unused = "src/a.ts(1,13): error TS6133: 'b' is declared but its value is never read.\n";
    let one = fixed("import { a, b } from './b';\na();\n", unused);
    assert_eq!(one.as_deref(), Some("import { a } from './b';\na();\n"));
}
