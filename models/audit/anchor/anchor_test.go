package anchor

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/audit"
)

// signer signs with a hash, which is enough to tell what was signed.
type signer string

func (s signer) Sign(data []byte) (string, []byte) {
	sum := sha256.Sum256(append([]byte(s), data...))
	return "k", sum[:]
}

func (s signer) Public() map[string][]byte { return nil }

func (s signer) Check(_ string, data, signature []byte) bool {
	_, want := s.Sign(data)
	return bytes.Equal(want, signature)
}

func head(m uuid.UUID, n int64) audit.Head {
	h := audit.Head{MerchantID: m, N: n, Hash: []byte{byte(n)}}
	h.KeyID, h.Signature = signer("s").Sign(h.Signed())
	return h
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (f *File) is(t *testing.T, m uuid.UUID, n int64) {
	t.Helper()
	must(t, f.Refresh())
	if h, _ := f.Last(m); h.N != n {
		t.Errorf("link %d is noted, want %d", h.N, n)
	}
}

func TestProcessesShareTheFile(t *testing.T) {
	folder := t.TempDir()
	one, two := At(folder, signer("s")), At(folder, signer("s"))
	a, b := uuid.New(), uuid.New()
	one.is(t, a, 0)
	must(t, one.Note(false, head(a, 1), head(b, 7)))
	two.is(t, a, 1)
	must(t, two.Note(false, head(a, 3)))
	must(t, one.Note(false, head(a, 2))) // a process that was slow
	one.is(t, a, 3)
	one.is(t, b, 7)
	must(t, two.Note(true, head(a, 2)))
	one.is(t, a, 2)
	At(folder, signer("s")).is(t, a, 2)
	var all sync.WaitGroup
	for p := range 4 {
		all.Go(func() {
			f := At(folder, signer("s"))
			for n := range 50 {
				if err := f.Note(false, head(a, int64(10+n*4+p))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	late := At(folder, signer("s"))
	late.is(t, a, 10+49*4+3)
	if _, damaged := late.Count(); damaged != 0 {
		t.Errorf("%d lines are damaged", damaged)
	}
}

func TestALineThatWasCutOffHarmsNoOther(t *testing.T) {
	folder, m := t.TempDir(), uuid.New()
	f := At(folder, signer("s"))
	must(t, f.Note(false, head(m, 1)))
	path := filepath.Join(folder, Name)
	whole, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, append(whole, whole[:40]...), 0o600))
	must(t, f.Note(false, head(m, 2)))
	f.is(t, m, 2)
	late := At(folder, signer("s"))
	late.is(t, m, 2)
	if _, damaged := late.Count(); damaged != 1 {
		t.Errorf("%d lines are damaged, want the one that was cut off", damaged)
	}
	if stranger := At(folder, signer("other")); stranger.Refresh() != nil || len(stranger.heads) != 0 {
		t.Error("heads of another key are believed")
	}
}

func TestALongFileBeginsAnewWithTheNewestHeads(t *testing.T) {
	folder, a, b := t.TempDir(), uuid.New(), uuid.New()
	f, beside := At(folder, signer("s")), At(folder, signer("s"))
	f.most = 4000
	must(t, f.Note(false, head(b, 1)))
	for n := range 100 {
		must(t, f.Note(false, head(a, int64(n+1))))
		beside.is(t, a, int64(n+1))
	}
	late := At(folder, signer("s"))
	late.is(t, a, 100)
	late.is(t, b, 1)
	now, err := os.ReadFile(filepath.Join(folder, Name))
	must(t, err)
	before, err := os.ReadFile(filepath.Join(folder, Name+".before"))
	must(t, err)
	if len(now) > 4500 || len(before) > 4500 || !strings.Contains(string(before), a.String()) {
		t.Errorf("%d and %d bytes", len(now), len(before))
	}
	if info, err := os.Stat(filepath.Join(folder, Name)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
}

func TestTheFileIsSetAsideWhenAnOlderDatabaseComesBack(t *testing.T) {
	folder, m := t.TempDir(), uuid.New()
	f := At(folder, signer("s"))
	if to, err := f.Archive(); err != nil || to != "" {
		t.Errorf("%q, %v", to, err)
	}
	must(t, f.Note(false, head(m, 9)))
	to, err := f.Archive()
	must(t, err)
	if _, err := os.Stat(to); err != nil {
		t.Error(err)
	}
	f.is(t, m, 0)
	must(t, f.Note(false, head(m, 4)))
	At(folder, signer("s")).is(t, m, 4)
}
