//! Imports of modules in the same folder, and modules whose names went to several others.

use super::cases::{Files, candidates, repaired, trace, trace_at};
use gephost_gene::failures::Failure;

use crate::plan::drafts;

const MISSING: &str = "ModuleNotFoundError: No module named 'b'";

fn first(source: &str, others: &[(&str, &str)]) -> Option<String> {
    let output = trace_at("p/a.py", source, "b", MISSING);
    let mut files = vec![("p/a.py", source)];
    files.extend(others);
    let draft = candidates(&output, &files).into_iter().next()?;
    let (_, content) = draft.files.into_iter().find(|(path, _)| path == "p/a.py")?;
    Some(String::from_utf8(content).expect("cases are text"))
}

#[test]
fn modules_of_the_own_package_get_a_dot() {
    let package = [("p/__init__.py", ""), ("p/b.py", ""), ("p/c/__init__.py", "")];
    for (source, expected) in [
        ("import b\n", "from . import b\n"),
        ("from b import x\n", "from .b import x\n"),
        ("from b.c import x\n", "from .b.c import x\n"),
        ("import b\nimport b.d as e\nimport b.f\n", "from . import b\nfrom .b import d as e\nimport b.f\n"),
        ("import os, b as d, c\n", "import os\nfrom . import b as d, c\n"),
        ("import b\nfrom c import *\nimport os.path\n", "from . import b\nfrom .c import *\nimport os.path\n"),
    ] {
        assert_eq!(first(source, &package).as_deref(), Some(expected), "{source}");
    }
    for source in ["import b.c\n", "try:\n    import b\nexcept ImportError:\n    b = None\n"] {
        assert_eq!(first(source, &package), None, "{source}");
    }
    assert_eq!(first("import b\n", &[("p/b.py", "")]), None, "the folder is no package");
    assert_eq!(first("import b\n", &[("p/__init__.py", ""), ("q/b.py", "")]), None, "the module is elsewhere");
    assert_eq!(first("import b\n", &[("p/__init__.py", ""), ("p/b.py", ""), ("b.py", "")]), None, "there are two");
}

#[test]
fn a_module_whose_name_the_package_binds_to_something_else_stays_in_functions() {
    let package = |init| [("p/__init__.py", init), ("p/b.py", ""), ("p/c.py", "")];
    let source = "import b\nimport c\n\ndef f():\n    if c:\n        import b\n    return b.b()\n";
    let kept = "from . import b\nfrom . import c\n\ndef f():\n    if c:\n        import b\n    return b.b()\n";
    let all = kept.replace("    import b", "    from . import b");
    // What a module imports while the package is imported is the module still.
    for (init, expected) in [
        ("from .b import b\n", kept),
        ("from c import d as b\n", kept),
        ("from . import b\n", &all),
        ("from .b import d\n", &all),
        ("", &all),
    ] {
        assert_eq!(first(source, &package(init)).as_deref(), Some(expected), "{init}");
    }
    let class = "import c\n\nif c:\n    import b\n";
    let expected = "from . import c\n\nif c:\n    from . import b\n";
    assert_eq!(first(class, &package("from .b import b\n")).as_deref(), Some(expected), "it is in no function");
}

#[test]
fn a_module_with_the_name_of_its_package_is_found_in_it() {
    let package = [("iso/__init__.py", "from iso import *\n"), ("iso/iso.py", "def parse(): pass\n")];
    for error in [
        "AttributeError: module 'iso' has no attribute 'parse'",
        "ImportError: cannot import name 'parse' from 'iso' (/repo/iso/__init__.py)",
    ] {
        let found = candidates(&trace("run.py", 1, "iso.parse()", error), &package);
        let files = found.into_iter().next().map(|draft| draft.files);
        assert_eq!(files, Some(vec![("iso/__init__.py".to_owned(), b"from .iso import *\n".to_vec())]));
        let other = [("iso/__init__.py", "from .iso import *\n"), ("iso/iso.py", "")];
        assert!(candidates(&trace("run.py", 1, "iso.parse()", error), &other).is_empty());
    }
}

