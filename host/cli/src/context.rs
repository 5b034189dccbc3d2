//! The repository that a command works in: where its root is, what its config says, where its state lies.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gephost_core::config::{CONFIG_FILE, Config, Isolation, MAX_CONFIG_BYTES, Reads};
use gephost_core::digest::sha256_hex;
use gephost_core::gene::Capability;
use gephost_core::secret::Ruleset;
use gephost_runner::checkout::{Checkout, IsShown};
use gephost_runner::confine::Support;
use gephost_runner::cycle::Source;
use gephost_runner::sandbox::{CompileCache, Gene, LoadError, MAX_COMPONENT_BYTES, Sandbox, Worker};
use gephost_runner::validate::{Chosen, Launcher, choose};
use gephost_runner::worktree::{BaseTree, OpenError, Project};
use gephost_runner::{bundled::BUNDLED, state::StateFolder};

use crate::environment::Environment;
use crate::error::{Failure, io};
use crate::exit_code::{COMPILE_BUDGET, Exit};

/// A project's folder and its config. Needs no git.
pub(crate) struct Folder {
    /// Where `gephost.toml` is, or would be.
    pub(crate) root: PathBuf,
    /// What it says.
    pub(crate) config: Config,
    /// `.gephost`.
    pub(crate) state: StateFolder,
}

impl Folder {
    /// The nearest folder upwards with a `gephost.toml`, else with a `.git`, else the one we are in.
    pub(crate) fn open(environment: &Environment) -> Result<Self, Failure> {
        let start = environment.directory.canonicalize().map_err(|error| io(&environment.directory, "open", &error))?;
        if !start.is_dir() {
            return Err(Failure::new(Exit::Usage, "not_a_directory", format!("{} is no directory", start.display())));
        }
        let with = |name: &str| start.ancestors().find(|dir| dir.join(name).exists()).map(Path::to_owned);
        let git = with(".git");
        // A config above the repository belongs to something else.
        let own = with(CONFIG_FILE).filter(|dir| git.as_ref().is_none_or(|git| dir.starts_with(git)));
        let root = own.or(git).unwrap_or(start);
        let config = read_config(&root.join(CONFIG_FILE))?;
        let head = environment.state.join("heads").join(sha256_hex(root.as_os_str().as_encoded_bytes()));
        let assets = environment.assets.as_deref().map(|dir| environment.resolve(dir));
        let state = StateFolder::new(&root, &head, assets.as_deref());
        Ok(Self { root, config, state })
    }

    /// The repository that the folder lies in.
    pub(crate) fn project(&self) -> Result<Project, Failure> {
        Project::open(&self.root).map_err(|error| not_usable(&self.root, &error))
    }

    /// Whether the folder lies in a repository, usable or not.
    pub(crate) fn is_in_repository(&self) -> bool {
        !matches!(Project::open(&self.root), Err(OpenError::NotARepository { .. }))
    }
}

fn not_usable(root: &Path, error: &OpenError) -> Failure {
    Failure::new(Exit::Usage, "repository", format!("{}: {error}", root.display()))
}

/// Reads a config file; one that is not there is the default.
pub(crate) fn read_config(path: &Path) -> Result<Config, Failure> {
    let bytes = match File::open(path) {
        Ok(file) => read_bounded(path, file, MAX_CONFIG_BYTES)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(io(path, "open", &error)),
    };
    config_text(path, bytes)
}

/// A config file's bytes, checked, with the rule files that it names, which lie beside it.
pub(crate) fn config_text(path: &Path, bytes: Vec<u8>) -> Result<Config, Failure> {
    let text = utf8(path, bytes)?;
    let refused = |error: String| {
        Failure::new(Exit::Usage, "config", error)
            .hint("correct the key; gephost does nothing with a config that it cannot enforce")
    };
    let config = Config::from_toml(&text).map_err(|error| refused(format!("{}: {error}", path.display())))?;
    let names = &config.file.policy.secret_rules;
    if names.is_empty() {
        return Ok(config);
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let read = |name: &String| {
        let file = folder.join(name);
        let opened = File::open(&file).map_err(|error| io(&file, "open", &error))?;
        Ok((name.clone(), utf8(&file, read_bounded(&file, opened, MAX_CONFIG_BYTES)?)?))
    };
    let files: Vec<(String, String)> = names.iter().map(read).collect::<Result<_, Failure>>()?;
    let rules = Ruleset::with_files(&files).map_err(|error| refused(error.to_string()))?;
    Ok(Config { policy: config.policy.with_secret_rules(Arc::new(rules)), ..config })
}

pub(crate) fn utf8(path: &Path, bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes)
        .map_err(|_| Failure::new(Exit::Usage, "not_utf8", format!("{} is not UTF-8 text", path.display())))
}

