//! Several candidates for one finding, tried side by side with real processes in a real repository: the best-ranked one
//! that holds is published, however fast the others are, and of the others nothing stays.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gephost_app::apply::{Applier, ApplyFailure, Ended, Intent, Subject, Tools};
use gephost_app::stages::gate;
use gephost_app::{Environment, Project, StopSign};
use gephost_core::command::ValidationCommand;
use gephost_core::config::Config;
use gephost_core::event_log::{EntryBody, Fate, GateVerdict};
use gephost_core::gate::Verdict;
use gephost_core::proposal::Proposal;
use gephost_core::validation::Level;
use gephost_runner::event_log::EventLog;
use gephost_runner::instance::Instance;
use gephost_runner::journal::Journal;
use gephost_runner::registry::Registry;
use gephost_runner::state::StateFolder;
use gephost_runner::validate::{Chosen, Machine};
use gephost_runner::worktree;
use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use jiff::Timestamp;

use crate::scene::published;
use crate::validation::launcher;

/// A repository in which a change sets `value` and how long its check takes.
struct Bench {
    env: TestEnv,
    project: TestProject,
    config: Config,
    interrupted: Arc<AtomicBool>,
}

/// A candidate: what it sets `value` to, and how many seconds its check takes.
type Wanted = (&'static str, &'static str);

impl Bench {
    fn new(parallel: u64) -> Self {
        // Built before anything is timed.
        launcher();
        let env = TestEnv::new();
        let project = TestProject::new(&env, &[("value", "bad\n"), ("delay", "0\n")]);
        let text = format!("[policy]\nallow = [\"**\"]\n[validation]\nparallel = {parallel}\nreruns = 0\n");
        let config = Config::from_toml(&text).unwrap();
        Self { env, project, config, interrupted: Arc::default() }
    }

    /// Where each run of the check notes what it saw.
    fn trace(&self) -> PathBuf {
        self.env.home().join("trace")
    }

    /// The project as the application has it.
    fn opened(&self) -> Project {
        let mut environment =
            Environment::in_folders(self.project.root(), &self.env.home().join("user"), Timestamp::now);
        environment.interrupted = Arc::clone(&self.interrupted);
        environment.machine = Machine { path: "/usr/bin:/bin".into(), ..Machine::default() };
        Project { config: self.config.clone(), ..Project::open(&environment).unwrap() }
    }

    fn state(&self) -> StateFolder {
        self.opened().state
    }

    fn log(&self) -> EventLog {
        self.opened().log
    }

    /// Notes what it saw, takes its time, and says whether the value is good.
    fn check(&self) -> ValidationCommand {
        let script = format!("cat value >> '{}'; sleep $(cat delay); grep -q good value", self.trace().display());
        ValidationCommand::from_operator(vec!["sh".to_owned(), "-c".to_owned(), script]).unwrap()
    }

    fn publish(&self, candidates: &[Wanted]) -> Result<Ended, ApplyFailure> {
        let repository = worktree::Project::open(self.project.root()).unwrap();
        let base = repository.base(&repository.head().unwrap().commit).unwrap();
        let judged: Vec<(Proposal, Verdict)> = candidates
            .iter()
            .map(|(value, delay)| {
                let diff = format!(
                    "--- a/delay\n+++ b/delay\n@@ -1 +1 @@\n-0\n+{delay}\n--- a/value\n+++ b/value\n@@ -1 +1 @@\n-bad\n+{value}\n"
                );
                let diff = if *delay == "0" { diff[diff.find("--- a/value").unwrap()..].to_owned() } else { diff };
                let proposal = Proposal::from_diff(&diff);
                let verdict = gate(proposal.clone(), &base, &self.config.policy, Default::default(), false).unwrap();
                (proposal, verdict)
            })
            .collect();
        for (proposal, verdict) in &judged {
            self.remember(proposal, verdict);
        }
        let commands = [self.check()];
        let intents: Vec<Intent<'_>> = judged
            .iter()
            .map(|(proposal, verdict)| Intent {
                proposal,
                approved: verdict.approved().expect("it passes"),
                diff: verdict.diff(),
                capsule: None,
                commands: &commands,
                gene: None,
                steps: &[],
            })
            .collect();
        let project = self.opened();
        let instance = Instance::take(&project.state.lock(), "test", Timestamp::now()).unwrap();
        let journal = Journal::open(&project.state, instance);
        let launcher = launcher();
        // The checks leave a trace outside of their copies, which takes the lowest level.
        let chosen =
            Chosen { level: Level::L0, not_higher: None, bubblewrap: None, groups: Err("not asked for".to_owned()) };
        let tools = Tools { launcher: &launcher, chosen: &chosen };
        Applier::new(&project, &repository, &journal, tools).apply(Subject::default(), &intents)
    }

