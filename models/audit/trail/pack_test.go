package trail_test

import (
	"crypto/ed25519"
	"os"
	"strings"
	"testing"

	"debitdesk/models/audit/trail"
)

// A file that was exported before the names of its fields were settled is kept for years.
func TestAnAuditExportedInTheFirstFormIsStillChecked(t *testing.T) {
	t.Parallel()
	kept, err := os.ReadFile("testdata/first.audit")
	if err != nil {
		t.Fatal(err)
	}
	check := func(_ string, public, data, signature []byte) bool { return ed25519.Verify(public, data, signature) }
	found, err := trail.CheckPack(strings.NewReader(string(kept)), check)
	if err != nil {
		t.Fatal(err)
	}
	if !found.Holds() || found.Merchant != "gym" || found.Links != 3 || found.KeyID == "" {
		t.Errorf("%+v", found)
	}
	changed := strings.Replace(string(kept), `"ActorName":"`, `"ActorName":"Not `, 1)
	if found, err := trail.CheckPack(strings.NewReader(changed), check); err != nil || found.Broken != 1 {
		t.Errorf("with another name: %+v %v", found, err)
	}
}
