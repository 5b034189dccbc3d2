//! Makes the bundle of a capsule that was made here: the form that travels, refused if it may not be shared.
//!
//! What must stay true: a bundle is made only of a capsule that meets every rule of seed 000, "A2A Broadcast Eligibility", and of
//! a hub; its streak is the one of this user's log; and no text in it has a secret.

use serde_json::{Map, Value, json};

use super::bundle::{Bundle, wire_document};
use super::component::{BlobRef, ComponentRef};
use super::quality::{Shortfall, shortfalls};
use crate::capsule::Capsule;
use crate::digest::{self, DigestError, SCHEMA_VERSION};
use crate::evaluate::broadcast_refusals;
use crate::evolution_event::EvolutionEvent;
use crate::gene::Gene;

/// What is shared, and what this user's log says of it.
#[derive(Debug, Clone)]
pub struct Publication<'a> {
    /// The strategy.
    pub gene: &'a Gene,
    /// What one application of it achieved.
    pub capsule: &'a Capsule,
    /// The cycle that made it, if it is known.
    pub event: Option<&'a EvolutionEvent>,
    /// Successes in a row by this user's log.
    pub streak: u64,
    /// How many cycles there were up to this one.
    pub total_cycles: u64,
    /// The component of the gene, if it has one.
    pub component: Option<ComponentRef>,
    /// The recording of the gene's call, if it is shared.
    pub recording: Option<BlobRef>,
}

impl Publication<'_> {
    /// The bundle, or every rule that keeps it here. `redact` replaces what must not leave this machine.
    pub fn bundle(&self, redact: &mut dyn FnMut(&str) -> String) -> Result<Bundle, Vec<Shortfall>> {
        let mut missed: Vec<Shortfall> = broadcast_refusals(self.capsule, self.streak)
            .into_iter()
            .map(|message| Shortfall { rule: "broadcast_eligible", message })
            .collect();
        // The rules of a hub are weaker than those of seed 001, so a fault is said once.
        if missed.is_empty() {
            missed = shortfalls(self.capsule);
        }
        let payload = self.payload().map_err(|error| vec![unreadable(error.to_string())])?;
        if let Some(path) = first_secret(&payload, redact) {
            let message = format!("`{path}` holds a secret or something personal: it stays here");
            missed.push(Shortfall { rule: "no_secrets", message });
        }
        match Bundle::read(&payload) {
            Ok(bundle) if missed.is_empty() => Ok(bundle),
            Ok(_) => Err(missed),
            Err(problem) => {
                let message = format!("{}: {}", problem.message, problem.correction);
                missed.push(unreadable(message));
                Err(missed)
            }
        }
    }

    fn payload(&self) -> Result<Map<String, Value>, DigestError> {
        let mut gene = self.gene.document().clone();
        gene.shift_remove("a2a");
        if let Some(ComponentRef { blob, world }) = &self.component {
            let component = json!({
                "digest": blob.digest, "size": blob.size, "media_type": blob.media_type, "world": world.as_str(),
            });
            gene.insert("component".to_owned(), component);
        }
        let gene_id = digest::seal(&mut gene)?;
        let mut capsule = wire_document(self.capsule.document());
        for local in ["a2a", "validation_errors"] {
            capsule.shift_remove(local);
        }
        capsule.insert("gene".to_owned(), gene_id.as_str().into());
        capsule.insert("success_streak".to_owned(), self.streak.into());
        let capsule_id = digest::seal(&mut capsule)?;
        let mut assets = vec![gene, capsule];
        if let Some(event) = self.event {
            let mut document = json!({
                "type": "EvolutionEvent",
                "schema_version": SCHEMA_VERSION,
                "id": event.id,
                "intent": event.intent.as_str(),
                "signals": event.signals,
                "genes_used": [gene_id],
                "capsule_id": capsule_id,
                "outcome": event.outcome,
                "mutations_tried": mutations_tried(event),
                "total_cycles": self.total_cycles,
            });
            if let Some(members) = document.as_object_mut() {
                digest::seal(members)?;
                assets.push(std::mem::take(members));
            }
        }
        let mut payload = Map::new();
        payload.insert("assets".to_owned(), json!(assets));
        if let Some(BlobRef { digest, size, media_type }) = &self.recording {
            payload.insert("recording".to_owned(), json!({"digest": digest, "size": size, "media_type": media_type}));
        }
        Ok(payload)
    }
}

fn unreadable(message: String) -> Shortfall {
    Shortfall { rule: "bundle", message }
}

/// How many candidates the cycle had.
fn mutations_tried(event: &EvolutionEvent) -> usize {
    let listed = event.document().get("meta").and_then(|meta| meta.get("candidates")?.as_array());
    listed.map_or(1, |candidates| candidates.len().max(1))
}

