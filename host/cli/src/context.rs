//! The repository that a command works in: where its root is, what its config says, where its state lies.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use gephost_core::config::{CONFIG_FILE, Config, MAX_CONFIG_BYTES};
use gephost_core::digest::sha256_hex;
use gephost_runner::sandbox::{CompileCache, Gene, MAX_COMPONENT_BYTES, Sandbox};
use gephost_runner::worktree::{OpenError, Project};
use gephost_runner::{bundled::BUNDLED, state::StateFolder};

use crate::environment::Environment;
use crate::error::{Failure, io};
use crate::exit_code::Exit;

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
}

fn not_usable(root: &Path, error: &OpenError) -> Failure {
    Failure::new(Exit::Usage, "repository", format!("{}: {error}", root.display()))
}

/// Reads a config file; one that is not there is the default.
pub(crate) fn read_config(path: &Path) -> Result<Config, Failure> {
    let text = match File::open(path) {
        Ok(file) => read_text(path, file, MAX_CONFIG_BYTES)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(io(path, "open", &error)),
    };
    Config::from_toml(&text).map_err(|error| {
        Failure::new(Exit::Usage, "config", format!("{}: {error}", path.display()))
            .hint("correct the key; gephost does nothing with a config that it cannot enforce")
    })
}

fn read_text(path: &Path, file: File, limit: u64) -> Result<String, Failure> {
    let bytes = read_bounded(path, file, limit)?;
    String::from_utf8(bytes)
        .map_err(|_| Failure::new(Exit::Usage, "not_utf8", format!("{} is not UTF-8 text", path.display())))
}

fn read_bounded(path: &Path, reader: impl Read, limit: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes).map_err(|error| io(path, "read", &error))?;
    if bytes.len() as u64 > limit {
        let message = format!("{} has more than {limit} bytes, which is the limit", path.display());
        return Err(Failure::new(Exit::Usage, "too_large", message));
    }
    Ok(bytes)
}

/// A file that the person named, or standard input for `-`, of at most `limit` bytes.
pub(crate) fn read_input(environment: &Environment, path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    if path == Path::new("-") {
        return read_bounded(Path::new("standard input"), std::io::stdin().lock(), limit);
    }
    let full = environment.resolve(path);
    let file = File::open(&full).map_err(|error| io(path, "open", &error))?;
    read_bounded(path, file, limit)
}

/// The sandbox, with this user's compile cache where one can be had.
pub(crate) fn sandbox(environment: &Environment) -> Result<Sandbox, Failure> {
    // Without a cache every component is compiled again, which costs time only.
    let cache = CompileCache::open(&environment.cache.join("components"), &environment.state.join("cache.key")).ok();
    Sandbox::new(cache).map_err(|error| Failure::new(Exit::Failed, "engine", error.to_string()))
}

/// The genes of a cycle.
pub(crate) struct Genes {
    /// All of them, bundled heuristics first.
    pub(crate) genes: Vec<Gene>,
    /// Ids of those that the person or the config named: what fails in them fails the command.
    pub(crate) named: Vec<String>,
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
    Ok(Genes { genes, named: ids })
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
    sandbox
        .load(bytes)
        .map_err(|error| Failure::new(Exit::Usage, "gene_refused", format!("gene {}: {error}", name.display())))
}
