;; Reads an existing file, one that the policy hides, one that does not exist, and one outside the workspace.
(import "gephost:gene/workspace@0.1.0" "read" (func $read (param i32 i32 i32)))
(data (i32.const 2048) "inventory/store.py.env./nothing../x")
(data (i32.const 4096) "\00\08\00\00\12\00\00\00\12\08\00\00\04\00\00\00\16\08\00\00\09\00\00\00\1f\08\00\00\04\00\00\00")
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (call $read (i32.const 4096) (i32.const 4) (i32.const 3072))
  (i32.const 1024))
