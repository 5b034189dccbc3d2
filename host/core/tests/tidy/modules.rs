//! The modules of a crate, read from its source files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use syn::visit::Visit;
use syn::{Attribute, Item, ItemMod};

use crate::imports::{Import, Imports};

/// The place of a module in [`Crate::modules`].
pub(crate) type ModuleId = usize;

/// One source file that is a module. An inline module belongs to the file that holds it.
pub(crate) struct Module {
    /// `gate::patterns`; `crate` for the root.
    pub(crate) path: String,
    /// Below `src`.
    pub(crate) file: PathBuf,
    pub(crate) parent: Option<ModuleId>,
    pub(crate) children: Vec<(String, ModuleId)>,
    pub(crate) imports: Imports,
}

/// A crate's modules; the root is the first.
pub(crate) struct Crate {
    pub(crate) modules: Vec<Module>,
}

/// The text of each source file, by its path below `src`.
pub(crate) type Sources = BTreeMap<PathBuf, String>;

impl Crate {
    /// Reads the crate in `folder`.
    pub(crate) fn read(folder: &Path) -> Self {
        Self::of(&sources(folder))
    }

    /// The crate with these files, from `lib.rs`, or from `main.rs` if it is only a program.
    pub(crate) fn of(sources: &Sources) -> Self {
        let root = ["lib.rs", "main.rs"].map(PathBuf::from).into_iter().find(|file| sources.contains_key(file));
        let mut krate = Self { modules: Vec::new() };
        krate.add(sources, "crate".to_owned(), root.expect("lib.rs or main.rs"), Path::new(""), None);
        krate
    }

    /// Adds the module in `file`, whose own modules are in `folder`, and all that are declared in it.
    fn add(
        &mut self,
        sources: &Sources,
        path: String,
        file: PathBuf,
        folder: &Path,
        parent: Option<ModuleId>,
    ) -> ModuleId {
        let text = sources.get(&file).unwrap_or_else(|| panic!("{} is declared and missing", file.display()));
        let parsed = syn::parse_file(text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let id = self.modules.len();
        let mut imports = Imports::default();
        imports.visit_file(&parsed);
        self.modules.push(Module { path: path.clone(), file, parent, children: Vec::new(), imports });
        for module in parsed.items.iter().filter_map(declared) {
            let name = module.ident.to_string();
            let below = folder.join(&name);
            let own = below.join("mod.rs");
            let file = if sources.contains_key(&own) { own } else { folder.join(format!("{name}.rs")) };
            let full = if id == 0 { name.clone() } else { format!("{path}::{name}") };
            let child = self.add(sources, full, file, &below, Some(id));
            self.modules[id].children.push((name, child));
        }
        id
    }

    pub(crate) fn child(&self, of: ModuleId, name: &str) -> Option<ModuleId> {
        self.modules[of].children.iter().find(|(child, _)| child == name).map(|(_, id)| *id)
    }

    /// The module and everything above it, the root last.
    pub(crate) fn upwards(&self, from: ModuleId) -> impl Iterator<Item = ModuleId> {
        std::iter::successors(Some(from), |id| self.modules[*id].parent)
    }

    pub(crate) fn all_imports(&self) -> impl Iterator<Item = (ModuleId, &Import)> {
        let modules = self.modules.iter().enumerate();
        modules.flat_map(|(id, module)| module.imports.found.iter().map(move |import| (id, import)))
    }
}

/// A module that is a file of its own and part of the product.
fn declared(item: &Item) -> Option<&ItemMod> {
    match item {
        Item::Mod(module) if module.content.is_none() && !is_test(&module.attrs) => Some(module),
        _ => None,
    }
}

/// Whether the item is compiled for tests only.
pub(crate) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_cfg_test = attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"));
        is_cfg_test || attribute.path().is_ident("test")
    })
}

/// The source files of the crate in `folder`.
pub(crate) fn sources(folder: &Path) -> Sources {
    let mut sources = Sources::new();
    collect(&folder.join("src"), Path::new(""), &mut sources);
    sources
}

fn collect(folder: &Path, below: &Path, sources: &mut Sources) {
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let entry = entry.expect("an entry");
        let (path, below) = (entry.path(), below.join(entry.file_name()));
        if path.is_dir() {
            collect(&path, &below, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.insert(below, std::fs::read_to_string(&path).expect("a source file"));
        }
    }
}
