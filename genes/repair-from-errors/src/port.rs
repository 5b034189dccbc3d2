//! The files of a project for Python 2, each without what Python 3 removed ([`python::Port`]), and those of a package for an
//! old version of Node ([`node::modern`]).

use std::collections::BTreeSet;

use crate::edit::set;
use crate::fault::is_foreign;
use crate::input::{MAX_FILES, MAX_SEARCHED, Workspace};
use crate::node;
use crate::python::{self, Port, Siblings};
use crate::repair::Repair;
use crate::site::{Site, folder, own};

/// Most bytes of sources that are read for it.
const MAX_BYTES: usize = 8 << 20;

type Files = Vec<(String, Vec<u8>)>;

/// The changed files, the largest group first: all of the project, and those of the failing file's own top folder without
/// tests; of many the nearest to the failing file. Empty if there is nothing beyond the failing file's repair.
pub(crate) fn groups(site: &Site, workspace: &mut impl Workspace) -> Vec<Files> {
    let is_node = matches!(site.repair, Repair::Node(_));
    let names = if is_node { ["*.js", "*.cjs"].as_slice() } else { &["*.py"] };
    let names = names.iter().flat_map(|name| workspace.named(name));
    let paths = set(names.filter(|path| !is_foreign(path)));
    let mut sources: Files = Vec::new();
    let mut bytes = 0;
    let wanted = |path: &&String| **path == site.path || !(is_twin(path, &paths) || is_node && is_copied(path));
    for path in paths.iter().filter(wanted).take(MAX_SEARCHED) {
        let Some(source) = own(workspace, path) else { continue };
        bytes += source.len();
        if bytes > MAX_BYTES {
            workspace.note("the project has too much source to be ported at once");
            return Vec::new();
        }
        sources.push((path.clone(), source));
    }
    let mut port = Port::new();
    for (_, source) in sources.iter().filter(|_| !is_node) {
        port.read(source);
    }
    let mut known = BTreeSet::new();
    for (path, source) in sources.iter().filter(|_| !is_node) {
        known.extend(python::imported(source).into_iter().map(|name| (folder(path).to_owned(), name)));
        if path.ends_with("__init__.py") {
            known.extend(python::bound(source).into_iter().map(|name| (path.clone(), name)));
        }
    }
    let mut all = Vec::new();
    for (path, source) in sources {
        let (is_site, source) = if path == site.path { (true, site.repaired.clone()) } else { (false, source) };
        let ported = if is_node { node::modern(&source) } else { python(&port, &path, &source, &paths, &known) };
        let Some(content) = ported.or_else(|| is_site.then(|| source.clone())) else { continue };
        if !is_site && (is_run_by_tools(&path) || is_watched(&path, &source, &content)) {
            workspace.note(&format!("{path} is not ported with the others: a person should look at this change"));
            continue;
        }
        all.push((path, content));
    }
    let alone = vec![(site.path.clone(), site.repaired.clone())];
    let top = top(&site.path);
    let few: Files = all.iter().filter(|(path, _)| !is_aside(path) && self::top(path) == top).cloned().collect();
    let mut groups = vec![all, few];
    groups.retain(|files| files.iter().any(|(path, _)| *path == site.path) && *files != alone);
    if groups.iter().any(|files| files.len() > MAX_FILES) {
        workspace
            .note(&format!("more than {MAX_FILES} files would change, and one candidate changes the nearest of them"));
        for files in &mut groups {
            let far = |path: &str| {
                let signs =
                    [path != site.path, is_aside(path), self::top(path) != top, folder(path) != folder(&site.path)];
                signs.into_iter().fold(0, |far, sign| 2 * far + u8::from(sign))
            };
            let mut room = MAX_FILES;
            let mut near = BTreeSet::new();
            for distance in 0..16 {
                let same = files.iter().map(|(path, _)| path).filter(|path| far(path) == distance);
                let same: Vec<String> = same.take(room).cloned().collect();
                room -= same.len();
                near.extend(same);
            }
            files.retain(|(path, _)| near.contains(path));
        }
    }
    groups.dedup();
    groups
}

/// A file of Python after both parts of the port.
fn python(
    port: &Port,
    path: &str,
    source: &[u8],
    paths: &BTreeSet<String>,
    known: &BTreeSet<(String, String)>,
) -> Option<Vec<u8>> {
    let mut is_own = |module: &str| ["", "src", folder(path)].iter().any(|it| is_module(module, it, paths));
    // Before modules get the names that they have now, which may be those of the package's own.
    let dotted = dotted(path, source, paths, known);
    port.repair(dotted.as_deref().unwrap_or(source), &mut is_own).or(dotted)
}

/// Where packages of Node keep copies of others.
fn is_copied(path: &str) -> bool {
    path.split('/').any(|part| ["build", "deps", "support"].contains(&part))
}

/// Whether a tool runs the file, so that a policy seldom lets it change.
fn is_run_by_tools(path: &str) -> bool {
    const NAMES: [&str; 7] =
        ["bootstrap.py", "conftest.py", "ez_setup.py", "fabfile.py", "noxfile.py", "setup.py", "tasks.py"];
    path.rsplit('/').next().is_some_and(|name| NAMES.contains(&name))
}

