package book

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/plural"
)

// What an archive of scans may have at most: files, and bytes before and after it is unzipped. Scans hardly shrink.
const (
	mostScans      = 50_000
	MostScanBytes  = 150 << 20
	mostUnzipped   = 400 << 20
	mostNamesShown = 20
)

// Scan is the scan of a mandate that comes with an import.
type Scan struct {
	ID, MerchantID, ImportID uuid.UUID
	Name, Key, ContentType   string
	SizeBytes                int64
	SHA256                   []byte `gorm:"column:sha256"`
	N                        int    // the row; 0: none; scanOfSeveral
	// Content is sealed at rest; empty once it is kept with the mandate.
	Content   []byte `gorm:"serializer:sealed;not null"`
	CreatedAt time.Time

	database.Damage `gorm:"-" json:"-"`
}

// scanOfSeveral is the row of a scan whose name several rows have.
const scanOfSeveral = -1

var copyOfFile = regexp.MustCompile(`\s*\(\d{1,2}\)$`)

// scanKey is the row that the name of a file means: a reference, a contract reference or a client id. A second scan may
// be called “KSF1022 (2)”.
func scanKey(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	return keyOfScan(copyOfFile.ReplaceAllString(strings.TrimSpace(strings.TrimSuffix(name, path.Ext(name))), ""))
}

func keyOfScan(text string) string { return strings.ToUpper(strings.Join(strings.Fields(text), "")) }

