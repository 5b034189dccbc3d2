;; Grows its memory by 192 MiB, one mebibyte at a time, and writes to each page.
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (local $at i32)
  (local $left i32)
  (local.set $left (i32.const 192))
  (loop $again
    (local.set $at (i32.shl (memory.grow (i32.const 16)) (i32.const 16)))
    (memory.fill (local.get $at) (i32.const 0xa5) (i32.const 1048576))
    (local.set $left (i32.sub (local.get $left) (i32.const 1)))
    (br_if $again (local.get $left)))
  (i32.const 1024))
