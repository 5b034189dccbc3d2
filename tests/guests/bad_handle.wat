;; Uses a cursor that it never opened.
(import "gephost:gene/run-log@0.1.0" "[method]cursor.next" (func $read (param i32 i32 i32)))
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (call $read (i32.const 7) (i32.const 10) (i32.const 2048))
  (i32.const 1024))
