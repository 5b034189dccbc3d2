use super::*;

/// The contract as text, to be changed here and there. Short of its imports but one.
const HEURISTIC: &str = r#"(component
  (type $log (instance
    (type $level (enum "debug" "info" "warn" "error"))
    (export "level" (type $exported (eq $level)))
    (type $f (func (param "level" $exported) (param "message" string)))
    (export "log" (func (type $f)))))
  (import "gephost:gene/logging@0.1.0" (instance (type $log)))
)"#;

fn of(text: &str) -> Option<String> {
    misfit(&wat::parse_str(text).unwrap(), World::Heuristic)
}

#[test]
fn the_contract_fits_itself() {
    for world in World::ALL {
        assert_eq!(misfit(REFERENCE, world), None, "{world}");
    }
}

#[test]
fn an_import_is_compared_function_by_function() {
    let says = |text: &str| of(text).unwrap_or_default();
    assert!(!says(HEURISTIC).contains("logging"), "{}", says(HEURISTIC));
    let wrong = says(&HEURISTIC.replace("\"message\" string", "\"message\" u32"));
    assert!(wrong.contains("`log` of the import `gephost:gene/logging@0.1.0` is `message: u32)`"), "{wrong}");
    assert!(wrong.contains("where the contract has `message: string)`"), "{wrong}");
    let fewer = says(&HEURISTIC.replace(" \"error\"", ""));
    assert!(fewer.contains("is `level: enum { debug, info, warn }") || fewer.contains("warn }"), "{fewer}");
    let other = says(&HEURISTIC.replace("export \"log\"", "export \"shout\""));
    assert!(other.contains("has a function `shout`, which is none of 0.1.2"), "{other}");
}

#[test]
fn an_export_that_is_missing_is_named() {
    let says = of(HEURISTIC).unwrap();
    assert_eq!(says, "`gephost:gene/diagnosis@0.1.2` is not exported as an interface");
    let hollow = "(component (instance $d) (export \"gephost:gene/diagnosis@0.1.0\" (instance $d)))";
    assert_eq!(of(hollow).unwrap(), "the export `gephost:gene/diagnosis` lacks the function `diagnose`");
}

/// A type that doubles at each level ends at a bound, and soon.
#[test]
fn a_type_that_doubles_is_bounded() {
    let mut text = String::from("(component (type $log (instance (type $t0 (tuple u8 u8))\n");
    for level in 1..60 {
        text.push_str(&format!("(type $t{level} (tuple $t{0} $t{0}))\n", level - 1));
    }
    text.push_str(
        "(type $f (func (param \"x\" $t59))) (export \"log\" (func (type $f)))))\n\
         (import \"gephost:gene/logging@0.1.0\" (instance (type $log))))",
    );
    let begun = std::time::Instant::now();
    // The validator may refuse it by itself: then it is the compiler's to say.
    let _ = of(&text);
    assert!(begun.elapsed().as_secs() < 5);
}
