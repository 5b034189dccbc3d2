//! Modules of Node: what is not loaded, and what an ECMAScript module cannot do.

use super::cases::candidates;

/// The content that the first candidate gives `/repo/lib/a.js`.
fn first(output: &str, source: &str, others: &[(&str, &str)]) -> Option<String> {
    let mut files = vec![("lib/a.js", source)];
    files.extend(others);
    let (path, content) = candidates(output, &files).into_iter().next()?.files.into_iter().next()?;
    assert_eq!(path, "lib/a.js");
    let content = String::from_utf8(content).expect("cases are text");
    assert!(candidates(output, &[("lib/a.js", &content)]).is_empty(), "repaired twice: {content}");
    Some(content)
}

fn thrown(source: &str, at: &str, message: &str) -> String {
    let (number, line) =
        source.lines().enumerate().find(|(_, line)| line.contains(at)).expect("the case has this line");
    let number = number + 1;
    format!(
        "file:///repo/lib/a.js:{number}\n{line}\n    ^\n\n{message}\n    at file:///repo/lib/a.js:{number}:1\n\nNode.js v20.20.2\n"
    )
}

#[test]
fn built_in_modules_that_are_not_loaded() {
    const PATH: &str = "ReferenceError: path is not defined";
    for (source, at, message, expected) in [
        (
            "'use strict';\nmodule.exports = path.join('a');\n",
            "path.join",
            PATH,
            "'use strict';\nconst path = require('path');\nmodule.exports = path.join('a');\n",
        ),
        (
            "#!/usr/bin/env node\nconst fs = require('fs')\nfs.x(path.join('a'))\n",
            "path.join",
            PATH,
            "#!/usr/bin/env node\nconst path = require('path')\nconst fs = require('fs')\nfs.x(path.join('a'))\n",
        ),
        (
            "import fs from 'fs';\nfs.x(path.join('a'));\n",
            "path.join",
            PATH,
            "import path from 'path';\nimport fs from 'fs';\nfs.x(path.join('a'));\n",
        ),
        (
            "GLOBAL.x = 1;\nx.GLOBAL = 'GLOBAL';\n",
            "GLOBAL.x",
            "ReferenceError: GLOBAL is not defined",
            "global.x = 1;\nx.GLOBAL = 'GLOBAL';\n",
        ),
        // The name may be something else, or the kind of the file is not clear.
        ("path.join('a');\n", "path", PATH, ""),
        ("const fs = require('fs');\nf(path);\n", "f(path", PATH, ""),
        ("const fs = require('fs');\nfunction f(path) { return path.x; }\npath.x();\n", "path.x()", PATH, ""),
        ("const { path } = require('./own');\npath.x();\n", "path.x()", PATH, ""),
        ("const fs = require('fs');\nif (typeof path !== 'undefined') path.x();\n", "path.x()", PATH, ""),
        ("const fs = require('fs');\nlodash.x();\n", "lodash", "ReferenceError: lodash is not defined", ""),
    ] {
        let expected = (!expected.is_empty()).then_some(expected);
        assert_eq!(first(&thrown(source, at, message), source, &[]).as_deref(), expected, "{source}");
    }
}

#[test]
fn relative_imports_get_their_ending() {
    let missing = |target: &str| {
        format!(
            "node:internal/modules/run_main:123\n    triggerUncaughtException(\n    ^\n\nError [ERR_MODULE_NOT_FOUND]: Cannot \
             find module '{target}' imported from /repo/lib/a.js\nDid you mean to import \"./evil.js\"?\n    at finalizeResolution \
             (node:internal/modules/esm/resolve:283:11)\n\nNode.js v20.20.2\n"
        )
    };
    let files = [("lib/b.js", ""), ("lib/c/index.js", ""), ("d.mjs", ""), ("lib/e.js", ""), ("lib/e.mjs", "")];
    let source = "import { b } from './b';\nexport * from \"./c\";\nimport '../d';\nconst e = await import('./e');\nimport f from 'f';\n";
    let expected = "import { b } from './b.js';\nexport * from \"./c/index.js\";\nimport '../d.mjs';\nconst e = await import('./e');\nimport f from 'f';\n";
    assert_eq!(first(&missing("/repo/lib/b"), source, &files).as_deref(), Some(expected));
    let folder = "Error [ERR_UNSUPPORTED_DIR_IMPORT]: Directory import '/repo/lib/c' is not supported resolving ES modules imported from /repo/lib/a.js\n    at f (node:internal/modules/esm/resolve:271:11)\n";
    assert_eq!(first(folder, "import c from './c/';\n", &files).as_deref(), Some("import c from './c/index.js';\n"));
    for source in
        ["import x from './nowhere';\n", "import x from '../../d';\n", "import x from './b.js';\n", "x = './b';\n"]
    {
        assert_eq!(first(&missing("/repo/lib/b"), source, &files), None, "{source}");
    }
}

#[test]
fn require_and_attributes_in_an_ecmascript_module() {
    const REQUIRE: &str = "ReferenceError: require is not defined in ES module scope, you can use import instead";
    for (source, at, message, expected) in [
        (
            "const fs = require(\"fs\");\nvar { join, resolve } = require('node:path')\nx.module = join;\n",
            "const fs",
            REQUIRE,
            "import fs from \"fs\";\nimport { join, resolve } from 'node:path'\nx.module = join;\n",
        ),
        (
            "import p from './p.json' assert { type: 'json' };\nassert(p);\n",
            "import",
            "SyntaxError: Unexpected identifier 'assert'",
            "import p from './p.json' with { type: 'json' };\nassert(p);\n",
        ),
        // The default of a CommonJS package is what `require` gives. Whether another one has a default, the command shows.
        ("const x = require('x');\n", "const", REQUIRE, "import x from 'x';\n"),
        // A file with `module.exports` is no ECMAScript module.
        ("const fs = require('fs');\nmodule.exports = fs;\n", "const", REQUIRE, ""),
        ("const fs = require('fs').promises;\n", "const", REQUIRE, ""),
        ("function f() {\n  const fs = require('fs');\n}\n", "const", REQUIRE, ""),
        ("const { a: b } = require('fs');\n", "const", REQUIRE, ""),
        ("const fs = require('fs');\nx = __dirname;\n", "const", REQUIRE, ""),
    ] {
        let expected = (!expected.is_empty()).then_some(expected);
        assert_eq!(first(&thrown(source, at, message), source, &[]).as_deref(), expected, "{source}");
    }
}
