//! Lines of a test that a change puts in the place of others.

use std::collections::{BTreeMap, BTreeSet};

use super::balance::Place;
use super::phrase::{self, Phrase, has};
use super::ranks::rank;
use super::text::Text;
use super::tokens::{difference, is_number, is_string, is_word, parts, says, tokens, words_of};
use super::verbs;

/// A line, and the one in its place.
pub(super) struct Pair<'a> {
    pub(super) old: &'a Phrase<'a>,
    pub(super) new: &'a Phrase<'a>,
    gone: Vec<usize>,
    come: Vec<usize>,
}

/// Lines of one side that the other side has not, without the space around them.
pub(super) fn unmatched<'a>(
    lines: &'a [(String, String)],
    places: &[Place],
    others: &[(String, String)],
) -> Vec<Phrase<'a>> {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, said) in others {
        *known.entry(said.trim()).or_default() += 1;
    }
    let is_new = |(line, _): &(&str, Place)| match known.get_mut::<str>(line) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => !line.is_empty(),
    };
    let said = lines.iter().map(|(_, said)| said.trim()).zip(places.iter().copied());
    said.filter(is_new).map(|(line, place)| Phrase::of(line, place)).collect()
}

/// How much two lines must share, in percent, to be a pair: in one hunk, and in different ones.
const ALIKE: usize = 50;
const ALIKE_AFAR: usize = 70;

/// Most lines that one line is compared with.
const MOST: usize = 64;

/// Pairs of lines that are alike, and what is left on both sides.
pub(super) fn pairs<'a>(
    removed: &'a [Phrase<'a>],
    added: &'a [Phrase<'a>],
) -> (Vec<Pair<'a>>, Vec<&'a Phrase<'a>>, Vec<&'a Phrase<'a>>) {
    let near = Near::of(added);
    let mut taken = BTreeSet::new();
    let (mut found, mut left) = (Vec::new(), Vec::new());
    for old in removed {
        let rate = |new: &Phrase<'_>| {
            let same_start = if old.tokens.first() == new.tokens.first() { 20 } else { 0 };
            let holds = new.line.contains(old.line.trim_end_matches(';'));
            let rate = same_start + if holds { 100 } else { likeness(&old.tokens, &new.tokens) };
            let least = if old.place.hunk == new.place.hunk { ALIKE } else { ALIKE_AFAR };
            (rate >= least).then_some(rate)
        };
        let free = near.candidates(old).filter(|at| !taken.contains(at));
        let rated = free.filter_map(|at| Some((rate(added.get(at)?)?, at)));
        // Of those that are as alike, the first.
        let best = rated.max_by_key(|(rate, at)| (*rate, std::cmp::Reverse(*at)));
        let pair = best.and_then(|(_, at)| {
            let new = added.get(at)?;
            let (gone, come) = difference(&old.tokens, &new.tokens)?;
            taken.insert(at);
            Some(Pair { old, new, gone, come })
        });
        match pair {
            Some(pair) => found.push(pair),
            None => left.push(old),
        }
    }
    let left = only_checks(left, added, &mut taken, &mut found);
    let rest = added.iter().enumerate().filter(|(at, _)| !taken.contains(at)).map(|(_, new)| new);
    (found, left, rest.collect())
}

/// Where one check is gone from a hunk and one has come, they are a pair however little they have in common. Returns what is
/// left of the removed lines.
fn only_checks<'a>(
    left: Vec<&'a Phrase<'a>>,
    added: &'a [Phrase<'a>],
    taken: &mut BTreeSet<usize>,
    found: &mut Vec<Pair<'a>>,
) -> Vec<&'a Phrase<'a>> {
    let mut old: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut new = old.clone();
    let asks = |phrase: &Phrase<'_>| phrase.checks() && phrase.words_of_checks() > 0;
    for (at, _) in left.iter().enumerate().filter(|(_, phrase)| asks(phrase)) {
        old.entry(left.get(at).map_or(0, |phrase| phrase.place.hunk)).or_default().push(at);
    }
    for (at, phrase) in added.iter().enumerate().filter(|(at, phrase)| !taken.contains(at) && asks(phrase)) {
        new.entry(phrase.place.hunk).or_default().push(at);
    }
    let mut paired = BTreeSet::new();
    for (hunk, olds) in &old {
        let ([was], Some([is])) = (olds.as_slice(), new.get(hunk).map(Vec::as_slice)) else { continue };
        let (Some(old), Some(new)) = (left.get(*was), added.get(*is)) else { continue };
        if let Some((gone, come)) = difference(&old.tokens, &new.tokens) {
            taken.insert(*is);
            paired.insert(*was);
            found.push(Pair { old, new, gone, come });
        }
    }
    left.into_iter().enumerate().filter(|(at, _)| !paired.contains(at)).map(|(_, phrase)| phrase).collect()
}

