;; A strategy whose only proposal changes nothing.
(data (i32.const 2048) "\00\00\00\00\00\09\00\00\01\00\00\00")
(data (i32.const 4096) "one")
(func $propose (export "gephost:gene/proposals@0.1.0#propose") (param i32 i32 i32 i32) (result i32)
  (memory.fill (i32.const 2304) (i32.const 0) (i32.const 96))
  (i32.store (i32.const 2304) (i32.const 4096))
  (i32.store (i32.const 2308) (i32.const 3))
  (i32.const 2048))
