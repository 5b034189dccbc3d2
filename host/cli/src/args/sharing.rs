//! Arguments of the commands that share assets: `a2a` and `hub`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// What `a2a` sends, and to whom.
pub(super) const A2A_HELP: &str = "`--hub` names the hub; without it, A2A_HUB_URL does, or else `[hub] url` in your own \
config. Nothing is sent before you name one. Messages are signed with a key in your state folder, which also names your \
node.";

/// `a2a` …
#[derive(Debug, Subcommand)]
pub(crate) enum A2aCommand {
    /// Register your node at a hub, and show the code that binds it to a person
    Hello(HubArguments),
    /// Publish capsules of this project, each with its gene and its event
    Publish(PublishArguments),
    /// Search a hub, and import what is found as candidates
    Fetch(FetchArguments),
    /// Report to a hub whether an asset held or failed here
    Report(ReportAssetArguments),
    /// Accept, reject or quarantine an asset, if your node may
    Decision(DecisionArguments),
    /// Withdraw an asset that your node published, for good
    Revoke(RevokeArguments),
    /// Fetch what is new for this project's signals, once or every few hours
    Sync(SyncArguments),
    /// Show what this project published, in which state it is, and why
    Status(HubArguments),
    /// Run the recording of a capsule again, and report whether the same change comes out
    Validate(ValidateArguments),
    /// Check a message of the protocol in a file, without sending it
    Verify {
        /// A message as JSON; `-` is standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

/// The hub of a command.
#[derive(Debug, Args)]
pub(crate) struct HubArguments {
    /// Address of the hub; one on another machine is reached over https
    #[arg(long, value_name = "URL")]
    pub(crate) hub: Option<String>,
}

/// `a2a publish`.
#[derive(Debug, Args)]
pub(crate) struct PublishArguments {
    #[command(flatten)]
    pub(crate) hub: HubArguments,
    /// Capsules by their ids; without any, all that may be shared
    #[arg(value_name = "CAPSULE")]
    pub(crate) capsules: Vec<String>,
    /// Also send the recordings of the gene calls, with the files that the genes read, so that others can run them again
    #[arg(long, conflicts_with = "folder")]
    pub(crate) recording: bool,
    /// Write the messages into DIR/outbox, instead of sending them to a hub
    #[arg(long, value_name = "DIR", conflicts_with = "hub")]
    pub(crate) folder: Option<PathBuf>,
}

/// `a2a validate`.
#[derive(Debug, Args)]
pub(crate) struct ValidateArguments {
    #[command(flatten)]
    pub(crate) hub: HubArguments,
    /// The capsule (`sha256:…`)
    #[arg(value_name = "ASSET")]
    pub(crate) asset: String,
    /// Report nothing to the hub
    #[arg(long)]
    pub(crate) no_report: bool,
}

/// `a2a fetch`.
#[derive(Debug, Args)]
pub(crate) struct FetchArguments {
    #[command(flatten)]
    pub(crate) hub: HubArguments,
    /// Assets by their ids (`sha256:…`), without a search
    #[arg(value_name = "ASSET")]
    pub(crate) assets: Vec<String>,
    /// Only assets for this signal; repeat it for more
    #[arg(long = "signal", value_name = "SIGNAL")]
    pub(crate) signals: Vec<String>,
    /// Only assets of this type
    #[arg(long = "type", value_name = "TYPE", value_enum)]
    pub(crate) kind: Option<AssetKind>,
    /// At most N assets
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) limit: u8,
    /// Show what the hub has, and import nothing
    #[arg(long, conflicts_with = "assets")]
    pub(crate) search_only: bool,
    /// Read the messages in DIR/inbox, instead of asking a hub
    #[arg(long, value_name = "DIR", conflicts_with_all = ["hub", "assets", "signals", "kind", "search_only"])]
    pub(crate) folder: Option<PathBuf>,
}

/// The type of an asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AssetKind {
    /// Strategies.
    Gene,
    /// What applications of genes achieved.
    Capsule,
}

impl AssetKind {
    /// The word of the protocol.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Gene => "Gene",
            Self::Capsule => "Capsule",
        }
    }
}

/// `a2a report`.
#[derive(Debug, Args)]
pub(crate) struct ReportAssetArguments {
    #[command(flatten)]
    pub(crate) hub: HubArguments,
    /// The asset (`sha256:…`)
    #[arg(value_name = "ASSET")]
    pub(crate) asset: String,
    /// The asset held here
    #[arg(long, required_unless_present = "failed")]
    pub(crate) held: bool,
    /// The asset failed here
    #[arg(long, conflicts_with = "held")]
    pub(crate) failed: bool,
    /// A line of text for others
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
}

/// `a2a decision`.
#[derive(Debug, Args)]
pub(crate) struct DecisionArguments {
    #[command(flatten)]
    pub(crate) hub: HubArguments,
    /// The asset (`sha256:…`)
    #[arg(value_name = "ASSET")]
    pub(crate) asset: String,
    /// The decision
    #[arg(value_name = "DECISION", value_enum)]
    pub(crate) decision: Decision,
    /// The reason, for others
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: String,
}

/// A decision about an asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Decision {
    /// Offer it to every node.
    Accept,
    /// Do not offer it.
    Reject,
    /// Hold it back until another decision.
    Quarantine,
}

/// `a2a revoke`.
#[derive(Debug, Args)]
pub(crate) struct RevokeArguments {
    #[command(flatten)]
    pub(crate) hub: HubArguments,
    /// The asset (`sha256:…`)
    #[arg(value_name = "ASSET")]
    pub(crate) asset: String,
    /// The reason, for others
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: String,
}

/// `a2a sync`.
#[derive(Debug, Args)]
pub(crate) struct SyncArguments {
    #[command(flatten)]
    pub(crate) hub: HubArguments,
    /// Repeat every HOURS hours until interrupted
    #[arg(long, value_name = "HOURS", value_parser = clap::value_parser!(u16).range(1..=720))]
    pub(crate) every: Option<u16>,
    /// Also publish every capsule that may be shared
    #[arg(long)]
    pub(crate) publish: bool,
    /// At most N assets each time
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) limit: u8,
}

/// `hub` …
#[derive(Debug, Subcommand)]
pub(crate) enum HubCommand {
    /// Serve a hub until interrupted
    Serve(ServeArguments),
}

/// `hub serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// The SQLite database; made if it is missing
    #[arg(long, value_name = "FILE", default_value = "hub.db")]
    pub(crate) db: PathBuf,
    /// The folder of components and recordings; made if it is missing
    #[arg(long, value_name = "DIR", default_value = "hub-blobs")]
    pub(crate) blobs: PathBuf,
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4000")]
    pub(crate) listen: SocketAddr,
    /// The address at which others reach the hub, for the URLs that it shows
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// Refuse every call that changes something without the secret or the signature of a registered node
    #[arg(long)]
    pub(crate) require_auth: bool,
    /// A node whose decisions are final; repeat it for more
    #[arg(long = "operator", value_name = "NODE")]
    pub(crate) operators: Vec<String>,
    /// Trust every node that reaches the hub: for a network of your own
    #[arg(long)]
    pub(crate) team: bool,
}
