;; Grows a table in an endless loop, a thousand elements at a time.
(table $table 1 funcref)
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (loop $again
    (drop (table.grow $table (ref.null func) (i32.const 1000)))
    (br $again))
  (unreachable))
