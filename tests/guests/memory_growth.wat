;; Grows its memory in an endless loop, one mebibyte at a time.
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (loop $again
    (drop (memory.grow (i32.const 16)))
    (br $again))
  (unreachable))
