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
    "abduco", "at", "aws-vault", "batch", "box64", "box86", "builtin", "bwrap", "capsh", "catchsegv", "ccache",
    "chamber", "chpst", "chroot", "chrt", "concurrently", "cron", "cross-env", "daemonize", "dbus-launch",
    "dbus-run-session", "distcc", "doas", "doppler", "dotenv", "dtach", "dumb-init", "entr", "env", "env-cmd",
    "envchain", "envdir", "eval", "exec", "expect", "faketime", "fakechroot", "fakeroot", "fd", "find", "firejail",
    "flock", "foreman", "gdb", "gosu", "gtimeout", "hivemind", "honcho", "hyperfine", "i386", "icecc", "infisical",
    "inotifywait", "ionice", "ld.so", "linux32", "linux64", "lldb", "ltrace", "nice", "nodemon", "nohup",
    "npm-run-all", "nsenter", "numactl", "op", "overmind", "parallel", "perf", "pkexec", "prlimit", "proot",
    "retry", "rr", "run-p", "run-parts", "run-s", "runuser", "sccache", "screen", "script", "setarch", "setlock",
    "setpriv", "setsid", "softlimit", "sops", "source", "ssh-agent", "start-stop-daemon", "stdbuf", "strace", "su",
    "su-exec", "sudo", "supervisord", "systemd-nspawn", "systemd-run", "taskset", "teller", "time", "timeout",
    "tini", "tmux", "unbuffer", "unshare", "valgrind", "watch", "watchexec", "wine", "wine64", "with-contenv",
    "x86_64", "xargs", "xvfb-run", "zellij",
];

/// Interpreters beside those of the table of forms, and programs with a language of their own that can start others.
#[rustfmt::skip]
const INTERPRETERS: &[&str] = &[
    "amm", "awk", "babel-node", "bb", "bc", "bun", "ccl", "chez", "cjs", "clisp", "clj", "clojure", "crystal",
    "csi", "d8", "dart", "dc", "deno", "dotnet-script", "ecl", "ed", "electron", "emacs", "emacsclient", "erl",
    "escript", "esno", "esrun", "ex", "flutter", "fsi", "gawk", "gforth", "ghc", "ghci", "gjs", "gnuplot", "groovy",
    "groovysh", "gsed", "gsi", "guile", "hhvm", "iex", "ipython", "irb", "janet", "java", "javaw", "jbang", "jjs",
    "jruby", "js", "jsc", "jshell", "julia", "jython", "kotlin", "less", "littler", "lua", "luajit", "m4", "man",
    "mawk", "micropython", "mono", "more", "most", "mruby", "nawk", "nodejs", "nvim", "ocaml", "ocamlrun", "octave",
    "osascript", "perl", "perl6", "phantomjs", "php", "php-cgi", "phpdbg", "pry", "pypy", "python2", "pythonw",
    "qjs", "quickjs", "r", "racket", "raku", "rhino", "rscript", "ruby", "runghc", "runhaskell", "sbcl", "scala",
    "scala-cli", "scheme", "sed", "swift", "swipl", "tclsh", "tcc", "texlua", "truffleruby", "ts-node",
    "ts-node-esm", "tsx", "utop", "v", "vi", "view", "vim", "vite-node", "wish", "wscript", "cscript", "mshta",
    "zx",
];

/// Programs that fetch and run packages, or run a command in an environment. Source: each one's manual, "run" and "exec".
#[rustfmt::skip]
const PACKAGE_RUNNERS: &[&str] = &[
    "boot", "bundle", "bundler", "bunx", "cabal", "cnpm", "composer", "conda", "corepack", "easy_install", "gem",
    "hatch", "lein", "mamba", "micromamba", "npx", "pdm", "pip", "pip-run", "pipenv", "pipx", "pixi", "pnpx",
    "poetry", "rye", "stack", "tnpm", "uv", "uvx", "yarnpkg",
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
    "ansible", "ansible-playbook", "aria2c", "axel", "buildah", "crictl", "ctr", "curl", "docker", "docker-compose",
    "ftp", "helm", "http", "https", "incus", "kubectl", "lftp", "lxc", "lxc-attach", "mongo", "mongosh", "mosh",
    "multipass", "mysql", "nc", "ncat", "nerdctl", "netcat", "oc", "podman", "psql", "pulumi", "redis-cli", "rsync",
    "scp", "sftp", "socat", "sqlite3", "ssh", "telnet", "terraform", "tofu", "vagrant", "wget", "xh",
];

/// Version control: hooks, aliases, pagers and helpers run programs.
const VERSION_CONTROL: &[&str] =
    &["bzr", "cvs", "darcs", "fossil", "gh", "git", "glab", "hg", "hub", "jj", "p4", "repo", "sl", "svn", "svnadmin"];

/// Programs that change the machine.
#[rustfmt::skip]
const SYSTEM: &[&str] = &[
    "apk", "apt", "apt-get", "aptitude", "brew", "chattr", "chgrp", "chmod", "choco", "chown", "cp", "cpio",
    "crontab", "dd", "dnf", "dpkg", "emerge", "explorer", "fdisk", "flatpak", "guix", "initctl", "insmod",
    "install", "kill", "killall", "launchctl", "ln", "mkfs", "mkswap", "modprobe", "mount", "mv", "nix",
    "nix-build", "nix-env", "nix-shell", "open", "opkg", "pacman", "pkill", "port", "rm", "rpm", "scoop", "service",
    "setcap", "setfacl", "shred", "snap", "split", "start", "systemctl", "tar", "tee", "umount", "winget",
    "xbps-install", "xdg-open", "yum", "zypper",
];

/// Whether a program is one of these, under whatever version or extension.
pub(super) fn is_runner(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let stem =
        [".exe", ".cmd", ".bat", ".com", ".ps1"].iter().find_map(|end| lower.strip_suffix(end)).unwrap_or(&lower);
    let bare = stem.trim_end_matches(|c: char| c.is_ascii_digit() || ".-_".contains(c));
    let lists = [SHELLS, WRAPPERS, INTERPRETERS, PACKAGE_RUNNERS, VERSION_MANAGERS, REMOTE, VERSION_CONTROL, SYSTEM];
    let listed = |name: &str| lists.iter().any(|list| list.contains(&name));
    // `git-lfs` and `qemu-x86_64` are parts of programs that run others.
    let of_family =
        ["git-", "ld-linux", "ld-musl", "qemu-", "mkfs.", "python2."].iter().any(|start| stem.starts_with(start));
    // Another version of a program of the table, which the table does not know.
    let of_python = stem.starts_with("python") && !["python", "python3"].contains(&stem) && table_name(stem) == stem;
    let of_table = ["cargo", "go", "node", "npm", "pnpm", "yarn"].contains(&bare) && stem != bare;
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
