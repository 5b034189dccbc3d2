//! Codex' code mode: the model writes JavaScript that calls tools, and a rollout holds it as one call of `exec`.
//!
//! Each command, change of files and call of a server then has an event of its own (`item_completed`), with its real exit
//! code, between the call of `exec` and its output or after it. Those events are the calls; the script around them is
//! one only if it failed, or if it called something that has no such event. A log without such events has only the
//! script: its commands are the string literals after `cmd`, and their codes are what the script printed.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::items::MAX_REMEMBERED;
use super::shape::Payload;
use crate::observe::Transcript;
use crate::observe::content::{BoundedList, Text, lenient};
use crate::observe::input::command_of_words;
use crate::observe::reported::{End, Origin, Start};
use crate::permission;

/// Most commands of one script that are told apart.
const MAX_COMMANDS: usize = 32;

/// What an `item_completed` says was completed.
#[derive(Deserialize)]
pub(super) struct Item<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    content: Text<'a>,
    #[serde(borrow, default)]
    source: Text<'a>,
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(default)]
    command: BoundedList<String>,
    #[serde(borrow, default)]
    aggregated_output: Text<'a>,
    #[serde(default)]
    exit_code: Option<i64>,
    #[serde(default, deserialize_with = "lenient")]
    duration: Option<Duration>,
    #[serde(borrow, default)]
    changes: Option<&'a RawValue>,
    #[serde(borrow, default)]
    stdout: Text<'a>,
    #[serde(borrow, default)]
    stderr: Text<'a>,
    #[serde(borrow, default)]
    server: Text<'a>,
    #[serde(borrow, default)]
    tool: Text<'a>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Text<'a>,
    #[serde(borrow, default)]
    error: Text<'a>,
}

#[derive(Deserialize)]
struct Duration {
    #[serde(default)]
    secs: u32,
    #[serde(default)]
    nanos: u32,
}

/// The part of an item that is a message.
pub(super) enum Message<'a> {
    ByUser(Text<'a>),
    ByAgent(Text<'a>),
}

impl<'a> Item<'a> {
    /// The item of a payload.
    pub(super) fn of(payload: &Payload<'a>) -> Option<Self> {
        serde_json::from_str(payload.item?.get()).ok()
    }

    /// The message, if it is one.
    pub(super) fn message(self) -> Option<Message<'a>> {
        match &*self.kind.0 {
            "UserMessage" => Some(Message::ByUser(self.content)),
            "AgentMessage" => Some(Message::ByAgent(self.content)),
            _ => None,
        }
    }

    pub(super) fn id(&self) -> &str {
        &self.id.0
    }

    /// Whether it failed, if it is a call.
    pub(super) fn failed(&self) -> Option<bool> {
        let is_call = matches!(&*self.kind.0, "CommandExecution" | "FileChange" | "McpToolCall");
        is_call.then(|| self.exit_code.map_or(self.status.0 == "failed", |code| code != 0))
    }

    /// The tool and its input; whether the input is a command. `None` if it is no call of the agent.
    fn call(&self) -> Option<(Cow<'_, str>, Cow<'_, str>, bool)> {
        match &*self.kind.0 {
            "CommandExecution" if self.source.0 != "user_shell" => {
                Some((Cow::Borrowed("exec_command"), Cow::Owned(command_of_words(&self.command)?), true))
            }
            "FileChange" => Some((Cow::Borrowed("apply_patch"), Cow::Owned(self.patch()), false)),
            "McpToolCall" => {
                let tool = format!("mcp__{}__{}", self.server.0, self.tool.0);
                Some((Cow::Owned(tool), Cow::Borrowed(self.arguments.map_or("", RawValue::get)), false))
            }
            _ => None,
        }
    }

    /// The files that are changed, in the form of the patch that changed them.
    fn patch(&self) -> String {
        #[derive(Deserialize)]
        struct Change<'a> {
            #[serde(borrow, rename = "type", default)]
            kind: Text<'a>,
        }
        let changes = self.changes.and_then(|raw| serde_json::from_str::<BTreeMap<String, Change<'_>>>(raw.get()).ok());
        let lines: Vec<String> = changes
            .unwrap_or_default()
            .into_iter()
            .map(|(path, change)| match &*change.kind.0 {
                "add" => format!("*** Add File: {path}"),
                "delete" => format!("*** Delete File: {path}"),
                _ => format!("*** Update File: {path}"),
            })
            .collect();
        format!("*** Begin Patch\n{}\n*** End Patch", lines.join("\n"))
    }

    /// What it printed or answered.
    fn output(&self) -> Cow<'_, str> {
        let printed = [&self.aggregated_output, &self.error, &self.result, &self.stdout];
        let printed = printed.into_iter().find(|text| !text.0.is_empty()).map_or("", |text| &*text.0);
        if self.kind.0 == "FileChange" && !self.stderr.0.is_empty() {
            return Cow::Owned(format!("{printed}\n{}", self.stderr.0).trim_start().to_owned());
        }
        Cow::Borrowed(printed)
    }
}

