;; What every guest of this folder has: a memory, an allocator that never frees, and an answer without findings at 1024.
;; If a guest sets `realloc` to 1, its allocator traps; if it sets 2, the allocator never returns.
(memory (export "memory") 1)
(global $next (mut i32) (i32.const 16384))
(global $realloc (mut i32) (i32.const 0))
(data (i32.const 1024) "\00\00\00\00\00\04\00\00\00\00\00\00")
(func (export "cabi_realloc") (param $old i32) (param $old_size i32) (param $align i32) (param $size i32) (result i32)
  (local $at i32)
  (if (i32.eq (global.get $realloc) (i32.const 1)) (then (unreachable)))
  (if (i32.eq (global.get $realloc) (i32.const 2)) (then (loop $again (br $again))))
  (local.set $at (i32.and (i32.add (global.get $next) (i32.const 15)) (i32.const -16)))
  (global.set $next (i32.add (local.get $at) (local.get $size)))
  (block $fits
    (br_if $fits (i32.le_u (global.get $next) (i32.shl (memory.size) (i32.const 16))))
    (drop (memory.grow (i32.add (i32.shr_u (local.get $size) (i32.const 16)) (i32.const 1)))))
  (local.get $at))