/// The added lines by their tokens, so that each removed line is compared with few of them.
struct Near<'a> {
    lines: BTreeMap<&'a str, Vec<usize>>,
    count: usize,
}

impl<'a> Near<'a> {
    fn of(added: &'a [Phrase<'a>]) -> Self {
        let mut lines: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, phrase) in added.iter().enumerate() {
            let tokens: BTreeSet<&str> = phrase.tokens.iter().copied().collect();
            for token in tokens {
                lines.entry(token).or_default().push(at);
            }
        }
        Self { lines, count: added.len() }
    }

    /// The lines that share the rarest tokens of this one. If there are few lines, all of them.
    fn candidates(&self, old: &Phrase<'_>) -> impl Iterator<Item = usize> {
        let all = if self.count <= MOST { 0..self.count } else { 0..0 };
        let mut near = BTreeSet::new();
        if all.is_empty() {
            let tokens: BTreeSet<&str> = old.tokens.iter().copied().collect();
            let mut lists: Vec<&Vec<usize>> = tokens.iter().filter_map(|token| self.lines.get(token)).collect();
            lists.sort_by_key(|list| list.len());
            near.extend(lists.into_iter().flatten().copied().take(MOST));
        }
        all.chain(near)
    }
}

/// How many tokens two lines share, in percent.
fn likeness(old: &[&str], new: &[&str]) -> usize {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for token in new {
        *known.entry(token).or_default() += 1;
    }
    let mut shared = 0;
    for token in old {
        if let Some(count) = known.get_mut(token).filter(|count| **count > 0) {
            *count -= 1;
            shared += 1;
        }
    }
    shared * 200 / (old.len() + new.len()).max(1)
}

impl<'a> Pair<'a> {
    pub(super) fn of(old: &'a Phrase<'a>, new: &'a Phrase<'a>) -> Option<Self> {
        let (gone, come) = difference(&old.tokens, &new.tokens)?;
        Some(Self { old, new, gone, come })
    }
}

