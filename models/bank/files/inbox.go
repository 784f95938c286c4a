package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"debitdesk/models/bank/exchange"
)

// shortHash is how many hexadecimal digits of a file's hash begin its name in the archive.
const shortHash = 12

// longestArrival is how many bytes the name of a file in the inbox may have: the archive adds to it.
const longestArrival = 200

// look is what was last seen of a file in the inbox.
type look struct {
	size     int64
	modified time.Time
	since    time.Time // it has been the same since then
	hash     []byte    // of the file, once it is settled
	parts    []part    // the documents in it
	done     map[string]string
	offered  bool // it was found once: what is left of it is tried again in the bank's own time
}

// part is one document of a file: the file itself, or a member of a zip file.
type part struct {
	found exchange.Found
	index int    // of the member; -1: the file itself
	why   string // it cannot be opened
}

// Find implements exchange.Box. A file is whole when it was the same at two looks that are far enough apart.
func (b *Box) Find(ctx context.Context) ([]exchange.Found, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	entries, err := fs.ReadDir(b.root.FS(), inbox)
	if err != nil {
		return nil, fmt.Errorf("look into the inbox: %w", err)
	}
	var settled []*look
	seen := map[string]bool{}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !e.Type().IsRegular() || !settledName(e.Name()) {
			continue
		}
		name, err := b.fit(e.Name())
		if err != nil {
			return nil, err
		}
		seen[name] = true
		l, err := b.lookAt(name)
		switch {
		case errors.Is(err, fs.ErrNotExist): // somebody moved it meanwhile
		case err != nil: // it keeps no other from being read
			settled = append(settled, b.unopened(name, err))
		case l != nil:
			settled = append(settled, l)
		}
	}
	for name := range b.looks {
		if !seen[name] {
			delete(b.looks, name)
		}
	}
	slices.SortStableFunc(settled, func(x, y *look) int { return x.modified.Compare(y.modified) })
	var found []exchange.Found
	for _, l := range settled {
		l.offered = true
		for _, p := range l.parts {
			if _, done := l.done[p.found.Name]; !done {
				found = append(found, p.found)
			}
		}
	}
	return found, nil
}

// Fresh implements exchange.Box: it reads no file.
func (b *Box) Fresh(context.Context) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	entries, err := fs.ReadDir(b.root.FS(), inbox)
	if err != nil {
		return false, fmt.Errorf("look into the inbox: %w", err)
	}
	fresh := false
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !settledName(e.Name()) {
			continue // somebody moved it meanwhile, or it is none of ours
		}
		if l := b.settled(e.Name(), info); l != nil && !l.offered {
			fresh = true
		}
	}
	return fresh, nil
}

// Unread implements exchange.Box.
func (b *Box) Unread(context.Context) (bool, error) {
	entries, err := fs.ReadDir(b.root.FS(), inbox)
	if err != nil {
		return false, fmt.Errorf("look into the inbox: %w", err)
	}
	return slices.ContainsFunc(
		entries,
		func(e fs.DirEntry) bool { return e.Type().IsRegular() && settledName(e.Name()) },
	), nil
}

// fit renames a file whose name nobody could keep: too long, or with characters that are no letters.
func (b *Box) fit(name string) (string, error) {
	fit := strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) || r == '/' || r == '\\' {
			return '_'
		}
		return r
	}, name)
	if len(fit) > longestArrival {
		fit = strings.ToValidUTF8(fit[:longestArrival-len(suffix())-1], "")
	}
	if fit == name {
		return name, nil
	}
	fit = suffix() + "-" + fit
	if err := b.publish(path.Join(inbox, name), path.Join(inbox, fit)); err != nil {
		return "", fmt.Errorf("rename a file in the inbox: %w", err)
	}
	return fit, nil
}

// unopened is a file that cannot be read: it is refused with the reason, as one whose content makes no sense.
func (b *Box) unopened(name string, err error) *look {
	l := b.looks[name]
	if l == nil {
		l = &look{done: map[string]string{}}
		b.looks[name] = l
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", name, l.size, l.modified))
	l.hash = sum[:]
	l.parts = []part{{found: exchange.Found{Name: name, Size: l.size, SHA256: l.hash}, index: -1,
		why: "It cannot be opened: " + withoutPath(err).Error() + "."}}
	return l
}

// withoutPath is the cause alone.
func withoutPath(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// settled notes how a file stands, and gives what is known of it once it was the same at two looks that are far enough
// apart.
func (b *Box) settled(name string, info fs.FileInfo) *look {
	now, l := b.now(), b.looks[name]
	if l == nil || l.size != info.Size() || !l.modified.Equal(info.ModTime()) {
		b.looks[name] = &look{size: info.Size(), modified: info.ModTime(), since: now, done: map[string]string{}}
		return nil
	}
	if now.Sub(l.since) < b.settle {
		return nil
	}
	return l
}

// lookAt gives what is known of a file once it is settled, else nothing.
func (b *Box) lookAt(name string) (*look, error) {
	info, err := b.root.Lstat(path.Join(inbox, name))
	if err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	l := b.settled(name, info)
	if l == nil {
		return nil, nil
	}
	if l.hash == nil {
		if err := b.open(name, l); err != nil {
			return nil, err
		}
	}
	if l.hash == nil {
		return nil, nil
	}
	return l, nil
}

// open reads a file once: its hash, and the documents in it. It stays unread when it changes meanwhile.
func (b *Box) open(name string, l *look) error {
	f, info, err := b.openRegular(path.Join(inbox, name))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	hash, head, err := hashed(f)
	if err != nil {
		return err
	}
	after, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() != l.size || after.Size() != l.size || !after.ModTime().Equal(l.modified) {
		l.since = b.now()
		return nil
	}
	whole := part{found: exchange.Found{Name: name, Size: l.size, SHA256: hash}, index: -1}
	parts := []part{whole}
	switch {
	case l.size > b.most:
		parts[0].why = tooLarge(b.most)
	case isZip(head):
		if parts, whole.why = b.members(f, whole.found); whole.why != "" {
			parts = []part{whole}
		}
	}
	l.hash, l.parts = hash, parts
	return nil
}

func tooLarge(most int64) string {
	return fmt.Sprintf("It is larger than %d bytes, the largest file that the profile allows.", most)
}

// Open implements exchange.Box.
func (b *Box) Open(f exchange.Found) (io.ReadCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	name, l, p := b.partOf(f)
	switch {
	case p == nil:
		return nil, fmt.Errorf("%s is no longer in the inbox as it was found", f.Name)
	case p.why != "":
		return nil, &exchange.Unreadable{Why: p.why}
	}
	file, info, err := b.openRegular(path.Join(inbox, name))
	if err != nil {
		return nil, fmt.Errorf("open %s in the inbox: %w", name, err)
	}
	if info.Size() != l.size || !info.ModTime().Equal(l.modified) {
		_ = file.Close()
		return nil, fmt.Errorf("%s changed after it was found", name)
	}
	if p.index < 0 {
		return file, nil
	}
	return openMember(file, info.Size(), p.index, b.most)
}

// partOf finds what a document is part of.
func (b *Box) partOf(f exchange.Found) (name string, l *look, p *part) {
	name, _, _ = strings.Cut(f.Name, "/")
	if l = b.looks[name]; l == nil {
		return name, nil, nil
	}
	for n := range l.parts {
		if l.parts[n].found.Name == f.Name && bytes.Equal(l.parts[n].found.SHA256, f.SHA256) {
			return name, l, &l.parts[n]
		}
	}
	return name, l, nil
}
