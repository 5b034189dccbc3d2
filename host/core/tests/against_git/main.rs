//! Whatever the gate passes, `git apply` does exactly that, and so does diffy where it can: on diffs of many tools, whole and damaged, from fixed seeds.
//! The fuzz target `gate_vs_git` asks the same with seeds that grow towards new code.

#![expect(clippy::disallowed_methods, reason = "the oracle is another program, which works on files")]
#![expect(clippy::expect_used, reason = "a test fails by panicking")]

mod choices;
mod mutate;
mod oracle;
mod scene;
mod second_reader;
mod style;

use choices::{Choices, bytes_of_seed};
use oracle::{Git, approved_tree, judge, open_policy};

/// How many trees and diffs are tried.
const SEEDS: u64 = 400;

#[test]
fn git_does_what_was_approved() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let git = Git::new(folder.path().to_owned());
    let policy = open_policy();
    let (mut passed, mut refused, mut read_by_both) = (0, 0, 0);
    for seed in 0..SEEDS {
        let bytes = bytes_of_seed(seed, 400);
        let mut choices = Choices::new(&bytes);
        let tree = scene::tree(&mut choices);
        let diff = mutate::mutate(scene::diff(&tree, &mut choices), &mut choices);
        let verdict = judge(&diff, &tree, &policy);
        let Some(expected) = approved_tree(&verdict, &tree) else {
            refused += 1;
            continue;
        };
        passed += 1;
        assert_eq!(git.apply(&diff, &tree), Ok(expected.clone()), "seed {seed}:\n{diff}\n{tree:?}");
        assert_eq!(git.apply(verdict.diff(), &tree), Ok(expected.clone()), "seed {seed}:\n{}", verdict.diff());
        if let Some(by_diffy) = second_reader::apply(verdict.diff(), &tree) {
            read_by_both += 1;
            assert_eq!(by_diffy, expected, "seed {seed}, read by diffy:\n{}", verdict.diff());
        }
        // Of a diff as it came diffy may overlook a part, such as a plain one after git's.
        if let Some(by_diffy) = second_reader::apply(&diff, &tree) {
            read_by_both += 1;
            let names = by_diffy.keys().chain(tree.keys());
            let changed = names.filter(|name| by_diffy.get(*name) != tree.get(*name));
            for name in changed {
                // It reads no dates: what the epoch deletes is empty to it.
                let emptied = by_diffy.get(name).is_some_and(|(content, _)| content.is_empty());
                if emptied && !expected.contains_key(name) {
                    continue;
                }
                assert_eq!(by_diffy.get(name), expected.get(name), "seed {seed}, {name} read by diffy:\n{diff}");
            }
        }
    }
    assert!(passed > 100 && refused > 100, "{passed} passed, {refused} refused: both must be tested");
    assert!(read_by_both > 100, "diffy read {read_by_both}");
}
