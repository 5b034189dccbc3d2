//! A set of rules: the bundled ones, with those that an operator adds or disables.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use super::allow::Allowlist;
use super::automaton::Keywords;
use super::expression::{Compile, Groups};
use super::file::{RawAllowlist, RuleFile, refused};
use super::matches::{joined, without_overlap};
use super::personal;
use super::presentation::{Plain, Survey, has_sequence, views};
use super::rule::Rule;
use super::search::{Cursor, Search};
use super::{RuleError, SecretMatch, kubernetes, pem};
use crate::bundled::read;

/// A set of rules to search with.
#[derive(Debug)]
pub struct Ruleset {
    pub(super) rules: Vec<Rule>,
    /// Rules without keywords, which search the whole text.
    without_keywords: Vec<usize>,
    with_path: Vec<usize>,
    keywords: Keywords,
    global: Vec<Allowlist>,
    /// Ids of scanners that an operator has disabled.
    disabled: HashSet<String>,
    takes_away: bool,
}

/// What the files of an operator may do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Reach {
    /// Everything.
    #[default]
    Whole,
    /// Add rules. What would find less than the bundled rules is read and left out.
    OnlyAdd,
}

impl Ruleset {
    /// The bundled rules.
    pub fn bundled() -> &'static Self {
        static RULES: LazyLock<Ruleset> = LazyLock::new(Ruleset::fresh);
        &RULES
    }

    /// Of the bundled rules, those that know a key by its own form, and not by the words around it.
    pub(super) fn of_vendors() -> &'static Self {
        static RULES: LazyLock<Ruleset> = LazyLock::new(|| {
            let rules = rules_of([read!("secrets-vendors"), read!("secrets-prefixes")]).collect();
            Ruleset::new(rules, Vec::new(), HashSet::new()).expect("a test builds the bundled rules")
        });
        &RULES
    }

    /// The bundled rules, with none of them compiled.
    pub(super) fn fresh() -> Self {
        Self::new(bundled_rules().collect(), Vec::new(), HashSet::new()).expect("a test builds the bundled rules")
    }

    /// The bundled rules with an operator's own in gitleaks' form: pairs of a file's name and its text.
    ///
    /// A rule with the id of bundled rules replaces them. If it has neither `regex` nor `path`, it adds its allowlists
    /// to them. The bundled rules are used unless a file sets `[extend] useDefault = false` or names them in
    /// `disabledRules`.
    pub fn with_files(files: &[(String, String)]) -> Result<Self, RuleError> {
        let (ruleset, own) = Self::assembled(files, Reach::Whole)?;
        match own.iter().find_map(|id| Some((id, ruleset.failing_sample(id)?))) {
            Some((id, what)) => Err(RuleError::Rule { file: names(files), rule: id.clone(), what }),
            None => Ok(ruleset),
        }
    }

    /// The same for files that nobody vouches for: they add rules, and everything that the bundled rules find is found.
    pub fn with_additions(files: &[(String, String)]) -> Result<Self, RuleError> {
        Self::assembled(files, Reach::OnlyAdd).map(|(ruleset, _)| ruleset)
    }

    /// Whether the files of [`Self::with_files`] disable, replace or narrow a bundled rule.
    pub fn takes_away(&self) -> bool {
        self.takes_away
    }

    /// The rules, and the ids of those in the files.
    fn assembled(files: &[(String, String)], reach: Reach) -> Result<(Self, HashSet<String>), RuleError> {
        let mut set = Assembly { reach, ..Assembly::default() };
        let read = |(name, text): &(String, String)| {
            let file = toml::from_str::<RuleFile>(text);
            let file = file.map_err(|error| RuleError::File { file: name.clone(), what: with_line(text, &error) })?;
            Ok((name.clone(), file))
        };
        let read: Vec<(String, RuleFile)> = files.iter().map(read).collect::<Result<_, RuleError>>()?;
        if read.iter().any(|(_, file)| file.extend.use_default == Some(false)) && set.may_take_away() {
            set.disabled.extend(personal::KINDS.into_iter().chain([pem::KIND, kubernetes::KIND]).map(str::to_owned));
        } else {
            set.rules.extend(bundled_rules());
        }
        for (name, file) in read {
            set.add(&name, file)?;
        }
        let ruleset = Self::new(set.rules, set.global, set.disabled)
            .map_err(|what| RuleError::File { file: names(files), what })?;
        Ok((Self { takes_away: set.takes_away, ..ruleset }, set.own))
    }

    fn new(rules: Vec<Rule>, global: Vec<Allowlist>, disabled: HashSet<String>) -> Result<Self, String> {
        let with_keywords = rules.iter().enumerate().filter(|(_, rule)| !rule.forbids_names());
        let words = with_keywords.flat_map(|(at, rule)| rule.keywords.iter().map(move |word| (word.as_str(), at)));
        let keywords = Keywords::new(words)?;
        let of = |wanted: fn(&Rule) -> bool| {
            let all = rules.iter().enumerate();
            all.filter(|(_, rule)| wanted(rule)).map(|(at, _)| at).collect()
        };
        let without_keywords = of(|rule| !rule.forbids_names() && rule.keywords.is_empty());
        let with_path = of(|rule| rule.path.is_some());
        Ok(Self { rules, without_keywords, with_path, keywords, global, disabled, takes_away: false })
    }

    /// All secrets of a text, in order and without overlap; no personal data. `file` is the name of the text's file, if
    /// it has one. Rules and allowlists with a path are compared with it.
    pub fn secrets(&self, file: Option<&str>, text: &str) -> Vec<SecretMatch<'_>> {
        without_overlap(self.found(file, text, &Survey::of(text), false))
    }

    /// The same with personal data, including data reserved for documentation.
    pub fn secrets_and_personal(&self, file: Option<&str>, text: &str) -> Vec<SecretMatch<'_>> {
        self.surveyed(file, text, &Survey::of(text))
    }

    /// The same for a text that was surveyed.
    pub(crate) fn surveyed(&self, file: Option<&str>, text: &str, survey: &Survey) -> Vec<SecretMatch<'_>> {
        without_overlap(self.found(file, text, survey, true))
    }

    /// The same for a text without its terminal sequences. A sequence can take the first letter of a secret with it, so
    /// the secrets of the text with its sequences count too.
    pub(crate) fn without_sequences(&self, text: &str, survey: &Survey, plain: &Plain) -> Vec<SecretMatch<'_>> {
        let mut with_sequences = Vec::new();
        for window in survey.windows() {
            let shown = text.get(window.clone()).unwrap_or_default();
            let found = self.found_as_is(None, shown, false).into_iter();
            let found = found.filter(|(_, secret)| !hides_sequence(shown, secret));
            with_sequences.extend(found.map(|(rule, mut secret)| {
                let place = |at: usize| plain.place(window.start + at);
                secret.range = place(secret.range.start)..place(secret.range.end);
                (rule, secret)
            }));
        }
        let found = self.found(None, &plain.text, &Survey::of(&plain.text), true);
        without_overlap(joined(with_sequences, found))
    }

    /// Id of the rule that forbids adding a file with this name.
    pub fn forbidden_name(&self, file: &str) -> Option<&str> {
        let names = self.with_path.iter().filter_map(|at| self.rules.get(*at)).filter(|rule| rule.forbids_names());
        names.filter(|rule| rule.searches(Some(file))).map(|rule| rule.id.as_str()).next()
    }

    /// What is wrong with a sample of the rules with this id, if anything: one of `samples` is not found, or something
    /// is found in one of `not`.
    fn failing_sample(&self, id: &str) -> Option<String> {
        let rules = || self.rules.iter().filter(|rule| rule.id == id && !rule.forbids_names() && rule.path.is_none());
        let kinds = |parts: &Vec<String>| -> Vec<&str> {
            self.secrets(None, &parts.concat()).into_iter().map(|found| found.kind).collect()
        };
        let missed = rules().flat_map(|rule| &rule.samples).position(|sample| !kinds(sample).contains(&id));
        let alarm = rules().flat_map(|rule| &rule.not).position(|sample| !kinds(sample).is_empty());
        missed
            .map(|at| format!("it does not find number {} of its `samples`", at + 1))
            .or_else(|| alarm.map(|at| format!("number {} of its `not` has a match", at + 1)))
    }

    /// What is found in the text as it is, and in the views of its escapes.
    fn found(&self, file: Option<&str>, text: &str, survey: &Survey, personal: bool) -> Vec<(usize, SecretMatch<'_>)> {
        let mut found = self.found_as_is(file, text, personal);
        if survey.terminal {
            found.retain(|(_, secret)| !hides_sequence(text, secret));
        }
        for view in views(text, survey) {
            let mut seen = self.found_as_is(file, &view.text, personal);
            for (_, secret) in &mut seen {
                secret.range = view.origin(&secret.range);
            }
            found = joined(found, seen);
        }
        found
    }

    fn found_as_is<'r>(&'r self, file: Option<&str>, text: &str, personal: bool) -> Vec<(usize, SecretMatch<'r>)> {
        let mut search = Search { text, file, global: &self.global, found: Vec::new(), groups: Groups::default() };
        // Most texts have keywords of a few rules, if of any.
        let mut cursors = BTreeMap::<usize, Cursor>::new();
        let excluded = self.excluded(file);
        self.keywords.each(text, |start, end, at| {
            if let Some(rule) = self.rules.get(at)
                && !excluded.contains(&at)
            {
                search.keyword(at, rule, cursors.entry(at).or_default(), start, end);
            }
        });
        for (at, mut cursor) in cursors {
            if let Some(rule) = self.rules.get(at) {
                search.finish(at, rule, &mut cursor);
            }
        }
        for at in self.without_keywords.iter().filter(|at| !excluded.contains(at)) {
            if let Some(rule) = self.rules.get(*at) {
                search.whole_text(*at, rule);
            }
        }
        if !self.disabled.contains(pem::KIND) {
            search.found.extend(pem::find(text).into_iter().map(|secret| (0, secret)));
        }
        if !self.disabled.contains(kubernetes::KIND) {
            search.found.extend(kubernetes::find(text).into_iter().map(|secret| (usize::MAX, secret)));
        }
        if personal {
            let found = personal::find(text).into_iter().filter(|found| !self.disabled.contains(found.kind));
            search.found.extend(found.map(|found| (usize::MAX, found)));
        }
        search.found
    }

    /// Rules that do not search this file.
    fn excluded(&self, file: Option<&str>) -> Vec<usize> {
        let rules = self.with_path.iter().copied();
        rules.filter(|at| self.rules.get(*at).is_none_or(|rule| !rule.searches(file))).collect()
    }
}

