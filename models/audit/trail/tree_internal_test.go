package trail

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/audit"
)

// A leaf that was logged is proven for years: however the exported file is written one day, this line stays.
func TestTheLineOfALeafStaysAsItIs(t *testing.T) {
	t.Parallel()
	id := func(n byte) uuid.UUID { return uuid.UUID{15: n} }
	e := audit.Kept{ID: id(1), MerchantID: id(2), At: time.Date(2026, 11, 27, 9, 0, 0, 1000, time.UTC), ActorKind: "user",
		ActorName: "Zoë <z@x>", IP: "::1", RequestID: "r", ActorID: id(3), Action: "a.b", ObjectType: "thing", ObjectID: id(4),
		ClientID: id(5), PurchaseID: id(6), Text: "R 1 & more", Before: "", After: `{"a": 1}`}
	for want, of := range map[string]audit.Kept{
		`{"n":7,"hash":"AQI="}`: {},
		`{"n":7,"hash":"AQI=","entry":{"id":"00000000-0000-0000-0000-000000000001",` +
			`"merchant_id":"00000000-0000-0000-0000-000000000002","at":"2026-11-27T09:00:00.000001Z","actor_kind":"user",` +
			`"actor_name":"Zoë \u003cz@x\u003e","ip":"::1","request_id":"r","actor_id":"00000000-0000-0000-0000-000000000003",` +
			`"action":"a.b","object_type":"thing","object_id":"00000000-0000-0000-0000-000000000004",` +
			`"client_id":"00000000-0000-0000-0000-000000000005","purchase_id":"00000000-0000-0000-0000-000000000006",` +
			`"text":"R 1 \u0026 more","before":"","after":"{\"a\": 1}"}}`: e,
	} {
		if got, err := leafLine(audit.Link{N: 7, Hash: []byte{1, 2}}, of); err != nil || string(got) != want {
			t.Errorf("%v\n%s\n%s", err, got, want)
		}
	}
}
