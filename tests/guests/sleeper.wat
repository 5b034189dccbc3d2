;; Sleeps for an hour, in an endless loop.
(import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $subscribe (param i64) (result i32)))
(import "wasi:io/poll@0.2.0" "[method]pollable.block" (func $block (param i32)))
(import "wasi:io/poll@0.2.0" "[resource-drop]pollable" (func $drop (param i32)))
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (local $hour i32)
  (loop $again
    (local.set $hour (call $subscribe (i64.const 3600000000000)))
    (call $block (local.get $hour))
    (call $drop (local.get $hour))
    (br $again))
  (unreachable))
