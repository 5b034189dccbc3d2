;; Returns an address at the end of the address space when the host asks for room for an answer.
(import "gephost:gene/run-log@0.1.0" "tool-names" (func $names (param i32)))
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (global.set $next (i32.const -64))
  (call $names (i32.const 2048))
  (i32.const 1024))
