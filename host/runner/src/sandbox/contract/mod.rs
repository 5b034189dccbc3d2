//! Compares a component's imports and exports with the contract's types, before anything is compiled. Differences are
//! reported in the words of `wit/v0.1.2`.
//!
//! The contract is `v0.1.2.wasm`, a component without code that imports and exports all of it. A test builds it from
//! `wit/v0.1.2` and compares. A component that the validator refuses is not judged here, because the compiler reports
//! what is wrong with it. This runs where the compiler runs, with bounds on time and memory.

mod types;

use wasmparser::component_types::{ComponentEntityType, ComponentInstanceType};
use wasmparser::types::TypesRef;
use wasmparser::{Parser, ValidPayload, Validator, WasmFeatures};

use gephost_core::gene::World;
use types::function;

/// The contract.
const REFERENCE: &[u8] = include_bytes!("v0.1.2.wasm");
/// Its version. Components of every patch release of 0.1 are compared with it, because patch releases only add.
const VERSION: &str = "0.1.2";
const PACKAGE: &str = "gephost:gene/";
/// Most differences that are reported.
const MAX_DIFFERENCES: usize = 3;
/// Characters of two differing types that are shown.
const SHOWN: usize = 80;

/// How a component of `world` differs from the contract, for its author. `None` if it fits or is not a component.
pub fn misfit(component: &[u8], world: World) -> Option<String> {
    let (mut own, mut host) = (Validator::new_with_features(features()), Validator::new_with_features(features()));
    let found = types_of(&mut own, component)?;
    let reference = types_of(&mut host, REFERENCE)?;
    let (found, reference) = (found.as_ref(), reference.as_ref());
    let mut differences: Vec<String> = Vec::new();
    for interface in exports_of(world) {
        differences.extend(export(found, reference, interface));
    }
    for name in imports(component).into_iter().filter(|name| name.starts_with(PACKAGE)) {
        differences.extend(import(found, reference, &name));
    }
    let more = differences.len().saturating_sub(MAX_DIFFERENCES);
    differences.truncate(MAX_DIFFERENCES);
    if more > 0 {
        differences.push(format!("and {more} more"));
    }
    (!differences.is_empty()).then(|| differences.join("; "))
}

fn features() -> WasmFeatures {
    // This includes imports that genes do not get. The compiler reports those.
    WasmFeatures::all()
}

/// The functions of the contract that a world exports, by interface.
fn exports_of(world: World) -> impl Iterator<Item = (&'static str, &'static str)> {
    let diagnosis = world.diagnoses().then_some(("gephost:gene/diagnosis", "diagnose"));
    diagnosis.into_iter().chain(world.proposes().then_some(("gephost:gene/proposals", "propose")))
}

/// The types at the outermost level of a component, without reading function bodies.
fn types_of(validator: &mut Validator, component: &[u8]) -> Option<wasmparser::types::Types> {
    let mut types = None;
    for payload in Parser::new(0).parse_all(component) {
        if let ValidPayload::End(level) = validator.payload(&payload.ok()?).ok()? {
            types = Some(level);
        }
    }
    types
}

/// The names of the imports at the outermost level.
fn imports(component: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(component).map_while(Result::ok) {
        match payload {
            wasmparser::Payload::ModuleSection { .. } | wasmparser::Payload::ComponentSection { .. } => depth += 1,
            wasmparser::Payload::End(_) => depth = depth.saturating_sub(1),
            wasmparser::Payload::ComponentImportSection(section) if depth == 0 => {
                names.extend(section.into_iter().map_while(Result::ok).map(|import| import.name.name.to_owned()));
            }
            _ => {}
        }
    }
    names
}

fn instance<'a>(types: TypesRef<'a>, entity: &ComponentEntityType) -> Option<&'a ComponentInstanceType> {
    match entity {
        ComponentEntityType::Instance(id) => types.get(*id),
        _ => None,
    }
}

/// What is wrong with an export, if anything.
fn export(found: TypesRef<'_>, reference: TypesRef<'_>, (interface, name): (&str, &str)) -> Option<String> {
    let versioned = format!("{interface}@{VERSION}");
    let wanted = instance(reference, &reference.component_item_for_export(&versioned)?.ty)?;
    // Every patch release of 0.1 has this contract.
    let own = (0..=99).find_map(|patch| found.component_item_for_export(&format!("{interface}@0.1.{patch}")));
    let Some(own) = own.and_then(|item| instance(found, &item.ty)) else {
        return Some(format!("`{versioned}` is not exported as an interface"));
    };
    let place = format!("the export `{interface}`");
    compare((found, own), (reference, wanted), name, &place)
}

/// What is wrong with an import, if anything. Each of its functions must exist in the contract with the same type.
fn import(found: TypesRef<'_>, reference: TypesRef<'_>, name: &str) -> Option<String> {
    let interface = name.split_once('@').map_or(name, |(interface, _)| interface);
    let own = instance(found, &found.component_item_for_import(name)?.ty)?;
    // An interface that does not exist was refused before.
    let wanted = instance(reference, &reference.component_item_for_import(&format!("{interface}@{VERSION}"))?.ty)?;
    let place = format!("the import `{name}`");
    let functions = own.exports.iter().filter(|(_, item)| matches!(item.ty, ComponentEntityType::Func(_)));
    functions.into_iter().find_map(|(name, _)| compare((found, own), (reference, wanted), name, &place))
}

/// Compares one function of two instances.
fn compare(
    own: (TypesRef<'_>, &ComponentInstanceType),
    wanted: (TypesRef<'_>, &ComponentInstanceType),
    name: &str,
    place: &str,
) -> Option<String> {
    match (function(own.0, own.1, name), function(wanted.0, wanted.1, name)) {
        (Some(own), Some(wanted)) if own == wanted => None,
        (Some(own), Some(wanted)) => {
            let (own, wanted) = difference(&own, &wanted);
            Some(format!("`{name}` of {place} is `{own}` where the contract has `{wanted}`"))
        }
        (None, _) => Some(format!("{place} lacks the function `{name}`")),
        (Some(_), None) => Some(format!(
            "{place} has a function `{name}`, which is none of {VERSION}: it is of a later patch (upgrade gephost), or of \
             another contract"
        )),
    }
}

/// The parts of two texts from where they begin to differ, starting at a word.
fn difference(own: &str, wanted: &str) -> (String, String) {
    let same = own.bytes().zip(wanted.bytes()).take_while(|(a, b)| a == b).count();
    let before = own.get(..same).unwrap_or_default();
    // The name of a field or a parameter belongs to its type.
    let start = before.rfind([',', '{', '(', '<']).map_or(0, |at| at + 1);
    let shown = |text: &str| {
        let rest = text.get(start..).unwrap_or(text).trim_start();
        let short: String = rest.chars().take(SHOWN).collect();
        if short.len() < rest.len() { format!("{short}…") } else { short }
    };
    (shown(own), shown(wanted))
}

#[cfg(test)]
mod tests;
