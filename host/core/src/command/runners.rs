//! Programs that an operator cannot add: they run what their arguments say, reach a network, or change the machine.
//!
//! To add one, add its name to the list that it belongs to, in lower case and without a version.

/// Shells. Source: the programs that `/etc/shells` lists on the common systems, and those of the shells' manuals.
#[rustfmt::skip]
const SHELLS: &[&str] = &[
    "ash", "bash", "busybox", "cmd", "command", "csh", "dash", "elvish", "es", "fish", "hush", "ion", "ksh",
    "ksh93", "loksh", "lksh", "mksh", "mrsh", "nu", "nushell", "oksh", "osh", "pdksh", "posh", "powershell", "pwsh",
    "rbash", "rc", "rksh", "rzsh", "sash", "scsh", "sh", "tcsh", "toybox", "wsl", "xonsh", "yash", "ysh", "zsh",
];

/// Programs that run another one with something changed around it. Sources: GNU coreutils, util-linux, moreutils,
/// daemontools, procps and systemd manuals.
#[rustfmt::skip]
const WRAPPERS: &[&str] = &[
    "abduco", "accelerate", "act", "ag", "appraisal", "apptainer", "asciinema", "at", "austin", "autossh",
    "aws-vault", "batch", "box64", "box86", "bpftrace", "builtin", "bwrap", "c8", "capsh", "cargo-watch",
    "catchsegv", "ccache", "chamber", "charliecloud", "chokidar", "chpst", "chroot", "chrt", "concurrently",
    "conda-run", "coreutils", "cron", "cross-env", "cross-env-shell", "daemon", "daemonize", "dagger", "dbus-launch",
    "dbus-run-session", "deepspeed", "distcc", "dlv", "doas", "doppler", "dotenv", "dotenvx", "dtach", "dtrace",
    "dtruss", "dumb-init", "earthly", "empty", "entr", "env", "env-cmd", "envchain", "envdir", "eval", "exec",
    "execlineb", "expect", "fakechroot", "fakeroot", "faketime", "fd", "fdfind", "find", "firejail", "flock", "fnox",
    "foreman", "forever", "fzf", "gdb", "gdbserver", "gosu", "gotestsum", "gow", "gpg-agent", "gtimeout", "heaptrack",
    "hivemind", "honcho", "horovodrun", "hyperfine", "i386", "icecc", "infisical", "inotifywait", "ionice", "ld.so",
    "linux32", "linux64", "lldb", "lldb-server", "login", "ltrace", "memray", "modd", "mpiexec", "mpirun", "mprocs",
    "newgrp", "nice", "nodemon", "nohup", "npm-run-all", "nsenter", "numactl", "nyc", "onchange", "op", "orterun",
    "overmind", "parallel", "perf", "pkexec", "pm2", "poop", "prlimit", "process-compose", "proot", "ptw", "py-spy",
    "pytest-watch", "qemu", "reflex", "retry", "rg", "rlwrap", "rr", "run-p", "run-parts", "run-s", "run0", "runcon",
    "runit", "runsv", "runuser", "samply", "sbatch", "scalene", "sccache", "screen", "script", "secretspec", "sem",
    "setarch", "setlock", "setpriv", "setsid", "sg", "singularity", "softlimit", "sops", "source", "spack",
    "spark-submit", "spring", "srun", "ssh-agent", "sshpass", "start-server-and-test", "start-stop-daemon", "stdbuf",
    "strace", "su", "su-exec", "sudo", "sudoedit", "supervisord", "systemd-nspawn", "systemd-run", "taskset",
    "teller", "tig", "time", "timeout", "tini", "tmux", "torchrun", "tsc-watch", "ttyrec", "uftrace", "ultra",
    "uname26", "unbuffer", "unshare", "uutils", "valgrind", "varlock", "viztracer", "wait-on", "wasmer", "wasmtime",
    "watch", "watchexec", "wazero", "wgo", "wine", "wine64", "with-contenv", "x86_64", "xargs", "xcrun", "xvfb-run",
    "zellij",
];

