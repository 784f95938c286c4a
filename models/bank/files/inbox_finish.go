package files

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
)

// Keep implements exchange.Box.
func (b *Box) Keep(f exchange.Found, at time.Time) error {
	return b.finish(f, "", at)
}

// Reject implements exchange.Box.
func (b *Box) Reject(f exchange.Found, why string) error {
	return b.finish(f, why, b.now())
}

// finish moves a file away when everything in it was read or refused. One that has been moved, or that is another file
// by now, is left alone.
func (b *Box) finish(f exchange.Found, why string, at time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	name, l, p := b.partOf(f)
	if p == nil {
		return nil
	}
	l.done[f.Name] = why
	if len(l.done) < len(l.parts) {
		return nil
	}
	info, err := b.root.Lstat(path.Join(inbox, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("move %s out of the inbox: %w", name, err)
	case info.Size() != l.size || !info.ModTime().Equal(l.modified):
		return nil
	}
	reasons := l.reasons()
	if reasons == "" {
		err = b.keep(name, l.hash, at)
	} else {
		err = b.reject(name, l, reasons)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("move %s out of the inbox: %w", name, err)
	}
	delete(b.looks, name)
	return nil
}

// reasons says why documents of a file were refused, one a line.
func (l *look) reasons() string {
	var lines []string
	for _, p := range l.parts {
		switch why := l.done[p.found.Name]; {
		case why != "" && len(l.parts) > 1:
			lines = append(lines, p.found.Name+": "+why)
		case why != "":
			lines = append(lines, why)
		}
	}
	return strings.Join(lines, "\n")
}

func (b *Box) keep(name string, hash []byte, at time.Time) error {
	folder := path.Join(archive, at.In(calendar.SAST).Format("2006/01"))
	if err := b.root.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	_, err := b.move(name, folder, hex.EncodeToString(hash)[:shortHash]+"-"+name)
	return err
}

func (b *Box) reject(name string, l *look, reasons string) error {
	as, err := b.move(name, rejected, name)
	if err != nil {
		return err
	}
	f, err := b.create(path.Join(rejected, as), ".why.txt")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s (%d bytes, SHA-256 %x) could not be read:\n%s\n", name, l.size, l.hash, reasons)
	return errors.Join(err, b.flush(f), f.Close(), b.sync(rejected))
}

// create makes a file under a name that is free.
func (b *Box) create(name, end string) (f *os.File, err error) {
	as := name
	for n := 2; ; n++ {
		f, err = b.root.OpenFile(as+end, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
		as = fmt.Sprintf("%s.%d", name, n)
	}
}

// move takes a file out of the inbox, under a name that is free.
func (b *Box) move(name, folder, to string) (as string, err error) {
	as = to
	for n := 2; ; n++ {
		err = b.publish(path.Join(inbox, name), path.Join(folder, as))
		if !errors.Is(err, fs.ErrExist) {
			break
		}
		if b.sameFile(path.Join(inbox, name), path.Join(folder, as)) { // a crash came between its two names
			err = b.root.Remove(path.Join(inbox, name))
			break
		}
		as = fmt.Sprintf("%s.%d", to, n)
	}
	if err != nil {
		return "", err
	}
	b.step("moved")
	return as, errors.Join(b.sync(folder), b.sync(inbox))
}

func (b *Box) sameFile(one, other string) bool {
	x, errX := b.root.Lstat(one)
	y, errY := b.root.Lstat(other)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
