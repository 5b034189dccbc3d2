//! The host's side of a gene call in a worker: sends the inputs, serves the files that the gene may see, and checks the
//! report as untrusted data.

use std::process::Stdio;
use std::time::{Duration, Instant};

use gephost_core::gene::{Capability, World};
use gephost_core::model::{Question as ModelQuestion, Unanswered};
use gephost_core::path::RepoPath;
use gephost_core::recording::Blob;
use serde_bytes::Bytes;

use super::Worker;
use super::message::{Ask, Brief, Failed, Job, Reply, Task};
use super::process::{Broken, Process, without_files};
use crate::confine::{InForce, Limits};
use crate::frame;
use crate::monotonic;
use crate::sandbox::ReadFailure;
use crate::sandbox::budget::{Budget, Budgets, Usage};
use crate::sandbox::call::{Answer, Call, CallError, Ended, MAX_FRAMES, Question, Report};
use crate::sandbox::code::MachineCode;
use crate::sandbox::columns::RunLog;
use crate::sandbox::completions::Completions;
use crate::sandbox::engine::AddressSpace;
use crate::sandbox::executed::Coverage;
use crate::sandbox::files::{ContentError, MAX_AHEAD};
use crate::sandbox::granted::Granted;
use crate::sandbox::inputs::Inputs;
use crate::sandbox::printable::{clip, printable};
use crate::sandbox::ran_in::RanIn;
use crate::sandbox::vfs::ENTRY_BYTES;
use crate::sandbox::workspace::Workspace;

/// How long a worker may take until the gene starts. This does not count as the gene's time.
const SET_UP: Duration = Duration::from_secs(30);
/// Writable memory of a worker beyond the gene's own budget, in bytes: the runtime, and copies of answers.
const OWN_MEMORY: u64 = 512 << 20;
/// Bytes of log lines that the host adds itself.
const MAX_OWN_LINES: usize = 4096;
/// When this many bytes are together, an answer about several files ends. A file may add [`MAX_FILE_BYTES`] to them.
///
/// [`MAX_FILE_BYTES`]: crate::sandbox::files::MAX_FILE_BYTES
const MAX_BYTES_AHEAD: usize = 1 << 20;
/// Files that are read before it is known whether an answer has enough.
const READ_TOGETHER: usize = 64;
/// The largest in-memory file that a worker may create, in bytes: a module's initial memory.
const MAX_FILE: u64 = 256 << 20;

/// A gene's machine code, run in a new worker for each call.
#[derive(Debug)]
pub(in crate::sandbox) struct InProcess {
    worker: Worker,
    space: AddressSpace,
    code: MachineCode,
    world: World,
}

impl InProcess {
    pub(in crate::sandbox) fn new(worker: Worker, space: AddressSpace, code: MachineCode, world: World) -> Self {
        Self { worker, space, code, world }
    }

    /// Runs one call in a new worker.
    pub(in crate::sandbox) fn ask(
        &self,
        question: &Question,
        inputs: &Inputs,
        granted: &Granted,
        budgets: &Budgets,
        lines: &[u8],
    ) -> Call<Answer> {
        let mut began = Began { at: monotonic::now(), in_force: InForce::default() };
        match self.converse(question, inputs, granted, budgets, &mut began) {
            Ok(mut report) => {
                check(&mut report, budgets);
                report.into_call(RanIn::Process(began.in_force), budgets, lines)
            }
            Err(broken) => unanswered(&broken, &began, budgets),
        }
    }

