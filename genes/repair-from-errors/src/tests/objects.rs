//! Uses of objects that another expression replaces.

use super::cases::{repaired, trace_at};

/// Source, text on the failing line, error, and the expected source; empty if there is no repair.
fn check(cases: &[(&str, &str, &str, &str)]) {
    for (source, at, error, expected) in cases {
        let output = trace_at("pkg/mod.py", source, at, error);
        let expected = (!expected.is_empty()).then_some(*expected);
        assert_eq!(repaired(&output, "pkg/mod.py", source).as_deref(), expected, "{source}\n{output}");
    }
}

#[test]
fn methods_that_became_operators_and_functions() {
    const KEY: &str = "AttributeError: 'dict' object has no attribute 'has_key'";
    const NEXT: &str = "AttributeError: 'generator' object has no attribute 'next'";
    check(&[
        ("if d.has_key(k) and not a.b[0].has_key('x'): pass\n", "if ", KEY, "if k in d and 'x' not in a.b[0]: pass\n"),
        ("x = d.has_key(a + b) == 1\n", "x = ", KEY, "x = ((a + b) in d) == 1\n"),
        ("x = f(d).has_key(g(k))\n", "x = ", KEY, "x = g(k) in f(d)\n"),
        ("x = next(y) + it.next()\n", "x = ", NEXT, "x = next(y) + next(it)\n"),
        (
            "for c in root.find('a').getchildren(): pass\n",
            "for",
            "AttributeError: 'xml.etree.ElementTree.Element' object has no attribute 'getchildren'",
            "for c in list(root.find('a')): pass\n",
        ),
        (
            "print(f.func_name)\n",
            "print",
            "AttributeError: 'function' object has no attribute 'func_name'",
            "print(f.__name__)\n",
        ),
        // Another type, a method of the file, or more than one object.
        ("x = d.has_key(k)\n", "x = ", "AttributeError: 'Mine' object has no attribute 'has_key'", ""),
        ("class D:\n    def has_key(self, k): pass\nx = d.has_key(k)\n", "x = ", KEY, ""),
        ("x = a.next() + b.next()\n", "x = ", NEXT, ""),
        ("x = a.next(1)\n", "x = ", NEXT, ""),
    ]);
}

#[test]
fn views_and_iterators_become_lists() {
    check(&[
        (
            "k = d.keys()\nk.sort()\n",
            "k.sort",
            "AttributeError: 'dict_keys' object has no attribute 'sort'",
            "k = list(d.keys())\nk.sort()\n",
        ),
        (
            "x = d.values()[0]\n",
            "x = ",
            "TypeError: 'dict_values' object is not subscriptable",
            "x = list(d.values())[0]\n",
        ),
        ("x = len(map(f, y))\n", "x = ", "TypeError: object of type 'map' has no len()", "x = len(list(map(f, y)))\n"),
        (
            "x = a.items() + [1]\n",
            "x = ",
            "TypeError: unsupported operand type(s) for +: 'dict_items' and 'list'",
            "x = list(a.items()) + [1]\n",
        ),
        (
            "class A:\n    def __init__(self):\n        self.r = range(3)\n    def f(self):\n        self.r[0] = 1\n",
            "self.r[0]",
            "TypeError: 'range' object does not support item assignment",
            "class A:\n    def __init__(self):\n        self.r = list(range(3))\n    def f(self):\n        self.r[0] = 1\n",
        ),
        // It is not clear where the view was made.
        ("def f(k):\n    k.sort()\n", "k.sort", "AttributeError: 'dict_keys' object has no attribute 'sort'", ""),
        ("k = d.keys()\nj = d.keys()\nf(k[0], j[0])\n", "f(", "TypeError: 'dict_keys' object is not subscriptable", ""),
        ("x = f(d.keys())\n", "x = ", "TypeError: 'dict_keys' object is not subscriptable", ""),
    ]);
}

