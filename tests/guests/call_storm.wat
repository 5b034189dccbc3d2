;; Calls the host in an endless loop.
(import "gephost:gene/history@0.1.0" "attempts" (func $attempts (param i32 i32 i32)))
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (loop $again
    (call $attempts (i32.const 0) (i32.const 0) (i32.const 2048))
    (br $again))
  (unreachable))
