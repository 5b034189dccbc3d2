//! Grants: what each gene may read, propose, call and use. A gene's manifest requests; the operator's config grants.
//!
//! By default a gene may read what git tracks and the policy does not deny, propose changes where the policy allows
//! them, and call what `[genes] grant` lists. The table `[genes.grants."id"]` replaces these defaults for one gene.
//!
//! What must stay true: a gene gets request ∩ grant; a grant narrows the policy and never lifts a denial; an empty list
//! grants nothing (invariant 7); and a key that is unknown or cannot be enforced stops the host (invariant 10).

mod gene_entry;
mod table;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::gene::{Capability, Constraints, is_id};
use crate::path::RepoPath;
use crate::pattern::{Case, PatternError, PatternSet};
use crate::policy::{Narrowing, Policy};

pub use gene_entry::GeneEntry;
pub use table::{BudgetsTable, GenesTable, GrantTable, Isolation, LimitsTable, Reads};

/// What one gene is granted.
#[derive(Debug, Clone)]
pub struct Grant {
    gene: String,
    capabilities: Vec<Capability>,
    /// The place in the config that grants [`Self::capabilities`].
    place: String,
    read: Option<Arc<Patterns>>,
    write: Option<Arc<PatternSet>>,
    budgets: BudgetsTable,
}

/// A compiled `read` list. Two genes with the same text see the same files.
#[derive(Debug)]
struct Patterns {
    written: Vec<String>,
    set: PatternSet,
}

/// The grants of a config file.
#[derive(Debug, Clone)]
pub struct Grants {
    everyone: Grant,
    by_gene: BTreeMap<String, Grant>,
}

/// Why a grant stops the host. Each names its table and key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GrantError {
    /// A table for a name that is not a gene id.
    #[error("`[genes.grants]` names {0:?}: a gene id has 1 to 128 of the characters a-z, 0-9, `_`, `.` and `-`")]
    Id(String),
    /// A pattern is refused.
    #[error("`{key}` in `{table}` has the pattern {pattern:?}: {reason}")]
    Pattern {
        /// The table.
        table: String,
        /// `read` or `write`.
        key: &'static str,
        /// As written.
        pattern: String,
        /// Why.
        reason: PatternError,
    },
    /// A limit out of its range.
    #[error("`limits.{key}` in `{table}` is {value}: {rule}")]
    Range {
        /// The table.
        table: String,
        /// The key.
        key: &'static str,
        /// What was written.
        value: u64,
        /// What it must be.
        rule: &'static str,
    },
}

/// A gene's own `constraints.forbidden_paths` contains an invalid pattern, which would forbid nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`constraints.forbidden_paths` of gene {gene} has {pattern:?}: {reason}")]
pub struct ForbiddenPathError {
    /// The gene.
    pub gene: String,
    /// The pattern in its manifest.
    pub pattern: String,
    /// Why it cannot be enforced.
    pub reason: PatternError,
}

/// The name of one gene's table in the config.
pub(crate) fn table_name(gene: &str) -> String {
    format!("[genes.grants.{gene:?}]")
}

impl Grants {
    /// Checks the tables. The budgets have been checked.
    pub(crate) fn from_tables(genes: &GenesTable, budgets: &BudgetsTable) -> Result<Self, GrantError> {
        let everyone = Grant {
            gene: String::new(),
            capabilities: genes.grant.clone(),
            place: "`grant` of `[genes]`".to_owned(),
            read: None,
            write: None,
            budgets: budgets.clone(),
        };
        let one = |(id, table): (&String, &GrantTable)| Ok((id.clone(), one_gene(id, table, &everyone)?));
        let by_gene = genes.grants.iter().map(one).collect::<Result<_, GrantError>>()?;
        Ok(Self { everyone, by_gene })
    }

    /// What a gene is granted.
    pub fn of(&self, gene: &str) -> Grant {
        let of_everyone = || Grant { gene: gene.to_owned(), ..self.everyone.clone() };
        self.by_gene.get(gene).cloned().unwrap_or_else(of_everyone)
    }