#[test]
fn arguments_that_were_removed_renamed_or_added() {
    const SORT: &str = "TypeError: 'cmp' is an invalid keyword argument for sort()";
    const DELETE: &str = "TypeError: ForeignKey.__init__() missing 1 required positional argument: 'on_delete'";
    const LOOP: &str = "TypeError: sleep() got an unexpected keyword argument 'loop'";
    check(&[
        (
            "import os\nx = sorted(y, cmp=lambda a, b: a - b)\n",
            "x = ",
            SORT,
            "import functools\nimport os\nx = sorted(y, key=functools.cmp_to_key(lambda a, b: a - b))\n",
        ),
        ("import asyncio\nasyncio.sleep(1, loop=self.loop)\n", "asyncio.s", LOOP, "import asyncio\nasyncio.sleep(1)\n"),
        (
            "from asyncio import Lock\nx = Lock(loop=l)\n",
            "x = ",
            "TypeError: As of 3.10, the *loop* parameter was removed from Lock() since it is no longer necessary",
            "from asyncio import Lock\nx = Lock()\n",
        ),
        (
            "x = json.loads(s, encoding='utf-8')\n",
            "x = ",
            "TypeError: JSONDecoder.__init__() got an unexpected keyword argument 'encoding'",
            "x = json.loads(s)\n",
        ),
        (
            "a = models.ForeignKey(User)\nb = models.ForeignKey('x', null=True)\nc = models.OneToOneField(U, on_delete=X)\n",
            "a = ",
            DELETE,
            "a = models.ForeignKey(User, on_delete=models.CASCADE)\nb = models.ForeignKey('x', null=True, on_delete=models.CASCADE)\nc = models.OneToOneField(U, on_delete=X)\n",
        ),
        (
            "x = random.sample(set(a), 2)\n",
            "x = ",
            "TypeError: Population must be a sequence.  For dicts or sets, use sorted(d).",
            "x = random.sample(list(set(a)), 2)\n",
        ),
        (
            "x = yaml.load(f)\n",
            "x = ",
            "TypeError: load() missing 1 required positional argument: 'Loader'",
            "x = yaml.safe_load(f)\n",
        ),
        (
            "df.to_csv(p, line_terminator='\\n')\n",
            "df.",
            "TypeError: NDFrame.to_csv() got an unexpected keyword argument 'line_terminator'",
            "df.to_csv(p, lineterminator='\\n')\n",
        ),
        // The call is someone else's, or there are two.
        ("sleep(1, loop=l)\n", "sleep", LOOP, ""),
        ("x = other.sleep(1, loop=l)\n", "x = ", LOOP, ""),
        ("sorted(a, cmp=f); sorted(b, cmp=f)\n", "sorted", SORT, ""),
        ("functools = 1\nsorted(a, cmp=f)\n", "sorted", SORT, ""),
        ("a = models.ForeignKey(**options)\n", "a = ", DELETE, ""),
    ]);
}

#[test]
fn strings_that_a_newer_version_refuses() {
    const FLAGS: &str = "re.error: global flags not at the start of the expression at position 2";
    check(&[
        ("x = re.compile(r'a|(?i)b')\n", "x = ", FLAGS, "x = re.compile(r'(?i)a|b')\n"),
        (
            "P = 'a|(?xi)b'\nx = re.compile(P)\n",
            "x = ",
            "re.PatternError: global flags not at the start of the expression at position 2",
            "P = '(?xi)a|b'\nx = re.compile(P)\n",
        ),
        ("f = open(p, 'rU')\n", "f = ", "ValueError: invalid mode: 'rU'", "f = open(p, 'r')\n"),
        ("f = open(p, mode=\"U\")\n", "f = ", "ValueError: invalid mode: 'U'", "f = open(p, mode=\"r\")\n"),
        (
            "plt.style.use('seaborn-white')\n",
            "plt",
            "OSError: 'seaborn-white' is not a valid package style, path of style file, URL of style file, or library style name",
            "plt.style.use('seaborn-v0_8-white')\n",
        ),
        // The flags are elsewhere, or the string is only a part of the expression.
        ("x = re.compile('abc(?i)b')\n", "x = ", FLAGS, ""),
        ("x = re.compile('a|(?i)b' + y)\n", "x = ", FLAGS, ""),
        ("x = re.compile(y + 'a|(?i)b')\n", "x = ", FLAGS, ""),
        ("A = 'a|(?i)b'\nB = 'c|(?i)d'\nx = re.compile(y)\n", "x = ", FLAGS, ""),
        ("f = open(p, mode)\n", "f = ", "ValueError: invalid mode: 'rU'", ""),
    ]);
}