impl Pair<'_> {
    /// The most that a word which is gone asked for. Where it must be, it is only a word that is called or asked of a thing.
    pub(super) fn ranked(&self, is_lost: &dyn Fn(&str) -> bool, is_called: bool) -> Option<u8> {
        let token = |at: Option<usize>| at.and_then(|at| self.old.tokens.get(at)).copied().unwrap_or_default();
        let asks =
            |at: usize| !is_called || ["(", "!"].contains(&token(Some(at + 1))) || token(at.checked_sub(1)) == ".";
        let named = self.gone.iter().filter(|at| is_lost(token(Some(**at))) && asks(**at));
        let words = named.filter_map(|at| rank(token(Some(*at)))).max();
        let equals = |at: &usize| {
            let own = token(Some(*at));
            ["==", "==="].contains(&own) || own == "?" && token(Some(at + 1)) == "="
        };
        // `== approx(…)` asks for what is near.
        let is_near = self.gone().any(|token| has(token, &["almost", "approx", "close", "near"]));
        let most = words.max(self.gone.iter().any(equals).then_some(4));
        most.map(|most| if is_near { most.min(3) } else { most })
    }

    /// The one token that gave way to another one, by their places.
    pub(super) fn single(&self) -> Option<(usize, usize)> {
        match (self.gone.as_slice(), self.come.as_slice()) {
            ([gone], [come]) => Some((*gone, *come)),
            _ => None,
        }
    }

    /// Whether the verb of a check that something fails was replaced by another one that may ask as much.
    pub(super) fn is_reworded(&self) -> bool {
        self.come().any(verbs::is_strong)
    }

    pub(super) fn gone(&self) -> impl Iterator<Item = &str> {
        self.gone.iter().filter_map(|at| self.old.tokens.get(*at).copied())
    }

    /// The same without the names of things whose parts are named.
    pub(super) fn gone_but_owners(&self) -> impl Iterator<Item = &str> {
        let is_owner = |at: usize| self.old.tokens.get(at + 1).is_some_and(|sign| [".", "::", "->"].contains(sign));
        let is_word = |at: usize| self.old.tokens.get(at).is_some_and(|token| is_word(token));
        let rest = self.gone.iter().filter(move |at| !(is_word(**at) && is_owner(**at)));
        rest.filter_map(|at| self.old.tokens.get(*at).copied())
    }

    pub(super) fn come(&self) -> impl Iterator<Item = &str> {
        self.come.iter().filter_map(|at| self.new.tokens.get(*at).copied())
    }

    /// Whether a word that has come may be said of the test: not a type, and not inside of the name of something that is called.
    pub(super) fn says_of_test(&self, word: &str) -> bool {
        let next = |at: usize| self.new.tokens.get(at + 1).copied().unwrap_or_default();
        self.come.iter().any(|at| {
            let token = self.new.tokens.get(*at).copied().unwrap_or_default();
            let all = if is_word(token) { parts(token) } else { Vec::new() };
            let is_inside = all.len() > 1 && all.first().is_some_and(|first| first != word) && next(*at) == "(";
            let is_type = token == "Optional" && ["[", "<"].contains(&next(*at));
            !is_inside && !is_type && all.iter().any(|part| part == word)
        })
    }

    /// The words that are gone, and those that have come.
    pub(super) fn words(&self) -> (BTreeSet<String>, BTreeSet<String>) {
        (words_of(self.gone()), words_of(self.come()))
    }

    /// A check that asks for one of several things now, or a condition that holds less often.
    pub(super) fn adds_condition(&self, checks: bool) -> bool {
        let adds = |signs: &[&str]| self.come().any(|token| signs.contains(&token)) && !self.gone().any(says);
        let goes_on = |tokens: &[&str]| {
            let asks = |name: &str| ["also", "apply", "ifPresent", "let", "map", "run", "takeIf"].contains(&name);
            tokens.windows(3).filter(|three| matches!(three, ["?", ".", name] if asks(name))).count()
        };
        if checks && goes_on(&self.new.tokens) > goes_on(&self.old.tokens) {
            return true;
        }
        let is_condition = self.old.tokens.first().is_some_and(|first| ["if", "unless", "when"].contains(first));
        checks && adds(&["||", "or", "orelse"]) || is_condition && adds(&["&&", "and", "andalso"])
    }

    /// A number that gave way to the largest one there is.
    pub(super) fn has_no_bound(&self) -> bool {
        let (_, come) = self.words();
        self.gone().any(is_number) && ["inf", "infinity", "max"].iter().any(|word| come.contains(*word))
    }

    /// A text that every other one contains, or a text that negates, in the place of another text.
    pub(super) fn weaker_text(&self) -> bool {
        let content = |token: &str| token.trim_matches(['"', '\'', '`']).to_owned();
        let texts = |mut tokens: Box<dyn Iterator<Item = &str> + '_>, what: &dyn Fn(&str) -> bool| {
            tokens.any(|token| is_string(token) && what(&content(token)))
        };
        let negates = |text: &str| text.starts_with("not.");
        let (is_not, was_not) = (texts(Box::new(self.come()), &negates), texts(Box::new(self.gone()), &negates));
        let searches = || {
            let all = words_of(self.new.tokens.iter().copied());
            ["contain", "contains", "include", "includes", "like", "match", "matches", "starts", "ends"]
                .iter()
                .any(|word| all.contains(*word))
        };
        let empty = |text: &str| text.is_empty();
        is_not && !was_not && texts(Box::new(self.gone()), &|_| true)
            || texts(Box::new(self.come()), &empty)
                && texts(Box::new(self.gone()), &|text| !text.is_empty())
                && searches()
    }

    /// A kind of failure or of value that includes all others, in the place of one.
    pub(super) fn any_kind(&self) -> Option<&str> {
        const ALL: &[&str] = &[
            "Any",
            "AnyError",
            "BaseException",
            "CatchableError",
            "Error",
            "Exception",
            "NSError",
            "Object",
            "StandardError",
            "Throwable",
            "exception",
            "object",
        ];
        // `isError(x)` asks for every kind as well.
        let asked_all = |token: &str| token.strip_prefix("is").is_some_and(|kind| ALL.contains(&kind));
        let was = self.gone().any(|token| is_word(token) && !ALL.contains(&token)) && !self.gone().any(asked_all);
        let token = |at: Option<usize>| at.and_then(|at| self.new.tokens.get(at)).copied().unwrap_or_default();
        // `(Object) value`
        let is_cast = |at: usize| {
            token(at.checked_sub(1)) == "(" && token(Some(at + 1)) == ")" && !is_word(token(at.checked_sub(2)))
        };
        let kinds = self.come.iter().filter(|at| ALL.contains(&token(Some(**at))) && !is_cast(**at));
        kinds.map(|at| token(Some(*at))).next().filter(|_| was)
    }

    /// A call that catches failures and is put behind what was there.
    pub(super) fn catches(&self) -> bool {
        let (_, come) = self.words();
        !self.gone().any(says) && ["catch", "rescue", "recover"].iter().any(|word| come.contains(*word))
    }

    /// Rows or elements that are gone from a list.
    pub(super) fn loses_rows(&self, others_have: &dyn Fn(&str) -> bool) -> bool {
        let is = |signs: &[&str]| self.gone().any(|token| signs.contains(&token));
        !self.come().any(says)
            && is(&["{", "["])
            && is(&["}", "]"])
            && is(&[",", ";"])
            && self.gone().any(|token| (is_number(token) || is_string(token)) && !others_have(token))
    }

    /// A name that compares exactly is gone, and no other one has come.
    pub(super) fn loses_exactness(&self) -> bool {
        const EXACT: &[&str] = &["equal", "equals", "exactly", "identical"];
        const ALSO: &[&str] = &["empty", "false", "nil", "none", "null", "ok", "true", "zero"];
        let (gone, come) = self.words();
        let has = |words: &BTreeSet<String>, list: &[&str]| list.iter().any(|word| words.contains(*word));
        let now = words_of(self.new.tokens.iter().copied());
        has(&gone, EXACT)
            && !has(&now, EXACT)
            && (come.contains("not") || !has(&come, ALSO))
            && !self.come().any(|token| verbs::is_strong(token) || token == "==")
            && self.come().any(is_word)
    }

    /// Whether the new line opens and closes as much as the old one did.
    pub(super) fn is_whole(&self) -> bool {
        let open = |tokens: &[&str]| {
            let count = |signs: &[&str]| tokens.iter().filter(|token| signs.contains(token)).count();
            (count(&["(", "[", "{"]) + tokens.len()).saturating_sub(count(&[")", "]", "}"]))
        };
        open(&self.new.tokens) + self.old.tokens.len() == open(&self.old.tokens) + self.new.tokens.len()
    }

    /// A sign that is put before a line, as one that turns it off.
    pub(super) fn is_struck_out(&self) -> bool {
        let signs = ["#", "-", "/", ";", "_", "~"];
        let is_commented = self.new.tokens.starts_with(&["(", "comment"]) && !self.old.tokens.contains(&"comment");
        self.come.first() == Some(&0) && self.gone.is_empty() && self.come().all(|token| signs.contains(&token))
            || is_commented
    }

    /// Words with a value of their own that have come: `enabled = false`, `skip(…)`.
    pub(super) fn settings(&self) -> BTreeSet<String> {
        let set = |at: &&usize| self.new.tokens.get(**at + 1).is_some_and(|next| ["(", "=", ":"].contains(next));
        words_of(self.come.iter().filter(set).filter_map(|at| self.new.tokens.get(*at).copied()))
    }

    /// A check that something fails, in which the test itself fails now.
    pub(super) fn raises_itself(&self) -> bool {
        self.old.expects_failure()
            && self.come().any(|token| ["throw", "raise", "panic", "error", "fail"].contains(&token))
    }

    /// A call that is put around a check, and is none that only waits for it or groups it.
    pub(super) fn wrapped(&self) -> Option<&str> {
        let (before, behind) = self.new.line.split_once(self.old.line.trim_end_matches(';'))?;
        let is_around = before.trim_end().ends_with(['(', '{', '>', '}']) && behind.contains([')', '}'])
            || before.contains("pcall");
        let call = tokens(before).into_iter().find(|token| is_word(token)).filter(|_| is_around)?;
        (!phrase::only_groups(call)).then(|| before.trim())
    }

    /// An operator for equality that is gone, with none in its place.
    pub(super) fn loses_operator(&self) -> bool {
        const EQUAL: &[&str] = &["==", "===", "eq", "is", "≈"];
        let has = |mut tokens: Box<dyn Iterator<Item = &str> + '_>| tokens.any(|token| EQUAL.contains(&token));
        let has_verb = || self.come().filter(|token| is_word(token)).any(verbs::is_strong);
        has(Box::new(self.gone())) && !has(Box::new(self.come())) && !has_verb() && !self.names_the_kind_better()
    }

    /// A check that only loses something: not a message, nor what had turned it off.
    pub(super) fn only_loses(&self, others_have: &dyn Fn(&str) -> bool) -> bool {
        const IDLE: &[&str] =
            &["async", "await", "const", "final", "let", "mut", "new", "public", "static", "this", "self"];
        let adds = self.come().any(says);
        let (gone, _) = self.words();
        let matters = self.gone().any(|token| (is_word(token) || is_number(token)) && !IDLE.contains(&token));
        let is_text = !self.gone().any(|token| is_word(token) || is_number(token)) && self.gone().any(is_string);
        let is_elsewhere = !gone.is_empty() && gone.iter().all(|word| others_have(word));
        // How long it waits is no part of what it asks.
        let waits = self.old.tokens.iter().any(|token| is_word(token) && has(token, &["receive"]));
        let is_wait = waits && self.gone().all(|token| is_number(token) || token == ",");
        !adds && matters && !is_elsewhere && !is_wait && !is_text && !gone.iter().any(|word| phrase::turns_off(word))
    }

    /// A list of what a module shows that has fewer names.
    pub(super) fn exposes_less(&self, others_have: &dyn Fn(&str) -> bool) -> bool {
        let shows = ["exposing", "__all__", "export"].iter().any(|word| self.old.tokens.contains(word));
        let lost = self.gone().any(|token| is_word(token) && !others_have(token));
        let is_import = self.old.tokens.first().is_some_and(|first| ["import", "from"].contains(first));
        shows && !is_import && lost && !self.come().any(is_word)
    }

    /// A list of tests that lost one which the file still has.
    pub(super) fn unlists(&self, after: &Text<'_>) -> bool {
        const BEFORE: &[&str] = &["", "let ", "def ", "fn ", "function ", "static void ", "void "];
        let declares = |line: &str, name: &str| {
            let rest = BEFORE.iter().find_map(|word| line.strip_prefix(word)?.strip_prefix(name));
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        };
        let is_list = self.old.tokens.contains(&"[") || self.old.tokens.contains(&"]");
        let lost = |name: &str| is_word(name) && name.len() > 2 && after.lines().any(|line| declares(line, name));
        is_list && !self.come().any(is_word) && self.gone().any(lost)
    }

    /// A fake that refused what nobody had told it, or that counted its calls, and no longer does.
    pub(super) fn is_lenient(&self) -> bool {
        let has = |tokens: &mut dyn Iterator<Item = &str>, list: &[&str]| {
            words_of(tokens).iter().any(|word| list.contains(&word.as_str()))
        };
        let counted = has(&mut self.gone(), &["exactly", "once", "strict", "twice"]);
        let cardinality = |tokens: &[&str]| tokens.get(1) == Some(&"*");
        let any_number =
            cardinality(&self.old.tokens) && cardinality(&self.new.tokens) && self.new.tokens.first() == Some(&"_");
        counted && has(&mut self.come(), &["lenient", "loose", "maybe", "nice", "relaxed"])
            || any_number && self.old.tokens.first() != Some(&"_")
    }

    /// One call of a fake, which is what is asked if nothing is said: `verify(f, times(1))`.
    pub(super) fn no_longer_says_once(&self) -> bool {
        self.gone().filter(|token| says(token)).eq(["times", "1"]) && !self.come().any(says)
    }

    /// A failure that ended the test, and that it goes on after now: `f()?` and `f().ok()`, `try f()` and `try? f()`, a check
    /// that only a debug build has, a task that nobody waits for.
    pub(super) fn no_longer_fails(&self) -> bool {
        let gone = |list: &[&str]| self.gone().any(|token| list.contains(&token));
        let come = |list: &[&str]| self.come().any(|token| list.contains(&token));
        let is_debug = || {
            self.come().any(|token| token.strip_prefix("debug_").is_some_and(|bare| self.gone().any(|old| old == bare)))
        };
        let tries = |tokens: &[&str]| tokens.windows(2).filter(|two| matches!(two, ["try", "?"])).count();
        gone(&["?", "unwrap", "expect"]) && come(&["ok"]) && !self.new.checks()
            || is_debug()
            || tries(&self.new.tokens) > tries(&self.old.tokens)
            || self.new.tokens.contains(&"async") && gone(&["Task"]) && come(&["void"])
    }

    /// A number of checks that the test no longer says beforehand, and a text of a failure that is `NULL`.
    pub(super) fn has_no_plan(&self) -> bool {
        let is_null = matches!(self.new.tokens.as_slice(), ["NULL", ","] | ["NULL"]);
        self.come().any(|token| token == "no_plan")
            || is_null && self.gone().any(|token| is_string(token) || is_number(token))
    }

    /// A command of bats whose status is no longer checked: `run -0 deploy`.
    pub(super) fn loses_status(&self) -> bool {
        let asks = |tokens: &[&str]| match tokens {
            ["run", "-", status, ..] => is_number(status),
            ["run", "!", ..] => true,
            _ => false,
        };
        asks(&self.old.tokens) && !asks(&self.new.tokens) && self.new.tokens.first() == Some(&"run")
    }

    /// A test of `XCTest` that takes a value: such a function is none to its runner.
    pub(super) fn takes_values(&self) -> bool {
        let takes = |tokens: &[&str]| match tokens.iter().position(|token| *token == "func") {
            Some(at) => {
                let is_test = tokens.get(at + 1).is_some_and(|name| name.starts_with("test"));
                is_test.then(|| tokens.get(at + 3) != Some(&")"))
            }
            None => None,
        };
        takes(&self.old.tokens) == Some(false) && takes(&self.new.tokens) == Some(true)
    }

    /// A condition under which a test of Go fails, and that holds for fewer values now.
    pub(super) fn fails_for_less(&self) -> bool {
        let begins = |tokens: &[&str]| tokens.first() == Some(&"if") && tokens.last() == Some(&"{");
        let differs = |token: &str| token == "!=";
        let asks = |token: &str| {
            let words = parts(token);
            ["diff", "equal", "is", "compare", "contains", "match"]
                .iter()
                .any(|word| words.iter().any(|own| own == word))
        };
        let is_nil = self.gone().chain(self.come()).any(|token| ["nil", "err"].contains(&token));
        let was = self.gone().any(|token| differs(token) || is_word(token) && asks(token));
        let is = self.come().any(|token| differs(token) || is_word(token) && asks(token));
        // Of all that was compared, a part is left: `cmp.Diff(want, got)` and `want.Total != got.Total`.
        let compares_all = self.gone().any(|token| has(token, &["diff", "deep"]));
        if begins(&self.old.tokens)
            && begins(&self.new.tokens)
            && compares_all
            && self.come().filter(|token| *token == ".").count() > 1
        {
            return true;
        }
        let narrower = self.come().any(|token| ["==", ">", "<", ">=", "<=", "&&"].contains(&token) || token == "len");
        let further = self.come().any(|token| token == "&&") && !self.gone().any(|token| token == "&&");
        begins(&self.old.tokens) && begins(&self.new.tokens) && was && narrower && (!is && !is_nil || further)
    }

    /// A type that is compared by a function that knows it, as linters ask for: `type(x) is int`, `isinstance(x, int)`.
    pub(super) fn names_the_kind_better(&self) -> bool {
        self.gone().any(|token| token == "type") && self.come().any(|token| token == "isinstance")
    }
}
