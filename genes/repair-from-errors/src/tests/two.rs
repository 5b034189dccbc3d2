//! Syntax that only Python 2 has.

use super::cases::{candidates, parser, repaired};

/// Source, line, column of the mark, message, and the expected source; empty if there is no repair.
fn check(cases: &[(&str, usize, usize, &str, &str)]) {
    for (source, line, column, error, expected) in cases {
        let output = parser("a.py", source, *line, *column, error);
        let expected = (!expected.is_empty()).then_some(*expected);
        assert_eq!(repaired(&output, "a.py", source).as_deref(), expected, "{source}\n{output}");
    }
}

const PRINT: &str = "Missing parentheses in call to 'print'. Did you mean print(...)?";
const EXEC: &str = "Missing parentheses in call to 'exec'. Did you mean exec(...)?";
const EXCEPT: &str = "multiple exception types must be parenthesized";
const INVALID: &str = "invalid syntax";
const ZERO: &str = "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers";
const LAMBDA: &str = "Lambda expression parameters cannot be parenthesized";
const DEF: &str = "Function parameters cannot be parenthesized";

#[test]
fn names_that_are_keywords_and_strings_with_two_prefixes() {
    const TRUE: &str = "cannot assign to True";
    const COMMA: &str = "invalid syntax. Perhaps you forgot a comma?";
    check(&[
        ("True = 1 == 1; False = not True\n", 1, 0, TRUE, "pass; pass\n"),
        ("True = f(1)\n", 1, 0, TRUE, ""),
        ("True = not None\n", 1, 0, TRUE, "pass\n"),
        ("x = [(ur'a+', 1)]\n", 1, 7, COMMA, "x = [(r'a+', 1)]\n"),
        ("x = [(ur'[\\u00e9\\\\u]\\d', 1)]\n", 1, 7, COMMA, "x = [('[\\u00e9\\\\\\\\u]\\\\d', 1)]\n"),
        ("x = [(ur'[\\u2028]\\d', 1)]\n", 1, 7, COMMA, "x = [('[\\u2028]\\\\d', 1)]\n"),
        ("x = [(ur'[\\u2028]\\'', 1)]\n", 1, 7, COMMA, ""),
        (
            "# coding: latin-1\nx = [(ur'[\\u00e9]\\d', 1)]\n",
            2,
            7,
            COMMA,
            "# coding: latin-1\nx = [('[\\u00e9]\\\\d', 1)]\n",
        ),
        (
            "try:\n    True\nexcept NameError:\n    (True, False) = (1, 0)\n",
            4,
            5,
            TRUE,
            "try:\n    True\nexcept NameError:\n    pass\n",
        ),
        ("x = (a b)\n", 1, 5, COMMA, ""),
        ("x = [a for a in 0, 1,2 if a]\n", 1, 17, INVALID, "x = [a for a in (0, 1,2) if a]\n"),
        ("x = [a[0, 1] for a in b]; y = z z\n", 1, 32, INVALID, ""),
    ]);
}

#[test]
fn statements_of_python_2() {
    check(&[
        ("exec code\n", 1, 0, EXEC, "exec(code)\n"),
        ("exec code in ns\nexec 'a' in g, l; x = 1\n", 1, 0, EXEC, "exec(code, ns)\nexec('a', g, l); x = 1\n"),
        ("try:\n    x()\nexcept E, e:\n    print e\n", 3, 7, EXCEPT, "try:\n    x()\nexcept E as e:\n    print(e)\n"),
        // The parser of Python 3.8 names no reason.
        (
            "try:\n    x()\nexcept (E, F), e: print 'no'\n",
            3,
            13,
            INVALID,
            "try:\n    x()\nexcept (E, F) as e: print('no')\n",
        ),
        // Python 3.14 needs no brackets here, and Python 2 would assign to the name of an exception.
        (
            "try:\n    x()\nexcept ValueError, TypeError:\n    pass\n",
            3,
            7,
            EXCEPT,
            "try:\n    x()\nexcept (ValueError, TypeError):\n    pass\n",
        ),
        ("raise ValueError, 'a' % b\n", 1, 16, INVALID, "raise ValueError('a' % b)\n"),
        ("raise m.Error, (a, b)\n", 1, 13, INVALID, "raise m.Error(a, b)\n"),
        ("raise E, v, tb\n", 1, 7, INVALID, "raise E(v).with_traceback(tb)\n"),
        ("raise E, None, tb\n", 1, 7, INVALID, "raise E().with_traceback(tb)\n"),
        (
            "t, v, tb = sys.exc_info()\nraise t, v, tb\n",
            2,
            7,
            INVALID,
            "t, v, tb = sys.exc_info()\nraise v.with_traceback(tb)\n",
        ),
        ("print ('%s') % x\nprint 1\n", 2, 0, PRINT, "print(('%s') % x)\nprint(1)\n"),
        // A class in a variable may be an exception or a class.
        ("raise kind, value\n", 1, 10, INVALID, "raise value if isinstance(value, BaseException) else kind(value)\n"),
        ("raise kind, (a, b)\n", 1, 10, INVALID, "raise kind(a, b)\n"),
        ("raise self.kind, 'a' % b\n", 1, 15, INVALID, "raise self.kind('a' % b)\n"),
        ("raise f(), g()\n", 1, 9, INVALID, ""),
        ("raise 'a', b, c, d\n", 1, 9, INVALID, ""),
        ("except E, self.e:\n    pass\n", 1, 7, EXCEPT, ""),
    ]);
}