/// Interpreters beside those of the table of forms, and programs with a language of their own that can start others.
#[rustfmt::skip]
const INTERPRETERS: &[&str] = &[
    "amm", "awk", "babel-node", "bare", "bb", "bc", "bsdtar", "bun", "cargo-script", "ccl", "chez", "cjs",
    "clickhouse", "clisp", "clj", "clojure", "coqtop", "crystal", "cscript", "csi", "d8", "dart", "dc", "deno",
    "dotnet-script", "duckdb", "ecl", "ed", "electron", "elixir", "emacs", "emacsclient", "erl", "esbuild-runner",
    "escript", "esno", "esr", "esrun", "evcxr", "ex", "flutter", "fsi", "gap", "gawk", "gforth", "ghc", "ghci", "gjs",
    "gnuplot", "gore", "gp", "gprolog", "graalpy", "groovy", "groovysh", "gsed", "gsi", "guile", "hermes", "hhvm",
    "idris", "idris2", "iex", "ipython", "irb", "janet", "java", "javaw", "jbang", "jiti", "jjs", "jruby", "js",
    "jsc", "jshell", "julia", "jupyter", "jupyter-run", "jython", "kotlin", "kotlinc", "latexmk", "lean", "less",
    "littler", "llrt", "logtalk", "lua", "luajit", "lualatex", "m4", "man", "marimo", "mathematica", "matlab", "mawk",
    "maxima", "micropython", "mit-scheme", "mlr", "mono", "more", "most", "mruby", "mshta", "nawk", "nbconvert",
    "nim", "nimble", "nodejs", "nvim", "nw", "ocaml", "ocamlrun", "octave", "octave-cli", "osascript", "pager",
    "papermill", "pdflatex", "pdftex", "perl", "perl6", "phantomjs", "php", "php-cgi", "phpdbg", "pry", "pypy",
    "python2", "pythonw", "qjs", "quarto", "quickjs", "r", "racket", "radian", "raku", "rbx", "rcmd", "rdmd", "rhino",
    "rscript", "ruby", "runghc", "runhaskell", "rust-script", "sage", "sas", "sbcl", "scala", "scala-cli", "scheme",
    "scilab", "sed", "stata", "streamlit", "swc-node", "swift", "swipl", "tcc", "tclsh", "tex", "texlua",
    "truffleruby", "ts-eager", "ts-node", "ts-node-esm", "tsimp", "tsx", "txiki", "utop", "v", "vd", "vi", "view",
    "vim", "visidata", "vite-node", "vsim", "wish", "wolfram", "wolframscript", "wscript", "xelatex", "xetex",
    "yaegi", "yosys", "zx",
];

/// Programs that fetch and run packages, or run a command in an environment. Source: each one's manual, "run" and "exec".
#[rustfmt::skip]
const PACKAGE_RUNNERS: &[&str] = &[
    "boot", "bundle", "bundler", "bunx", "cabal", "cnpm", "comma", "composer", "conda", "corepack", "dlx",
    "easy_install", "fades", "gem", "ghcup", "haskell-stack", "hatch", "lein", "leiningen", "mamba", "micromamba", "na", "ni",
    "nlx", "node-gyp", "npx", "nr", "nun", "pdm", "pex", "pip", "pip-run", "pipenv", "pipx", "pixi", "pnpx", "poetry",
    "rush", "rushx", "rye", "shiv", "spago", "stack", "tnpm", "uv", "uvx", "vp", "vpx", "yarnpkg",
];

/// Programs that choose which version of another program runs.
#[rustfmt::skip]
const VERSION_MANAGERS: &[&str] = &[
    "aqua", "asdf", "chruby", "devbox", "devenv", "direnv", "flox", "fnm", "g", "goenv", "gvm", "hermit", "jabba",
    "jenv", "mise", "n", "nodenv", "nodist", "nvm", "perlbrew", "phpbrew", "pkgx", "proto", "pyenv", "rbenv", "rtx",
    "rustup", "rvm", "sdk", "tea", "vfox", "volta",
];

