;; Asks the host to write an answer to an address outside its memory.
(import "gephost:gene/run-log@0.1.0" "tool-names" (func $names (param i32)))
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (call $names (i32.const -16))
  (i32.const 1024))
