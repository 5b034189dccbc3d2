//! What a repository's `gephost.toml` may say only once the user trusts the file.
//!
//! Whoever writes the repository writes this file, and the file says how far the repository's own code is confined. So a
//! key that takes away confinement, opens something outside of the project, or lets gephost publish counts only if the
//! user trusts exactly this text of the file ([`ConfigFile::widenings`]). Until then the tighter value holds
//! ([`Config::without_widenings`]).
//!
//! What must stay true: `Config::without_widenings` of any config has no widenings.

use std::path::{Component, Path};

use schemars::JsonSchema;
use serde::Serialize;

use crate::command::{CommandRules, ValidationCommand};
use crate::config::{Config, ConfigError, ConfigFile};
use crate::gene::Capability;
use crate::grant::{Grants, Isolation};
use crate::policy::Policy;
use crate::validation::{Demand, Level, Network};

/// A key that counts only in a trusted file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Widening {
    /// The key, with its table.
    pub key: &'static str,
    /// What the file says, without secrets.
    pub value: String,
    /// What holds until the user trusts the file.
    pub until_trusted: &'static str,
    /// What the key allows, as a clause after "this file".
    pub allows: &'static str,
}

/// A key, how the widening value is taken out of a file, and what that means.
struct Key {
    name: &'static str,
    /// Takes the widening value out, so that the tighter one holds, and returns it as text.
    take: fn(&mut ConfigFile) -> Option<String>,
    until_trusted: &'static str,
    allows: &'static str,
}

/// Every key that widens. `validation.commands` stands behind `validation.programs`, whose rules decide which commands
/// are left.
const KEYS: &[Key] = &[
    Key {
        name: "apply.enabled",
        take: |file| std::mem::take(&mut file.apply.enabled).then(|| "true".to_owned()),
        until_trusted: "nothing is applied",
        allows: "lets --apply publish branches",
    },
    Key {
        name: "apply.sign",
        take: |file| file.apply.sign.take().map(String::from),
        until_trusted: "commits are not signed",
        allows: "uses one of your keys to sign commits",
    },
    Key {
        name: "observe.logs",
        take: |file| {
            let outside = file.observe.logs.extract_if(.., |log| is_outside(log)).collect::<Vec<_>>();
            listed(&outside)
        },
        until_trusted: "these logs are not read",
        allows: "reads logs outside of the project",
    },
    Key {
        name: "policy.secret_rules",
        take: |file| {
            let outside = file.policy.secret_rules.extract_if(.., |name| is_outside(name)).collect::<Vec<_>>();
            listed(&outside)
        },
        until_trusted: "these files are not read",
        allows: "reads secret rules from outside of the project",
    },
    Key {
        name: "genes.isolation",
        take: |file| {
            let thread = file.genes.isolation.take_if(|isolation| *isolation == Isolation::Thread);
            thread.map(|_| "thread".to_owned())
        },
        until_trusted: "genes run in processes of their own",
        allows: "runs genes in gephost's own process",
    },
    Key {
        name: "genes.grant",
        take: |file| without_completion(&mut file.genes.grant).then(|| Capability::Completion.to_string()),
        until_trusted: "genes ask no model",
        allows: "lets genes ask your model",
    },
    Key {
        name: "genes.grants",
        take: |file| {
            let lists = file.genes.grants.iter_mut();
            let taken = lists.filter_map(|(id, table)| {
                without_completion(table.capabilities.as_mut()?).then(|| format!("{id}: {}", Capability::Completion))
            });
            listed(&taken.collect::<Vec<_>>())
        },
        until_trusted: "these genes ask no model",
        allows: "lets genes ask your model",
    },
    Key {
        name: "validation.sandbox",
        take: |file| {
            let demand = file.validation.sandbox;
            if demand.most() == Level::L2 {
                return None;
            }
            file.validation.sandbox = match demand {
                Demand::Required(_) => Demand::Required(Level::L2),
                Demand::Auto | Demand::AtMost(_) => Demand::Auto,
            };
            Some(demand.to_string())
        },
        until_trusted: "the highest level that works on this machine",
        allows: "lowers the sandbox of validation commands",
    },
    Key {
        name: "validation.network",
        take: |file| {
            let network = file.validation.network.take_if(|network| *network != Network::None)?;
            let name = match network {
                Network::None => "none",
                Network::Loopback => "loopback",
                Network::All => "all",
            };
            Some(name.to_owned())
        },
        until_trusted: "no network",
        allows: "gives validation commands a network",
    },
    Key {
        name: "validation.read",
        take: |file| listed(&std::mem::take(&mut file.validation.read)),
        until_trusted: "nothing more can be read",
        allows: "shows files outside of the project to validation commands",
    },
    Key {
        name: "validation.caches",
        take: |file| {
            let caches: Vec<String> = file.validation.caches.drain(..).map(String::from).collect();
            listed(&caches)
        },
        until_trusted: "no caches",
        allows: "shows caches, or folders that git does not track, to validation commands",
    },
    Key {
        name: "validation.programs",
        take: |file| {
            let known = CommandRules::default();
            let programs = file.validation.programs.as_mut()?;
            let added = programs.extract_if(.., |name| !known.allows(name)).collect::<Vec<_>>();
            listed(&added)
        },
        until_trusted: "only the built-in programs run",
        allows: "runs programs that gephost does not know",
    },
    Key {
        name: "validation.commands",
        take: |file| {
            let rules = match &file.validation.programs {
                Some(programs) => CommandRules::with_programs(programs).unwrap_or_default(),
                None => CommandRules::default(),
            };
            let refused = |text: &mut String| ValidationCommand::parse(text, &rules).is_err();
            let commands = file.validation.commands.extract_if(.., refused).collect::<Vec<_>>();
            listed(&commands)
        },
        until_trusted: "these commands do not run",
        allows: "runs commands of programs that gephost does not know",
    },
];

