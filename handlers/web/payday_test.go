package web_test

import (
	"fmt"
	"testing"
)

// answered copies a debit of a client to other days, with what the bank answered to it.
func (b *business) answered(purchase string, debits ...[3]string) {
	b.t.Helper()
	for n, d := range debits {
		b.must(`WITH one AS (INSERT INTO purchases SELECT (jsonb_populate_record(p, jsonb_build_object(
				'id', gen_random_uuid(), 'pass_at', NULL, 'reference_generated', $2::text, 'payer_sealed', NULL))).*
				FROM purchases p WHERE p.id = $1 RETURNING id)
			INSERT INTO collections SELECT (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(),
				'purchase_id', one.id, 'action_date', $3::text, 'state', $4::text, 'result_code', $5::text,
				'claimed_until', NULL, 'result_at', $3::text || 'T10:00:00Z', 'final_at', $3::text || 'T10:00:00Z'))).*
				FROM collections c, one WHERE c.purchase_id = $1`,
			purchase, fmt.Sprint("PAY", n, d[0]), d[0], d[1], d[2])
	}
}

func TestAClientsPageSaysWhenItIsProbablyPaid(t *testing.T) {
	b := newBusiness(t)
	client, token := b.stored("4000009002")
	id := b.charged(client, token, 30007, 4)
	page, form := "/clients/"+client, "/clients/"+client+"/mandates/new"
	b.answered(id, [3]string{"2026-03-25", "final", "00"}, [3]string{"2026-05-25", "final", "00"},
		[3]string{"2026-07-01", "unpaid", "02"}, [3]string{"2026-07-03", "unpaid", "02"},
		[3]string{"2026-08-12", "unpaid", "04"}) // stopped by the client: that says nothing of money
	b.Page(b.A.Staff, "GET", page, nil).Want(200).Lacks("Likely pay day")
	b.answered(id, [3]string{"2026-08-25", "final", "00"}, [3]string{"2026-09-25", "provisional", "00"},
		[3]string{"2026-07-15", "unpaid", "02"})
	b.Page(b.A.Staff, "GET", page, nil).Want(200).Contains("Likely pay day", "The 25th, from 6 debits")
	b.Page(b.A.Staff, "GET", form, nil).Want(200).Contains("likely pay day is the 25th, from 6 debits")
	b.answered(id, [3]string{"2026-04-24", "unpaid", "02"}, [3]string{"2026-09-25", "unpaid", "02"},
		[3]string{"2026-09-16", "final", "00"})
	b.Page(b.A.Staff, "GET", page, nil).Want(200).Contains("Cannot say, from 9 debits")
	b.Page(b.A.Staff, "GET", form, nil).Want(200).Lacks("likely pay day is").Contains("many salaries")
}
