//! Functions that Node removed.

use super::cases::repaired;

fn error(path: &str, source: &str, at: &str, message: &str) -> String {
    let (number, line) =
        source.lines().enumerate().find(|(_, line)| line.contains(at)).expect("the case has this line");
    let number = number + 1;
    format!(
        "/repo/{path}:{number}\n{line}\n     ^\n\nTypeError: {message}\n    at Object.<anonymous> (/repo/{path}:{number}:6)\n    \
         at Module._compile (node:internal/modules/cjs/loader:1521:14)\n\nNode.js v20.20.2\n"
    )
}

/// Source, text on the failing line, message, and the expected source; empty if there is no repair.
fn check(cases: &[(&str, &str, &str, &str)]) {
    for (source, at, message, expected) in cases {
        let output = error("lib/a.js", source, at, message);
        let expected = (!expected.is_empty()).then_some(*expected);
        assert_eq!(repaired(&output, "lib/a.js", source).as_deref(), expected, "{source}\n{output}");
    }
}

#[test]
fn calls_of_removed_functions_are_replaced() {
    const TMP: &str = "os.tmpDir is not a function";
    check(&[
        (
            "var os = require('os');\nx = path.resolve(os.tmpDir());\n",
            "x = ",
            TMP,
            "var os = require('os');\nx = path.resolve(os.tmpdir());\n",
        ),
        (
            "const os = require(\"node:os\")\nos.tmpDir() // os.tmpDir()\n'os.tmpDir()'\n",
            "os.tmpDir() //",
            TMP,
            "const os = require(\"node:os\")\nos.tmpdir() // os.tmpDir()\n'os.tmpDir()'\n",
        ),
        ("import os from 'os';\nos.tmpDir();\n", "os.tmpDir", TMP, "import os from 'os';\nos.tmpdir();\n"),
        (
            "import * as os from 'os';\nlet x = `${os.tmpDir()} os.tmpDir()`;\n",
            "let x",
            TMP,
            "import * as os from 'os';\nlet x = `${os.tmpdir()} os.tmpDir()`;\n",
        ),
        (
            "x = require('os').tmpDir()\n",
            "x = ",
            "require(...).tmpDir is not a function",
            "x = require('os').tmpdir()\n",
        ),
        (
            "var util = require('util');\nif (util.isArray(x)) y();\n",
            "if ",
            "util.isArray is not a function",
            "var util = require('util');\nif (Array.isArray(x)) y();\n",
        ),
        (
            "var path = require('path');\npath.existsSync(x);\n",
            "path.existsSync",
            "path.existsSync is not a function",
            "var path = require('path');\nrequire('fs').existsSync(x);\n",
        ),
        (
            "var path = require('path');\nfunction f(path) { return path.exists(x); }\nif (path) path.exists(x);\ntry {} catch (path) { path.exists() }\n",
            "if (path)",
            "path.exists is not a function",
            "var path = require('path');\nfunction f(path) { return path.exists(x); }\nif (path) require('fs').exists(x);\ntry {} catch (path) { path.exists() }\n",
        ),
        ("var os = require('os');\nlet f = os => os.tmpDir();\nos.tmpDir();\n", "os.tmpDir();", TMP, ""),
        // The name is not the module, or it is uncertain.
        ("var os = mine();\nos.tmpDir();\n", "os.tmpDir", TMP, ""),
        ("var os = require('os');\nfunction f(os) { return os.tmpDir(); }\n", "function", TMP, ""),
        ("os.tmpDir();\n", "os.tmpDir", TMP, ""),
        ("var os = require('os');\nos.tmpDirs();\n", "os.tmpDirs", "os.tmpDirs is not a function", ""),
        ("var os = require('os');\nvar r = /os.tmpDir()/;\nx.y();\n", "x.y", "x.y is not a function", ""),
        ("var os = require('os');\nos.tmpDir('\n", "os.tmpDir", TMP, ""),
    ]);
}

