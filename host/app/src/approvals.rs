//! What a person says to proposals that autopilot may not apply by itself.
//!
//! What must stay true: an approval covers exactly the queued change. The saved proposal must have its id by content, and
//! the files that it changes must be as they were when it was queued. An approved change goes the way of every apply.

use gephost_core::event_log::{Contents, EntryBody, State, Waiting};
use gephost_core::proposal::{MAX_JSON_BYTES, Proposal};
use gephost_runner::worktree;

use crate::apply::{ApplyOptions, ApplySession, Ended, Subject};
use crate::contents::contents;
use crate::error::{AppError, ErrorKind, printable};
use crate::project::Project;
use crate::stages::Judged;

/// The longest name of an approver, in bytes.
const MAX_NAME: usize = 200;

/// What became of a proposal that somebody looked at or approved.
#[derive(Debug)]
pub struct Approval {
    /// Id of the proposal.
    pub proposal: String,
    /// Who approved it; `None` if nobody did.
    pub approver: Option<String>,
    /// The proposal, with the gate's verdict on the base of now.
    pub judged: Judged,
    /// What became of it; `None` if nothing was applied.
    pub applied: Option<Ended>,
}

/// A proposal that was rejected.
#[derive(Debug)]
pub struct Rejection {
    /// Id of the proposal.
    pub proposal: String,
    /// The name of who rejected it: one line of at most 200 bytes.
    pub approver: String,
    /// The reason on one line, redacted.
    pub why: String,
}

impl Project {
    /// Judges a waiting proposal on the base of now and, if the locks are open, logs the approval and applies it.
    /// `asked` is the proposal's id or the beginning of it; `by` is the operator if nobody is named.
    pub fn approve(&self, asked: &str, by: Option<&str>, options: &ApplyOptions) -> Result<Approval, AppError> {
        let id = find(&*self.log_state()?, asked)?.0.to_owned();
        let approver = self.approver(by)?;
        self.check_stops(None)?;
        let repository = self.repository()?;
        let session = ApplySession::begin(self, &repository, options, &format!("approve {id} --apply"))?;
        let is_open = session.is_some();
        // Another process may have decided before this one had the lock.
        let state = self.log_state()?;
        let (id, waiting) = find(&state, &id)?;
        let judged = self.judge_queued(&repository, id)?;
        if let Some(approved) = judged.verdict.approved() {
            as_queued(id, waiting, &contents(approved))?;
        }
        let applied = match session.filter(|_| judged.passes()) {
            Some(session) => {
                let session = ApplySession { approver: Some(approver.clone()), ..session };
                Some(self.apply_approved(&repository, &judged, waiting, &session, &approver)?)
            }
            None => None,
        };
        Ok(Approval { proposal: id.to_owned(), approver: is_open.then_some(approver), judged, applied })
    }

    /// Takes a waiting proposal out of the queue for good.
    pub fn reject(&self, asked: &str, by: Option<&str>, why: &str) -> Result<Rejection, AppError> {
        let state = self.log_state()?;
        let (id, _) = find(&state, asked)?;
        let approver = self.approver(by)?;
        let why = self.one_line("--why", why)?;
        let (proposal, name) = (id.to_owned(), approver.clone());
        self.append(&EntryBody::Declined { proposal, approver: name, why: why.clone() })?;
        Ok(Rejection { proposal: id.to_owned(), approver, why })
    }

    /// What somebody says, on one line, redacted as everything that is logged (invariant 12). `option` names it in the
    /// error if it says nothing.
    pub fn one_line(&self, option: &str, text: &str) -> Result<String, AppError> {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.is_empty() {
            return Err(AppError::usage("usage", format!("`{option}` is empty")));
        }
        Ok(self.config.policy.redact(&line))
    }

