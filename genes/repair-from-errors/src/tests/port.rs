//! Projects for Python 2, ported at once.

use std::collections::BTreeMap;

use super::cases::{candidates, parser, trace};

/// The files that the first candidate changes, with their new content.
fn first(output: &str, files: &[(&str, &str)]) -> BTreeMap<String, String> {
    let draft = candidates(output, files).into_iter().next();
    let files = draft.into_iter().flat_map(|draft| draft.files);
    files.map(|(path, content)| (path, String::from_utf8(content).expect("cases are text"))).collect()
}

const INVALID: &str = "invalid syntax";
const FAILING: &str = "raise KeyError, 'a'\n";

fn failing() -> String {
    parser("p/a.py", FAILING, 1, 14, INVALID)
}

/// The file `p/b.py` of a project that fails in `p/a.py`.
fn beside(source: &str, others: &[(&str, &str)]) -> Option<String> {
    let mut files = vec![("p/__init__.py", ""), ("p/a.py", FAILING), ("p/b.py", source)];
    files.extend(others);
    let changed = first(&failing(), &files);
    assert_eq!(changed.get("p/a.py").map(String::as_str), Some("raise KeyError('a')\n"), "{source}");
    changed.get("p/b.py").cloned()
}

#[test]
fn every_file_loses_what_only_python_2_has() {
    for (source, expected) in [
        ("print 'a'\nx = `y`\n", "print('a')\nx = repr(y)\n"),
        ("import urlparse\nurlparse.urljoin(a, b)\n", "import urllib.parse as urlparse\nurlparse.urljoin(a, b)\n"),
        ("import urllib2\nurllib2.urlopen(u)\n", "import urllib.request\nurllib.request.urlopen(u)\n"),
        (
            "import collections\nx = collections.Mapping\n",
            "import collections\nimport collections.abc\nx = collections.abc.Mapping\n",
        ),
        ("import cgi\ncgi.escape(a, True)\n", "import html\nhtml.escape(a, True)\n"),
        ("x = isinstance(y, basestring) or long(z)\n", "x = isinstance(y, str) or int(z)\n"),
        (
            "class C:\n    def range(self):\n        return xrange(3)\n",
            "class C:\n    def range(self):\n        return range(3)\n",
        ),
        ("x = reduce(f, y)\n", "from functools import reduce\nx = reduce(f, y)\n"),
        ("for k, v in d.iteritems(): pass\n", "for k, v in d.items(): pass\n"),
        ("if d.has_key(k): pass\n", "if k in d: pass\n"),
        ("x = f.func_name\n", "x = f.__name__\n"),
        ("if a:\n    if b:\n        x = 1\n\tx = 1\n", "if a:\n    if b:\n        x = 1\n        x = 1\n"),
        ("if a:\n        x = 1\n\ty = 2\n", "if a:\n        x = 1\n        y = 2\n"),
        ("import sys\nx = sys.maxint\n", "import sys\nx = sys.maxsize\n"),
        ("import a\n", "from . import a\n"),
        // Neither branch serves Python 3.
        (
            "try:\n    import thread\nexcept ImportError:\n    import dummy_thread as thread\n",
            "try:\n    import _thread as thread\nexcept ImportError:\n    import dummy_thread as thread\n",
        ),
        (
            "try:\n    from cStringIO import StringIO\nexcept ImportError:\n    from StringIO import StringIO\n",
            "try:\n    from io import StringIO\nexcept ImportError:\n    from StringIO import StringIO\n",
        ),
        ("from a import x\nprint x\n", "from .a import x\nprint(x)\n"),
        (
            "import a\nclass C:\n    key = cmp\n",
            "from . import a\n\n\ndef cmp(a, b):\n    return (a > b) - (a < b)\n\nclass C:\n    key = cmp\n",
        ),
        (
            "try:\n    from urlparse import parse_qs\nexcept ImportError:\n    from cgi import parse_qs\n",
            "try:\n    from urllib.parse import parse_qs\nexcept ImportError:\n    from cgi import parse_qs\n",
        ),
        (
            "try:\n    x = unicode(y)\nexcept:\n    log()\n    raise\n",
            "try:\n    x = str(y)\nexcept:\n    log()\n    raise\n",
        ),
        ("import __builtin__ as b\nb.x = 1\n", "import builtins as b\nb.x = 1\n"),
        ("x = [a.True, b.c.False]\n", "x = [True, False]\n"),
        ("import __builtin__\nTrue = __builtin__.True\n", "import builtins\npass\n"),
        ("def f(a, False=False, b=1): pass\n", "def f(a, b=1): pass\n"),
        ("import sys, urllib2\nx = 1\n", "import sys\nx = 1\n"),
        (
            "class A:\n    __slots__ = ['a', 'f']\n    def f(self): pass\n",
            "class A:\n    __slots__ = ['a', ]\n    def f(self): pass\n",
        ),
        (
            "from sets import Set\ntry:\n    set\nexcept NameError:\n    set = Set\nx = (set, Set)\n",
            "Set = set\ntry:\n    set\nexcept NameError:\n    set = Set\nx = (set, Set)\n",
        ),
        (
            "import new, types\ntry:\n    f = g.f\nexcept AttributeError:\n    h()\nelse:\n    m = new.instancemethod(f, self, C)\n",
            "import types\ntry:\n    f = g.f\nexcept AttributeError:\n    h()\nelse:\n    m = types.MethodType(f, self)\n",
        ),
        ("import types\nx = types.UnboundMethodType\n", "import types\nx = types.MethodType\n"),
        (
            "try:\n    f()\nexcept E, (a, b):\n    print a\n",
            "try:\n    f()\nexcept E as error:\n    (a, b) = error.args\n    print(a)\n",
        ),
        ("import __builtin__\n__builtin__.x = 1\n", "import builtins\nbuiltins.x = 1\n"),
        ("import sys\nreload(sys)\nsys.setdefaultencoding('utf8')\nx = 1\n", "import sys\nx = 1\n"),
        // What was a list stays one, where that can be seen.
        ("k = d.keys()\nk.sort()\n", "k = list(d.keys())\nk.sort()\n"),
        ("def f():\n    return map(g, d.items())\n", "def f():\n    return list(map(g, d.items()))\n"),
        ("x = ['a'] + d.keys()\n", "x = ['a'] + list(d.keys())\n"),
        ("t = map(f, range(9))\nx = zip(a, b)[0]\n", "t = list(map(f, range(9)))\nx = list(zip(a, b))[0]\n"),
    ] {
        assert_eq!(beside(source, &[]).as_deref(), Some(expected), "{source}");
    }
}

