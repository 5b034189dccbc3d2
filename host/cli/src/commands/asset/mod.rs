//! `gephost asset`: ids of GEP assets (RFC 8785 and SHA-256), usable alone; and the assets folder of a project.

mod comparison;
pub(crate) mod exchange;
pub(crate) mod list;

use std::fmt::Write as _;
use std::path::Path;

use gephost_core::digest::{self, MAX_ASSET_BYTES, Origin, Verification};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::args::{AssetArguments, AssetCommand};
use crate::context::read_input;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::jsonl::Unanswered;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::printable;
use comparison::Comparison;

pub(super) fn run(environment: &Environment, command: &AssetCommand) -> Result<Report, Failure> {
    match command {
        AssetCommand::Id(arguments) => id(environment, arguments),
        AssetCommand::Verify(arguments) => verify(environment, arguments),
        AssetCommand::Explain { file } => explain(environment, file),
        AssetCommand::List { jsonl } => list::run(environment, *jsonl),
        AssetCommand::Export { file, name } => exchange::export(environment, file, name.as_deref()),
        AssetCommand::Import { file, restore: true, .. } => exchange::restore(environment, file),
        AssetCommand::Import { file, source, .. } => exchange::import(environment, file, source.as_deref()),
    }
}

fn id(environment: &Environment, arguments: &AssetArguments) -> Result<Report, Failure> {
    if arguments.jsonl {
        return lines(environment, arguments, |asset| {
            let asset_id = digest::asset_id(&asset)?;
            Ok(AssetIdAnswer { id: asset.get("id").cloned(), asset_id })
        });
    }
    let mut assets = Vec::new();
    for file in &arguments.files {
        let asset = read_asset(environment, file)?;
        let asset_id = digest::asset_id(&asset).map_err(|error| refused(file, &error))?;
        assets.push(AssetRow { path: file.display().to_string(), asset_id });
    }
    Ok(Report::of(&AssetIdPage { assets }))
}

/// An answer of `gephost asset id --jsonl`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AssetIdAnswer {
    /// The member `id` of the asset.
    id: Option<Value>,
    /// `sha256:` and 64 hexadecimal digits.
    asset_id: String,
}

/// An answer of `gephost asset verify --jsonl`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AssetVerifyAnswer {
    /// The member `id` of the asset.
    id: Option<Value>,
    result: Comparison,
    /// The id that it states.
    stated: Option<String>,
    /// The id of its content.
    computed: String,
}

/// Answers each line of a file with what `answer` makes of the asset on it.
fn lines<A: Serialize>(
    environment: &Environment,
    arguments: &AssetArguments,
    mut answer: impl FnMut(Value) -> Result<A, digest::DigestError>,
) -> Result<Report, Failure> {
    let [file] = arguments.files.as_slice() else {
        return Err(Failure::new(Exit::Usage, "usage", "--jsonl reads one file, or standard input"));
    };
    crate::commands::lines::answer_lines(environment, file, MAX_ASSET_BYTES, |line| {
        let asset = digest::read_value(line.as_bytes(), MAX_ASSET_BYTES)
            .map_err(|error| Unanswered::new(None, "asset_refused", error.to_string()))?;
        let id = asset.get("id").cloned();
        answer(asset).map_err(|error| Unanswered::new(id, "asset_refused", error.to_string()))
    })
}

/// The ids of assets.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AssetIdPage {
    /// One for each file, in order.
    assets: Vec<AssetRow>,
}

/// An asset and its id.
#[derive(Debug, Serialize, JsonSchema)]
struct AssetRow {
    /// Its file.
    path: String,
    /// `sha256:` and 64 hexadecimal digits.
    asset_id: String,
}

impl Page for AssetIdPage {
    const KIND: &'static str = "asset-id";

    fn text(&self) -> String {
        if let [asset] = self.assets.as_slice() {
            return format!("{}\n", asset.asset_id);
        }
        let mut text = String::new();
        for AssetRow { path, asset_id } in &self.assets {
            let _ = writeln!(text, "{asset_id}  {path}");
        }
        text
    }
}

fn verify(environment: &Environment, arguments: &AssetArguments) -> Result<Report, Failure> {
    if arguments.jsonl {
        let mut all_match = true;
        let report = lines(environment, arguments, |asset| {
            let Compared { result, stated, computed } = compare(&asset)?;
            all_match &= result == Comparison::Match;
            Ok(AssetVerifyAnswer { id: asset.get("id").cloned(), result, stated, computed })
        })?;
        return Ok(Report { exit: if all_match { Exit::Done } else { Exit::Failed }, ..report });
    }
    let mut assets = Vec::new();
    for file in &arguments.files {
        let asset = read_asset(environment, file)?;
        let Compared { result, stated, computed } = compare(&asset).map_err(|error| refused(file, &error))?;
        assets.push(VerifiedAsset { path: file.display().to_string(), result, stated, computed });
    }
    Ok(Report::of(&AssetVerifyPage { assets }))
}

/// What comparing an asset's ids gives.
struct Compared {
    result: Comparison,
    stated: Option<String>,
    computed: String,
}

