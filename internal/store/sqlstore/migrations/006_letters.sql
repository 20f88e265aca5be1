-- Who it is for: '' the session's agent, listener:NAME.
ALTER TABLE letters ADD COLUMN recipient TEXT NOT NULL DEFAULT '';
-- Its place among those of one session to one recipient.
ALTER TABLE letters ADD COLUMN n INTEGER NOT NULL DEFAULT 0;
-- One that waits is replaced by a later one with the same key; '': never.
ALTER TABLE letters ADD COLUMN key TEXT NOT NULL DEFAULT '';
ALTER TABLE letters ADD COLUMN critical INTEGER NOT NULL DEFAULT 0;
-- When nobody needs it any more; 0: never.
ALTER TABLE letters ADD COLUMN expires INTEGER NOT NULL DEFAULT 0;
-- How often it was claimed. It tells a claim from the one after it.
ALTER TABLE letters ADD COLUMN claim INTEGER NOT NULL DEFAULT 0;
-- Whether somebody has it, or had it and has not said what became of it.
ALTER TABLE letters ADD COLUMN claimed INTEGER NOT NULL DEFAULT 0;
-- Since when what cannot be taken back is under way; 0: it is not.
ALTER TABLE letters ADD COLUMN sent_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX letters_queue ON letters ((session_id || ' ' || recipient), n, id) WHERE done_at = 0;