// scanKeys are the names that the scans of a row may have.
func (v Values) scanKeys() (keys []string) {
	for _, text := range []string{v.Reference, v.OldMandate} {
		if key := keyOfScan(text); key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	if v.ClientID != uuid.Nil {
		keys = append(keys, keyOfScan(v.ClientID.String()))
	}
	return keys
}

// matching finds the row of each scan, while the rows of a file are seen together.
type matching struct {
	scans []Scan
	byKey map[string][]int
}

func newMatching(scans []Scan) *matching {
	m := &matching{scans: scans, byKey: map[string][]int{}}
	for at := range scans {
		m.scans[at].N = 0
		m.byKey[scans[at].Key] = append(m.byKey[scans[at].Key], at)
	}
	return m
}

func (m *matching) see(n int, v Values) {
	if len(m.scans) == 0 {
		return
	}
	for _, key := range v.scanKeys() {
		for _, at := range m.byKey[key] {
			if s := &m.scans[at]; s.N == 0 {
				s.N = n
			} else if s.N != n {
				s.N = scanOfSeveral
			}
		}
	}
}

// byRow are the scans of each row; nil: none were sent.
func (m *matching) byRow() map[int][]Scan {
	if len(m.scans) == 0 {
		return nil
	}
	out := map[int][]Scan{}
	for _, s := range m.scans {
		if s.N > 0 {
			out[s.N] = append(out[s.N], s)
		}
	}
	return out
}

// AddScans adds an archive of scans to a draft, all of it or nothing. Each is matched to its row by its name.
func (s *Service) AddScans(ctx context.Context, who actor.Actor, id uuid.UUID, archive io.ReaderAt,
	size int64) (Import, error) {
	files, err := scanFiles(archive, size)
	if err != nil {
		return Import{}, err
	}
	return s.change(ctx, who, id, func(tx *database.Tx, i *Import) error {
		if !i.Draft() {
			return wrongState(*i)
		}
		if err := addScans(tx, *i, files); err != nil {
			return err
		}
		i.touched(who)
		note(tx, who, *i, "import.scans_added", fmt.Sprintf("%s of mandates came with the import %s.",
			plural.Of(len(files), "scan"), i.Name), nil, map[string]any{"scans": len(files)})
		if i.State == ToMap {
			return nil
		}
		return s.rehearse(tx, who, i)
	})
}

// scanFiles are the files of an archive, judged by what its directory says of them.
func scanFiles(archive io.ReaderAt, size int64) ([]*zip.File, error) {
	if size > MostScanBytes {
		return nil, TooManyScans()
	}
	z, err := zip.NewReader(archive, size)
	if err != nil {
		return nil, fault.At("scans", "invalid", "Choose a ZIP file of scans. This one cannot be read.").Because(err)
	}
	var files []*zip.File
	all := uint64(0)
	for _, f := range z.File {
		name := path.Base(strings.ReplaceAll(f.Name, `\`, "/"))
		if f.FileInfo().IsDir() || strings.HasPrefix(name, ".") || strings.HasPrefix(f.Name, "__MACOSX/") ||
			strings.EqualFold(name, "thumbs.db") || strings.EqualFold(name, "desktop.ini") {
			continue
		}
		files = append(files, f)
		if all += min(f.UncompressedSize64, mostUnzipped+1); all > mostUnzipped || len(files) > mostScans {
			return nil, TooManyScans()
		}
	}
	if len(files) == 0 {
		return nil, fault.At("scans", "invalid", "The ZIP file has no scans.")
	}
	return files, nil
}

// TooManyScans is what is said of an archive that is too large.
func TooManyScans() error {
	return fault.At("scans", "max_length", "A ZIP file has at most %s and %d MB. Send several, one after the other.",
		plural.Of(mostScans, "scan"), MostScanBytes>>20)
}

// addScans reads the files one by one and keeps them sealed. All that are no scans are named.
func addScans(tx *database.Tx, i Import, files []*zip.File) error {
	var wrong []string
	left := int64(mostUnzipped)
	for _, f := range files {
		content, err := unzipped(f, &left)
		if err != nil {
			return err
		}
		e, ok := mandate.ScanOf(f.Name, content)
		if !ok || len(content) > mandate.MaxScan {
			wrong = append(wrong, path.Base(f.Name))
			continue
		}
		if err := insertScan(tx, Scan{ID: tx.NewID(), MerchantID: i.MerchantID, ImportID: i.ID, Name: e.Name,
			Key: scanKey(f.Name), ContentType: e.ContentType, SizeBytes: e.SizeBytes, SHA256: e.SHA256, Content: content,
			CreatedAt: tx.Now()}); err != nil {
			return err
		}
	}
	if len(wrong) > 0 {
		return fault.At("scans", "invalid", "%s no PDF, PNG or JPEG of at most %d MB: %s. Take them out and send the ZIP "+
			"file again.", plural.Of(len(wrong), "file")+" "+plural.Is(len(wrong)), mandate.MaxScan>>20, someOf(wrong))
	}
	return nil
}

// someOf lists names, and how many more there are.
func someOf(names []string) string {
	if len(names) <= mostNamesShown {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:mostNamesShown], ", ") + fmt.Sprintf(" and %d more", len(names)-mostNamesShown)
}

// unzipped reads one file, one byte more than a scan may have at most, whatever the directory said of it. left is what
// all files together may still have.
func unzipped(f *zip.File, left *int64) ([]byte, error) {
	r, err := f.Open()
	if err == nil {
		defer func() { _ = r.Close() }()
		var content []byte
		content, err = io.ReadAll(io.LimitReader(r, mandate.MaxScan+1))
		if *left -= int64(len(content)); *left < 0 {
			return nil, TooManyScans()
		}
		if err == nil {
			return content, nil
		}
	}
	return nil, fault.At("scans", "invalid", "The file %s of the ZIP file cannot be read. Pack it again.",
		path.Base(f.Name)).Because(err)
}

// ScanSums is what became of the scans of an import.
type ScanSums struct {
	Sent, Matched     int
	Unmatched, Shared []string // names: without a row, and with several
	Without           int      // rows that make a mandate and have none
}

// Scans says what became of the scans of an import when it was rehearsed.
func (s *Service) Scans(ctx context.Context, who actor.Actor, id uuid.UUID) (sums ScanSums, err error) {
	i, err := s.Get(ctx, who, id)
	if err != nil {
		return sums, err
	}
	scans, err := s.Store.scans(ctx, i)
	if err != nil || len(scans) == 0 {
		return sums, err
	}
	sums.Sent = len(scans)
	for _, one := range scans {
		switch one.N {
		case 0:
			sums.Unmatched = append(sums.Unmatched, one.Name)
		case scanOfSeveral:
			sums.Shared = append(sums.Shared, one.Name)
		default:
			sums.Matched++
		}
	}
	sums.Without, err = s.Store.withoutScan(ctx, i)
	return sums, err
}

// Names lists names, the first of them where there are many.
func (ScanSums) Names(names []string) string { return someOf(names) }
