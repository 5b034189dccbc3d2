//! Names of modules and packages that are gone, with what takes their place.

use super::cases::{candidates, repaired, trace_at};

fn fixed(source: &str, at: &str, error: &str) -> Option<String> {
    repaired(&trace_at("pkg/mod.py", source, at, error), "pkg/mod.py", source)
}

fn check(cases: &[(&str, &str, &str, &str)]) {
    for (source, at, error, expected) in cases {
        let expected = (!expected.is_empty()).then_some(*expected);
        assert_eq!(fixed(source, at, error).as_deref(), expected, "{source}{error}");
    }
}

const DISTUTILS: &str = "ModuleNotFoundError: No module named 'distutils'";
const NOSE: &str = "ModuleNotFoundError: No module named 'nose'";

#[test]
fn a_file_defines_what_has_no_successor() {
    let source = "\"\"\"Doc.\"\"\"\nimport os\nfrom distutils.util import strtobool\n\nX = strtobool('no')\n";
    let after = fixed(source, "from distutils", DISTUTILS).expect("it is repaired");
    assert!(after.starts_with("\"\"\"Doc.\"\"\"\nimport os\n\n\ndef strtobool(text):\n"), "{after}");
    assert!(after.ends_with("\n\nX = strtobool('no')\n"), "{after}");

    let source = "import distutils.version\nimport re\n\nX = distutils.version.LooseVersion('1') < '2'\n";
    let after = fixed(source, "import distutils", DISTUTILS).expect("it is repaired");
    assert!(
        after.starts_with("import re\nimport functools\n\n\n@functools.total_ordering\nclass LooseVersion:\n"),
        "{after}"
    );
    assert!(after.ends_with("\n\nX = LooseVersion('1') < '2'\n"), "{after}");

    let source = "import imp\n\nx = imp.load_source('a', 'a.py')\n";
    let after = fixed(source, "import imp", "ModuleNotFoundError: No module named 'imp'").expect("it is repaired");
    assert!(
        after.starts_with("import importlib.machinery\nimport importlib.util\nimport sys\n\n\ndef load_source("),
        "{after}"
    );

    // What moved is imported from its new module.
    let source = "from distutils.util import strtobool, get_platform\n\nX = strtobool(get_platform())\n";
    let after = fixed(source, "from distutils", DISTUTILS).expect("it is repaired");
    assert!(after.starts_with("from sysconfig import get_platform\n\n\ndef strtobool("), "{after}");

    check(&[
        ("from distutils.util import strtobool, byte_compile\nx = strtobool('a')\n", "from", DISTUTILS, ""),
        ("from distutils.util import strtobool as b\nx = b('a')\n", "from", DISTUTILS, ""),
        ("from distutils.util import strtobool\ndef strtobool(x): pass\n", "from", DISTUTILS, ""),
        (
            "import distutils.version\nx = distutils.version.LooseVersion('1')\ny = distutils.log\n",
            "import",
            DISTUTILS,
            "",
        ),
        ("from distutils.version import LooseVersion\nre = 1\nx = LooseVersion('1')\n", "from", DISTUTILS, ""),
    ]);
}

#[test]
fn successors_of_distutils() {
    check(&[
        (
            "from distutils.core import setup, Extension\nsetup(name='a')\n",
            "from",
            DISTUTILS,
            "from setuptools import setup, Extension\nsetup(name='a')\n",
        ),
        (
            "from distutils.dir_util import copy_tree\n\ncopy_tree(a, b)\n",
            "from",
            DISTUTILS,
            "from shutil import copytree as copy_tree\n\ncopy_tree(a, b, dirs_exist_ok=True)\n",
        ),
        ("from distutils.dir_util import copy_tree\n\nx = copy_tree(a, b)\n", "from", DISTUTILS, ""),
        ("from distutils.dir_util import copy_tree\n\ncopy_tree(a, b, update=1)\n", "from", DISTUTILS, ""),
    ]);
}

