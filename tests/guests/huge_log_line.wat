;; Writes one log line of 16 MiB.
(import "gephost:gene/logging@0.1.0" "log" (func $log (param i32 i32 i32)))
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (drop (memory.grow (i32.const 256)))
  (call $log (i32.const 1) (i32.const 0) (i32.const 0x1000000))
  (i32.const 1024))
