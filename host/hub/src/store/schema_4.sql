-- When bytes were last stored or fetched. What is here already starts now.
ALTER TABLE blobs ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0;
UPDATE blobs SET used_at = unixepoch() * 1000;
CREATE INDEX blobs_used ON blobs (used_at);
CREATE INDEX assets_component ON assets (component) WHERE component IS NOT NULL;
CREATE INDEX assets_recording ON assets (recording) WHERE recording IS NOT NULL;
-- Digests of files that this hub is about to store, and of files that it is about to remove. The hub removes no other file.
CREATE TABLE blob_marks (
    digest BLOB PRIMARY KEY
) WITHOUT ROWID;
