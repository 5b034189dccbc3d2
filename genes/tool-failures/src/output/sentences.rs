//! Sentences that tools print when something goes wrong, and the cause that each of them names.
//!
//! A row is a cause, a part of a sentence, and where the name of what is missing or refused stands. To teach the gene a
//! message, add a row; a part that begins a sentence lacks its first letter, so that it matches both cases. The most
//! specific part comes first, because the first row of a line wins.

use std::sync::OnceLock;

use crate::cause::Cause::{
    self, Access, Argument, Busy, Certificate, Conflict, Credits, Damaged, Denied, Disk, Diverged, EditAmbiguous,
    EditNothing, EditStale, EditText, EditUnread, Error, Exists, Folder, Forbidden, GitName, Hook, InUse, Locked,
    Login, Memory, Module, Network, NoTests, NothingToCommit, OptionRefused, OtherShell, Outside, Overload, Package,
    Parameters, Path, PortInUse, PosixRecipe, Program, PushRejected, Reset, Sandbox, Schema, Script, Shell, Subcommand,
    Terminal, Timeout, TooLarge, Uncommitted, Versions,
};
use crate::output::remedies::{REMEDIES, Reach};
use Name::{After, Before, No, Quoted, Version};

/// Where the name stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    /// Nowhere.
    No,
    /// The last word before the part.
    Before,
    /// The first word after it.
    After,
    /// The first text in quotation marks after it, or else the first word after it.
    Quoted,
    /// The version numbers in the line.
    Version,
}

/// A known part of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Match<'l> {
    /// What it says.
    pub(crate) cause: Cause,
    /// The name of what is missing or refused; empty if the line has none.
    pub(crate) name: &'l str,
    /// Position in the table: a lower one is more specific.
    pub(crate) rank: usize,
}

