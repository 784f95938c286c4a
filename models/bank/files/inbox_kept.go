package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/fault"
)

// BringBack implements exchange.Box: it looks for the bytes among what was rejected or kept. A document that was in a
// zip file comes back with all of it.
func (b *Box) BringBack(f exchange.Found) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	from, _, err := b.kept(f)
	if err != nil {
		return err
	}
	name, _, _ := strings.Cut(f.Name, "/")
	delete(b.looks, name)
	err = b.publish(from, path.Join(inbox, name))
	if errors.Is(err, fs.ErrExist) {
		return fault.New(fault.Conflict, "arrived", "A file with this name lies in the inbox already.")
	}
	if err != nil {
		return fmt.Errorf("bring %s back: %w", f.Name, err)
	}
	return errors.Join(b.sync(path.Dir(from)), b.sync(inbox))
}

// Reopen implements exchange.Box.
func (b *Box) Reopen(f exchange.Found) (io.ReadCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	place, index, err := b.kept(f)
	if err != nil {
		return nil, err
	}
	file, info, err := b.openRegular(place)
	if err != nil {
		return nil, fmt.Errorf("open %s once more: %w", f.Name, err)
	}
	if index < 0 {
		return file, nil
	}
	return openMember(file, info.Size(), index, b.most)
}

// kept finds where a document lies that was rejected or kept, and which it is in a zip file; -1: it is all of the file.
func (b *Box) kept(f exchange.Found) (place string, index int, err error) {
	name, _, _ := strings.Cut(f.Name, "/")
	for _, folder := range []string{rejected, archive} {
		err := fs.WalkDir(b.root.FS(), folder, func(at string, e fs.DirEntry, err error) error {
			if err != nil || place != "" || !e.Type().IsRegular() || !strings.Contains(e.Name(), name) ||
				strings.HasSuffix(e.Name(), ".why.txt") {
				return err
			}
			n, holds, err := b.holds(at, f.SHA256)
			if holds {
				place, index = at, n
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", 0, fmt.Errorf("look for %s: %w", f.Name, err)
		}
	}
	if place == "" {
		return "", 0, fault.New(fault.Conflict, "gone",
			"The file %s is no longer where read files are kept. Import it by hand.", f.Name)
	}
	return place, index, nil
}

// holds tells whether a file is a document, or a zip file with it.
func (b *Box) holds(at string, sha256 []byte) (index int, is bool, err error) {
	f, info, err := b.openRegular(at)
	if err != nil {
		return 0, false, err
	}
	defer func() { _ = f.Close() }()
	hash, head, err := hashed(f)
	if err != nil || bytes.Equal(hash, sha256) {
		return -1, err == nil, err
	}
	if !isZip(head) {
		return 0, false, nil
	}
	parts, _ := b.members(f, exchange.Found{Size: info.Size()}) // one that cannot be opened holds nothing
	for _, p := range parts {
		if bytes.Equal(p.found.SHA256, sha256) {
			return p.index, true, nil
		}
	}
	return 0, false, nil
}
