//! Audits of dependencies: programs whose exit code says that they know vulnerabilities, which their report lists.

use crate::command::shell::Step;
use crate::output::known::MAX_LINE_BYTES;

/// Most packages that are named.
const MAX_PACKAGES: usize = 16;
/// What stands in front of the name of a package.
const NAMED: [&str; 6] =
    ["Crate: ", "Package: ", "Name: ", "Module: ", "Vulnerability found in ", "vulnerability found in "];
/// How the identifiers of vulnerabilities begin.
const IDENTIFIERS: [&str; 7] = ["CVE-", "GHSA-", "PYSEC-", "RUSTSEC-", "GO-20", "SNYK-", "OSV-"];

/// Whether a step asks for known vulnerabilities of dependencies.
pub(crate) fn is_audit(step: &Step<'_>) -> bool {
    const ALONE: [&str; 9] = [
        "pip-audit",
        "govulncheck",
        "osv-scanner",
        "bundle-audit",
        "bundler-audit",
        "cargo-audit",
        "safety",
        "grype",
        "trivy",
    ];
    let asks = matches!(step.task(), "audit" | "hex.audit" | "deny" | "npm audit");
    ALONE.contains(&step.program)
        || asks && matches!(step.program, "npm" | "pnpm" | "yarn" | "bun" | "cargo" | "composer" | "mix" | "uv")
}

/// The line with the result of an audit, and the packages in which it knows vulnerabilities. Nothing if the audit itself failed.
pub(crate) fn found(output: &str) -> Option<(&str, Vec<String>)> {
    let says = |line: &&str| {
        let line = line.to_ascii_lowercase();
        line.contains("vulnerabilit") && !line.contains("http") && line.contains(|c: char| c.is_ascii_digit())
    };
    let lines = || output.lines().map(str::trim_end).filter(|line| line.len() <= MAX_LINE_BYTES);
    let mut packages: Vec<String> = Vec::new();
    let mut before = "";
    for line in lines() {
        let name = package(line, before);
        before = line;
        let Some(name) = name.filter(|name| is_name(name)) else { continue };
        if !packages.iter().any(|known| known == name) && packages.len() < MAX_PACKAGES {
            packages.push(name.to_owned());
        }
    }
    if packages.is_empty() {
        return None;
    }
    let result = lines().filter(|line| !line.starts_with(['#', '│', '|'])).rfind(says);
    Some((result.or_else(|| lines().find(|line| line.contains(packages[0].as_str())))?.trim(), packages))
}

/// The package that a line of a report is about. `before` is the line above.
fn package<'a>(line: &'a str, before: &'a str) -> Option<&'a str> {
    // npm: the name stands with the range above the severity.
    if line.starts_with("Severity: ") {
        return before.split_whitespace().next();
    }
    let text = line.trim_start();
    if let Some(rest) = NAMED.iter().find_map(|words| text.split_once(words).filter(|(head, _)| is_lead(head))) {
        return rest.1.split_whitespace().next();
    }
    let has_identifier = IDENTIFIERS.iter().any(|start| line.contains(start));
    if let Some(mut cells) = cells(line) {
        let first = cells.next().filter(|first| !matches!(*first, "CVE" | "Advisory" | "ID" | "URL"))?;
        return if first == "Package" || has_identifier {
            cells.find(|cell| first == "Package" || is_plain(cell)).or(Some(first))
        } else {
            None
        };
    }
    // pip-audit: name, version, identifier.
    let mut words = line.split_whitespace();
    let (name, version, identifier) = (words.next()?, words.next()?, words.next()?);
    let is_row = version.starts_with(|c: char| c.is_ascii_digit())
        && IDENTIFIERS.iter().any(|start| identifier.starts_with(start));
    is_row.then_some(name)
}

/// Whether only a mark stands in front of a name: `-> `, `✗ High severity `.
fn is_lead(head: &str) -> bool {
    head.is_empty() || head.ends_with("severity ") || !head.contains(char::is_alphanumeric)
}

/// The cells of a row of a table.
fn cells(line: &str) -> Option<impl Iterator<Item = &str>> {
    let line = line.trim();
    let mark = ['│', '|'].into_iter().find(|mark| line.starts_with(*mark))?;
    Some(line.split(mark).map(str::trim).filter(|cell| !cell.is_empty()))
}

