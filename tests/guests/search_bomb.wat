;; Searches the workspace for an expression that is expensive to rule out.
(import "gephost:gene/workspace@0.1.0" "search" (func $search (param i32 i32 i32 i32 i32 i32)))
(data (i32.const 2048) "(?:(?:a|b)*a(?:a|b){200}){9}c**")
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (call $search (i32.const 2048) (i32.const 29) (i32.const 2077) (i32.const 2) (i32.const 10) (i32.const 4096))
  (if (i32.load8_u (i32.const 4096)) (then (unreachable)))
  (i32.const 1024))
