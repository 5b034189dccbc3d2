//! Calls of `fs` without a callback.

use super::cases::repaired;

const THROWS: &str = "function (error) { if (error) throw error; }";

fn fixed(source: &str, at: &str, argument: &str) -> Option<String> {
    let (number, line) =
        source.lines().enumerate().find(|(_, line)| line.contains(at)).expect("the case has this line");
    let number = number + 1;
    let output = format!(
        "node:fs:190\n  throw new ERR_INVALID_ARG_TYPE(name, 'Function', cb);\n  ^\n\nTypeError [ERR_INVALID_ARG_TYPE]: The \
         \"{argument}\" argument must be of type function. Received undefined\n    at makeCallback (node:fs:190:3)\n    at \
         Object.unlink (node:fs:1800:14)\n    at Object.<anonymous> (/repo/lib/a.js:{number}:4)\n    at Module._compile \
         (node:internal/modules/cjs/loader:1521:14) {{\n  code: 'ERR_INVALID_ARG_TYPE'\n}}\n\n{line}\nNode.js v20.20.2\n"
    );
    repaired(&output, "lib/a.js", source)
}

#[test]
fn a_call_without_a_callback_gets_one_that_throws() {
    for (source, at, expected) in [
        ("var fs = require('fs');\nfs.unlink(path);\n", "fs.unlink", "var fs = require('fs');\nfs.unlink(path, CB);\n"),
        (
            "const fs = require('node:fs')\nfs.writeFile(f(a, b), { a: 1 }, 'utf8')\n",
            "fs.write",
            "const fs = require('node:fs')\nfs.writeFile(f(a, b), { a: 1 }, 'utf8', CB)\n",
        ),
        ("require('fs').mkdir(dir, 0755);\n", "mkdir", "require('fs').mkdir(dir, 0755, CB);\n"),
    ] {
        assert_eq!(fixed(source, at, "cb"), Some(expected.replace("CB", THROWS)), "{source}");
    }
}

#[test]
fn an_argument_that_may_be_the_callback_is_left_alone() {
    for source in [
        "var fs = require('fs');\nfs.unlink(path, done);\n",
        "var fs = require('fs');\nfs.writeFile(path, data, options);\n",
        "var fs = require('fs');\nfs.rename(...names);\n",
        "var fs = require('./fs');\nfs.unlink(path);\n",
        "var fs = require('fs');\nfs.readFile(path);\n",
    ] {
        assert_eq!(fixed(source, "fs.", "cb"), None, "{source}");
    }
    assert_eq!(fixed("var fs = require('fs');\nfs.unlink(path);\n", "fs.unlink", "listener"), None);
}