fn compare(asset: &Value) -> Result<Compared, digest::DigestError> {
    Ok(match digest::verify(asset)? {
        Verification::Match => {
            let stated = asset.get("asset_id").and_then(Value::as_str).unwrap_or_default().to_owned();
            Compared { result: Comparison::Match, stated: Some(stated.clone()), computed: stated }
        }
        Verification::Mismatch { stated, computed } => {
            Compared { result: Comparison::Mismatch, stated: Some(stated), computed }
        }
        Verification::Missing { computed } => Compared { result: Comparison::Missing, stated: None, computed },
    })
}

fn explain(environment: &Environment, file: &Path) -> Result<Report, Failure> {
    let asset = read_asset(environment, file)?;
    let Compared { result, stated, computed } = compare(&asset).map_err(|error| refused(file, &error))?;
    let none = Map::new();
    let members = asset.as_object().unwrap_or(&none);
    let canonical = digest::unsigned_text(members).map_err(|error| refused(file, &error))?;
    let origin = match (&result, &stated) {
        (Comparison::Mismatch, Some(stated)) => {
            digest::origin(members, stated).map_err(|error| refused(file, &error))?
        }
        _ => None,
    };
    Ok(Report::of(&AssetExplainPage {
        path: file.display().to_string(),
        result,
        stated,
        computed,
        left_out: digest::UNHASHED.into_iter().filter(|key| members.contains_key(*key)).collect(),
        bytes: canonical.len(),
        canonical: String::from_utf8_lossy(&canonical).into_owned(),
        origin,
    }))
}

/// What the id of an asset is computed from.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AssetExplainPage {
    /// Its file.
    path: String,
    result: Comparison,
    /// The id that it states.
    stated: Option<String>,
    /// The id of its content.
    computed: String,
    /// Members that it has and that are not hashed.
    left_out: Vec<&'static str>,
    /// Bytes that are hashed.
    bytes: usize,
    /// The text that is hashed (RFC 8785).
    canonical: String,
    /// How the stated id comes about, if it is wrong and that is known.
    origin: Option<Origin>,
}

impl Page for AssetExplainPage {
    const KIND: &'static str = "asset-explain";

    fn text(&self) -> String {
        let row = VerifiedAsset {
            path: self.path.clone(),
            result: self.result,
            stated: self.stated.clone(),
            computed: self.computed.clone(),
        };
        let mut text = row.text();
        if self.result == Comparison::Mismatch {
            let unknown = "No known way of hashing gives the stated id: a value was changed after hashing, or the id \
                           belongs to another asset.";
            let why = self.origin.as_ref().map_or_else(|| unknown.to_owned(), Origin::sentence);
            let _ = writeln!(text, "{}", printable(&why));
        }
        let _ = write!(text, "hashed: {} bytes of canonical JSON", self.bytes);
        for key in &self.left_out {
            let _ = write!(text, ", without `{key}`");
        }
        text.push('\n');
        let _ = writeln!(text, "{}", printable(&self.canonical));
        text
    }

    fn exit(&self) -> Exit {
        if self.result == Comparison::Match { Exit::Done } else { Exit::Failed }
    }
}

/// Assets, and whether their ids are right.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AssetVerifyPage {
    /// One for each file, in order.
    assets: Vec<VerifiedAsset>,
}

/// An asset whose id was compared.
#[derive(Debug, Serialize, JsonSchema)]
struct VerifiedAsset {
    /// Its file.
    path: String,
    result: Comparison,
    /// The id that it states.
    stated: Option<String>,
    /// The id of its content.
    computed: String,
}

impl VerifiedAsset {
    fn text(&self) -> String {
        let Self { path, result, stated, computed } = self;
        let stated = printable(stated.as_deref().unwrap_or_default());
        match result {
            Comparison::Match => format!("{path}: match {computed}\n"),
            Comparison::Mismatch => format!("{path}: MISMATCH\n  stated   {stated}\n  computed {computed}\n"),
            Comparison::Missing => format!("{path}: states no asset_id\n  computed {computed}\n"),
        }
    }
}

impl Page for AssetVerifyPage {
    const KIND: &'static str = "asset-verify";

    fn text(&self) -> String {
        self.assets.iter().map(VerifiedAsset::text).collect()
    }

    fn exit(&self) -> Exit {
        let all_match = self.assets.iter().all(|asset| asset.result == Comparison::Match);
        if all_match { Exit::Done } else { Exit::Failed }
    }
}

fn read_asset(environment: &Environment, file: &std::path::Path) -> Result<Value, Failure> {
    let bytes = read_input(environment, file, digest::MAX_ASSET_BYTES as u64)?;
    digest::read_value(&bytes, digest::MAX_ASSET_BYTES).map_err(|error| refused(file, &error))
}

fn refused(file: &std::path::Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::new(Exit::Usage, "asset_refused", format!("{}: {error}", file.display()))
        .hint("an asset is one JSON object, without duplicate keys, lone surrogates or numbers out of range")
}
