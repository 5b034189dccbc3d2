;; Reads the names of the run log in an endless loop.
(import "gephost:gene/run-log@0.1.0" "tool-names" (func $names (param i32)))
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (loop $again
    (call $names (i32.const 2048))
    (global.set $next (i32.const 16384))
    (br $again))
  (unreachable))
