-- +goose Up
-- Credentials live by real time from now on. What was issued or replaced under a
-- clock of the sandbox that was ahead begins, and ends, as much earlier; one that was
-- issued before the clock was moved keeps its lifetime.
WITH ahead AS (
    SELECT c.id, greatest(c.created_at - now(), interval '0') AS own, greatest(n.created_at - now(), interval '0') AS next
    FROM credentials c LEFT JOIN credentials n ON n.id = c.replaced_by)
UPDATE credentials c SET
    created_at = c.created_at - a.own,
    expires_at = c.expires_at - CASE WHEN c.replaced_by IS NULL THEN a.own ELSE coalesce(a.next, a.own) END,
    last_used_at = least(c.last_used_at, now()),
    revoked_at = least(c.revoked_at, now())
FROM ahead a
WHERE a.id = c.id AND (a.own > interval '0' OR a.next > interval '0' OR c.last_used_at > now() OR c.revoked_at > now());

-- The one row that is written to learn whether the database takes writes.
CREATE TABLE readiness (
    one        boolean PRIMARY KEY CHECK (one),
    written_at timestamptz NOT NULL
) WITH (fillfactor = 10);

-- +goose Down
DROP TABLE readiness;
SELECT 1; -- the clock that was ahead is not known any more