    fn converse(
        &self,
        question: &Question,
        inputs: &Inputs,
        granted: &Granted,
        budgets: &Budgets,
        began: &mut Began,
    ) -> Result<Report, Broken> {
        let workspace = granted.has(Capability::Workspace).then_some(&*inputs.workspace);
        let nothing = RunLog::default();
        let unmeasured = Coverage::default();
        // Inputs that a gene was not granted are not sent to its process.
        let job = Job {
            question,
            run_log: if granted.has(Capability::RunLog) { &inputs.run_log } else { &nothing },
            files: workspace.into_iter().flat_map(Workspace::listing).collect(),
            history: if granted.has(Capability::History) { &inputs.history } else { &[] },
            coverage: if granted.has(Capability::Coverage) { &inputs.coverage } else { &unmeasured },
            now: inputs.now.to_string(),
            seed: inputs.seed,
            settings: serde_json::to_string(&*inputs.settings).map_err(|error| Broken::Other(error.to_string()))?,
            carried: Bytes::new(&inputs.carried),
            granted,
            budgets,
        };
        let size = frame::size(&job).map_err(|error| Broken::Other(error.to_string()))?;
        let confinement = without_files(limits(budgets, size), self.worker.strict);
        let brief = Brief { confinement, task: Task::Run(self.world, self.space) };
        let code = self.code.handle().map_err(|error| Broken::Other(error.to_string()))?;
        let mut process = Process::start(&self.worker, &brief, Stdio::from(code), SET_UP)?;
        process.send(&job)?;
        let completions = granted.has(Capability::Completion).then_some(&*inputs.completions);
        let mut answering = Answering { workspace, creates: creates(budgets) };
        let mut is_ready = false;
        loop {
            match process.receive(largest_reply(budgets))? {
                // Accepted only once, since it sets the deadline.
                Reply::Ready(in_force) if !is_ready => {
                    is_ready = true;
                    *began = Began { at: monotonic::now(), in_force };
                    process.allow(budgets.wall + grace(budgets.wall));
                }
                Reply::Ask(ask) => answering.answer(&mut process, &ask)?,
                Reply::Complete(question) => complete(&mut process, completions, &question)?,
                Reply::Called(report) => return Ok(*report),
                Reply::Failed(
                    Failed::Other(message) | Failed::Compile(message) | Failed::Link(message) | Failed::Wasi(message),
                ) => return Err(Broken::Other(message)),
                other => return Err(Broken::Other(format!("it sent an unexpected message: {other:?}"))),
            }
        }
    }
}

/// When a gene started, and how its process is confined.
struct Began {
    at: Instant,
    in_force: InForce,
}

/// A worker ends its call when the wall time is up. If it does not, the host kills it this much later.
fn grace(wall: Duration) -> Duration {
    (wall / 16).clamp(Duration::from_millis(50), Duration::from_secs(1))
}

fn limits(budgets: &Budgets, job: u64) -> Limits {
    // While it is decoded, the job is in memory twice. Files that were sent stay in memory.
    let data = [
        budgets.memory as u64,
        budgets.output.saturating_mul(4),
        budgets.host_bytes,
        job.saturating_mul(3),
        OWN_MEMORY,
    ];
    Limits {
        data: Some(data.into_iter().fold(0, u64::saturating_add)),
        cpu_seconds: Some(budgets.wall.as_secs() + SET_UP.as_secs()),
        file: Some(MAX_FILE),
        descriptors: Some(16),
        processes: None,
    }
}

/// A report holds the answer and the log, both within the output budget, and the audit.
fn largest_reply(budgets: &Budgets) -> u64 {
    budgets.output.saturating_mul(4).saturating_add(64 << 20)
}

/// Answers a worker's questions about files.
struct Answering<'a> {
    /// What the gene may see, if the workspace was granted.
    workspace: Option<&'a Workspace>,
    /// How many more times it may ask for room. Each time may use memory for a name.
    creates: u64,
}

/// How often a gene can ask for room: once for each host call, and once for each entry that its output budget pays for.
fn creates(budgets: &Budgets) -> u64 {
    budgets.host_calls.saturating_add(budgets.output / ENTRY_BYTES)
}

