;; Never returns from its start function, which runs before the first call.
(func $spin (loop $again (br $again)))
(start $spin)
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (i32.const 1024))
