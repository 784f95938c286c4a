package trail_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/audit/merkle"
	"debitdesk/models/audit/trail"
	"debitdesk/models/database"
)

type packed struct {
	name string
	text []byte
}

func unzipped(t *testing.T, pack []byte) (files []packed) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(pack), int64(len(pack)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		from, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, packed{f.Name, text})
	}
	return files
}

func checked(t *testing.T, files []packed, keys ...string) trail.CheckedPack {
	t.Helper()
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	for _, f := range files {
		w, err := to.Create(f.name)
		if err == nil {
			_, err = w.Write(f.text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return trail.CheckMandatePack(r, func(string) []string { return keys })
}

func TestAnAuditPackOfWhichAnythingWasChangedIsRefused(t *testing.T) {
	t.Parallel()
	s := open(t)
	one, two := s.merchant("one"), s.merchant("two")
	k := &trail.Service{Store: trail.Store{DB: s.DB}, Signer: newSigner(1)}
	mandate, debited := uuid.New(), uuid.New()
	write := func(merchant uuid.UUID, e audit.Entry) {
		e.Action, e.ObjectType = "thing.done", "thing"
		if err := s.InTx(t.Context(), func(tx *database.Tx) error {
			tx.Audit(actor.SystemOf(merchant), e)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		write(one, audit.Entry{Text: "elsewhere", ObjectID: uuid.New()})
		write(one, audit.Entry{Text: "the mandate", ObjectID: mandate})
		write(one, audit.Entry{Text: "its purchase", ObjectID: uuid.New(), PurchaseID: debited})
		write(two, audit.Entry{Text: "a stranger’s", ObjectID: mandate})
	}
	s.linkAll(k)
	var out bytes.Buffer
	if err := k.WritePack(t.Context(), actor.OperatorOf(one), trail.MandatePack{Reference: "REF-1", MandateID: mandate,
		Purchases: []uuid.UUID{debited}, Files: []trail.PackFile{{Name: "mandate.pdf", Content: []byte("%PDF")}}},
		&out); err != nil {
		t.Fatal(err)
	}
	files := unzipped(t, out.Bytes())
	key := func(k *trail.Service) string {
		keys, err := k.LogKeys(s.checkpoint(k, one).Origin)
		if err != nil {
			t.Fatal(err)
		}
		return keys[0]
	}(k)
	got := checked(t, files, key)
	if len(got.Problems) > 0 || got.Reference != "REF-1" || got.Entries < 6 || len(got.OwnKeys) > 0 {
		t.Fatalf("%+v", got)
	}
	if got := checked(t, files); len(got.Problems) > 0 || !slices.Equal(got.OwnKeys, []string{key}) {
		t.Errorf("with the keys that it names: %+v", got)
	}
	if s.number(`SELECT count(*) FROM audit_entries WHERE action = 'mandate.pack_exported'`) != 1 {
		t.Error("nothing is kept about it")
	}
	for i, f := range files {
		lines := bytes.SplitAfter(f.text, []byte("\n"))
		for name, changed := range map[string][]byte{"a bit": flipped(f.text), "its first line left out": bytes.Join(lines[1:], nil),
			"one more line": append(slices.Clone(f.text), "x\n"...)} {
			forged := slices.Clone(files)
			forged[i].text = changed
			if got := checked(t, forged, key); len(got.Problems) == 0 {
				t.Errorf("%s: %s is not told", f.name, name)
			}
		}
		if got := checked(t, slices.Delete(slices.Clone(files), i, i+1), key); len(got.Problems) == 0 {
			t.Errorf("without %s: not told", f.name)
		}
		if got := checked(t, append(slices.Clone(files), f), key); !told(got, f.name+" is in the pack twice") {
			t.Errorf("%s twice: %+v", f.name, got.Problems)
		}
	}
	if got := checked(t, append(slices.Clone(files), packed{"more.txt", nil}), key); !told(got, "more.txt is not in the MANIFEST") {
		t.Errorf("one more file: %+v", got.Problems)
	}
	// Each thing is told, not the first alone.
	forged := slices.Clone(files)
	for i, f := range forged {
		if f.name == "mandate.pdf" || f.name == "README.txt" || f.name == "audit/checkpoint" {
			forged[i].text = flipped(f.text)
		}
	}
	if got := checked(t, forged, key); !told(got, "mandate.pdf was changed") || !told(got, "README.txt was changed") ||
		!told(got, "The checkpoint:") {
		t.Errorf("several: %+v", got.Problems)
	}
	// Whoever has the key can sign another list of files, and still cannot have an entry that was never in the log.
	for name, forge := range map[string]func(name string, text []byte) []byte{
		"does not lead": func(name string, text []byte) []byte {
			if name == "audit/entries.jsonl" {
				return bytes.Replace(text, []byte("the mandate"), []byte("The mandate"), 1)
			}
			p, err := merkle.ReadInclusion(string(text))
			if err != nil {
				return text
			}
			p.Line = bytes.Replace(p.Line, []byte("the mandate"), []byte("The mandate"), 1)
			return []byte(p.Text())
		},
		"does not prove line": func(name string, text []byte) []byte {
			if name == "audit/entries.jsonl" {
				return bytes.Replace(text, []byte("the mandate"), []byte("The mandate"), 1)
			}
			return text
		},
		"entries and": func(name string, text []byte) []byte {
			if name == "audit/entries.jsonl" {
				return text[bytes.IndexByte(text, '\n')+1:]
			}
			return text
		},
	} {
		forged := slices.Clone(files)
		for i := range forged {
			forged[i].text = forge(forged[i].name, forged[i].text)
		}
		if got := checked(t, resigned(t, k, got.Origin, forged), key); !told(got, name) || told(got, "MANIFEST") {
			t.Errorf("%s: %q", name, got.Problems)
		}
	}
	other := &trail.Service{Store: k.Store, Signer: newSigner(2)}
	keys, _ := other.LogKeys(got.Origin)
	if got := checked(t, files, keys...); !told(got, "not signed with a key of the log") {
		t.Errorf("another key: %+v", got.Problems)
	}
}

// resigned signs the list of a pack anew, over what the files are now.
func resigned(t *testing.T, k *trail.Service, origin string, files []packed) []packed {
	t.Helper()
	list, _, _ := strings.Cut(string(files[0].text), "\nfile ")
	for _, f := range files[1:] {
		list += fmt.Sprintf("\nfile %x %d %s", sha256.Sum256(f.text), len(f.text), f.name)
	}
	signed, err := merkle.SignNote(origin, list+"\n", k.Signer)
	if err != nil {
		t.Fatal(err)
	}
	return append([]packed{{files[0].name, []byte(signed)}}, files[1:]...)
}

func told(c trail.CheckedPack, what string) bool {
	return slices.ContainsFunc(c.Problems, func(p string) bool { return strings.Contains(p, what) })
}

func flipped(text []byte) []byte {
	out := slices.Clone(text)
	out[len(out)/2] ^= 1
	return out
}
