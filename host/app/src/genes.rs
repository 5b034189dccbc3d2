//! The sandbox of a project, and the genes that take part in a cycle.

use std::path::Path;
use std::sync::Arc;

use gephost_core::attest::Signature;
use gephost_core::component::lock::{Lock, Pin};
use gephost_core::config::{Isolation, Reads};
use gephost_core::gene::{Capability, Gene as GeneAsset, TextGene, is_text};
use gephost_runner::bundled::{BUNDLED, STRATEGIST};
use gephost_runner::checkout::{Checkout, IsShown};
use gephost_runner::confine::Support;
use gephost_runner::sandbox::{CompileCache, Gene, Sandbox};
use gephost_runner::worktree::{self, BaseTree};

use gephost_runner::regular_file;

use crate::components::{Installed, InstalledGene, not_added};
use crate::environment::Environment;
use crate::error::{AppError, printable};
use crate::gene_file::{read_text, refused};
use crate::project::Project;
use crate::sink::Note;
use crate::stages::Source;
use crate::text_genes::{CarriedText, FolderGenes, TextGenes};
use crate::vouching::{GeneFile, Vouching};

/// The genes of a cycle.
pub struct Genes {
    /// All of them, bundled heuristics first.
    pub all: Vec<Gene>,
    /// Ids of those that the request or the config names. If one of them fails, the use case fails.
    pub named: Vec<String>,
    /// Genes that are only text, and who carries them out. They are asked after all others.
    pub texts: Option<TextGenes>,
    /// Ids of those that the request names.
    pub asked: Vec<String>,
    /// Ids that have a grant and no gene.
    pub strangers: Vec<String>,
    /// Who vouches for each gene that came as a file, in the order in which they were named.
    pub vouched: Vec<(String, Signature)>,
}

impl Genes {
    /// Whether it is a gene with a component, or one that the request or the config names.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.all.iter().any(|gene| gene.id() == id) || self.texts.as_ref().is_some_and(|texts| texts.names(id))
    }

    /// The gene with this id, as an asset.
    pub(crate) fn asset(&self, id: &str) -> Option<GeneAsset> {
        let component = self.all.iter().find(|gene| gene.id() == id).map(|gene| gene.manifest().gene.clone());
        component.or_else(|| Some(self.texts.as_ref()?.get(id)?.text.gene().clone()))
    }
}

/// A gene that the request or the config names.
enum Named {
    Component(Box<Gene>),
    Text(Box<TextGene>),
}

/// The same, and where it comes from.
struct NamedGene {
    gene: Named,
    /// Whether the request names it, and not the config.
    is_requested: bool,
    /// Who vouches for it, if it came as a file.
    signature: Option<Signature>,
}

impl Named {
    fn id(&self) -> &str {
        match self {
            Self::Component(gene) => gene.id(),
            Self::Text(text) => text.id(),
        }
    }
}

impl Project {
    /// The sandbox, with the user's compile cache if there can be one, and isolated as the config says. If the config
    /// says nothing, genes run in processes as far as there is a program to start.
    pub fn sandbox(&self) -> Result<Sandbox, AppError> {
        let isolation = self.config.file.genes.isolation;
        let strict = isolation == Some(Isolation::Process);
        if strict && !Support::measure().is_whole() {
            let message = "`genes.isolation` is `process`, and this kernel has no Landlock or no seccomp";
            return Err(AppError::usage("isolation", message).hint(
                "`gephost doctor` says what is there; without the key genes are confined as far as the kernel can",
            ));
        }
        let environment = &self.environment;
        // Without a cache every component is compiled again, which costs time only.
        let (components, key) = (environment.cache.join("components"), environment.cache_key.clone());
        let cache = CompileCache::open(&components, &key).ok();
        let sandbox = match environment.worker(strict) {
            Some(worker) => Sandbox::with_workers(cache, worker, isolation.unwrap_or(Isolation::Process)),
            None if strict => {
                let message = "`genes.isolation` is `process`, and there is no `gephost` program to run genes in";
                return Err(AppError::usage("isolation", message));
            }
            None => Sandbox::new(cache),
        };
        let sink = Arc::clone(&environment.sink);
        let told = move |bytes: u64| {
            let size = if bytes < 1 << 20 { format!("{} KiB", bytes >> 10) } else { format!("{} MiB", bytes >> 20) };
            sink.note(Note::Step(&format!("compiling a gene of {size}, once…")));
        };
        sandbox.map(|sandbox| sandbox.telling(Arc::new(told))).map_err(|error| AppError::failed("engine", error))
    }

