//! Edits of the configs of test runners: those that turn off, narrow or loosen what runs wait for a person, and the others pass.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use gephost_core::gate::{Base, BaseEntry, BlobState, FileMode, GeneHistory, ParsedChange, review};
use gephost_core::path::RepoPath;
use gephost_core::policy::{Policy, PolicyTable, ValidationTable};
use gephost_core::proposal::{Change, Proposal};

fn is_flagged(path: &str, before: Option<&str>, after: &str) -> bool {
    let table = PolicyTable { allow: vec!["**".to_owned()], ..PolicyTable::default() };
    let policy = Policy::from_tables(table, &ValidationTable::default(), &[]).unwrap();
    let change = Change::NewContent { path: path.to_owned(), content: after.into() };
    let blob = |text: &str| BaseEntry::Blob(BlobState { mode: FileMode::Regular, content: Arc::from(text.as_bytes()) });
    let base = Base {
        commit: "0".repeat(40),
        entries: before.into_iter().map(|text| (RepoPath::new(path).unwrap(), blob(text))).collect(),
        case_collisions: Vec::new(),
        unsearched: 0,
    };
    let proposal = Proposal { changes: vec![change], ..Proposal::from_diff("") };
    let verdict = review(&ParsedChange::read(proposal), &base, &policy, GeneHistory::default());
    verdict.violations().any(|found| found.rule.starts_with("test-config"))
}

const PYTEST: &str = "[pytest]\naddopts = -q --strict-markers\ntestpaths = tests\nnorecursedirs = old build\n\
    filterwarnings =\n    error\n    ignore::UserWarning\nminversion = 6.0\nmarkers =\n    slow: takes long\n";

const PYPROJECT: &str = "[project]\nname = 'x'\n\n[tool.pytest.ini_options]\naddopts = ['-q', '--cov=x']\ntestpaths = ['tests']\n\
    xfail_strict = false\n\n[tool.coverage.report]\nfail_under = 90\nshow_missing = false\nomit = ['a.py', 'b.py']\n\n\
    [tool.coverage.run]\nbranch = false\nsource = ['x']\n";

const PACKAGE: &str = "{\n  \"name\": \"x\",\n  \"jest\": {\n    \"verbose\": false,\n    \"reporters\": [\"default\"],\n    \
    \"testMatch\": [\"**/*.test.js\"],\n    \"testPathIgnorePatterns\": [\"/old/\", \"/tmp/\"],\n    \
    \"coverageThreshold\": {\"global\": {\"lines\": 80}}\n  }\n}\n";

const VITEST: &str = "import { defineConfig } from 'vitest/config';\n\n// The tests.\nexport default defineConfig({\n  test: {\n    \
    include: ['src/**/*.test.ts'],\n    exclude: ['old/**', 'tmp/**'],\n    reporters: ['default'],\n    retry: 2,\n    \
    coverage: { thresholds: { lines: 80 }, reporter: ['text'] },\n    setupFiles: ['./setup.ts'],\n  },\n});\n";

const PHPUNIT: &str = "<?xml version=\"1.0\"?>\n<phpunit bootstrap=\"vendor/autoload.php\" colors=\"false\" failOnRisky=\"false\">\n  \
    <testsuites>\n    <testsuite name=\"unit\">\n      <directory>tests</directory>\n    </testsuite>\n  </testsuites>\n</phpunit>\n";

const NEXTEST: &str = "[profile.default]\nretries = 2\nfailure-output = 'final'\ndefault-filter = 'all()'\n";

const MOCHA: &str = "reporter: dot\nspec:\n  - test/a.js\nretries: 2\n";

const CONFTEST: &str = "import pytest\n\n\n@pytest.fixture\ndef shop():\n    # A shop.\n    return make(1)\n";

const POM: &str = "<project><build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><configuration>\
    <includes><include>**/*Test.java</include></includes></configuration></plugin></plugins></build></project>\n";

