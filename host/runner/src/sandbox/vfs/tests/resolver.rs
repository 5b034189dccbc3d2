//! The resolver against a naive model: whole paths as text, looked up in one map, with everything worked out anew for
//! every question. And a worker's copy of a workspace against the workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gephost_core::path::RepoPath;
use proptest::prelude::*;

use super::{Held, is_denied, workspace};
use crate::sandbox::files::Files;
use crate::sandbox::files::Tree;
use crate::sandbox::files::{Child, MAX_LINKS, walk};
use crate::sandbox::workspace::CreateCheck;
use crate::sandbox::{ReadFailure, Workspace};

/// What a path leads to in the model: the path of a file or a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    File(String),
    Directory(String),
}

struct Model<'a> {
    scene: &'a BTreeMap<String, Held>,
    shown: BTreeSet<String>,
}

impl<'a> Model<'a> {
    /// Begins with the files and adds links that lead to something, until there are no more.
    fn new(scene: &'a BTreeMap<String, Held>) -> Self {
        let visible = |path: &&String| !is_denied(path);
        let files = scene.iter().filter(|(_, held)| matches!(held, Held::File(_))).map(|(path, _)| path);
        let mut model = Self { scene, shown: files.filter(visible).cloned().collect() };
        loop {
            let links = scene.iter().filter_map(|(path, held)| match held {
                Held::Link(target) if !is_denied(path) && !model.shown.contains(path) => Some((path, target)),
                _ => None,
            });
            let leads = |path: &str, target: &str| {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                model.resolve(folder, target, 1).is_some_and(|end| match end {
                    End::File(_) => true,
                    End::Directory(directory) => model.is_directory(&directory),
                })
            };
            let more: Vec<String> =
                links.filter(|(path, target)| leads(path, target)).map(|(path, _)| path.clone()).collect();
            if more.is_empty() {
                return model;
            }
            model.shown.extend(more);
        }
    }

    fn is_directory(&self, path: &str) -> bool {
        path.is_empty() || self.shown.iter().any(|shown| shown.starts_with(&format!("{path}/")))
    }

    fn resolve(&self, from: &str, text: &str, links: u8) -> Option<End> {
        if links > MAX_LINKS || text.is_empty() {
            return None;
        }
        let mut at = from.to_owned();
        let names: Vec<&str> = text.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
        for (position, name) in names.iter().enumerate() {
            if *name == ".." {
                if at.is_empty() {
                    return None;
                }
                at = at.rsplit_once('/').map_or(String::new(), |(above, _)| above.to_owned());
                continue;
            }
            let next = if at.is_empty() { (*name).to_owned() } else { format!("{at}/{name}") };
            let end = match self.scene.get(&next).filter(|_| self.shown.contains(&next)) {
                Some(Held::Link(target)) => self.resolve(&at, target, links + 1)?,
                Some(_) => End::File(next),
                None if self.is_directory(&next) => End::Directory(next),
                None => return None,
            };
            match end {
                End::Directory(directory) => at = directory,
                // A slash at the end asks for a directory.
                End::File(file) => {
                    return (position + 1 == names.len() && !ends_in_slash(text)).then_some(End::File(file));
                }
            }
        }
        Some(End::Directory(at))
    }
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "denied", "l"])
}

