//! Grants: what each gene may read, propose, call and use. A gene asks in its manifest; the operator answers here.
//!
//! By default a gene may read what git tracks and the policy does not deny, propose changes where the policy allows, and
//! call what `[genes] grant` lists. A table `[genes.grants."id"]` answers for one gene instead. What must stay true: a
//! gene gets request ∩ grant; a grant narrows the policy and never lifts a denial; an empty list means nothing
//! (invariant 7); and a key that is unknown or cannot be enforced stops the host (invariant 10).

mod table;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::gene::{Capability, Constraints, is_id};
use crate::path::RepoPath;
use crate::pattern::{Case, PatternError, PatternSet};
use crate::policy::{Narrowing, Policy};

pub use table::{BudgetsTable, GenesTable, GrantTable, Isolation, LimitsTable, Reads};

/// What one gene is granted.
#[derive(Debug, Clone)]
pub struct Grant {
    gene: String,
    capabilities: Vec<Capability>,
    /// Where [`Self::capabilities`] are written.
    place: String,
    read: Option<Arc<Patterns>>,
    write: Option<Arc<PatternSet>>,
    budgets: BudgetsTable,
}

/// A `read` list, with the text that says whether two genes are shown the same.
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
    /// A table for a name that no gene can have.
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

/// A gene's own `constraints.forbidden_paths` has something that is no pattern, so that it would bind nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`constraints.forbidden_paths` of gene {gene} has {pattern:?}: {reason}")]
pub struct ForbiddenPathError {
    /// The gene.
    pub gene: String,
    /// As its manifest has it.
    pub pattern: String,
    /// Why it cannot be enforced.
    pub reason: PatternError,
}

/// The table of one gene, as an operator writes it.
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

    /// The policy for a saved proposal that says which gene made it: with that gene's grant, where it has one. What
    /// names no gene is a person's own.
    pub fn policy_for<'a>(&self, policy: &'a Policy, gene: Option<&str>) -> Cow<'a, Policy> {
        let Some(grant) = gene.and_then(|gene| self.by_gene.get(gene)) else { return Cow::Borrowed(policy) };
        let narrowed = grant.narrow(policy, &Constraints::default());
        Cow::Owned(narrowed.expect("without forbidden paths there is no pattern that could be refused"))
    }

    /// The genes that have a table and are not among `known`: a typing error, most often.
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
    /// The capabilities, whether the gene asks for them or not.
    pub fn capabilities(&self) -> &[Capability] {
        &self.capabilities
    }

    /// Where an operator adds a capability, as a fragment: "`grant` of `[genes]`".
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Whether the gene is shown a path that the policy does not deny.
    pub fn shows(&self, path: &RepoPath) -> bool {
        self.read.as_ref().is_none_or(|read| read.set.find(path.as_str()).is_some())
    }

    /// The `read` list as written; two genes with the same list are shown the same. `None` shows everything.
    pub fn read(&self) -> Option<&[String]> {
        self.read.as_ref().map(|read| read.written.as_slice())
    }

    /// What one call may use.
    pub fn budgets(&self) -> &BudgetsTable {
        &self.budgets
    }

    /// The policy for this gene's proposals: `policy`, less what `write` does not cover, less what the gene's own
    /// constraints forbid.
    pub fn narrow(&self, policy: &Policy, own: &Constraints) -> Result<Policy, ForbiddenPathError> {
        let narrowing = Narrowing::new(&self.gene, self.write.clone(), own)
            .map_err(|(pattern, reason)| ForbiddenPathError { gene: self.gene.clone(), pattern, reason })?;
        Ok(policy.narrowed(narrowing))
    }
}

#[cfg(test)]
mod tests;
