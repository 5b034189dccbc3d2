//! Messages that leave one edit.

use super::cases::{parser, repaired, trace_at};

/// Source, text on the failing line, error, and the expected source; empty if there is no repair.
fn check(error: &str, cases: &[(&str, &str, &str)]) {
    for (source, at, expected) in cases {
        let output = match error.strip_prefix("SyntaxError: ") {
            Some(message) => {
                let line = source.lines().position(|line| line.contains(at)).map_or(0, |line| line + 1);
                parser("pkg/mod.py", source, line, 0, message)
            }
            None => trace_at("pkg/mod.py", source, at, error),
        };
        let expected = (!expected.is_empty()).then_some(*expected);
        assert_eq!(repaired(&output, "pkg/mod.py", source).as_deref(), expected, "{source}\n{output}");
    }
}

#[test]
fn divisions_of_integers() {
    check(
        "TypeError: 'float' object cannot be interpreted as an integer",
        &[
            ("for i in range(n / 2): pass\n", "for", "for i in range(n // 2): pass\n"),
            (
                "def f(n):\n    half = n / 2\n    return range(half)\n",
                "return",
                "def f(n):\n    half = n // 2\n    return range(half)\n",
            ),
            ("x = 7\nx /= 2\ny = range(x)\n", "range", "x = 7\nx //= 2\ny = range(x)\n"),
            // A written text or list is never repeated a float's times, so all such divisions of the file change.
            (
                "y = range(n / 2)\nz = '-' * (n / 2) + [0] * (a / b + a % 2)\nw = v * (n / 2) + c[0] * (n / 2) + [0] * (n / 2.0)\n",
                "range",
                "y = range(n // 2)\nz = '-' * (n // 2) + [0] * (a // b + a % 2)\nw = v * (n / 2) + c[0] * (n / 2) + [0] * (n / 2.0)\n",
            ),
            // Two divisions, a float in Python 2 as well, another function.
            ("y = range(a / 2, b / 2)\n", "y = ", ""),
            ("y = range(int(a / 2.0))\n", "y = ", ""),
            ("y = range(float(a) / 2)\n", "y = ", ""),
            ("def g():\n    half = 3 / 2\ndef f(half):\n    return range(half)\n", "range", ""),
        ],
    );
    check(
        "TypeError: list indices must be integers or slices, not float",
        &[("x = y[(a + b) / 2]\n", "x = ", "x = y[(a + b) // 2]\n")],
    );
}

#[test]
fn what_changes_while_it_is_walked_through() {
    check(
        "RuntimeError: dictionary changed size during iteration",
        &[
            ("for k in d.keys():\n    del d[k]\n", "for", "for k in list(d.keys()):\n    del d[k]\n"),
            ("for k, v in d.items(): d.pop(k)\n", "for", "for k, v in list(d.items()): d.pop(k)\n"),
            ("x = [d.pop(k) for k in d]\n", "x = ", ""),
            ("for k in a, b: d.pop(k)\n", "for", ""),
        ],
    );
}

#[test]
fn the_end_of_a_generator() {
    check(
        "StopIteration",
        &[
            (
                "def g():\n    yield 1\n    if x: raise StopIteration\n    raise StopIteration()\n",
                "if x",
                "def g():\n    yield 1\n    if x: return\n    return\n",
            ),
            // An iterator raises it as it should.
            ("class I:\n    def __next__(self):\n        raise StopIteration\n", "raise", ""),
            ("def g():\n    yield next(x)\n", "yield", ""),
        ],
    );
}

#[test]
fn exceptions_and_texts() {
    let caught = "try:\n    f()\nexcept ValueError as e:\n";
    check(
        "AttributeError: 'ValueError' object has no attribute 'message'",
        &[
            (&format!("{caught}    print(e.message)\n"), "print", &format!("{caught}    print(str(e))\n")),
            ("print(e.message)\n", "print", ""),
            (&format!("{caught}    print(self.e.message)\n"), "print", ""),
        ],
    );
    check(
        "TypeError: 'OSError' object is not subscriptable",
        &[
            (&format!("{caught}    if e[0] == 2: pass\n"), "if e", &format!("{caught}    if e.args[0] == 2: pass\n")),
            ("x = e[0]\n", "x = ", ""),
        ],
    );
    check(
        "TypeError: exceptions must derive from BaseException",
        &[("raise 'no %s' % x\n", "raise", "raise Exception('no %s' % x)\n"), ("raise x\n", "raise", "")],
    );
    check(
        "TypeError: ord() expected string of length 1, but int found",
        &[
            ("x = [ord(c) for c in y]\n", "x = ", "x = [(c if isinstance(c, int) else ord(c)) for c in y]\n"),
            ("x = ord(f())\n", "x = ", ""),
        ],
    );
    check(
        "TypeError: decoding str is not supported",
        &[
            ("x = str(y, 'utf-8')\n", "x = ", "x = (y if isinstance(y, str) else str(y, 'utf-8'))\n"),
            ("x = str(f(), e)\n", "x = ", ""),
        ],
    );
}

