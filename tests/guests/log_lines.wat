;; Writes long log lines.
(import "gephost:gene/logging@0.1.0" "log" (func $log (param i32 i32 i32)))
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (loop $again
    (call $log (i32.const 0) (i32.const 0) (i32.const 0))
    (br $again))
  (unreachable))
