;; Asks the model with a prompt of @BYTES@ bytes, @TIMES@ times. Logs each answer at level info, and each error at level warn with
;; its kind in front. Then it does @AFTER@.
(import "gephost:gene/completion@0.1.0" "complete" (func $complete (param i32 i32 i32 i32 i32 i32 i32 i32 i32)))
(import "gephost:gene/logging@0.1.0" "log" (func $log (param i32 i32 i32)))
(data (i32.const 256) "say why")
(data (i32.const 512) "deniednot-foundinvalidexhaustedfailed")
(data (i32.const 640) "\00\00\00\00\06\00\00\00\06\00\00\00\09\00\00\00\0f\00\00\00\07\00\00\00\16\00\00\00\09\00\00\00\1f\00\00\00\06\00\00\00")
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (local $left i32)
  (local $kind i32)
  (local.set $left (i32.const @TIMES@))
  (drop (memory.grow (i32.const @PAGES@)))
  ;; The prompt begins behind what the guest and its allocator use.
  (memory.fill (i32.const 1048576) (i32.const 120) (i32.const @BYTES@))
  (loop $again
    (call $complete (i32.const 256) (i32.const 7) (i32.const 1048576) (i32.const @BYTES@) (i32.const 0) (i32.const 0)
      (i32.const 0) (i32.const 100) (i32.const 2048))
    (if (i32.load8_u (i32.const 2048))
      (then
        (local.set $kind (i32.add (i32.const 640) (i32.mul (i32.load8_u (i32.const 2052)) (i32.const 8))))
        (call $log (i32.const 2) (i32.add (i32.const 512) (i32.load (local.get $kind)))
          (i32.load (i32.add (local.get $kind) (i32.const 4))))
        (call $log (i32.const 2) (i32.load (i32.const 2056)) (i32.load (i32.const 2060))))
      (else (call $log (i32.const 1) (i32.load (i32.const 2052)) (i32.load (i32.const 2056)))))
    (local.set $left (i32.sub (local.get $left) (i32.const 1)))
    (br_if $again (local.get $left)))
  @AFTER@
  (i32.const 1024))