/// Scripts whose output has not come yet.
#[derive(Default)]
pub(super) struct Scripts {
    /// The script of each call, by call id.
    waiting: HashMap<String, (Origin, String)>,
    /// Whether this log holds the calls of its scripts as events.
    has_items: bool,
}

impl Scripts {
    pub(super) fn is_settled(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Holds a script back until its output comes. False if it is none.
    pub(super) fn hold(&mut self, origin: &Origin, payload: &Payload<'_>) -> bool {
        let (Some(id), Some(script)) = (payload.call(), payload.script()) else { return false };
        let has_room = self.waiting.len() < MAX_REMEMBERED;
        if has_room {
            self.waiting.insert(id.to_owned(), (origin.clone(), script.to_owned()));
        }
        has_room
    }

    /// Reports a call that a script made.
    pub(super) fn item(&mut self, origin: &Origin, item: &Item<'_>, out: &mut Transcript<'_>) {
        let Some((tool, input, is_command)) = item.call() else { return };
        if !std::mem::replace(&mut self.has_items, true) {
            // What follows is read differently from now on, also when reading resumes.
            out.keep_line();
        }
        let call_id = Some(item.id()).filter(|id| !id.is_empty());
        let duration_ms = item.duration.as_ref().map(|d| f64::from(d.secs) * 1e3 + f64::from(d.nanos) / 1e6);
        let script = self.waiting.values().map(|(_, script)| script).find(|script| is_only_command(script, &input));
        let input = match script {
            Some(script) => with_permission(script, input),
            None => input,
        };
        out.start(origin, &Start { call_id, tool: &tool, input, is_command });
        let flagged = item.failed() == Some(true);
        let end =
            End { call_id, tool: Some(&tool), output: item.output(), exit_code: item.exit_code, ..End::default() };
        out.end(origin, &End { failed_by_event: flagged, duration_ms, untimed: true, ..end });
    }

    /// Reports the output of a script. False if it is of another call.
    pub(super) fn end(&mut self, origin: &Origin, payload: &Payload<'_>, out: &mut Transcript<'_>) -> bool {
        let Some(id) = payload.call() else { return false };
        let Some((began, script)) = self.waiting.remove(id) else { return false };
        let text = &*payload.output.0;
        let body = text.split_once("Output:\n").map_or(text, |(_, body)| body.trim_start_matches('\n'));
        let failed = text.starts_with("Script failed");
        if self.has_items && !failed {
            if let Some(tool) = tools(&script).find(|tool| !has_item(tool)) {
                report(&began, origin, &Made { tool, ..Made::whole(script.as_str().into(), body) }, id, false, out);
            }
            return true;
        }
        for made in calls(&script, body, failed) {
            report(&began, origin, &made, id, failed, out);
        }
        true
    }

    /// Reports the scripts that have no output.
    pub(super) fn finish(&mut self, out: &mut Transcript<'_>) {
        let mut rest: Vec<_> = self.waiting.drain().collect();
        rest.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        for (id, (origin, script)) in rest {
            out.start(&origin, &Start { call_id: Some(&id), tool: "exec", input: script.into(), is_command: false });
        }
    }
}

/// Whether a script runs this command and no other.
fn is_only_command(script: &str, command: &str) -> bool {
    script.contains(ESCALATED) && matches!(commands(script).as_slice(), [one] if *one == command)
}

/// The command of a script, with the wider permission that the script asks for.
fn with_permission<'c>(script: &str, command: Cow<'c, str>) -> Cow<'c, str> {
    let [argument, ..] = permission::ARGUMENTS;
    if script.contains(argument) && script.contains(ESCALATED) {
        permission::shown(&command, argument, ESCALATED).into()
    } else {
        command
    }
}