impl Answering<'_> {
    /// Checks that the gene may have what is asked for: the worker may be under the gene's control.
    fn answer(&mut self, process: &mut Process, ask: &Ask) -> Result<(), Broken> {
        let asked = |what: &str| Broken::Other(format!("it asked for {what}"));
        let workspace = self.workspace.ok_or_else(|| asked("files without a grant for them"))?;
        match ask {
            Ask::Sizes(paths) => {
                let size = |path: &String| {
                    let file = workspace.listed(path).ok_or(ReadFailure::NotFound)?;
                    workspace.contents().size(file)
                };
                let sizes: Vec<_> = paths.iter().take(MAX_AHEAD).map(size).collect();
                process.send(&sizes)
            }
            Ask::Read(paths) => {
                let contents = contents_of(workspace, paths.get(..MAX_AHEAD).unwrap_or(paths));
                let sent = contents.iter().map(|file| file.as_ref().map(|blob| Bytes::new(blob.bytes())));
                process.send(&sent.collect::<Vec<_>>())
            }
            Ask::MayCreate(path) => {
                self.creates =
                    self.creates.checked_sub(1).ok_or_else(|| asked("to create files more often than a gene can"))?;
                let path = RepoPath::new(path).map_err(|_| asked("to create a file at an invalid path"))?;
                process.send(&workspace.may_create(&path))
            }
        }
    }
}

/// The contents of these files, or of the first of them once an answer has enough bytes.
fn contents_of(workspace: &Workspace, paths: &[String]) -> Vec<Result<Blob, ContentError>> {
    let (mut bytes, mut contents) = (0, Vec::with_capacity(paths.len()));
    for some in paths.chunks(READ_TOGETHER) {
        let files = some.iter().filter_map(|path| workspace.listed(path));
        workspace.contents().read_ahead(files, READ_TOGETHER);
        for path in some {
            let gone = ContentError::Source(ReadFailure::NotFound);
            let content = workspace.listed(path).ok_or(gone).and_then(|file| workspace.contents().bytes(file));
            bytes += content.as_ref().map_or(0, |blob| blob.bytes().len());
            contents.push(content);
            if bytes >= MAX_BYTES_AHEAD {
                return contents;
            }
        }
    }
    contents
}

/// Asks the model for a worker, if the gene was granted it. The worker waits, and this time is not the gene's.
fn complete(
    process: &mut Process,
    completions: Option<&dyn Completions>,
    question: &ModelQuestion,
) -> Result<(), Broken> {
    let completions = completions.ok_or_else(|| Broken::Other("it asked a model without a grant for it".to_owned()))?;
    let began = monotonic::now();
    let answer = completions.complete(question).answer;
    process.extend(began.elapsed());
    match answer {
        Err(Unanswered::Stopped(reason)) => Err(Broken::Stopped(reason)),
        answer => process.send(&answer),
    }
}

/// Applies to a worker's report the limits that apply to a gene in this process.
fn check(report: &mut Report, budgets: &Budgets) {
    // The host adds lines to the log, which do not count against the gene's budget.
    let mut left = usize::try_from(budgets.output).unwrap_or(usize::MAX).saturating_add(MAX_OWN_LINES);
    report.log.retain_mut(|line| {
        line.message = printable(&line.message);
        let fits = line.message.len() <= left;
        left = left.saturating_sub(line.message.len());
        fits
    });
    for entry in &mut report.audit.entries {
        entry.function = printable(&entry.function).into();
        entry.target = clip(&entry.target);
    }
    report.host_calls.check(budgets.traced_calls);
    if let Err(Ended::Trap { message, said, place, .. }) = &mut report.result {
        *message = printable(message);
        *said = said.as_deref().map(printable);
        *place = place.as_deref().map(printable);
    }
    if let Err(Ended::Trap { frames, .. } | Ended::Budget { frames, .. }) = &mut report.result {
        frames.truncate(MAX_FRAMES);
        for frame in frames {
            frame.name = printable(&frame.name);
        }
    }
}

fn unanswered(broken: &Broken, began: &Began, budgets: &Budgets) -> Call<Answer> {
    let error = match broken {
        Broken::Late => CallError::out_of(Budget::Wall, budgets),
        Broken::Ended(end) if end.out_of_memory() => CallError::out_of(Budget::Memory, budgets),
        Broken::Stopped(reason) => CallError::Stopped { reason: reason.clone() },
        other => CallError::Worker { reason: other.to_string() },
    };
    let wall_us = u64::try_from(began.at.elapsed().as_micros()).unwrap_or(u64::MAX);
    // The worker kept the audit and the trace, so they are lost.
    Call::without_report(error, Usage { wall_us, ..Usage::default() }, RanIn::Process(began.in_force))
}