#[test]
fn nose_is_replaced_by_unittest() {
    check(&[
        (
            "from nose.tools import assert_equal, assert_raises\n\n\ndef test_a():\n    assert_equal(1, 1)\n",
            "from nose",
            NOSE,
            "import unittest\n\nassert_equal = unittest.TestCase().assertEqual\nassert_raises = unittest.TestCase().assertRaises\n\n\ndef test_a():\n    assert_equal(1, 1)\n",
        ),
        (
            "import unittest\nimport nose.tools as nt\n\n\ndef test_a():\n    nt.eq_(1, 1)\n",
            "import nose",
            NOSE,
            "import unittest\n\n\ndef eq_(first, second, message=None):\n    assert first == second, message or '%r != %r' % (first, second)\n\n\ndef test_a():\n    eq_(1, 1)\n",
        ),
        (
            "from nose import SkipTest\n\nraise SkipTest\n",
            "from",
            NOSE,
            "from unittest import SkipTest\n\nraise SkipTest\n",
        ),
        ("from nose.tools import assert_equal, with_setup\n", "from", NOSE, ""),
        ("import nose\nfrom nose.tools import eq_\n\neq_(1, 1)\nnose.main()\n", "import nose", NOSE, ""),
    ]);
}

#[test]
fn tests_that_yield_what_to_call_call_it() {
    let output = "==================================== ERRORS ====================================\n__________________________ ERROR collecting tests/test_a.py __________________________\n'yield' keyword is allowed in fixtures, but not in tests (test_even)\n=========================== short test summary info ============================\nERROR tests/test_a.py - Failed: 'yield' keyword is allowed in fixtures, but not in ...\n";
    let source = "def check(n, m=1):\n    assert n\n\ndef test_even():\n    for n in (2, 4):\n        yield check, n, m + 1\n        yield (self.check, (n, 1))\n";
    let expected = "def check(n, m=1):\n    assert n\n\ndef test_even():\n    for n in (2, 4):\n        check(n, m + 1)\n        self.check((n, 1))\n";
    let fixed = |source: &str| repaired(output, "tests/test_a.py", source);
    assert_eq!(fixed(source).as_deref(), Some(expected));
    for line in ["yield n", "x = yield check, n", "yield 'name', check, n", "yield lambda: n, 1"] {
        assert_eq!(fixed(&format!("def test_even():\n    {line}\n")), None, "{line}");
    }
    assert_eq!(fixed("import pytest\n@pytest.fixture\ndef test_x():\n    yield f, 1\n"), None, "it is a fixture");
}

#[test]
fn the_method_setup_of_nose_is_renamed() {
    const ERROR: &str = "AttributeError: 'TestA' object has no attribute 'x'";
    let source = "class TestA:\n    def setup(self):\n        self.x = 1\n\n    def teardown(self):\n        pass\n\n    def test_x(self):\n        assert self.x == 1\n";
    let expected = source.replace("setup(", "setup_method(").replace("teardown(", "teardown_method(");
    check(&[
        (source, "assert", ERROR, &expected),
        (&source.replace("TestA:", "TestA(unittest.TestCase):"), "assert", ERROR, ""),
        (&source.replace("self.x = 1", "self.y = 1"), "assert", ERROR, ""),
        (&source.replace("def setup(self)", "def setup(self, a)"), "assert", ERROR, ""),
    ]);
}