pub(crate) fn read_bounded(path: &Path, reader: impl Read, limit: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes).map_err(|error| io(path, "read", &error))?;
    if bytes.len() as u64 > limit {
        let message = format!("{} has more than {limit} bytes, which is the limit", path.display());
        return Err(Failure::new(Exit::Usage, "too_large", message));
    }
    Ok(bytes)
}

/// A file that the person named, or standard input for `-`, to be read in pieces.
pub(crate) fn open_input(environment: &Environment, path: &Path) -> Result<Box<dyn Read>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let file = File::open(environment.resolve(path)).map_err(|error| io(path, "open", &error))?;
    Ok(Box::new(file))
}

/// The same as a whole, of at most `limit` bytes.
pub(crate) fn read_input(environment: &Environment, path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    let name = if path == Path::new("-") { Path::new("standard input") } else { path };
    read_bounded(name, open_input(environment, path)?, limit)
}

/// How gephost starts itself as a worker.
pub(crate) fn worker(environment: &Environment, strict: bool) -> Worker {
    Worker { program: environment.program.clone(), arguments: vec!["worker".into()], strict }
}

/// How gephost starts itself to launch a validation command.
pub(crate) fn launcher(environment: &Environment) -> Launcher {
    Launcher {
        program: environment.program.clone(),
        name: environment.program_name.clone(),
        arguments: vec!["launch".into()],
    }
}

/// How far validation commands are confined: what the config wants, as far as this machine has it.
pub(crate) fn confinement(folder: &Folder, launcher: &Launcher) -> Result<Chosen, Failure> {
    let table = &folder.config.file.validation;
    choose(table.sandbox, table.network, launcher).map_err(|error| {
        Failure::new(Exit::Usage, "sandbox", error.to_string())
            .hint("`gephost doctor` says what works on this machine; nothing was changed")
    })
}

/// The sandbox, with this user's compile cache where one can be had, and isolated as the config says. Where it says
/// nothing, genes run in processes: a cycle makes a handful of calls, so starting one for each is not what takes its time.
pub(crate) fn sandbox(environment: &Environment, config: &Config) -> Result<Sandbox, Failure> {
    let isolation = config.file.genes.isolation;
    let strict = isolation == Some(Isolation::Process);
    if strict && !Support::measure().is_whole() {
        let message = "`genes.isolation` is `process`, and this kernel has no Landlock or no seccomp";
        return Err(Failure::new(Exit::Usage, "isolation", message)
            .hint("`gephost doctor` says what is there; without the key genes are confined as far as the kernel can"));
    }
    // Without a cache every component is compiled again, which costs time only.
    let cache = CompileCache::open(&environment.cache.join("components"), &environment.state.join("cache.key")).ok();
    let worker = worker(environment, strict);
    Sandbox::with_workers(cache, worker, isolation.unwrap_or(Isolation::Process))
        .map_err(|error| Failure::new(Exit::Failed, "engine", error.to_string()))
}

/// The genes of a cycle.
pub(crate) struct Genes {
    /// All of them, bundled heuristics first.
    pub(crate) all: Vec<Gene>,
    /// Ids of those that the person or the config named: what fails in them fails the command.
    pub(crate) named: Vec<String>,
    /// Ids that have a grant and are no gene's, each with the ids that there are.
    pub(crate) strangers: Vec<(String, String)>,
}

