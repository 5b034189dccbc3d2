;; Polls ten thousand equal subscriptions at once, in an endless loop.
(import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $subscribe (param i64) (result i32)))
(import "wasi:io/poll@0.2.0" "poll" (func $poll (param i32 i32 i32)))
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (local $thing i32)
  (local $left i32)
  (drop (memory.grow (i32.const 2)))
  (global.set $next (i32.const 65536))
  (local.set $thing (call $subscribe (i64.const 1)))
  (local.set $left (i32.const 10000))
  (loop $fill
    (local.set $left (i32.sub (local.get $left) (i32.const 1)))
    (i32.store offset=16384 (i32.mul (local.get $left) (i32.const 4)) (local.get $thing))
    (br_if $fill (local.get $left)))
  (loop $again
    (global.set $next (i32.const 65536))
    (call $poll (i32.const 16384) (i32.const 10000) (i32.const 2048))
    (br $again))
  (unreachable))
