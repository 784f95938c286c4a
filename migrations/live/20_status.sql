-- Which statuses are owed, waiting or unusable: what Go fills in and SQL reads.

CREATE OR REPLACE FUNCTION debit_day_at(state text, submit_at timestamptz, provisional_at timestamptz) RETURNS timestamptz
    LANGUAGE sql STABLE AS $$
    SELECT CASE state WHEN 'scheduled' THEN submit_at
        WHEN 'provisional' THEN coalesce(date_trunc('day', provisional_at, 'Africa/Johannesburg'), '-infinity')
        ELSE '-infinity' END $$;

-- Statuses in which a purchase is still to be paid.
CREATE OR REPLACE FUNCTION is_owed(status text) RETURNS boolean LANGUAGE sql IMMUTABLE AS
    $$ SELECT status IN ('created', 'sent', 'viewed', 'error', 'overdue') $$;

CREATE OR REPLACE FUNCTION lost_account(attempts jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS
    $$ SELECT coalesce(attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired', false) $$;

-- As far as its own row tells, a purchase may wait for a person.
CREATE OR REPLACE FUNCTION may_wait(status text, collection_count integer, attempts jsonb, net_cents bigint) RETURNS boolean
    LANGUAGE sql IMMUTABLE AS
    $$ SELECT net_cents < 0 OR status IN ('chargeback', 'pending_refund')
        OR is_owed(status) AND (collection_count > 0 OR lost_account(attempts)) $$;

CREATE OR REPLACE FUNCTION is_unusable(token_state text) RETURNS boolean LANGUAGE sql IMMUTABLE AS
    $$ SELECT token_state IN ('pending', 'blocked', 'deleting', 'deleted', 'superseded') $$;

-- Of the notes that a sweep may work off: it saw them when it came by before, and since then every transaction has
-- ended that was under way at that time. Notes that came with a copy of a database bear numbers of transactions that
-- this server has not given out yet, and may be worked off at once.
CREATE OR REPLACE FUNCTION is_settled(xact xid8, seen pg_snapshot) RETURNS boolean LANGUAGE sql STABLE AS
    $$ SELECT pg_visible_in_snapshot(xact, seen) OR xact >= pg_snapshot_xmax(pg_current_snapshot()) $$;

-- Null while the debit may be returned. One that was closed before this step and is final has its moment; one that
-- ended otherwise would have become final when its return window closed.
CREATE OR REPLACE FUNCTION debit_closed_on(state text, closed_on date, updated_at timestamptz, final_at timestamptz, debit uuid,
    purchase uuid) RETURNS date LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN closed_on IS NOT NULL THEN closed_on WHEN state = 'provisional' THEN NULL
        WHEN state = 'final' THEN sast_day(updated_at)
        ELSE least(sast_day(final_at), (SELECT min(e.day) FROM ledger_entries e WHERE e.purchase_id = purchase
            AND e.collection_id = debit AND e.kind IN ('returned', 'disputed'))) END $$;

CREATE OR REPLACE FUNCTION close_debit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.provisional_at IS NULL OR OLD.state = 'provisional' THEN
        NEW.closed_on := sast_day(NEW.updated_at);
    ELSE
        NEW.closed_on := debit_closed_on(OLD.state, NULL, OLD.updated_at, OLD.final_at, OLD.id, OLD.purchase_id);
    END IF;
    RETURN NEW;
END $$;

-- VAT that is not yet due: its share of what is still owed of what is asked for.
CREATE OR REPLACE FUNCTION vat_not_due(vat bigint, owed bigint, asked bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(cents_share(vat, least(greatest(owed, 0), asked), greatest(asked, 0)), 0) $$;

CREATE OR REPLACE TRIGGER close_debit BEFORE UPDATE ON collections FOR EACH ROW
    WHEN (NEW.provisional_at IS NOT NULL AND NEW.closed_on IS NULL AND NEW.state <> 'provisional' AND NEW.method = 'eft')
    EXECUTE FUNCTION close_debit();
