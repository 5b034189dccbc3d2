;; A strategy that traps.
(func $propose (export "gephost:gene/proposals@0.1.0#propose") (param i32 i32 i32 i32) (result i32)
  (unreachable))
