;; Calls itself until its stack is full.
(func $deeper (param i32) (result i32)
  (i32.add (call $deeper (i32.add (local.get 0) (i32.const 1))) (i32.const 1)))
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (call $deeper (i32.const 0)))
