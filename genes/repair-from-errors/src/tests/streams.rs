//! Bytes where text is meant, and text where bytes are meant.

use super::cases::{repaired, trace_at};

/// Error, text on the failing line, source, and the expected source; empty if there is no repair.
fn check(error: &str, cases: &[(&str, &str, &str)]) {
    for (at, source, expected) in cases {
        let output = trace_at("pkg/mod.py", source, at, error);
        let expected = (!expected.is_empty()).then_some(*expected);
        assert_eq!(repaired(&output, "pkg/mod.py", source).as_deref(), expected, "{source}\n{output}");
    }
}

const BYTES: &str = "TypeError: a bytes-like object is required, not 'str'";
const TEXT: &str = "TypeError: write() argument must be str, not bytes";

#[test]
fn the_output_of_a_process_is_text() {
    check(
        BYTES,
        &[
            (
                "split",
                "def f():\n    p = Popen(['a'], stdout=PIPE)\n    out, err = p.communicate()\n    return out.split('x')\n",
                "def f():\n    p = Popen(['a'], stdout=PIPE, universal_newlines=True)\n    out, err = p.communicate()\n    return out.split('x')\n",
            ),
            (
                "split",
                "x = subprocess.check_output(['a']).split('x')\n",
                "x = subprocess.check_output(['a'], universal_newlines=True).split('x')\n",
            ),
            (
                "strip",
                "p = Popen(a)\nfor line in p.stdout:\n    x = line.strip('x')\n",
                "p = Popen(a, universal_newlines=True)\nfor line in p.stdout:\n    x = line.strip('x')\n",
            ),
            // Another function, two processes, one that is fed, one whose output is text, and options that cannot be seen.
            ("split", "def g():\n    out = check_output(a)\ndef f(out):\n    return out.split('x')\n", ""),
            ("replace", "a = check_output(x)\nb = check_output(y)\nc = a.replace('x', b)\n", ""),
            ("split", "p = Popen(a)\nout = p.communicate(x)[0]\ny = out.split('x')\n", ""),
            ("split", "out = check_output(a, encoding='utf-8')\ny = out.split('x')\n", ""),
            ("split", "out = check_output(a, **k)\ny = out.split('x')\n", ""),
            ("split", "out = check_output(a)\nout = f(x)\ny = out.split('x')\n", ""),
        ],
    );
    check(
        "TypeError: cannot use a string pattern on a bytes-like object",
        &[
            (
                "findall",
                "r = urlopen(u)\nhtml = r.read()\nx = re.findall('a', html)\n",
                "r = urlopen(u)\nhtml = r.read().decode('utf-8')\nx = re.findall('a', html)\n",
            ),
            (
                "findall",
                "html = urllib.request.urlopen(u).read()\nx = re.findall('a', html)\n",
                "html = urllib.request.urlopen(u).read().decode('utf-8')\nx = re.findall('a', html)\n",
            ),
            (
                "findall",
                "for line in open(p, 'rb'):\n    x = re.findall('a', line)\n",
                "for line in open(p, 'r'):\n    x = re.findall('a', line)\n",
            ),
            ("findall", "html = f(u)\nx = re.findall('a', html)\n", ""),
        ],
    );
}

