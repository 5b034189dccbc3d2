//! Names that are not defined.

use super::cases::{candidates, repaired, trace_at};

/// Source, text on the failing line, the rest of the message after the name, and the expected source; empty if there is no
/// repair.
fn check(cases: &[(&str, &str, &str, &str)]) {
    for (source, at, error, expected) in cases {
        let output = trace_at("pkg/mod.py", source, at, &format!("NameError: name {error}"));
        let expected = (!expected.is_empty()).then_some(*expected);
        assert_eq!(repaired(&output, "pkg/mod.py", source).as_deref(), expected, "{source}\n{output}");
    }
}

#[test]
fn builtins_of_python_2() {
    check(&[
        (
            "x = unicode(y)\nz = u.unicode\nf(unicode=1)\n's unicode'\n",
            "x = ",
            "'unicode' is not defined",
            "x = str(y)\nz = u.unicode\nf(unicode=1)\n's unicode'\n",
        ),
        (
            "if isinstance(x, (str, unicode)): pass\n",
            "if ",
            "'unicode' is not defined",
            "if isinstance(x, str): pass\n",
        ),
        (
            "if isinstance(x, (long, int, float)): f(int, long)\n",
            "if ",
            "'long' is not defined",
            "if isinstance(x, (int, float)): f(int, int)\n",
        ),
        (
            "for i in xrange(3): pass\n",
            "for",
            "'xrange' is not defined. Did you mean: 'range'?",
            "for i in range(3): pass\n",
        ),
        ("except_ = [StandardError]\n", "except_", "'StandardError' is not defined", "except_ = [Exception]\n"),
        ("f = file(p, 'w')\n", "f = ", "'file' is not defined", "f = open(p, 'w')\n"),
        ("x = cmp(a.b, c)\n", "x = ", "'cmp' is not defined", "x = ((a.b > c) - (a.b < c))\n"),
        ("apply(f, args)\n", "apply", "'apply' is not defined", "f(*args)\n"),
        (
            "execfile(path)\n",
            "execfile",
            "'execfile' is not defined",
            "exec(compile(open(path, 'rb').read(), path, 'exec'))\n",
        ),
        (
            "import os\nfrom functools import wraps\nx = reduce(f, y)\n",
            "x = ",
            "'reduce' is not defined",
            "import os\nfrom functools import wraps, reduce\nx = reduce(f, y)\n",
        ),
        (
            "import sys\nreload(sys)\nsys.setdefaultencoding('utf-8')\nx = 1\n",
            "reload",
            "'reload' is not defined",
            "import sys\nx = 1\n",
        ),
        // The file supports both versions, or the name may mean something else.
        ("try:\n    unicode\nexcept NameError:\n    unicode = str\n", "    unicode", "'unicode' is not defined", ""),
        ("text = unicode if PY2 else str\n", "text", "'unicode' is not defined", ""),
        ("def f(long): return long\nlong(1)\n", "long(1)", "'long' is not defined", ""),
        (
            "sort(key=cmp)\n",
            "sort",
            "'cmp' is not defined",
            "def cmp(a, b):\n    return (a > b) - (a < b)\n\n\nsort(key=cmp)\n",
        ),
        (
            "def f(x, unicode=unicode):\n    return isinstance(x, unicode)\n",
            "def f",
            "'unicode' is not defined",
            "def f(x, unicode=str):\n    return isinstance(x, str)\n",
        ),
        (
            "if hasattr(unicode, 'partition'):\n    pass\n",
            "if",
            "'unicode' is not defined",
            "if hasattr(str, 'partition'):\n    pass\n",
        ),
        ("def f(x, unicode=None):\n    return unicode\nunicode(1)\n", "unicode(1)", "'unicode' is not defined", ""),
        ("x = cmp(f(), g())\n", "x = ", "'cmp' is not defined", ""),
        ("import sys\nreload(sys)\nsys.setdefaultencoding('latin-1')\n", "reload", "'reload' is not defined", ""),
    ]);
}

#[test]
fn forgotten_imports_of_the_standard_library() {
    check(&[
        (
            "#!/usr/bin/python\n\"\"\"Doc.\"\"\"\nx = os.path.join(a, b)\n",
            "x = ",
            "'os' is not defined. Did you forget to import 'os'?",
            "#!/usr/bin/python\n\"\"\"Doc.\"\"\"\nimport os\nx = os.path.join(a, b)\n",
        ),
        (
            "from __future__ import division\nimport sys\r\ndef f():\r\n    return json.dumps(1)\r\n",
            "return",
            "'json' is not defined",
            "from __future__ import division\nimport json\r\nimport sys\r\ndef f():\r\n    return json.dumps(1)\r\n",
        ),
        (
            "from typing import List\ndef f(x: Optional[int]) -> List[int]: pass\n",
            "def",
            "'Optional' is not defined",
            "from typing import List, Optional\ndef f(x: Optional[int]) -> List[int]: pass\n",
        ),
        (
            "x = defaultdict(list)\n",
            "x = ",
            "'defaultdict' is not defined",
            "from collections import defaultdict\nx = defaultdict(list)\n",
        ),
        // The name is no module here, or the file gives it a meaning somewhere.
        ("x = time + 1\n", "x = ", "'time' is not defined. Did you forget to import 'time'?", ""),
        ("def f(json): pass\nx = json.dumps(1)\n", "x = ", "'json' is not defined", ""),
        ("if y:\n    json = z\nx = json.dumps(1)\n", "x = ", "'json' is not defined", ""),
        ("x = requests.get(1)\n", "x = ", "'requests' is not defined", ""),
    ]);
}

