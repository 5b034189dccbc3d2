;; A strategy that never returns.
(func $propose (export "gephost:gene/proposals@0.1.0#propose") (param i32 i32 i32 i32) (result i32)
  (loop $again (br $again))
  (unreachable))