/// Programs that reach a network, other machines, or containers.
#[rustfmt::skip]
const REMOTE: &[&str] = &[
    "ansible", "ansible-playbook", "aria2c", "autossh", "aws", "axel", "az", "boundary", "buildah", "cdk", "certbot",
    "chef", "chef-client", "crictl", "ctr", "curl", "docker", "docker-compose", "doctl", "eksctl", "et", "exo", "fab",
    "fly", "flyctl", "ftp", "gcloud", "helm", "heroku", "http", "https", "incus", "k3d", "kind", "kubectl", "lftp",
    "lxc", "lxc-attach", "mariadb", "minikube", "mongo", "mongosh", "mosh", "multipass", "mysql", "nc", "ncat",
    "nerdctl", "netcat", "netlify", "oc", "openssl", "packer", "podman", "psql", "pulumi", "puppet", "railway",
    "rclone", "redis-cli", "rsync", "salt", "salt-call", "sam", "scp", "serverless", "sftp", "skopeo", "socat",
    "sqlite3", "ssh", "sshfs", "telnet", "terraform", "tofu", "tsh", "vagrant", "vercel", "wget", "wrangler", "xh",
    "youtube-dl", "yt-dlp",
];

/// Version control: hooks, aliases, pagers and helpers run programs.
const VERSION_CONTROL: &[&str] =
    &["bzr", "cvs", "darcs", "fossil", "gh", "git", "glab", "hg", "hub", "jj", "p4", "repo", "sl", "svn", "svnadmin"];

/// Programs that change the machine.
#[rustfmt::skip]
const SYSTEM: &[&str] = &[
    "7z", "apk", "apt", "apt-get", "aptitude", "brew", "chattr", "chgrp", "chmod", "choco", "chown", "cp", "cpio",
    "crontab", "dd", "dnf", "dpkg", "emerge", "explorer", "fdisk", "flatpak", "guix", "home-manager", "initctl",
    "insmod", "install", "kill", "killall", "launchctl", "ln", "mkfs", "mkswap", "modprobe", "mount", "mv", "nix",
    "nix-build", "nix-env", "nix-shell", "nixos-rebuild", "open", "opkg", "pacman", "pkill", "port", "rm", "rpm",
    "scoop", "service", "setcap", "setfacl", "shred", "snap", "split", "start", "systemctl", "tar", "tee", "umount",
    "unzip", "winget", "xbps-install", "xdg-open", "yum", "zip", "zypper",
];

/// How distributions mark a build of a program behind its name: `busybox.static`, `vim.tiny`, `gdb-multiarch`.
#[rustfmt::skip]
const BUILDS: &[&str] = &[
    "athena", "basic", "beta", "bin", "canary", "dbg", "debug", "dev", "full", "gtk", "gtk3", "light", "lucid", "minimal",
    "motif", "multiarch", "nightly", "nogui", "nox", "openbsd", "orig", "original", "pgtk", "phar", "real", "static", "tiny",
    "traditional", "x", "x11",
];

/// Whether a program is one of these, under whatever version, build or extension.
pub(super) fn is_runner(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let whole =
        [".exe", ".cmd", ".bat", ".com", ".ps1"].iter().find_map(|end| lower.strip_suffix(end)).unwrap_or(&lower);
    let stem =
        whole.rsplit_once(['-', '.']).filter(|(_, build)| BUILDS.contains(build)).map_or(whole, |(stem, _)| stem);
    let bare = stem.trim_end_matches(|c: char| c.is_ascii_digit() || ".-_".contains(c));
    let lists = [SHELLS, WRAPPERS, INTERPRETERS, PACKAGE_RUNNERS, VERSION_MANAGERS, REMOTE, VERSION_CONTROL, SYSTEM];
    let listed = |name: &str| lists.iter().any(|list| list.contains(&name));
    // `git-lfs` and `qemu-x86_64` are parts of programs that run others.
    let of_family = ["git-", "ld-linux", "ld-musl", "qemu-", "mkfs.", "python2.", "s6-"]
        .iter()
        .any(|start| stem.starts_with(start));
    // Another version of a program of the table, which the table does not know.
    let of_python =
        whole.starts_with("python") && !["python", "python3"].contains(&whole) && table_name(whole) == whole;
    let of_table = ["cargo", "go", "node", "npm", "pnpm", "yarn"].contains(&bare) && whole != bare;
    listed(stem) || listed(bare) || of_family || of_python || of_table
}