    /// Logs the approval, and applies what was approved.
    fn apply_approved(
        &self,
        repository: &worktree::Project,
        judged: &Judged,
        waiting: &Waiting,
        session: &ApplySession,
        approver: &str,
    ) -> Result<Ended, AppError> {
        let signals = waiting.finding.as_ref().map(|finding| finding.signals.clone()).unwrap_or_default();
        let isolation = self.isolation_of(&judged.proposal.id)?;
        self.remember(&signals, std::slice::from_ref(judged), isolation.as_deref(), false)?;
        let proposal = judged.proposal.id.clone();
        self.append(&EntryBody::Approved { proposal, approver: approver.to_owned() })?;
        self.note_validation(judged);
        let recorded = self.recorded_commands(&waiting.calls)?;
        let subject = Subject { finding: waiting.finding.as_ref(), signals: &signals, isolation: isolation.as_deref() };
        self.apply_saved(repository, judged, &recorded, subject, session)
    }

    /// The saved proposal, on the base of now. Its id must be that of its content: what is applied is what was queued.
    fn judge_queued(&self, repository: &worktree::Project, id: &str) -> Result<Judged, AppError> {
        let file = self.saved_proposal(id);
        let broken = |why: String| {
            AppError::usage("proposal", format!("{}: {why}", file.display()))
                .hint(format!("`gephost reject {id} --why TEXT` takes it out of the queue"))
        };
        let bytes = file.read(MAX_JSON_BYTES as u64).map_err(|error| broken(error.to_string()))?;
        let bytes = bytes.ok_or_else(|| broken("it is missing".to_owned()))?;
        let text = String::from_utf8(bytes).map_err(|_| broken("it is not UTF-8 text".to_owned()))?;
        let proposal = Proposal::read(&text).map_err(|error| broken(error.to_string()))?;
        if proposal.id != id || proposal.content_id() != id {
            return Err(broken("the file was changed since it was queued".to_owned()));
        }
        self.judge_saved(repository, proposal)
    }

    fn approver(&self, by: Option<&str>) -> Result<String, AppError> {
        let name = by.unwrap_or(&self.environment.operator.name);
        let line = name.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.is_empty() || line.chars().any(char::is_control) || line.len() > MAX_NAME {
            return Err(AppError::usage("usage", "`--by` needs a name: one line of at most 200 bytes"));
        }
        Ok(line)
    }
}

/// Refuses what would not do what was queued: the files that it changes are not those of then. A whole new content would
/// take back what was done to them since.
fn as_queued(id: &str, waiting: &Waiting, now: &[Contents]) -> Result<(), AppError> {
    if waiting.contents == now {
        return Ok(());
    }
    let moved: Vec<_> = now.iter().filter(|change| !waiting.contents.contains(change)).collect();
    let paths = moved.iter().map(|change| printable(&change.path)).collect::<Vec<_>>().join(", ");
    let message = format!("proposal {id} was queued for another base: {paths} changed since");
    let hint = format!("`gephost reject {id} --why TEXT` takes it out of the queue, and autopilot proposes anew");
    Err(AppError::new(ErrorKind::Conflict, "stale_base", message).hint(hint))
}

/// The waiting proposal with this id, or with the only id that begins so.
fn find<'a>(state: &'a State, asked: &str) -> Result<(&'a str, &'a Waiting), AppError> {
    let mut found: Vec<_> = state.queue().waiting().filter(|(id, _)| id.starts_with(asked)).collect();
    if let Some(exact) = found.iter().find(|(id, _)| *id == asked) {
        return Ok(*exact);
    }
    let message = match (found.len(), found.pop(), state.queue().declined(asked)) {
        (1, Some(only), _) if !asked.is_empty() => return Ok(only),
        (2.., ..) => format!("more than one id begins with {asked:?}"),
        (_, _, Some(why)) => format!("proposal {asked} was rejected ({})", printable(why)),
        _ => format!("no proposal with the id {asked:?} awaits approval"),
    };
    Err(AppError::usage("not_waiting", message)
        .hint("`gephost approve --list` lists the proposals that await approval"))
}
