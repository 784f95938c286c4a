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
	found, err := trail.CheckPack(strings.NewReader(string(kept)), nil, check)
	if err != nil {
		t.Fatal(err)
	}
	if !found.Holds() || !found.Unsigned || found.Merchant != "gym" || found.Links != 3 || found.KeyID == "" {
		t.Errorf("%+v", found)
	}
	changed := strings.Replace(string(kept), `"ActorName":"`, `"ActorName":"Not `, 1)
	if found, err := trail.CheckPack(strings.NewReader(changed), nil, check); err != nil || found.Broken != 1 {
		t.Errorf("with another name: %+v %v", found, err)
	}
}

// The chain signs what a program reads. A person, or another program, must not read something else in the same line.
func TestALineOfAnExportedAuditThatSaysTwoThingsIsRefused(t *testing.T) {
	t.Parallel()
	kept, err := os.ReadFile("testdata/first.audit")
	if err != nil {
		t.Fatal(err)
	}
	check := func(_ string, public, data, signature []byte) bool { return ed25519.Verify(public, data, signature) }
	for name, forge := range map[string][2]string{
		"a name in small letters":     {`"Text":"`, `"text":"Forged","Text":"`},
		"a field twice":               {`"Text":"`, `"Text":"Forged","Text":"`},
		"a field that nobody reads":   {`"Text":"`, `"Note":"Forged","Text":"`},
		"a time in another zone":      {`"At":"2026-11-23T08:`, `"At":"2026-11-23T10:`},
		"a time finer than is signed": {`Z","ActorKind"`, `0009Z","ActorKind"`},
		"a space":                     {`"Text":"`, `"Text": "`},
		"a link number twice":         {`{"n":1,`, `{"N":7,"n":1,`},
	} {
		changed := strings.Replace(string(kept), forge[0], forge[1], 1)
		if name == "a time in another zone" {
			end := strings.Index(changed, `Z","ActorKind"`)
			changed = changed[:end] + "+02:00" + changed[end+1:]
		}
		if changed == string(kept) {
			t.Fatalf("%s: nothing was changed", name)
		}
		if found, err := trail.CheckPack(strings.NewReader(changed), nil, check); err != nil || found.Broken != 1 ||
			!strings.Contains(found.Why, "says more than what is signed") {
			t.Errorf("%s: %+v %v", name, found, err)
		}
	}
	for name, forge := range map[string][2]string{
		"the first line twice": {`"merchant":"gym"`, `"Merchant":"spa","merchant":"gym"`},
	} {
		changed := strings.Replace(string(kept), forge[0], forge[1], 1)
		if _, err := trail.CheckPack(strings.NewReader(changed), nil, check); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
}