/// Whether a changed line starts programs, runs text as code or the like, or catches what a test raises. The gate refuses
/// such a change whatever it is.
fn is_watched(path: &str, before: &[u8], after: &[u8]) -> bool {
    const PARTS: [&str; 35] = [
        "__globals__",
        "__import__",
        "_create_unverified_context",
        "builtins as",
        "builtins.",
        "child_process",
        "compile(",
        "ctypes.",
        "eval(",
        "exec(",
        "from ctypes",
        "from marshal",
        "from os",
        "from pickle",
        "from subprocess",
        "getoutput",
        "getstatusoutput",
        "import_module",
        "marshal.load",
        "os.popen",
        "os.spawn",
        "os.system",
        "pickle.Unpickler",
        "pickle.load",
        "pty.",
        "shutil.rmtree",
        "shell=True",
        "socket.create_connection",
        "socket.socket",
        "spawn(",
        "startfile",
        "subprocess.",
        "sys.modules",
        "types.CodeType",
        "types.FunctionType",
    ];
    // In a file that is not UTF-8, every byte below 128 is ASCII all the same.
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let catches = |line: &str| is_aside(path) && line.contains("except") && line.contains("AssertionError");
    let is_watched = |line: &str| {
        PARTS.iter().any(|part| {
            // `.compile(` and `.exec(` are methods, mostly of regular expressions and of databases.
            let begins = |at: usize| {
                let before = line.get(..at).and_then(|before| before.chars().next_back());
                !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.' && part.ends_with('('))
            };
            line.match_indices(part).any(|(at, _)| begins(at))
        })
    };
    let known = set(before.lines().map(said));
    let mut new = after.lines().filter(|line| !known.contains(&said(line)));
    new.any(|line| catches(line) || is_watched(line))
}

/// The words of a line in order. A line that says the same as before is nothing new to the gate: only its white space, its
/// brackets or a name changed that Python 3 renamed.
fn said(line: &str) -> String {
    let run = line.split_once("exec(compile(open(").and_then(|(before, rest)| {
        let (path, rest) = rest.split_once(", 'rb').read(), ")?;
        let after = rest.strip_prefix(path)?.strip_prefix(", 'exec'))")?;
        Some(format!("{before}execfile({path}){after}"))
    });
    let line = run.as_deref().unwrap_or(line);
    let begins = |word: &str| line.trim_start().starts_with(word);
    let (is_exec, is_except) = (begins("exec "), begins("except"));
    let words = line.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '_'));
    let mut said = String::new();
    for word in words {
        let (name, sign) = word.split_at(word.trim_end_matches(|c: char| !(c.is_alphanumeric() || c == '_')).len());
        said.push_str(match name {
            "cPickle" => "pickle",
            "func_globals" => "__globals__",
            "raw_input" => "input",
            "unicode" => "str",
            "__builtin__" => "builtins",
            "commands" => "subprocess",
            "in" if is_exec => "",
            "as" if is_except => "",
            name => name,
        });
        said.push_str(if matches!(sign, "(" | ")" | "," | " " | "\t") { " " } else { sign });
    }
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn top(path: &str) -> &str {
    path.split_once('/').map_or("", |(top, _)| top)
}

/// Whether a file is a test or an example, which may be run by itself.
fn is_aside(path: &str) -> bool {
    const FOLDERS: [&str; 8] = ["bench", "benchmark", "bin", "demo", "doc", "example", "script", "tool"];
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_folder = |part: &str| part.starts_with("test") || FOLDERS.contains(&part.trim_end_matches('s'));
    folders.split('/').any(is_folder) || name.starts_with("test") || name.ends_with("_test.py")
}

/// Whether the project has the same file for Python 3 in a folder beside: `lib3` for `lib`, `python3` for `python2`.
fn is_twin(path: &str, paths: &BTreeSet<String>) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    (0..parts.len().saturating_sub(1)).any(|place| {
        let with = |part: String| {
            let mut parts: Vec<&str> = parts.clone();
            if let Some(slot) = parts.get_mut(place) {
                *slot = &part;
            }
            paths.contains(&parts.join("/"))
        };
        parts.get(place).is_some_and(|part| {
            with(format!("{part}3")) || part.strip_suffix('2').is_some_and(|part| with(format!("{part}3")))
        })
    })
}

/// Whether a folder has a module or a package of this name.
fn is_module(name: &str, folder: &str, paths: &BTreeSet<String>) -> bool {
    let below = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    paths.contains(&format!("{below}.py")) || paths.contains(&format!("{below}/__init__.py"))
}

/// The file with a dot before the modules of its own package. Python 2 looked there first, unless the file says otherwise.
/// `known` has the folders of files with what they import, and the packages' own files with what those bind.
fn dotted(path: &str, source: &[u8], paths: &BTreeSet<String>, known: &BTreeSet<(String, String)>) -> Option<Vec<u8>> {
    let own = folder(path);
    let marker = format!("{own}/__init__.py");
    let has = |word: &[u8]| source.windows(word.len()).any(|part| part == word);
    let is_package = paths.contains(&marker);
    // A module that another one of the folder imports only runs its own examples.
    let name = path.rsplit('/').next().and_then(|name| name.strip_suffix(".py")).unwrap_or_default();
    let is_imported = name == "__init__" || known.contains(&(own.to_owned(), name.to_owned()));
    let is_script = has(b"__main__") && !has(b"doctest") && !is_imported;
    if !is_package || is_aside(path) || has(b"absolute_import") || is_script {
        return None;
    }
    // A package has the name of a module in it: Python 2 found the module.
    let is_sibling = |name: &String| is_module(name, own, paths) && (!is_module(name, "", paths) || own == name);
    let names: Vec<String> = python::imported(source).into_iter().filter(is_sibling).collect();
    let bound = names.iter().filter(|name| known.contains(&(marker.clone(), (*name).clone()))).cloned().collect();
    python::Repair::Siblings(Siblings { folder: own.to_owned(), names, bound }).apply(source, None)
}
