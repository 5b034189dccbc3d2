//! `gephost gene add|remove|pull|push`: components from elsewhere, and to elsewhere.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use gephost_app::Project;
use gephost_app::components::{Added, PushedGene, reference};
use gephost_app::vouching::envelope_path;
use gephost_core::component::lock::LOCK_FILE;
use gephost_core::gene::{Capability, World};
use gephost_core::grant::Grant;
use gephost_core::recording::Digest;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::{AddArguments, PullArguments, PushArguments};
use crate::context::{write_new, write_new_bytes};
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::page::Page;
use crate::render::signature::SignatureRow;
use crate::render::style::{bad, bold, dim, good, grouped, note, printable};

pub(super) fn add(environment: &Environment, arguments: &AddArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let added = project.add_gene(&reference(&arguments.reference)?, arguments.accept)?;
    let grant = project.config.grants.of(added.manifest.id());
    Ok(Report::of(&AddPage::of(&added, &grant, &arguments.reference)))
}

pub(super) fn remove(environment: &Environment, id: &str) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let source = project.gene_lock()?.get(id).map(|pin| pin.source.clone());
    if !project.remove_gene(id)? {
        let failure = Failure::new(
            Exit::Usage,
            "gene_not_added",
            format!("{id} was not added, and {LOCK_FILE} has no pin of it"),
        );
        return Err(failure.hint("`gephost gene list` shows the genes that were added"));
    }
    Ok(Report::of(&RemovePage { id: id.to_owned(), source }))
}

pub(super) fn pull(environment: &Environment, arguments: &PullArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let pulled = project.pull_gene(&reference(&arguments.reference)?)?;
    let output = arguments.output.clone().unwrap_or_else(|| PathBuf::from(format!("{}.wasm", pulled.gene)));
    let file = write_new_bytes(environment, &output, &pulled.bytes)?;
    let envelope = match &pulled.envelope {
        Some(bytes) => {
            let text = String::from_utf8_lossy(bytes);
            Some(write_new(environment, &envelope_path(&output), &text)?)
        }
        None => None,
    };
    Ok(Report::of(&PullPage {
        gene: pulled.gene,
        digest: pulled.digest,
        source: pulled.source,
        signature: SignatureRow::of(&pulled.signature),
        file,
        envelope,
    }))
}

pub(super) fn push(environment: &Environment, arguments: &PushArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let pushed = project.push_gene(Path::new(&arguments.file), &reference(&arguments.reference)?)?;
    let PushedGene { gene, digest, source, signature, with_envelope } = pushed;
    let signature = SignatureRow::of(&signature);
    Ok(Report::of(&PushPage { gene, digest, source, signature, with_envelope }))
}

/// A component that was added, or that waits for a yes.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AddPage {
    /// The gene's id.
    id: String,
    /// What it is for, in its own words.
    summary: Option<String>,
    world: World,
    /// Digest of the component.
    digest: Digest,
    /// Bytes of the component.
    size: u64,
    /// The reference that is pinned.
    source: String,
    /// Who vouches for it.
    signature: SignatureRow,
    /// The capabilities that it requests, and whether the config of this project grants each.
    capabilities: Vec<CapabilityRow>,
    /// What stood under this id before; null if nothing did.
    earlier: Option<EarlierRow>,
    /// In what it goes beyond that.
    wider: Vec<String>,
    /// Whether it was added. If not, nothing was changed.
    added: bool,
    #[serde(skip)]
    again: String,
}

/// A capability that a component requests.
#[derive(Debug, Serialize, JsonSchema)]
struct CapabilityRow {
    capability: Capability,
    /// Whether the config grants it. Adding a gene changes no grant.
    granted: bool,
}

/// What stood under an id before.
#[derive(Debug, Serialize, JsonSchema)]
struct EarlierRow {
    /// Digest of the component.
    digest: Digest,
    world: World,
    /// The capabilities that it requests.
    capabilities: BTreeSet<Capability>,
    /// Whether you had added it. If not, this is what `gephost.lock` says.
    was_added: bool,
}

impl AddPage {
    fn of(added: &Added, grant: &Grant, spelled: &str) -> Self {
        let manifest = &added.manifest;
        let granted = grant.capabilities();
        let row =
            |capability: &Capability| CapabilityRow { capability: *capability, granted: granted.contains(capability) };
        Self {
            id: manifest.id().to_owned(),
            summary: manifest.gene.summary.clone(),
            world: manifest.world,
            digest: added.digest,
            size: added.size,
            source: added.source.clone(),
            signature: SignatureRow::of(&added.signature),
            capabilities: manifest.capabilities.iter().map(row).collect(),
            earlier: added.earlier.as_ref().map(|earlier| EarlierRow {
                digest: earlier.digest,
                world: earlier.asks.world,
                capabilities: earlier.asks.capabilities.clone(),
                was_added: earlier.was_added,
            }),
            wider: added.wider.clone(),
            added: added.added,
            again: spelled.to_owned(),
        }
    }