#[test]
fn special_methods_get_their_new_name() {
    const ITERATOR: &str = "TypeError: 'A' object is not an iterator";
    let class = "class A:\n    def __iter__(self):\n        return self\n    def next(self):\n        return 1\n    x = 1\nnext(A())\n";
    check(&[
        (class, "next(A", ITERATOR, &class.replace("return 1\n", "return 1\n    __next__ = next\n")),
        (
            class,
            "next(A",
            "TypeError: iter() returned non-iterator of type 'A'",
            &class.replace("return 1\n", "return 1\n    __next__ = next\n"),
        ),
        (
            "class A(B):\n    def __div__(self, x): return x\nA() / 2\n",
            "A() /",
            "TypeError: unsupported operand type(s) for /: 'A' and 'int'",
            "class A(B):\n    def __div__(self, x): return x\n    __truediv__ = __div__\nA() / 2\n",
        ),
        ("class A:\n    def next(self): pass\n    __next__ = next\nnext(A())\n", "next(A", ITERATOR, ""),
        ("class B:\n    def next(self): pass\nnext(A())\n", "next(A", ITERATOR, ""),
        ("class A:\n    def f(self):\n        def next(self): pass\nnext(A())\n", "next(A", ITERATOR, ""),
    ]);
}

#[test]
fn text_is_encoded_for_hashes_and_not_decoded_again() {
    const HASH: &str = "TypeError: Strings must be encoded before hashing";
    const BYTES: &str = "TypeError: a bytes-like object is required, not 'str'";
    const DECODE: &str = "AttributeError: 'str' object has no attribute 'decode'. Did you mean: 'encode'?";
    check(&[
        (
            "k = hashlib.sha1(salt + 'x').digest()\n",
            "k = ",
            HASH,
            "k = hashlib.sha1((salt + 'x').encode(\"utf-8\")).digest()\n",
        ),
        ("k = md5('a').digest()\n", "k = ", HASH, "k = md5('a'.encode(\"utf-8\")).digest()\n"),
        (
            "m.update(self.key)\n",
            "m.",
            HASH,
            "m.update(self.key if isinstance(self.key, bytes) else self.key.encode(\"utf-8\"))\n",
        ),
        ("h = hashlib.new('md5', str(x))\n", "h = ", HASH, "h = hashlib.new('md5', str(x).encode(\"utf-8\"))\n"),
        (
            "x = b64encode('%s:%s' % a)\n",
            "x = ",
            BYTES,
            "x = b64encode(('%s:%s' % a).encode(\"utf-8\")).decode('ascii')\n",
        ),
        ("x = 'ff'.decode('hex')\n", "x = ", DECODE, "x = bytes.fromhex('ff')\n"),
        ("x = 'a'.decode('utf-8') + b\n", "x = ", DECODE, "x = 'a' + b\n"),
        ("x = f(raw_input('a').decode(e))\n", "x = ", DECODE, "x = f(raw_input('a'))\n"),
        ("x = a.b.decode('utf8')\n", "x = ", DECODE, "x = (a.b if isinstance(a.b, str) else a.b.decode('utf8'))\n"),
        // Two calls, a value that would be made twice, an encoding that is none of text, bytes already.
        ("k = md5(a) + md5(b)\n", "k = ", HASH, ""),
        ("x = f(y).decode('utf8')\n", "x = ", DECODE, ""),
        ("x = a.decode('zlib')\n", "x = ", DECODE, ""),
        ("x = 'a'.decode('b').decode('c')\n", "x = ", DECODE, ""),
        ("k = md5(b'a')\n", "k = ", HASH, ""),
        ("k = md5(a.encode(e))\n", "k = ", HASH, ""),
    ]);
}

#[test]
fn a_variable_of_a_comprehension_is_not_deleted() {
    const ERROR: &str = "NameError: name 'i' is not defined. Did you mean: 'id'?";
    check(&[
        ("x = [i for i in y]\ndel(i)\nz = 1\n", "del", ERROR, "x = [i for i in y]\nz = 1\n"),
        ("x = [i for i in y]\ndel i\n", "del", ERROR, "x = [i for i in y]\n"),
        ("x = [j for j in y]\ndel i\n", "del", ERROR, ""),
        ("x = [i for i in y]\ndel i, x\n", "del", ERROR, ""),
        ("x = [i for i in y]\nif x:\n    del i\n", "del", ERROR, ""),
        ("x = [i for i in y]\nprint(i)\n", "print", ERROR, ""),
    ]);
}

#[test]
fn a_class_with_both_methods_of_a_dictionary_serves_either_name() {
    const ERROR: &str = "AttributeError: 'dict' object has no attribute 'iteritems'";
    let class = "class D:\n    def items(self): pass\n    def iteritems(self): pass\n";
    let one = "class D:\n    def iteritems(self): pass\n";
    let [call, now] = ["for k in d.iteritems(): pass\n", "for k in d.items(): pass\n"];
    check(&[
        (&format!("{class}{call}"), "for k", ERROR, &format!("{class}{now}")),
        (&format!("{one}{call}"), "for k", ERROR, ""),
    ]);
}
