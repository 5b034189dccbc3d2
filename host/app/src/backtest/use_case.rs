//! The use cases: a backtest, and a worker for backtests of others.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use gephost_core::backtest::{Cell, CellEnd, Rates, Reached, rates};
use gephost_core::contest::at_once;
use gephost_core::digest::sha256_hex;
use gephost_core::gene::Capability;
use gephost_queue::{Added, Bounds, End, JobQueue, LocalQueue, open};
use gephost_runner::bundled::BUNDLED;
use gephost_runner::monotonic;
use gephost_runner::sandbox::Gene;
use gephost_runner::validate::free_memory;
use jiff::Timestamp;

use super::cells::{model_of, pasts};
use super::memo::Memo;
use super::work::{WorkOptions, Worked, Worker, queue_failed, work_side_by_side};
use crate::environment::Environment;
use crate::error::{AppError, ErrorKind};
use crate::genes::genes_of;
use crate::project::Project;
use crate::sink::Note;

/// How often results are looked for.
const TICK: Duration = Duration::from_millis(100);

/// Which genes are tried, and on which past.
#[derive(Debug, Clone)]
pub struct BacktestOptions {
    /// Files of genes, or ids of bundled ones.
    pub genes: Vec<String>,
    /// Findings of events since then.
    pub since: Timestamp,
    /// Folders of projects; without any, the project itself.
    pub repos: Vec<PathBuf>,
    /// Whether outcomes that are known from earlier backtests are computed again.
    pub anew: bool,
    /// The queue whose workers carry the cells out; without it, threads of this process do.
    pub queue: Option<String>,
}

/// What a backtest came to.
#[derive(Debug)]
pub struct BacktestReport {
    /// For each gene, in the order of the request.
    pub genes: Vec<GeneReport>,
    /// Findings that were tried on every gene.
    pub findings: u64,
    /// Cells whose outcome was known.
    pub remembered: u64,
}

/// What one gene came to.
#[derive(Debug)]
pub struct GeneReport {
    /// As it was named.
    pub gene: String,
    /// SHA-256 of its bytes.
    pub digest: String,
    /// How many cells were fixed, improved and so on, with the shares.
    pub rates: Rates,
    /// What the gene did on each finding of the past.
    pub cells: Vec<CellReport>,
}

/// What one gene came to on one finding.
#[derive(Debug)]
pub struct CellReport {
    /// The folder of the project whose finding it is.
    pub project: PathBuf,
    /// Id of the finding.
    pub finding: String,
    /// The finding's title.
    pub title: String,
    /// When it was last seen.
    pub at: Timestamp,
    /// The commit of that time.
    pub base: String,
    /// Whether even that commit, the oldest, is newer than the finding.
    pub is_newer: bool,
    /// How far the gene came; `None` if every attempt to find out failed, with why in the detail.
    pub reached: Option<Reached>,
    /// Why no further, or what held.
    pub detail: String,
    /// Milliseconds of wall time.
    pub wall_ms: u64,
}

/// A gene that is tried.
struct TriedGene {
    /// As it was named.
    name: String,
    /// SHA-256 of its bytes.
    digest: String,
    bytes: Vec<u8>,
    /// Whether it may ask a model.
    asks_model: bool,
}

/// A cell that is asked for, or known.
struct Row {
    gene: usize,
    project: PathBuf,
    title: String,
    at: Timestamp,
    is_newer: bool,
    cell: Cell,
    key: String,
    end: Option<CellEnd>,
    reason: String,
}

