package webhook

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"strings"
	"testing"
	"time"
)

func TestTheScheduleOfRetries(t *testing.T) {
	first := time.Date(2027, 2, 1, 7, 0, 0, 0, time.UTC)
	table := []time.Duration{1012500 * time.Millisecond, 2025 * time.Second, 4050 * time.Second, 8100 * time.Second,
		16200 * time.Second,
		9 * time.Hour, 18 * time.Hour, 36 * time.Hour}
	at := first
	for k, gap := range table {
		got := next(first, at)
		if want := first.Add(gap); !got.Equal(want) {
			t.Errorf("retry %d comes at %s, want %s", k+1, got, want)
		}
		if early := next(first, got.Add(-time.Microsecond)); !early.Equal(got) {
			t.Errorf("a moment before retry %d the next is %s", k+1, early)
		}
		at = got
	}
	if got := next(first, at); !got.IsZero() {
		t.Errorf("a tenth attempt at %s", got)
	}
}

func TestRetriesThatNobodyMadeAreLeftOut(t *testing.T) {
	first := time.Date(2027, 2, 1, 7, 0, 0, 0, time.UTC)
	if got := next(first, first.Add(10*time.Hour)); !got.Equal(first.Add(18 * time.Hour)) {
		t.Error(got)
	}
	if got := next(first, first.Add(40*time.Hour)); !got.IsZero() {
		t.Error(got)
	}
}

// The vector can be checked with any tool: openssl dgst -sha256 -verify public.pem -signature ... body.json
func TestTheTestVectorOfTheSignature(t *testing.T) {
	read := func(name string) []byte {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	block, _ := pem.Decode(read("private.pem"))
	key, err := privateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Sign(key, read("body.json"))
	if want := strings.TrimSpace(string(read("signature.txt"))); err != nil || got != want {
		t.Errorf("got %s, %v", got, err)
	}
	public, _ := pem.Decode(read("public.pem"))
	if der, err := x509.MarshalPKIXPublicKey(&key.PublicKey); err != nil || string(der) != string(public.Bytes) {
		t.Error("the public half is another key's", err)
	}
	if other, err := Sign(key, append(read("body.json"), '\n')); err != nil || other == got {
		t.Error("another body has the same signature", err)
	}
}

func TestNamesAreKnownOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range Names {
		if seen[name] || name == WebhookTest {
			t.Errorf("%s", name)
		}
		seen[name] = true
	}
	if len(Names) != 30 {
		t.Errorf("%d names", len(Names))
	}
}
