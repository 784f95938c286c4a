package keyfile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/database/seal"
	"debitdesk/models/keyfile"
)

func TestKeysAreGeneratedOnceAndReadAgain(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data")
	first, err := keyfile.Open("", folder)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(folder, keyfile.Name))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, %v; want 0600", info.Mode(), err)
	}
	again, err := keyfile.Open("", folder)
	if err != nil {
		t.Fatal(err)
	}
	if !first.Signing[0].Private.Equal(again.Signing[0].Private) || first.Signing[0].ID != again.Signing[0].ID {
		t.Fatal("the second start signs with another key")
	}
	box, err := first.Box()
	if err != nil {
		t.Fatal(err)
	}
	reopened, err := again.Box()
	if err != nil {
		t.Fatal(err)
	}
	merchant := uuid.New()
	if text, err := reopened.Open(seal.Place{Owner: merchant},
		box.Seal(seal.Place{Owner: merchant}, "62000000001")); err != nil || text != "62000000001" {
		t.Fatalf("sealed before the restart, opened after: %q, %v", text, err)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, ".keys-*")); len(left) > 0 {
		t.Fatalf("drafts left behind: %v", left)
	}
}

func TestProcessesThatStartAtOnceAgreeOnTheKeys(t *testing.T) {
	folder := t.TempDir()
	ids := make([]string, 8)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			if set, err := keyfile.Open("", folder); err == nil {
				ids[i] = set.Signing[0].ID
			}
		})
	}
	all.Wait()
	for _, id := range ids {
		if id == "" || id != ids[0] {
			t.Fatalf("signing keys differ: %q", ids)
		}
	}
}

func TestAFileThatOthersCanReadIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.json")
	if err := keyfile.Generate(path); err != nil {
		t.Fatal(err)
	}
	if _, err := keyfile.Load(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil { //nolint:gosec // the point of the test
		t.Fatal(err)
	}
	if _, err := keyfile.Load(path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Fatalf("got %v; want a refusal with its mend", err)
	}
}

func TestANamedFileIsNeverMade(t *testing.T) {
	_, err := keyfile.Open(filepath.Join(t.TempDir(), "mine.json"), t.TempDir())
	if err == nil || !strings.Contains(err.Error(), fs.ErrNotExist.Error()) && !os.IsNotExist(err) &&
		!strings.Contains(err.Error(), "no such file") {
		t.Fatalf("got %v; want not found", err)
	}
}

func TestABrokenFileIsRefused(t *testing.T) {
	for name, content := range map[string]string{
		"not JSON":     `keys`,
		"no keys":      `{}`,
		"short secret": `{"index":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","sealing":[{"id":"a","secret":"AAAA"}],"signing":[{"id":"a","secret":"AAAA"}],"sessions":[{"id":"a","secret":"AAAA"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "k.json")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := keyfile.Load(path); err == nil {
				t.Fatal("it was accepted")
			}
		})
	}
}