/// Whether a match has a terminal sequence in it. Then its value is not what a reader sees, and a view decides.
fn hides_sequence(text: &str, secret: &SecretMatch<'_>) -> bool {
    has_sequence(text.as_bytes().get(secret.range.clone()).unwrap_or_default())
}

fn bundled_rules() -> impl Iterator<Item = Rule> {
    rules_of([
        read!("secrets-vendors"),
        read!("secrets-prefixes"),
        read!("secrets-generic"),
        read!("secrets-places"),
        read!("secrets-names"),
        read!("secrets-contexts"),
    ])
}

fn rules_of<const N: usize>(files: [RuleFile; N]) -> impl Iterator<Item = Rule> {
    let rules = files.into_iter().flat_map(|file| file.rules);
    rules.map(|raw| Rule::bundled(raw).expect("a test makes the bundled rules"))
}

/// The error on one line, with its position.
fn with_line(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
    let Some(before) = error.span().and_then(|span| text.get(..span.start)) else { return message };
    format!("line {}: {message}", before.matches('\n').count() + 1)
}

/// The names of files, for an error about all of them.
fn names(files: &[(String, String)]) -> String {
    files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
}

/// A rule set to which files are being added.
#[derive(Debug, Default)]
struct Assembly {
    reach: Reach,
    takes_away: bool,
    rules: Vec<Rule>,
    global: Vec<Allowlist>,
    disabled: HashSet<String>,
    /// Ids that the operator's files have used.
    own: HashSet<String>,
}

