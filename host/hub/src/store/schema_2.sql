-- Whether an asset was promoted once, whatever became of it. The id of a gene stays with the node that had it first.
ALTER TABLE assets ADD COLUMN was_promoted INTEGER NOT NULL DEFAULT 0;
UPDATE assets SET was_promoted = 1 WHERE state = 1;
