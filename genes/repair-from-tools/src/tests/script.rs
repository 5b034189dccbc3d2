//! Errors of TypeScript 5.9 and output of `ESLint` 9.

use super::cases::{candidates, repaired};

fn error(source: &str, at: &str, message: &str) -> String {
    let (number, line) = source.lines().enumerate().find(|(_, line)| line.contains(at)).expect("it is there");
    let column = line.split(at).next().expect("it is there").encode_utf16().count() + 1;
    format!("src/a.ts({},{column}): error {message}\n", number + 1)
}

fn check(source: &str, at: &str, message: &str, expected: Option<(&str, &str)>) {
    let output = error(source, at, message);
    let found = repaired("npx tsc", &output, &[("src/a.ts", source), ("tsconfig.json", "{}")]);
    let expected = expected.map(|(old, new)| source.replacen(old, new, 1));
    assert_eq!(found, expected, "{output}");
    let (place, rest) = output.split_once("): error").expect("it is an error");
    let pretty = format!("\u{1b}[96m{}\u{1b}[0m - \u{1b}[91merror\u{1b}[0m{rest}", place.replace(['(', ','], ":"));
    assert_eq!(repaired("npx tsc", &pretty, &[("src/a.ts", source), ("tsconfig.json", "{}")]), expected, "{pretty}");
}

#[test]
fn names_that_the_compiler_knows_are_used() {
    for (source, at, message, expected) in [
        (
            "\"é\".lenght;\n",
            "lenght",
            "TS2551: Property 'lenght' does not exist on type '\"é\"'. Did you mean 'length'?",
            Some(("lenght", "length")),
        ),
        (
            "const value = 1; log(vlue);\n",
            "vlue",
            "TS2552: Cannot find name 'vlue'. Did you mean 'value'?",
            Some(("vlue", "value")),
        ),
        (
            "import { valu } from './b.js';\n",
            "valu",
            "TS2724: '\"./b.js\"' has no exported member named 'valu'. Did you mean 'value'?",
            Some(("valu", "value")),
        ),
        (
            "import { valu } from './b.js';\nvalu();\n",
            "valu",
            "TS2724: '\"./b.js\"' has no exported member named 'valu'. Did you mean 'value'?",
            Some(("valu", "value as valu")),
        ),
        (
            "const f: Foo = { nme: 1 }; // name\n",
            "nme",
            "TS2561: Object literal may only specify known properties, but 'nme' does not exist in type 'Foo'. Did you mean to write 'name'?",
            Some(("nme", "name")),
        ),
        (
            "class D { static mak() {} run() { mak(); } }\n",
            "mak();",
            "TS2662: Cannot find name 'mak'. Did you mean the static member 'D.mak'?",
            Some(("mak();", "D.mak();")),
        ),
        (
            "class D { help() {} run() { help(); } }\n",
            "help();",
            "TS2663: Cannot find name 'help'. Did you mean the instance member 'this.help'?",
            Some(("help();", "this.help();")),
        ),
        (
            "class D { static mak() {} }\nd.mak();\n",
            "mak();",
            "TS2576: Property 'mak' does not exist on type 'D'. Did you mean to access the static member 'D.mak' instead?",
            Some(("d.mak();", "D.mak();")),
        ),
        ("const value = 1;\nlet y: value = 1;\n", "value = 1;\nlet", "", None),
        (
            "const v = 1;\nlet y: v = 1;\n",
            "v = 1;",
            "TS2749: 'v' refers to a value, but is being used as a type here. Did you mean 'typeof v'?",
            Some(("v = 1;", "typeof v = 1;")),
        ),
        (
            "const m: Mode = \"darc\";\n",
            "\"darc\"",
            "TS2820: Type '\"darc\"' is not assignable to type 'Mode'. Did you mean '\"dark\"'?",
            Some(("darc", "dark")),
        ),
        (
            "import { x } from './b';\n",
            "'./b'",
            "TS2835: Relative import paths need explicit file extensions in ECMAScript imports when '--moduleResolution' is 'node16' or 'nodenext'. Did you mean './b.js'?",
            Some(("./b", "./b.js")),
        ),
        (
            "class D extends B { public async run() {} }\n",
            "run",
            "TS4114: This member must have an 'override' modifier because it overrides a member in the base class 'B'.",
            Some(("async", "override async")),
        ),
        (
            "import { Foo, value } from './b.js';\n",
            "Foo",
            "TS1484: 'Foo' is a type and must be imported using a type-only import when 'verbatimModuleSyntax' is enabled.",
            Some(("Foo", "type Foo")),
        ),
        (
            "export { Mode } from './b.js';\n",
            "Mode",
            "TS1205: Re-exporting a type when 'isolatedModules' is enabled requires using 'export type'.",
            Some(("Mode", "type Mode")),
        ),
        (
            "import Foo from './b.js';\n",
            "Foo",
            "TS2613: Module '\"/r/b\"' has no default export. Did you mean to use 'import { Foo } from \"./b.js\"' instead?",
            Some(("Foo", "{ Foo }")),
        ),
        (
            "import { Foo } from './b.js';\n",
            "Foo",
            "TS2614: Module '\"./b.js\"' has no exported member 'Foo'. Did you mean to use 'import Foo from \"./b.js\"' instead?",
            Some(("{ Foo }", "Foo")),
        ),
    ] {
        if message.is_empty() {
            continue;
        }
        // `v` stands in the first line as well.
        let (at, source) = if at == "v = 1;" {
            ("v = 1;", source.replacen("const v = 1;", "const v = 2;", 1))
        } else {
            (at, source.to_owned())
        };
        check(&source, at, message, expected);
    }
}

