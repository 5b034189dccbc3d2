;; Reads the same file a hundred times in one call. Traps unless the last result is an error.
(import "gephost:gene/workspace@0.1.0" "read" (func $read (param i32 i32 i32)))
(data (i32.const 2048) "src/0.txt")
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (local $left i32)
  (local.set $left (i32.const 100))
  (loop $again
    (local.set $left (i32.sub (local.get $left) (i32.const 1)))
    (i32.store offset=4096 (i32.mul (local.get $left) (i32.const 8)) (i32.const 2048))
    (i32.store offset=4100 (i32.mul (local.get $left) (i32.const 8)) (i32.const 9))
    (br_if $again (local.get $left)))
  (call $read (i32.const 4096) (i32.const 100) (i32.const 2064))
  (if (i32.ne (i32.load8_u (i32.add (i32.load (i32.const 2064)) (i32.const 1584))) (i32.const 1)) (then (unreachable)))
  (i32.const 1024))