/// File, text, what is replaced, and by what: as much runs as before.
const HARMLESS: &[(&str, &str, &str, &str)] = &[
    ("pytest.ini", PYTEST, "-q --strict", "-ra -v --durations=10 --strict"),
    ("pytest.ini", PYTEST, "-q --strict", "--durations 10 --strict"),
    ("pytest.ini", PYTEST, "-q --strict-markers", "-q --strict-markers --strict-config"),
    ("pytest.ini", PYTEST, "testpaths = tests", "testpaths = tests more"),
    ("pytest.ini", PYTEST, "testpaths = tests", "testpaths =\n    tests"),
    ("pytest.ini", PYTEST, "old build", "build"),
    ("pytest.ini", PYTEST, "    ignore::UserWarning\n", ""),
    ("pytest.ini", PYTEST, "6.0", "7.2"),
    ("pytest.ini", PYTEST, "    slow: takes long\n", "    slow: takes long\n    fast: is quick\n"),
    ("pytest.ini", PYTEST, "minversion = 6.0\n", "minversion = 6.0\nlog_cli = true\nxfail_strict = true\n"),
    ("pytest.ini", PYTEST, "[pytest]\n", "# The tests.\n[pytest]\n"),
    ("pyproject.toml", PYPROJECT, "'-q'", "'-v'"),
    ("pyproject.toml", PYPROJECT, "['tests']", "[\n  'tests', # old\n  'more',\n]"),
    ("pyproject.toml", PYPROJECT, "xfail_strict = false", "xfail_strict = true"),
    ("pyproject.toml", PYPROJECT, "fail_under = 90", "fail_under = 95"),
    ("pyproject.toml", PYPROJECT, "show_missing = false", "show_missing = true"),
    ("pyproject.toml", PYPROJECT, "['a.py', 'b.py']", "['a.py']"),
    ("pyproject.toml", PYPROJECT, "branch = false", "branch = true"),
    ("package.json", PACKAGE, "\"verbose\": false", "\"verbose\": true"),
    ("package.json", PACKAGE, "[\"default\"]", "[\"default\", \"jest-junit\"]"),
    ("package.json", PACKAGE, "[\"**/*.test.js\"]", "[\"**/*.test.js\", \"**/*.spec.js\"]"),
    ("package.json", PACKAGE, "\"/old/\", ", ""),
    ("package.json", PACKAGE, "80", "85"),
    ("vitest.config.ts", VITEST, "// The tests.\n", ""),
    (
        "vitest.config.ts",
        VITEST,
        "    include: ['src/**/*.test.ts'],\n",
        "    include: [\n      \"src/**/*.test.ts\",\n    ],\n",
    ),
    ("vitest.config.ts", VITEST, "['src/**/*.test.ts']", "['src/**/*.test.ts', 'test/**/*.ts']"),
    ("vitest.config.ts", VITEST, "['old/**', 'tmp/**']", "['tmp/**']"),
    ("vitest.config.ts", VITEST, "reporters: ['default']", "reporters: ['default', 'junit']"),
    ("vitest.config.ts", VITEST, "lines: 80", "lines: 90"),
    ("vitest.config.ts", VITEST, "retry: 2", "retry: 0"),
    ("phpunit.xml.dist", PHPUNIT, "colors=\"false\"", "colors=\"true\""),
    ("phpunit.xml", PHPUNIT, "failOnRisky=\"false\"", "failOnRisky=\"true\""),
    (
        "phpunit.xml",
        PHPUNIT,
        "      <directory>tests</directory>\n",
        "      <directory>tests</directory>\n      <directory>more</directory>\n",
    ),
    (".config/nextest.toml", NEXTEST, "retries = 2", "retries = 1"),
    (".config/nextest.toml", NEXTEST, "'final'", "'immediate'"),
    (".mocharc.yml", MOCHA, "reporter: dot", "reporter: spec"),
    (".mocharc.yml", MOCHA, "  - test/a.js\n", "  - test/a.js\n  - test/b.js\n"),
    ("tests/conftest.py", CONFTEST, "    # A shop.\n", "    # One shop for each test.\n"),
];