    /// The bundled genes, and those that the config and the request name: component files, or ids of bundled genes. If
    /// any of the named ones is a strategy, only the named strategies take part.
    pub fn genes(&self, sandbox: &Sandbox, asked: &[String]) -> Result<Genes, AppError> {
        let vouching = self.vouching()?;
        let named = self.named_genes(sandbox, &vouching, asked)?;
        let ids: Vec<String> = named.iter().map(|named| named.gene.id().to_owned()).collect();
        let (mut components, mut texts, mut vouched) = (Vec::new(), Vec::new(), Vec::new());
        for NamedGene { gene, is_requested, signature } in named {
            vouched.extend(signature.map(|signature| (gene.id().to_owned(), signature)));
            match gene {
                Named::Component(gene) => components.push(*gene),
                Named::Text(text) => texts.push(CarriedText { text: *text, is_requested }),
            }
        }
        check_ids(&components, &texts)?;
        let narrowed = components.iter().any(|gene| gene.manifest().world.proposes());
        let added = self.added_genes(sandbox, &vouching, &ids, &mut vouched)?;
        let known: Vec<String> = ids.iter().cloned().chain(added.iter().map(|gene| gene.id().to_owned())).collect();
        components.extend(added.into_iter().filter(|gene| gene.manifest().world.diagnoses() || !narrowed));
        let texts = TextGenes::load(sandbox, texts, self.folder_genes(&vouching), &components)
            .map_err(|error| refused(Path::new(STRATEGIST), &error))?;
        let mut genes = Vec::new();
        let others = BUNDLED.iter().filter(|bundled| bundled.id != STRATEGIST);
        for bundled in others.filter(|bundled| !ids.iter().any(|id| id == bundled.id)) {
            let gene = sandbox.load_when_called(bundled);
            let gene = gene.map_err(|error| refused(Path::new(bundled.id), &error))?;
            if gene.manifest().world.diagnoses() || !narrowed {
                genes.push(gene);
            }
        }
        genes.extend(components);
        for gene in &genes {
            self.check_settings(gene)?;
            let own = &gene.manifest().gene.constraints;
            self.config.grants.of(gene.id()).narrow(&self.config.policy, own).map_err(|error| {
                AppError::usage("gene_refused", error.to_string())
                    .hint("report it to the gene's author: what it forbids itself could not be held")
            })?;
        }
        if let Some(texts) = &texts {
            self.check_settings(&texts.carrier)?;
        }
        let strangers = self.strangers(&known, texts.as_ref());
        let asked = ids.iter().skip(self.config.file.genes.files.len()).cloned().collect();
        Ok(Genes { all: genes, named: ids, asked, texts, strangers, vouched })
    }

    /// The text-only genes of the assets folder. Nobody signs them, so there are none if a signature is required.
    fn folder_genes(&self, vouching: &Vouching) -> Option<FolderGenes> {
        let folder = || FolderGenes::of(&self.registry, &self.environment.user_folders().cache);
        if vouching.requires_signature() { None } else { folder() }
    }

    /// The genes that the config and the request name.
    fn named_genes(
        &self,
        sandbox: &Sandbox,
        vouching: &Vouching,
        asked: &[String],
    ) -> Result<Vec<NamedGene>, AppError> {
        let mut named = Vec::new();
        for file in &self.config.file.genes.files {
            named.push(load_file(&self.environment, sandbox, vouching, &self.root.join(file))?);
        }
        let lock = if asked.is_empty() { Lock::default() } else { self.gene_lock()? };
        for name in asked {
            let gene = match BUNDLED.iter().find(|bundled| bundled.id == name) {
                Some(bundled) if bundled.id == STRATEGIST => {
                    let message =
                        format!("{STRATEGIST} carries out genes that are only text, and proposes nothing itself");
                    return Err(AppError::usage("gene_refused", message).hint("name the JSON file of such a gene"));
                }
                Some(bundled) => {
                    let gene = Box::new(load(sandbox, Path::new(bundled.id), bundled.bytes)?);
                    NamedGene { gene: Named::Component(gene), is_requested: true, signature: None }
                }
                None if let Some(pin) = lock.get(name) => {
                    let Some((gene, signature)) = self.added_gene(sandbox, vouching, pin)? else {
                        return Err(not_added(pin));
                    };
                    let gene = Named::Component(Box::new(gene));
                    NamedGene { gene, is_requested: true, signature: Some(signature) }
                }
                None => {
                    let path = self.environment.resolve(Path::new(name));
                    match self.gene_of_folder(name, &path) {
                        Some(text) => {
                            vouching.admit(Path::new(name), &Signature::Unsigned)?;
                            NamedGene { gene: Named::Text(Box::new(text)), is_requested: true, signature: None }
                        }
                        None => load_file(&self.environment, sandbox, vouching, &path)?,
                    }
                }
            };
            named.push(NamedGene { is_requested: true, ..gene });
        }
        Ok(named)
    }

