//! Tests that were read before the change, so that each one that stays as it was is read once.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::cases::Lists;
use super::count::Helpers;
use super::fakes::Fakes;
use super::tree::Node;
use super::unit::Unit;

/// What was read of a file, and what it was read with.
#[derive(Default)]
pub(super) struct Known<'n> {
    around: Option<(Helpers, Lists, Arc<Fakes>)>,
    units: BTreeMap<(String, String), Seen<'n>>,
}

/// A unit, with all that it depends on.
struct Seen<'n> {
    node: &'n Node,
    headers: Vec<&'n str>,
    off: Option<&'static str>,
    conditions: Vec<String>,
    unit: Unit,
}

impl<'n> Known<'n> {
    /// Begins to read a file, and forgets the units if what is around them is not the same. Returns the fakes of the file.
    pub(super) fn surroundings(&mut self, helpers: &Helpers, lists: &Lists, fakes: Fakes) -> Arc<Fakes> {
        if let Some((old_helpers, old_lists, old_fakes)) = &self.around
            && (old_helpers, old_lists, old_fakes.as_ref()) == (helpers, lists, &fakes)
        {
            return Arc::clone(old_fakes);
        }
        self.units.clear();
        let fakes = Arc::new(fakes);
        self.around = Some((helpers.clone(), lists.clone(), Arc::clone(&fakes)));
        fakes
    }

    pub(super) fn unit(
        &self,
        name: &str,
        place: &str,
        node: &Node,
        headers: &[&str],
        off: Option<&'static str>,
        conditions: &[String],
    ) -> Option<Unit> {
        let seen = self.units.get(&(name.to_owned(), place.to_owned()))?;
        let is_same = seen.off == off
            && seen.headers == headers
            && seen.conditions == conditions
            && says_the_same(seen.node, node);
        is_same.then(|| Unit { line: node.line, ..seen.unit.clone() })
    }

    pub(super) fn remember(
        &mut self,
        unit: &Unit,
        node: &'n Node,
        headers: &[&'n str],
        off: Option<&'static str>,
        conditions: &[String],
    ) {
        let seen = Seen { node, headers: headers.to_vec(), off, conditions: conditions.to_vec(), unit: unit.clone() };
        self.units.insert((unit.name.clone(), unit.place.clone()), seen);
    }
}

/// Whether two statements say the same, wherever they stand.
fn says_the_same(one: &Node, other: &Node) -> bool {
    let blocks = || {
        one.blocks.iter().zip(&other.blocks).all(|(one, other)| {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| says_the_same(one, other))
        })
    };
    one.text == other.text && one.said == other.said && one.blocks.len() == other.blocks.len() && blocks()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(line: u64, text: &str, blocks: Vec<Vec<Node>>) -> Node {
        Node { line, text: text.to_owned(), said: text.to_owned(), blocks }
    }

    #[test]
    fn a_unit_is_read_again_if_anything_about_it_changes() {
        let old = node(1, "def test_a():", vec![vec![node(2, "assert f() == 1", Vec::new())]]);
        let moved = node(8, "def test_a():", vec![vec![node(9, "assert f() == 1", Vec::new())]]);
        let changed = node(1, "def test_a():", vec![vec![node(2, "assert f()", Vec::new())]]);
        let longer =
            node(1, "def test_a():", vec![vec![node(2, "assert f() == 1", Vec::new()), node(3, "g()", Vec::new())]]);
        let mut known = Known::default();
        known.surroundings(&Helpers::new(), &Lists::default(), Fakes::default());
        let unit = Unit { name: "test_a".to_owned(), line: 1, ..Unit::default() };
        known.remember(&unit, &old, &["@mark"], None, &[]);
        let found =
            |known: &Known<'_>, node: &Node, headers: &[&str], off| known.unit("test_a", "", node, headers, off, &[]);
        assert_eq!(found(&known, &moved, &["@mark"], None).map(|unit| unit.line), Some(8));
        for node in [&changed, &longer] {
            assert!(found(&known, node, &["@mark"], None).is_none(), "{node:?}");
        }
        assert!(found(&known, &old, &[], None).is_none(), "the mark is gone");
        assert!(found(&known, &old, &["@mark"], Some("it is off")).is_none());
        assert!(known.unit("test_a", "", &old, &["@mark"], None, &["if: x".to_owned()]).is_none());
        known.surroundings(&Helpers::from([("check".to_owned(), 1)]), &Lists::default(), Fakes::default());
        assert!(found(&known, &old, &["@mark"], None).is_none(), "a function around it checks something now");
    }
}
