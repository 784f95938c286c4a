package book_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"debitdesk/models/book"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
)

const pdf = "%PDF-1.4 a scan of "

// packed is a ZIP file of files with their contents, in the order given.
func packed(t *testing.T, files ...string) *bytes.Reader {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for n := 0; n < len(files); n += 2 {
		w, err := z.Create(files[n])
		must(t, err)
		_, err = w.Write([]byte(files[n+1]))
		must(t, err)
	}
	must(t, z.Close())
	return bytes.NewReader(b.Bytes())
}

func (h *house) scanned(i book.Import, archive *bytes.Reader) book.Import {
	h.t.Helper()
	_, err := h.book.AddScans(context.Background(), h.who, i.ID, archive, archive.Size())
	must(h.t, err)
	return h.work(i)
}

func (h *house) run(i book.Import) book.Import {
	h.t.Helper()
	_, err := h.book.Start(context.Background(), h.who, i.ID, i.Seal())
	must(h.t, err)
	return h.work(i)
}

// A scan finds its row by its name, comes in with the mandate and goes with the undo.
func TestScansComeInWithTheirMandatesAndAreTakenBack(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	before := h.everything()
	i := h.scanned(h.rehearsed(members(4)), packed(t, "scans/ksf0001.pdf", pdf+"1", "KSF0001 (2).jpg", "\xff\xd8\xff1",
		"KSF0002.png", "\x89PNG\r\n\x1a\n2", "KSF9999.pdf", pdf+"9", "__MACOSX/._KSF0001.pdf", "x", "scans/.DS_Store", "x"))
	h.addsUp(i)
	sums, err := h.book.Scans(ctx, h.who, i.ID)
	must(t, err)
	if sums.Sent != 4 || sums.Matched != 3 || strings.Join(sums.Unmatched, " ") != "KSF9999.pdf" || sums.Without != 2 {
		t.Fatalf("it says %+v", sums)
	}
	h.is(i, 2, book.Created, "")
	h.is(i, 4, book.Created, book.CauseNoScan)
	i = h.run(i)
	rows := h.rows(i)
	kept, err := mandate.Store{DB: h.store}.EvidenceOf(ctx, h.who.MerchantID, rows[0].TokenID)
	must(t, err)
	if len(kept) != 2 {
		t.Fatalf("the mandate has %+v", kept)
	}
	whole, err := mandate.Store{DB: h.store}.Evidence(ctx, h.who.MerchantID, kept[0].ID)
	must(t, err)
	if whole.Name != "ksf0001.pdf" || string(whole.Content) != pdf+"1" {
		t.Errorf("the scan %s reads %q", whole.Name, whole.Content)
	}
	if n := h.count(`SELECT count(*) FROM book_scans WHERE import_id = $1 AND n > 0 AND content <> ''`, i.ID); n != 0 {
		t.Errorf("%d scans are kept twice", n)
	}
	_, err = h.book.Undo(ctx, h.who, i.ID)
	must(t, err)
	if i = h.work(i); len(i.Kept) != 0 {
		t.Errorf("the undo left %v", i.Kept)
	}
	if after := h.everything(); after != before {
		t.Errorf("after the undo there is\n%s\nbefore there was\n%s", after, before)
	}
}

// A scan of a client who is there is an update of the row, once.
func TestAScanOfAKnownMandateIsAddedOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	h.done(members(2))
	before := h.everything()
	i := h.scanned(h.rehearsed(members(2)), packed(t, "KSF0001.pdf", pdf+"1"))
	if i.Counts.Updated != 1 || i.Counts.Unchanged != 1 {
		t.Fatalf("it would do %+v", i.Counts)
	}
	i = h.run(i)
	again := h.scanned(h.rehearsed(members(2)), packed(t, "KSF0001.pdf", pdf+"1"))
	if again.Counts.Unchanged != 2 {
		t.Errorf("the second time it would do %+v", again.Counts)
	}
	_, err := h.book.Undo(ctx, h.who, i.ID)
	must(t, err)
	h.work(i)
	if after := h.everything(); after != before {
		t.Errorf("after the undo there is\n%s\nbefore there was\n%s", after, before)
	}
}

// An archive comes in whole or not at all; what its directory says proves nothing.
func TestAnArchiveThatIsNoneOfScansIsRefused(t *testing.T) {
	t.Parallel()
	h := open(t)
	i := h.rehearsed(members(1))
	large := pdf + strings.Repeat("0", mandate.MaxScan)
	bomb := []string{}
	for n := range 90 {
		bomb = append(bomb, fmt.Sprint(n, ".pdf"), large[:mandate.MaxScan])
	}
	for name, archive := range map[string]*bytes.Reader{
		"no ZIP file":      bytes.NewReader([]byte(pdf)),
		"no files":         packed(t),
		"a text":           packed(t, "KSF0001.pdf", pdf, "readme.txt", "hello"),
		"a scan too large": packed(t, "KSF0001.pdf", large),
		"a bomb":           packed(t, bomb...),
	} {
		_, err := h.book.AddScans(context.Background(), h.who, i.ID, archive, archive.Size())
		if f, ok := fault.From(err); !ok || f.Kind != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := h.count(`SELECT count(*) FROM book_scans WHERE import_id = $1`, i.ID); n != 0 {
		t.Errorf("%d scans were kept", n)
	}
	other, _ := h.merchant("other")
	good := packed(t, "KSF0001.pdf", pdf)
	if _, err := h.book.AddScans(context.Background(), other, i.ID, good, good.Size()); !fault.Is(err, fault.NotFound) {
		t.Errorf("another merchant gets %v", err)
	}
}

// The scan of a name that two rows have belongs to neither.
func TestAScanOfTwoRowsIsKeptWithNeither(t *testing.T) {
	t.Parallel()
	h := open(t)
	head := strings.Replace(heading, "Group", "Contract reference", 1)
	i := h.scanned(h.rehearsed(head+strings.Replace(member(1), ";PT\n", ";KSF0002\n", 1)+
		strings.Replace(member(2), ";GYM\n", ";\n", 1)), packed(t, "KSF0002.pdf", pdf))
	sums, err := h.book.Scans(context.Background(), h.who, i.ID)
	must(t, err)
	if sums.Matched != 0 || len(sums.Shared) != 1 {
		t.Errorf("it says %+v", sums)
	}
}
