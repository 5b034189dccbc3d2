//! The results of fixtures as JUnit XML, which servers for continuous integration read.

use std::fmt::Write as _;

use gephost_app::authoring::{FixtureResult, FixtureState};

/// The document: one test suite, the gene, with a test case for each fixture.
pub(super) fn document(gene: &str, fixtures: &[FixtureResult]) -> String {
    let count = |state| fixtures.iter().filter(|fixture| fixture.state == state).count();
    let seconds: f64 = fixtures.iter().map(|fixture| seconds(fixture.wall_ms)).sum();
    let (failed, broken) = (count(FixtureState::Failed), count(FixtureState::Broken));
    let name = escaped(gene);
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"{name}\" tests=\"{}\" \
         failures=\"{failed}\" errors=\"{broken}\" time=\"{seconds:.3}\">\n",
        fixtures.len()
    );
    for fixture in fixtures {
        let element = match fixture.state {
            FixtureState::Failed => Some("failure"),
            FixtureState::Broken => Some("error"),
            FixtureState::Passed | FixtureState::Blessed => None,
        };
        let case = escaped(&fixture.name);
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "    <testcase classname=\"{name}\" name=\"{case}\" time=\"{:.3}\"",
            self::seconds(fixture.wall_ms)
        );
        match element {
            None => text.push_str("/>\n"),
            Some(element) => {
                let first = fixture.problems.first().map(|problem| escaped(problem)).unwrap_or_default();
                let all = escaped(&fixture.problems.join("\n"));
                let _ = writeln!(text, ">\n      <{element} message=\"{first}\">{all}</{element}>\n    </testcase>");
            }
        }
    }
    text + "  </testsuite>\n</testsuites>\n"
}

#[expect(clippy::cast_precision_loss, reason = "a test takes less than a million years")]
fn seconds(milliseconds: u64) -> f64 {
    milliseconds as f64 / 1000.0
}

/// Text that may stand in an element or an attribute. XML 1.0 has no way to write most control characters.
fn escaped(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => written.push_str("&amp;"),
            '<' => written.push_str("&lt;"),
            '>' => written.push_str("&gt;"),
            '"' => written.push_str("&quot;"),
            '\n' | '\t' => written.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => written.push('\u{fffd}'),
            c => written.push(c),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(name: &str, state: FixtureState, problems: &[&str]) -> FixtureResult {
        let problems = problems.iter().map(ToString::to_string).collect();
        FixtureResult { name: name.to_owned(), state, problems, fullest: None, wall_ms: 1500 }
    }

    #[test]
    fn each_fixture_is_a_case_and_no_text_breaks_the_document() {
        let text = document(
            "gene_x",
            &[
                result("a", FixtureState::Passed, &[]),
                result("b\"<", FixtureState::Failed, &["-<a> & \"b\"", "+\u{1b}[31m"]),
                result("c", FixtureState::Broken, &["no log"]),
            ],
        );
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="gene_x" tests="3" failures="1" errors="1" time="4.500">
    <testcase classname="gene_x" name="a" time="1.500"/>
    <testcase classname="gene_x" name="b&quot;&lt;" time="1.500">
      <failure message="-&lt;a&gt; &amp; &quot;b&quot;">-&lt;a&gt; &amp; &quot;b&quot;
+�[31m</failure>
    </testcase>
    <testcase classname="gene_x" name="c" time="1.500">
      <error message="no log">no log</error>
    </testcase>
  </testsuite>
</testsuites>
"#;
        assert_eq!(text, expected);
    }
}
