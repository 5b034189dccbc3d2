//! The sandbox of a project, and the genes that take part in a cycle.

use std::path::Path;
use std::sync::Arc;

use gephost_core::attest::Signature;
use gephost_core::component::lock::{Lock, Pin};
use gephost_core::config::{Isolation, Reads};
use gephost_core::gene::{Capability, Gene as GeneAsset, TextGene, is_text};
use gephost_core::grant::GeneEntry;
use gephost_core::recording::Digest;
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
use crate::gene_ids::{Content, GeneIds, GeneSource, clash};
use crate::project::Project;
use crate::sink::Note;
use crate::stages::Source;
use crate::text_genes::{CarriedText, FolderGenes, TextGenes};
use crate::vouching::{GeneFile, Vouching};

/// The genes of a cycle.
pub struct Genes {
    /// All of them, in the order in which they run: the bundled ones, those of the config, those that the request names, and
    /// those that the user added.
    pub all: Vec<Gene>,
    /// Genes that are only text, and who carries them out. They are asked after all others.
    pub texts: Option<TextGenes>,
    /// Ids of those that the request names.
    pub asked: Vec<String>,
    /// Ids that have a grant and no gene.
    pub strangers: Vec<String>,
    /// Who vouches for each gene that came as a file, in the order in which they were named.
    pub vouched: Vec<VouchedGene>,
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

/// A gene that came as a file, and who vouches for it.
#[derive(Debug, Clone)]
pub struct VouchedGene {
    /// The id of the gene in the file.
    pub id: String,
    /// Digest of the file.
    pub digest: Digest,
    /// Who vouches for it.
    pub signature: Signature,
}

/// A gene that the request or the config names.
enum Named {
    Component(Box<Gene>),
    Text(Box<TextGene>),
}

/// The same, and where it comes from.
struct NamedGene {
    gene: Named,
    source: GeneSource,
    content: Content,
    /// Whether the request names it, and not only the config.
    is_requested: bool,
    /// Who vouches for it, if it came as a file.
    signature: Option<Signature>,
}

impl NamedGene {
    fn is_requested_strategy(&self) -> bool {
        match &self.gene {
            Named::Component(gene) => self.is_requested && gene.manifest().world.proposes(),
            Named::Text(_) => false,
        }
    }
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
                "`gephost doctor` shows what this kernel supports; without the key, genes are confined as far as the kernel can",
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
        let told = move |bytes: u64| sink.note(Note::Step(&format!("compiling a gene of {} MiB, once…", bytes >> 20)));
        sandbox
            .map(|sandbox| sandbox.on_long_compile(Arc::new(told)))
            .map_err(|error| AppError::failed("engine", error))
    }

    /// The bundled genes, unless the config leaves them out, and those that the config and the request name: gene files, or
    /// ids. If the request names a strategy, only the strategies that it names take part.
    pub fn genes(&self, sandbox: &Sandbox, asked: &[String]) -> Result<Genes, AppError> {
        let vouching = self.vouching()?;
        let mut ids = GeneIds::default();
        let named = once_each(self.named_genes(sandbox, &vouching, asked)?, &mut ids)?;
        let is_narrowed = named.iter().any(NamedGene::is_requested_strategy);
        let takes_part = |gene: &Gene| gene.manifest().world.diagnoses() || !is_narrowed;
        let asked = named.iter().filter(|gene| gene.is_requested).map(|gene| gene.gene.id().to_owned()).collect();
        let mut all = self.bundled_genes(sandbox, &mut ids)?;
        all.retain(takes_part);
        let (mut texts, mut vouched) = (Vec::new(), Vec::new());
        for NamedGene { gene, content, is_requested, signature, .. } in named {
            let (id, digest) = (gene.id().to_owned(), content.digest());
            vouched.extend(signature.map(|signature| VouchedGene { id, digest, signature }));
            match gene {
                Named::Component(gene) if is_requested || takes_part(&gene) => all.push(*gene),
                Named::Component(_) => {}
                Named::Text(text) => texts.push(CarriedText { text: *text, is_requested }),
            }
        }
        let added = self.added_genes(sandbox, &vouching, &mut ids, &mut vouched)?;
        all.extend(added.into_iter().filter(takes_part));
        let texts = TextGenes::load(sandbox, texts, self.folder_genes(&vouching), &all)
            .map_err(|error| refused(Path::new(STRATEGIST), &error))?;
        for gene in &all {
            self.check_settings(gene)?;
            let own = &gene.manifest().gene.constraints;
            self.config.grants.of(gene.id()).narrow(&self.config.policy, own).map_err(|error| {
                AppError::usage("gene_refused", error.to_string())
                    .hint("report it to the gene's author: its own constraints could not be enforced")
            })?;
        }
        if let Some(texts) = &texts {
            self.check_settings(&texts.carrier)?;
        }
        let strangers = self.strangers(&ids, texts.as_ref());
        Ok(Genes { all, texts, asked, strangers, vouched })
    }

