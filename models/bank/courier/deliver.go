package courier

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// final tells whether a name is one of a whole file.
func final(name string) bool {
	if name == "" || strings.HasPrefix(name, ".") {
		return false
	}
	for _, end := range []string{".part", ".tmp", ".filepart"} {
		if strings.HasSuffix(strings.ToLower(name), end) {
			return false
		}
	}
	return true
}

// deliverAll takes the files of the outbox to the server, in the order of their names.
func (c *Courier) deliverAll(ctx context.Context, l *link, r *Report) (failed error) {
	entries, err := os.ReadDir(c.path("outbox"))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !final(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		problem, err := c.deliver(l, e.Name())
		switch {
		case err != nil:
			if failed = errors.Join(failed, fmt.Errorf("%s: %w", e.Name(), err)); c.lost(ctx, l) {
				return failed
			}
		case problem != "":
			r.Problems = append(r.Problems, e.Name()+": "+problem)
		default:
			r.Delivered++
		}
	}
	return failed
}

// deliver takes one file to the server, or finds that the server has it. A problem is for a person; an error
// lets the round fail, and the other files are carried all the same.
func (c *Courier) deliver(l *link, name string) (problem string, err error) {
	f, err := os.Open(c.path("outbox", name))
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read
	ours, err := sumOf(f, c.settings.MaxBytes)
	if errors.Is(err, errTooLarge) {
		return "the file is larger than the limit; it was not sent", nil
	}
	if err != nil {
		return "", err
	}
	if before, err := c.sentBefore(name); err != nil || before == ours {
		if err == nil {
			c.say("%s: the same file is already in sent; it is not sent again", name)
			err = c.delivered(name)
		}
		return "", err
	}
	to, temporary := path.Join(c.settings.Out, name), path.Join(c.settings.Out, "."+name+".part")
	begun := c.state.Renaming[name] == ours
	theirs, there, err := c.lookAt(l, to)
	switch {
	case err != nil:
		return "", err
	case there && theirs == ours, there && begun && theirs == sent{Size: ours.Size}:
		c.say("%s: the server has it already", name)
		return "", c.delivered(name)
	case there:
		return another, nil
	}
	if begun {
		_, err := l.Lstat(temporary)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		if err != nil {
			// It was whole under its temporary name, and now has neither name: it was renamed and the bank took it
			// away. Sent again it would be a second order to the bank.
			c.say("%s: the server has renamed it and taken it away", name)
			return "", c.delivered(name)
		}
	}
	if err := c.upload(l, f, temporary, ours.Size); err != nil {
		return "", err
	}
	c.state.Renaming[name] = ours
	if err := c.save(); err != nil {
		return "", err
	}
	c.step("rename " + name)
	if problem, err := c.giveName(l, temporary, to, ours); problem != "" || err != nil {
		return problem, err
	}
	c.step("delivered " + name)
	c.say("%s: delivered, %d bytes", name, ours.Size)
	return "", c.delivered(name)
}

// sentBefore is the file of this name that stands in sent.
func (c *Courier) sentBefore(name string) (sent, error) {
	f, err := os.Open(c.path("sent", name))
	if errors.Is(err, os.ErrNotExist) {
		return c.state.Sent[name].sent, nil
	}
	if err != nil {
		return sent{}, err
	}
	before, err := sumOf(f, c.settings.MaxBytes)
	return before, errors.Join(err, f.Close())
}

// sentKept is how long a file stays in sent, for questions of the bank. It names people and their accounts; what it was
// is known for longer by its sum, so that it is not sent again.
const (
	sentKept = 60 * 24 * time.Hour
	sumKept  = 5 * 365 * 24 * time.Hour
)