    fn remember(&self, proposal: &Proposal, verdict: &Verdict) {
        self.state().create(Timestamp::now()).unwrap();
        let id = proposal.id.clone();
        let entries = [
            EntryBody::Proposed {
                proposal: id.clone(),
                gene: None,
                title: String::new(),
                signals: Vec::new(),
                isolation: None,
                calls: Vec::new(),
                dry_run: false,
            },
            EntryBody::Gated {
                proposal: id,
                verdict: GateVerdict::Pass,
                reasons: Vec::new(),
                risk_score: verdict.risk().score,
                files: Vec::new(),
                contents: Vec::new(),
            },
        ];
        for entry in entries {
            self.log().append(Timestamp::now(), &entry).unwrap();
        }
    }

    /// What the runs of the check saw.
    fn seen(&self) -> Vec<String> {
        fs::read_to_string(self.trace()).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    /// Nothing of a trial is there any more: no process, no work copy, no open intent.
    fn is_clean(&self) {
        let work = fs::read_dir(self.state().work().path()).unwrap();
        assert!(work.flatten().all(|entry| !entry.path().is_dir()), "a work copy is left");
        assert_eq!(running_in(&self.state().work().path()), Vec::<String>::new());
        let state = self.log().state().unwrap();
        assert_eq!(state.unfinished().count(), 0);
        assert!(state.cycles().last().unwrap().tried.is_some(), "the cycle is open");
    }
}

/// The processes whose working folder lies below a folder.
fn running_in(folder: &Path) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let inside =
        processes.filter(|process| fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder)));
    inside.map(|process| process.path().display().to_string()).collect()
}

fn fates(ended: &Ended) -> Vec<Fate> {
    ended.candidates.iter().map(|candidate| candidate.tried.fate).collect()
}

#[test]
fn the_best_ranked_that_holds_wins_and_not_the_fastest() {
    for parallel in [1, 2, 4] {
        let bench = Bench::new(parallel);
        let before = bench.project.fingerprint();
        let ended = bench.publish(&[("worse", "0"), ("good slow", "1"), ("good fast", "0")]).unwrap();
        assert_eq!(fates(&ended)[..2], [Fate::Failed, Fate::Published], "{parallel}");
        let last = fates(&ended)[2];
        assert!(matches!(last, Fate::Outranked | Fate::Cancelled | Fate::NotTried), "{parallel}: {last:?}");
        let branch = &published(&bench.env, &bench.project)[..];
        assert_eq!(branch, [ended.published.as_ref().unwrap().branch.clone()]);
        assert_eq!(bench.project.git(&bench.env, &["show", &format!("{}:value", branch[0])]), "good slow\n");
        assert_eq!(bench.project.fingerprint(), before);
        bench.is_clean();
    }
}

#[test]
fn the_base_runs_once_for_all_candidates() {
    let bench = Bench::new(4);
    let ended = bench.publish(&[("one", "0"), ("two", "0"), ("three", "0")]).unwrap();
    assert_eq!(fates(&ended), [Fate::Failed; 3]);
    assert!(ended.published.is_none() && published(&bench.env, &bench.project).is_empty());
    let mut seen = bench.seen();
    seen.sort();
    assert_eq!(seen, ["bad", "one", "three", "two"]);
    for candidate in &ended.candidates {
        assert_eq!(candidate.runs[0].before.as_ref().and_then(|before| before.exit), Some(1));
    }
    bench.is_clean();
}

