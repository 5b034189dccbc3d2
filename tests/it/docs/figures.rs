//! The figures of the repairs agree: each release of the bench is in the table of BENCHMARKS.md once, the summaries count
//! the rows of that table, and README's table repeats the summary by gene.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use gephost_tests::repository;

use super::document;

/// How the results of one gene or one half of a language are counted.
type Counts = BTreeMap<String, u32>;

/// The rows of the table below this header, up to its end.
fn rows(text: &str, header: &str) -> Vec<Vec<String>> {
    let mut lines = text.lines().skip_while(|line| *line != header);
    assert!(lines.next().is_some(), "no table begins with {header}");
    lines.skip(1).take_while(|line| line.starts_with('|')).map(cells).collect()
}

fn cells(line: &str) -> Vec<String> {
    line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`').to_owned()).collect()
}

/// A summary: the first column, and the other columns by their names.
fn summary(text: &str, header: &str) -> BTreeMap<String, Counts> {
    let names = cells(header);
    let row = |row: Vec<String>| {
        let counts = names.iter().zip(&row).skip(1).map(|(name, cell)| (name.clone(), cell.parse().unwrap()));
        (row[0].clone(), counts.collect())
    };
    rows(text, header).into_iter().map(row).collect()
}

/// Counts one result, in the column of its name and among the cases.
fn count(counts: &mut BTreeMap<String, Counts>, name: &str, result: &str) {
    let of_name = counts.entry(name.to_owned()).or_default();
    for column in ["cases", result] {
        *of_name.entry(column.to_owned()).or_default() += 1;
    }
}

/// A column that a row does not have counts nothing.
fn same(counted: &BTreeMap<String, Counts>, said: &BTreeMap<String, Counts>) {
    assert_eq!(counted.keys().collect::<Vec<_>>(), said.keys().collect::<Vec<_>>());
    for (name, columns) in said {
        for (column, figure) in columns {
            assert_eq!(counted[name].get(column).copied().unwrap_or(0), *figure, "{name}, {column}");
        }
    }
}

#[test]
fn the_tables_of_repairs_agree() {
    let benchmarks = document("BENCHMARKS.md").text;
    let cases = fs::read_to_string(repository().join("tests/benches/repairs/cases.tsv")).unwrap();
    let mut missing: BTreeSet<[&str; 4]> =
        cases.lines().map(|line| line.split('\t').take(4).collect::<Vec<_>>().try_into().unwrap()).collect();
    let table = rows(&benchmarks, "| language | release | gene | candidates | steps | result | seconds |");
    let (mut by_half, mut by_gene) = (BTreeMap::new(), BTreeMap::new());
    for row in &table {
        let [language, release, gene, _, _, result, _] = row.as_slice() else { panic!("{row:?}") };
        let (release, half) = release.strip_suffix(" (held out)").map_or((release.as_str(), "seen"), |of| (of, "held"));
        let case = missing.iter().find(|case| (case[0], case[1], case[3]) == (language, half, release)).copied();
        assert!(case.is_some_and(|case| missing.remove(&case)), "{release} is no case of the bench, or is there twice");
        let half = if half == "held" { "held out" } else { half };
        count(&mut by_half, &format!("{language}, {half}"), result);
        count(&mut by_gene, gene, result);
        for counts in [&mut by_half, &mut by_gene] {
            count(counts, "all", result);
        }
    }
    assert!(missing.is_empty(), "cases without a row: {missing:?}");
    same(
        &by_half,
        &summary(&benchmarks, "| language | cases | fixed | improved | failed | refused | nothing | wrong |"),
    );
    same(&by_gene, &summary(&benchmarks, "| gene | cases | fixed | improved | failed | refused | nothing | wrong |"));

    let header = "| gene | cases | fixed | improved | refused | wrong |";
    let readme = summary(&document("README.md").text.replace("cases tried", "cases"), header);
    by_gene.retain(|gene, _| !matches!(gene.as_str(), "all" | "none"));
    same(&by_gene, &readme);
}
