//! Options of TypeScript 5.9 that its errors ask for, imports with other capital letters than their file, and what Node took away.

use super::cases::{candidates, repaired};

fn options(config: &str, error: &str, more: &[(&str, &str)]) -> Option<String> {
    let output = format!("src/a.ts(1,5): error {error}\n");
    let files = [&[("tsconfig.json", config), ("src/a.ts", "x\n")][..], more].concat();
    repaired("npx tsc", &output, &files)
}

#[test]
fn a_newer_library_of_types_is_named() {
    let asks = "TS2550: Property 'at' does not exist on type 'number[]'. Do you need to change your target library? Try changing the 'lib' compiler option to 'es2022' or later.";
    for (config, expected) in [
        (
            "{\n  \"compilerOptions\": {\n    \"lib\": [\"ES2019\", \"DOM\"], // old\n    \"strict\": true\n  }\n}\n",
            Some(
                "{\n  \"compilerOptions\": {\n    \"lib\": [\"es2022\", \"DOM\"], // old\n    \"strict\": true\n  }\n}\n",
            ),
        ),
        (
            "{\"compilerOptions\": {\"lib\": [\"dom\"]}}\n",
            Some("{\"compilerOptions\": {\"lib\": [\"es2022\", \"dom\"]}}\n"),
        ),
        (
            "{\n  \"compilerOptions\": {\n    \"target\": \"es2018\"\n  }\n}\n",
            Some(
                "{\n  \"compilerOptions\": {\n    \"lib\": [\"es2022\", \"dom\", \"dom.iterable\", \"scripthost\"],\n    \"target\": \"es2018\"\n  }\n}\n",
            ),
        ),
        // What another configuration has is not known.
        ("{\"extends\": \"./base.json\", \"compilerOptions\": {\"strict\": true}}\n", None),
        ("{\"compilerOptions\": {\"lib\": [\"esnext\"]}}\n", None),
        ("{\"compilerOptions\": {\"noLib\": true}}\n", None),
        ("{\"include\": [\"src\"]}\n", None),
        ("{\"compilerOptions\": {\"lib\": [\"es2019\"", None),
    ] {
        assert_eq!(options(config, asks, &[]).as_deref(), expected, "{config}");
    }
    let planted = asks.replace("'es2022'", "'es2022\"], \"x'");
    assert_eq!(options("{\"compilerOptions\": {\"strict\": true}}\n", &planted, &[]), None);
    let browser = "TS2584: Cannot find name 'console'. Do you need to change your target library? Try changing the 'lib' compiler option to include 'dom'.";
    assert_eq!(
        options("{\"compilerOptions\": {\"lib\": [\"es2020\"]}}\n", browser, &[]).as_deref(),
        Some("{\"compilerOptions\": {\"lib\": [\"es2020\", \"dom\"]}}\n")
    );
}

#[test]
fn the_way_to_import_is_changed_only_if_nothing_else_depends_on_it() {
    let asks = "TS1259: Module '\"/r/node_modules/@types/express/index\"' can only be default-imported using the 'esModuleInterop' flag";
    let config = "{\n  \"compilerOptions\": {\n    \"strict\": true\n  }\n}\n";
    let expected = config.replace("\"strict\"", "\"esModuleInterop\": true,\n    \"strict\"");
    assert_eq!(options(config, asks, &[]), Some(expected.clone()));
    assert_eq!(options(&expected.replace("op\": true", "op\": false"), asks, &[]), Some(expected));
    assert_eq!(options(config, asks, &[("src/b.ts", "import * as fs from 'fs';\n")]), None);
    assert_eq!(options(config, &asks.replace("esModuleInterop", "outDir"), &[]), None);
}