/// The name under which the table of forms knows a program: `python3.12` is `python3`, and `py.test` is `pytest`.
pub(super) fn table_name(program: &str) -> &str {
    match program {
        "py.test" | "pytest3" | "pytest-3" => "pytest",
        _ if is_versioned_python(program) => "python3",
        _ => program,
    }
}

fn is_versioned_python(program: &str) -> bool {
    let minor = program.strip_prefix("python3.").map(|minor| minor.strip_suffix('t').unwrap_or(minor));
    minor.is_some_and(|minor| !minor.is_empty() && minor.len() <= 3 && minor.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runners_are_known_under_every_name() {
        for name in [
            "sh",
            "BASH",
            "bash5",
            "zsh-5.9",
            "env",
            "git",
            "git-lfs",
            "python2",
            "python2.7",
            "pypy",
            "pypy3",
            "pypy3.10",
            "perl5.36",
            "ruby3.2",
            "lua5.4",
            "php8.2",
            "node18.exe",
            "node20",
            "go1.22",
            "python3.12-dbg",
            "nodejs",
            "npx.cmd",
            "uv",
            "poetry",
            "mise",
            "asdf",
            "ld-linux-x86-64.so.2",
            "pip3.12",
            "tclsh8.6",
            "guile-3.0",
            "bunx",
            "deno",
            "xargs",
            "awk",
            "mkfs.ext4",
            "java",
            "busybox.static",
            "bash-static",
            "vim.tiny",
            "emacs-nox",
            "gdb-multiarch",
            "nc.traditional",
            "composer.phar",
            "perl5.36-dbg",
            "runcon",
            "sg",
            "run0",
            "uname26",
            "s6-envdir",
            "execlineb",
            "coreutils",
            "sem",
            "fab",
            "matlab",
            "MATLAB",
        ] {
            assert!(is_runner(name), "{name}");
        }
        for name in [
            "make",
            "gmake",
            "cmake",
            "ctest",
            "ninja",
            "gradle",
            "mvn",
            "just",
            "tox",
            "nox",
            "jest",
            "vitest",
            "mocha",
            "rspec",
            "rake",
            "phpunit",
            "dotnet",
            "bazel",
            "eslint",
            "tsc",
            "ruff",
            "mypy",
            "black",
            "prettier",
            "mix",
            "sbt",
            "true",
            "false",
            "python3.12",
            "py.test",
            "pytest",
            "cargo",
            "go",
            "node",
            "golangci-lint",
            "shellcheck",
            "prove",
            "busted",
            "zig",
            "gcc",
            "clang-15",
            "nextest",
            "phpunit.phar",
            "phpstan.phar",
            "ansible-lint",
            "php-cs-fixer",
            "docker-lint",
            "js-beautify",
            "terraform-docs",
            "semgrep",
            "loginctl-check",
            "static",
            "x11-test",
        ] {
            assert!(!is_runner(name), "{name}");
        }
    }

    #[test]
    fn versions_follow_the_table() {
        for (name, table) in [
            ("python3.12", "python3"),
            ("python3.13t", "python3"),
            ("python3.", "python3."),
            ("python3.x", "python3.x"),
            ("python3", "python3"),
            ("py.test", "pytest"),
            ("make", "make"),
        ] {
            assert_eq!(table_name(name), table);
        }
    }
}
