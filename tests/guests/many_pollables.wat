;; Subscribes to its clock in an endless loop and never drops a subscription.
(import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $subscribe (param i64) (result i32)))
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (loop $again
    (drop (call $subscribe (i64.const 1)))
    (br $again))
  (unreachable))