#[rustfmt::skip]
const SENTENCES: &[(Cause, &str, Name)] = &[
    // Edits.
    (EditUnread, "has not been read yet", No),
    (EditUnread, "must read the file before", No),
    (EditStale, "modified since read", No),
    (EditStale, "has been modified since", No),
    (EditStale, "changed since it was last read", No),
    (EditNothing, "o changes to make", No),
    (EditNothing, "are exactly the same", No),
    (EditNothing, "old_string and new_string are identical", No),
    (EditNothing, "no changes were made", No),
    (EditAmbiguous, "matches of the string to replace", No),
    (EditAmbiguous, "ultiple occurrences of", No),
    (EditAmbiguous, "occurrences of old_str", No),
    (EditAmbiguous, "ultiple matches found", No),
    (EditAmbiguous, "is not unique in the file", No),
    (EditText, "tring to replace not found", No),
    (EditText, "did not appear verbatim", No),
    (EditText, "failed to match!", No),
    (EditText, "SearchReplaceNoExactMatch", No),
    (EditText, "ailed to find expected lines", No),
    (EditText, "ailed to find context", No),
    (EditText, "apply_patch verification failed", No),
    (EditText, "nvalid patch: ", No),
    (EditText, "nvalid hunk at", No),
    (EditText, "hunk header", No),
    (EditText, "nvalid Context ", No),
    (EditText, "nvalid EOF Context ", No),
    (EditText, "ailed to read file to update ", No),
    (EditText, "o replacement was performed", No),
    (EditText, "patch does not apply", No),
    (EditText, "ould not find the string", No),
    (EditText, "ould not find old", No),
    (EditText, "0 occurrences found", No),
    (EditText, "ould not find edits[", No),
    (EditText, "must match exactly including", No),
    (EditText, "ould not find the exact text", No),
    (EditText, "ld_string not found", No),
    (EditText, "ldText not found", No),
    (EditText, "ld_str not found", No),
    (EditText, "ld_text not found", No),
    (EditText, "ld string not found", No),
    (EditText, "ld text not found", No),
    (EditText, "earch text not found", No),
    (EditText, "earch string not found", No),
    (EditText, "o match found for search", No),
    (EditText, "unk FAILED", No),
    (EditText, "did not match the current file content", No),
    (EditAmbiguous, "occurrence but found", No),
    (EditAmbiguous, "occurrences of the text", No),
    (EditNothing, "same as the original file", No),
    // The agent's own tools.
    (TooLarge, "exceeds maximum allowed tokens", No),
    (TooLarge, "exceeds maximum allowed size", No),
    (TooLarge, "exceeds the maximum allowed", No),
    (TooLarge, "rgument list too long", No),
    (TooLarge, "prompt is too long", No),
    (TooLarge, "maximum context length", No),
    (TooLarge, "context window exceeded", No),
    (Busy, "is NOT executed. The previous command is still running", No),
    (Parameters, "InputValidationError", No),
    (Parameters, "nvalid parameters", No),
    (Parameters, "nvalid params", No),
    (Parameters, "nvalid arguments for tool", No),
    (Parameters, "nput validation error", No),
    (Parameters, "issing required argument", Quoted),
    (Parameters, "issing required field", Quoted),
    (Parameters, "equired parameter", Quoted),
    (Parameters, "` is required", Before),
    (Parameters, "is expected to be one of", No),
    (Parameters, "ailed to parse function arguments", No),
    (Parameters, "nvalid tool parameters", No),
    (Parameters, "nexpected parameter", Quoted),
    (Parameters, "alidation failed for tool", No),
    (Parameters, "is a required property", Before),
    (Parameters, "` was omitted", Before),
    (Parameters, "SchemaError(", No),
    (Parameters, "called with invalid arguments", No),
    (Denied, "equires approval", No),
    (Denied, "equire approval", No),
    (Denied, "has been denied because", No),
    (Forbidden, "has been denied", No),
    (Forbidden, "denied by your permission settings", No),
    (Denied, "requested permissions", No),
    (Denied, "was blocked. For security", No),
    (Denied, "rejected: blocked by policy", No),
    (Denied, "not allowed by policy", No),
    (Denied, "blocked by hook", No),
    (Denied, "could not request permission from", No),
    (Denied, "denied by the Claude Code auto mode", No),
    // Claude Code without a person who answers.
    (Denied, "Exit plan mode?", No),
    (Denied, "Answer questions?", No),
    // The agent's sandbox.
    (Sandbox, "rror building bubblewrap command", No),
    (Sandbox, "bwrap: ", No),
    (Sandbox, "sandbox-exec: ", No),
    // The model and the network.
    (Credits, "redits are depleted", No),
    (Credits, "redit balance is too low", No),
    (Credits, "nsufficient credit", No),
    (Credits, "nsufficient balance", No),
    (Credits, "ot enough credits", No),
    (Credits, "ut of credits", No),
    (Credits, "402 Payment Required", No),
    (Credits, "insufficient_quota", No),
    (Credits, "illing hard limit", No),
    (Overload, "RESOURCE_EXHAUSTED", No),
    (Overload, "verloaded", No),
    (Overload, "ate limit", No),
    (Overload, "rate_limit", No),
    (Overload, "oo many requests", No),
    (Overload, "urrent quota", No),
    (Overload, "usage limit", No),
    (Overload, "API Error: 5", No),
    (Login, "ot logged in", No),
    (Login, "gh auth login", No),
    (Login, "ailed to authenticate", No),
    (Login, "requested access to the resource is denied", No),
    (Login, "ot currently have an active account", No),
    (Login, "401 Client Error", No),
    (Login, "ust be logged in", No),
    (Login, "xpo user account is required", No),
    (Login, "o credentials have been configured", No),
    (Login, "o access token available", No),
    (Login, "nvalid credentials", No),
    (Login, "ot currently signed in", No),
    (Login, "nable to locate credentials", No),
    (Login, "uthentication failed", No),
    (Login, "ould not read Username", No),
    (Login, "ermission denied (publickey", No),
    (Login, "nvalid API key", No),
    (Login, "nvalid api key", No),
    (Login, "AuthenticationError", No),
    (Login, "Bad credentials", No),
    (Login, "default_credentials", No),
    (Login, "default credentials", No),
    (Login, "DefaultCredentialsError", No),
    (Login, "to load vertex credentials", No),
    (Login, "DefaultAzureCredential failed", No),
    (Login, "issing credentials", No),
    (Login, "NoCredentialsError", No),
    (Login, "he config profile (", No),
    (Login, "he security token included in", No),
    (Login, "401 Unauthorized", No),
    (Login, "HTTP/1.1 401", No),
    (Login, "lease run 'az login'", No),
    (Login, "lease run `vercel login`", No),
    (Login, "Error when retrieving token", No),
    (Login, "o existing credentials found", No),
    (Login, ": Unauthorized", No),
    (Login, "ou must authenticate", No),
    (Login, "api_key client option must be set", No),
    (Login, "config/gcloud/", No),
    (Login, "o API key", No),
    (Login, "API key not ", No),
    (Login, "token has expired", No),
    (Login, "ExpiredToken", No),
    (Login, "lease run `aws sso login", No),
    (Login, "ould not load credentials", No),
    (Login, "npm error code ENEEDAUTH", No),
    (Login, "npm login", No),
    (Login, "docker login", No),
    (Login, "equired authentication", No),
    (Certificate, "certificate verify failed", No),
    (Certificate, "self-signed certificate", No),
    (Certificate, "self signed certificate", No),
    (Certificate, "SSL certificate problem", No),
    (Certificate, "erver certificate verification failed", No),
    (Certificate, "get local issuer certificate", No),
    (Certificate, "verify the first certificate", No),
    (Certificate, "UNABLE_TO_VERIFY_LEAF_SIGNATURE", No),
    (Certificate, "SELF_SIGNED_CERT_IN_CHAIN", No),
    (Certificate, "UNABLE_TO_GET_ISSUER_CERT", No),
    (Certificate, "x509: certificate ", No),
    (Certificate, "PKIX path building failed", No),
    (Certificate, "nvalid peer certificate", No),
    (Certificate, "net::ERR_CERT_", No),
    (Network, "ould not resolve host: ", After),
    (Network, "ould not resolve hostname ", After),
    (Network, "ould not resolve proxy: ", After),
    (Network, "resolve host address ", Quoted),
    (Network, "emporary failure resolving '", Quoted),
    (Network, "ote name could not be resolved: '", Quoted),
    (Network, "o such host is known. (", After),
    (Network, "dial tcp: lookup ", After),
    (Network, "dial tcp ", After),
    (Network, "UnknownHostException: ", After),
    (Network, ": Unknown host ", After),
    (Network, "ailed to open TCP connection to ", After),
    (Network, "connect to the endpoint URL: ", Quoted),
    (Network, "timeout on endpoint URL: ", Quoted),
    (Network, "onnectionPool(host=", Quoted),
    (Network, "getaddrinfo ENOTFOUND ", After),
    (Network, "getaddrinfo EAI_AGAIN ", After),
    (Network, "ECONNREFUSED ", After),
    (Network, "ailed to connect to ", After),
    (Network, "onnection to server at ", Quoted),
    (Network, "onnect to host ", After),
    (Network, "ould not connect to registry.", No),
    (Network, "rror 111 connecting to ", After),
    (Network, ": [Errno 111] Connection refused", Before),
    (Network, "onnection to server on socket ", Quoted),
    (Network, "onnect to local MySQL server through socket ", Quoted),
    (Network, "s the server running on host ", Quoted),
    (Network, "an't reach database server at ", Quoted),
    (Network, "ould not connect to Redis at ", After),
    (Network, "net::ERR_CONNECTION_REFUSED at ", After),
    (Network, "net::ERR_NAME_NOT_RESOLVED", No),
    (Network, "net::ERR_INTERNET_DISCONNECTED", No),
    (Network, "net::ERR_CONNECTION_TIMED_OUT", No),
    (Network, "net::ERR_ADDRESS_UNREACHABLE", No),
    (Network, "net::ERR_PROXY_", No),
    (Network, "net::ERR_TUNNEL_", No),
    (Network, "bad address '", Quoted),
    (Network, "onnection error.", No),
    (Network, "ECONNREFUSED", No),
    (Network, "onnection refused", No),
    (Reset, "ECONNRESET", No),
    (Reset, "onnection reset by peer", No),
    (Reset, "socket hang up", No),
    (Reset, "mpty reply from server", No),
    (Reset, "onnection was reset", No),
    (Reset, "net::ERR_CONNECTION_RESET", No),
    (Reset, "net::ERR_CONNECTION_CLOSED", No),
    (Reset, "net::ERR_EMPTY_RESPONSE", No),
    (Reset, "RPC failed; curl ", No),
    (Reset, "nexpected disconnect while reading", No),
    (Reset, "eer closed connection", No),
    (Reset, "onnection closed before message", No),
    (Network, "ETIMEDOUT", No),
    (Network, "ENOTFOUND", No),
    (Network, "EAI_AGAIN", No),
    (Network, "EHOSTUNREACH", No),
    (Network, "ENETUNREACH", No),
    (Network, "UND_ERR_CONNECT_TIMEOUT", No),
    (Network, "odename nor servname", No),
    (Network, "getaddrinfo failed", No),
    (Network, "o such host is known", No),
    (Network, "to lookup address information", No),
    (Network, "ll connection attempts failed", No),
    (Network, "ailed to establish a new connection", No),
    (Network, "ouldn't connect to server", No),
    (Network, "ould not connect to server", No),
    (Network, "onnect to the remote server", No),
    (Network, "actively refused", No),
    (Network, "ConnectTimeout", No),
    (Network, "onnect timed out", No),
    (Network, "waiting for connection (Client.Timeout", No),
    (Network, "urlopen error timed out", No),
    (Network, "related to network connectivity", No),
    (Network, "purious network error", No),
    (Network, "from proxy after CONNECT", No),
    (Network, "CONNECT tunnel failed", No),
    (Network, "unnel connection failed", No),
    (Network, "annot connect to proxy", No),
    (Network, "emporary failure in name resolution", No),
    (Network, "ame or service not known", No),
    (Network, "etwork is unreachable", No),
    (Network, "onnection timed out", No),
    (Network, "peration timed out", No),
    (Network, "rror sending request for url", No),
    (Network, "rror trying to connect", No),
    (Network, "ost is unreachable", No),
    (Network, "o route to host", No),
    (Network, "ead timed out", No),
    (Network, "fetch failed", No),
    (Reset, "erver disconnected", No),
    (Network, "UNEXPECTED_EOF_WHILE_READING", No),
    (Network, "APIConnectionError", No),
    (Network, "SSLError", No),
    (Network, "TLS handshake", No),
    (Reset, "RemoteDisconnected", No),
    (Reset, "onnection aborted", No),
    (Network, "roxy authentication required", No),
    (PortInUse, "EADDRINUSE", No),
    (PortInUse, "ddress already in use", No),
    (PortInUse, "ort is already allocated", No),
    (PortInUse, "ort is already in use", No),
    // The machine.
    (Error, "CUDA out of memory", No),
    (Memory, "heap out of memory", No),
    (Memory, "annot allocate memory", No),
    (Memory, "ut of memory", No),
    (Memory, "MemoryError", No),
    (Disk, "o space left on device", No),
    (Disk, "isk quota exceeded", No),
    (Locked, "index.lock", No),
    (Locked, "database is locked", No),
    (Locked, "ould not get lock", No),
    (Locked, "nother git process seems", No),
    (Locked, "nable to acquire lock", No),
    // Git.
    (Conflict, "CONFLICT (", No),
    (Conflict, "utomatic merge failed", No),
    (Conflict, "nmerged files", No),
    (Conflict, "needs merge", No),
    (Conflict, "ould not apply ", No),
    (Diverged, "ot possible to fast-forward", No),
    (Diverged, "ave divergent branches", No),
    (Diverged, "o reconcile divergent branches", No),
    (GitName, "nable to delete '", Quoted),
    (PushRejected, "[rejected]", No),
    (PushRejected, "[remote rejected]", No),
    (PushRejected, "rotected branch update failed", No),
    (PushRejected, "epository rule violations", No),
    (PushRejected, "ailed to push some refs", No),
    (PushRejected, "pdates were rejected", No),
    (Uncommitted, "would be overwritten by", No),
    (Uncommitted, "our local changes to the following", No),
    (Uncommitted, "ou have unstaged changes", No),
    (Uncommitted, "contains modified or untracked files", No),
    (Uncommitted, "commit your changes or stash them", No),
    (NothingToCommit, "othing to commit", No),
    (NothingToCommit, "o changes added to commit", No),
    (NothingToCommit, "othing added to commit", No),
    (Damaged, "invalid sha1 pointer", No),
    (Damaged, "fatal: unable to read ", No),
    (Damaged, "could not get object info", No),
    (Damaged, "object file is empty", No),
    (Damaged, "object file .git", No),
    (Damaged, "is corrupt", No),
    (Damaged, "index file corrupt", No),
    (Damaged, "bad tree object", No),
    (Damaged, "missing blob", No),
    (GitName, "athspec ", Quoted),
    (GitName, "nknown revision or path", No),
    (GitName, "mbiguous argument ", Quoted),
    (GitName, "ouldn't find remote ref ", After),
    (GitName, "ot a valid object name", Quoted),
    (GitName, "bad revision ", Quoted),
    (GitName, "nvalid reference: ", After),
    (GitName, "src refspec ", After),
    (Exists, "already exists", No),
    (Hook, "pre-commit hook", No),
    (Hook, "pre-push hook", No),
    (Hook, "commit-msg hook", No),
    (Hook, "hook exited with", No),
    (Hook, "husky - ", No),
    (Hook, "- hook id: ", No),
    (Hook, "files were modified by this hook", No),
    // The wrong folder comes before the missing path, which the same lines name.
    (Outside, "ot a git repository", No),
    (Outside, "ot in a git directory", No),
    (Folder, "an't cd to ", After),
    (Folder, "o.mod file not found", No),
    (Folder, "annot find main module", No),
    (Folder, "ould not find `Cargo.toml`", No),
    (Folder, "o configuration file provided", No),
    (Folder, "o targets specified and no makefile", No),
    (Folder, "o package.json", No),
    (Folder, "o package.json was found", No),
    (Folder, "ould not read package.json", No),
    (Folder, "o importer manifest found", No),
    (Folder, "ould not find a pyproject.toml", No),
    (Folder, "o pyproject.toml found", No),
    (Folder, "oes not contain a Gradle build", No),
    (Folder, "o POM in this directory", No),
    (Folder, "o Go files in ", After),
    (Folder, "Package.swift' cannot be accessed", No),
    (Folder, "ould not find Package.swift", No),
    (Folder, "o pubspec.yaml file found", No),
    (Folder, "ould not find a file named \"pubspec.yaml\"", No),
    (Folder, "ould not find a Mix.Project", No),
    (Folder, "ould not find a composer.json file", No),
    (Folder, "ould not locate Gemfile", No),
    (Folder, "ailed to read dockerfile: open Dockerfile", No),
    (Folder, "Chart.yaml file is missing", No),
    (Folder, "running the Angular CLI outside a workspace", No),
    (Folder, "o `Podfile' found", No),
    (Folder, "ile \"setup.py\" or \"setup.cfg\" not found", No),
    (Folder, "either 'setup.py' nor 'pyproject.toml'", No),
    (Folder, "pecify a project or solution file", No),
    (Folder, "o build.zig file found", No),
    (Folder, "ot appear to contain CMakeLists.txt", No),
    (Folder, "o Pulumi.yaml project file found", No),
    (Folder, "o cabal.project file or cabal file", No),
    (Folder, "nable to locate config file or config directory", No),
    (Folder, "directory prefix . does not contain", No),
    // Scripts and subcommands.
    (Script, "issing script: ", Quoted),
    (Script, "issing script ", Quoted),
    (Script, "cript not found ", Quoted),
    (Script, "ouldn't find a script named ", Quoted),
    (Error, ", needed by '", No),
    (Error, ", needed by `", No),
    (Script, "o rule to make target ", Quoted),
    (Script, "ERR_PNPM_NO_SCRIPT", No),
    (Script, "error Command \"", Quoted),
    (Script, "o task named ", Quoted),
    (Script, "o task ", Quoted),
    (Script, "ustfile does not contain recipe ", Quoted),
    (Subcommand, "o such command: ", Quoted),
    (Subcommand, "o such command ", Quoted),
    (Subcommand, "o such subcommand", Quoted),
    (Subcommand, "nrecognized subcommand ", Quoted),
    (Subcommand, "nknown subcommand", Quoted),
    (Subcommand, "nknown command ", Quoted),
    (Subcommand, "nknown command: ", Quoted),
    (Subcommand, " is not a git command", Before),
    (Subcommand, " is not a docker command", Before),
    (Subcommand, "nvalid choice: ", Quoted),
    // Options.
    (OptionRefused, "llegal option -- ", After),
    (OptionRefused, "nvalid option -- ", Quoted),
    (OptionRefused, "nvalid option: ", After),
    (OptionRefused, "nrecognized option ", Quoted),
    (OptionRefused, "nknown option ", Quoted),
    (OptionRefused, "nknown option: ", Quoted),
    (OptionRefused, "nrecognized arguments: ", After),
    (OptionRefused, "nrecognized argument: ", After),
    (OptionRefused, "nknown flag: ", After),
    (OptionRefused, "nknown shorthand flag: ", Quoted),
    (OptionRefused, "lag provided but not defined: ", After),
    (OptionRefused, "nexpected argument ", Quoted),
    (OptionRefused, "nknown argument: ", Quoted),
    (OptionRefused, "nknown argument ", Quoted),
    (OptionRefused, "o such option: ", After),
    (OptionRefused, "o such option ", Quoted),
    (OptionRefused, "bad option: ", After),
    (OptionRefused, "nknown arguments: ", After),
    (OptionRefused, "nknown JSON field: ", Quoted),
    (Argument, "oo many arguments for ", Quoted),
    (Argument, "nexpected extra argument", After),
    (Argument, "nexpected positional argument", Quoted),
    (Argument, "extra operand ", Quoted),
    // Versions.
    (Versions, "used to build golangci-lint is lower than", Version),
    (Versions, "requires a different Python", Version),
    (Versions, "is not supported by the project (", Version),
    (Versions, "is incompatible with the project's Python requirement", Version),
    (Versions, "ou are using Node.js ", Version),
    (Versions, "; you have ", Version),
    (Versions, "requires go >= ", Version),
    (Versions, "nsupported engine", Version),
    (Versions, "engine \"node\" is incompatible", Version),
    (Versions, "requires rustc ", Version),
    (Versions, "nsupported class file major version", Version),
    (Versions, "compiled with a different version", Version),
    (Versions, "was compiled against a different Node.js version", Version),
    (Versions, "ersion mismatch", Version),
    (Versions, "equires Node.js ", Version),
    (Versions, "is not supported by the following packages", Version),
    (Versions, "our Ruby version is ", Version),
    (Versions, "Not compatible with your version of node", No),
    (Versions, "does not satisfy that requirement", Version),
    // Programs and modules.
    (Module, "bundler: command not found: ", After),
    (Program, "rror: Failed to spawn: ", Quoted),
    (Program, "ommand not found: ", After),
    (Program, ": command not found", Before),
    (PosixRecipe, "xpected at this time", No),
    (Program, "CreateProcess(NULL, ", After),
    (Program, " is not recognized as", Before),
    (Program, ": executable file not found", Before),
    (Program, "ould not find executable ", Quoted),
    (Program, "' failed: No such file or directory", Before),
    (Program, " must be installed to ", Before),
    (Module, "o module named ", Quoted),
    (Module, "issing optional dependency ", Quoted),
    (Module, "odule not found \"", Quoted),
    (Module, " not found in current path", Before),
    (Module, "ou may need to install the ", After),
    (Module, "annot find module providing package ", After),
    (Module, "annot find module ", Quoted),
    (Module, "annot find package ", Quoted),
    (Module, "annot find type definition file for ", Quoted),
    (Module, "nresolved import ", Quoted),
    (Error, "an't find crate for `core`", No),
    (Error, "an't find crate for `std`", No),
    (Module, "an't find crate for ", Quoted),
    (Module, "o required module provides package ", After),
    (Module, " is not in std", Before),
    (Module, "issing go.sum entry for module providing package ", After),
    (Module, "annot load such file -- ", After),
    (Module, "ould not resolve \"", Quoted),
    (Module, "an't resolve '", Quoted),
    (Module, "o such module '", Quoted),
    (Module, "lassNotFoundException: ", After),
    (Module, "here is no package called ", Quoted),
    (Module, "ERR_MODULE_NOT_FOUND", No),
    (Module, "ackage(s) not found: ", After),
    (Module, ": cannot open shared object file", Before),
    (Module, "nable to resolve module ", Quoted),
    // Packages that no registry has.
    (Package, "o matching distribution found for ", After),
    (Package, "nable to locate package ", After),
    (Package, "o matching package named ", Quoted),
    (Package, "npm error 404  '", Quoted),
    (Package, "npm ERR! 404  '", Quoted),
    (Package, "o candidate version found for ", Quoted),
    (Package, "o available formula with the name ", Quoted),
    // Databases.
    (Schema, "nknown column '", Quoted),
    (Schema, "nknown database '", Quoted),
    (Schema, "nknown table '", Quoted),
    (Schema, "UndefinedColumn) column ", After),
    (Schema, "UndefinedTable) relation ", Quoted),
    (Schema, "o such table: ", After),
    (Schema, "o such column: ", After),
    (Schema, "ERROR:  column ", After),
    (Schema, "ERROR:  relation ", Quoted),
    (Schema, "ERROR: column ", After),
    (Schema, "ERROR: relation ", Quoted),
    (Schema, "ERROR 1146 (42S02)", No),
    // Another shell.
    (OtherShell, "ategoryInfo          : ParserError", No),
    (OtherShell, "is not a valid statement separator", No),
    // The shell.
    (Shell, "nexpected EOF while looking for matching", No),
    (Shell, "yntax error near unexpected token", No),
    (Shell, "yntax error: unexpected end of file", No),
    (Shell, "yntax error: unexpected \"(\"", No),
    (Shell, "parse error near", No),
    (Shell, "event not found", No),
    (Shell, "bad substitution", No),
    (Shell, "o matches found: ", After),
    (Shell, "cd: too many arguments", No),
    (Shell, "onditional binary operator expected", No),
    (Shell, "nary operator expected", No),
    (Shell, "unmatched \"", No),
    (Shell, "unmatched '", No),
    // Tests.
    (NoTests, "o tests ran", No),
    (NoTests, "NO TESTS RAN", No),
    (NoTests, "o tests found", No),
    (NoTests, "o test files found", No),
    (NoTests, "ollected 0 items", No),
    (NoTests, "id not match any tests", No),
    (NoTests, "o tests to run", No),
    (NoTests, " (unittest.loader._FailedTest)", Before),
    (NoTests, "file or directory not found: ", After),
    (NoTests, " deselected / 0 selected", No),
    // What wants to be seen or answered.
    (Terminal, "ould not open TTY", No),
    (Terminal, "/dev/tty", No),
    (Terminal, "input device is not a TTY", No),
    (Terminal, "stdin is not a t", No),
    (Terminal, "not a terminal", No),
    (Terminal, "Inappropriate ioctl for device", No),
    (Terminal, "terminal prompts disabled", No),
    (Terminal, "requires a TTY", No),
    (Terminal, "equires an interactive", No),
    (Terminal, "non-interactive mode", No),
    (Terminal, "evice not configured", No),
    (Terminal, "[y]es, [n]o", No),
    (Terminal, "EOF when reading a line", No),
    (Terminal, "the environment is non-interactive", No),
    (Terminal, "k to proceed? (y)", No),
    (Terminal, "onfirm with --yes", No),
    (Terminal, "cannot prompt ", No),
    (Terminal, "rompts can not be meaningfully answered", No),
    (Terminal, "User force closed the prompt", No),
    // Time.
    (Timeout, "ommand timed out", No),
    (Timeout, "imed out after", No),
    (Timeout, "panic: test timed out", No),
    (Timeout, "eadline exceeded", No),
    (Timeout, "TimeoutExpired", No),
    (Terminal, " terminal is required", No),
    (Terminal, "nteractive authentication is required", No),
    (Terminal, "a password is required", No),
    (Terminal, "nter password (will not be echoed)", No),
    (Terminal, "n an interactive terminal", No),
    // Files that Windows does not let go.
    (InUse, "being used by another process", No),
    (InUse, "EBUSY: resource busy or locked", No),
    (InUse, "EPERM: operation not permitted, rename", No),
    (InUse, "EPERM: operation not permitted, unlink", No),
    (InUse, "[WinError 32]", No),
    // Access and paths come last, because many other messages name a path.
    (Access, "equires superuser privilege", No),
    (Access, "must be run as root", No),
    (Access, "ou must be root", No),
    (Access, "ermission denied", No),
    (Access, "EACCES", No),
    (Access, "EPERM", No),
    (Access, "ccess is denied", No),
    (Access, "peration not permitted", No),
    (Access, "ead-only file system", No),
    (Path, "o such file or directory", No),
    (Path, "ile does not exist", No),
    (Path, "oes not exist", No),
    (Path, "ile not found", No),
    (Path, "ould not access '", Quoted),
    (Path, "annot find path", Quoted),
    (Path, "annot find or open ", After),
    (Path, "annot find the path", No),
    (Path, "ENOENT", No),
    (Path, "ileNotFoundError", No),
    (Path, "ot a directory", No),
    (Path, "no such file", No),
];

