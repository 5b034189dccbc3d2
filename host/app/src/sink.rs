//! Where use cases report what is not their result: notes and progress.

use std::fmt::Debug;

use gephost_runner::observe::Meter;

use crate::gene_call::GeneCall;

/// Something that the operator should know and that is not the result.
#[derive(Debug, Clone, Copy)]
pub enum Note<'a> {
    /// Something is wrong and the work goes on.
    Warning(&'a str),
    /// Something that explains the result.
    Info(&'a str),
    /// A step begins that takes a while. The text may hold text from outside.
    Step(&'a str),
    /// A gene failed. The sink may show how; the use case goes on or fails by itself.
    GeneFailed(&'a GeneCall),
}

/// Receives notes and progress. The command line prints them; a program that embeds gephost does what it likes.
pub trait Sink: Debug + Send + Sync {
    /// Takes a note. It is called from any thread, and what it does with the note is its own affair.
    fn note(&self, note: Note<'_>);

    /// Calls `work` once, with a meter if somebody wants to watch how far the reading of logs is.
    fn reading(&self, work: &mut dyn FnMut(Option<&Meter>)) {
        work(None);
    }
}

/// A sink that drops everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Sink for Silent {
    fn note(&self, _note: Note<'_>) {}
}

/// Does the work while the sink shows its progress.
pub(crate) fn while_reading<T>(sink: &dyn Sink, work: impl FnOnce(Option<&Meter>) -> T) -> T {
    let mut work = Some(work);
    let mut done = None;
    sink.reading(&mut |meter| {
        if let Some(work) = work.take() {
            done = Some(work(meter));
        }
    });
    match (done, work) {
        (Some(done), _) => done,
        // A sink that does not do the work cannot prevent it.
        (None, Some(work)) => work(None),
        (None, None) => unreachable!("the work is taken only to be done"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Lazy;

    impl Sink for Lazy {
        fn note(&self, _note: Note<'_>) {}
        fn reading(&self, _work: &mut dyn FnMut(Option<&Meter>)) {}
    }

    #[derive(Debug)]
    struct Eager;

    impl Sink for Eager {
        fn note(&self, _note: Note<'_>) {}
        fn reading(&self, work: &mut dyn FnMut(Option<&Meter>)) {
            let meter = Meter::default();
            work(Some(&meter));
            work(None);
        }
    }

    #[test]
    fn work_is_done_once_whatever_the_sink_does() {
        for sink in [&Silent as &dyn Sink, &Lazy, &Eager] {
            let mut times = 0;
            while_reading(sink, |_| times += 1);
            assert_eq!(times, 1, "{sink:?}");
        }
    }

    #[test]
    fn a_meter_of_the_sink_reaches_the_work() {
        assert!(while_reading(&Eager, |meter| meter.is_some()));
        assert!(!while_reading(&Silent, |meter| meter.is_some()));
    }
}
