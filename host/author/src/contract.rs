//! The contract between host and gene, as it is compiled into this program.

use gephost_core::gene::World;
use wit_parser::{Resolve, WorldId};

/// Version of the contract.
pub const VERSION: &str = "0.1.2";
/// Name of the file that holds it.
pub const FILE: &str = "gene.wit";
/// The WIT package.
pub const TEXT: &str = include_str!("../../../wit/v0.1.2/gene.wit");

/// A world of the contract. The error is a line for the log of a bug: the text was checked when this program was built.
pub(crate) fn world(world: World) -> Result<(Resolve, WorldId), String> {
    let mut resolve = Resolve::default();
    let package = resolve.push_str(FILE, TEXT).map_err(|error| error.to_string())?;
    let world = resolve.select_world(&[package], Some(world.as_str())).map_err(|error| error.to_string())?;
    Ok((resolve, world))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_world_of_a_manifest_is_a_world_of_the_contract() {
        for name in World::ALL {
            assert!(world(name).is_ok(), "{name}");
        }
        assert!(TEXT.contains(&format!("package gephost:gene@{VERSION};")));
    }
}
