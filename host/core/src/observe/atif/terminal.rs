//! What each of the commands printed that were typed into one terminal: the lines below its echo, up to the next echo.

/// What terminals' readers put above their text.
const HEADERS: [&str; 3] = ["New Terminal Output:", "Current Terminal Screen:", "Current Terminal Output:"];
/// The longest prompt, in bytes.
const MAX_PROMPT_BYTES: usize = 120;

/// The part of a screen that belongs to each input. If the screen does not show all of their echoes in order, the last input
/// has all of it.
pub(super) fn screens(screen: &str, inputs: &[&str]) -> Vec<String> {
    let text = HEADERS.iter().find_map(|header| screen.trim_start().strip_prefix(header)).unwrap_or(screen);
    let lines: Vec<&str> = text.trim_matches('\n').lines().collect();
    let whole = || {
        let mut parts = vec![String::new(); inputs.len()];
        parts.last_mut().into_iter().for_each(|last| *last = without_prompt(&lines).join("\n"));
        parts
    };
    let mut from = 0;
    let mut starts = Vec::with_capacity(inputs.len());
    for input in inputs {
        let Some(first) = input.lines().next().map(str::trim_end).filter(|line| !line.is_empty()) else {
            return whole();
        };
        let echo = lines.iter().skip(from).position(|line| is_echo(line.trim_end(), first));
        let Some(at) = echo.map(|at| from + at) else { return whole() };
        starts.push(at);
        from = at + 1;
    }
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    starts
        .iter()
        .zip(ends)
        .zip(inputs)
        .map(|((start, end), input)| {
            // Further lines of the input are echoed too.
            let echoed = input.trim_end().lines().count();
            let below = lines.get(start + 1..end).unwrap_or_default();
            let is_repeated = |(line, typed): &(&&str, &str)| line.ends_with(typed.trim_end());
            let repeated = below.iter().zip(input.lines().skip(1).take(echoed - 1)).take_while(is_repeated).count();
            without_prompt(below.get(repeated..).unwrap_or_default()).join("\n")
        })
        .collect()
}

/// Whether a line is a prompt and an input.
fn is_echo(line: &str, input: &str) -> bool {
    line.strip_suffix(input).is_some_and(|prompt| prompt.is_empty() || is_prompt(prompt))
}

fn is_prompt(text: &str) -> bool {
    let text = text.trim_end();
    text.len() <= MAX_PROMPT_BYTES && text.ends_with(['#', '$', '>', '%'])
}

/// The lines above the last prompt, which waits for the next input.
fn without_prompt<'l>(lines: &'l [&'l str]) -> &'l [&'l str] {
    let prompts = lines.iter().rev().take_while(|line| is_prompt(line) || line.trim().is_empty()).count();
    lines.get(..lines.len() - prompts).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_has_what_stands_below_its_echo() {
        let screen = "New Terminal Output:\nme@box:/app# ls\na.py\nme@box:/app# cat <<E\n> x\n> E\nx\nme@box:/app# false\nme@box:/app# ";
        assert_eq!(screens(screen, &["ls\n", "cat <<E\nx\nE\n", "false\n"]), ["a.py", "x", ""]);
        assert_eq!(screens("$ make\nmake: *** no rule\n$", &["make\n"]), ["make: *** no rule"]);
        // What was typed before the screen was cleared.
        assert_eq!(screens("me@box:/app# make\nall good", &["clear\n", "make\n"]), ["", "me@box:/app# make\nall good"]);
        assert_eq!(screens("done", &[""]), ["done"]);
        assert_eq!(screens("", &["ls\n"]), [""]);
        assert!(screens("x", &[]).is_empty());
    }

    #[test]
    fn an_output_that_repeats_the_command_is_no_echo() {
        assert_eq!(screens("# ls\nusage: ls\n#", &["ls\n"]), ["usage: ls"]);
    }
}
