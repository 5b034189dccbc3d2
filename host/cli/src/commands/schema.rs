//! `gephost schema [KIND]`: the JSON Schema of a document, or the list of all kinds.

use std::fmt::Write as _;

use schemars::{JsonSchema, Schema};
use serde::Serialize;

use super::{
    a2a, apply, approvals, asset, autopilot, backtest, cache, cycle, doctor, gate, gene, help, hook, hub, init, log,
    memory, observe, policy, record, redact, replay, report, rollback, scan, state, status, trust,
};
use crate::args::SchemaArguments;
use crate::error::{ErrorPage, Failure};
use crate::exit_code::Exit;
use crate::jsonl::UnansweredLine;
use crate::output::Report;
use crate::page::{Page, schema_of, schema_of_page};
use crate::render::style::bold;

/// A kind of document that gephost prints.
struct Kind {
    /// Its name. A document of a whole command has the schema `gephost.NAME/1`.
    name: &'static str,
    /// What prints it.
    what: &'static str,
    /// Makes its JSON Schema.
    schema: fn() -> Schema,
}

const fn kind(name: &'static str, what: &'static str, schema: fn() -> Schema) -> Kind {
    Kind { name, what, schema }
}

/// All of them, by name.
const KINDS: &[Kind] = &[
    kind("a2a-fetch", "gephost a2a fetch", schema_of_page::<a2a::exchange::FetchPage>),
    kind("a2a-hello", "gephost a2a hello", schema_of_page::<a2a::HelloPage>),
    kind("a2a-message", "gephost a2a report, decision, revoke", schema_of_page::<a2a::messages::MessagePage>),
    kind("a2a-publish", "gephost a2a publish", schema_of_page::<a2a::exchange::PublishPage>),
    kind("a2a-status", "gephost a2a status", schema_of_page::<a2a::status::A2aStatusPage>),
    kind("a2a-sync", "gephost a2a sync", schema_of_page::<a2a::sync::SyncPage>),
    kind("a2a-validate", "gephost a2a validate", schema_of_page::<a2a::validate::ValidatePage>),
    kind("a2a-verify", "gephost a2a verify", schema_of_page::<a2a::verify::MessageCheckPage>),
    kind("apply", "gephost apply", schema_of_page::<apply::ApplyPage<'_>>),
    kind("approval", "gephost approve ID", schema_of_page::<approvals::ApprovalPage<'_>>),
    kind("asset-explain", "gephost asset explain", schema_of_page::<asset::AssetExplainPage>),
    kind("asset-export", "gephost asset export", schema_of_page::<asset::exchange::AssetExportPage>),
    kind("asset-id", "gephost asset id", schema_of_page::<asset::AssetIdPage>),
    kind("asset-id-line", "a line of gephost asset id --jsonl", schema_of::<asset::AssetIdAnswer>),
    kind("asset-import", "gephost asset import", schema_of_page::<asset::exchange::AssetImportPage>),
    kind("asset-line", "a line of gephost asset list --jsonl", schema_of::<asset::list::AssetLine>),
    kind("asset-list", "gephost asset list", schema_of_page::<asset::list::AssetListPage>),
    kind("asset-restore", "gephost asset import --restore", schema_of_page::<asset::exchange::AssetRestorePage>),
    kind("asset-verify", "gephost asset verify", schema_of_page::<asset::AssetVerifyPage>),
    kind("asset-verify-line", "a line of gephost asset verify --jsonl", schema_of::<asset::AssetVerifyAnswer>),
    kind("autopilot", "gephost autopilot", schema_of_page::<autopilot::AutopilotPage<'_>>),
    kind("backtest", "gephost backtest", schema_of_page::<backtest::BacktestPage<'_>>),
    kind("cache-prune", "gephost cache prune", schema_of_page::<cache::CachePrunePage>),
    kind("cache-verify", "gephost cache verify", schema_of_page::<cache::CacheVerifyPage>),
    kind("command", "gephost policy command", schema_of_page::<policy::CommandPage<'_>>),
    kind("command-line", "a line of gephost policy command --jsonl", schema_of::<policy::CommandAnswer>),
    kind("cycle", "gephost report ID", schema_of_page::<report::CyclePage<'_>>),
    kind("diagnosis", "gephost diagnose", schema_of_page::<cycle::DiagnosisPage<'_>>),
    kind("discover", "gephost observe --discover", schema_of_page::<observe::DiscoverPage>),
    kind("doctor", "gephost doctor", schema_of_page::<doctor::DoctorPage>),
    kind("error", "every command that fails", schema_of_page::<ErrorPage<'_>>),
    kind("error-line", "a line of --jsonl that cannot be answered", schema_of::<UnansweredLine>),
    kind("exit-codes", "gephost help exit-codes", schema_of_page::<help::ExitCodesPage>),
    kind("explain", "gephost policy explain", schema_of_page::<policy::ExplainPage<'_>>),
    kind("explain-line", "a line of gephost policy explain --jsonl", schema_of::<policy::PathAnswer>),
    kind("export", "gephost replay ID --export FILE", schema_of_page::<replay::ExportPage>),
    kind("gene", "gephost gene inspect", schema_of_page::<gene::GenePage<'_>>),
    kind("text-gene", "gephost gene inspect FILE.json", schema_of_page::<gene::TextGenePage<'_>>),
    kind("gene-add", "gephost gene add", schema_of_page::<gene::AddPage>),
    kind("gene-build", "gephost gene build", schema_of_page::<gene::author::GeneBuildPage>),
    kind("gene-check", "gephost gene check", schema_of_page::<gene::author::GeneCheckPage>),
    kind("gene-distill", "gephost gene distill", schema_of_page::<gene::DistillPage>),
    kind("gene-key", "gephost gene key", schema_of_page::<gene::KeyPage>),
    kind("gene-manifest", "gene.json, which the author of a gene writes", schema_of::<gene::author::GeneManifest>),
    kind("gene-new", "gephost gene new", schema_of_page::<gene::author::GeneNewPage>),
    kind("gene-pack", "gephost gene pack", schema_of_page::<gene::author::GenePackPage>),
    kind("gene-pull", "gephost gene pull", schema_of_page::<gene::PullPage>),
    kind("gene-push", "gephost gene push", schema_of_page::<gene::PushPage>),
    kind("gene-remove", "gephost gene remove", schema_of_page::<gene::RemovePage>),
    kind("gene-run", "gephost gene run", schema_of_page::<gene::author::GeneRunPage>),
    kind("gene-sign", "gephost gene sign", schema_of_page::<gene::SignPage>),
    kind("gene-test", "gephost gene test", schema_of_page::<gene::author::GeneTestPage>),
    kind("gene-verify", "gephost gene verify", schema_of_page::<gene::VerifyPage>),
    kind("gene-wit", "gephost gene wit", schema_of_page::<gene::author::GeneWitPage>),
    kind("genes", "gephost gene list", schema_of_page::<gene::GenesPage<'_>>),
    kind("help", "gephost help", schema_of_page::<help::HelpPage>),
    kind("hook", "gephost hook", schema_of_page::<hook::HookPage<'_>>),
    kind("hub-stopped", "gephost hub serve", schema_of_page::<hub::HubStoppedPage>),
    kind("init", "gephost init", schema_of_page::<init::InitPage<'_>>),
    kind("init-undo", "gephost init --undo", schema_of_page::<init::RemovedPage>),
    kind("log", "gephost log", schema_of_page::<log::LogPage<'_>>),
    kind("log-accept", "gephost log accept", schema_of_page::<log::AcceptPage>),
    kind("log-checkpoint", "gephost log checkpoint", schema_of_page::<log::checkpoint::CheckpointPage>),
    kind("log-graph", "gephost log graph", schema_of_page::<log::graph::GraphPage>),
    kind("log-growth", "gephost log prove --since FILE", schema_of_page::<log::proof::LogGrowthPage>),
    kind("log-proof", "gephost log prove N", schema_of_page::<log::proof::LogProofPage>),
    kind("log-verify", "gephost log verify", schema_of_page::<log::verify::VerifyPage>),
    kind("log-verify-proof", "gephost log verify-proof", schema_of_page::<log::proof::ProofCheckPage>),
    kind("memory", "gephost memory show", schema_of_page::<memory::MemoryPage>),
    kind("observe", "gephost observe", schema_of_page::<observe::ObservePage>),
    kind("observe-event", "gephost observe --event N", schema_of_page::<observe::EventPage>),
    kind("observe_change", "a line of gephost observe --watch --jsonl", schema_of_page::<observe::ChangePage<'_>>),
    kind("observe_otlp", "gephost observe --otlp", schema_of_page::<observe::ReceivedPage>),
    kind("observe_watch", "gephost observe --watch", schema_of_page::<observe::WatchPage>),
    kind("policy", "gephost policy check", schema_of_page::<policy::PolicyPage<'_>>),
    kind("promotion", "gephost policy promote", schema_of_page::<policy::PromotionPage>),
    kind("proposals", "gephost propose", schema_of_page::<cycle::ProposalsPage<'_>>),
    kind("queue", "gephost approve", schema_of_page::<approvals::QueuePage<'_>>),
    kind("record", "gephost record", schema_of_page::<record::RecordPage>),
    kind("recordings", "gephost replay --list", schema_of_page::<replay::RecordingsPage>),
    kind("redact-line", "a line of gephost redact --jsonl", schema_of::<redact::RedactAnswer>),
    kind("rejection", "gephost reject", schema_of_page::<approvals::RejectionPage>),
    kind("replay", "gephost replay ID", schema_of_page::<replay::ReplayPage>),
    kind("report", "gephost report", schema_of_page::<report::ReportPage<'_>>),
    kind("rollback", "gephost rollback, gephost undo", schema_of_page::<rollback::RollbackPage<'_>>),
    kind("run", "gephost run", schema_of_page::<cycle::RunPage<'_>>),
    kind("scan", "gephost scan", schema_of_page::<scan::ScanPage>),
    kind("scan-line", "a line of gephost scan --jsonl", schema_of::<scan::ScanAnswer>),
    kind("schemas", "gephost schema", schema_of_page::<SchemasPage>),
    kind("selection", "gephost select", schema_of_page::<cycle::SelectionPage<'_>>),
    kind("state-adopt", "gephost state adopt", schema_of_page::<state::AdoptPage>),
    kind("state-list", "gephost state list", schema_of_page::<state::StatesPage>),
    kind("state-remove", "gephost state remove", schema_of_page::<state::RemovePage>),
    kind("status", "gephost status", schema_of_page::<status::StatusPage<'_>>),
    kind("trust", "gephost trust", schema_of_page::<trust::TrustPage>),
    kind("verdict", "gephost gate", schema_of_page::<gate::VerdictPage>),
    kind("verdict-line", "a line of gephost gate --jsonl", schema_of::<gate::VerdictAnswer>),
    kind("worker", "gephost worker", schema_of_page::<backtest::WorkerPage>),
];

pub(super) fn run(arguments: &SchemaArguments) -> Result<Report, Failure> {
    let Some(asked) = &arguments.kind else {
        let kinds = KINDS.iter().map(|kind| KindRow { kind: kind.name, what: kind.what }).collect();
        return Ok(Report::of(&SchemasPage { kinds }));
    };
    let short = asked.strip_prefix("gephost.").and_then(|rest| rest.strip_suffix("/1")).unwrap_or(asked);
    let kind = KINDS.iter().find(|kind| kind.name == short).ok_or_else(|| {
        Failure::new(Exit::Usage, "unknown_kind", format!("there is no document of the kind `{asked}`"))
            .hint("`gephost schema` lists the kinds")
    })?;
    let document = (kind.schema)().to_value();
    Ok(Report { exit: Exit::Done, text: crate::output::pretty(&document), document })
}

/// The kinds of documents.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SchemasPage {
    /// Every kind, by name.
    kinds: Vec<KindRow>,
}

/// A kind of document.
#[derive(Debug, Serialize, JsonSchema)]
struct KindRow {
    /// Its name, an argument of `gephost schema`.
    kind: &'static str,
    /// What prints it.
    what: &'static str,
}

impl Page for SchemasPage {
    const KIND: &'static str = "schemas";

    fn text(&self) -> String {
        let mut text = String::new();
        for KindRow { kind, what } in &self.kinds {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{}  {what}", bold(format!("{kind:<18}")));
        }
        text
    }
}