    /// The bundled genes that no named one stands for.
    fn bundled_genes(&self, sandbox: &Sandbox, ids: &mut GeneIds) -> Result<Vec<Gene>, AppError> {
        let mut genes = Vec::new();
        for bundled in BUNDLED {
            // The strategist carries out what others say, so it is there in any case.
            if !self.config.file.genes.bundled && bundled.id != STRATEGIST {
                continue;
            }
            if ids.take(bundled.id, &GeneSource::Bundled, Content::Bundled(bundled))? && bundled.id != STRATEGIST {
                let gene = sandbox.load_when_called(bundled);
                genes.push(gene.map_err(|error| refused(Path::new(bundled.id), &error))?);
            }
        }
        Ok(genes)
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
        for entry in &self.config.file.genes.files {
            named.push(load_file(&self.environment, sandbox, vouching, &self.root.join(&entry.path), entry)?);
        }
        let lock = if asked.is_empty() { Lock::default() } else { self.gene_lock()? };
        for name in asked {
            let gene = match BUNDLED.iter().find(|bundled| bundled.id == name) {
                Some(bundled) if bundled.id == STRATEGIST => {
                    let message =
                        format!("{STRATEGIST} carries out genes that are only text, and proposes nothing itself");
                    return Err(AppError::usage("gene_refused", message).hint("name the JSON file of such a gene"));
                }
                Some(bundled) => NamedGene {
                    gene: Named::Component(Box::new(load(sandbox, Path::new(bundled.id), bundled.bytes)?)),
                    source: GeneSource::Bundled,
                    content: Content::Bundled(bundled),
                    is_requested: true,
                    signature: None,
                },
                None if let Some(pin) = lock.get(name) => {
                    let Some((gene, signature)) = self.added_gene(sandbox, vouching, pin)? else {
                        return Err(not_added(pin));
                    };
                    NamedGene {
                        gene: Named::Component(Box::new(gene)),
                        source: GeneSource::Added,
                        content: Content::Digest(pin.digest),
                        is_requested: true,
                        signature: Some(signature),
                    }
                }
                None => {
                    let path = self.environment.resolve(Path::new(name));
                    match self.gene_of_folder(name, &path) {
                        Some(text) => {
                            vouching.admit(Path::new(name), &Signature::Unsigned)?;
                            NamedGene {
                                content: Content::Digest(Digest::of(text.to_json().as_bytes())),
                                gene: Named::Text(Box::new(text)),
                                source: GeneSource::Assets,
                                is_requested: true,
                                signature: None,
                            }
                        }
                        None => load_file(&self.environment, sandbox, vouching, &path, &GeneEntry::of_path(name))?,
                    }
                }
            };
            named.push(NamedGene { is_requested: true, ..gene });
        }
        Ok(named)
    }

