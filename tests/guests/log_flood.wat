;; Writes empty log lines in an endless loop.
(import "gephost:gene/logging@0.1.0" "log" (func $log (param i32 i32 i32)))
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (loop $again
    (call $log (i32.const 1) (i32.const 4096) (i32.const 4096))
    (br $again))
  (unreachable))