/// The bundled genes and those that the config and the person name. Strategies are narrowed to the named ones where
/// any of them is a strategy.
pub(crate) fn genes(
    environment: &Environment,
    folder: &Folder,
    sandbox: &Sandbox,
    asked: &[String],
) -> Result<Genes, Failure> {
    let mut named = Vec::new();
    for file in &folder.config.file.genes.files {
        named.push(load_file(environment, sandbox, &folder.root.join(file))?);
    }
    for name in asked {
        named.push(match BUNDLED.iter().find(|bundled| bundled.id == name) {
            Some(bundled) => load(sandbox, Path::new(bundled.id), bundled.bytes)?,
            None => load_file(environment, sandbox, &environment.resolve(Path::new(name)))?,
        });
    }
    let ids: Vec<String> = named.iter().map(|gene| gene.id().to_owned()).collect();
    let narrowed = named.iter().any(|gene| gene.manifest().world.proposes());
    let mut genes = Vec::new();
    for bundled in BUNDLED.iter().filter(|bundled| !ids.iter().any(|id| id == bundled.id)) {
        let gene = load(sandbox, Path::new(bundled.id), bundled.bytes)?;
        if gene.manifest().world.diagnoses() || !narrowed {
            genes.push(gene);
        }
    }
    genes.extend(named);
    for gene in &genes {
        let own = &gene.manifest().gene.constraints;
        folder.config.grants.of(gene.id()).narrow(&folder.config.policy, own).map_err(|error| {
            Failure::new(Exit::Usage, "gene_refused", error.to_string())
                .hint("report it to the gene's author: what it forbids itself could not be held")
        })?;
    }
    let strangers = strangers(folder, &ids);
    Ok(Genes { all: genes, named: ids, strangers })
}

fn strangers(folder: &Folder, named: &[String]) -> Vec<(String, String)> {
    let known: Vec<&str> = BUNDLED.iter().map(|bundled| bundled.id).chain(named.iter().map(String::as_str)).collect();
    let strangers = folder.config.grants.strangers(&known);
    strangers.into_iter().map(|id| (id.to_owned(), known.join(", "))).collect()
}

/// Where the genes' files come from: as `[genes] reads` says in a repository, and the folder's files in none. Where no
/// gene may read any, none are looked for.
pub(crate) fn source(
    folder: &Folder,
    repository: Option<(&Project, &Arc<BaseTree>)>,
    genes: &Genes,
) -> Result<Source, Failure> {
    let reads = |gene: &Gene| {
        let asks = gene.manifest().capabilities.contains(&Capability::Workspace);
        asks && folder.config.grants.of(gene.id()).capabilities().contains(&Capability::Workspace)
    };
    let policy = folder.config.policy.clone();
    let is_shown: IsShown = Arc::new(move |path| !policy.denies(path));
    let checkout = match (repository, folder.config.file.genes.reads) {
        _ if !genes.all.iter().any(reads) => return Ok(Source::nothing()),
        (Some((_, base)), Reads::Commit) => return Ok(Source::commit(base)),
        (Some((project, _)), Reads::Checkout) => Checkout::of_project(project, is_shown),
        (None, _) => Checkout::of_folder(&folder.root, is_shown),
    };
    checkout.map(Source::checkout).map_err(|error| Failure::new(Exit::Usage, "checkout", error.to_string()))
}

fn load_file(environment: &Environment, sandbox: &Sandbox, path: &Path) -> Result<Gene, Failure> {
    load(sandbox, path, &read_component(environment, path)?)
}

/// The bytes of a component file.
pub(crate) fn read_component(environment: &Environment, path: &Path) -> Result<Vec<u8>, Failure> {
    let full = environment.resolve(path);
    let file = File::open(&full).map_err(|error| {
        let failure = io(path, "open gene", &error);
        if error.kind() == std::io::ErrorKind::NotFound {
            failure.hint("name a component file, or the id of a bundled gene (`gephost gene list`)")
        } else {
            failure
        }
    })?;
    read_bounded(path, file, MAX_COMPONENT_BYTES)
}

fn load(sandbox: &Sandbox, name: &Path, bytes: &[u8]) -> Result<Gene, Failure> {
    sandbox.load(bytes).map_err(|error| {
        let (exit, code) = match error {
            LoadError::CompileBudget(_) => (Exit::Budget, COMPILE_BUDGET),
            _ => (Exit::Usage, "gene_refused"),
        };
        Failure::new(exit, code, format!("gene {}: {error}", name.display()))
    })
}
