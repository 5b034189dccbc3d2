//! The levels of a crate as graphs, and the circles in them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use crate::modules::{Crate, ModuleId};

/// The place of a crate's root in its modules.
const ROOT: ModuleId = 0;

/// A place where one node of a level imports another: the importing file and its line.
type Place = (ModuleId, usize);

/// One level: a module with its direct children. The module's own file is the node with the module's own id.
type Level = BTreeMap<ModuleId, BTreeMap<ModuleId, Place>>;

/// The nodes of one circle, each with the place where it imports the next.
pub(crate) struct Circle {
    steps: Vec<String>,
}

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.steps.join(" → "))
    }
}

/// A shortest circle through each module that is in one, every circle once.
pub(crate) fn circles(krate: &Crate) -> Vec<Circle> {
    let mut found = Vec::new();
    for level in levels(krate).values() {
        let mut seen = BTreeSet::new();
        for start in level.keys() {
            if seen.contains(start) {
                continue;
            }
            if let Some(nodes) = shortest_circle(level, *start) {
                seen.extend(nodes.iter().copied());
                found.push(described(krate, level, &nodes));
            }
        }
    }
    found
}

fn levels(krate: &Crate) -> BTreeMap<ModuleId, Level> {
    let mut levels: BTreeMap<ModuleId, Level> = BTreeMap::new();
    for (from, import) in krate.all_imports() {
        let Some(to) = krate.definer(from, import).filter(|to| *to != from) else { continue };
        let (level, source, target) = parting(krate, from, to);
        // A facade re-exports what is below it; who names the item through it imports it, the facade does not.
        if import.is_re_export && source == level {
            continue;
        }
        levels.entry(level).or_default().entry(source).or_default().entry(target).or_insert((from, import.line));
    }
    levels
}

/// The level at which the ways to two modules part, and the node of each on it.
fn parting(krate: &Crate, from: ModuleId, to: ModuleId) -> (ModuleId, ModuleId, ModuleId) {
    let mut ways = [from, to].map(|end| krate.upwards(end).collect::<Vec<_>>());
    let mut level = ROOT;
    while let [Some(a), Some(b)] = [ways[0].last().copied(), ways[1].last().copied()] {
        if a != b {
            break;
        }
        level = a;
        for way in &mut ways {
            way.pop();
        }
    }
    let [source, target] = ways.map(|way| way.last().copied().unwrap_or(level));
    (level, source, target)
}

/// The shortest way along the edges from `start` back to it.
fn shortest_circle(level: &Level, start: ModuleId) -> Option<Vec<ModuleId>> {
    let mut before: BTreeMap<ModuleId, ModuleId> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for next in level.get(&node).into_iter().flat_map(BTreeMap::keys) {
            if *next == start {
                let mut nodes: Vec<ModuleId> =
                    std::iter::successors(Some(node), |at| before.get(at).copied()).collect();
                nodes.reverse();
                return Some(nodes);
            }
            if *next != start && !before.contains_key(next) {
                before.insert(*next, node);
                queue.push_back(*next);
            }
        }
    }
    None
}

fn described(krate: &Crate, level: &Level, nodes: &[ModuleId]) -> Circle {
    let next = nodes.iter().cycle().skip(1);
    let steps = nodes.iter().zip(next).map(|(node, next)| {
        let (file, line) = level[node][next];
        format!("{} ({}:{line})", krate.modules[*node].path, krate.modules[file].file.display())
    });
    let mut steps: Vec<String> = steps.collect();
    steps.push(krate.modules[nodes[0]].path.clone());
    Circle { steps }
}
