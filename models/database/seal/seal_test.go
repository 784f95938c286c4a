package seal_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/database/seal"
)

func box(t *testing.T, ids ...string) *seal.Box {
	t.Helper()
	var keys []seal.Key
	for _, id := range ids {
		keys = append(keys, seal.Key{ID: id, Secret: bytes.Repeat([]byte(id)[:1], 32)})
	}
	b, err := seal.NewBox(keys, bytes.Repeat([]byte("i"), 32))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func at(merchant uuid.UUID) seal.Place {
	return seal.Place{Owner: merchant, Table: "clients", Column: "bank_account_sealed", Row: "1"}
}

// Who may write to the database, and has no key, cannot have one client's account
// opened as another's.
func TestASealedValueThatIsMovedDoesNotOpen(t *testing.T) {
	b, home := box(t, "a"), at(uuid.New())
	sealed := b.Seal(home, "6200001234")
	for name, move := range map[string]func(*seal.Place){
		"another row":      func(p *seal.Place) { p.Row = "2" },
		"another column":   func(p *seal.Place) { p.Column = "personal_code_sealed" },
		"another table":    func(p *seal.Place) { p.Table = "tokens" },
		"another merchant": func(p *seal.Place) { p.Owner = uuid.New() },
		"a shifted name":   func(p *seal.Place) { p.Column, p.Row = p.Column+"1", "" },
	} {
		there := home
		move(&there)
		if _, err := b.Open(there, sealed); err == nil {
			t.Errorf("it opens in %s", name)
		}
		if _, err := b.Reseal(there, sealed); err == nil {
			t.Errorf("it is sealed anew in %s", name)
		}
	}
}

// What was sealed before is bound to the merchant alone; sealed anew it has a place.
func TestTheOldFormOpensUntilItIsSealedAnew(t *testing.T) {
	m := uuid.New()
	old := oldForm(t, m, "6200001234")
	b := box(t, "b", "a")
	if got, err := b.Open(at(m), old); err != nil || got != "6200001234" {
		t.Fatalf("got %q, %v", got, err)
	}
	if _, err := b.Open(at(uuid.New()), old); err == nil {
		t.Error("another merchant opened it")
	}
	fresh, err := b.Reseal(at(m), old)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := at(m)
	elsewhere.Row = "2"
	if _, err := b.Open(elsewhere, fresh); err == nil || seal.SealedBy(fresh) != "b" {
		t.Errorf("sealed anew by %s it still opens elsewhere", seal.SealedBy(fresh))
	}
}

// oldForm is what programs before this one wrote with the key a.
func oldForm(t *testing.T, merchant uuid.UUID, text string) []byte {
	t.Helper()
	block, err := aes.NewCipher(bytes.Repeat([]byte("a"), 32))
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	nonce := bytes.Repeat([]byte("n"), aead.NonceSize())
	return aead.Seal(append([]byte("\x01a"), nonce...), nonce, []byte(text), merchant[:])
}

func TestSealed_text_opens_for_its_merchant_only(t *testing.T) {
	b, mine, other := box(t, "a"), uuid.New(), uuid.New()
	sealed := b.Seal(at(mine), "6200001234")
	if bytes.Contains(sealed, []byte("6200001234")) {
		t.Fatal("the number stands in clear")
	}
	if got, err := b.Open(at(mine), sealed); err != nil || got != "6200001234" {
		t.Fatalf("got %q, %v", got, err)
	}
	if _, err := b.Open(at(other), sealed); err == nil {
		t.Fatal("another merchant opened it")
	}
}

func TestAn_older_key_still_opens_and_a_lost_one_does_not(t *testing.T) {
	m := uuid.New()
	sealed := box(t, "a").Seal(at(m), "secret")
	if got, err := box(t, "b", "a").Open(at(m), sealed); err != nil || got != "secret" {
		t.Fatalf("got %q, %v", got, err)
	}
	if _, err := box(t, "b").Open(at(m), sealed); err == nil {
		t.Fatal("opened without its key")
	}
}

func TestBroken_text_is_an_error_not_a_panic(t *testing.T) {
	b, m := box(t, "a"), uuid.New()
	whole := b.Seal(at(m), "secret")
	for n := 1; n < len(whole); n++ {
		if _, err := b.Open(at(m), whole[:n]); err == nil {
			t.Fatalf("%d bytes opened", n)
		}
	}
}

func TestEqual_texts_hash_alike_within_a_merchant_and_kind(t *testing.T) {
	b, m := box(t, "a"), uuid.New()
	if !bytes.Equal(b.Hash(m, "id", "1"), b.Hash(m, "id", "1")) {
		t.Fatal("unstable")
	}
	for _, h := range [][]byte{b.Hash(uuid.New(), "id", "1"), b.Hash(m, "account", "1"), b.Hash(m, "id", "2")} {
		if bytes.Equal(h, b.Hash(m, "id", "1")) {
			t.Fatal("collides")
		}
	}
}
