//! Folders in which tools keep what they need again, mostly below the user's home, and how each is told to use another one.
//! A sandbox that lets the agent write only in its project denies the access to them. To add a tool, add a row.

/// A folder of one or more tools.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cache {
    /// Parts of a path, of which one stands in the path of such a folder.
    parts: &'static [&'static str],
    /// The program, as commands name it.
    program: &'static str,
    /// The variables and options that name another folder, or do without it; the first is shown.
    settings: &'static [&'static str],
}

const fn row(parts: &'static [&'static str], program: &'static str, settings: &'static [&'static str]) -> Cache {
    Cache { parts, program, settings }
}

#[rustfmt::skip]
const CACHES: [Cache; 41] = [
    row(&["/.npm/"], "npm", &["npm_config_cache", "NPM_CONFIG_CACHE", "--cache"]),
    row(&[".cache/uv/", "Caches/uv/", "uv/cache/"], "uv", &["UV_CACHE_DIR", "--cache-dir", "--no-cache"]),
    row(&["uv/python/"], "uv", &["UV_PYTHON_INSTALL_DIR"]),
    row(&[".cache/pip/", "Caches/pip/", "pip/cache/"], "pip", &["PIP_CACHE_DIR", "--cache-dir", "--no-cache-dir"]),
    row(&["/pypoetry/"], "poetry", &["POETRY_CACHE_DIR"]),
    row(&[".cache/pre-commit/"], "pre-commit", &["PRE_COMMIT_HOME"]),
    row(&[".mypy_cache/"], "mypy", &["MYPY_CACHE_DIR", "--cache-dir"]),
    row(&[".ruff_cache/"], "ruff", &["RUFF_CACHE_DIR", "--no-cache"]),
    row(&[".cache/huggingface/"], "python", &["HF_HOME"]),
    row(&[".config/matplotlib/", ".cache/matplotlib/", "/.matplotlib/"], "python", &["MPLCONFIGDIR"]),
    row(&["/.ipython/"], "ipython", &["IPYTHONDIR"]),
    row(&["/go-build/"], "go", &["GOCACHE"]),
    row(&["/go/pkg/mod/"], "go", &["GOMODCACHE", "GOPATH"]),
    row(&["/golangci-lint/"], "golangci-lint", &["GOLANGCI_LINT_CACHE"]),
    row(&["/.cargo/registry/", "/.cargo/git/", "/.cargo/.package-cache"], "cargo", &["CARGO_HOME"]),
    row(&["/.rustup/"], "rustup", &["RUSTUP_HOME"]),
    row(&[".cache/sccache/", "Caches/Mozilla.sccache/"], "sccache", &["SCCACHE_DIR"]),
    row(&["/.ccache/", ".cache/ccache/", "Caches/ccache/"], "ccache", &["CCACHE_DIR"]),
    row(&["/.gradle/"], "gradle", &["GRADLE_USER_HOME", "--gradle-user-home"]),
    row(&["/.m2/"], "mvn", &["-Dmaven.repo.local"]),
    row(&["/.sbt/", "/.ivy2/"], "sbt", &["-Dsbt.global.base", "-Dsbt.ivy.home"]),
    row(&["/.konan/"], "gradle", &["KONAN_DATA_DIR"]),
    row(&[".cache/yarn/", "Caches/Yarn/", "/.yarn/berry/"], "yarn", &["YARN_CACHE_FOLDER", "YARN_GLOBAL_FOLDER", "--cache-folder"]),
    row(&["/pnpm/store/", "/.pnpm-store/"], "pnpm", &["--store-dir", "npm_config_store_dir"]),
    row(&["node/corepack/", "/.corepack/"], "corepack", &["COREPACK_HOME"]),
    row(&["/.bun/install/"], "bun", &["BUN_INSTALL_CACHE_DIR", "--cache-dir"]),
    row(&[".cache/deno/", "Caches/deno/"], "deno", &["DENO_DIR"]),
    row(&["/node-gyp/", "/.node-gyp/"], "node-gyp", &["npm_config_devdir", "--devdir"]),
    row(&["/ms-playwright/"], "playwright", &["PLAYWRIGHT_BROWSERS_PATH"]),
    row(&[".cache/puppeteer/"], "puppeteer", &["PUPPETEER_CACHE_DIR"]),
    row(&[".cache/Cypress/", "Caches/Cypress/"], "cypress", &["CYPRESS_CACHE_FOLDER"]),
    row(&["/.vite-temp/"], "vite", &["--configLoader"]),
    row(&["/.nuget/"], "dotnet", &["NUGET_PACKAGES"]),
    row(&["/.dotnet/"], "dotnet", &["DOTNET_CLI_HOME"]),
    row(&["/.composer/", ".cache/composer/", "Caches/composer/"], "composer", &["COMPOSER_HOME", "COMPOSER_CACHE_DIR"]),
    row(&["/.bundle/"], "bundle", &["BUNDLE_USER_HOME", "BUNDLE_USER_CACHE"]),
    row(&["clang/ModuleCache/"], "swift", &["CLANG_MODULE_CACHE_PATH"]),
    row(&["/org.swift.swiftpm/"], "swift", &["--cache-path"]),
    row(&["/.pub-cache/"], "dart", &["PUB_CACHE"]),
    row(&["/.kube/cache/"], "kubectl", &["KUBECACHEDIR", "--cache-dir"]),
    row(&[".config/gcloud/"], "gcloud", &["CLOUDSDK_CONFIG"]),
];