fn is_plain(cell: &str) -> bool {
    is_name(cell) && !IDENTIFIERS.iter().any(|start| cell.contains(start)) && !cell.contains("://")
}

/// Whether a text is the name of a package.
fn is_name(name: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'@');
    name.len() <= 80 && name.bytes().all(is_of_name) && name.contains(|c: char| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::shell::steps;

    #[test]
    fn the_packages_of_a_report_are_known() {
        for (output, line, packages) in [
            (
                "# npm audit report\n\npostcss  <=8.5.22\nSeverity: high\nPostCSS has XSS - https://a.example/GHSA-qx2v\n\nnext  9.0.0 - 15.5.24\nSeverity: high\nDepends on vulnerable versions of postcss\n\n3 high severity vulnerabilities\n",
                "3 high severity vulnerabilities",
                &["postcss", "next"][..],
            ),
            (
                "Found 2 known vulnerabilities in 1 package\nName  Version ID             Fix Versions\n----- ------- -------------- ------------\nflask 0.5     PYSEC-2019-179 1.0\nflask 0.5     PYSEC-2018-66  0.12.3",
                "Found 2 known vulnerabilities in 1 package",
                &["flask"],
            ),
            (
                "Crate:     time\nVersion:   0.1.45\nID:        RUSTSEC-2020-0071\n\nerror: 1 vulnerability found!",
                "error: 1 vulnerability found!",
                &["time"],
            ),
            (
                "┌─────┐\n│ high │ Prototype pollution │\n│ Package             │ lodash     │\n│ Vulnerable versions │ <4.17.21   │\n└─────┘\n1 vulnerabilities found\nSeverity: 1 high",
                "1 vulnerabilities found",
                &["lodash"],
            ),
            ("Name: rack\nVersion: 2.0.1\nCVE: CVE-2020-8161\nVulnerabilities found!", "Name: rack", &["rack"]),
            (
                "Found 1 security vulnerability advisory affecting 1 package:\n+----+\n| Package | symfony/http-kernel |\n| CVE | CVE-2022-1 |",
                "Found 1 security vulnerability advisory affecting 1 package:",
                &["symfony/http-kernel"],
            ),
            (
                "-> Vulnerability found in django version 2.2.0\n   Vulnerability ID: 1",
                "Vulnerability ID: 1",
                &["django"],
            ),
            (
                "✗ High severity vulnerability found in minimist",
                "✗ High severity vulnerability found in minimist",
                &["minimist"],
            ),
            (
                "Vulnerability #1: GO-2023-1988\n  Module: golang.org/x/net\n    Found in: golang.org/x/net@v0.1.0",
                "Vulnerability #1: GO-2023-1988",
                &["golang.org/x/net"],
            ),
        ] {
            let (said, names) = found(output).expect(output);
            assert_eq!(
                (said, names.iter().map(String::as_str).collect::<Vec<_>>().as_slice()),
                (line, packages),
                "{output}"
            );
        }
    }

    #[test]
    fn an_audit_that_fails_itself_finds_nothing() {
        for output in [
            "npm warn audit request to https://r.example failed, reason: connect ECONNREFUSED\nundefined\nnpm error audit endpoint returned an error",
            "npm error code ENOLOCK\nnpm error audit This command requires an existing lockfile.",
            "ERROR: Could not find a version that satisfies the requirement x",
            "error: couldn't fetch advisory database",
            "found 0 vulnerabilities",
            "bash: pip-audit: command not found",
            "Severity: high",
            "",
        ] {
            assert_eq!(found(output), None, "{output}");
        }
    }

    #[test]
    fn an_audit_is_known_by_its_step() {
        let is = |input: &str| steps(input).iter().any(is_audit);
        for input in [
            "npm audit --omit=dev",
            "pnpm audit",
            "cargo audit",
            "pip-audit -r a.txt",
            "composer audit",
            "cd a && npm audit",
            "bundle-audit check",
        ] {
            assert!(is(input), "{input}");
        }
        for input in ["npm install", "cargo build", "grep audit a.txt", "python audit.py", "npm run audit", "git log"] {
            assert!(!is(input), "{input}");
        }
    }
}