#[test]
fn unused_imports_are_removed() {
    let unused = |name: &str| format!("TS6133: '{name}' is declared but its value is never read.");
    let source = "import fs, { join, type Stats as S } from 'x';\nimport * as path from 'y';\nimport { a } from 'z';\na();\njoin();\n";
    check(source, "fs", &unused("fs"), Some(("fs, { join, type Stats as S }", "{ join, type Stats as S }")));
    check(source, "S }", &unused("S"), Some(("{ join, type Stats as S }", "{ join }")));
    check(source, "import * as path", &unused("path"), Some(("import * as path from 'y';\n", "")));
    check(source, "import { a }", &unused("a"), None);
    check("const x = 1;\n", "x", &unused("x"), None);
    check("import { a,\n b } from 'z';\n", "a", &unused("a"), None);
    let output = error(source, "fs", &unused("fs"));
    let kept = [("src/a.ts", source), ("tsconfig.json", "{\"verbatimModuleSyntax\": true}")];
    assert_eq!(repaired("npx tsc", &output, &kept), None, "the import has an effect");
    let both = format!("{output}{}", error(source, "fs", "TS2724: no exported member named 'fs'. Did you mean 'fz'?"));
    assert_eq!(repaired("npx tsc", &both, &[("src/a.ts", source)]), None, "the name is misspelled, or not used");
}

#[test]
fn what_is_not_sure_is_left_alone() {
    for (source, at, message) in [
        ("foo.bar();\n", "bar", "TS2339: Property 'bar' does not exist on type 'X'."),
        ("foo.bar();\n", "foo", "TS2551: Property 'bar' does not exist on type 'X'. Did you mean 'baz'?"),
        ("foo.barx();\n", "barx", "TS2551: Property 'barx' does not exist on type 'X'. Did you mean 'completely'?"),
        ("import x from './b';\n", "'./b'", "TS2835: x. Did you mean '../../c.js'?"),
        (
            "const m: Mode = \"darc\";\n",
            "m:",
            "TS2820: Type '\"darc\"' is not assignable to type 'Mode'. Did you mean '\"dark\"'?",
        ),
    ] {
        check(source, at, message, None);
    }
    let declared = "export declare const lenght: number;\n";
    let output = "src/a.d.ts(1,22): error TS2552: Cannot find name 'lenght'. Did you mean 'length'?\n";
    assert!(candidates("npx tsc", output, &[("src/a.d.ts", declared)]).is_empty());
}

/// One message of `ESLint` with a fix.
fn eslint(source: &str, severity: u8, rest: &str) -> String {
    let source = source.replace('\n', "\\n").replace('"', "\\\"");
    format!(
        "[{{\"filePath\":\"/r/src/a.js\",\"messages\":[{{\"ruleId\":\"r\",\"severity\":{severity},\"message\":\"m\",\"line\":1,\"column\":1,{rest}}}],\"errorCount\":1,\"source\":\"{source}\"}}]\n"
    )
}

#[test]
fn fixes_of_eslint_are_made() {
    let source = "let é = \"𝒙\"; var b = 1;\n";
    let fix = "\"fix\":{\"range\":[0,3],\"text\":\"const\"}";
    let fixed = |source: &str, input: &str, output: &str| repaired(input, output, &[("src/a.js", source)]);
    let output = eslint(source, 2, fix);
    assert_eq!(fixed(source, "npx eslint --format json", &output), Some(source.replace("let", "const")));
    let later = eslint(source, 2, "\"fix\":{\"range\":[14,17],\"text\":\"let\"}");
    assert_eq!(fixed(source, "npx eslint", &later), Some(source.replace("var", "let")));
    let one = eslint(source, 2, "\"suggestions\":[{\"desc\":\"d\",\"fix\":{\"range\":[0,3],\"text\":\"const\"}}]");
    assert_eq!(fixed(source, "npx eslint", &one), None, "the rule's suggestion may change what the code does");
    let one = one.replace("\"ruleId\":\"r\"", "\"ruleId\":\"no-case-declarations\"");
    assert!(fixed(source, "npx eslint", &one).is_some());
    let two = one.replace("[{\"desc\"", "[{\"desc\":\"e\",\"fix\":{\"range\":[0,3],\"text\":\"var\"}},{\"desc\"");
    assert_eq!(fixed(source, "npx eslint", &two), None);
    let warning = eslint(source, 1, fix);
    assert_eq!(fixed(source, "npx eslint", &warning), None, "a warning fails no command");
    assert!(fixed(source, "npx eslint --max-warnings 0", &warning).is_some(), "unless it is counted");
    assert_eq!(fixed(&source.replace('b', "c"), "npx eslint", &output), None, "the file has changed");
    let code = eslint(source, 2, "\"fix\":{\"range\":[0,3],\"text\":\"process.exit();let\"}");
    assert_eq!(fixed(source, "npx eslint", &code), None, "words that are nowhere");
    let outside = eslint(source, 2, "\"fix\":{\"range\":[0,300],\"text\":\"\"}");
    assert_eq!(fixed(source, "npx eslint", &outside), None);
}