impl ConfigFile {
    /// The keys of this file that count only if it is trusted, in the order of a fixed table; none for most files.
    pub fn widenings(&self) -> Vec<Widening> {
        self.clone().take_widenings()
    }

    /// Takes them out.
    fn take_widenings(&mut self) -> Vec<Widening> {
        let taken = |key: &Key| {
            let value = (key.take)(self)?;
            Some(Widening { key: key.name, value, until_trusted: key.until_trusted, allows: key.allows })
        };
        KEYS.iter().filter_map(taken).collect()
    }
}

impl Config {
    /// The same with what its files of secret rules widen, if they were read.
    pub fn widenings(&self) -> Vec<Widening> {
        let mut widenings = self.file.widenings();
        if self.policy.own_secret_rules().is_some_and(|rules| rules.takes_away()) {
            widenings.push(Widening {
                key: "policy.secret_rules",
                value: self.file.policy.secret_rules.join(", "),
                until_trusted: "these files only add rules",
                allows: "keeps gephost from seeing some secrets",
            });
        }
        let mut redactor = self.policy.redactor();
        for widening in &mut widenings {
            widening.value = redactor.redact(&widening.value).into_owned();
        }
        widenings
    }

    /// The config as it counts while its file is not trusted: with the tighter value of every key that widens. The rules
    /// of its files of secret rules stay as they are.
    pub fn without_widenings(mut self) -> Result<Self, ConfigError> {
        if self.file.take_widenings().is_empty() {
            return Ok(self);
        }
        let policy = Policy::from_tables(self.file.policy.clone(), &self.file.validation, &[])?;
        let policy = match self.policy.own_secret_rules() {
            Some(rules) => policy.with_secret_rules(rules),
            None => policy,
        };
        let grants = Grants::from_tables(&self.file.genes, &self.file.budgets)?;
        Ok(Self { policy, grants, ..self })
    }
}