#[test]
fn what_asyncio_and_pytest_removed() {
    check(&[
        (
            "import asyncio\nasync def f():\n    return asyncio.Task.all_tasks()\n",
            "return",
            "AttributeError: type object '_asyncio.Task' has no attribute 'all_tasks'",
            "import asyncio\nasync def f():\n    return asyncio.all_tasks()\n",
        ),
        (
            "import asyncio\nasync def f():\n    await asyncio.wait([g(1), g(2)], timeout=3)\n",
            "await",
            "TypeError: Passing coroutines is forbidden, use tasks explicitly.",
            "import asyncio\nasync def f():\n    await asyncio.wait([asyncio.ensure_future(it) for it in [g(1), g(2)]], timeout=3)\n",
        ),
        (
            "import asyncio\nloop = asyncio.get_event_loop()\nloop.run_until_complete(f())\n",
            "loop = ",
            "RuntimeError: There is no current event loop in thread 'MainThread'.",
            "import asyncio\nloop = asyncio.new_event_loop()\nasyncio.set_event_loop(loop)\nloop.run_until_complete(f())\n",
        ),
        (
            "import asyncio\nasyncio.get_event_loop().run_until_complete(f())\n",
            "asyncio.get",
            "RuntimeError: There is no current event loop in thread 'MainThread'.",
            "import asyncio\nasyncio.run(f())\n",
        ),
        (
            "with pytest.raises(ValueError, message='no'):\n    f()\n",
            "with",
            "TypeError: Unexpected keyword arguments passed to pytest.raises: message",
            "with pytest.raises(ValueError):\n    f()\n",
        ),
    ]);
}

#[test]
fn what_pandas_removed() {
    const APPEND: &str = "AttributeError: 'DataFrame' object has no attribute 'append'";
    const IX: &str = "AttributeError: 'DataFrame' object has no attribute 'ix'";
    const SORT: &str = "AttributeError: 'DataFrame' object has no attribute 'sort'";
    const FREQUENCY: &str = "ValueError: Invalid frequency: M, failed to parse with error message: ValueError(\"'M' is no longer supported for offsets. Please use 'ME' instead.\")";
    const LINES: &str = "TypeError: read_csv() got an unexpected keyword argument 'error_bad_lines'";
    const METHOD: &str = "TypeError: NDFrame.fillna() got an unexpected keyword argument 'method'";
    let frame = |line: &str| format!("import pandas as pd\n{line}\n");
    for (line, error, expected) in [
        (
            "df = df.append({'a': 1}, ignore_index=True)",
            APPEND,
            Some("df = pd.concat([df, pd.DataFrame([{'a': 1}])], ignore_index=True)"),
        ),
        ("df = df.append(pd.DataFrame(x))", APPEND, Some("df = pd.concat([df, pd.DataFrame(x)])")),
        ("df = df.append(other)", APPEND, None),
        ("df = df.append(pd.Series(x))", APPEND, None),
        ("df = df.append({'a': 1} | x)", APPEND, None),
        ("x = df.ix['a', 'b']", IX, Some("x = df.loc['a', 'b']")),
        ("x = df.ix[df.a > 1, ['b', 'c']]", IX, Some("x = df.loc[df.a > 1, ['b', 'c']]")),
        ("x = df.ix[0, 'b']", IX, None),
        ("x = df.ix[i]", IX, None),
        ("df = df.sort('a')", SORT, Some("df = df.sort_values('a')")),
        ("df = df.sort(columns=['a', 'b'])", SORT, Some("df = df.sort_values(by=['a', 'b'])")),
        ("df = df.sort()", SORT, None),
        ("x = df.resample('M').sum()", FREQUENCY, Some("x = df.resample('ME').sum()")),
        ("x = df.resample('15T').sum()", FREQUENCY, Some("x = df.resample('15min').sum()")),
        ("x = df.resample('W').sum()", FREQUENCY, None),
        ("x = pd.read_csv(f, error_bad_lines=False)", LINES, Some("x = pd.read_csv(f, on_bad_lines='warn')")),
        ("x = pd.read_csv(f, error_bad_lines=False, warn_bad_lines=False)", LINES, None),
        ("x = df.fillna(method='pad', limit=1)", METHOD, Some("x = df.ffill(limit=1)")),
        ("x = df.fillna(0, method='ffill')", METHOD, None),
        ("x = df.fillna(method=m)", METHOD, None),
    ] {
        let source = frame(line);
        let at = line.split(' ').next().unwrap_or(line);
        assert_eq!(fixed(&source, &format!("{at} ="), error), expected.map(frame), "{line}");
    }
}