/// The rows of both tables: those of [`SENTENCES`], and behind them those of [`REMEDIES`], which have no cause of their own.
fn row(at: usize) -> (Cause, &'static str, Name) {
    let remedy = || REMEDIES.get(at.saturating_sub(SENTENCES.len())).map(|(_, part, _)| (Cause::Error, *part, No));
    SENTENCES.get(at).copied().or_else(remedy).unwrap_or((Cause::Error, "", No))
}

/// Both tables, by the first two bytes of the parts.
struct Index {
    /// Bit `h` is set if a part begins with two bytes of the hash `h`.
    begins: [u64; 16],
    /// Positions in the table, by that hash.
    rows: Vec<Vec<usize>>,
}

fn hash(first: u8, second: u8) -> usize {
    (usize::from(first) * 31 + usize::from(second)) & 1023
}

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index = Index { begins: [0; 16], rows: vec![Vec::new(); 1024] };
        let explains = |at: &usize| REMEDIES.get(at - SENTENCES.len()).is_some_and(|row| row.0 == Reach::Output);
        for at in (0..SENTENCES.len()).chain((SENTENCES.len()..SENTENCES.len() + REMEDIES.len()).filter(explains)) {
            let part = row(at).1.as_bytes();
            let slot = hash(part[0], part[1]);
            index.begins[slot >> 6] |= 1 << (slot & 63);
            index.rows[slot].push(at);
        }
        index
    })
}

