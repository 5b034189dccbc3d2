//! The import `completion`: what a gene may ask the operator's model, in threads and in processes, and what a recording
//! holds of it. The host's own half, with a server, is in `model/genes.rs`.

use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use gephost_core::diagnosis::Finding;
use gephost_core::gene::Capability;
use gephost_core::model::{MAX_QUESTIONS, NoOpKind, Question, Unanswered};
use gephost_runner::place::Place;
use gephost_runner::recording::{Keep, Recording, Store, Taken, Terms, replay};
use gephost_runner::sandbox::{
    Budget, Budgets, Call, CallError, Completed, Completions, Gene, Granted, Inputs, NoModel, Sandbox,
};
use jiff::Timestamp;

use crate::guests;
use crate::isolate::IN_PROCESSES;
use crate::sandbox::{granted, inputs};

static IN_THREADS: LazyLock<Sandbox> = LazyLock::new(|| Sandbox::new(None).unwrap());

/// What a scripted model answers.
type Say = fn(usize) -> Result<String, Unanswered>;

/// A model that answers what a test wants, after a while.
#[derive(Debug)]
struct Scripted {
    say: Say,
    takes: Duration,
    asked: Mutex<Vec<Question>>,
}

impl Scripted {
    fn new(say: Say) -> Arc<Self> {
        Self::slow(say, Duration::ZERO)
    }

    fn slow(say: Say, takes: Duration) -> Arc<Self> {
        Arc::new(Self { say, takes, asked: Mutex::default() })
    }

    fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl Completions for Scripted {
    fn complete(&self, question: &Question) -> Completed {
        std::thread::sleep(self.takes);
        let mut asked = self.asked.lock().unwrap();
        let answer = (self.say)(asked.len());
        asked.push(question.clone());
        // As the host does: what is sent is not what was asked.
        Completed { sent: Question { prompt: "redacted".to_owned(), ..question.clone() }, answer }
    }
}

fn fine(number: usize) -> Result<String, Unanswered> {
    Ok(format!("answer {number}"))
}

fn with(model: &Arc<Scripted>) -> Inputs {
    Inputs { completions: Arc::clone(model) as Arc<dyn Completions>, ..inputs() }
}

fn small() -> Budgets {
    Budgets { wall: Duration::from_secs(5), memory: 128 << 20, ..Budgets::default() }
}

fn lines(call: &Call<Vec<Finding>>) -> Vec<String> {
    call.log.iter().map(|line| line.message.clone()).collect()
}

/// Runs a check in a thread and in a process.
fn everywhere(component: &[u8], check: impl Fn(&Gene)) {
    for sandbox in [&*IN_THREADS, &*IN_PROCESSES] {
        check(&sandbox.load(component).unwrap());
    }
}

#[test]
fn an_answer_reaches_the_gene_wherever_it_runs() {
    everywhere(&guests::ask_model(2, 5, ""), |gene| {
        let model = Scripted::new(fine);
        let call = gene.diagnose(&with(&model), &granted(), &small());
        assert_eq!(lines(&call), ["answer 0", "answer 1"], "{:?}", call.result);
        assert_eq!(model.asked.lock().unwrap()[0].prompt, "xxxxx");
        assert_eq!((call.turns.len(), call.turns[1].sent.prompt.as_str()), (2, "redacted"));
        assert!(call.usage.host_calls >= 2 && call.usage.output >= 24, "{:?}", call.usage);
        let target = &call.audit.entries[0].target;
        assert!(target.starts_with("sha256:") && target.ends_with(" 12 bytes"), "{target}");
    });
}

#[test]
fn without_a_grant_nothing_reaches_the_model() {
    everywhere(&guests::ask_model(1, 5, ""), |gene| {
        let model = Scripted::new(fine);
        let without: Vec<Capability> =
            Capability::ALL.into_iter().filter(|capability| *capability != Capability::Completion).collect();
        for granted in [Granted::new(&Capability::ALL, &without), Granted::new(&without, &Capability::ALL)] {
            let call = gene.diagnose(&with(&model), &granted, &small());
            assert_eq!(lines(&call)[0], "denied", "{:?}", call.log);
            assert!(call.turns.is_empty() && model.asked() == 0);
        }
    });
}

#[test]
fn every_failure_is_an_error_that_the_gene_can_handle() {
    let exhausted = |_| Err(Unanswered::Exhausted("`max_tokens` is 5".to_owned()));
    let failed = |_| Err(Unanswered::Failed(NoOpKind::Invalid, "nonsense, also when asked again".to_owned()));
    everywhere(&guests::ask_model(1, 5, ""), |gene| {
        for (say, kind, text) in [
            (exhausted as Say, "exhausted", "`max_tokens` is 5"),
            (failed as Say, "failed", "invalid: nonsense, also when asked again"),
            (|_| Err(Unanswered::nobody("x")), "failed", "network: x"),
        ] {
            let call = gene.diagnose(&with(&Scripted::new(say)), &granted(), &small());
            assert_eq!((lines(&call), call.result.is_ok()), (vec![kind.to_owned(), text.to_owned()], true));
        }
        let call = gene.diagnose(&Inputs { completions: Arc::new(NoModel), ..inputs() }, &granted(), &small());
        assert_eq!(lines(&call), ["failed", "network: there is no model to ask"]);
    });
}

#[test]
fn a_gene_that_asks_a_thousand_times_is_answered_sixteen_times() {
    everywhere(&guests::ask_model(1000, 5, ""), |gene| {
        let model = Scripted::new(fine);
        let call = gene.diagnose(&with(&model), &granted(), &small());
        assert!(call.result.is_ok(), "{:?}", call.result);
        assert_eq!((model.asked(), call.turns.len()), (MAX_QUESTIONS, MAX_QUESTIONS));
        assert_eq!(lines(&call)[MAX_QUESTIONS..][..2], ["exhausted", "a gene may ask the model 16 times in one call"]);
    });
}

#[test]
fn a_prompt_that_is_too_long_is_not_sent() {
    for (bytes, says) in [(300 << 10, Some("the request has 307207 bytes, and the limit is 262144")), (50 << 20, None)]
    {
        everywhere(&guests::ask_model(1, bytes, ""), |gene| {
            let model = Scripted::new(fine);
            let call = gene.diagnose(&with(&model), &granted(), &small());
            assert_eq!(model.asked(), 0);
            match says {
                Some(says) => assert_eq!(lines(&call), ["invalid", says]),
                // More than the gene may put out at all.
                None => {
                    assert!(matches!(&call.result, Err(CallError::Budget { budget: Budget::Output, .. })), "{call:?}")
                }
            }
        });
    }
}

#[test]
fn waiting_for_the_model_is_not_the_gene_s_time_and_looping_is() {
    let budgets = Budgets { wall: Duration::from_millis(300), ..small() };
    everywhere(&guests::ask_model(2, 5, ""), |gene| {
        let model = Scripted::slow(fine, Duration::from_millis(700));
        let call = gene.diagnose(&with(&model), &granted(), &budgets);
        assert_eq!(lines(&call), ["answer 0", "answer 1"], "{:?}", call.result);
        assert!(call.usage.wall_us < 300_000, "{:?}", call.usage);
    });
    everywhere(&guests::ask_model(1, 5, "(loop $for_ever (br $for_ever))"), |gene| {
        let model = Scripted::slow(fine, Duration::from_millis(700));
        let began = Instant::now();
        let call = gene.diagnose(&with(&model), &granted(), &Budgets { fuel: u64::MAX, ..budgets });
        assert!(matches!(&call.result, Err(CallError::Budget { budget: Budget::Wall, .. })), "{:?}", call.result);
        assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    });
}

#[test]
fn a_stop_ends_the_call_at_once() {
    everywhere(&guests::ask_model(1000, 5, ""), |gene| {
        let model = Scripted::new(|_| Err(Unanswered::Stopped("interrupted".to_owned())));
        let call = gene.diagnose(&with(&model), &granted(), &small());
        assert_eq!(call.result, Err(CallError::Stopped { reason: "interrupted".to_owned() }));
        assert_eq!(model.asked(), 1);
    });
}

/// Records a call in the one sandbox.
fn recorded(store: &Store, component: &[u8]) -> (String, Recording) {
    let gene = IN_PROCESSES.load(component).unwrap();
    let (inputs, granted, budgets) = (with(&Scripted::new(fine)), granted(), small());
    let call = gene.diagnose(&inputs, &granted, &budgets);
    let taken =
        Taken::diagnosis(&gene, Terms { inputs: &inputs, granted: &granted, budgets: &budgets }, &call).unwrap();
    let keep = Keep { recordings: 5, bytes: 1 << 30 };
    let id = store.write(&[&taken], Timestamp::UNIX_EPOCH, keep).unwrap().remove(0);
    let (recording, _) = store.read(&id).unwrap();
    (id, recording)
}

#[test]
fn a_replay_answers_from_the_recording_and_asks_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(&Place::own(folder.path()));
    let (id, recording) = recorded(&store, &guests::ask_model(2, 5, ""));
    let (_, blobs) = store.read(&id).unwrap();
    for sandbox in [&*IN_THREADS, &*IN_PROCESSES] {
        let replayed = replay(sandbox, &recording, &blobs, None).unwrap();
        assert_eq!(replayed.differences, [], "{:?}", replayed.result);
    }
    let kept = std::fs::read_dir(folder.path().join("blobs")).unwrap();
    let kept: Vec<Vec<u8>> = kept.map(|entry| std::fs::read(entry.unwrap().path()).unwrap()).collect();
    let holds = |text: &[u8]| kept.iter().any(|blob| blob.windows(text.len()).any(|window| window == text));
    assert!(holds(b"answer 1") && holds(b"\"prompt\":\"redacted\"") && !holds(b"\"prompt\":\"xxxxx\""));
}

#[test]
fn a_replay_of_a_gene_that_asks_something_else_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(&Place::own(folder.path()));
    let (_, recording) = recorded(&store, &guests::ask_model(2, 5, ""));
    // The same recording over a component that asks something else.
    let (id, other) = recorded(&store, &guests::ask_model(2, 6, ""));
    let (_, blobs) = store.read(&id).unwrap();
    let mut forged = recording;
    forged.component = other.component;
    let replayed = replay(&IN_THREADS, &forged, &blobs, None).unwrap();
    let said: Vec<String> = replayed.differences.iter().map(ToString::to_string).collect();
    assert!(said[0].starts_with("call 0: recorded completion.complete sha256:"), "{said:?}");
    assert!(said[0].contains("12 bytes, now completion.complete sha256:"), "{said:?}");
    assert!(replayed.result.log != forged.result.log);
}
