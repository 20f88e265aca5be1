-- So that what sweeping an epoch, completing a workflow and counting
-- checkpoints cost does not grow with the store.
CREATE INDEX checkpoints_epoch ON checkpoints (branch, epoch);
CREATE INDEX sessions_current ON sessions (current_id) WHERE current_id <> '';

-- Checkpoints that were deleted and are in the search index still. What a
-- program of an older schema deletes is not in here.
CREATE TABLE search_gone (
  ordinal INTEGER PRIMARY KEY
);
