package files

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"debitdesk/models/bank/exchange"
)

// mostMembers is how many documents one zip file may hold.
const mostMembers = 1000

func isZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06"))
}

// hashed reads all of a file: its hash and its first bytes.
func hashed(f io.Reader) (hash, head []byte, err error) {
	sum := sha256.New()
	head = make([]byte, 4)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	sum.Write(head[:n])
	if _, err := io.Copy(sum, f); err != nil {
		return nil, nil, err
	}
	return sum.Sum(nil), head[:n], nil
}

// members lists the documents in a zip file, or says why it cannot be opened. All of them together may be as large as
// one file may be. Several are named by their number, since nobody can trust the names in a zip file.
func (b *Box) members(f *os.File, whole exchange.Found) (parts []part, why string) {
	z, err := zip.NewReader(f, whole.Size)
	if err != nil {
		return nil, "It is a zip file that cannot be opened: " + err.Error() + "."
	}
	left := b.most
	for n, m := range z.File {
		if m.FileInfo().IsDir() {
			continue
		}
		if len(parts) == mostMembers {
			return nil, fmt.Sprintf("It is a zip file with more than %d documents.", mostMembers)
		}
		hash, size, err := measure(m, left)
		switch {
		case errors.Is(err, errTooLarge):
			return nil, fmt.Sprintf("It is a zip file that unpacks to more than %d bytes, the largest that the "+
				"profile allows.", b.most)
		case err != nil:
			return nil, "It is a zip file with a document that cannot be unpacked: " + err.Error() + "."
		}
		left -= size
		parts = append(parts, part{found: exchange.Found{Name: fmt.Sprintf("%s/%d", whole.Name, n+1), Size: size,
			SHA256: hash},
			index: n})
	}
	if len(parts) == 1 {
		parts[0].found.Name = whole.Name
	}
	if len(parts) == 0 {
		return nil, "It is a zip file without a document."
	}
	return parts, ""
}

var errTooLarge = errors.New("it is too large")

func measure(m *zip.File, most int64) (hash []byte, size int64, err error) {
	if m.UncompressedSize64 > uint64(max(most, 0)) {
		return nil, 0, errTooLarge
	}
	r, err := m.Open()
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = r.Close() }()
	sum := sha256.New()
	size, err = io.Copy(sum, io.LimitReader(r, most+1))
	if err == nil && size > most {
		err = errTooLarge
	}
	return sum.Sum(nil), size, err
}

// member is a document of a zip file that stays open with it.
type member struct {
	io.Reader
	content io.Closer
	file    io.Closer
}

func (m member) Close() error { return errors.Join(m.content.Close(), m.file.Close()) }

func openMember(f *os.File, size int64, index int, most int64) (io.ReadCloser, error) {
	z, err := zip.NewReader(f, size)
	if err == nil && index >= len(z.File) {
		err = errors.New("the document is gone")
	}
	var content io.ReadCloser
	if err == nil {
		content, err = z.File[index].Open()
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("open a document of a zip file: %w", err)
	}
	return member{io.LimitReader(content, most), content, f}, nil
}
