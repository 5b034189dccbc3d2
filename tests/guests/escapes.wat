;; Writes a log line that contains terminal escape sequences and a line break.
(import "gephost:gene/logging@0.1.0" "log" (func $log (param i32 i32 i32)))
(data (i32.const 2048) "\1b[2J\1b]0;title\07one\ntwo\e2\80\ae")
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (call $log (i32.const 2) (i32.const 2048) (i32.const 24))
  (i32.const 1024))
