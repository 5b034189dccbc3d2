//! The folders in which package managers put what they fetched, beside the sources of a project. Validation commands may
//! read them if git does not track them.
//!
//! Folders that a build writes (`target`, `build`, `_build`, `.gradle`) are not among them: a command makes its own.

/// The file that makes a folder a virtual environment of Python, whatever the folder is called (PEP 405).
pub const VENV_MARK: &str = "pyvenv.cfg";
/// The file that makes a folder an environment of conda, whatever the folder is called.
pub const CONDA_MARK: &str = "conda-meta/history";

/// A folder or file of dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dependencies {
    /// Its name.
    pub name: &'static str,
    /// The file that must stand beside it, if the name alone says too little.
    pub beside: Option<&'static str>,
}

const fn named(name: &'static str) -> Dependencies {
    Dependencies { name, beside: None }
}

const fn beside(name: &'static str, file: &'static str) -> Dependencies {
    Dependencies { name, beside: Some(file) }
}

/// All of them. The sources are the manuals of the package managers.
pub const DEPENDENCIES: &[Dependencies] = &[
    // npm, pnpm, Yarn and Bun; Bower; jspm.
    named("node_modules"),
    named("bower_components"),
    named("jspm_packages"),
    // Yarn's archives and its resolution of them.
    beside(".yarn", "yarn.lock"),
    beside(".pnp.cjs", "yarn.lock"),
    beside(".pnp.loader.mjs", "yarn.lock"),
    // Go, Composer, Bundler and Cargo.
    named("vendor"),
    beside(".bundle", "Gemfile"),
    // tox and nox keep virtual environments in them; PDM keeps packages (PEP 582).
    named(".tox"),
    named(".nox"),
    named("__pypackages__"),
    // Mix, CocoaPods, Carthage and Elm.
    beside("deps", "mix.exs"),
    beside("Pods", "Podfile"),
    beside("Carthage", "Cartfile"),
    beside("elm-stuff", "elm.json"),
];

/// A cache in the user's home that a project's tools read, and the files that say that the project uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HomeCache {
    /// Cargo's registry.
    Cargo,
    /// Go's module cache and build cache.
    Go,
    /// Gradle's modules, and the versions of Gradle that its wrapper fetched.
    Gradle,
    /// Maven's local repository, and the versions of Maven that its wrapper fetched.
    Maven,
}

/// The files beside which a project's tools need a cache of the home.
pub const USES: &[(&str, HomeCache)] = &[
    ("Cargo.toml", HomeCache::Cargo),
    ("go.mod", HomeCache::Go),
    ("go.work", HomeCache::Go),
    ("build.gradle", HomeCache::Gradle),
    ("build.gradle.kts", HomeCache::Gradle),
    ("settings.gradle", HomeCache::Gradle),
    ("settings.gradle.kts", HomeCache::Gradle),
    ("pom.xml", HomeCache::Maven),
];