#[test]
fn words_that_the_compiler_replaced_are_replaced() {
    for (source, at, message, expected) in [
        (
            "module Foo { }\n",
            "Foo",
            "TS1540: A 'namespace' declaration should not be declared using the 'module' keyword. Please use the 'namespace' keyword instead.",
            Some(("module", "namespace")),
        ),
        (
            "import d from './d.json' assert { type: 'json' };\n",
            "assert",
            "TS2880: Import assertions have been replaced by import attributes. Use 'with' instead of 'assert'.",
            Some(("assert", "with")),
        ),
        (
            "import d from './d.json';\n",
            "'./d",
            "TS1543: Importing a JSON file into an ECMAScript module requires a 'type: \"json\"' import attribute when 'module' is set to 'NodeNext'.",
            Some(("json'", "json' with { type: 'json' }")),
        ),
        ("import d from './d.js';\n", "'./d", "TS1543: Importing a JSON file", None),
        ("const module = 1;\n", "module", "TS1540: A 'namespace' declaration", None),
    ] {
        check(source, at, message, expected);
    }
}

/// The errors of tsc in `tsconfig.json`: line, code and message.
fn configured(source: &str, errors: &[(usize, u32, &str)]) -> Option<String> {
    let lines =
        errors.iter().map(|(line, code, message)| format!("tsconfig.json({line},5): error TS{code}: {message}\n"));
    repaired("npx tsc", &lines.collect::<String>(), &[("tsconfig.json", source)])
}

#[test]
fn options_of_the_compiler_are_brought_up_to_date() {
    let removed = |name: &str| format!("Option '{name}' has been removed. Please remove it from your configuration.");
    let deprecated = |name: &str| format!("Option '{name}' is deprecated and will stop functioning in TypeScript 7.0.");
    let file = |options: &str| format!("{{\n  \"compilerOptions\": {{\n{options}  }}\n}}\n");
    for (options, line, code, message, expected) in [
        (
            "    \"target\": \"es2022\",\n    \"charset\": \"utf8\"\n",
            4,
            5102,
            removed("charset"),
            Some("    \"target\": \"es2022\"\n"),
        ),
        (
            "    \"importsNotUsedAsValues\": \"error\", // old\n    \"strict\": true\n",
            3,
            5102,
            removed("importsNotUsedAsValues"),
            Some("    \"strict\": true\n"),
        ),
        (
            "    \"preserveValueImports\": true,\n",
            3,
            5102,
            removed("preserveValueImports"),
            Some("    \"verbatimModuleSyntax\": true,\n"),
        ),
        ("    \"out\": \"a.js\"\n", 3, 5102, removed("out"), Some("    \"outFile\": \"a.js\"\n")),
        ("    \"target\": \"ES3\"\n", 3, 5108, removed("target=ES3"), Some("    \"target\": \"es5\"\n")),
        (
            "    \"moduleResolution\": \"node\",\n",
            3,
            5107,
            deprecated("moduleResolution=node10"),
            Some("    \"moduleResolution\": \"bundler\",\n"),
        ),
        (
            "    \"baseUrl\": \".\",\n    \"strict\": true\n",
            3,
            5101,
            deprecated("baseUrl"),
            Some("    \"strict\": true\n"),
        ),
        ("    \"baseUrl\": \".\",\n    \"paths\": {}\n", 3, 5101, deprecated("baseUrl"), None),
        ("    \"outFile\": \"a.js\"\n", 3, 5101, deprecated("outFile"), None),
        (
            "    \"strickt\": true\n",
            3,
            5025,
            "Unknown compiler option 'strickt'. Did you mean 'strict'?".to_owned(),
            Some("    \"strict\": true\n"),
        ),
        ("    \"strickt\": true\n", 3, 5025, "Unknown compiler option 'strickt'.".to_owned(), None),
        ("    \"a\": 1, \"charset\": \"utf8\"\n", 3, 5102, removed("charset"), None),
    ] {
        let found = configured(&file(options), &[(line, code, message.as_str())]);
        assert_eq!(found, expected.map(file), "{options}{message}");
    }
    let both = "    \"strict\": true,\n    \"noImplicitUseStrict\": true,\n    \"charset\": \"utf8\"\n";
    let errors = [(4, 5102, removed("noImplicitUseStrict")), (5, 5102, removed("charset"))];
    let errors: Vec<(usize, u32, &str)> =
        errors.iter().map(|(line, code, text)| (*line, *code, text.as_str())).collect();
    assert_eq!(configured(&file(both), &errors), Some(file("    \"strict\": true\n")));
}