#[test]
fn the_buffer_constructor_is_replaced() {
    let trace = |line: usize| {
        format!(
            "(node:9) [DEP0005] DeprecationWarning: Buffer() is deprecated due to security and usability issues. Please use the \
             Buffer.alloc(), Buffer.allocUnsafe(), or Buffer.from() methods instead.\n    at showFlaggedDeprecation \
             (node:buffer:191:11)\n    at new Buffer (node:buffer:269:3)\n    at Object.<anonymous> (/repo/a.js:{line}:9)\n"
        )
    };
    for (source, expected) in [
        ("var a = new Buffer('abc', 'hex');\n", "var a = Buffer.from('abc', 'hex');\n"),
        ("var a = new Buffer(16);\n", "var a = Buffer.alloc(16);\n"),
        ("var a = new Buffer(n * 4);\n", "var a = Buffer.alloc(n * 4);\n"),
        ("var a = new Buffer(Math.max(a.b, 2));\n", "var a = Buffer.alloc(Math.max(a.b, 2));\n"),
        ("var a = new Buffer(JSON.stringify(f(x)));\n", "var a = Buffer.from(JSON.stringify(f(x)));\n"),
        ("var a = new Buffer('a' + f(x));\n", "var a = Buffer.from('a' + f(x));\n"),
        ("var a = new Buffer(x + 'a');\n", "var a = Buffer.from(x + 'a');\n"),
        ("var a = new Buffer(f(x), enc);\n", "var a = Buffer.from(f(x), enc);\n"),
        // Nothing shows what the argument is, so the check that the constructor made is written out.
        ("var a = new Buffer(x);\n", "var a = (typeof x === 'number' ? Buffer.alloc(x) : Buffer.from(x));\n"),
        (
            "a = b || new Buffer(offset + 4).fill(1);\n",
            "a = b || (typeof (offset + 4) === 'number' ? Buffer.alloc(offset + 4) : Buffer.from(offset + 4)).fill(1);\n",
        ),
        ("var a = new Buffer(x.length + 2);\n", "var a = Buffer.alloc(x.length + 2);\n"),
        ("var a = new Buffer(size), b = Buffer([1, 2]);\n", "var a = Buffer.alloc(size), b = Buffer.from([1, 2]);\n"),
        (
            "var a = new Buffer(s.toString()); // new Buffer(1)\n",
            "var a = Buffer.from(s.toString()); // new Buffer(1)\n",
        ),
        ("var a = new Buffer(`${new Buffer(1)}`);\n", "var a = Buffer.from(`${Buffer.alloc(1)}`);\n"),
    ] {
        assert_eq!(repaired(&trace(1), "a.js", source).as_deref(), Some(expected), "{source}");
    }
    for source in [
        "var a = Buffer.from('a');\n",
        "var a = 'new Buffer(1)';\n",
        "function Buffer(x) {}\n",
        "x.Buffer(1);\n",
        "var Buffer = require('./mine'); new Buffer(1);\n",
        "class Buffer {} new Buffer(1);\n",
        "function f(Buffer) { new Buffer(1); }\n",
        // These stay: an argument with effects must not be evaluated twice, and a bracket after a value would be a call.
        "var a = new Buffer(f(x));\n",
        "var a = new Buffer(x++);\n",
        "var a = new Buffer(await x);\n",
        "var a = new Buffer(x // size\n);\n",
        "var a = 1\nnew Buffer(x)\n",
        "var a = new Buffer();\n",
    ] {
        assert_eq!(repaired(&trace(1), "a.js", source), None, "{source}");
    }
}

#[test]
fn a_warning_without_a_place_is_repaired_in_the_only_file_that_has_it() {
    let printed = "(node:9) [DEP0005] DeprecationWarning: Buffer() is deprecated due to security and usability issues.\n\
                   (Use `node --trace-deprecation ...` to show where the warning was created)\n";
    let thrown = "node:internal/process/warning:185\n        throw warning;\n        ^\n\nDeprecationWarning: Buffer() is \
                  deprecated due to security and usability issues.\n";
    for output in [printed, thrown] {
        assert_eq!(repaired(output, "a.js", "new Buffer('x')\n").as_deref(), Some("Buffer.from('x')\n"), "{output}");
        let two = super::cases::candidates(output, &[("a.js", "new Buffer('x')\n"), ("b.js", "new Buffer('y')\n")]);
        assert!(two.is_empty(), "nothing says which of two files is meant: {output}");
    }
    let of_the_command = format!(
        "{thrown}    at showFlaggedDeprecation (node:buffer:191:11)\n    at new Buffer (node:buffer:269:3)\n    at [eval]:1:1\n"
    );
    assert_eq!(repaired(&of_the_command, "a.js", "new Buffer('x')\n"), None, "the trace ends in what `-e` was given");
}