#[test]
fn an_import_is_written_as_its_file_is_called() {
    let node = "Error: Cannot find module './Lib/Util'\nRequire stack:\n- /r/src/main.js\n";
    let loader = "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/r/src/Lib/Util.js' imported from /r/src/main.js\n";
    let compiler =
        "src/main.ts(1,20): error TS2307: Cannot find module './Lib/Util' or its corresponding type declarations.\n";
    let vite = "Could not resolve \"./Lib/Util\" from \"src/main.js\"\n";
    for (output, file, source, other) in [
        (node, "src/main.js", "// './Lib/Util'\nconst u = require('./Lib/Util');\n", "src/lib/util.js"),
        (node, "src/main.js", "const u = require('./Lib/Util');\n", "src/lib/util/index.js"),
        (loader, "src/main.js", "import u from \"./Lib/Util.js\";\n", "src/lib/util.js"),
        (compiler, "src/main.ts", "import { u } from './Lib/Util';\n", "src/lib/util.ts"),
        (vite, "src/main.js", "export * from './Lib/Util';\n", "src/lib/util.js"),
    ] {
        let drafts = candidates("node src/main.js", output, &[(file, source), (other, "x\n")]);
        let found = drafts.first().map(|draft| draft.files[0].1.as_str());
        let (comment, code) = source.split_at(source.rfind("Lib/Util").expect("it is there"));
        assert_eq!(found, Some([comment, &code.replace("Lib/Util", "lib/util")].concat().as_str()), "{output}");
    }
    let source = "const u = require('./Lib/Util');\n";
    for files in [
        &[("src/lib/util.js", "x\n"), ("src/LIB/util.js", "x\n")][..],
        // The file is there: something else is wrong.
        &[("src/lib/util.js", "x\n"), ("src/Lib/Util.js", "x\n")],
        &[("src/lib/utils.js", "x\n")],
        &[("lib/util.js", "x\n")],
    ] {
        let drafts = candidates("node src/main.js", node, &[&[("src/main.js", source)], files].concat());
        assert!(drafts.is_empty(), "{files:?}: {drafts:?}");
    }
}

/// An error that Node 20 shows with the first line of a file.
fn shown(path: &str, source: &str, message: &str) -> String {
    format!(
        "/r/{path}:1\n{}\n        ^\n\n{message}\n    at Object.<anonymous> (/r/{path}:1:9)\n",
        source.lines().next().unwrap_or_default()
    )
}

#[test]
fn search_paths_become_relative_imports() {
    let message = "TypeError: Cannot read properties of undefined (reading 'unshift')";
    let main = "require.paths.unshift(__dirname, require('path').join(__dirname, '..', 'deps'));\nvar a = require('tool/a'), b = require('x'), fs = require('fs'), c = require('left-pad');\n";
    let deep = "require.paths.unshift(__dirname + '/..');\nvar b = require(\"tool/b\");\n";
    let files = [
        ("lib/tool.js", main),
        ("lib/tool/a.js", deep),
        ("lib/tool/b.js", "exports.b = 1;\n"),
        ("deps/x/index.js", "exports.x = 1;\n"),
    ];
    let drafts = candidates("node -e 0", &shown("lib/tool.js", main, message), &files);
    let first: Vec<&str> = drafts[0].files.iter().map(|(_, text)| text.as_str()).collect();
    let expected = [
        "var a = require('./tool/a'), b = require('../deps/x'), fs = require('fs'), c = require('left-pad');\n",
        "var b = require(\"./b\");\n",
    ];
    assert_eq!(first, expected);
    for unknown in ["require.paths.unshift('lib');\n", "require.paths.unshift(where());\n", "require.paths.shift();\n"]
    {
        let files = [("lib/tool.js", unknown), ("lib/x.js", "\n")];
        assert!(candidates("node -e 0", &shown("lib/tool.js", unknown, message), &files).is_empty(), "{unknown}");
    }
}

#[test]
fn what_node_renamed_and_setters_without_a_parameter_are_repaired() {
    let undefined = "TypeError: Cannot read properties of undefined (reading 'splice')";
    let setter = "SyntaxError: Setter must have exactly one formal parameter.";
    for (source, message, expected) in [
        ("var a = process.ARGV.splice(2);\n", undefined, Some("var a = process.argv.splice(2);\n")),
        ("var a = process.arguments.splice(2);\n", undefined, None),
        (
            "var o = { set a() { fail(); }, set b(x) {} };\n",
            setter,
            Some("var o = { set a(_) { fail(); }, set b(x) {} };\n"),
        ),
        ("reset a() {}\n", setter, None),
    ] {
        let found = repaired("node a.js", &shown("a.js", source, message), &[("a.js", source)]);
        assert_eq!(found.as_deref(), expected, "{source}");
    }
}