/// Whether a path of the config may lead out of the project, by its spelling.
pub fn is_outside(path: &str) -> bool {
    Path::new(path).components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Takes the capability out that sends what a gene sees to the user's model. Returns whether it was there.
fn without_completion(capabilities: &mut Vec<Capability>) -> bool {
    let before = capabilities.len();
    capabilities.retain(|capability| *capability != Capability::Completion);
    capabilities.len() < before
}

fn listed(values: &[String]) -> Option<String> {
    (!values.is_empty()).then(|| values.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widenings(text: &str) -> Vec<(&'static str, String)> {
        let config = Config::from_toml(text).expect("a config");
        config.file.widenings().into_iter().map(|widening| (widening.key, widening.value)).collect()
    }

    fn tight(text: &str) -> Config {
        Config::from_toml(text).and_then(Config::without_widenings).expect("a config")
    }

    /// A file for each key of the table, and what it says.
    const WIDE: &[(&str, &str, &str)] = &[
        ("apply.enabled", "[apply]\nenabled = true", "true"),
        ("apply.sign", "[apply]\nsign = \"ssh:/home/me/.ssh/id\"", "ssh:/home/me/.ssh/id"),
        (
            "observe.logs",
            "[observe]\nlogs = [\"in/side\", \"../up\", \"/abs\", \"a/../../b\"]",
            "../up, /abs, a/../../b",
        ),
        ("policy.secret_rules", "[policy]\nsecret_rules = [\"own.toml\", \"../up.toml\"]", "../up.toml"),
        ("genes.isolation", "[genes]\nisolation = \"thread\"", "thread"),
        ("genes.grant", "[genes]\ngrant = [\"workspace\", \"completion\"]", "completion"),
        ("genes.grants", "[genes.grants.gene_x]\ncapabilities = [\"completion\"]", "gene_x: completion"),
        ("validation.sandbox", "[validation]\nsandbox = \"L0\"", "L0"),
        ("validation.sandbox", "[validation]\nsandbox = \"required:L1\"", "required:L1"),
        ("validation.network", "[validation]\nnetwork = \"all\"", "all"),
        ("validation.network", "[validation]\nnetwork = \"loopback\"", "loopback"),
        ("validation.read", "[validation]\nread = [\"/opt/tool\"]", "/opt/tool"),
        ("validation.caches", "[validation]\ncaches = [\"cargo\", \"node_modules\"]", "cargo, node_modules"),
        ("validation.programs", "[validation]\nprograms = [\"cargo\", \"mytool\"]", "mytool"),
    ];

    #[test]
    fn every_key_that_widens_waits_and_then_counts_no_more() {
        for (key, text, value) in WIDE {
            assert_eq!(widenings(text), [(*key, (*value).to_owned())], "{text}");
            assert_eq!(tight(text).file.widenings(), [], "{text}");
        }
        for key in KEYS.iter().filter(|key| key.name != "validation.commands") {
            assert!(WIDE.iter().any(|(name, ..)| *name == key.name), "{} has no case", key.name);
        }
    }

    #[test]
    fn what_tightens_counts_at_once() {
        for text in [
            "",
            "dry_run = true",
            "[apply]\nenabled = false",
            "[observe]\nlogs = [\"logs/*.jsonl\", \"./x\", \"..name\"]",
            "[genes]\nisolation = \"process\"",
            "[validation]\nsandbox = \"auto\"\nnetwork = \"none\"\nprograms = [\"cargo\"]\ntimeout_s = 5",
            "[validation]\nsandbox = \"required:L2\"\ncommands = [\"cargo test\"]",
            "[validation]\nsandbox = \"L2\"",
        ] {
            assert_eq!(widenings(text), [], "{text}");
        }
    }

    #[test]
    fn a_command_waits_with_the_program_that_it_needs() {
        let text = "[validation]\nprograms = [\"cargo\", \"mytool\"]\ncommands = [\"mytool check\", \"cargo test\"]";
        let waiting =
            [("validation.programs", "mytool".to_owned()), ("validation.commands", "mytool check".to_owned())];
        assert_eq!(widenings(text), waiting);
        let tight = tight(text);
        assert_eq!(tight.file.validation.commands, ["cargo test"]);
        assert_eq!(tight.file.validation.programs.as_deref(), Some(["cargo".to_owned()].as_slice()));
    }

    #[test]
    fn the_tighter_values_are_those_that_hold() {
        let all = "[apply]\nenabled = true\n[validation]\nsandbox = \"L1\"\nnetwork = \"all\"\nread = [\"/opt\"]\n\
                   caches = [\"pip\"]\n[observe]\nlogs = [\"/var/log\", \"own\"]";
        let tight = tight(all).file;
        assert!(!tight.apply.enabled);
        assert_eq!((tight.validation.sandbox, tight.validation.network), (Demand::Auto, None));
        assert!(tight.validation.read.is_empty() && tight.validation.caches.is_empty());
        assert_eq!(tight.observe.logs, ["own"]);
    }
}
