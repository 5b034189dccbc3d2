;; Asks once for more than any budget: for memory if it asks with "memory", or else for a table's elements.
(table $table 1 funcref)
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (if (i32.ne (@GROW@) (i32.const -1)) (then (unreachable)))
  (i32.const 1024))