#[test]
fn a_name_that_the_workspace_defines_is_not_guessed() {
    let source = "x = Path('a')\n";
    let output = trace_at("m.py", source, "x = ", "NameError: name 'Path' is not defined");
    for other in ["class Path: pass\n", "def Path(x): pass\n", "from .routes import Path\n", "Path = 3\n"] {
        assert!(candidates(&output, &[("m.py", source), ("n.py", other)]).is_empty(), "{other}");
    }
    for other in ["from pathlib import Path\n", "'class Path'\n", "x.Path = 3\n"] {
        assert!(!candidates(&output, &[("m.py", source), ("n.py", other)]).is_empty(), "{other}");
    }
    assert!(candidates(&output, &[("m.py", source), ("pathlib.py", "")]).is_empty());
}

#[test]
fn misspelled_names() {
    check(&[
        (
            "def f(length):\n    return lenght + 1\n",
            "return",
            "'lenght' is not defined. Did you mean: 'length'?",
            "def f(length):\n    return length + 1\n",
        ),
        (
            "import numpy\nx = nunpy.ones(3)\n",
            "x = ",
            "'nunpy' is not defined. Did you mean: 'numpy'?",
            "import numpy\nx = numpy.ones(3)\n",
        ),
        ("x = true\n", "x = ", "'true' is not defined. Did you mean: 'True'?", "x = True\n"),
        // Not similar, used elsewhere too, or not bound where the name is used.
        ("value = 1\nx = valid\n", "x = ", "'valid' is not defined. Did you mean: 'value'?", ""),
        (
            "counts = 1\ndef f(): return count\nx = count\n",
            "x = ",
            "'count' is not defined. Did you mean: 'counts'?",
            "",
        ),
        ("def g():\n    total = 1\nx = totl\n", "x = ", "'totl' is not defined. Did you mean: 'total'?", ""),
        ("x = ab\n", "x = ", "'ab' is not defined. Did you mean: 'rm -rf'?", ""),
        ("value = 1\nx = valu\ng['valu'] = 1\n", "x = ", "'valu' is not defined. Did you mean: 'value'?", ""),
    ]);
}

#[test]
fn what_only_functions_bind_is_still_the_builtin() {
    check(&[
        (
            "f = lambda x: g(x, unicode)\nif isinstance(x, unicode): x = 1\ny = unicode(x)\n",
            "y = ",
            "'unicode' is not defined",
            "f = lambda x: g(x, str)\nif isinstance(x, str): x = 1\ny = str(x)\n",
        ),
        ("f = lambda x, unicode: x\ny = unicode(x)\n", "y = ", "'unicode' is not defined", ""),
        ("if x: unicode = 1\ny = unicode(x)\n", "y = ", "'unicode' is not defined", ""),
        (
            "import os\nold = cmp\ndef f(cmp=None):\n    cmp = old\n",
            "old = ",
            "'cmp' is not defined",
            "import os\n\n\ndef cmp(a, b):\n    return (a > b) - (a < b)\n\nold = cmp\ndef f(cmp=None):\n    cmp = old\n",
        ),
        ("import os\nold = cmp\ncmp = 1\n", "old = ", "'cmp' is not defined", ""),
    ]);
}

#[test]
fn variables_that_comprehensions_left_over() {
    check(&[
        (
            "x = [k + v for (k, v) in y]\ndel(k); del(v)\ndef f(v): pass\n",
            "del",
            "'k' is not defined",
            "x = [k + v for (k, v) in y]\ndef f(v): pass\n",
        ),
        (
            "x = [val for val in y]\ndel(val)\nz = [i for i in y]\ndel i\n",
            "del(val)",
            "'val' is not defined. Did you mean: 'eval'?",
            "x = [val for val in y]\nz = [i for i in y]\n",
        ),
        // A loop binds what is deleted later, and what is deleted with it.
        (
            "x = [i for i in y]\ndel i\nfor i in x: pass\ndel(i)\n",
            "del i",
            "'i' is not defined",
            "x = [i for i in y]\nfor i in x: pass\ndel(i)\n",
        ),
        ("v = 1\nx = [k for k in y]\ndel k; del v\n", "del", "'k' is not defined", ""),
    ]);
}