    /// The components that this user added to this clone and `gephost.lock` pins, but for those in `named`. Says of each pin
    /// that has no component why it does not run.
    fn added_genes(
        &self,
        sandbox: &Sandbox,
        vouching: &Vouching,
        named: &[String],
        vouched: &mut Vec<(String, Signature)>,
    ) -> Result<Vec<Gene>, AppError> {
        let mut genes = Vec::new();
        for pin in self.gene_lock()?.iter().filter(|pin| !named.contains(&pin.id)) {
            if let Some((gene, signature)) = self.added_gene(sandbox, vouching, pin)? {
                vouched.push((pin.id.clone(), signature));
                genes.push(gene);
            }
        }
        Ok(genes)
    }

    fn added_gene(
        &self,
        sandbox: &Sandbox,
        vouching: &Vouching,
        pin: &Pin,
    ) -> Result<Option<(Gene, Signature)>, AppError> {
        let note = |why: &str| {
            let text = format!("{} of gephost.lock does not run: {why} (gephost gene add {})", pin.id, pin.source);
            self.environment.sink.note(Note::Info(&printable(&text)));
        };
        let InstalledGene { bytes, envelope } = match self.installed(pin)? {
            Installed::Pinned(gene) => gene,
            Installed::Another => {
                note("you added another version of it");
                return Ok(None);
            }
            Installed::Nothing => {
                note("you did not add it");
                return Ok(None);
            }
        };
        let name = Path::new(&pin.id);
        let signature = vouching.judge(name, &bytes, envelope.as_deref())?;
        vouching.admit(name, &signature)?;
        let gene = load(sandbox, name, &bytes)?;
        // The digest says so already, unless the lock names the component of another gene.
        if gene.id() != pin.id || BUNDLED.iter().any(|bundled| bundled.id == pin.id) {
            let message = format!("gephost.lock pins a component of {} as {}", gene.id(), pin.id);
            return Err(AppError::usage("gene_lock", message).hint(format!("gephost gene remove {}", pin.id)));
        }
        Ok(Some((gene, signature)))
    }

    /// The text-only gene of the assets folder with this id, if no file has this name.
    fn gene_of_folder(&self, id: &str, path: &Path) -> Option<TextGene> {
        let folder = FolderGenes::of(&self.registry, &self.environment.user_folders().cache)?;
        if regular_file::open(path).is_ok() { None } else { folder.gene(id) }
    }

    /// Refuses settings in the config that the gene does not declare.
    fn check_settings(&self, gene: &Gene) -> Result<(), AppError> {
        let checked = self.config.file.check_settings(gene.manifest());
        checked.map_err(|error| {
            let hint = format!("`gephost gene inspect {}` shows the settings of this gene", gene.id());
            AppError::usage("config", error.to_string()).hint(hint)
        })
    }

    /// One line for each id that has a grant and no gene.
    fn strangers(&self, named: &[String], texts: Option<&TextGenes>) -> Vec<String> {
        let known: Vec<&str> =
            // A text-only gene is granted under its own id, whoever carries it out.
            BUNDLED.iter().map(|bundled| bundled.id).filter(|id| *id != STRATEGIST).chain(named.iter().map(String::as_str)).collect();
        let mut ids = self.config.grants.strangers(&known);
        if let Some(folder) = texts.and_then(|texts| texts.folder.as_ref()) {
            ids.retain(|id| !folder.has(id));
        }
        let line = |id| format!("`[genes.grants]` has {id:?}, and no gene here has that id ({})", known.join(", "));
        ids.into_iter().map(line).collect()
    }

