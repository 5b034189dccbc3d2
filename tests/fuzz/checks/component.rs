/// Puts any bytes through every check that a component passes before it is compiled.
pub(crate) fn check_component(bytes: &[u8]) {
    match gephost_runner::sandbox::inspect(bytes) {
        Ok(inspected) => {
            let _ = (inspected.producers.language(), inspected.producers.evidence());
            let _ = gephost_runner::sandbox::misfit(bytes, inspected.manifest.world);
        }
        Err(error) => {
            let said = error.to_string();
            assert!(!said.is_empty() && !said.chars().any(char::is_control), "{said:?}");
            assert!(said.len() < 20_000, "{} bytes", said.len());
        }
    }
    // The comparison with the contract trusts no earlier check.
    let _ = gephost_runner::sandbox::misfit(bytes, gephost_core::gene::World::Gene);
}
