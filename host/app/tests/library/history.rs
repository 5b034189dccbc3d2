//! Changes that are published as an apply does it, as far as git and the log show: without genes and without validation.

use gephost_app::Project;
use gephost_core::blast_radius::BlastRadius;
use gephost_core::digest::sha256_hex;
use gephost_core::event_log::{Contents, EntryBody, FindingRef, GateVerdict, Tried};
use git2::build::{CheckoutBuilder, TreeUpdateBuilder};
use git2::{FileMode, Oid, Repository, Signature};

use crate::scene::Scene;

/// A published change.
pub(crate) struct Change {
    pub(crate) proposal: String,
    pub(crate) branch: String,
    /// Full hexadecimal id of its commit.
    pub(crate) commit: String,
    pub(crate) event: String,
}

/// The content of a file as the log names it.
pub(crate) fn digest_of(text: &str) -> String {
    sha256_hex(text.as_bytes())[..32].to_owned()
}

pub(crate) fn proposed(proposal: &str, title: &str) -> EntryBody {
    EntryBody::Proposed {
        proposal: proposal.to_owned(),
        gene: Some("gene_test".to_owned()),
        title: title.to_owned(),
        signals: vec!["log_error".to_owned()],
        isolation: None,
        calls: Vec::new(),
        dry_run: false,
    }
}

/// The gate's verdict on a proposal that writes `after` into a file.
pub(crate) fn gated(proposal: &str, verdict: GateVerdict, risk_score: u8, change: (&str, &str, &str)) -> EntryBody {
    let (path, before, after) = change;
    let contents =
        vec![Contents { path: path.to_owned(), before: Some(digest_of(before)), after: Some(digest_of(after)) }];
    EntryBody::Gated {
        proposal: proposal.to_owned(),
        verdict,
        reasons: Vec::new(),
        risk_score,
        files: vec![path.to_owned()],
        contents: if verdict == GateVerdict::Pass { contents } else { Vec::new() },
    }
}

pub(crate) fn intent(proposal: &str, base: &str, branch: &str) -> EntryBody {
    EntryBody::ApplyIntent {
        proposal: proposal.to_owned(),
        operator: "embedded".to_owned(),
        agent: None,
        why: None,
        base_commit: base.to_owned(),
        branch: branch.to_owned(),
        approver: None,
        files: Vec::new(),
    }
}

pub(crate) fn validated(proposal: &str, success: bool) -> EntryBody {
    EntryBody::ValidationFinished {
        proposal: proposal.to_owned(),
        report: format!("report_{proposal}"),
        decision: if success { "improved" } else { "unchanged" }.to_owned(),
        success,
        sandbox: None,
    }
}

pub(crate) fn queued(proposal: &str, risk_score: u8) -> EntryBody {
    EntryBody::Queued { proposal: proposal.to_owned(), risk_score, max_risk: 30, finding: None, calls: Vec::new() }
}

pub(crate) fn finding(id: &str) -> FindingRef {
    FindingRef {
        gene: "gene_test".to_owned(),
        id: id.to_owned(),
        title: format!("finding {id}"),
        signals: vec!["log_error".to_owned()],
    }
}

pub(crate) fn cycle_started(cycle: &str, candidates: &[&str]) -> EntryBody {
    EntryBody::CycleStarted {
        cycle: cycle.to_owned(),
        base_commit: "0".repeat(40),
        finding: Some(finding("f1")),
        candidates: candidates.iter().map(|id| (*id).to_owned()).collect(),
    }
}

pub(crate) fn cycle_ended(cycle: &str, winner: Option<&str>, candidates: Vec<Tried>) -> EntryBody {
    EntryBody::CycleEnded { cycle: cycle.to_owned(), winner: winner.map(str::to_owned), candidates }
}

/// Appends entries that the log must take.
pub(crate) fn append(project: &Project, entries: &[EntryBody]) {
    project.append_all(entries).expect("entries that follow from the earlier ones");
}

/// Queues a proposal that replaces the whole of a file, as autopilot would, and returns its id.
pub(crate) fn queue_content(project: &Project, change: (&str, &str, &str), risk_score: u8) -> String {
    let (path, _, after) = change;
    let proposal = content_proposal(path, after);
    let id = proposal.id.clone();
    append(project, &[proposed(&id, &proposal.title), gated(&id, GateVerdict::Pass, risk_score, change)]);
    let status = gephost_core::proposal::Status::default();
    let file = project.proposal_file(&id);
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    std::fs::write(file, proposal.to_json(&status) + "\n").expect("a file");
    append(project, &[queued(&id, risk_score)]);
    id
}

