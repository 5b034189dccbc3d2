;; Returns a hundred thousand findings that all fit into its memory.
(data (i32.const 2048) "\00\00\00\00\00\00\01\00\a0\86\01\00")
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (drop (memory.grow (i32.const 200)))
  (i32.const 2048))