    /// The components that this user added to this clone and `gephost.lock` pins, but for those that are named. Says of each
    /// pin that has no component why it does not run.
    fn added_genes(
        &self,
        sandbox: &Sandbox,
        vouching: &Vouching,
        ids: &mut GeneIds,
        vouched: &mut Vec<VouchedGene>,
    ) -> Result<Vec<Gene>, AppError> {
        let mut genes = Vec::new();
        for pin in self.gene_lock()?.iter() {
            if ids.take(&pin.id, &GeneSource::Added, Content::Digest(pin.digest))?
                && let Some((gene, signature)) = self.added_gene(sandbox, vouching, pin)?
            {
                vouched.push(VouchedGene { id: pin.id.clone(), digest: pin.digest, signature });
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
    fn strangers(&self, ids: &GeneIds, texts: Option<&TextGenes>) -> Vec<String> {
        // A text-only gene is granted under its own id, whoever carries it out.
        let known: Vec<&str> = ids.iter().filter(|id| *id != STRATEGIST).collect();
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

/// The bundled heuristics, and one gene: a component, or the JSON of a gene that is only text. A heuristic with the id of a
/// bundled one, such as its next version, runs in its place.
pub(crate) fn genes_of(sandbox: &Sandbox, bytes: &[u8]) -> Result<Genes, AppError> {
    let name = Path::new("the gene");
    let (mut components, mut texts) = (Vec::new(), Vec::new());
    if is_text(bytes) {
        texts.push(CarriedText { text: read_text(name, bytes)?, is_requested: false });
    } else {
        components.push(load(sandbox, name, bytes)?);
    }
    let texts =
        TextGenes::load(sandbox, texts, None, &components).map_err(|error| refused(Path::new(STRATEGIST), &error))?;
    let mut all = Vec::new();
    for bundled in BUNDLED.iter().filter(|bundled| bundled.id != STRATEGIST) {
        let heuristic = sandbox.load_when_called(bundled).map_err(|error| refused(Path::new(bundled.id), &error))?;
        if !heuristic.manifest().world.diagnoses() {
            continue;
        }
        match components.iter().find(|gene| gene.id() == bundled.id) {
            None => all.push(heuristic),
            Some(gene) if gene.manifest().world.diagnoses() => {}
            Some(_) => {
                let file = (&GeneSource::File(name.display().to_string()), Content::Digest(Digest::of(bytes)));
                return Err(clash(bundled.id, (&GeneSource::Bundled, Content::Bundled(bundled)), file));
            }
        }
    }
    all.extend(components);
    Ok(Genes { all, texts, asked: Vec::new(), strangers: Vec::new(), vouched: Vec::new() })
}

/// The named genes, each once. A gene that both the config and the request name counts as requested.
fn once_each(named: Vec<NamedGene>, ids: &mut GeneIds) -> Result<Vec<NamedGene>, AppError> {
    let mut kept: Vec<NamedGene> = Vec::new();
    for gene in named {
        if ids.take(gene.gene.id(), &gene.source, gene.content)? {
            kept.push(gene);
        } else if let Some(known) = kept.iter_mut().find(|known| known.gene.id() == gene.gene.id()) {
            known.is_requested |= gene.is_requested;
        }
    }
    Ok(kept)
}

fn load_file(
    environment: &Environment,
    sandbox: &Sandbox,
    vouching: &Vouching,
    path: &Path,
    entry: &GeneEntry,
) -> Result<NamedGene, AppError> {
    let GeneFile { bytes, signature, .. } = vouching.read(environment, path)?;
    let digest = Digest::of(&bytes);
    check_digest(entry, digest)?;
    let gene = if is_text(&bytes) {
        Named::Text(Box::new(read_text(path, &bytes)?))
    } else {
        Named::Component(Box::new(load(sandbox, path, &bytes)?))
    };
    let (source, content) = (GeneSource::File(entry.path.clone()), Content::Digest(digest));
    Ok(NamedGene { gene, source, content, is_requested: false, signature: Some(signature) })
}

/// Refuses a file that is not the one that the config pins.
pub(crate) fn check_digest(entry: &GeneEntry, found: Digest) -> Result<(), AppError> {
    match entry.sha256 {
        Some(pinned) if pinned != found => {
            let path = printable(&entry.path);
            let message = format!("gene {path}: the file has the digest {found}, and `[genes] files` pins {pinned}");
            let hint = format!("if this file is the one that you want, write sha256 = \"{}\" there", found.hex());
            Err(AppError::usage("gene_digest", message).hint(hint))
        }
        _ => Ok(()),
    }
}

fn load(sandbox: &Sandbox, name: &Path, bytes: &[u8]) -> Result<Gene, AppError> {
    sandbox.load(bytes).map_err(|error| refused(name, &error))
}
