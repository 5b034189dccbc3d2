;; Asks a thousand times for a table longer than its own declared maximum. No budget is concerned: it gets -1.
(table $table 1 10 funcref)
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (local $left i32)
  (local.set $left (i32.const 1000))
  (loop $again
    (if (i32.ne (table.grow $table (ref.null func) (i32.const 5000)) (i32.const -1)) (then (unreachable)))
    (local.set $left (i32.sub (local.get $left) (i32.const 1)))
    (br_if $again (local.get $left)))
  (i32.const 1024))
