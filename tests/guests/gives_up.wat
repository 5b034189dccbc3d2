;; Returns an error with a code and a message.
(data (i32.const 2048) "\01\00\00\00\00\10\00\00\0b\00\00\00\10\10\00\00\07\00\00\00")
(data (i32.const 4096) "unsupported")
(data (i32.const 4112) "no idea")
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (i32.const 2048))