#[test]
fn functions_that_went_or_take_less() {
    check(
        "AttributeError: 'HTMLParser' object has no attribute 'unescape'",
        &[
            ("p = HTMLParser()\nx = p.unescape(y)\n", "x = ", "import html\np = HTMLParser()\nx = html.unescape(y)\n"),
            ("html = f()\nx = p.unescape(html)\n", "x = ", ""),
        ],
    );
    check(
        "ValueError: can't have unbuffered text I/O",
        &[
            ("import os\no = os.fdopen(1, 'w', 0)\n", "o = ", "import os\no = os.fdopen(1, 'w', 1)\n"),
            ("f = open(p, 'a', buffering=0)\n", "f = ", "f = open(p, 'a', buffering=1)\n"),
            ("f = open(p, 'a', size)\n", "f = ", ""),
        ],
    );
    check(
        "AttributeError: module 'sys' has no attribute 'setdefaultencoding'",
        &[
            (
                "import sys\nimport importlib\nimportlib.reload(sys)\nsys.setdefaultencoding('utf8')\nx = 1\n",
                "setdefault",
                "import sys\nimport importlib\nx = 1\n",
            ),
            ("import sys\nif a:\n    sys.setdefaultencoding('utf8')\n", "setdefault", "import sys\nif a:\n    pass\n"),
        ],
    );
}

#[test]
fn what_the_parser_refuses() {
    check(
        "SyntaxError: (unicode error) 'unicodeescape' codec can't decode bytes in position 2-3: truncated \\UXXXXXXXX escape",
        &[
            ("p = 'C:\\Users\\x'\n", "p = ", "p = 'C:\\\\Users\\\\x'\n"),
            ("p = 'a\\tb\\\\u\\u00e9\\U'\n", "p = ", "p = 'a\\tb\\\\u\\u00e9\\\\U'\n"),
            ("p = r'C:\\Users'\n", "p = ", ""),
        ],
    );
    check(
        "SyntaxError: Generator expression must be parenthesized",
        &[
            ("x = sum(a for a in b, 1)\n", "x = ", "x = sum((a for a in b), 1)\n"),
            ("x = f(a, b for b in a)\n", "x = ", "x = f(a, (b for b in a))\n"),
        ],
    );
    check(
        "SyntaxError: from __future__ imports must occur at the beginning of the file",
        &[
            (
                "#!/usr/bin/python\n'''Text.'''\nimport os\nfrom __future__ import division\nx = 1\n",
                "__future__",
                "#!/usr/bin/python\n'''Text.'''\nfrom __future__ import division\nimport os\nx = 1\n",
            ),
            ("import os; from __future__ import division\n", "__future__", ""),
        ],
    );
    check(
        "SyntaxError: name 'x' is assigned to before global declaration",
        &[
            (
                "def f():\n    '''Text.'''\n    x = 1\n    global x\n",
                "global",
                "def f():\n    '''Text.'''\n    global x\n    x = 1\n",
            ),
            ("x = 1\nglobal x\ny = 2\n", "global", "x = 1\ny = 2\n"),
            (
                "def f():\n    x = 1\n    if x:\n        global x\n",
                "global",
                "def f():\n    global x\n    x = 1\n    if x:\n        pass\n",
            ),
        ],
    );
}

#[test]
fn slots_that_a_class_variable_hides() {
    check(
        "ValueError: 'format' in __slots__ conflicts with class variable",
        &[
            (
                "class A(B):\n    format = '%s'\n    __slots__ = ('unit', 'format')\n",
                "class",
                "class A(B):\n    format = '%s'\n    __slots__ = ('unit', )\n",
            ),
            (
                "class A:\n    __slots__ = ['format', \"f\", 'g']\n    def format(self): pass\n    def f(self):\n        g = 1\n",
                "class",
                "class A:\n    __slots__ = ['g']\n    def format(self): pass\n    def f(self):\n        g = 1\n",
            ),
            (
                "class A:\n    __slots__ = ('format',)\n    format = 1\n",
                "class",
                "class A:\n    __slots__ = ()\n    format = 1\n",
            ),
            // The base may be what the message means, or code that makes the slots.
            ("class A(B):\n    __slots__ = ('format',)\n", "class", ""),
            ("class A:\n    __slots__ = slots('format')\n    x = 1\n", "class", ""),
        ],
    );
}

#[test]
fn the_locale_of_a_pattern() {
    check(
        "ValueError: cannot use LOCALE flag with a str pattern",
        &[
            ("x = re.compile('a', re.I | re.LOCALE)\n", "x", "x = re.compile('a', re.I)\n"),
            ("x = compile('a', LOCALE+I)\n", "x", "x = compile('a', I)\n"),
            ("x = re.compile('a', re.L)\n", "x", "x = re.compile('a')\n"),
            ("x = re.compile('a', flags=re.L)\n", "x", ""),
            ("x = re.compile('a', flags)\n", "x", ""),
        ],
    );
}
