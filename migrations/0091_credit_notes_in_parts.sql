-- +goose NO TRANSACTION
-- +goose Up
-- A purchase has one invoice, and one credit note for each refund and for what is left when it is cancelled.
DROP INDEX CONCURRENTLY IF EXISTS invoices_one_each;
CREATE UNIQUE INDEX CONCURRENTLY invoices_one_each ON invoices (purchase_id) WHERE kind = 'invoice';
DROP INDEX CONCURRENTLY IF EXISTS credit_notes_one_each;
CREATE UNIQUE INDEX CONCURRENTLY credit_notes_one_each ON invoices
    (purchase_id, coalesce(refund_id, '00000000-0000-0000-0000-000000000000')) WHERE kind = 'credit_note';
ALTER TABLE invoices DROP CONSTRAINT IF EXISTS invoices_purchase_id_kind_key;
-- A batch says of each row what became of its purchase: also of what was cancelled by itself.
DROP INDEX CONCURRENTLY IF EXISTS batch_rows_of_purchase;
CREATE INDEX CONCURRENTLY batch_rows_of_purchase ON batch_rows (purchase_id) WHERE purchase_id IS NOT NULL;
WITH voided AS (UPDATE batch_rows r SET state = 'voided' FROM purchases p
        WHERE p.id = r.purchase_id AND p.merchant_id = r.merchant_id AND r.state = 'sent' AND p.status = 'cancelled'
        RETURNING r.batch_id, r.total_cents, r.charge),
    sums AS (SELECT batch_id, count(*) AS n, sum(total_cents) AS cents, count(*) FILTER (WHERE charge = 'wanted') AS charges,
        count(*) FILTER (WHERE charge = 'failed') AS uncharged FROM voided GROUP BY 1)
UPDATE batches b SET counts = b.counts || jsonb_build_object(
    'sent', coalesce((b.counts ->> 'sent')::bigint, 0) - s.n, 'voided', coalesce((b.counts ->> 'voided')::bigint, 0) + s.n,
    'sent_cents', coalesce((b.counts ->> 'sent_cents')::numeric, 0) - s.cents,
    'charges', coalesce((b.counts ->> 'charges')::bigint, 0) - s.charges,
    'uncharged', coalesce((b.counts ->> 'uncharged')::bigint, 0) - s.uncharged)
FROM sums s WHERE b.id = s.batch_id;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS batch_rows_of_purchase;
DROP INDEX CONCURRENTLY IF EXISTS credit_notes_one_each;
DROP INDEX CONCURRENTLY IF EXISTS invoices_one_each;