#[test]
fn the_source_text_of_a_node_module_is_replaced() {
    let output = "evalmachine.<anonymous>:44\n} = primordials;\n    ^\n\nReferenceError: primordials is not defined\n    at \
                  evalmachine.<anonymous>:44:5\n    at Object.<anonymous> (/repo/a.js:3:1)\n    at Module._compile \
                  (node:internal/modules/cjs/loader:1521:14)\n\nNode.js v20.20.2\n";
    let wrapped = |text: &str| {
        format!(
            "var vm = require('vm'), pre = '(function (exports, require, module, __filename, __dirname) {{ '\nvar fn = \
             vm.runInThisContext(pre + {text} + '}});')\nfn(exports, require, module)\n"
        )
    };
    let copy = |name: &str| {
        format!("'Object.defineProperties(exports, Object.getOwnPropertyDescriptors(require(\"{name}\")));'")
    };
    for (text, name) in [
        ("process.binding('natives').fs", "fs"),
        ("process.binding(\"natives\")['http']", "http"),
        ("process.binding('natives') . net /* of this Node */", "net"),
    ] {
        let expected = wrapped(text).replace(text.split(" /*").next().expect("never empty"), &copy(name));
        assert_eq!(repaired(output, "a.js", &wrapped(text)), Some(expected), "{text}");
    }
    for text in [
        // The module cannot be required, the text is used for something else, or the words are in a string or a comment.
        "process.binding('natives').internal_fs",
        "process.binding('natives').fs.replace(/x/, '')",
        "process.binding('natives')[name]",
        "process.binding('fs').fs",
        "mine.process.binding('natives').fs",
        "\"process.binding('natives').fs\"",
        "x // process.binding('natives').fs\n",
    ] {
        assert_eq!(repaired(output, "a.js", &wrapped(text)), None, "{text}");
    }
    let own = wrapped("process.binding('natives').fs");
    for source in [
        own.replace("var vm", "var process = require('./mine'), vm"),
        own.replace("(function (exports, require, module, ", "(function (own, "),
    ] {
        assert_eq!(repaired(output, "a.js", &source), None, "{source}");
    }
}

/// Under `--throw-deprecation` the trace ends in Node before it comes to a file.
#[test]
fn the_module_sys_is_util() {
    let output = "node:internal/process/warning:185\n        throw warning;\n        ^\n\nDeprecationWarning: sys is \
                  deprecated. Use util instead.\n    at node:sys:30:9\n    at require \
                  (node:internal/modules/helpers:182:18)\n\nNode.js v20.20.2\n";
    let source = "var sys = require('sys');\nsys.inherits(a, b);\n";
    let expected = "var sys = require('util');\nsys.inherits(a, b);\n";
    assert_eq!(repaired(output, "lib/a.js", source).as_deref(), Some(expected));
    let files =
        [("lib/a.js", source), ("lib/b.js", "x = require(\"sys\")\n"), ("lib/c.js", "var sys = require('./sys');\n")];
    let all = super::cases::candidates(output, &files);
    assert_eq!(all.iter().map(|draft| draft.files.len()).collect::<Vec<_>>(), [2, 1]);
    assert!(repaired(output, "lib/a.js", "var sys = require('./sys');\n").is_none());
}

#[test]
fn the_event_emitter_comes_from_its_module() {
    const MESSAGE: &str = "Class extends value undefined is not a constructor or null";
    check(&[
        (
            "process.EventEmitter.call(this);\nrequire('util').inherits(A, process.EventEmitter);\n",
            "inherits",
            MESSAGE,
            "require('events').EventEmitter.call(this);\nrequire('util').inherits(A, require('events').EventEmitter);\n",
        ),
        ("var process = {};\nclass A extends process.EventEmitter {}\n", "class", MESSAGE, ""),
        ("class A extends B {}\n", "class", MESSAGE, ""),
        ("process.EventEmitter = E;\nclass A extends E {}\n", "class", MESSAGE, ""),
    ]);
}
