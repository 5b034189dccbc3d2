;; Opens cursors in an endless loop and never closes one.
(import "gephost:gene/run-log@0.1.0" "open" (func $open (param i32 i32 i32 i32 i32 i32 i32 i64 i32)))
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (loop $again
    (call $open (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)
      (i32.const 0) (i64.const 0) (i32.const 2048))
    (br $again))
  (unreachable))
