package migrations_test

import (
	"testing"

	"github.com/google/uuid"
)

// Rows from before are found without their accents, and keep the words that they had.
func TestOldWordsAreFoundWithoutTheirAccents(t *testing.T) {
	t.Parallel()
	p := before(t, 43)
	of := map[string]any{"merchant_id": uuid.New(), "brand_id": uuid.New()}
	row := func(table, search string) uuid.UUID {
		values := map[string]any{"search": search}
		if table == "purchases" {
			values["brand_id"] = of["brand_id"]
		}
		values["merchant_id"] = of["merchant_id"]
		return p.row(table, values)
	}
	zoe, plain, bought := row("clients", "'zoë' 'müller' '•'"), row("clients",
		"'thandi' 'nkosi'"), row("purchases", "'zoë' 'ksf-1022'")
	p.upTo(43)
	for id, want := range map[uuid.UUID][2]string{zoe: {"clients", "'muller' 'müller' 'zoe' 'zoë' '•'"},
		plain:  {"clients", "'nkosi' 'thandi'"},
		bought: {"purchases", "'ksf-1022' 'zoe' 'zoë'"}} {
		if got := p.says(`SELECT search::text FROM `+want[0]+` WHERE id = $1`, id); got != want[1] {
			t.Errorf("the words are %s, want %s", got, want[1])
		}
	}
	if got := p.says(`SELECT count(*)::text FROM pg_proc WHERE proname = 'without_accents'`); got != "0" {
		t.Error("the function stays behind")
	}
}