    /// Where the genes' files come from: as `[genes] reads` says in a repository, else the project's folder. If no gene
    /// may read files, none are looked for.
    pub fn source(
        &self,
        repository: Option<(&worktree::Project, &Arc<BaseTree>)>,
        genes: &Genes,
    ) -> Result<Source, AppError> {
        let reads = |gene: &Gene| {
            let asks = gene.manifest().capabilities.contains(&Capability::Workspace);
            asks && self.config.grants.of(gene.id()).capabilities().contains(&Capability::Workspace)
        };
        let policy = self.config.policy.clone();
        let is_shown: IsShown = Arc::new(move |path| !policy.denies(path));
        let texts = genes.texts.iter().flat_map(|texts| texts.texts.iter());
        let mut texts = texts.map(|text| self.config.grants.of_text(text.text.id(), text.is_requested));
        let has_folder = genes.texts.as_ref().is_some_and(|texts| texts.folder.is_some());
        let text_reads = has_folder || texts.any(|grant| grant.capabilities().contains(&Capability::Workspace));
        let checkout = match (repository, self.config.file.genes.reads) {
            _ if !text_reads && !genes.all.iter().any(reads) => return Ok(Source::nothing()),
            (Some((_, base)), Reads::Commit) => return Ok(Source::commit(base)),
            (Some((repository, _)), Reads::Checkout) => Checkout::of_project(repository, is_shown),
            (None, _) => Checkout::of_folder(&self.root, is_shown),
        };
        checkout.map(Source::checkout).map_err(|error| AppError::usage("checkout", error.to_string()))
    }
}

/// The bundled heuristics, and one gene: a component, or the JSON of a gene that is only text.
pub(crate) fn genes_of(sandbox: &Sandbox, bytes: &[u8]) -> Result<Genes, AppError> {
    let name = Path::new("the gene");
    let (mut components, mut texts) = (Vec::new(), Vec::new());
    if is_text(bytes) {
        texts.push(CarriedText { text: read_text(name, bytes)?, is_requested: false });
    } else {
        components.push(load(sandbox, name, bytes)?);
    }
    let named: Vec<String> = components.iter().map(|gene| gene.id().to_owned()).collect();
    let texts =
        TextGenes::load(sandbox, texts, None, &components).map_err(|error| refused(Path::new(STRATEGIST), &error))?;
    let mut all = Vec::new();
    for bundled in BUNDLED.iter().filter(|bundled| bundled.id != STRATEGIST && !named.iter().any(|id| id == bundled.id))
    {
        let gene = sandbox.load_when_called(bundled).map_err(|error| refused(Path::new(bundled.id), &error))?;
        if gene.manifest().world.diagnoses() {
            all.push(gene);
        }
    }
    all.extend(components);
    Ok(Genes { all, named, texts, asked: Vec::new(), strangers: Vec::new(), vouched: Vec::new() })
}

fn load_file(
    environment: &Environment,
    sandbox: &Sandbox,
    vouching: &Vouching,
    path: &Path,
) -> Result<NamedGene, AppError> {
    let GeneFile { bytes, signature, .. } = vouching.read(environment, path)?;
    let gene = if is_text(&bytes) {
        Named::Text(Box::new(read_text(path, &bytes)?))
    } else {
        Named::Component(Box::new(load(sandbox, path, &bytes)?))
    };
    Ok(NamedGene { gene, is_requested: false, signature: Some(signature) })
}

/// Refuses an id that would stand for two genes: capsules and the history name a gene by it.
fn check_ids(components: &[Gene], texts: &[CarriedText]) -> Result<(), AppError> {
    let ids = || texts.iter().map(|text| text.text.id());
    let is_taken = |id: &str| {
        BUNDLED.iter().any(|bundled| bundled.id == id)
            || components.iter().any(|gene| gene.id() == id)
            || ids().filter(|other| *other == id).count() > 1
    };
    match ids().find(|id| is_taken(id)) {
        Some(id) => {
            Err(AppError::usage("gene_refused", format!("gene {id} is only text, and another gene has its id"))
                .hint("give the gene in the JSON file an id of its own"))
        }
        None => Ok(()),
    }
}

fn load(sandbox: &Sandbox, name: &Path, bytes: &[u8]) -> Result<Gene, AppError> {
    sandbox.load(bytes).map_err(|error| refused(name, &error))
}
