package merging_test

import (
	"testing"

	"debitdesk/models/merging"
)

func TestAPairAmongManyClientsIsFound(t *testing.T) {
	h := open(t)
	h.exec(`INSERT INTO clients (id, merchant_id, full_name, email, search, created_at, updated_at, bank_account_hash,
		personal_code_hash) SELECT gen_random_uuid(), $1, 'Client ' || n, 'c' || n || '@example.com', '', now(), now(),
		sha256(int4send(n)), sha256(int4send(-n)) FROM generate_series(1, 20000) n`, h.who.MerchantID)
	h.exec(`UPDATE clients SET personal_code_hash = sha256(int4send(-7)) WHERE email IN ('c7@example.com',
		'c8@example.com')`)
	h.exec(`VACUUM ANALYZE clients`)
	pairs, older, err := h.merging.Duplicates(t.Context(), h.who, merging.Place{})
	must(t, err)
	if len(pairs) != 1 || older || pairs[0].Same[0] != "identity number" {
		t.Errorf("%v, %v", pairs, older)
	}
}