/// The most specific known part of a line.
pub(crate) fn find(line: &str) -> Option<Match<'_>> {
    if let Some(name) = missing_in_sh(line) {
        return Some(Match { cause: Program, name, rank: 0 });
    }
    let (index, bytes) = (index(), line.as_bytes());
    let mut best: Option<(usize, usize)> = None;
    for (at, pair) in bytes.windows(2).enumerate() {
        let slot = hash(pair[0], pair[1]);
        if index.begins[slot >> 6] >> (slot & 63) & 1 == 0 {
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let found = index.rows[slot].iter().find(|at| rest.starts_with(row(**at).1.as_bytes()));
        // What a message names besides, such as a path, explains less than what is known of the message.
        let order = |at: usize| (row(at).0.is_general(), at);
        if let Some(row) = found.filter(|row| best.is_none_or(|(known, _)| order(**row) < order(known))) {
            best = Some((*row, at));
        }
    }
    let (rank, at) = best?;
    let (cause, part, place) = row(rank);
    let (before, after) = (line.get(..at).unwrap_or_default(), line.get(at + part.len()..).unwrap_or_default());
    let quotes_open = part.ends_with(['"', '\'']);
    let name = match place {
        No | Version => "",
        Before => last_word(before),
        After => first_word(after),
        Quoted if quotes_open => after.split(['"', '\'']).next().unwrap_or_default(),
        Quoted => quoted(after),
    };
    (place == No || place == Version || !name.is_empty()).then_some(Match { cause, name, rank })
}

