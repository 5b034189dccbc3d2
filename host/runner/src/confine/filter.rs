//! Builds one seccomp filter and puts it in force.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Operator, SeccompCondition as Condition,
    SeccompFilter, SeccompRule, TargetArch,
};

use super::error::ConfineError;

pub(super) fn errno(number: i32) -> SeccompAction {
    SeccompAction::Errno(number.unsigned_abs())
}

pub(super) fn install(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    otherwise: SeccompAction,
    listed: SeccompAction,
) -> Result<(), ConfineError> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    let program: BpfProgram = SeccompFilter::new(rules, otherwise, listed, architecture)?.try_into()?;
    Ok(seccompiler::apply_filter_all_threads(&program)?)
}

/// Requires that the argument at this position has exactly these bits of the mask set.
pub(super) fn masked(position: u8, mask: u64, bits: u64) -> Result<SeccompRule, ConfineError> {
    let condition = Condition::new(position, Length::Qword, Operator::MaskedEq(mask), bits)?;
    Ok(SeccompRule::new(vec![condition])?)
}
