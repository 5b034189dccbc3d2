;; Asks for more random bytes than any memory can hold.
(import "wasi:random/random@0.2.0" "get-random-bytes" (func $random (param i64 i32)))
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (call $random (i64.const -1) (i32.const 2048))
  (i32.const 1024))