/// The cache that a text names, such as an error or a path.
pub(crate) fn of(text: &str) -> Option<&'static Cache> {
    let text = text.replace('\\', "/");
    CACHES.iter().find(|cache| cache.parts.iter().any(|part| end_of(&text, part).is_some()))
}

/// The folder of a cache in which a path lies: the files in it have names of their own each time.
pub(crate) fn folder(path: &str) -> Option<&str> {
    let parts = CACHES.iter().flat_map(|cache| cache.parts).copied();
    parts.filter(|part| part.ends_with('/')).find_map(|part| path.get(..end_of(path, part)?))
}

/// Where a part of a path ends in a text. The path may be that of the folder itself.
fn end_of(text: &str, part: &str) -> Option<usize> {
    let bare = part.trim_end_matches('/');
    let mut ends = text.match_indices(bare).filter_map(|(at, _)| {
        let end = at + bare.len();
        let before = text.get(..at)?.chars().next_back();
        let begins = part.starts_with('/') || before.is_none_or(|c| !c.is_alphanumeric());
        let is_whole = !text.get(end..)?.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_'));
        (begins && is_whole).then_some(end)
    });
    ends.next()
}

impl Cache {
    /// What to do if the agent may not write there.
    pub(crate) fn advice(&self) -> String {
        let Some(setting) = self.settings.first() else { return String::new() };
        let how = match *setting {
            "--configLoader" => "start vite with `--configLoader runner`, which writes nothing there".to_owned(),
            setting if setting.starts_with('-') => format!("name another folder with `{setting}`"),
            setting => format!("set `{setting}` to a folder that the agent may write"),
        };
        format!("{how}, or let it write to this one: `{}` keeps files there that it needs again", self.program)
    }

    /// What to do if the agent may not write to this one and another one of the same program, if a variable names each.
    pub(crate) fn advice_with(&self, other: &Self) -> Option<String> {
        let variable = |cache: &Self| cache.settings.first().copied().filter(|setting| !setting.starts_with('-'));
        let (one, two) = (variable(self)?, variable(other)?);
        (self.program == other.program).then(|| {
            format!(
                "set `{one}` and `{two}` to folders that the agent may write, or let it write to these: `{}` keeps files there that it \
                 needs again",
                self.program
            )
        })
    }

