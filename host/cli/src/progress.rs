//! A bar for long readings, on standard error and only where a person sees it. What is read in half a second has none.

use std::io::{IsTerminal as _, stderr};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use gephost_runner::observe::Meter;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long a reading may take before the bar is there.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often it is drawn.
const BEAT: Duration = Duration::from_millis(100);
/// Without colors, so that there are none to be turned off.
const STYLE: &str = "reading logs [{bar:30}] {bytes} of {total_bytes}, {eta} left";

/// Does the work, which counts what it reads if it is given a meter. Without one there is no bar.
pub(crate) fn during<T>(quiet: bool, work: impl FnOnce(Option<&Meter>) -> T) -> T {
    if quiet || !stderr().is_terminal() {
        return work(None);
    }
    let meter = Meter::default();
    thread::scope(|scope| {
        let (ended, end) = channel::<()>();
        let draw = || draw(&meter, end);
        // Without a thread there is no bar.
        let _ = thread::Builder::new().name("progress".to_owned()).spawn_scoped(scope, draw);
        let done = work(Some(&meter));
        drop(ended);
        done
    })
}

/// Draws until the other end of the channel is gone, and leaves nothing on the screen.
fn draw(meter: &Meter, end: Receiver<()>) {
    let goes_on = |patience| matches!(end.recv_timeout(patience), Err(RecvTimeoutError::Timeout));
    if !goes_on(PATIENCE) {
        return;
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(ProgressStyle::with_template(STYLE).expect("the template is a constant").progress_chars("=> "));
    loop {
        let (read, all) = meter.state();
        bar.set_length(all);
        bar.set_position(read.min(all));
        if !goes_on(BEAT) {
            return bar.finish_and_clear();
        }
    }
}