// tidySent deletes what has stood in sent for long enough.
func (c *Courier) tidySent() error {
	now := c.settings.Now()
	for name, was := range c.state.Sent {
		if now.Sub(was.At) > sumKept {
			delete(c.state.Sent, name)
		}
	}
	files, err := os.ReadDir(c.path("sent"))
	if err != nil {
		return err
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil || !info.Mode().IsRegular() || now.Sub(info.ModTime()) <= sentKept {
			continue //nolint:nilerr // it is gone, or not a file of ours
		}
		was, err := c.sentBefore(f.Name())
		if errors.Is(err, errTooLarge) { // the limit is a smaller one now: its sum is not taken, so it stays
			continue
		}
		if err != nil {
			return err
		}
		c.state.Sent[f.Name()] = forgotten{was, info.ModTime().UTC()}
		if err := c.save(); err != nil { // before the file goes
			return err
		}
		if err := os.Remove(c.path("sent", f.Name())); err != nil {
			return err
		}
		c.say("%s: deleted from sent after %d days", f.Name(), int(sentKept.Hours())/24)
	}
	return nil
}

// giveName renames without writing over anything: the plain rename of SFTP fails where the name is taken. Some
// servers have only the other kind of rename, which does not fail; it is used when nothing has the name.
func (c *Courier) giveName(l *link, temporary, to string, ours sent) (problem string, err error) {
	failed := l.Rename(temporary, to)
	if failed == nil {
		return "", nil
	}
	theirs, there, err := c.lookAt(l, to)
	switch {
	case err != nil:
		return "", errors.Join(failed, err)
	case there && theirs == ours:
		return "", nil
	case there:
		return another, nil
	}
	if _, offered := l.HasExtension("posix-rename@openssh.com"); offered {
		if l.PosixRename(temporary, to) == nil {
			return "", nil
		}
	}
	return "", fmt.Errorf("the server did not rename the file: %w", failed)
}

// upload writes the whole file under its temporary name, over what an earlier try left there.
func (c *Courier) upload(l *link, f *os.File, temporary string, size int64) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	remote, err := l.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return fmt.Errorf("the server does not take files in %s: %w", c.settings.Out, err)
	}
	n, err := remote.ReadFromWithConcurrency(f, 0)
	if err == nil && n != size {
		err = fmt.Errorf("%d bytes of %d were written", n, size)
	}
	if _, offered := l.HasExtension("fsync@openssh.com"); err == nil && offered {
		err = remote.Sync()
	}
	if err = errors.Join(err, remote.Close()); err != nil {
		return err
	}
	info, err := l.Stat(temporary)
	if err == nil && info.Size() != size {
		err = fmt.Errorf("the server has %d bytes of %d", info.Size(), size)
	}
	return err
}

// another is a problem for a person.
const another = "the server has another file of this name; nothing was written over it"

// lookAt reads the server's file to compare it. Where that is not allowed, its size is all that is known.
func (c *Courier) lookAt(l *link, name string) (theirs sent, there bool, err error) {
	info, err := l.Lstat(name)
	if errors.Is(err, os.ErrNotExist) {
		return sent{}, false, nil
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > c.settings.MaxBytes {
		return sent{}, err == nil, err
	}
	f, err := l.Open(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return sent{}, false, nil
	case errors.Is(err, os.ErrPermission):
		return sent{Size: info.Size()}, true, nil
	case err != nil:
		return sent{}, false, err
	}
	theirs, err = sumOf(f, c.settings.MaxBytes)
	return theirs, true, errors.Join(err, f.Close())
}

var errTooLarge = errors.New("the file is larger than the limit")

func sumOf(r io.Reader, most int64) (sent, error) {
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(r, most+1))
	if err == nil && n > most {
		err = errTooLarge
	}
	return sent{SHA256: hex.EncodeToString(h.Sum(nil)), Size: n}, err
}

// delivered moves a file to sent. It never writes over another one there.
func (c *Courier) delivered(name string) error {
	to := c.path("sent", name)
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); errors.Is(err, os.ErrNotExist) {
			break
		} else if err != nil {
			return err
		}
		to = c.path("sent", fmt.Sprintf("%s.%d", name, n))
	}
	if err := rename(c.path("outbox", name), to); err != nil {
		return err
	}
	if err := syncFolder(filepath.Join(c.settings.Dir, "outbox")); err != nil {
		return err
	}
	delete(c.state.Renaming, name)
	return c.save()
}