/// A call that a script made, as far as the script and its output tell.
struct Made<'s> {
    /// Its place in the script; `None` if it stands for the whole script.
    number: Option<usize>,
    tool: &'s str,
    input: Cow<'s, str>,
    is_command: bool,
    output: &'s str,
    exit_code: Option<i64>,
}

impl<'s> Made<'s> {
    /// The script as one call.
    fn whole(input: Cow<'s, str>, output: &'s str) -> Self {
        Self { number: None, tool: "exec", input, is_command: false, output, exit_code: None }
    }
}

/// The calls of a script whose calls have no events of their own: each command, if the output can be parted, and a patch in
/// front of them.
fn calls<'s>(script: &'s str, output: &'s str, failed: bool) -> Vec<Made<'s>> {
    let (commands, first) = (commands(script), tools(script).next());
    let patch = written_patch(script);
    if commands.is_empty() {
        let input = patch.map_or(Cow::Borrowed(script), Cow::Owned);
        return vec![Made { tool: first.unwrap_or("exec"), ..Made::whole(input, output) }];
    }
    let of_command = |command: String, permission: bool, output, exit_code| {
        let input = if permission { with_permission(script, command.into()) } else { command.into() };
        Made { tool: "exec_command", is_command: true, exit_code, ..Made::whole(input, output) }
    };
    if failed {
        return vec![of_command(commands.join("\n"), true, output, None)];
    }
    // A script that goes on behind its patch has applied it.
    let patch = patch.filter(|_| first == Some("apply_patch"));
    let patch = patch.map(|patch| Made { number: Some(0), tool: "apply_patch", ..Made::whole(patch.into(), "") });
    let mut made: Vec<Made<'_>> = patch.into_iter().collect();
    if let Some(results) = results(output, commands.len()) {
        let is_only = commands.len() == 1;
        for (number, (command, (code, part))) in commands.into_iter().zip(results).enumerate() {
            made.push(Made { number: Some(number + 1), ..of_command(command, is_only, part, code) });
        }
    } else {
        made.push(of_command(commands.join("\n"), true, output, None));
    }
    made
}

/// Reports a call and its end.
fn report(began: &Origin, ended: &Origin, made: &Made<'_>, script: &str, flagged: bool, out: &mut Transcript<'_>) {
    let id = made.number.map_or(Cow::Borrowed(script), |number| format!("{script}/{number}").into());
    let (call_id, is_command, exit_code) = (Some(&*id), made.is_command, made.exit_code);
    out.start(began, &Start { call_id, tool: made.tool, input: made.input.as_ref().into(), is_command });
    // A script that prints only the output of its command hides the code.
    let no_exit_codes = is_command && exit_code.is_none() && !flagged;
    let end = End { call_id, output: made.output.into(), exit_code, flagged, no_exit_codes, ..End::default() };
    out.end(ended, &end);
}

/// The permission to run outside of the sandbox.
const ESCALATED: &str = "require_escalated";

/// Whether each call of the tool has an event of its own, or only waits for one that has.
fn has_item(tool: &str) -> bool {
    matches!(tool, "exec_command" | "write_stdin" | "apply_patch") || tool.starts_with("mcp__")
}

/// The tools that a script calls: what follows `tools.`.
fn tools(script: &str) -> impl Iterator<Item = &str> {
    script.split("tools.").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        (end > 0 && rest[end..].starts_with('(')).then(|| &rest[..end])
    })
}

/// The string literals after `cmd:`, in order.
fn commands(script: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in script.match_indices("cmd") {
        let rest = script[at + 3..].trim_start_matches(['"', '\'']).trim_start();
        let literal = rest.strip_prefix(':').map(str::trim_start).and_then(literal);
        found.extend(literal);
        if found.len() == MAX_COMMANDS {
            break;
        }
    }
    found
}

/// The patch that a script holds as a string literal.
fn written_patch(script: &str) -> Option<String> {
    let quote = script.find("*** Begin Patch")?.checked_sub(1)?;
    literal(script.get(quote..)?)
}

