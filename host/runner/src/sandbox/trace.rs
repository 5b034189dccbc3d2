//! The calls of a gene to the host, in order, for its author: requests of capabilities, and the functions of WASI.
//!
//! What must stay true: nothing is kept unless the budgets ask for it, at most as much as they allow is kept, and no
//! answer to the gene depends on it.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::printable::clip;
use crate::monotonic;

/// Most calls that a trace keeps, whatever the budgets say.
pub(super) const MAX_CALLS: usize = 100_000;

/// A call of a gene to the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostCall {
    /// The function: `CAPABILITY.FUNCTION` as in `wit/`, or `wasi:PACKAGE.FUNCTION`.
    pub function: Cow<'static, str>,
    /// The arguments. A handle is `#` and its number; of bytes, only the number is kept. Clipped at 512 bytes.
    pub arguments: String,
    /// `ok` or the error of a function of WASI; the host's decision on a request.
    pub outcome: Cow<'static, str>,
    /// What it returned, if that is short: a handle, a number, what is at a path.
    pub answer: String,
    /// Bytes that it returned.
    pub bytes: u64,
    /// Microseconds that the host took.
    pub micros: u64,
}

/// The calls of one call of a gene.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostCalls {
    /// The first ones.
    pub calls: Vec<HostCall>,
    /// How many more there were.
    pub omitted: u64,
}

impl HostCalls {
    /// Applies to a worker's calls what applies to those of this process.
    pub(super) fn check(&mut self, most: u32) {
        self.calls.truncate(usize::try_from(most).unwrap_or(MAX_CALLS).min(MAX_CALLS));
        for call in &mut self.calls {
            call.function = clip(&call.function).into();
            call.outcome = clip(&call.outcome).into();
            call.arguments = clip(&call.arguments);
            call.answer = clip(&call.answer);
        }
    }
}

/// Where calls are kept; nowhere if no trace is wanted. A clone keeps them in the same place.
#[derive(Debug, Clone, Default)]
pub(super) struct Trace(Option<Arc<Mutex<Kept>>>);

#[derive(Debug, Default)]
struct Kept {
    most: usize,
    calls: HostCalls,
    /// Whether a function of WASI is running. The requests that it records are part of its call.
    is_inside: bool,
}

impl Kept {
    fn keep(&mut self, call: impl FnOnce() -> HostCall) {
        if self.calls.calls.len() < self.most {
            self.calls.calls.push(call());
        } else {
            self.calls.omitted = self.calls.omitted.saturating_add(1);
        }
    }
}

/// A function of WASI that began.
pub(super) struct Begun {
    arguments: String,
    at: Instant,
}

impl Trace {
    /// A trace of at most so many calls.
    pub(super) fn new(most: u32) -> Self {
        let most = usize::try_from(most).unwrap_or(MAX_CALLS).min(MAX_CALLS);
        Self((most > 0).then(|| Arc::new(Mutex::new(Kept { most, ..Kept::default() }))))
    }

    fn with<T>(&self, change: impl FnOnce(&mut Kept) -> T) -> Option<T> {
        let kept = self.0.as_ref()?;
        Some(change(&mut kept.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Keeps a request of a capability.
    pub(super) fn request(&self, call: impl FnOnce() -> HostCall) {
        self.with(|kept| {
            if !kept.is_inside {
                kept.keep(call);
            }
        });
    }

    /// A function of WASI begins.
    pub(super) fn begin(&self, arguments: impl FnOnce() -> String) -> Option<Begun> {
        self.with(|kept| kept.is_inside = true)?;
        Some(Begun { arguments: arguments(), at: monotonic::now() })
    }

    /// A function of WASI that began is over.
    pub(super) fn end(&self, begun: Option<Begun>, function: &'static str, answer: &impl Answered) {
        let Some(Begun { arguments, at }) = begun else { return };
        let micros = u64::try_from(at.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.with(|kept| {
            kept.is_inside = false;
            kept.keep(|| {
                let Outcome { word: outcome, answer, bytes } = answer.outcome();
                let (arguments, answer) = (clip(&arguments), clip(&answer));
                HostCall { function: function.into(), arguments, outcome, answer, bytes, micros }
            });
        });
    }

    /// All calls, at the end.
    pub(super) fn take(&self) -> HostCalls {
        self.with(|kept| std::mem::take(&mut kept.calls)).unwrap_or_default()
    }
}

/// What a function answered, as a trace shows it.
pub(super) struct Outcome {
    /// `ok`, or what the function refused with.
    pub(super) word: Cow<'static, str>,
    pub(super) answer: String,
    pub(super) bytes: u64,
}

/// The answer of a function.
pub(super) trait Answered {
    /// The answer, in short.
    fn outcome(&self) -> Outcome;
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Answered for u64 {
        fn outcome(&self) -> Outcome {
            Outcome { word: "ok".into(), answer: self.to_string(), bytes: 8 }
        }
    }

    fn request() -> HostCall {
        let (function, outcome) = ("workspace.read".into(), "granted".into());
        HostCall { function, arguments: "a".into(), outcome, answer: String::new(), bytes: 1, micros: 0 }
    }

    #[test]
    fn without_a_budget_nothing_is_kept_and_no_argument_is_written() {
        let trace = Trace::new(0);
        trace.request(|| unreachable!("no trace is wanted"));
        let begun = trace.begin(|| unreachable!("no trace is wanted"));
        trace.end(begun, "wasi:io.read", &1_u64);
        assert_eq!(trace.take(), HostCalls::default());
    }

    #[test]
    fn calls_are_kept_in_order_up_to_the_bound_and_the_rest_is_counted() {
        let trace = Trace::new(3);
        trace.request(request);
        let begun = trace.begin(|| "#3 \u{1b}[31m".to_owned() + &"x".repeat(600));
        // What a function of WASI requests belongs to its own call.
        trace.clone().request(request);
        trace.end(begun, "wasi:io.read", &7_u64);
        for _ in 0..4 {
            trace.request(request);
        }
        let HostCalls { calls, omitted } = trace.take();
        let names: Vec<&str> = calls.iter().map(|call| &*call.function).collect();
        assert_eq!((names, omitted), (vec!["workspace.read", "wasi:io.read", "workspace.read"], 3));
        assert!(calls[1].arguments.len() <= 512 && !calls[1].arguments.contains('\u{1b}'), "{:?}", calls[1]);
        assert_eq!((calls[1].answer.as_str(), calls[1].bytes), ("7", 8));
    }

    #[test]
    fn a_worker_cannot_send_more_than_was_asked_for() {
        let call = HostCall { arguments: "\u{202e}x".into(), ..request() };
        let mut calls = HostCalls { calls: vec![call; 5], omitted: 0 };
        calls.check(2);
        assert_eq!(calls.calls.len(), 2);
        assert_eq!(calls.calls[0].arguments, " x");
    }
}
