//! A step between a failed call and its success that brings what the error names is told, and nothing else is.

use gephost_gene::run_log::FailureKind;

use super::next::advice;
use crate::analysis::Analysis;
use crate::call::Call;
use crate::findings::directions::LOOK_FIRST;
use crate::findings::reports;

/// The advice about the first of these commands, each with its error if it failed.
fn told(steps: &[(&str, Option<&str>)]) -> String {
    advice(&steps.iter().map(|(input, error)| ("Bash", *input, *error)).collect::<Vec<_>>(), Vec::new())
}

#[test]
fn a_step_that_brings_what_the_error_names_is_told_whatever_else_was_changed() {
    for (failed, error, cure) in [
        (
            "dotnet test",
            "A.cs(1,7): error CS0246: The namespace name 'Moq' could not be found",
            "dotnet add a.csproj package Moq",
        ),
        (
            "npx tsc",
            "a.ts(1,1): error TS2688: Cannot find type definition file for 'node'.",
            "npm i -D x && npm install -D @types/node",
        ),
        ("go build ./...", "a.go:3:2: no required module provides package github.com/a/b", "go get github.com/a/b@v1"),
        (
            "cargo build",
            "error[E0463]: can't find crate for `core`: the `wasm32-wasip2` target may not be installed",
            "rustup target add wasm32-wasip2",
        ),
        ("mix test", "** (Mix) Can't continue due to errors on dependencies: run mix deps.get", "mix deps.get"),
        (
            "rails test",
            "ActiveRecord::NoDatabaseError: FATAL: database \"app_test\" does not exist",
            "createdb app_test",
        ),
        ("terraform plan", "Error: Backend initialization required, please run \"terraform init\"", "terraform init"),
        (
            "cmake -B out",
            "CMake Error: vendor/lib does not contain a CMakeLists.txt file",
            "git submodule update --init vendor/lib",
        ),
        ("node a.js", "Error: getaddrinfo ENOTFOUND redis", "docker compose up -d redis"),
        (
            "php a.php",
            "PHP Fatal error: Uncaught Error: Class \"monolog/monolog\" not found",
            "composer require monolog/monolog",
        ),
    ] {
        let cured = told(&[(failed, Some(error)), ("sed -i s/a/b/ x.txt", None), (cure, None), (failed, None)]);
        let cure = cure.rsplit(" && ").next().unwrap();
        assert!(cured.contains(cure), "{failed}: {cured}");
        let other = told(&[
            (failed, Some("error: the sum is wrong")),
            ("sed -i s/a/b/ x.txt", None),
            (cure, None),
            (failed, None),
        ]);
        assert!(!other.contains("after it"), "{failed}: {other}");
        let again = told(&[(failed, Some(error)), (cure, None), (failed, Some(error))]);
        assert!(!again.contains("after it"), "{failed}: {again}");
    }
}

#[test]
fn a_step_behind_a_pipe_and_one_that_writes_a_file_are_told_if_they_are_all_that_was_done() {
    for (failed, error, between, cure) in [
        ("npm run lint", "error: the plugin is not there", "npm ci 2>&1 | tail -3", "npm ci"),
        ("make run", "error: no settings", "cp .env.example .env", "cp .env.example .env"),
        ("make run", "error: no settings", "mkdir -p run/state", "mkdir -p run/state"),
        ("work", "error: nobody is known", "git config user.name x", "git config user.name x"),
    ] {
        let expected = format!("have the agent run `{cure}` first: the same call worked after it");
        assert_eq!(told(&[(failed, Some(error)), (between, None), (failed, None)]), expected);
        for other in ["sed -i s/a/b/ x.txt", "echo a > b", "git checkout main"] {
            let advice = told(&[(failed, Some(error)), (between, None), (other, None), (failed, None)]);
            assert!(!advice.contains("after it"), "{failed}, {other}: {advice}");
        }
    }
}

#[test]
fn a_named_step_after_which_another_error_came_is_told_as_such() {
    let first = "a.csproj : error NU1105: Unable to find project information, so run a restore from the command-line";
    let ef = "dotnet ef migrations add A";
    let advice = told(&[(ef, Some(first)), ("dotnet restore a.slnx", None), (ef, Some("error: Build failed."))]);
    assert_eq!(advice, "have the agent run `dotnet restore a.slnx` first: this error did not come again after it");
    let unnamed =
        told(&[(ef, Some("error: no lease")), ("dotnet restore a.slnx", None), (ef, Some("error: Build failed."))]);
    assert!(!unnamed.contains("did not come again"), "{unnamed}");
    let back = told(&[
        (ef, Some(first)),
        ("dotnet restore a.slnx", None),
        (ef, Some("error: Build failed.")),
        (ef, Some(first)),
    ]);
    assert!(!back.contains("did not come again"), "{back}");
}

#[test]
fn a_path_that_a_later_call_finds_is_no_part_of_those_that_nothing_is_known_of() {
    let missing = |path: &str| format!("cat: {path}: No such file or directory");
    let mut steps = vec![("cat apps/models.py".to_owned(), Some(missing("apps/models.py")))];
    for path in ["one/alpha.rs", "two/beta.rs", "three/gamma.rs", "four/delta.rs"] {
        steps.push((format!("cat {path}"), Some(missing(path))));
    }
    let of = |later: &str| {
        let mut steps = steps.clone();
        steps.push((later.to_owned(), None));
        told(&steps.iter().map(|(input, error)| (input.as_str(), error.as_deref())).collect::<Vec<_>>())
    };
    assert!(of("cat backend/apps/models.py").contains("use the path `backend/apps/models.py`"));
    assert!(of("rg -l x apps/models/user.py").contains("use the path `apps/models/` instead of `apps/models.py`"));
    assert!(!of("cat other/file.py").contains("use the path"));
}

#[test]
fn an_edit_that_adds_what_the_error_names_is_told_with_the_name() {
    let error = Some("ImproperlyConfigured: You're using the app without having set the STATIC_URLS setting");
    let edit = |text: &str| format!(r#"{{"file_path":"/w/site/conf.py","old_string":"A = 1","new_string":"{text}"}}"#);
    let of = |text: &str| {
        let run = "python manage.py collect";
        advice(
            &[("Bash", run, error), ("Edit", &edit(text), None), ("Bash", "ls", None), ("Bash", run, None)],
            Vec::new(),
        )
    };
    assert!(of("STATIC_URLS = 1").contains("edited `/w/site/conf.py`, where it added `STATIC_URLS`, then it worked"));
    assert!(!of("MEDIA = 1").contains("it added"));
}

#[test]
fn paths_that_one_advice_helps_against_stay_together() {
    let mut analysis = Analysis::default();
    let paths = ["apps/models.py", "one/alpha.rs", "two/beta.rs", "three/gamma.rs", "four/delta.rs"];
    for (event, path) in (0..).zip(paths) {
        let (input, output) = (format!("cat {path}"), format!("cat: {path}: No such file or directory"));
        let session = u32::try_from(event).unwrap();
        let kind = FailureKind::FileNotFound;
        analysis.add(&Call { event: 2 * event, session, kind, input: &input, output: &output, ..Call::FAILED });
        let found = Call { event: 2 * event + 1, session, input: "cat backend/apps/models.py", ..Call::FAILED };
        analysis.add(&Call { failed: false, output: "fine", ..found });
    }
    analysis.finish(Vec::new());
    let reports = reports(&analysis);
    let of_paths = reports.iter().find(|report| report.kind == "missing_path").unwrap();
    assert_eq!((of_paths.occurrences, of_paths.direction.as_str()), (5, LOOK_FIRST), "{}", of_paths.title);
}
