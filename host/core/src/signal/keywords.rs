//! Words that raise a signal, in several languages: in the output of a failure, and in messages of the user.

use std::sync::LazyLock;

use crate::expressions::{Dialect, LazySet};

/// Signals for the output of a failure, each with its expression.
const OF_FAILURE: &[(&str, &str)] = &[
    (
        "crash",
        r"(?i)segmentation fault|core dumped|panicked at|(?-u:\b)SIG(?:SEGV|ABRT|BUS|ILL)(?-u:\b)|out of memory|heap limit|崩溃|クラッシュ",
    ),
    ("timeout", r"(?i)timed out|(?-u:\b)timeout(?-u:\b)|deadline exceeded|ETIMEDOUT|超时|タイムアウト"),
    (
        "unstable",
        r"(?i)(?-u:\b)flaky(?-u:\b)|(?-u:\b)intermittent|socket hang up|ECONNRESET|connection reset|(?-u:\b)(?:429|502|503|529)(?-u:\b)|overloaded",
    ),
    (
        "windows_shell_incompatible",
        r"(?i)is not recognized as an internal or external command|is not recognized as the name of a cmdlet|CommandNotFoundException|(?-u:\b)powershell(?-u:\b)[^\n]*(?:not|error)",
    ),
    (
        "linux_path_issue",
        r"(?i)no such file or directory[^\n]*[a-z]:\\|[a-z]:\\[^\n]*no such file or directory|\\\\[^\n]*ENOENT",
    ),
    (
        "capability_gap",
        r"(?i)not (?:supported|implemented|available) (?:on|in|by|for)|unsupported|command not found|no module named|unknown (?:command|tool|subcommand)|不支持|サポートされていません",
    ),
    (
        "memory_missing",
        r"(?i)memory(?:\.md)? (?:is )?missing|MEMORY\.md[^\n]*(?:no such file|not found|does not exist)",
    ),
    ("user_missing", r"(?i)USER\.md[^\n]*(?:no such file|not found|does not exist|missing)"),
    ("perf_bottleneck", r"(?i)too slow|slow query|high latency|performance (?:bottleneck|regression)|性能瓶颈"),
];

/// Signals for a message of the user.
const OF_PERSON: &[(&str, &str)] = &[
    (
        "user_feature_request",
        concat!(
            r"(?i)(?-u:\b)(?:add|implement|create|build|develop|design|introduce|support)(?-u:\b)[^.?!\n]+(?-u:\b)(?:feature|function|flag|option|module|tool|command|endpoint|page|button|mode|api|field|test|support|capability|screen|dialog|script)s?(?-u:\b)",
            r"|(?-u:\b)(?:i|we) (?:want|need|would like|'d like)(?-u:\b)[^.?!\n]{3,}|(?-u:\b)please (?:add|implement|create|build|support)(?-u:\b)|(?-u:\b)can (?:you|we) (?:also )?(?:add|implement|create|build|make|have)(?-u:\b)",
            r"|(?-u:\b)feature request(?-u:\b)|加(?:个|一个|上)|新增|增加(?:一个|个)?|实现(?:一个|个)?|我想要?|需要(?:一个|支持)|希望.*(?:支持|添加|增加)|帮我(?:做|写|加)",
            r"|追加して|実装して|作って|ほしい|欲しい|機能.*(?:追加|要望)|추가해|구현해|bitte (?:füge|baue|erstelle)|ajout(?:e|ez) |añad(?:e|ir) |agrega(?:r)? ",
        ),
    ),
    (
        "user_improvement_suggestion",
        concat!(
            r"(?i)(?-u:\b)(?:could|should|would) be (?:better|simpler|faster|cleaner|nicer)(?-u:\b)|(?-u:\b)improv(?:e|ing|ement)(?-u:\b)|(?-u:\b)enhance(?-u:\b)|(?-u:\b)refactor(?-u:\b)|(?-u:\b)clean(?:ing)? up(?-u:\b)|(?-u:\b)simplify(?-u:\b)|(?-u:\b)streamline(?-u:\b)|(?-u:\b)optimi[sz]e(?-u:\b)",
            r"|改进|改善|优化|重构|简化|最適化|リファクタ|개선|최적화|verbesser|amélior|mejora",
        ),
    ),
    (
        "perf_bottleneck",
        r"(?i)(?-u:\b)(?:too|very|so|really) slow(?-u:\b)|(?-u:\b)takes (?:too long|forever)(?-u:\b)|(?-u:\b)latency(?-u:\b)|太慢|很慢|遅い|重い|느려|zu langsam|trop lent|muy lento",
    ),
    (
        "capability_gap",
        r"(?i)(?-u:\b)(?:can't|cannot|can not|doesn't|does not) (?:you |it )?(?:support|handle)(?-u:\b)|不支持|対応していない",
    ),
    ("protocol", r"(?i)(?-u:\b)protocols?(?-u:\b)|协议|プロトコル"),
    ("gep", r"(?i)(?-u:\b)gep(?-u:\b)|genome evolution protocol"),
    ("prompt", r"(?i)(?-u:\b)(?:system )?prompts?(?-u:\b)|提示词|プロンプト"),
    ("audit", r"(?i)(?-u:\b)audit(?:s|ing|able)?(?-u:\b)|审计|監査"),
    ("reusable", r"(?i)(?-u:\b)re-?us(?:e|able|ing)(?-u:\b)|复用|再利用"),
    (
        "external_opportunity",
        r"(?i)(?-u:\b)saw (?:this|that|a) (?:tool|library|article|paper)(?-u:\b)|(?-u:\b)have you seen(?-u:\b)|外部机会",
    ),
];

/// Signals whose name quotes the user.
pub(super) const QUOTED: [&str; 2] = ["user_feature_request", "user_improvement_suggestion"];

/// Most bytes of a user's message that are searched. What follows is mostly pasted.
const MAX_SAID: usize = 4096;

static FAILURE_SET: LazyLock<LazySet> =
    LazyLock::new(|| LazySet::new(Dialect::Unicode, OF_FAILURE.iter().map(|(_, pattern)| *pattern)));

static PERSON_SET: LazyLock<LazySet> =
    LazyLock::new(|| LazySet::new(Dialect::Unicode, OF_PERSON.iter().map(|(_, pattern)| *pattern)));

/// Signals in the output of a failure.
pub(super) fn of_failure(text: &str) -> impl Iterator<Item = &'static str> {
    FAILURE_SET.matches(text).into_iter().filter_map(|index| OF_FAILURE.get(index)).map(|(name, _)| *name)
}

/// Signals in a message of the user, each with the line that raised it.
pub(super) fn of_person(text: &str) -> impl Iterator<Item = (&'static str, &str)> {
    let text = text.get(..text.floor_char_boundary(MAX_SAID)).unwrap_or_default();
    PERSON_SET.find_each(text).into_iter().filter_map(move |(at, found)| {
        let (name, _) = OF_PERSON.get(at)?;
        let start = text.get(..found.start)?.rfind('\n').map_or(0, |end| end + 1);
        let line = text.get(start..)?.lines().next()?;
        Some((*name, line.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expressions::agrees_with_regex;

    #[test]
    fn the_expressions_answer_like_regex() {
        let patterns = |all: &[(&str, &'static str)]| all.iter().map(|(_, pattern)| *pattern).collect::<Vec<_>>();
        agrees_with_regex(Dialect::Unicode, &patterns(OF_FAILURE));
        agrees_with_regex(Dialect::Unicode, &patterns(OF_PERSON));
    }
}
