;; A strategy with many proposals, each the whole new content of a file: the proposals at 4096 again and again, as often as it
;; is told. The test fills in the proposals, with all that they point to, and the counts.
(data (i32.const 4096) "@DATA@")
(func $propose (export "gephost:gene/proposals@0.1.0#propose") 
  (param $findings i32) (param $count i32) (param i32 i32) (result i32)
  (local $list i32) (local $number i32)
  (local.set $list (i32.shl (memory.grow (i32.const @PAGES@)) (i32.const 16)))
  (i32.store (i32.const 2048) (i32.const 0))
  (i32.store offset=4 (i32.const 2048) (local.get $list))
  (i32.store offset=8 (i32.const 2048) (i32.const @TIMES@))
  (loop $again
    (memory.copy
      (i32.add (local.get $list) (i32.mul (local.get $number) (i32.const 60)))
      (i32.add (i32.const 4096) (i32.mul (i32.rem_u (local.get $number) (i32.const @COUNT@)) (i32.const 60)))
      (i32.const 60))
    ;; For the first finding that it is asked about.
    (if (local.get $count)
      (then (i64.store offset=24
        (i32.add (local.get $list) (i32.mul (local.get $number) (i32.const 60)))
        (i64.load (local.get $findings)))))
    (local.set $number (i32.add (local.get $number) (i32.const 1)))
    (br_if $again (i32.lt_u (local.get $number) (i32.const @TIMES@))))
  (i32.const 2048))
