;; Traps in a reactor's `_initialize`, which runs before the first call.
(func (export "_initialize") (unreachable))
(func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32) (i32.const 1024))
