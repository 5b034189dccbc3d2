;; Makes resources of its own in an endless loop and never drops one. Each one uses memory of the host.
(import "[export]gephost:guests/things" "[resource-new]thing" (func $new (param i32) (result i32)))
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
  (loop $again
    (drop (call $new (i32.const 7)))
    (br $again))
  (unreachable))