#[test]
fn print_is_a_function_already() {
    check(&[(
        "from __future__ import print_function\ntry:\n    print (a), (b)\nexcept E, e:\n    pass\n",
        4,
        7,
        EXCEPT,
        "from __future__ import print_function\ntry:\n    print (a), (b)\nexcept E as e:\n    pass\n",
    )]);
}

#[test]
fn literals_and_operators_of_python_2() {
    check(&[
        ("os.chmod(p, 0755)\n", 1, 12, ZERO, "os.chmod(p, 0o755)\n"),
        (
            "x = [10L, 0xFFL, 0, 00, 0x1F, 010L]\n",
            1,
            5,
            "invalid decimal literal",
            "x = [10, 0xFF, 0, 00, 0x1F, 0o10]\n",
        ),
        ("if a <> b: x = `a, b` + `c`\n", 1, 5, INVALID, "if a != b: x = repr((a, b)) + repr(c)\n"),
        ("x = ur'a\\d'\n", 1, 6, INVALID, "x = r'a\\d'\n"),
        (
            "x = ur'a\\u0041'\ny = re.compile(UR'\\u0041\\d')\n",
            1,
            6,
            INVALID,
            "x = u'a\\u0041'\ny = re.compile(R'\\u0041\\d')\n",
        ),
        // Neither prefix means what both together meant.
        ("x = ur'a\\u0041\\d'\n", 1, 6, INVALID, "x = 'a\\u0041\\\\d'\n"),
        ("x = 089\n", 1, 4, ZERO, ""),
        ("x = '0755 <> 10L `a`'; y = z z\n", 1, 28, INVALID, ""),
    ]);
}

#[test]
fn tuples_as_parameters() {
    check(&[
        ("f = sorted(d, key=lambda (k, v): v)\n", 1, 25, LAMBDA, "f = sorted(d, key=lambda k_v: k_v[1])\n"),
        ("f = lambda(x): x\n", 1, 10, LAMBDA, "f = lambda x: x\n"),
        ("f = lambda(k, v):(v.k, k)\n", 1, 10, LAMBDA, "f = lambda k_v:(k_v[1].k, k_v[0])\n"),
        (
            "def f(a, (b, c), d=1):\n    'Doc.'\n    return b\n",
            1,
            9,
            DEF,
            "def f(a, b_c, d=1):\n    'Doc.'\n    b, c = b_c\n    return b\n",
        ),
        ("def f((b, c)): return b\n", 1, 6, DEF, "def f(b_c): b, c = b_c; return b\n"),
        ("f = lambda (k, v): [k for k in v]\n", 1, 11, LAMBDA, ""),
        ("k_v = 1\nf = lambda (k, v): k\n", 2, 11, LAMBDA, ""),
        ("def f((b, (c, d))):\n    pass\n", 1, 6, DEF, ""),
    ]);
}

#[test]
fn the_name_async() {
    check(&[
        ("asyncio.async(f())\n", 1, 8, INVALID, "asyncio.ensure_future(f())\n"),
        (
            "def f(a, async=False):\n    return async\nf(1, async=True)\nasync def g(): pass\n",
            1,
            9,
            INVALID,
            "def f(a, async_=False):\n    return async_\nf(1, async_=True)\nasync def g(): pass\n",
        ),
        // Someone else's function has the argument, or a string names it.
        ("f(1, async=True)\n", 1, 5, INVALID, ""),
        ("self.async = 1\ngetattr(self, 'async')\n", 1, 5, INVALID, ""),
        ("from m import async\n", 1, 14, INVALID, ""),
    ]);
}

#[test]
fn tabs_become_spaces_if_the_blocks_stay_the_same() {
    let check = |source: &str, expected: &str| {
        let output =
            "  File \"/repo/a.py\", line 3\n    x = 1\nTabError: inconsistent use of tabs and spaces in indentation\n";
        let expected = (!expected.is_empty()).then_some(expected);
        assert_eq!(repaired(output, "a.py", source).as_deref(), expected, "{source}");
    };
    check(
        "def f():\n    if 1:\n\tx = 1\n        y = '''\n\tz'''\n",
        "def f():\n    if 1:\n        x = 1\n        y = '''\n\tz'''\n",
    );
    check("def f():\n    x = 0\n\tx = 1\n    return x\n", "def f():\n    x = 0\n    x = 1\n    return x\n");
    // With tabs of eight columns the last line belongs to another block than with four.
    check("if a:\n    if b:\n        x = 1\n\tx = 1\n", "");
    check("if a:\n    x = 1\n", "");
}

#[test]
fn a_try_does_not_hide_that_its_file_does_not_parse() {
    let source = "try:\n    print 'a'\nexcept Exception, e:\n    print e\n";
    let expected = "try:\n    print('a')\nexcept Exception as e:\n    print(e)\n";
    check(&[(source, 2, 4, PRINT, expected), (source, 3, 7, EXCEPT, expected)]);
}

#[test]
fn other_files_change_only_if_they_are_certainly_of_python_2() {
    let source = "print 'a'\n";
    let output = parser("a.py", source, 1, 0, PRINT);
    let files = [("a.py", source), ("b.py", "print 'b'\n"), ("c.py", "print (a), b\nprint\nprint >>x, y\n")];
    let found = candidates(&output, &files);
    let paths: Vec<Vec<&str>> =
        found.iter().map(|draft| draft.files.iter().map(|(path, _)| path.as_str()).collect()).collect();
    assert_eq!(paths, [vec!["a.py", "b.py"], vec!["a.py"]]);
}