/// Where the first text is that would be redacted. Ids and digests are no secrets, and are never redacted.
fn first_secret(payload: &Map<String, Value>, redact: &mut dyn FnMut(&str) -> String) -> Option<String> {
    fn look(value: &Value, path: &str, redact: &mut dyn FnMut(&str) -> String) -> Option<String> {
        match value {
            Value::String(text) => (redact(text) != *text).then(|| path.to_owned()),
            Value::Array(items) => {
                items.iter().enumerate().find_map(|(place, item)| look(item, &format!("{path}[{place}]"), redact))
            }
            Value::Object(members) => members
                .iter()
                .filter(|(name, _)| !IDS.contains(&name.as_str()))
                .find_map(|(name, member)| look(member, &format!("{path}.{name}"), redact)),
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }
    const IDS: [&str; 7] = ["asset_id", "id", "gene", "capsule_id", "genes_used", "digest", "parent"];
    payload.iter().find_map(|(name, value)| look(value, name, redact))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gene() -> Gene {
        Gene::from_json(
            br#"{"type":"Gene","id":"gene_x","category":"repair","signals_match":["error"],
                "summary":"Repairs what broke","asset_id":"sha256:00"}"#,
        )
        .expect("a gene")
    }

    fn capsule(more: &str) -> Capsule {
        let text = format!(
            r#"{{"type":"Capsule","id":"capsule_1","trigger":["error"],"gene":"gene_x","confidence":0.85,
                "summary":"Repairs the counter that was one too low","blast_radius":{{"files":1,"lines":2}},
                "outcome":{{"status":"success","score":0.9,"note":"stays here"}},"success_streak":9,
                "env_fingerprint":{{"platform":"linux","arch":"x86_64"}},"a2a":{{"eligible_to_broadcast":false}}{more}}}"#
        );
        Capsule::from_json(text.as_bytes()).expect("a capsule")
    }

    fn event() -> EvolutionEvent {
        EvolutionEvent::from_json(
            br#"{"type":"EvolutionEvent","id":"evt_1","parent":null,"intent":"repair","signals":["error"],
                "genes_used":["gene_x"],"outcome":{"status":"success","score":0.9},"capsule_id":"capsule_1",
                "meta":{"at":"2026-01-01T00:00:00Z","sandbox":"L2","candidates":[{},{}]}}"#,
        )
        .expect("an event")
    }

    fn publish(capsule: &Capsule, streak: u64) -> Result<Bundle, Vec<Shortfall>> {
        let (gene, event) = (gene(), event());
        let publication = Publication {
            gene: &gene,
            capsule,
            event: Some(&event),
            streak,
            total_cycles: 5,
            component: None,
            recording: None,
        };
        publication.bundle(&mut |text| text.replace("hunter2", "[REDACTED]"))
    }

    #[test]
    fn what_travels_is_sealed_anew_and_says_nothing_of_this_machine() {
        let bundle = publish(&capsule(""), 3).expect("a bundle");
        let sent = bundle.capsule.asset.document();
        assert_eq!(sent["gene"], bundle.gene.asset_id.as_str());
        assert_eq!(
            (&sent["success_streak"], &sent["outcome"]),
            (&json!(3), &json!({"status": "success", "score": 0.9}))
        );
        assert!(!sent.contains_key("a2a"));
        let event = bundle.event.as_ref().expect("an event").asset.document();
        assert_eq!((&event["mutations_tried"], &event["total_cycles"]), (&json!(2), &json!(5)));
        assert_eq!(event["capsule_id"], bundle.capsule.asset_id.as_str());
        assert!(!event.contains_key("meta") && !event.contains_key("parent"));
    }

    #[test]
    fn every_rule_that_is_not_met_is_said() {
        let check = |capsule: &Capsule, streak: u64, rules: &[&str]| {
            let missed = publish(capsule, streak).expect_err("refused");
            let found: Vec<_> = missed.iter().map(|shortfall| shortfall.rule).collect();
            assert_eq!(found, rules, "{missed:?}");
        };
        check(&capsule(""), 1, &["broadcast_eligible"]);
        check(&capsule(r#","diff":"+password = hunter2""#), 3, &["no_secrets"]);
        let failed = Capsule::from_json(
            br#"{"type":"Capsule","id":"c","trigger":["error"],"confidence":0.85,
                "summary":"Repairs the counter that was one too low","outcome":{"status":"failed"}}"#,
        )
        .expect("a capsule");
        check(&failed, 0, &["broadcast_eligible"; 4].iter().copied().chain(["bundle"]).collect::<Vec<_>>());
        let quiet = Capsule::from_json(
            br#"{"type":"Capsule","id":"c","trigger":["error"],"confidence":0.85,"summary":"short",
                "blast_radius":{"files":1,"lines":2},"outcome":{"status":"success","score":0.9}}"#,
        )
        .expect("a capsule");
        check(&quiet, 2, &["bundle"]);
    }
}