#[test]
fn whoever_can_no_longer_win_is_ended_and_recorded_as_tried() {
    let bench = Bench::new(2);
    let began = Instant::now();
    let ended = bench.publish(&[("good", "0.5"), ("good", "60"), ("good", "0.1")]).unwrap();
    assert!(began.elapsed() < Duration::from_secs(30), "it waited for one that could not win");
    assert_eq!(fates(&ended)[0], Fate::Published);
    assert!(matches!(fates(&ended)[1], Fate::Cancelled | Fate::NotTried), "{:?}", fates(&ended));
    bench.is_clean();
    let entries = bench.log().read_all().unwrap();
    let Some(EntryBody::CycleEnded { winner, candidates, .. }) = entries.iter().map(|entry| &entry.body).next_back()
    else {
        panic!("the log does not end with the cycle");
    };
    assert_eq!(winner.as_ref(), Some(&candidates[0].proposal));
    assert!(candidates.iter().all(|tried| !tried.reason.is_empty()), "{candidates:?}");
    let mut events = Vec::new();
    Registry::new(bench.state().assets()).each_event(&mut |event| events.push(event)).unwrap();
    assert_eq!(events.len(), 1, "one event a cycle");
    let written = events[0].document()["meta"]["candidates"].as_array().unwrap();
    assert_eq!((written.len(), &written[0]["fate"]), (3, &"published".into()));
}

/// Runs a slow contest, and does something to it once its check has begun on a candidate.
fn stopped_by(stop: impl Fn(&Bench) + Sync) -> (Bench, ApplyFailure) {
    let bench = Bench::new(2);
    let before = bench.project.fingerprint();
    let began = Instant::now();
    let error = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !bench.seen().iter().any(|value| value.starts_with("good")) {
                assert!(began.elapsed() < Duration::from_secs(30), "validation never started");
                std::thread::sleep(Duration::from_millis(10));
            }
            stop(&bench);
        });
        bench.publish(&[("good", "60"), ("good", "61"), ("good", "62")]).unwrap_err()
    });
    assert!(began.elapsed() < Duration::from_secs(40), "it waited for the check");
    assert!(published(&bench.env, &bench.project).is_empty());
    let mut after = bench.project.fingerprint();
    after.retain(|path, _| !path.starts_with(".gephost"));
    assert_eq!(after, before);
    bench.is_clean();
    (bench, error)
}

#[test]
fn an_interrupt_ends_all_of_them() {
    let (_, error) = stopped_by(|bench| bench.interrupted.store(true, Ordering::Relaxed));
    assert!(matches!(error, ApplyFailure::Stopped(StopSign::Interrupted)), "{error}");
}

#[test]
fn the_kill_switch_ends_all_of_them_and_lets_nothing_begin() {
    let (bench, error) = stopped_by(|bench| bench.project.write(".gephost/STOP", ""));
    assert!(matches!(error, ApplyFailure::Stopped(StopSign::KillSwitch { .. })), "{error}");
    let entries = bench.log().read_all().unwrap().len();
    let seen = bench.seen().len();
    let error = bench.publish(&[("good", "0")]).unwrap_err();
    assert!(matches!(error, ApplyFailure::Stopped(StopSign::KillSwitch { .. })), "{error}");
    assert_eq!(bench.seen().len(), seen, "nothing ran");
    assert_eq!(bench.log().read_all().unwrap().len(), entries + 2, "no intent was made");
    fs::remove_file(bench.state().stop().path()).unwrap();
    assert!(bench.publish(&[("good", "0")]).unwrap().published.is_some());
}

#[test]
fn work_that_cannot_be_begun_is_an_error_and_leaves_a_closed_cycle() {
    let bench = Bench::new(2);
    bench.state().create(Timestamp::now()).unwrap();
    // A file where the folder of work copies should be.
    fs::create_dir_all(bench.state().work().parent().path()).unwrap();
    fs::write(bench.state().work().path(), "").unwrap();
    let error = bench.publish(&[("good", "0")]).unwrap_err();
    assert!(matches!(error, ApplyFailure::WorkCopy(_)), "{error}");
    assert!(published(&bench.env, &bench.project).is_empty());
    fs::remove_file(bench.state().work().path()).unwrap();
    assert!(bench.publish(&[("good", "0")]).unwrap().published.is_some());
    bench.is_clean();
}
