//! Names that a file has to define itself, and names of modules that went with Python 2.

use super::cases::{repaired, trace_at};

fn fixed(source: &str, at: &str, error: &str) -> Option<String> {
    repaired(&trace_at("pkg/mod.py", source, at, error), "pkg/mod.py", source)
}

const IMPORT: &str = "ImportError: cannot import name 'getargspec' from 'inspect' (/usr/lib/python3.11/inspect.py)";
const ATTRIBUTE: &str =
    "AttributeError: module 'inspect' has no attribute 'formatargspec'. Did you mean: 'formatargvalues'?";

#[test]
fn a_file_defines_what_inspect_no_longer_has() {
    let source = "import inspect\nimport os\n\nx = inspect.formatargspec(['a'])\n";
    let after = fixed(source, "x =", ATTRIBUTE).expect("it is repaired");
    assert!(after.starts_with("import collections as _collections\nimport inspect as _inspect\n"), "{after}");
    assert!(after.contains("\ndef formatargspec(args,") && !after.contains("ArgSpec = "), "{after}");
    assert!(after.ends_with("\nimport inspect\nimport os\n\nx = formatargspec(['a'])\n"), "{after}");

    // A use that `getfullargspec` does not fit.
    let source = "from inspect import getargspec, ArgSpec, isclass\n\ndef f(g):\n    return h(getargspec(g), ArgSpec([], None, None, None))\n";
    let after = fixed(source, "from inspect", IMPORT).expect("it is repaired");
    assert!(
        after.contains("ArgSpec = _collections.namedtuple(") && after.contains("def getargspec(function):"),
        "{after}"
    );
    assert!(after.contains("\nfrom inspect import isclass\n") && !after.contains("def formatargspec"), "{after}");
}

/// Code that gets the whole result may count its fields, so `getfullargspec` does not do.
#[test]
fn getargspec_is_defined_if_more_than_its_fields_is_used() {
    const GONE: &str = "AttributeError: module 'inspect' has no attribute 'getargspec'. Did you mean: 'getargs'?";
    for (source, at, used) in [
        ("import inspect\ndef f(g):\n    s = inspect.getargspec(g)\n    return s\n", "s = ", "s = getargspec(g)\n"),
        (
            "import inspect\ndef f(g):\n    s = inspect.getargspec(g)\n    a, b, c, d = s\n",
            "s = ",
            "s = getargspec(g)\n",
        ),
        ("import inspect\nx = inspect.getargspec(f)\ny = x\n", "x = ", "x = getargspec(f)\ny = x\n"),
        ("import inspect\nx = g(inspect.getargspec)\n", "x = ", "x = g(getargspec)\n"),
    ] {
        let after = fixed(source, at, GONE).expect("it is repaired");
        assert!(after.contains("\ndef getargspec(function):\n") && after.contains(used), "{after}");
    }
}

#[test]
fn nothing_is_defined_that_the_file_defines() {
    for source in [
        "import inspect\nx = inspect.formatargspec(['a'])\ndef formatargspec(a): pass\n",
        "import inspect\nfrom other import formatargspec\nx = inspect.formatargspec(['a'])\n",
        "from mine import inspect\nx = inspect.formatargspec(['a'])\n",
    ] {
        assert_eq!(fixed(source, "x =", ATTRIBUTE), None, "{source}");
    }
    let source = "from inspect import getargspec as spec\nx = g(spec(f))\n";
    assert_eq!(fixed(source, "from inspect", IMPORT), None);
}

#[test]
fn names_of_removed_modules() {
    const NEW: &str = "ModuleNotFoundError: No module named 'new'";
    for (source, at, error, expected) in [
        (
            "import threading\nclass T(threading._Timer): pass\n",
            "class",
            "AttributeError: module 'threading' has no attribute '_Timer'. Did you mean: 'Timer'?",
            "import threading\nclass T(threading.Timer): pass\n",
        ),
        (
            "import new\nx = new.instancemethod(f, o, o.__class__)\n",
            "import",
            NEW,
            "import types\nx = types.MethodType(f, o)\n",
        ),
        ("import new\nx = new.classobj('A', (), {})\n", "import", NEW, "x = type('A', (), {})\n"),
        // A function without an object is no method.
        ("import new\nx = new.instancemethod(f, None, C)\n", "import", NEW, ""),
        (
            "if worker.isAlive(): pass\n",
            "if",
            "AttributeError: 'WorkerThread' object has no attribute 'isAlive'",
            "if worker.is_alive(): pass\n",
        ),
    ] {
        let expected = (!expected.is_empty()).then_some(expected);
        assert_eq!(fixed(source, at, error).as_deref(), expected, "{source}");
    }
}

#[test]
fn a_file_defines_what_operator_code_and_the_parser_no_longer_have() {
    const SPACE: &str = "ImportError: cannot import name 'softspace' from 'code' (/usr/lib/python3.11/code.py)";
    const SLICE: &str = "ImportError: cannot import name 'getslice' from 'operator' (/usr/lib/python3.11/operator.py)";
    let source = "from operator import getslice, add\nx = getslice(y, 1, 2)\n";
    let after = fixed(source, "from", SLICE).expect("it is repaired");
    assert!(after.contains("def getslice(a, b, c):\n    return a[b:c]\n"), "{after}");
    assert!(after.ends_with("\nfrom operator import add\nx = getslice(y, 1, 2)\n"), "{after}");
    let own = "from operator import getslice\ngetslice = 1\n";
    assert_eq!(fixed(own, "from", SLICE), None);
    let after = fixed("from code import softspace\nsoftspace(f, 0)\n", "from", SPACE).expect("it is repaired");
    assert!(after.starts_with("def softspace(file, value):\n") && after.ends_with("\nsoftspace(f, 0)\n"), "{after}");
    let source = "import HTMLParser as html\nclass P(html.HTMLParser): pass\nx = html.HTMLParseError\n";
    let after = fixed(source, "import", "ModuleNotFoundError: No module named 'HTMLParser'").expect("it is repaired");
    assert!(after.contains("class HTMLParseError(Exception):\n"), "{after}");
    assert!(
        after.ends_with("import html.parser as html\nclass P(html.HTMLParser): pass\nx = HTMLParseError\n"),
        "{after}"
    );
}
