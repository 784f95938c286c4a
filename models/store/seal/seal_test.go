package seal_test

import (
	"bytes"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/store/seal"
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

func TestSealed_text_opens_for_its_merchant_only(t *testing.T) {
	b, mine, other := box(t, "a"), uuid.New(), uuid.New()
	sealed := b.Seal(mine, "6200001234")
	if bytes.Contains(sealed, []byte("6200001234")) {
		t.Fatal("the number stands in clear")
	}
	if got, err := b.Open(mine, sealed); err != nil || got != "6200001234" {
		t.Fatalf("got %q, %v", got, err)
	}
	if _, err := b.Open(other, sealed); err == nil {
		t.Fatal("another merchant opened it")
	}
}

func TestAn_older_key_still_opens_and_a_lost_one_does_not(t *testing.T) {
	m := uuid.New()
	sealed := box(t, "a").Seal(m, "secret")
	if got, err := box(t, "b", "a").Open(m, sealed); err != nil || got != "secret" {
		t.Fatalf("got %q, %v", got, err)
	}
	if _, err := box(t, "b").Open(m, sealed); err == nil {
		t.Fatal("opened without its key")
	}
}

func TestBroken_text_is_an_error_not_a_panic(t *testing.T) {
	b, m := box(t, "a"), uuid.New()
	whole := b.Seal(m, "secret")
	for n := 1; n < len(whole); n++ {
		if _, err := b.Open(m, whole[:n]); err == nil {
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
