//! Options of pytest that belong to a plugin: pytest refuses them if the plugin is not installed.

/// Options, and the packages that have them. An option such as `--cov-report` belongs to `--cov`, too.
const OPTIONS: [(&str, &str); 25] = [
    ("--timeout", "pytest-timeout"),
    ("--cov", "pytest-cov"),
    ("--no-cov", "pytest-cov"),
    ("-n", "pytest-xdist"),
    ("--numprocesses", "pytest-xdist"),
    ("--dist", "pytest-xdist"),
    ("--asyncio", "pytest-asyncio"),
    ("--reruns", "pytest-rerunfailures"),
    ("--json-report", "pytest-json-report"),
    ("--html", "pytest-html"),
    ("--self-contained-html", "pytest-html"),
    ("--ds", "pytest-django"),
    ("--reuse-db", "pytest-django"),
    ("--create-db", "pytest-django"),
    ("--no-migrations", "pytest-django"),
    ("--nomigrations", "pytest-django"),
    ("--benchmark", "pytest-benchmark"),
    ("--forked", "pytest-forked"),
    ("--randomly", "pytest-randomly"),
    ("--random-order", "pytest-random-order"),
    ("--snapshot-update", "syrupy"),
    ("--alluredir", "allure-pytest"),
    ("--headed", "pytest-playwright"),
    ("--mypy", "pytest-mypy"),
    ("--picked", "pytest-picked"),
];

/// The packages that have all of these options, if pytest refused them.
pub(crate) fn advice(program: &str, options: &[&str]) -> Option<String> {
    let is_of_pytest = program.split([' ', '/']).any(|word| matches!(word, "pytest" | "py.test" | "pytest.exe"));
    if !is_of_pytest || options.is_empty() {
        return None;
    }
    let mut packages: Vec<&str> = options.iter().map(|option| package(option)).collect::<Option<_>>()?;
    packages.dedup();
    let quoted = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
    let (shown, its) = (packages.get(..packages.len().min(2))?, options.get(..options.len().min(2))?);
    let of = if shown.len() == 1 { "this plugin" } else { "these plugins" };
    let (is, left) = if its.len() == 1 { ("is an option", "it") } else { ("are options", "them") };
    Some(format!(
        "install {} where the agent runs the tests, or tell it to leave {left} out: {} {is} of {of}",
        quoted(shown),
        quoted(its)
    ))
}

fn package(option: &str) -> Option<&'static str> {
    let name = option.split(['=', ' ']).next().unwrap_or(option);
    let is_of = |known: &str| {
        let rest = name.strip_prefix(known);
        // `-n4` has its value without a mark between.
        let is_value = |rest: &str| known == "-n" && (rest == "auto" || rest.bytes().all(|byte| byte.is_ascii_digit()));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-') && known.starts_with("--") || is_value(rest))
    };
    OPTIONS.iter().find(|(known, _)| is_of(known)).map(|(_, package)| *package)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_of_a_plugin_names_its_package() {
        for (option, expected) in [
            ("--timeout=5", "pytest-timeout"),
            ("--timeout-method=thread", "pytest-timeout"),
            ("--cov", "pytest-cov"),
            ("--cov-report=term", "pytest-cov"),
            ("-n", "pytest-xdist"),
            ("-n4", "pytest-xdist"),
            ("-nauto", "pytest-xdist"),
            ("--asyncio-mode=auto", "pytest-asyncio"),
            ("--reruns-delay", "pytest-rerunfailures"),
            ("--json-report-file=a", "pytest-json-report"),
            ("--html=a.html", "pytest-html"),
            ("--ds=a.settings", "pytest-django"),
            ("--benchmark-only", "pytest-benchmark"),
        ] {
            let said = advice("pytest", &[option]).unwrap_or_default();
            assert!(said.starts_with(&format!("install `{expected}` where")), "{option}: {said}");
        }
        let both = advice("python -m pytest", &["--cov", "--timeout=5"]).unwrap_or_default();
        assert!(both.starts_with("install `pytest-cov` and `pytest-timeout` where"), "{both}");
    }

    #[test]
    fn other_options_and_programs_have_no_plugin() {
        for option in ["--foo", "--covfefe", "--timeouts", "-x", "-nope", "--htmlcov", "--dss", "n", "", "--d"] {
            assert_eq!(advice("pytest", &[option]), None, "{option}");
        }
        for program in ["cargo test", "npx vitest", "jest", "go test", "python", "", "mypytest"] {
            assert_eq!(advice(program, &["--timeout=5"]), None, "{program}");
        }
        assert_eq!(advice("pytest", &["--cov", "--foo"]), None, "one is of no plugin");
        assert_eq!(advice("pytest", &[]), None);
    }
}
