//! A crate that is written for a newer edition of Rust than its manifest says: `async fn` in Rust 2015.
//!
//! Without a key `edition`, cargo takes the edition 2015. The compiler names the newest edition as a remedy; the oldest one
//! that has the syntax changes the least.

use gephost_gene::failures::Failure;

use crate::fix::{Edit, Fix};
use crate::shelf::Shelf;
use crate::source::Source;

/// How the error begins, and the edition that has the syntax.
const ERROR: &str = "error[E0670]: `async fn` is not permitted in Rust 2015";
const EDITION: &str = "2018";

/// The repairs for the errors in an output: one for each manifest.
pub(crate) fn fixes(failure: &Failure, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    let mut fixes: Vec<Fix> = Vec::new();
    let mut raised = false;
    for line in failure.output.lines() {
        let place = line.trim().strip_prefix("--> ").filter(|_| std::mem::take(&mut raised));
        raised |= line.starts_with(ERROR);
        let Some(path) = place.and_then(|place| place.rsplitn(3, ':').nth(2)) else { continue };
        let manifest = shelf.open(path).and_then(|source| shelf.nearest(&source.path, "Cargo.toml"));
        if let Some(fix) = manifest.and_then(|path| fix(&*shelf.read(&path)?))
            && !fixes.iter().any(|known| known.path == fix.path)
        {
            fixes.push(fix);
        }
    }
    fixes
}

/// Sets the edition in the table `[package]`.
fn fix(source: &Source) -> Option<Fix> {
    let line = |number: usize| source.line(number).map_or("", str::trim);
    let table = (1..=source.count()).find(|number| matches!(line(*number), "[package]" | "[project]"))?;
    let end = (table + 1..=source.count()).find(|number| line(*number).starts_with('[')).unwrap_or(source.count() + 1);
    let key = |name: &str| {
        (table + 1..end).find(|number| {
            line(*number).strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(['=', '.']))
        })
    };
    let (number, edit) = if let Some(number) = key("edition") {
        let at = source.range(number)?.start + source.line(number)?.find("\"2015\"")?;
        (number, Edit::replace(at + 1..at + 5, EDITION))
    } else {
        let number = key("version").filter(|number| line(*number).contains('"'))?;
        (number, Edit::insert(source.range(number)?.end, format!("{}edition = \"{EDITION}\"", source.ending())))
    };
    let why = "the crate uses syntax that its edition of Rust does not have";
    Some(Fix::new(source, number, vec![edit], format!("set the edition {EDITION}")).because(why, ERROR))
}
