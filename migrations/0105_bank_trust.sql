-- +goose Up
-- A document is kept once for each who brought it: what the bank left in the inbox is one, and each business that
-- imports the same bytes has its own. sha256 is what is unique: of the bytes for the inbox, of the business and the
-- bytes for an import. content_sha256 is of the bytes alone.
ALTER TABLE bank_files_in ADD COLUMN content_sha256 bytea;
UPDATE bank_files_in SET content_sha256 = sha256,
    sha256 = CASE WHEN merchant_id = '00000000-0000-0000-0000-000000000000' THEN sha256
        ELSE sha256(uuid_send(merchant_id) || sha256) END;
CREATE INDEX bank_files_in_by_content ON bank_files_in (content_sha256);

-- What its movements were: how many, how many of them were new, and how many were on accounts of nobody here.
ALTER TABLE bank_files_in ADD COLUMN movements integer NOT NULL DEFAULT 0, ADD COLUMN new_movements integer NOT NULL DEFAULT 0,
    ADD COLUMN strange_movements integer NOT NULL DEFAULT 0, ADD COLUMN strange_account text NOT NULL DEFAULT '';

-- The release before gives the hash of the bytes alone, as sha256.
-- +goose StatementBegin
CREATE FUNCTION own_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.content_sha256 := coalesce(NEW.content_sha256, NEW.sha256);
    NEW.sha256 := CASE WHEN NEW.merchant_id = '00000000-0000-0000-0000-000000000000' THEN NEW.content_sha256
        ELSE sha256(uuid_send(NEW.merchant_id) || NEW.content_sha256) END;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER own_document BEFORE INSERT ON bank_files_in FOR EACH ROW EXECUTE FUNCTION own_document();

-- A movement is on one account. One that was kept before has none here, and its key does not tell the account.
ALTER TABLE bank_entries ADD COLUMN account_hash bytea, ADD COLUMN remittance text NOT NULL DEFAULT '';

-- An answer that follows from what a person chose by hand waits for a moment, in which it can be taken back.
ALTER TABLE bank_answers ADD COLUMN waits_until timestamptz, ADD COLUMN entry_id uuid,
    ADD COLUMN was_state text NOT NULL DEFAULT '', ADD COLUMN was_outcome text NOT NULL DEFAULT '', ADD COLUMN was_on date;
CREATE INDEX bank_answers_of_entry ON bank_answers (entry_id) WHERE entry_id IS NOT NULL;

-- A difference of a day that a person has accepted, for as long as it is the same.
CREATE TABLE bank_day_notes (
    merchant_id uuid NOT NULL,
    day         date NOT NULL,
    cents       bigint NOT NULL,
    note        text NOT NULL,
    noted_by    text NOT NULL,
    noted_at    timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, day)
);

-- Whose account it is.
CREATE INDEX debit_profiles_by_account ON debit_profiles (ltrim(account_number, '0'));

-- +goose Down
DROP INDEX debit_profiles_by_account;
DROP TABLE bank_day_notes;
DROP INDEX bank_answers_of_entry;
ALTER TABLE bank_answers DROP COLUMN was_on, DROP COLUMN was_outcome, DROP COLUMN was_state, DROP COLUMN entry_id,
    DROP COLUMN waits_until;
ALTER TABLE bank_entries DROP COLUMN remittance, DROP COLUMN account_hash;
DROP TRIGGER own_document ON bank_files_in;
DROP FUNCTION own_document;
ALTER TABLE bank_files_in DROP COLUMN strange_account, DROP COLUMN strange_movements, DROP COLUMN new_movements,
    DROP COLUMN movements;
DROP INDEX bank_files_in_by_content;
UPDATE bank_files_in SET sha256 = content_sha256 WHERE merchant_id = '00000000-0000-0000-0000-000000000000';
ALTER TABLE bank_files_in DROP COLUMN content_sha256;
