//! Gives ids to calls that have none, and finds the call of a result without an id: the oldest one of that tool.

use std::borrow::Cow;
use std::collections::VecDeque;

use crate::observe::Transcript;
use crate::observe::reported::{End, Origin};

/// Most calls without an id that wait for their results.
const MAX_WAITING: usize = 64;
/// Longest code that is kept until its result, in bytes.
const MAX_CODE_BYTES: usize = 64 * 1024;

/// Calls without an id, of one session.
#[derive(Debug, Default)]
pub(super) struct Calls {
    count: u64,
    /// Id and tool.
    waiting: VecDeque<(String, String)>,
    /// Language and text of the code in the newest answer, which the next message may be the result of.
    pub(super) code: Option<(String, String)>,
}

impl Calls {
    /// An id for a call that has none.
    pub(super) fn add(&mut self, tool: &str) -> String {
        let id = self.unique();
        self.expect(&id, tool);
        id
    }

    /// Expects a result that may not name its call.
    pub(super) fn expect(&mut self, id: &str, tool: &str) {
        if self.waiting.len() >= MAX_WAITING {
            self.waiting.pop_front();
        }
        self.waiting.push_back((id.to_owned(), tool.to_owned()));
    }

    /// Expects no result of this call any more.
    pub(super) fn done(&mut self, id: &str) {
        self.waiting.retain(|(waiting, _)| waiting != id);
    }

    /// Forgets the calls of the answer before: their results would have come by now.
    pub(super) fn begin_answer(&mut self) {
        self.waiting.clear();
    }

    /// An id for a call whose result is in the same message.
    pub(super) fn unique(&mut self) -> String {
        self.count += 1;
        format!("call-{}", self.count)
    }

    /// The call whose result this is, if the result names at most its tool.
    pub(super) fn of_result(&mut self, tool: &str) -> Option<String> {
        let at = self.waiting.iter().position(|(_, name)| name == tool).unwrap_or(0);
        self.waiting.remove(at).map(|(id, _)| id)
    }

    /// Reports the end of a call. `id` and `tool` may be empty.
    pub(super) fn end(
        &mut self,
        id: &str,
        tool: &str,
        output: Cow<'_, str>,
        flagged: bool,
        origin: &Origin,
        out: &mut Transcript<'_>,
    ) {
        self.done(id);
        let id = if id.is_empty() { self.of_result(tool) } else { Some(id.to_owned()) };
        let end = End::as_stated(id.as_deref(), output, flagged);
        out.end_each(origin, End { tool: Some(tool), ..end });
    }

    /// Keeps the code in an answer, in case a harness runs it.
    pub(super) fn note_code(&mut self, answer: &str) {
        self.code = fenced(answer).filter(|(_, code)| code.len() <= MAX_CODE_BYTES);
    }
}

/// Language and text of the first fenced block.
fn fenced(text: &str) -> Option<(String, String)> {
    let (_, rest) = text.split_once("```")?;
    let (language, rest) = rest.split_once('\n')?;
    let (code, _) = rest.split_once("```")?;
    Some((language.trim().to_owned(), code.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_without_an_id_belongs_to_the_oldest_call_of_its_tool() {
        let mut calls = Calls::default();
        let ids = ["read", "grep", "read"].map(|tool| calls.add(tool));
        assert_eq!(calls.of_result("grep").as_ref(), ids.get(1));
        assert_eq!(calls.of_result("").as_ref(), ids.first());
        assert_eq!(calls.of_result("write").as_ref(), ids.get(2), "the only one left");
        assert_eq!(calls.of_result("read"), None);
        (0..200).for_each(|_| drop(calls.add("x")));
        assert_eq!(calls.waiting.len(), MAX_WAITING);
    }

    #[test]
    fn code_is_what_stands_in_a_fence() {
        let mut calls = Calls::default();
        calls.note_code("Run this:\n```sh\nmake test\n```\nor ```x```");
        assert_eq!(calls.code, Some(("sh".to_owned(), "make test".to_owned())));
        for text in ["no fence", "```", "```sh", "```sh\nopen"] {
            calls.note_code(text);
            assert_eq!(calls.code, None, "{text}");
        }
    }
}