impl Assembly {
    /// Notes that a file takes something away. Returns whether it may.
    fn may_take_away(&mut self) -> bool {
        self.takes_away = true;
        self.reach == Reach::Whole
    }

    fn add(&mut self, name: &str, file: RuleFile) -> Result<(), RuleError> {
        let wrong = |what: String| RuleError::File { file: name.to_owned(), what };
        if let Some(why) = refused(&file) {
            return Err(wrong(why.to_owned()));
        }
        if file.allowlist.is_some() && !file.allowlists.is_empty() {
            return Err(wrong("it has both `allowlist` and `allowlists`: use only `allowlists`".to_owned()));
        }
        for id in &file.extend.disabled_rules {
            self.disable(id).map_err(wrong)?;
        }
        for (number, raw) in file.rules.into_iter().enumerate() {
            let rule = if raw.id.is_empty() { format!("number {}", number + 1) } else { raw.id.clone() };
            self.add_rule(raw).map_err(|what| RuleError::Rule { file: name.to_owned(), rule, what })?;
        }
        for raw in file.allowlist.into_iter().chain(file.allowlists) {
            self.add_allowlist(raw).map_err(wrong)?;
        }
        Ok(())
    }

    fn is_scanner(id: &str) -> bool {
        id == pem::KIND || id == kubernetes::KIND || personal::KINDS.contains(&id)
    }