/// The program that a POSIX shell does not find: `sh: 1: tsc: not found`. Elsewhere `: not found` may be said of anything.
fn missing_in_sh(line: &str) -> Option<&str> {
    let rest = line.trim().strip_suffix(": not found")?;
    let (shell, rest) = rest.split_once(": ")?;
    let is_shell = matches!(shell.rsplit('/').next(), Some("sh" | "dash" | "ash" | "ksh"));
    let name = rest.rsplit(": ").next().filter(|name| !name.is_empty() && !name.contains(' '))?;
    is_shell.then_some(name)
}

/// The version numbers of a line: the two that a message about versions compares.
pub(crate) fn versions(line: &str) -> Vec<&str> {
    // `x 0.3.0 cannot be built because it requires rustc 1.78 or newer, while 1.70 is active`
    let of = |text: &'_ str| numbers_of_versions(text).len() > 1;
    let line = line.split_once("equire").map(|(_, rest)| rest).filter(|rest| of(rest)).unwrap_or(line);
    let mut found = numbers_of_versions(line);
    found.truncate(2);
    found
}

/// The version numbers of a text, in its order.
fn numbers_of_versions(line: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let mut found: Vec<&str> = Vec::new();
    let mut before = ' ';
    for part in line.split_inclusive(|c: char| !is_part(c)) {
        let number = part.trim_end_matches(|c: char| !is_part(c)).trim_matches('.');
        // The version of the package that complains, as in `thing@3.0.0`, is not one of the two.
        let is_compared = number.contains('.') && before != '@' || matches!(before, '>' | '=' | '<' | '^' | '~');
        if is_compared && !number.is_empty() && number.len() <= 12 {
            found.push(number);
        }
        before = part.chars().next_back().unwrap_or(' ');
    }
    found.dedup();
    found
}