fn node(source: &str, at: &str, message: &str) -> Option<String> {
    let (number, line) = source.lines().enumerate().find(|(_, line)| line.contains(at)).expect("it is there");
    let number = number + 1;
    let output = format!(
        "/repo/lib/a.js:{number}\n{line}\n^\n\n{message}\n    at Object.<anonymous> (/repo/lib/a.js:{number}:1)\n\nNode.js v20.20.2\n"
    );
    repaired(&output, "lib/a.js", source)
}

#[test]
fn what_modules_of_node_ask_for() {
    const PLACE: &str = "ReferenceError: __dirname is not defined in ES module scope";
    const CONSTANT: &str = "TypeError: Assignment to constant variable.";
    const CHALK: &str = "TypeError: chalk.red is not a function";
    const NAMED: &str = "SyntaxError: Named export 'a' not found. The requested module 'x' is a CommonJS module, which may not support all module.exports as named exports.";
    const REQUIRE: &str = "ReferenceError: require is not defined in ES module scope, you can use import instead";
    for (source, at, message, expected) in [
        (
            "import p from 'path';\nx(p.join(__dirname, __filename));\n",
            "x(",
            PLACE,
            Some("import p from 'path';\nx(p.join(import.meta.dirname, import.meta.filename));\n"),
        ),
        ("const __filename = 1;\nx(__dirname);\n", "x(", PLACE, None),
        (
            "import { a, b as c } from 'x';\na(c);\n",
            "import",
            NAMED,
            Some("import pkg from 'x';\nconst { a, b: c } = pkg;\na(c);\n"),
        ),
        ("import d, { a } from 'x';\na(d);\n", "import", NAMED, None),
        (
            "const n = 0;\nfor (const x of y) n += x;\n",
            "for",
            CONSTANT,
            Some("let n = 0;\nfor (const x of y) n += x;\n"),
        ),
        ("const n = 0;\nif (n = 1) f();\n", "if", CONSTANT, None),
        ("const n = 0;\nfunction f(n, m) { let n = 1; }\nn = 1;\n", "n = 1;", CONSTANT, None),
        (
            "const chalk = require('chalk');\nx(chalk.red('a'));\n",
            "x(",
            CHALK,
            Some("const chalk = require('chalk').default;\nx(chalk.red('a'));\n"),
        ),
        ("const chalk = require('./chalk');\nx(chalk.red('a'));\n", "x(", CHALK, None),
        ("const chalk = require('kleur');\nx(chalk.red('a'));\n", "x(", CHALK, None),
        (
            "const express = require('express');\nexpress();\n",
            "require",
            REQUIRE,
            Some("import express from 'express';\nexpress();\n"),
        ),
        ("const { a } = require('express');\na();\n", "require", REQUIRE, None),
        ("const a = require('./a.js');\na();\n", "require", REQUIRE, None),
    ] {
        assert_eq!(node(source, at, message).as_deref(), expected, "{source}");
    }
}

#[test]
fn json_is_imported_with_its_type() {
    let output = "node:internal/modules/esm/assert:89\n        throw new ERR_IMPORT_ATTRIBUTE_MISSING(url, 'type', validType);\n              ^\n\nTypeError [ERR_IMPORT_ATTRIBUTE_MISSING]: Module \"file:///repo/package.json\" needs an import attribute of \"type: json\"\n    at validateAttributes (node:internal/modules/esm/assert:89:15)\n\nNode.js v22.1.0\n";
    let source = "import pkg from './package.json';\nimport { x } from './a.js';\nconsole.log(pkg.version);\n";
    let expected = source.replace("package.json'", "package.json' with { type: 'json' }");
    assert_eq!(repaired(output, "app.js", source), Some(expected));
    // Two files import it, and the log does not say which one failed.
    assert!(candidates(output, &[("app.js", source), ("b.js", source)]).is_empty());
}
