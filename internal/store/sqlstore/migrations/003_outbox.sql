ALTER TABLE letters ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
-- When it was delivered or dropped; 0: it waits.
ALTER TABLE letters ADD COLUMN done_at INTEGER NOT NULL DEFAULT 0;
-- The last attempt's error, or why it was dropped.
ALTER TABLE letters ADD COLUMN outcome TEXT NOT NULL DEFAULT '';
CREATE INDEX letters_due ON letters (due) WHERE done_at = 0;

-- What Piton ran itself at a stop, by a hash of the tree and the command.
CREATE TABLE verified (
  key  TEXT PRIMARY KEY,
  at   INTEGER NOT NULL,
  data TEXT NOT NULL -- JSON
);
