;; Asks once for more than any budget allows: for memory if it was asked with "memory", otherwise for table elements.
(table $table 1 funcref)
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (if (i32.ne (@GROW@) (i32.const -1)) (then (unreachable)))
  (i32.const 1024))
