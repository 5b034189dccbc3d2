//! What worked next: the later call of a session that did the same as a failed one, and what explains that it worked.

pub(crate) mod act;
pub(crate) mod added;
pub(crate) mod arguments;
pub(crate) mod attempts;
pub(crate) mod beside;
pub(crate) mod between;
pub(crate) mod cures;
pub(crate) mod defined;
pub(crate) mod elsewhere;
pub(crate) mod forgotten;
pub(crate) mod fronts;
pub(crate) mod installs;
pub(crate) mod later;
pub(crate) mod looked;
pub(crate) mod machine;
pub(crate) mod made;
pub(crate) mod next;
pub(crate) mod otherwise;
pub(crate) mod patches;
pub(crate) mod rules;
pub(crate) mod steps;
pub(crate) mod tried;
pub(crate) mod unchanged;
pub(crate) mod waiting;