fn scene() -> impl Strategy<Value = BTreeMap<String, Held>> {
    let path = prop::collection::vec(name(), 1..4).prop_map(|names| names.join("/"));
    let target = prop::collection::vec(prop::sample::select(vec!["a", "b", "denied", "l", ".", ".."]), 1..5);
    let held =
        prop_oneof![Just(Held::File("text")), target.prop_map(|names| Held::Link(names.join("/"))), Just(Held::Other),];
    prop::collection::btree_map(path, held, 0..10).prop_map(|scene| {
        let below = |path: &str| scene.keys().any(|other| path.starts_with(&format!("{other}/")));
        scene.iter().filter(|(path, _)| !below(path)).map(|(path, held)| (path.clone(), held.clone())).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn the_resolver_is_the_model(
        scene in scene(),
        asked in prop::collection::vec(
            prop::collection::vec(prop::sample::select(vec!["a", "b", "denied", "l", ".", "..", ""]), 1..6), 1..20),
    ) {
        let workspace = workspace(&scene);
        let model = Model::new(&scene);
        let contents = workspace.contents();
        let shown: Vec<&str> = workspace.tree().shown().iter().map(|id| contents.path(*id).as_str()).collect();
        prop_assert_eq!(shown, model.shown.iter().map(String::as_str).collect::<Vec<_>>());
        for names in asked {
            let text = names.join("/");
            let place = walk(&mut workspace.tree(), Tree::ROOT, &text, true).ok().and_then(|place| place.found);
            // A path with an empty first name is absolute.
            let expected = if text.starts_with('/') { None } else { model.resolve("", &text, 0) };
            let found = place.map(|child| match child {
                Child::File(id) => Some(contents.path(id).as_str().to_owned()),
                Child::Directory(_) => None,
                Child::Link(..) => panic!("{text}: links are followed"),
            });
            let expected = expected.map(|end| match end {
                End::File(path) => Some(path),
                End::Directory(_) => None,
            });
            prop_assert_eq!(found, expected, "{}", text);
        }
    }

    /// A worker knows of the shown names only, and gets the same result with them.
    #[test]
    fn a_copy_of_what_is_shown_shows_the_same(
        scene in scene(),
        asked in prop::collection::vec(
            prop::collection::vec(prop::sample::select(vec!["a", "b", "denied", "l", ".", ".."]), 1..6), 1..20),
    ) {
        let whole = workspace(&scene);
        let (copy, told) = Copied::of(&whole);
        prop_assert!(told.iter().all(|path| !is_denied(path)), "{:?}", told);
        prop_assert_eq!(listing(&copy), listing(&whole));
        for names in asked {
            let text = names.join("/");
            prop_assert_eq!(seen(&copy, &text), seen(&whole, &text), "{}", text);
        }
    }
}

fn ends_in_slash(text: &str) -> bool {
    text.ends_with('/') || text.ends_with("/.")
}

/// What a worker learns of links, and the whole workspace to ask for room.
#[derive(Debug)]
struct Copied(BTreeMap<RepoPath, String>);

impl Copied {
    /// The copy, and every path that was told.
    fn of(whole: &Workspace) -> (Workspace, Vec<String>) {
        let path = |path: &str| RepoPath::new(path).unwrap();
        let list: Vec<_> = whole.listing().map(|(name, kind, _)| (path(name), kind)).collect();
        let links = whole.listing().filter_map(|(name, _, target)| Some((path(name), target?.to_owned())));
        let copied = Arc::new(Self(links.collect()));
        let told = list.iter().map(|(path, _)| path.as_str().to_owned()).collect();
        (Workspace::copy_of(Arc::clone(&copied) as Arc<dyn Files>, list, copied), told)
    }
}

impl Files for Copied {
    fn size(&self, _path: &RepoPath) -> Result<u64, ReadFailure> {
        Err(ReadFailure::NotFound)
    }

    fn read(&self, _path: &RepoPath) -> Result<Arc<[u8]>, ReadFailure> {
        Err(ReadFailure::NotFound)
    }

    fn link_target(&self, path: &RepoPath) -> Result<String, ReadFailure> {
        self.0.get(path).cloned().ok_or(ReadFailure::NotFound)
    }
}

impl CreateCheck for Copied {
    fn may_create(&self, _path: &RepoPath) -> bool {
        false
    }
}

/// Every shown name with its kind, target and number.
fn listing(workspace: &Workspace) -> Vec<String> {
    let rank = |name: &str| workspace.tree().rank(workspace.listed(name).unwrap());
    workspace.listing().map(|(name, kind, target)| format!("{name} {kind:?} {target:?} {:?}", rank(name))).collect()
}

/// What a path leads to, and for a directory what is in it.
fn seen(workspace: &Workspace, text: &str) -> String {
    match walk(&mut workspace.tree(), Tree::ROOT, text, true) {
        Err(error) => format!("{error:?}"),
        Ok(place) => match place.found {
            None => "nothing".to_owned(),
            Some(Child::File(id) | Child::Link(id, _)) => workspace.contents().path(id).as_str().to_owned(),
            Some(Child::Directory(id)) => {
                let children = workspace.tree().children_after(id, None);
                format!(
                    "{:?}",
                    children.map(|(name, child)| (name, matches!(child, Child::Directory(_)))).collect::<Vec<_>>()
                )
            }
        },
    }
}
