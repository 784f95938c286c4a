package sheet

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"debitdesk/models/fault"
)

// reading lets one workbook of the process be read at a time: each may take what
// memory the limits leave it.
var reading = make(chan struct{}, 1)

// turnTime is how long a caller waits for the workbooks of others.
const turnTime = 20 * time.Second

// turn waits until no other workbook is read. done may be called twice.
func turn() (done func(), err error) {
	patience := time.NewTimer(turnTime)
	defer patience.Stop()
	select {
	case reading <- struct{}{}:
		return sync.OnceFunc(func() { <-reading }), nil
	case <-patience.C:
		busy := fault.New(fault.TooMany, "busy",
			"Other workbooks are being read right now. Try again in a minute, or save the sheet as CSV.")
		busy.RetryAfterSeconds = 60
		return nil, busy
	}
}

func tooLarge() error {
	return fault.New(fault.TooLarge, "workbook_too_large",
		"The workbook is too large. Copy the rows into a new workbook without pictures, or save the sheet as CSV.")
}

// guardZip refuses archives that unzip to more than any batch needs. What the directory says is judged first, before
// anything is unzipped; then every part is unzipped once without being kept, and refused at the first thing in it that
// would take more memory than its reader may have.
func guardZip(src io.ReadSeeker, limits Limits) error {
	archive, size, err := openZip(src, limits.Bytes)
	if err != nil {
		return err
	}
	if len(archive.File) > maxParts {
		return tooLarge()
	}
	var all, held uint64
	most := uint64(limits.unzipped) //nolint:gosec // ours
	for _, e := range archive.File {
		n := min(e.UncompressedSize64, most+1)
		all += n
		if kindOf(e) == otherPart || n <= toDiskAbove {
			held += n
		}
		//nolint:gosec // a size of at most 64 MB
		if all > most || all > freeOfRatio && all > maxRatio*uint64(size) || held > maxInMemory {
			return tooLarge()
		}
	}
	return countParts(archive, size, limits)
}

func openZip(src io.ReadSeeker, most int64) (*zip.Reader, int64, error) {
	at, ok := src.(io.ReaderAt)
	if !ok {
		content, err := io.ReadAll(io.LimitReader(src, most+1)) // bounded, and only where the source cannot jump
		if err != nil {
			return nil, 0, fmt.Errorf("read the workbook: %w", err)
		}
		at = strings.NewReader(string(content))
	}
	size, err := src.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, fmt.Errorf("measure the workbook: %w", err)
	}
	if _, err = src.Seek(0, io.SeekStart); err != nil {
		return nil, 0, fmt.Errorf("go to the start of the workbook: %w", err)
	}
	archive, err := zip.NewReader(at, size)
	if err != nil {
		return nil, 0, unreadWorkbook(err)
	}
	return archive, size, nil
}

// kindOf tells the parts that are unzipped to disk.
func kindOf(e *zip.File) part {
	name := strings.ToLower(strings.ReplaceAll(e.Name, `\`, "/"))
	switch {
	case strings.HasPrefix(name, "xl/worksheets/sheet"):
		return sheetPart
	case name == "xl/sharedstrings.xml":
		return sharedPart
	}
	return otherPart
}

// countParts looks at what is in the parts, the shared texts first: rows refer to them.
func countParts(archive *zip.Reader, size int64, limits Limits) error {
	parts := slices.Clone(archive.File)
	slices.SortStableFunc(parts, func(a, b *zip.File) int { return int(kindOf(b)) - int(kindOf(a)) })
	left := &allowance{left: min(limits.unzipped, max(freeOfRatio, maxRatio*size))}
	seen := census{limits: limits}
	for _, e := range parts {
		content, err := e.Open()
		if err != nil {
			return unreadWorkbook(err)
		}
		left.from = content
		err = seen.read(left, kindOf(e))
		_ = content.Close()
		switch {
		case errors.Is(err, errTooMuch):
			return tooLarge()
		case err != nil:
			return unreadWorkbook(err)
		}
	}
	return nil
}

// allowance lets so many bytes through, of all parts together, whatever the directory said of them.
type allowance struct {
	from io.Reader
	left int64
}

// Read implements io.Reader.
func (a *allowance) Read(p []byte) (int, error) {
	n, err := a.from.Read(p)
	if a.left -= int64(n); a.left < 0 {
		return n, errTooMuch
	}
	return n, err
}