#[test]
fn tables_are_text_files_and_pickles_binary_ones() {
    check(
        "_csv.Error: iterator should return strings, not bytes (the file should be opened in text mode)",
        &[
            (
                "for",
                "f = open(p, 'rb')\nr = csv.reader(f, delimiter=';')\nfor row in r: pass\n",
                "f = open(p, 'r', newline='')\nr = csv.reader(f, delimiter=';')\nfor row in r: pass\n",
            ),
            ("for", "for row in csv.DictReader(open(p, \"rU\")): pass\n", ""),
            ("for", "f = g(p, 'rb')\nfor row in csv.reader(f): pass\n", ""),
        ],
    );
    check(
        BYTES,
        &[
            (
                "writerow",
                "with open(p, 'wb') as f:\n    csv.writer(f).writerow(x)\n",
                "with open(p, 'w', newline='') as f:\n    csv.writer(f).writerow(x)\n",
            ),
            ("load", "x = pickle.load(open(p))\n", "x = pickle.load(open(p, 'rb'))\n"),
            ("load", "f = open(p, 'r')\nx = pickle.load(f)\n", "f = open(p, 'rb')\nx = pickle.load(f)\n"),
            ("load", "x = json.load(open(p))\n", ""),
            ("load", "f = open(p)\nf = open(q)\nx = pickle.load(f)\n", ""),
        ],
    );
    check(
        TEXT,
        &[
            ("dump", "pickle.dump(x, open(p, 'w'))\n", "pickle.dump(x, open(p, 'wb'))\n"),
            ("dump", "pickle.dump(x, open(p, mode=\"w\"))\n", "pickle.dump(x, open(p, mode=\"wb\"))\n"),
            ("dump", "pickle.dump(x, f)\n", ""),
        ],
    );
}

#[test]
fn files_get_what_they_take() {
    check(
        TEXT,
        &[
            ("write", "sys.stdout.write(x.encode('utf-8'))\n", "sys.stdout.write(x)\n"),
            ("write", "f = open(p, 'w')\nf.write(data)\n", "f = open(p, 'wb')\nf.write(data)\n"),
            ("write(data", "f = open(p, 'w')\nf.write('a')\nf.write(data)\n", ""),
            ("write", "f.write(x.encode('a') + y.encode('b'))\n", ""),
            ("write", "f = open(p, 'w')\nf.write(data + 'a')\n", ""),
        ],
    );
    check(
        BYTES,
        &[
            ("write", "f.write('abc')\n", "f.write('abc'.encode(\"utf-8\"))\n"),
            ("write", "f.write(bytes(x, 'ascii'))\n", ""),
            ("BytesIO", "x = BytesIO('abc')\n", "x = BytesIO('abc'.encode(\"utf-8\"))\n"),
        ],
    );
    check(
        "TypeError: can't concat str to bytes",
        &[
            ("x", "x = pack('>I', 1) + 'abc'\n", "x = pack('>I', 1) + b'abc'\n"),
            ("x", "x = a + b\n", ""),
            ("x", "x = a + 'b%s' % c\n", ""),
        ],
    );
    check(
        "TypeError: can only concatenate str (not \"bytes\") to str",
        &[
            ("x", "x = md5(SALT + y.encode('a'))\n", "x = md5((SALT + y).encode('a'))\n"),
            ("x", "x = a + b + y.encode('a')\n", ""),
            ("x", "x = a + y\n", ""),
        ],
    );
    check(
        "TypeError: cannot use a string pattern on a bytes-like object",
        &[
            (
                "x =",
                "A = re.compile(r'[\\x80-\\xFF]')\nx = A.search(y)\n",
                "A = re.compile(br'[\\x80-\\xFF]')\nx = A.search(y)\n",
            ),
            ("x =", "A = re.compile(r'[\\x20]')\nx = A.search(y)\n", ""),
            ("x =", "x = re.sub(p, y, z)\n", ""),
        ],
    );
    check(
        "struct.error: argument for 's' must be a bytes object",
        &[
            ("x", "x = struct.pack('3s', 'abc')\n", "x = struct.pack('3s', b'abc')\n"),
            (
                "x",
                "x = struct.pack('3sI', a, 1)\n",
                "x = struct.pack('3sI', a if isinstance(a, bytes) else a.encode('utf-8'), 1)\n",
            ),
            ("x", "x = struct.pack('3s3s', a, b)\n", ""),
        ],
    );
}