#[test]
fn a_dictionary_of_the_project_may_have_both_names() {
    let class = "class D:\n    def items(self): pass\n    def iteritems(self): pass\n";
    let ported = beside("for k in d.iteritems(): pass\n", &[("p/c.py", class)]);
    assert_eq!(ported.as_deref(), Some("for k in d.items(): pass\n"));
    let class = "class D:\n    items = f('items')\n    iteritems = f('iteritems')\n";
    let ported = beside("for k in d.iteritems(): pass\n", &[("p/c.py", class)]);
    assert_eq!(ported.as_deref(), Some("for k in d.items(): pass\n"));
    let ported = beside("for k in d.iteritems(): pass\n", &[("p/c.py", "class D:\n    iteritems = f('iteritems')\n")]);
    assert_eq!(ported, None, "it has no other name");
    let ported = beside("x = unicode(y)\n", &[("p/compat.py", "unicode = str\n")]);
    assert_eq!(ported.as_deref(), Some("x = str(y)\n"), "a file that imports nothing means the builtin");
}

#[test]
fn what_another_version_or_the_project_means_stays() {
    for (source, others) in [
        // Both versions are served.
        ("try:\n    x = unicode\nexcept NameError:\n    x = str\n", &[][..]),
        ("import sys\nif sys.version_info[0] < 3:\n    text = unicode\n", &[]),
        ("try:\n    import urllib2\nexcept ImportError:\n    import urllib.request as urllib2\n", &[]),
        ("try:\n    import thread\nexcept ImportError:\n    thread = None\n", &[]),
        ("try:\n    import cPickle as pickle\nexcept ImportError:\n    import pickle\n", &[]),
        ("import six\nfor k in six.iteritems(d): pass\n", &[]),
        // The project has its own.
        ("for k in d.iteritems(): pass\n", &[("p/c.py", "class D:\n    def iteritems(self): pass\n")]),
        ("from compat import *\nx = unicode(y)\n", &[("compat.py", "unicode = str\n")]),
        ("from compat import unicode\nx = unicode(y)\n", &[("compat.py", "unicode = str\n")]),
        ("x = unicode(y)\n", &[("p/compat.py", "import __builtin__\n__builtin__.unicode = str\n")]),
        ("if a:\n\tx = 1\n", &[]),
        ("def range(a):\n    return xrange(a)\n", &[]),
        ("x = filter(f, y)\nif hasattr(str, 'a'): x = unicode(y)\n", &[]),
        ("try:\n    x = unicode(y)\nexcept NameError:\n    raise\n", &[]),
        ("from compat import *\nx = f.func_name\n", &[("p/c.py", "self.func_name = 1\n")]),
        ("import Queue\nQueue.Queue()\n", &[("Queue.py", "")]),
        // Python 3 has it, or removed it only lately.
        ("print (a), b\n", &[]),
        ("import imp\nimp.reload(x)\n", &[]),
        ("import os\nimport json\nfrom __future__ import absolute_import\nimport a\n", &[]),
        ("import a\nif __name__ == '__main__':\n    a.main()\n", &[]),
        ("import a\n", &[("a.py", "")]),
    ] {
        assert_eq!(beside(source, others), None, "{source}");
    }
}