/// The value of the JavaScript string that a text begins with. What a template inserts stays as it is written.
fn literal(text: &str) -> Option<String> {
    let mut chars = text.chars();
    let quote = chars.next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let mut value = String::new();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                'r' => value.push('\r'),
                'u' => {
                    let digits = chars.as_str().get(..4)?;
                    value.push(u32::from_str_radix(digits, 16).ok().and_then(char::from_u32).unwrap_or('\u{fffd}'));
                    chars = chars.as_str()[4..].chars();
                }
                '\n' => {}
                escaped => value.push(escaped),
            },
            c if c == quote => return Some(value),
            c => value.push(c),
        }
    }
    None
}

/// The exit codes that a script printed for its commands, each with what follows it; `None` if they are not as many. One
/// command needs no code.
fn results(body: &str, commands: usize) -> Option<Vec<(Option<i64>, &str)>> {
    let mut marks: Vec<(usize, usize, i64)> = Vec::new();
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        if let Some(code) = printed_code(line) {
            marks.push((at, at + line.len(), code));
            if marks.len() > commands {
                break;
            }
        }
        at += line.len();
    }
    if commands == 1 && marks.len() != 1 {
        return Some(vec![(None, body)]);
    }
    if marks.len() != commands {
        return None;
    }
    let ends = marks.iter().skip(1).map(|(start, ..)| *start).chain([body.len()]);
    Some(marks.iter().zip(ends).map(|((_, from, code), to)| (Some(*code), &body[*from..to])).collect())
}

/// The code of a line like `exit=1` or `---RESULT 2 exit=1---`.
fn printed_code(line: &str) -> Option<i64> {
    const LONGEST: usize = 60;
    let line = line.trim_end();
    let (before, after) = line.split_once("exit=").or_else(|| line.split_once("exit_code="))?;
    let is_mark = line.len() <= LONGEST && before.chars().all(|c| c.is_ascii_alphanumeric() || "-=[# :".contains(c));
    let digits = after.trim_end_matches(['-', '=', ']', '#', ' ', ':']);
    is_mark.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_the_literals_after_their_name() {
        let script = r#"const r = await tools.exec_command({cmd: "git add \"a b\" && ls", workdir: "/r"});
            const all = await Promise.all([tools.exec_command({"cmd":'npm test'}), tools.exec_command({cmd:`a\n${x}`})]);
            text(await tools.exec_command({cmd: line})); tools.update_plan({});"#;
        assert_eq!(commands(script), ["git add \"a b\" && ls", "npm test", "a\n${x}"]);
        assert_eq!(tools(script).last(), Some("update_plan"));
        assert_eq!(literal("\"never ends"), None);
        let patch = "const p = \"*** Begin Patch\\n*** Update File: a.ts\\n\"; await tools.apply_patch(p);";
        assert_eq!(written_patch(patch).as_deref(), Some("*** Begin Patch\n*** Update File: a.ts\n"));
        assert_eq!(literal("\"\\u00e4\"").as_deref(), Some("ä"));
    }

    #[test]
    fn the_permission_of_a_script_stands_behind_its_command() {
        let script = r#"text(await tools.exec_command({cmd: "curl a", sandbox_permissions: "require_escalated"}));"#;
        assert!(is_only_command(script, "curl a") && !is_only_command(script, "curl b"));
        assert_eq!(with_permission(script, "curl a".into()), "curl a  # sandbox_permissions=require_escalated");
        let without = r#"text(await tools.exec_command({cmd: "curl a"}));"#;
        assert!(!is_only_command(without, "curl a"));
        assert_eq!(with_permission(without, "curl a".into()), "curl a");
    }

    #[test]
    fn printed_codes_part_the_output() {
        assert_eq!(results("exit=101\nerror: x\n", 1), Some(vec![(Some(101), "error: x\n")]));
        assert_eq!(results("no code\n", 1), Some(vec![(None, "no code\n")]));
        let two = "---RESULT 1 exit=0---\na\n---RESULT 2 exit=1---\nb\n";
        assert_eq!(results(two, 2), Some(vec![(Some(0), "a\n"), (Some(1), "b\n")]));
        assert_eq!(results(two, 3), None, "not as many as commands");
        for other in
            ["the program has exit=1 somewhere in a sentence, which says nothing about the call\n", "exit=running\n"]
        {
            assert_eq!(printed_code(other), None, "{other}");
        }
    }
}