    /// The setting of another folder that a command has.
    pub(crate) fn setting_in<'a>(&self, input: &'a str) -> Option<&'a str> {
        let names_program = input.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| word == self.program);
        let has = |word: &str| {
            let name = word.split('=').next().unwrap_or(word);
            // The same option has another meaning in another program.
            let is_own = !name.starts_with("--") || self.settings.len() == 1 || names_program;
            is_own && self.settings.contains(&name)
        };
        input.split_whitespace().map(|word| word.trim_matches(['"', '\'', ';'])).find(|word| has(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_is_known_by_its_path() {
        for (text, setting) in [
            ("npm error path /Users/a/.npm/_cacache/tmp/bb817b65", "npm_config_cache"),
            ("/Users/a/.npm/_cacache/tmp", "npm_config_cache"),
            ("error: failed to open file `/home/a/.cache/uv/sdists-v9/.git`: Operation not permitted", "UV_CACHE_DIR"),
            ("Failed to initialize cache at `/Users/a/Library/Caches/uv`", "UV_CACHE_DIR"),
            ("open /Users/a/Library/Caches/go-build/0a/x-d: operation not permitted", "GOCACHE"),
            ("mkdir /root/go/pkg/mod/cache: read-only file system", "GOMODCACHE"),
            (
                "PermissionError: [Errno 1] Operation not permitted: '/Users/a/.cache/pre-commit/.lock'",
                "PRE_COMMIT_HOME",
            ),
            ("/Users/a/.gradle/wrapper/dists/gradle-8.5-bin/x.zip.lck (Operation not permitted)", "GRADLE_USER_HOME"),
            ("error: failed to open: /root/.cargo/registry/index: Permission denied", "CARGO_HOME"),
            (
                "EPERM: operation not permitted, open 'w/node_modules/.vite-temp/vite.config.ts.timestamp-1.mjs'",
                "--configLoader",
            ),
            (r"C:\Users\a\.nuget\packages: Access is denied", "NUGET_PACKAGES"),
        ] {
            assert_eq!(of(text).and_then(|cache| cache.settings.first().copied()), Some(setting), "{text}");
        }
    }

    #[test]
    fn the_folder_of_a_cache_is_known() {
        for (path, expected) in [
            ("/u/.cargo/registry/cache/a.crate", Some("/u/.cargo/registry")),
            ("/u/Library/Caches/go-build/5e/5e8a-d", Some("/u/Library/Caches/go-build")),
            ("w/node_modules/.vite-temp/a.mjs", Some("w/node_modules/.vite-temp")),
            ("/u/.npm", Some("/u/.npm")),
            ("/etc/shadow", None),
            ("/u/.cargo/.package-cache", None),
        ] {
            assert_eq!(folder(path), expected, "{path}");
        }
    }

    #[test]
    fn other_folders_are_no_caches() {
        for text in [
            "cat: /etc/shadow: Permission denied",
            "open /w/src/deno/a.ts: permission denied",
            "/w/tests/npm/a.js",
            "/home/a/.npmrc: Permission denied",
            "/home/a/.gradle-old/x",
            "/w/uv/a.py: Operation not permitted",
            "/var/lib/dpkg/lock",
            "touch: cannot touch '/w/pip/a': Permission denied",
            "/w/my.cache/uvicorn.log",
            "",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn a_setting_is_that_of_the_program() {
        let npm = of("/u/.npm/_cacache").unwrap();
        assert_eq!(npm.setting_in("npm install --cache ./.npm-cache"), Some("--cache"));
        assert_eq!(npm.setting_in("npm_config_cache=/tmp/n npm ci"), Some("npm_config_cache=/tmp/n"));
        assert_eq!(npm.setting_in("eslint . --cache"), None);
        assert_eq!(npm.setting_in("npm install"), None);
        let uv = of("/u/.cache/uv/x").unwrap();
        assert_eq!(uv.setting_in("export UV_CACHE_DIR=/tmp/uv; uv run pytest"), Some("UV_CACHE_DIR=/tmp/uv"));
        assert_eq!(uv.setting_in("mypy --cache-dir /tmp/m ."), None);
        let vite = of("/w/node_modules/.vite-temp/a.mjs").unwrap();
        assert_eq!(vite.setting_in("npm run test -- --configLoader runner a.ts"), Some("--configLoader"));
    }

    #[test]
    fn each_row_has_an_advice() {
        for cache in &CACHES {
            assert!(!cache.parts.is_empty() && cache.advice().contains('`'), "{}", cache.program);
        }
    }
}
