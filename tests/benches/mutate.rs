//! `cargo bench -p gephost-tests --bench mutate [-- WORD]`: what the gene `mutate-and-test` makes of programs with one bug.
//!
//! The table is printed as Markdown; with a word, only the programs whose name has it. It needs python3 and node.

use gephost_tests::environment::TestEnv;
use gephost_tests::twins::twins;

fn main() {
    let word = std::env::args().skip(1).find(|word| !word.starts_with('-')).unwrap_or_default();
    // One home for all: the genes are compiled once.
    let env = TestEnv::new();
    let (mut cases, mut fixed, mut wrong) = (0, 0, 0);
    println!("| program | edits | tried | edit that holds | larger check | seconds |\n|---|---|---|---|---|---|");
    for twin in twins().into_iter().filter(|twin| twin.name.contains(&word)) {
        let repaired = twin.repair(&env);
        let search = repaired.search();
        let verdict = match repaired.holds {
            Some(true) => "passes",
            Some(false) => "**fails**",
            None => "-",
        };
        cases += 1;
        fixed += u32::from(repaired.holds == Some(true));
        wrong += u32::from(repaired.holds == Some(false));
        let text = |value: &serde_json::Value| value.as_str().unwrap_or("-").to_owned();
        println!(
            "| {} | {} | {} | {} | {verdict} | {:.1} |",
            twin.name,
            search["edits"],
            search["tried"],
            text(&search["holds"]),
            repaired.took.as_secs_f64()
        );
    }
    println!("\n{cases} programs: {fixed} fixed, {wrong} wrong");
}
