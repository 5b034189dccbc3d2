//! The module `pkg_resources`, which setuptools no longer has.

use super::cases::{repaired, trace_at};

const GONE: &str = "ModuleNotFoundError: No module named 'pkg_resources'";

fn fixed(source: &str, at: &str) -> Option<String> {
    repaired(&trace_at("pkg/mod.py", source, at, GONE), "pkg/mod.py", source)
}

#[test]
fn the_standard_library_has_what_programs_take_from_it() {
    for (source, at, expected) in [
        (
            "import sys\nimport pkg_resources\n\n__version__ = pkg_resources.get_distribution('thing').version\n",
            "import pkg",
            "import sys\nimport importlib.metadata\n\n__version__ = importlib.metadata.version('thing')\n",
        ),
        (
            "from pkg_resources import get_distribution, DistributionNotFound\ntry:\n    v = get_distribution(__name__).version\nexcept DistributionNotFound:\n    v = '0'\n",
            "from pkg",
            "import importlib.metadata\ntry:\n    v = importlib.metadata.version(__name__)\nexcept importlib.metadata.PackageNotFoundError:\n    v = '0'\n",
        ),
        (
            "import pkg_resources\nV = pkg_resources.require(\"thing\")[0].version\n",
            "import pkg",
            "import importlib.metadata\nV = importlib.metadata.version(\"thing\")\n",
        ),
        (
            "import pkg_resources\nfor point in pkg_resources.iter_entry_points(group='a.b', name='x'):\n    point.load()\n",
            "import pkg",
            "import importlib.metadata\nfor point in importlib.metadata.entry_points(group='a.b', name='x'):\n    point.load()\n",
        ),
        (
            "def f():\n    from pkg_resources import resource_string, resource_filename\n    a = resource_string('thing', 'data/x.txt').decode()\n    return a, resource_filename(__name__, 'y')\n",
            "    from pkg",
            "def f():\n    import os\n    import pkgutil\n    a = pkgutil.get_data('thing', 'data/x.txt').decode()\n    return a, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'y')\n",
        ),
        (
            "__import__('pkg_resources').declare_namespace(__name__)\n",
            "__import__",
            "import pkgutil\n__path__ = pkgutil.extend_path(__path__, __name__)\n",
        ),
        (
            "import pkg_resources\npkg_resources.declare_namespace(__name__)\n",
            "import pkg",
            "import pkgutil\n__path__ = pkgutil.extend_path(__path__, __name__)\n",
        ),
        ("import pkg_resources\nx = 1\n", "import pkg", "x = 1\n"),
    ] {
        assert_eq!(fixed(source, at).as_deref(), Some(expected), "{source}");
    }
}

#[test]
fn a_use_that_is_not_understood_leaves_the_file_alone() {
    for source in [
        "import pkg_resources\nx = pkg_resources.working_set\n",
        "import pkg_resources\nd = pkg_resources.get_distribution('a')\nprint(d.version, d.location)\n",
        "import pkg_resources as p\nx = p.get_distribution('a').version\n",
        "import pkg_resources\nx = pkg_resources.resource_filename('other', 'y')\n",
        "import pkg_resources\nx = pkg_resources.parse_version('1') > pkg_resources.get_distribution('a').version\n",
        "import pkg_resources\nfor p in pkg_resources.iter_entry_points('g'):\n    print(p.dist)\n",
        "import pkg_resources\nos = 1\nx = pkg_resources.resource_filename(__name__, 'y')\n",
        "import pkg_resources, sys\nx = pkg_resources.get_distribution('a').version\n",
        "from pkg_resources import *\nx = get_distribution('a').version\n",
    ] {
        assert_eq!(fixed(source, source.split('\n').next().unwrap_or_default()), None, "{source}");
    }
    // The file handles it.
    let source = "try:\n    import pkg_resources\nexcept ImportError:\n    pkg_resources = None\nx = 1\n";
    assert_eq!(fixed(source, "    import"), None);
}