/// A proposal that replaces the whole of a file.
pub(crate) fn content_proposal(path: &str, content: &str) -> gephost_core::proposal::Proposal {
    let document = serde_json::json!({
        "title": format!("write {path}"), "objective": "a test",
        "changes": [{ "kind": "content", "path": path, "content": content }],
    });
    let proposal = gephost_core::proposal::Proposal::read(&document.to_string()).expect("a proposal");
    proposal.with_content_id()
}

impl Scene {
    fn repository(&self) -> Repository {
        Repository::open(self.root()).expect("a repository")
    }

    /// The commit of `HEAD`.
    pub(crate) fn head(&self) -> String {
        self.repository().head().expect("a head").target().expect("a commit").to_string()
    }

    /// The content of a file in a branch.
    pub(crate) fn content_in(&self, branch: &str, path: &str) -> String {
        let repository = self.repository();
        let tree = repository.revparse_single(branch).expect("a branch").peel_to_tree().expect("a tree");
        let entry = tree.get_path(std::path::Path::new(path)).expect("an entry");
        let blob = repository.find_blob(entry.id()).expect("a file");
        String::from_utf8(blob.content().to_vec()).expect("text")
    }

    /// The message of a branch's commit.
    pub(crate) fn message_of(&self, branch: &str) -> String {
        let repository = self.repository();
        let commit = repository.revparse_single(branch).expect("a branch").peel_to_commit().expect("a commit");
        commit.message().expect("UTF-8").to_owned()
    }

    /// Commits one changed file on top of a commit, without touching the checkout. Returns the commit's id.
    pub(crate) fn commit_on(&self, parent: &str, path: &str, text: &str) -> String {
        let repository = self.repository();
        let parent = repository.find_commit(Oid::from_str(parent).expect("an id")).expect("a commit");
        let blob = repository.blob(text.as_bytes()).expect("a blob");
        let mut update = TreeUpdateBuilder::new();
        update.upsert(path, blob, FileMode::Blob);
        let tree = update.create_updated(&repository, &parent.tree().expect("a tree")).expect("a tree");
        let tree = repository.find_tree(tree).expect("a tree");
        let by = Signature::now("Tester", "tester@example.com").expect("a name");
        repository.commit(None, &by, &by, "change", &tree, &[&parent]).expect("a commit").to_string()
    }

    /// Puts a branch at a commit.
    pub(crate) fn set_branch(&self, branch: &str, commit: &str) {
        let commit = Oid::from_str(commit).expect("an id");
        self.repository().reference(&format!("refs/heads/{branch}"), commit, true, "a test").expect("a branch");
    }

    /// Removes a branch.
    pub(crate) fn remove_branch(&self, branch: &str) {
        let repository = self.repository();
        let mut found = repository.find_branch(branch, git2::BranchType::Local).expect("a branch");
        found.delete().expect("deleted");
    }

    /// Checks a branch out.
    pub(crate) fn check_out(&self, branch: &str) {
        let repository = self.repository();
        repository.set_head(&format!("refs/heads/{branch}")).expect("a head");
        repository.checkout_head(Some(CheckoutBuilder::new().force())).expect("checked out");
    }

    /// Moves the branch that is checked out to a commit, as a user who merges it.
    pub(crate) fn merge(&self, commit: &str) {
        self.set_branch("main", commit);
        self.check_out("main");
    }

    /// Publishes a change of one file.
    pub(crate) fn publish(&self, project: &Project, name: &str, path: &str, text: &str) -> Change {
        let base = self.head();
        let (proposal, branch, event) = (format!("gep-{name}"), format!("evo/{name}"), format!("evt_{name}"));
        let commit = self.commit_on(&base, path, text);
        let before = self.content_in("HEAD", path);
        append(
            project,
            &[
                proposed(&proposal, &format!("title of {name}")),
                gated(&proposal, GateVerdict::Pass, 10, (path, &before, text)),
                cycle_started(&event, &[&proposal]),
                intent(&proposal, &base, &branch),
                validated(&proposal, true),
            ],
        );
        self.set_branch(&branch, &commit);
        append(
            project,
            &[
                EntryBody::Applied {
                    proposal: proposal.clone(),
                    branch: branch.clone(),
                    commit: commit.clone(),
                    blast_radius: BlastRadius { files: 1, lines: 2 },
                    event: Some(event.clone()),
                    capsule: None,
                    capsule_asset: None,
                    reused: None,
                    gene_added: None,
                },
                cycle_ended(
                    &event,
                    Some(&proposal),
                    vec![Tried::new(&proposal, gephost_core::event_log::Fate::Published, "improved")],
                ),
            ],
        );
        Change { proposal, branch, commit, event }
    }
}
