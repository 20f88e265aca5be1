-- Who has claimed it: the number of the claim and the process, as the courier names it.
-- An older program claims without a word: then the number is not that of its claim.
ALTER TABLE letters ADD COLUMN claimer TEXT NOT NULL DEFAULT '';