#[test]
fn copies_for_python_2_and_foreign_files_stay() {
    let old = "print 'a'\n";
    let files = [
        ("p/__init__.py", ""),
        ("p/a.py", FAILING),
        ("lib/y.py", old),
        ("lib3/y.py", "print('a')\n"),
        ("python2/z.py", old),
        ("python3/z.py", ""),
        ("vendor/v.py", old),
        ("q/generated.py", "# Generated by x. DO NOT EDIT.\nprint 'a'\n"),
        ("q/broken.py", "print 'a\n"),
        ("q/b.py", old),
        // The gate refuses what makes a function of code, and the others would not pass with it.
        ("q/run.py", "import types\nprint 'a', types.FunctionType, types.ListType\n"),
        ("q/same.py", "exec code in ns\n"),
        ("setup.py", old),
    ];
    let changed: Vec<String> = first(&failing(), &files).into_keys().collect();
    assert_eq!(changed, ["p/a.py", "q/b.py", "q/same.py"]);
}

#[test]
fn the_own_folder_and_the_failing_file_follow() {
    let old = "print 'a'\n";
    let files = [("p/a.py", FAILING), ("p/b.py", old), ("q/c.py", old), ("p/tests/t.py", old)];
    let groups = candidates(&failing(), &files);
    let paths: Vec<Vec<&str>> =
        groups.iter().map(|draft| draft.files.iter().map(|(path, _)| path.as_str()).collect()).collect();
    assert_eq!(paths, [vec!["p/a.py", "p/b.py", "p/tests/t.py", "q/c.py"], vec!["p/a.py", "p/b.py"], vec!["p/a.py"]]);
}

#[test]
fn other_faults_port_nothing() {
    let source = "import collections\nx = collections.Mapping\n";
    let output = trace(
        "p/a.py",
        2,
        "x = collections.Mapping",
        "AttributeError: module 'collections' has no attribute 'Mapping'",
    );
    let changed = first(&output, &[("p/a.py", source), ("p/b.py", "x = unicode(y)\n")]);
    assert_eq!(changed.into_keys().collect::<Vec<_>>(), ["p/a.py"]);
}

#[test]
fn a_package_for_an_old_node_is_ported_at_once() {
    let output = "/repo/lib/a.js:1\nos.tmpDir();\n   ^\n\nTypeError: os.tmpDir is not a function\n    at Object.<anonymous> \
                  (/repo/lib/a.js:2:4)\n\nNode.js v20.20.2\n";
    let failing = "var os = require('os');\nos.tmpDir();\n";
    let files = [
        ("lib/a.js", failing),
        ("lib/b.js", "var sys = require('sys');\nnew Buffer(8);\n"),
        ("lib/c.js", "require('util').inherits(A, process.EventEmitter);\nGLOBAL.x = 1;\n"),
        // These are copies, made by a tool, or run programs.
        ("deps/d.js", "new Buffer(8);\n"),
        ("lib/e.min.js", "new Buffer(8);\n"),
        ("lib/f.js", "require('child_process').exec(new Buffer('a'));\n"),
        // The names are the file's own.
        ("lib/g.js", "function Buffer() {}\nnew Buffer(8);\nvar os = {};\nos.tmpDir();\n"),
    ];
    let changed = first(output, &files);
    let changed: Vec<(&str, &str)> = changed.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    assert_eq!(
        changed,
        [
            ("lib/a.js", "var os = require('os');\nos.tmpdir();\n"),
            ("lib/b.js", "var sys = require('util');\nBuffer.alloc(8);\n"),
            ("lib/c.js", "require('util').inherits(A, require('events').EventEmitter);\nglobal.x = 1;\n"),
        ]
    );
}

#[test]
fn files_whose_changes_a_gate_refuses_are_left_out() {
    let source = "import types\nif type(x) in (types.FunctionType, types.ListType): print 'a'\n";
    assert_eq!(beside(source, &[]), None);
    // What says the same as before is nothing new to the gate.
    for source in [
        "execfile(a)\nprint 'a'\n",
        "f.func_globals['a'] = 1\nprint 'a'\n",
        "try: f()\nexcept AssertionError, e: pass\n",
    ] {
        let files = [("p/__init__.py", ""), ("p/a.py", FAILING), ("tests/t.py", source)];
        assert!(first(&failing(), &files).contains_key("tests/t.py"), "{source}");
    }
}