#[test]
fn codecs_that_are_no_encodings_have_modules() {
    check(
        "LookupError: 'hex' is not a text encoding; use codecs.encode() to handle arbitrary codecs",
        &[
            ("x", "x = y.encode('hex')\n", "x = y.encode('latin-1').hex()\n"),
            ("x", "x = y.encode(codec)\n", ""),
            ("x", "x = y.encode('hex') + z.encode('hex')\n", ""),
        ],
    );
    check(
        "LookupError: 'zlib' is not a text encoding; use codecs.decode() to handle arbitrary codecs",
        &[
            ("x", "x = y.decode('zlib')\n", "import zlib\nx = zlib.decompress(y)\n"),
            ("x", "zlib = 1\nx = y.decode('zlib')\n", ""),
        ],
    );
    check(
        "AttributeError: 'str' object has no attribute 'decode'",
        &[
            (
                "a =",
                "import zlib\na = 'x'.decode('base64').decode('zlib')\nb = 'y'.decode(\"base64\").decode('zlib')\nc = d.decode('base64')\n",
                "import base64\nimport zlib\na = zlib.decompress(base64.b64decode('x'))\nb = zlib.decompress(base64.b64decode('y'))\nc = d.decode('base64')\n",
            ),
            ("a =", "a = x.decode('utf-8').decode('latin-1')\n", ""),
        ],
    );
}

#[test]
fn calls_of_python_2_have_one_successor() {
    for (error, at, source, expected) in [
        (
            "TypeError: 'NoneType' object is not callable",
            "x",
            "x = list(map(None, a, b))\n",
            "import itertools\nx = list(itertools.zip_longest(a, b))\n",
        ),
        ("TypeError: 'NoneType' object is not callable", "x", "x = map(None, a)\n", "x = list(a)\n"),
        ("TypeError: 'NoneType' object is not callable", "x", "x = f(None)\n", ""),
        (
            "TypeError: str.translate() takes exactly one argument (2 given)",
            "x",
            "x = y.translate(None, 'b')\n",
            "x = y.translate(str.maketrans('', '', 'b'))\n",
        ),
        (
            "TypeError: str.translate() takes exactly one argument (2 given)",
            "x",
            "x = y.translate(t, d)\n",
            "x = y.translate({**t, **str.maketrans('', '', d)})\n",
        ),
        (
            "AttributeError: 'function' object has no attribute 'im_func'",
            "x",
            "x = A.f.im_func\n",
            "x = getattr(A.f, '__func__', A.f)\n",
        ),
        (
            "AttributeError: 'function' object has no attribute 'im_class'",
            "x",
            "x = a.f.im_class\n",
            "x = a.f.__self__.__class__\n",
        ),
        ("AttributeError: 'function' object has no attribute 'im_class'", "x", "x = A.f.im_class\n", ""),
        (
            "TypeError: sort() takes no positional arguments",
            "sort",
            "import functools\nx.sort(f)\n",
            "import functools\nx.sort(key=functools.cmp_to_key(f))\n",
        ),
        (
            "TypeError: sorted expected 1 argument, got 2",
            "sorted",
            "y = sorted(x, f)\n",
            "import functools\ny = sorted(x, key=functools.cmp_to_key(f))\n",
        ),
        ("TypeError: sort() takes no positional arguments", "sort", "x.sort(None)\n", ""),
        ("TypeError: sort() takes no positional arguments", "sort", "x.sort(f, g)\n", ""),
        (
            "TypeError: Missing required parameter 'digestmod'.",
            "x",
            "x = hmac.new(k, m)\n",
            "x = hmac.new(k, m, digestmod='md5')\n",
        ),
        (
            "AttributeError: module 'sys' has no attribute 'exc_type'",
            "x",
            "import sys\nx = sys.exc_type\n",
            "import sys\nx = sys.exc_info()[0]\n",
        ),
        (
            "TypeError: unsupported operand type(s) for >>: 'builtin_function_or_method' and '_io.TextIOWrapper'. Did you mean \"print(<message>, file=<output_stream>)\"?",
            "print",
            "import sys\nprint >>sys.stderr, 'a'\n",
            "import sys\nprint('a', file=sys.stderr)\n",
        ),
    ] {
        check(error, &[(at, source, expected)]);
    }
}
