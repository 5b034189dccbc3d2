//! Whether a component's imports and exports have the contract's types, and where not: said before anything is compiled,
//! in the words of `wit/v0.1.2`.
//!
//! The contract is `v0.1.2.wasm`, a component that imports and exports all of it and holds no code; a test builds it from
//! `wit/v0.1.2` and compares. A component that the validator refuses is not judged here: the compiler will say what is wrong
//! with it. This runs where compiling runs, which is bounded in time and memory.

mod types;

use wasmparser::component_types::{ComponentEntityType, ComponentInstanceType};
use wasmparser::types::TypesRef;
use wasmparser::{Parser, ValidPayload, Validator, WasmFeatures};

use gephost_core::gene::World;
use types::function;

/// The contract.
const REFERENCE: &[u8] = include_bytes!("v0.1.2.wasm");
/// Its version. Components of every patch of 0.1 are compared with it: patches only add.
const VERSION: &str = "0.1.2";
const PACKAGE: &str = "gephost:gene/";
/// The most differences that are told.
const MAX_TOLD: usize = 3;
/// How much of two types is shown where they differ, in characters.
const SHOWN: usize = 80;

/// Where a component of `world` does not fit, for its author; `None` if it fits, or is no component at all.
pub fn misfit(component: &[u8], world: World) -> Option<String> {
    let (mut own, mut host) = (Validator::new_with_features(features()), Validator::new_with_features(features()));
    let found = types_of(&mut own, component)?;
    let reference = types_of(&mut host, REFERENCE)?;
    let (found, reference) = (found.as_ref(), reference.as_ref());
    let mut told: Vec<String> = Vec::new();
    for interface in exports_of(world) {
        told.extend(export(found, reference, interface));
    }
    for name in imports(component).into_iter().filter(|name| name.starts_with(PACKAGE)) {
        told.extend(import(found, reference, &name));
    }
    let more = told.len().saturating_sub(MAX_TOLD);
    told.truncate(MAX_TOLD);
    if more > 0 {
        told.push(format!("and {more} more"));
    }
    (!told.is_empty()).then(|| told.join("; "))
}

fn features() -> WasmFeatures {
    // More than genes get: what they do not get is the compiler's to say.
    WasmFeatures::all()
}

/// The functions of the contract that a world exports, by interface.
fn exports_of(world: World) -> impl Iterator<Item = (&'static str, &'static str)> {
    let diagnosis = world.diagnoses().then_some(("gephost:gene/diagnosis", "diagnose"));
    diagnosis.into_iter().chain(world.proposes().then_some(("gephost:gene/proposals", "propose")))
}

/// The types of a component's outermost level, without a look into function bodies.
fn types_of(validator: &mut Validator, component: &[u8]) -> Option<wasmparser::types::Types> {
    let mut types = None;
    for payload in Parser::new(0).parse_all(component) {
        if let ValidPayload::End(level) = validator.payload(&payload.ok()?).ok()? {
            types = Some(level);
        }
    }
    types
}

/// The names of the outermost level's imports.
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
    // Any patch of 0.1 is this contract's.
    let own = (0..=99).find_map(|patch| found.component_item_for_export(&format!("{interface}@0.1.{patch}")));
    let Some(own) = own.and_then(|item| instance(found, &item.ty)) else {
        return Some(format!("`{versioned}` is not exported as an interface"));
    };
    let place = format!("the export `{interface}`");
    compare((found, own), (reference, wanted), name, &place)
}

/// What is wrong with an import, if anything: each of its functions must be there, and of the same type.
fn import(found: TypesRef<'_>, reference: TypesRef<'_>, name: &str) -> Option<String> {
    let interface = name.split_once('@').map_or(name, |(interface, _)| interface);
    let own = instance(found, &found.component_item_for_import(name)?.ty)?;
    // An interface that is not there at all was refused before.
    let wanted = instance(reference, &reference.component_item_for_import(&format!("{interface}@{VERSION}"))?.ty)?;
    let place = format!("the import `{name}`");
    let functions = own.exports.iter().filter(|(_, item)| matches!(item.ty, ComponentEntityType::Func(_)));
    functions.into_iter().find_map(|(name, _)| compare((found, own), (reference, wanted), name, &place))
}

/// Compares a function of two instances.
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

/// The parts of two texts where they begin to differ, from the beginning of a word on.
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