#[test]
fn a_module_that_python_3_named_is_no_sibling_of_what_is_ported_already() {
    let package = [("p/__init__.py", ""), ("p/b.py", ""), ("p/http.py", ""), ("p/c.py", "")];
    let source = "from . import c\nfrom http.server import x\nimport b\n";
    let expected = "from . import c\nfrom http.server import x\nfrom . import b\n";
    assert_eq!(first(source, &package).as_deref(), Some(expected));
    assert_eq!(first("import http\nimport b\n", &package).as_deref(), Some("from . import http\nfrom . import b\n"));
}

#[test]
fn the_first_candidate_covers_the_package() {
    let files = [("p/__init__.py", "from b import x\n"), ("p/b.py", "import b\n"), ("q/a.py", "import b\n")];
    let failure =
        Failure { event: 1, input: String::new(), output: trace("p/__init__.py", 1, "from b import x", MISSING) };
    let found = drafts(&[], &[failure], &mut Files::of(&files));
    let paths: Vec<Vec<&str>> =
        found.iter().map(|draft| draft.files.iter().map(|(path, _)| path.as_str()).collect()).collect();
    assert_eq!(paths, [vec!["p/__init__.py", "p/b.py"], vec!["p/__init__.py"]]);
}

/// Source, text on the failing line, error, and the expected source; empty if there is no repair.
fn check(cases: &[(&str, &str, &str, &str)]) {
    for (source, at, error, expected) in cases {
        let output = trace_at("pkg/mod.py", source, at, error);
        let expected = (!expected.is_empty()).then_some(*expected);
        assert_eq!(repaired(&output, "pkg/mod.py", source).as_deref(), expected, "{source}\n{output}");
    }
}

#[test]
fn names_that_went_to_several_modules() {
    const GONE: &str = "ModuleNotFoundError: No module named 'urllib2'";
    check(&[
        (
            "import urllib2\nurllib2.urlopen(u)\ntry:\n    f()\nexcept urllib2.HTTPError:\n    pass\n",
            "import",
            GONE,
            "import urllib.error, urllib.request\nurllib.request.urlopen(u)\ntry:\n    f()\nexcept urllib.error.HTTPError:\n    pass\n",
        ),
        (
            "from urllib2 import urlopen, HTTPError as E\n",
            "from",
            GONE,
            "from urllib.error import HTTPError as E\nfrom urllib.request import urlopen\n",
        ),
        (
            "import urllib\nx = urllib.urlencode(y)\n",
            "x = ",
            "AttributeError: module 'urllib' has no attribute 'urlencode'",
            "import urllib\nimport urllib.parse\nx = urllib.parse.urlencode(y)\n",
        ),
        ("import urllib2\nx = urllib2.__name__\nurllib2.urlopen(u)\n", "import", GONE, ""),
        ("import urllib2\nurllib = 1\nurllib2.urlopen(u)\n", "import", GONE, ""),
    ]);
}

