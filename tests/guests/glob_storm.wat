;; Lists every file in an endless loop, into the same memory.
(import "gephost:gene/workspace@0.1.0" "glob" (func $glob (param i32 i32 i32 i32)))
(data (i32.const 2048) "**/*")
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (loop $again
    (global.set $next (i32.const 16384))
    (call $glob (i32.const 2048) (i32.const 4) (i32.const 1000000) (i32.const 2064))
    (br $again))
  (unreachable))
