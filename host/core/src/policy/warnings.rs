//! Warnings about a valid policy that may not mean what its author intended.

use super::{Policy, PolicyTable, TestTreatment, Treatment};
use crate::path::RepoPath;

impl Policy {
    /// One sentence for each thing to check again; empty for a policy without surprises.
    pub fn warnings(&self) -> Vec<String> {
        let table = self.table();
        let mut warnings: Vec<String> = table.allow.iter().filter_map(|rule| self.dead(rule)).collect();
        warnings.extend(openings(table).into_iter().filter(|(holds, _)| *holds).map(|(_, text)| text.to_owned()));
        let groups = [
            ("patterns", table.patterns == Treatment::Allow),
            ("weakened_tests", table.weakened_tests == TestTreatment::Allow),
            ("new_dependencies", table.new_dependencies == Treatment::Allow),
            ("tool_files", table.tool_files == Treatment::Allow),
        ];
        let unseen = groups.into_iter().filter(|(_, is_unseen)| *is_unseen);
        warnings
            .extend(unseen.map(|(key, _)| format!("`{key} = \"allow\"`: the gate does not look for these violations")));
        warnings
    }

    /// The warning for a rule of `allow` for a single path that a deny rule covers.
    fn dead(&self, rule: &str) -> Option<String> {
        let path = RepoPath::new(rule.trim_matches('/')).ok()?;
        let closed = self.denied_by(&path)?;
        Some(format!("`allow` has `{rule}`, but `{closed}` denies it: the rule allows nothing"))
    }
}

fn openings(table: &PolicyTable) -> [(bool, &'static str); 5] {
    let everything = table.allow.iter().any(|rule| matches!(rule.as_str(), "**" | "*" | "/**" | "/*"));
    [
        (table.allow.is_empty() && table.phase.is_none(), "`allow` is empty: nothing may change"),
        (everything && table.phase.is_none(), "`allow` covers everything: every path that is not denied may change"),
        (table.deny.is_empty() && table.phase.is_none(), "`deny` is empty: only the built-in list denies paths"),
        (table.mode_changes, "`mode_changes = true`: changes may make files executable"),
        (table.max_risk == 100, "`max_risk = 100`: no risk is rejected"),
    ]
}