/// The same: less runs, or it asks less, or nobody can tell.
const WEAKER: &[(&str, &str, &str, &str)] = &[
    ("pytest.ini", PYTEST, "-q --strict-markers", "-q"),
    ("pytest.ini", PYTEST, "-q --strict", "-q -k fast --strict"),
    ("pytest.ini", PYTEST, "-q --strict", "-q --ignore=tests/a --strict"),
    ("pytest.ini", PYTEST, "-q --strict", "-q --collect-only --strict"),
    ("pytest.ini", PYTEST, "-q --strict", "-q -p no:unraisable --strict"),
    ("pytest.ini", PYTEST, "-q --strict", "-v tests/one.py --strict"),
    ("pytest.ini", PYTEST, "testpaths = tests", "testpaths = empty"),
    ("pytest.ini", PYTEST, "old build", "old build tests"),
    ("pytest.ini", PYTEST, "    error\n", ""),
    ("pytest.ini", PYTEST, "    ignore::UserWarning\n", "    ignore::UserWarning\n    ignore\n"),
    ("pytest.ini", PYTEST, "minversion = 6.0\n", "minversion = 6.0\npython_files = none_*.py\n"),
    ("pytest.ini", PYTEST, "minversion = 6.0\n", "minversion = 6.0\nusefixtures = fake\n"),
    ("pyproject.toml", PYPROJECT, "['tests']", "['tests/fast']"),
    ("pyproject.toml", PYPROJECT, "fail_under = 90", "fail_under = 50"),
    ("pyproject.toml", PYPROJECT, "fail_under = 90\n", ""),
    ("pyproject.toml", PYPROJECT, "['a.py', 'b.py']", "['a.py', 'b.py', 'x/*']"),
    ("pyproject.toml", PYPROJECT, "source = ['x']", "source = ['y']"),
    ("package.json", PACKAGE, "[\"default\"]", "[\"./quiet.js\"]"),
    ("package.json", PACKAGE, "[\"**/*.test.js\"]", "[\"**/*.test.js\", \"!**/a.test.js\"]"),
    ("package.json", PACKAGE, "[\"**/*.test.js\"]", "[]"),
    ("package.json", PACKAGE, "\"/tmp/\"", "\"/tmp/\", \"/src/\""),
    ("package.json", PACKAGE, "80", "8"),
    ("package.json", PACKAGE, "\"verbose\": false", "\"passWithNoTests\": true"),
    ("vitest.config.ts", VITEST, "['src/**/*.test.ts']", "['src/**/*.fast.ts']"),
    ("vitest.config.ts", VITEST, "'tmp/**'", "'tmp/**', 'src/**'"),
    ("vitest.config.ts", VITEST, "lines: 80", "lines: 8"),
    ("vitest.config.ts", VITEST, "retry: 2", "retry: 9"),
    ("vitest.config.ts", VITEST, "retry: 2", "passWithNoTests: true"),
    ("vitest.config.ts", VITEST, "['./setup.ts']", "['./other.ts']"),
    ("vitest.config.ts", VITEST, "reporters: ['default']", "reporters: [quiet()]"),
    ("vitest.config.ts", VITEST, "export default", "process.exit(0);\nexport default"),
    ("vitest.config.ts", VITEST, "  test: {\n", "  ...other,\n  test: {\n"),
    ("vitest.config.ts", VITEST, "});\n", "}\n"),
    ("phpunit.xml", PHPUNIT, "<directory>tests</directory>", "<directory>tests/fast</directory>"),
    ("phpunit.xml", PHPUNIT, "vendor/autoload.php", "other.php"),
    ("phpunit.xml", PHPUNIT, "</directory>\n", "</directory>\n      <exclude>tests/a</exclude>\n"),
    (".config/nextest.toml", NEXTEST, "retries = 2", "retries = 5"),
    (".config/nextest.toml", NEXTEST, "'all()'", "'none()'"),
    (".mocharc.yml", MOCHA, "retries: 2", "grep: fast"),
    (".mocharc.yml", MOCHA, "reporter: dot", "reporter: ./quiet.js"),
    ("tests/conftest.py", CONFTEST, "make(1)", "fake()"),
    ("tox.ini", "[testenv]\ncommands = pytest\n", "pytest", "pytest -k fast"),
    ("pom.xml", POM, "<includes>", "<testFailureIgnore>true</testFailureIgnore><includes>"),
    ("pom.xml", POM, "<includes>", "<skipTests>true</skipTests><includes>"),
    ("pom.xml", POM, "**/*Test.java", "**/FastTest.java"),
];

#[test]
fn only_edits_that_run_or_ask_less_are_flagged() {
    let mut faults = Vec::new();
    for (all, flagged) in [(HARMLESS, false), (WEAKER, true)] {
        for (path, text, old, new) in all {
            assert_eq!(text.matches(old).count(), 1, "{path}: {old:?} stands once");
            if is_flagged(path, Some(text), &text.replacen(old, new, 1)) != flagged {
                faults.push(format!("{path}: {old:?} -> {new:?}: flagged should be {flagged}"));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// A config that was not there before decides what runs.
#[test]
fn a_new_config_is_flagged() {
    for (path, text) in [
        ("pytest.ini", PYTEST),
        ("pyproject.toml", PYPROJECT),
        ("package.json", PACKAGE),
        ("vitest.config.ts", VITEST),
        ("phpunit.xml", PHPUNIT),
        (".config/nextest.toml", NEXTEST),
        ("conftest.py", CONFTEST),
    ] {
        assert!(is_flagged(path, None, text), "{path}");
    }
}
