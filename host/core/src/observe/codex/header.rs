//! The lines that Codex puts above an output: wall time, exit code and session id, up to `Output:`.

/// Most bytes of an output that are searched for its header.
const HEADER_BYTES: usize = 600;

/// What precedes an exit code.
pub(in crate::observe) const CODES: [&str; 2] = ["Process exited with code ", "Exit code: "];

/// The number after one of `names` at the start of a header line. The header ends at `Output:`.
pub(in crate::observe) fn header_number(text: &str, names: &[&str]) -> Option<i64> {
    header(text).find_map(|line| {
        let rest = names.iter().find_map(|name| line.strip_prefix(name))?;
        rest.trim().parse().ok()
    })
}

/// Milliseconds of `Wall time: 1.38 seconds`.
pub(super) fn wall_time(text: &str) -> Option<f64> {
    header(text).find_map(|line| {
        let seconds: f64 = line.strip_prefix("Wall time: ")?.split(' ').next()?.parse().ok()?;
        (seconds.is_finite() && seconds >= 0.0).then_some(seconds * 1000.0)
    })
}

fn header(text: &str) -> impl Iterator<Item = &str> {
    let end = text.floor_char_boundary(HEADER_BYTES);
    let head = text.get(..end).unwrap_or_default();
    head.lines().take_while(|line| *line != "Output:")
}
