//! Small damage to the text of a diff, of the kinds that make readers disagree.

use super::choices::Choices;

/// Lines that mean something to one reader or another.
const LINES: &[&str] = &[
    "--- a/docs/a.md",
    "+++ b/docs/a.md",
    "--- /dev/null",
    "+++ /dev/null",
    "--- a/a\t1970-01-01 00:00:00 +0000",
    "--- a/docs/b c.md",
    "diff --git a/a b/a",
    "diff --git a/a b/b",
    "diff --git a/x b/x b/x b/x",
    "new file mode 100644",
    "new file mode 100755",
    "deleted file mode 100644",
    "old mode 100644",
    "new mode 100755",
    "rename from a",
    "rename to b",
    "rename old a",
    "copy from a",
    "copy to b",
    "similarity index 100%",
    "index 0123456..789abcd 100644",
    "index 0000000..e69de29",
    "@@ -1 +1 @@",
    "@@ -0,0 +1 @@",
    "@@ -1 +0,0 @@",
    "@@ -1,0 +2 @@",
    "@@ -2,2 +2,3 @@",
    "@@ -01 +01 @@",
    "\\ No newline at end of file",
    "\\",
    "",
    " ",
    " a",
    "-a",
    "+a",
    "+b",
    "-- ",
    "2.43.0",
    "Index: a",
    "===================================================================",
    "GIT binary patch",
    "Binary files a/a and b/a differ",
    "prose",
    "X--- a/a",
];

/// Damages a text in up to three places; often in none.
pub(crate) fn mutate(text: String, choices: &mut Choices<'_>) -> String {
    let count = choices.of(&[0, 0, 0, 1, 1, 2]);
    (0..count).fold(text, |text, _| once(text, choices))
}

fn once(text: String, choices: &mut Choices<'_>) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    if lines.is_empty() {
        return text;
    }
    let at = choices.below(lines.len());
    match choices.below(11) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[at].clone()),
        2 => {
            let other = choices.below(lines.len());
            lines.swap(at, other);
        }
        3 => lines.insert(at, format!("{}\n", choices.of(LINES))),
        4 => lines[at] = format!("{}\n", choices.of(LINES)),
        5 => lines[at] = with_other_digit(&lines[at], choices),
        6 => lines[at] = lines[at].replace('\n', "\r\n"),
        7 => lines[at] = with_other_sign(&lines[at], choices),
        8 => drop(lines[at].pop()),
        9 => lines[at].insert_str(0, choices.of(&["\t", " ", "- ", "X"])),
        _ => lines[at] = lines[at].trim_end().to_owned() + choices.of(&["\t\n", " \n", "\tx\n", "\t(revision 1)\n"]),
    }
    lines.concat()
}

fn with_other_digit(line: &str, choices: &mut Choices<'_>) -> String {
    let places: Vec<usize> = line.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
    if places.is_empty() {
        return line.to_owned();
    }
    let at = choices.of(&places);
    let digit = choices.of(&["0", "1", "2", "3", "9", "", "10"]);
    format!("{}{digit}{}", &line[..at], &line[at + 1..])
}

fn with_other_sign(line: &str, choices: &mut Choices<'_>) -> String {
    let rest = line.get(1..).unwrap_or("\n");
    format!("{}{rest}", choices.of(&[" ", "+", "-", "\\", "@"]))
}
