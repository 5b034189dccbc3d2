-- When a node was first given a secret, and whether it ever used it or signed. Until then it may publish without proof, as a
-- node that never said hello.
ALTER TABLE nodes ADD COLUMN registered_at INTEGER;
ALTER TABLE nodes ADD COLUMN proved INTEGER NOT NULL DEFAULT 0;
UPDATE nodes SET registered_at = first_seen, proved = 1 WHERE generation > 0;
