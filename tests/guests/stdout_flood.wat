;; Prints in an endless loop, whatever the stream returns.
(import "wasi:cli/stdout@0.2.0" "get-stdout" (func $stdout (result i32)))
(import "wasi:io/streams@0.2.0" "[method]output-stream.blocking-write-and-flush"
  (func $write (param i32 i32 i32 i32)))
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (local $out i32)
  (local.set $out (call $stdout))
  (loop $again
    (call $write (local.get $out) (i32.const 4096) (i32.const 4096) (i32.const 2048))
    (br $again))
  (unreachable))