    fn knows(&self, id: &str) -> bool {
        self.rules.iter().any(|rule| rule.id == id)
    }

    fn disable(&mut self, id: &str) -> Result<(), String> {
        let is_rule = self.knows(id);
        if !is_rule && !Self::is_scanner(id) {
            return Err(format!("`disabledRules` names `{id}`, but no rule has this id"));
        }
        if !self.may_take_away() {
            return Ok(());
        }
        self.rules.retain(|rule| rule.id != id);
        if !is_rule {
            self.disabled.insert(id.to_owned());
        }
        Ok(())
    }

    fn add_rule(&mut self, raw: super::file::RawRule) -> Result<(), String> {
        let amends = raw.regex.is_none() && raw.path.is_none();
        let rule = Rule::checked(raw)?;
        if !self.own.insert(rule.id.clone()) {
            return Err("its `id` is used twice".to_owned());
        }
        let known = self.knows(&rule.id);
        if amends && !known {
            return Err("it has neither `regex` nor `path`, and no bundled rule has this id".to_owned());
        }
        let may_change = known && self.may_take_away();
        if amends {
            let same = self.rules.iter_mut().filter(|same| may_change && same.id == rule.id);
            same.for_each(|same| same.amend(&rule));
            return Ok(());
        }
        if may_change {
            self.rules.retain(|same| same.id != rule.id);
        }
        self.rules.push(rule);
        Ok(())
    }

    fn add_allowlist(&mut self, raw: RawAllowlist) -> Result<(), String> {
        let list = Allowlist::new(raw, Compile::Now)?;
        if let Some(id) = list.targets().iter().find(|id| !self.knows(id)) {
            return Err(format!("`targetRules` names `{id}`, but no rule has this id"));
        }
        if self.may_take_away() {
            self.global.push(list);
        }
        Ok(())
    }
}