impl Project {
    /// Tries genes on the findings of the past.
    pub fn backtest(&self, options: &BacktestOptions) -> Result<BacktestReport, AppError> {
        self.check_stops(None)?;
        let queue = options.queue.as_deref().map(|url| self.queue(url)).transpose()?;
        let repos = if options.repos.is_empty() { vec![self.root.clone()] } else { options.repos.clone() };
        let genes = self.tried_genes(&options.genes)?;
        let memo = Memo::new(&self.environment.user_folders().cache);
        let mut blobs: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let mut rows = Vec::new();
        let mut findings = 0;
        for repo in &repos {
            let project = self.sibling(repo)?;
            let found = pasts(&project, options.since)?;
            findings += found.pasts.len() as u64;
            let model = model_of(&project)?;
            for past in &found.pasts {
                for (number, gene) in genes.iter().enumerate() {
                    let model = gene.asks_model.then(|| model.clone());
                    let cell = Cell { gene: gene.digest.clone(), model, ..past.cell.clone() };
                    let key = cell.key().map_err(|error| AppError::failed("backtest", error))?;
                    let end = if options.anew { None } else { memo.known(&key) };
                    let (project, title) = (project.root.clone(), past.title.clone());
                    rows.push(Row {
                        gene: number,
                        project,
                        title,
                        at: past.at,
                        is_newer: past.is_newer,
                        cell,
                        key,
                        end,
                        reason: String::new(),
                    });
                }
            }
            blobs.extend(found.events);
        }
        let remembered = rows.iter().filter(|row| row.end.is_some()).count() as u64;
        for gene in &genes {
            blobs.insert(gene.digest.clone(), gene.bytes.clone());
        }
        let open = rows.iter().filter(|row| row.end.is_none()).count();
        if open > 0 {
            self.environment.sink.note(Note::Step(&format!("trying {open} of {} cells", rows.len())));
            match queue {
                None => self.in_threads(&repos, &blobs, &mut rows)?,
                Some(queue) => self.by_workers(queue.as_ref(), &blobs, &mut rows)?,
            }
            for row in &rows {
                if let Some(end) = row.end.as_ref().filter(|end| end.reached.is_final()) {
                    memo.keep(&row.key, end);
                }
            }
            memo.prune();
        }
        Ok(report(&genes, rows, findings, remembered))
    }

    /// Works on the backtests of others, in clones that the options name, until interrupted or, if asked for, the queue is
    /// empty.
    pub fn work(&self, url: &str, options: &WorkOptions) -> Result<Worked, AppError> {
        self.check_stops(None)?;
        let (queue, bounds) = (self.queue(url)?, Bounds::default());
        let repos = if options.repos.is_empty() { vec![self.root.clone()] } else { options.repos.clone() };
        let (options, stop) = (WorkOptions { repos, ..options.clone() }, AtomicBool::new(false));
        let queue = queue.as_ref();
        let worker = Worker { environment: &self.environment, queue, bounds, options: &options, stop: &stop };
        work_side_by_side(&worker, self.threads())
    }

    /// The queue that the operator named. It is on the network, or may be.
    fn queue(&self, url: &str) -> Result<Box<dyn JobQueue>, AppError> {
        if self.environment.offline {
            let message = "`--offline` is given, and a queue is reached over the network";
            return Err(AppError::new(ErrorKind::Usage, "offline", message));
        }
        open(url, Bounds::default()).map_err(queue_failed)
    }

    /// How many cells are carried out at once.
    fn threads(&self) -> usize {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        at_once(cores, free_memory(), self.config.file.validation.parallel).get()
    }

    /// Another project of the same user, or this one again.
    fn sibling(&self, repo: &Path) -> Result<Self, AppError> {
        let directory = self.environment.resolve(repo);
        Self::open_quietly(&Environment { directory, ..self.environment.clone() })
    }

    /// The genes that are named.
    fn tried_genes(&self, names: &[String]) -> Result<Vec<TriedGene>, AppError> {
        let (vouching, mut genes) = (self.vouching()?, Vec::new());
        for name in names {
            let bytes = if let Some(bundled) = BUNDLED.iter().find(|bundled| bundled.id == name) {
                bundled.bytes.to_vec()
            } else {
                let file = self.gene_named(&vouching, Path::new(name))?;
                vouching.admit(Path::new(name), &file.signature)?;
                file.bytes
            };
            // Before anything is tried: whether it is a gene at all, and one that proposes.
            let loaded = genes_of(&self.sandbox()?, &bytes)?;
            let proposes = loaded.texts.is_some() || loaded.all.iter().any(|gene| gene.manifest().world.proposes());
            if !proposes {
                let message = format!("gene {name} only diagnoses: a backtest tries genes that propose");
                return Err(AppError::new(ErrorKind::Usage, "gene_refused", message));
            }
            let asks = |gene: &Gene| gene.manifest().capabilities.contains(&Capability::Completion);
            let asks_model = loaded.texts.is_some() || loaded.all.iter().any(asks);
            genes.push(TriedGene { name: name.clone(), digest: sha256_hex(&bytes), bytes, asks_model });
        }
        Ok(genes)
    }