    /// What a text-only gene is granted. If the operator names it for this run, that grants it the model, which is all that
    /// it can do, unless a table of its own says something else.
    pub fn of_text(&self, gene: &str, is_named: bool) -> Grant {
        let mut grant = self.of(gene);
        let has_own_list = grant.place != self.everyone.place;
        if is_named && !has_own_list && !grant.capabilities.contains(&Capability::Completion) {
            grant.capabilities.push(Capability::Completion);
        }
        grant
    }

    /// The policy for a saved proposal: narrowed by the grant of the gene that it names. A proposal that names no gene
    /// is a person's own.
    pub fn policy_for<'a>(&self, policy: &'a Policy, gene: Option<&str>) -> Cow<'a, Policy> {
        let Some(grant) = gene.and_then(|gene| self.by_gene.get(gene)) else { return Cow::Borrowed(policy) };
        let narrowed = grant.narrow(policy, &Constraints::default());
        Cow::Owned(narrowed.expect("without forbidden paths there is no pattern that could be refused"))
    }

    /// The genes that have a table and are not in `known`, which is usually a typing error.
    pub fn strangers<'a>(&'a self, known: &[&str]) -> Vec<&'a str> {
        self.by_gene.keys().map(String::as_str).filter(|id| !known.contains(id)).collect()
    }
}

fn one_gene(id: &str, table: &GrantTable, everyone: &Grant) -> Result<Grant, GrantError> {
    if !is_id(id) {
        return Err(GrantError::Id(id.to_owned()));
    }
    let place = table_name(id);
    let set = |key: &'static str, written: &[String]| {
        PatternSet::new(written.iter().map(String::as_str), Case::Exact)
            .map_err(|(pattern, reason)| GrantError::Pattern { table: place.clone(), key, pattern, reason })
    };
    let read = table
        .read
        .as_ref()
        .map(|written| Ok(Arc::new(Patterns { set: set("read", written)?, written: written.clone() })));
    let write = table.write.as_ref().map(|written| set("write", written).map(Arc::new));
    let budgets = table.limits.over(&everyone.budgets);
    if let Some((key, value, rule)) = budgets.out_of_range() {
        return Err(GrantError::Range { table: place, key, value, rule });
    }
    Ok(Grant {
        gene: id.to_owned(),
        capabilities: table.capabilities.clone().unwrap_or_else(|| everyone.capabilities.clone()),
        place: match table.capabilities {
            Some(_) => format!("`capabilities` of `{place}`"),
            None => everyone.place.clone(),
        },
        read: read.transpose()?,
        write: write.transpose()?,
        budgets,
    })
}

impl Grant {
    /// The granted capabilities, whether the gene requests them or not.
    pub fn capabilities(&self) -> &[Capability] {
        &self.capabilities
    }

    /// The place where an operator adds a capability, as a fragment: "`grant` of `[genes]`".
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Whether the gene may see a path that the policy does not deny.
    pub fn shows(&self, path: &RepoPath) -> bool {
        self.read.as_ref().is_none_or(|read| read.set.find(path.as_str()).is_some())
    }

    /// The `read` list as written; two genes with the same list see the same files. `None` shows everything.
    pub fn read(&self) -> Option<&[String]> {
        self.read.as_ref().map(|read| read.written.as_slice())
    }

    /// The budgets of one call.
    pub fn budgets(&self) -> &BudgetsTable {
        &self.budgets
    }

    /// The policy for this gene's proposals: `policy` without the paths that `write` does not cover or the gene's own
    /// constraints forbid.
    pub fn narrow(&self, policy: &Policy, own: &Constraints) -> Result<Policy, ForbiddenPathError> {
        let narrowing = Narrowing::new(&self.gene, self.write.clone(), own)
            .map_err(|(pattern, reason)| ForbiddenPathError { gene: self.gene.clone(), pattern, reason })?;
        Ok(policy.narrowed(narrowing))
    }
}

#[cfg(test)]
mod tests;
