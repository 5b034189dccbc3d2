//! Colons and parentheses that the parser misses, and print statements.

use super::cases::{parser, repaired};

/// Source, line, column of the mark, message, and the expected source; empty if there is no repair.
fn check(cases: &[(&str, usize, usize, &str, &str)]) {
    for (source, line, column, error, expected) in cases {
        let output = parser("a.py", source, *line, *column, error);
        let expected = (!expected.is_empty()).then_some(*expected);
        assert_eq!(repaired(&output, "a.py", source).as_deref(), expected, "{source}\n{output}");
    }
}

#[test]
fn a_missing_colon_is_added_to_a_header() {
    const COLON: &str = "expected ':'";
    check(&[
        ("def f(x)\n    return x\n", 1, 8, COLON, "def f(x):\n    return x\n"),
        ("def f(x)  # why\n    return x\n", 1, 8, COLON, "def f(x):  # why\n    return x\n"),
        (
            "x = 1\nif x:\n    for i in range(3)\n        print(i)\n",
            3,
            17,
            COLON,
            "x = 1\nif x:\n    for i in range(3):\n        print(i)\n",
        ),
        ("if x:\n    pass\nelse\n    pass\n", 3, 4, COLON, "if x:\n    pass\nelse:\n    pass\n"),
        ("try\n    x()\nexcept E as e:\n    pass\n", 1, 3, COLON, "try:\n    x()\nexcept E as e:\n    pass\n"),
        ("class A\n    pass\n", 1, 7, COLON, "class A:\n    pass\n"),
        ("async def f()\n    pass\n", 1, 13, COLON, "async def f():\n    pass\n"),
        ("while True\r\n    pass\r\n", 1, 10, COLON, "while True:\r\n    pass\r\n"),
        ("def f(x)\n    return x\n", 1, 7, "invalid syntax", "def f(x):\n    return x\n"),
        // Another edit could be right.
        ("if x:\n    pass\nelse if y:\n    pass\n", 3, 5, COLON, ""),
        ("def f(x);\n    return x\n", 1, 8, COLON, ""),
        ("for x in y print(x)\n", 1, 11, COLON, ""),
        ("if x\ny = 1\n", 1, 4, COLON, ""),
        ("if x = 1\n    y\n", 1, 8, "invalid syntax", ""),
        ("if x ==\n    y\n", 1, 7, "invalid syntax", ""),
        ("foo bar\n    y\n", 1, 4, "invalid syntax", ""),
        ("if x y\n    z\n", 1, 5, "invalid syntax", ""),
    ]);
}

#[test]
fn a_missing_parenthesis_is_added_to_a_line() {
    const OPEN: &str = "'(' was never closed";
    check(&[
        (
            "def f(x):\n    return x\nprint(f(1)\nprint(2)\n",
            3,
            5,
            OPEN,
            "def f(x):\n    return x\nprint(f(1))\nprint(2)\n",
        ),
        ("x = foo(1, k='a'  # why\ny = 2\n", 1, 7, OPEN, "x = foo(1, k='a')  # why\ny = 2\n"),
        ("def f(x:\n    return x\n", 1, 5, OPEN, "def f(x):\n    return x\n"),
        ("if f(x:\n    y()\n", 1, 4, OPEN, "if f(x):\n    y()\n"),
        ("print('a'", 1, 5, OPEN, "print('a')"),
        ("print(f(1)\nprint(2)\n", 2, 0, "invalid syntax", "print(f(1))\nprint(2)\n"),
        // More than one place is possible, or more than a parenthesis is missing.
        ("x = (1 + 2\ny = 3\n", 1, 4, OPEN, ""),
        ("x = len(a + 1\ny = 3\n", 1, 7, OPEN, ""),
        ("x = foo(1,\ny = 3\n", 1, 7, OPEN, ""),
        ("x = foo(bar(1\ny = 3\n", 1, 7, OPEN, ""),
        ("x = foo(1\n    + 2\ny = 3\n", 1, 7, OPEN, ""),
        ("x = foo(a\n        if b else c\n", 1, 7, OPEN, ""),
        ("x = [1, 2\ny = 3\n", 1, 4, "'[' was never closed", ""),
        ("x = foo(a if b\ny = 3\n", 1, 7, OPEN, ""),
    ]);
}

#[test]
fn print_statements_become_calls() {
    const PRINT: &str = "Missing parentheses in call to 'print'. Did you mean print(...)?";
    check(&[
        ("print 'a', 1\n", 1, 0, PRINT, "print('a', 1)\n"),
        (
            "print 'a'\nif x: print 'b'; print\nprint('c')\n",
            1,
            0,
            PRINT,
            "print('a')\nif x: print('b'); print()\nprint('c')\n",
        ),
        (
            "import sys\nprint >>sys.stderr, 'b' % c\nprint 'x',\n",
            3,
            0,
            PRINT,
            "import sys\nprint('b' % c, file=sys.stderr)\nprint('x', end=\" \")\n",
        ),
        ("print 'a' \\\n  'b'  # c\n", 1, 0, PRINT, "print('a' \\\n  'b')  # c\n"),
        ("print 'a'\nprint = 3\n", 1, 0, PRINT, "print('a')\nprint = 3\n"),
        ("s = 'print 1'\nprint 'a'\n", 2, 0, PRINT, "s = 'print 1'\nprint('a')\n"),
        (
            "print 'a', 1\n",
            1,
            6,
            "Missing parentheses in call to 'print'. Did you mean print('a', 1)?",
            "print('a', 1)\n",
        ),
    ]);
}

#[test]
fn other_messages_give_no_repair() {
    check(&[
        (
            "x = 08\n",
            1,
            4,
            "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers",
            "",
        ),
        ("def f():\nreturn 1\n", 2, 0, "expected an indented block after function definition on line 1", ""),
        ("x = )\n", 1, 4, "unmatched ')'", ""),
    ]);
}