    /// Carries out the open cells in threads of this process.
    fn in_threads(
        &self,
        repos: &[PathBuf],
        blobs: &BTreeMap<String, Vec<u8>>,
        rows: &mut [Row],
    ) -> Result<(), AppError> {
        let bounds = Bounds { open: usize::MAX, attempts: 1, ..Bounds::default() };
        let queue = LocalQueue::new(bounds, monotonic::now);
        self.fill(&queue, blobs, rows)?;
        // What the operator recorded here may run here.
        let options = WorkOptions { repos: repos.to_vec(), recorded: true, vouched: true, until_empty: true };
        let stop = AtomicBool::new(false);
        let worker = Worker { environment: &self.environment, queue: &queue, bounds, options: &options, stop: &stop };
        work_side_by_side(&worker, self.threads())?;
        self.check_stops(None)?;
        collect(&queue, rows)?;
        Ok(())
    }

    /// Waits until the workers of a queue carried out the open cells.
    fn by_workers(
        &self,
        queue: &dyn JobQueue,
        blobs: &BTreeMap<String, Vec<u8>>,
        rows: &mut [Row],
    ) -> Result<(), AppError> {
        self.fill(queue, blobs, rows)?;
        while collect(queue, rows)? > 0 {
            self.check_stops(None)?;
            thread::park_timeout(TICK);
        }
        Ok(())
    }

    /// Adds the open cells to a queue, and waits while it is full.
    fn fill(&self, queue: &dyn JobQueue, blobs: &BTreeMap<String, Vec<u8>>, rows: &[Row]) -> Result<(), AppError> {
        let open = rows.iter().filter(|row| row.end.is_none());
        let needed: BTreeSet<&String> = open.clone().flat_map(|row| [&row.cell.gene, &row.cell.events]).collect();
        for (digest, bytes) in blobs.iter().filter(|(digest, _)| needed.contains(digest)) {
            queue.put_blob(digest, bytes).map_err(queue_failed)?;
        }
        for row in open {
            let job = serde_json::to_vec(&row.cell).map_err(|error| AppError::failed("backtest", error))?;
            while queue.add(&row.key, &job).map_err(queue_failed)? == Added::Full {
                self.check_stops(None)?;
                thread::park_timeout(TICK);
            }
        }
        Ok(())
    }
}

/// Takes over what has ended. Returns how many cells are open.
fn collect(queue: &dyn JobQueue, rows: &mut [Row]) -> Result<usize, AppError> {
    let mut open = 0;
    for row in rows.iter_mut().filter(|row| row.end.is_none() && row.reason.is_empty()) {
        match queue.end_of(&row.key).map_err(queue_failed)? {
            None => open += 1,
            Some(End::GivenUp(reason)) => row.reason = reason,
            Some(End::Done(result)) => match serde_json::from_slice(&result) {
                Ok(end) => row.end = Some(end),
                Err(error) => row.reason = format!("a worker's result cannot be read: {error}"),
            },
        }
    }
    Ok(open)
}

fn report(genes: &[TriedGene], rows: Vec<Row>, findings: u64, remembered: u64) -> BacktestReport {
    let mut cells: Vec<Vec<CellReport>> = genes.iter().map(|_| Vec::new()).collect();
    for row in rows {
        let Some(of_gene) = cells.get_mut(row.gene) else { continue };
        let (reached, detail, wall_ms) = match row.end {
            Some(end) => (Some(end.reached), end.detail, end.wall_ms),
            None => (None, row.reason, 0),
        };
        of_gene.push(CellReport {
            project: row.project,
            finding: row.cell.finding,
            title: row.title,
            at: row.at,
            base: row.cell.base,
            is_newer: row.is_newer,
            reached,
            detail,
            wall_ms,
        });
    }
    let genes = genes.iter().zip(cells).map(|(gene, cells)| GeneReport {
        gene: gene.name.clone(),
        digest: gene.digest.clone(),
        rates: rates(cells.iter().filter_map(|cell| cell.reached)),
        cells,
    });
    BacktestReport { genes: genes.collect(), findings, remembered }
}
