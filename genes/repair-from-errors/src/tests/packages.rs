//! What a project asks for: packages that are missing, and releases that do not work together.

use super::cases::{candidates, trace, trace_at};

fn first(output: &str, files: &[(&str, &str)]) -> Option<(String, String)> {
    let (path, content) = candidates(output, files).into_iter().next()?.files.into_iter().next()?;
    Some((path, String::from_utf8(content).expect("cases are text")))
}

#[test]
fn a_missing_package_is_added_to_the_manifest() {
    let source = "import yaml\n";
    let output = trace_at("app/m.py", source, "import", "ModuleNotFoundError: No module named 'yaml'");
    for (path, before, after) in [
        ("requirements.txt", "requests==2.0 # http\n", "requests==2.0 # http\nPyYAML\n"),
        ("requirements.txt", "-r base.txt\nrequests", "-r base.txt\nrequests\nPyYAML\n"),
        (
            "pyproject.toml",
            "[project]\nname = \"x\"\ndependencies = [\n    \"requests>=2\",\n]\n",
            "[project]\nname = \"x\"\ndependencies = [\n    \"requests>=2\",\n    \"PyYAML\",\n]\n",
        ),
        ("pyproject.toml", "[project]\ndependencies = ['a']\n", "[project]\ndependencies = ['a', \"PyYAML\"]\n"),
        ("pyproject.toml", "[project]\ndependencies = []\n", "[project]\ndependencies = [\"PyYAML\"]\n"),
    ] {
        let found = first(&output, &[("app/m.py", source), (path, before)]);
        assert_eq!(found, Some((path.to_owned(), after.to_owned())), "{before}");
    }
    let plain = ("requirements.txt", "requests\n");
    for (files, why) in [
        (vec![("app/m.py", source)], "there is no manifest"),
        (vec![("app/m.py", source), ("requirements.txt", "pyyaml>=5\n")], "it is required already"),
        (vec![("app/m.py", source), ("requirements.txt", "a==1 --hash=sha256:0\n")], "every line has a hash"),
        (vec![("app/m.py", source), plain, ("setup.py", "")], "another manifest may be the right one"),
        (
            vec![("app/m.py", source), plain, ("pyproject.toml", "[project]\ndependencies = []\n")],
            "there are two manifests",
        ),
        (vec![("app/m.py", "try:\n    import yaml\nexcept ImportError:\n    yaml = None\n"), plain], "it is optional"),
    ] {
        let output = trace_at("app/m.py", files[0].1, "import yaml", "ModuleNotFoundError: No module named 'yaml'");
        assert_eq!(first(&output, &files), None, "{why}");
    }
    let test = trace_at("tests/test_m.py", source, "import", "ModuleNotFoundError: No module named 'yaml'");
    assert_eq!(first(&test, &[("tests/test_m.py", source), plain]), None, "tests may have requirements of their own");
    let unknown = trace_at("app/m.py", "import evil\n", "import", "ModuleNotFoundError: No module named 'evil'");
    assert_eq!(first(&unknown, &[("app/m.py", "import evil\n"), plain]), None, "no table has the package");
}

#[test]
fn releases_that_do_not_work_together_get_a_bound() {
    let error = "ImportError: cannot import name 'url_quote' from 'werkzeug.urls' (/v/werkzeug/urls.py)";
    let at = |path: &str| {
        let inner = trace(path, 7, "from werkzeug.urls import url_quote", error);
        format!(
            "Traceback (most recent call last):\n  File \"/repo/a.py\", line 1, in <module>\n    from flask import Flask\n{}",
            inner.split_once('\n').expect("a trace has lines").1
        )
    };
    let output = at("v/lib/python3.11/site-packages/flask/app.py");
    let source = ("a.py", "from flask import Flask\n");
    for (before, after) in [
        ("flask==2.2\n", Some("flask==2.2\nWerkzeug<3\n")),
        ("werkzeug  # wsgi\nflask==2.2\n", Some("werkzeug<3  # wsgi\nflask==2.2\n")),
        ("werkzeug==3.0\nflask==2.2\n", None),
    ] {
        let found = first(&output, &[source, ("requirements.txt", before)]);
        assert_eq!(found.map(|file| file.1).as_deref(), after, "{before}");
    }
    let other = at("v/lib/python3.11/site-packages/mine/app.py");
    assert_eq!(first(&other, &[source, ("requirements.txt", "flask\n")]), None);
}

#[test]
fn a_package_that_can_only_be_imported_gets_an_older_range() {
    let output = "/repo/a.js:1\nconst chalk = require('chalk');\n              ^\n\nError [ERR_REQUIRE_ESM]: require() of ES Module \
                  /repo/node_modules/chalk/source/index.js from /repo/a.js not supported.\nInstead change the require of index.js in \
                  /repo/a.js to a dynamic import() which is available in all CommonJS modules.\n    at Object.<anonymous> \
                  (/repo/a.js:1:15) {\n  code: 'ERR_REQUIRE_ESM'\n}\n";
    let source = ("a.js", "const chalk = require('chalk');\n");
    let manifest = |range: &str| format!("{{\n  \"dependencies\": {{\n    \"chalk\": \"{range}\"\n  }}\n}}\n");
    let found = first(output, &[source, ("package.json", &manifest("^5.3.0"))]);
    assert_eq!(found, Some(("package.json".to_owned(), manifest("^4.1.2"))));
    for range in ["^4.1.0", "latest", "git+https://example.com/chalk", "npm:other@5"] {
        assert_eq!(first(output, &[source, ("package.json", &manifest(range))]), None, "{range}");
    }
    assert_eq!(
        first(output, &[source, ("package.json", "{\"chalk\": \"5.0.0\"}\n")]),
        None,
        "no table of dependencies"
    );
}