    fn asks(&self) -> String {
        let one = |row: &CapabilityRow| {
            let granted = if row.granted { good("granted here") } else { bad("not granted here") };
            format!("{} {granted}", row.capability)
        };
        let rows: Vec<String> = self.capabilities.iter().map(one).collect();
        if rows.is_empty() { "nothing".to_owned() } else { rows.join(", ") }
    }
}

impl Page for AddPage {
    const KIND: &'static str = "gene-add";

    fn text(&self) -> String {
        let mut text = String::new();
        let mut row = |title: &str, value: &str| {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{}  {value}", bold(format!("{title:<9}")));
        };
        row("Gene", &format!("{}  {}", self.id, dim(format!("world {}", self.world))));
        if let Some(summary) = &self.summary {
            row("", &printable(summary));
        }
        row("Source", &printable(&self.source));
        row("Digest", &format!("{}  {}", self.digest, dim(format!("{} bytes", grouped(self.size)))));
        row("Signature", &self.signature.text());
        row("Asks for", &self.asks());
        if let Some(earlier) = self.earlier.as_ref().filter(|earlier| earlier.digest != self.digest) {
            let whose = if earlier.was_added { "you had added" } else { "gephost.lock had" };
            row("Before", &format!("{}  {}", earlier.digest, dim(whose)));
        }
        for wider in &self.wider {
            row("", &note(format!("it {wider}")));
        }
        let id = &self.id;
        if self.added {
            let _ = writeln!(
                text,
                "{} It runs in this clone, with what the config grants. {LOCK_FILE} pins it.",
                good("Added.")
            );
            let _ = writeln!(text, "Undo: gephost gene remove {id}");
        } else {
            let _ = writeln!(text, "{} Nothing was changed.", bad("Not added: this version asks for more."));
            let _ = writeln!(text, "To add it: gephost gene add --accept {}", printable(&self.again));
        }
        text
    }

    fn exit(&self) -> Exit {
        if self.added { Exit::Done } else { Exit::Waits }
    }
}

/// A gene that was removed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RemovePage {
    /// The gene's id.
    id: String,
    /// Where it had been added from; null if it was not pinned.
    source: Option<String>,
}

impl Page for RemovePage {
    const KIND: &'static str = "gene-remove";

    fn text(&self) -> String {
        let undo = self.source.as_ref().map(|source| format!(" Undo: gephost gene add {}", printable(source)));
        format!("Removed {}.{}\n", self.id, undo.unwrap_or_default())
    }
}

/// A component that was pulled.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PullPage {
    /// The gene's id.
    gene: String,
    /// Digest of the component.
    digest: Digest,
    /// A reference that leads to exactly this component.
    source: String,
    /// Who vouches for it.
    signature: SignatureRow,
    /// The file that was written.
    file: String,
    /// The file with its envelope; null if it has none.
    envelope: Option<String>,
}

impl Page for PullPage {
    const KIND: &'static str = "gene-pull";

    fn text(&self) -> String {
        let files = [Some(&self.file), self.envelope.as_ref()].into_iter().flatten();
        let files = files.map(|file| printable(file)).collect::<Vec<_>>().join(" ");
        let head = format!("{}  {}", bold(&self.gene), self.signature.text());
        format!("{head}\n{}\nWrote {files}. Undo: rm {files}\n", dim(format!("{} from {}", self.digest, self.source)))
    }
}

/// A component that was pushed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PushPage {
    /// The gene's id.
    gene: String,
    /// Digest of the component.
    digest: Digest,
    /// A reference that leads to exactly this component.
    source: String,
    /// Who vouches for it, as you see it.
    signature: SignatureRow,
    /// Whether the envelope beside the file was pushed too.
    with_envelope: bool,
}

impl Page for PushPage {
    const KIND: &'static str = "gene-push";

    fn text(&self) -> String {
        let head = format!("{} {}  {}", good("Pushed"), bold(&self.gene), self.signature.text());
        format!("{head}\n{}\nOthers add it with: gephost gene add {}\n", dim(self.digest), self.source)
    }
}