fn around(c: char) -> bool {
    matches!(
        c,
        '\'' | '"' | '`' | ',' | ';' | ':' | '(' | ')' | '[' | ']' | '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}'
    )
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default().trim_end_matches('.').trim_matches(around).trim_end_matches('.')
}

/// The last word with a letter: `bash: line 1: x: command not found`.
fn last_word(text: &str) -> &str {
    let words = text.rsplit([' ', ':']).map(|word| word.trim_matches(around));
    words.into_iter().find(|word| word.contains(char::is_alphabetic)).unwrap_or_default()
}

/// The first quoted text that begins with the text's first word, or else that word.
fn quoted(text: &str) -> &str {
    let text = text.trim_start();
    let Some(mark) = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`' | '\u{2018}')) else {
        return first_word(text);
    };
    // Old tools close a backtick with an apostrophe.
    let close = if mark == '\u{2018}' { '\u{2019}' } else { mark };
    let rest = text.get(mark.len_utf8()..).unwrap_or_default();
    rest.split(|c| c == close || (mark == '`' && c == '\'')).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_part_is_hidden_by_an_earlier_one() {
        for (at, (cause, part, _)) in SENTENCES.iter().enumerate() {
            let hides = SENTENCES.iter().take(at).find(|(other, known, _)| part.contains(known) && other != cause);
            assert_eq!(hides, None, "{part}");
        }
    }
}
