package courier

import (
	"os"
	"path/filepath"
	"testing"
)

// The server's files belong to a user that may not read this one.
func TestAFileThatTheServerDoesNotGiveKeepsNoOtherFromBeingFetched(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	bad := filepath.Join(b.dir, "in", "a-bad.xml")
	b.server.write("in/a-bad.xml", "nobody may read this")
	must(t, os.Chmod(bad, 0))
	b.put("out.xml", "ours")
	b.server.write("in/b-good.xml", "yes")
	first := b.round()
	b.same("delivered and fetched", []int{first.Delivered, first.Fetched, len(first.Problems)}, []int{1, 1, 1})
	b.same("inbox", b.here("inbox"), "b-good.xml")
	fetched := filepath.Join(b.with.Dir, "fetched")
	if _, err := os.Stat(fetched); !os.IsNotExist(err) {
		t.Errorf("a round that did not bring everything says that it did: %v", err)
	}
	must(t, os.Chmod(bad, 0o600))
	b.same("the rest", b.round(), Report{Fetched: 1})
	if _, err := os.Stat(fetched); err != nil {
		t.Errorf("a round that brought everything does not say so: %v", err)
	}
}
