//! `gephost diagnose`: it reports each error once, ordered by priority, and nothing below the thresholds of `[diagnose]`.

use gephost_tests::environment::TestEnv;
use serde_json::Value;

use crate::scene::{quickstart, validated_by};

fn findings(document: &Value) -> &Vec<Value> {
    document["findings"].as_array().unwrap()
}

#[test]
fn one_error_is_one_finding_with_all_its_events() {
    let env = TestEnv::new();
    let (document, code) = env.json(quickstart(&env, None).root(), &["diagnose"]);
    assert_eq!(code, 0);
    let errors: Vec<&Value> =
        findings(&document).iter().filter(|finding| finding["kind"] == "error_signature").collect();
    assert_eq!(errors.len(), 1, "{document:#}");
    let title = errors[0]["title"].as_str().unwrap();
    assert!(title.starts_with("ImportError: cannot import name 'Mapping' from 'collections'"), "{title}");
    assert!(title.ends_with("(Bash, 3 times)"), "{title}");
    assert_eq!((errors[0]["severity"].as_str(), errors[0]["occurrences"].as_u64()), (Some("high"), Some(3)));
    assert_eq!(errors[0]["evidence"].as_array().unwrap().len(), 3);
    let priorities: Vec<f64> =
        findings(&document).iter().map(|finding| finding["priority"].as_f64().unwrap()).collect();
    assert!(priorities.is_sorted_by(|a, b| a >= b) && priorities[0] > 3.0, "{priorities:?}");
}

#[test]
fn findings_below_the_thresholds_are_only_counted() {
    let env = TestEnv::new();
    let with = |keys: &str| {
        let config = format!("{}[diagnose]\n{keys}\n", validated_by(""));
        env.json(quickstart(&env, Some(&config)).root(), &["diagnose"]).0
    };
    let all = with("");
    assert!(findings(&all).len() > 1);
    let one = with("max_findings = 1");
    assert_eq!(findings(&one).len(), 1);
    assert_eq!(findings(&one)[0]["id"], findings(&all)[0]["id"], "the first by priority");
    let left_out = |document: &Value| document["below_thresholds"].as_u64().unwrap();
    assert_eq!(left_out(&one), left_out(&all) + findings(&all).len() as u64 - 1);
    let none = with("at_least = { error_signature = 4, environment = 4 }");
    assert_eq!(findings(&none).len(), 0, "{none:#}");
}
