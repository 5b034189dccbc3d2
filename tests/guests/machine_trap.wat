;; Writes a message to standard error, and later reads out of its memory.
(import "wasi:cli/stderr@0.2.0" "get-stderr" (func $stderr (result i32)))
(import "wasi:io/streams@0.2.0" "[method]output-stream.blocking-write-and-flush"
  (func $write (param i32 i32 i32 i32)))
(data (i32.const 2048) "this went well\n")
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (call $write (call $stderr) (i32.const 2048) (i32.const 15) (i32.const 4096))
  (i32.load (i32.const -4)))