#[test]
fn names_that_became_builtins_or_methods() {
    const IZIP: &str = "ImportError: cannot import name 'izip' from 'itertools' (unknown location)";
    const JOIN: &str = "AttributeError: module 'string' has no attribute 'join'";
    check(&[
        (
            "from itertools import izip, chain, imap\nfor a in izip(b): pass\n",
            "from",
            IZIP,
            "from itertools import chain\nimap = map\nizip = zip\nfor a in izip(b): pass\n",
        ),
        ("from itertools import izip\n", "from", IZIP, "izip = zip\n"),
        ("from itertools import izip as zip\nx = 1\n", "from", IZIP, "x = 1\n"),
        ("def f():\n    from itertools import izip as zip\n", "from", IZIP, ""),
        ("import string\nx = string.join(a, b)\n", "x = ", JOIN, "import string\nx = b.join(a)\n"),
        (
            "import string\nx = string.join(map(string.lower, a + b))\n",
            "x = ",
            JOIN,
            "import string\nx = ' '.join(map(str.lower, a + b))\n",
        ),
        (
            "from string import upper, digits\nx = upper(a + b)\n",
            "from",
            "ImportError: cannot import name 'upper' from 'string' (/usr/lib/python3.11/string.py)",
            "from string import digits\nx = (a + b).upper()\n",
        ),
        (
            "import sets, os\nx = sets.Set(y)\n",
            "import",
            "ModuleNotFoundError: No module named 'sets'",
            "import os\nx = set(y)\n",
        ),
        (
            "import types\nx = isinstance(y, types.StringTypes)\n",
            "x = ",
            "AttributeError: module 'types' has no attribute 'StringTypes'",
            "import types\nx = isinstance(y, (str,))\n",
        ),
        (
            "import types\nx = type(y) is types.InstanceType\n",
            "x = ",
            "AttributeError: module 'types' has no attribute 'InstanceType'",
            "import types\nx = type(y) is object\n",
        ),
        (
            "import types\nx = isinstance(y, (int, types.InstanceType))\n",
            "x = ",
            "AttributeError: module 'types' has no attribute 'InstanceType'",
            "",
        ),
        ("import os\nimport string\nx = string.join(*a)\n", "x = ", JOIN, ""),
        (
            "import unittest\nx = unittest.makeSuite(T, 'check')\n",
            "x = ",
            "AttributeError: module 'unittest' has no attribute 'makeSuite'",
            "",
        ),
        (
            "import unittest\nx = unittest.makeSuite(T)\n",
            "x = ",
            "AttributeError: module 'unittest' has no attribute 'makeSuite'",
            "import unittest\nx = unittest.defaultTestLoader.loadTestsFromTestCase(T)\n",
        ),
        ("from UserDict import IterableUserDict\n", "from", "ModuleNotFoundError: No module named 'UserDict'", ""),
        (
            "from sklearn.externals import joblib\n",
            "from",
            "ImportError: cannot import name 'joblib' from 'sklearn.externals' (/v/sklearn/externals/__init__.py)",
            "import joblib\n",
        ),
    ]);
}

#[test]
fn handlers_of_all_exceptions_expect_a_missing_name_only_if_they_serve_it() {
    const GONE: &str = "ModuleNotFoundError: No module named 'urllib2'";
    const LONG: &str = "NameError: name 'long' is not defined";
    check(&[
        (
            "import urllib2\ntry:\n    x = urllib2.urlopen(u)\nexcept Exception:\n    x = None\n",
            "import",
            GONE,
            "import urllib.request\ntry:\n    x = urllib.request.urlopen(u)\nexcept Exception:\n    x = None\n",
        ),
        (
            "try:\n    import urllib2\nexcept ImportError:\n    urllib2 = None\nx = urllib2.urlopen(u)\n",
            "import urllib2",
            GONE,
            "",
        ),
    ]);
    check(&[
        (
            "x = long(1)\ntry:\n    y = long(2)\n    f(y)\nexcept:\n    log()\n",
            "x =",
            LONG,
            "x = int(1)\ntry:\n    y = int(2)\n    f(y)\nexcept:\n    log()\n",
        ),
        (
            "x = long(1)\ntry:\n    long\nexcept:\n    pass\n",
            "x =",
            LONG,
            "x = int(1)\ntry:\n    long\nexcept:\n    pass\n",
        ),
        (
            "x = long(1)\ntry:\n    y = long(2)\n    f(y)\nexcept Exception:\n    y = 0\n",
            "x =",
            LONG,
            "x = int(1)\ntry:\n    y = long(2)\n    f(y)\nexcept Exception:\n    y = 0\n",
        ),
    ]);
}

#[test]
fn methods_that_are_not_called_have_their_new_names() {
    check(&[
        (
            "f = iter(x).next\n",
            "f =",
            "AttributeError: 'generator' object has no attribute 'next'",
            "f = iter(x).__next__\n",
        ),
        (
            "f = {}.has_key\nif x.has_key(1): pass\n",
            "f =",
            "AttributeError: 'dict' object has no attribute 'has_key'",
            "f = {}.__contains__\nif 1 in x: pass\n",
        ),
        ("f = a.next, b.next\n", "f =", "AttributeError: 'generator' object has no attribute 'next'", ""),
    ]);
}
