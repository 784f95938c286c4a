package files

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"syscall"
	"time"

	"debitdesk/models/bank/exchange"
)

// The folders of an exchange directory.
const (
	outbox   = "outbox"
	sent     = "sent"
	inbox    = "inbox"
	archive  = "archive"
	rejected = "rejected"
)

var folders = []string{outbox, sent, inbox, archive, rejected}

// abandonedAfter is the age at which a file that was never finished is no longer being written.
const abandonedAfter = 24 * time.Hour

// Box exchanges files with a bank through the folders of a directory. It implements exchange.Box. Several processes may
// use one directory.
type Box struct {
	root   *os.Root
	now    func() time.Time
	settle time.Duration
	most   int64

	mu    sync.Mutex
	looks map[string]*look // of the inbox, by name

	flush func(*os.File) error // to the disk
	step  func(what string)    // tests stop here
}

// Settings are what a box is told about its directory.
type Settings struct {
	Settle   time.Duration    // how long a file in the inbox must not change
	MaxBytes int64            // of a file in the inbox
	Now      func() time.Time // nil: the clock of the machine
}

// BoxSettings are those of a profile.
func (p Profile) BoxSettings() Settings {
	return Settings{Settle: time.Duration(p.SettleSeconds) * time.Second, MaxBytes: p.MaxFileBytes}
}

// OpenBox opens the directory and makes the folders that are missing.
func OpenBox(dir string, s Settings) (*Box, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of the bank: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the directory of the bank: %w", err)
	}
	b := &Box{root: root, now: s.Now, settle: s.Settle, most: s.MaxBytes, looks: map[string]*look{},
		flush: (*os.File).Sync, step: func(string) {}}
	if b.now == nil {
		b.now = time.Now
	}
	for _, folder := range folders {
		if err := root.MkdirAll(folder, 0o700); err != nil {
			_ = root.Close()
			return nil, fmt.Errorf("make the folder %s of the bank: %w", folder, err)
		}
	}
	return b, b.sweep()
}

// Close lets go of the directory.
func (b *Box) Close() error { return b.root.Close() }

// sweep takes away what a crash left unfinished in the outbox. Nobody has seen it: its name says that it is not whole.
func (b *Box) sweep() error {
	entries, err := fs.ReadDir(b.root.FS(), outbox)
	if err != nil {
		return fmt.Errorf("look into the outbox: %w", err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), ".") && strings.HasSuffix(e.Name(), ".part") &&
			info.Mode().IsRegular() &&
			b.now().Sub(info.ModTime()) > abandonedAfter {
			_ = b.root.Remove(path.Join(outbox, e.Name()))
		}
	}
	return nil
}

// Place implements exchange.Box.
func (b *Box) Place(ctx context.Context, name string, want []byte, content io.Reader,
	check func(io.Reader) error) error {
	if !settledName(name) || !fileLetters.MatchString(name) {
		return fmt.Errorf("%q is not a name for a file to the bank", name)
	}
	there, err := b.standing(name, want)
	if err != nil || there {
		return err
	}
	part := path.Join(outbox, "."+name+"."+suffix()+".part")
	defer func() { _ = b.root.Remove(part) }()
	if err := b.write(ctx, part, want, content, check); err != nil {
		return fmt.Errorf("write %s for the bank: %w", name, err)
	}
	b.step("written")
	switch err := b.publish(part, path.Join(outbox, name)); {
	case errors.Is(err, fs.ErrExist): // another process was faster
		if there, err := b.standing(name, want); err != nil || !there {
			return errors.Join(err, fmt.Errorf("lay out %s for the bank: %w", name, fs.ErrExist))
		}
	case err != nil:
		return fmt.Errorf("lay out %s for the bank: %w", name, err)
	}
	b.step("published")
	return b.sync(outbox)
}

// suffix keeps two processes from writing into one file.
func suffix() string {
	var random [4]byte
	_, _ = rand.Read(random[:])
	return hex.EncodeToString(random[:])
}

// standing tells whether a file with these bytes was laid out already. Other bytes under the name are an error:
// they are left as they are.
func (b *Box) standing(name string, want []byte) (bool, error) {
	places := []string{path.Join(outbox, name), path.Join(sent, name)}
	for _, place := range places {
		hash, err := b.hashOf(place)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil || !bytes.Equal(hash, want): // of what cannot be read nobody knows that it is the same
			return false, &exchange.Occupied{Place: place}
		default:
			return true, nil
		}
	}
	kept, err := b.archived(name, want)
	return len(kept) > 0, err
}

// archived lists the files of the archive that have a name, with a hash before it or without, and these bytes. What the
// bank sent lies there, too, under whatever name it chose.
func (b *Box) archived(name string, want []byte) (found []string, err error) {
	for _, pattern := range []string{"archive/*/*/" + name, "archive/*/*/" + strings.Repeat("[0-9a-f]", shortHash) +
		"-" + name} {
		more, err := fs.Glob(b.root.FS(), pattern)
		if err != nil {
			return nil, fmt.Errorf("look into the archive: %w", err)
		}
		for _, place := range more {
			if hash, err := b.hashOf(place); err == nil && bytes.Equal(hash, want) {
				found = append(found, place)
			}
		}
	}
	return found, nil
}

// write writes a file whole, and reads it back.
func (b *Box) write(ctx context.Context, part string, want []byte, content io.Reader,
	check func(io.Reader) error) error {
	f, err := b.root.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	b.step("created")
	if err := f.Chmod(0o600); err != nil {
		return err
	}
	if _, err := io.Copy(f, &interruptible{ctx, content}); err != nil {
		return err
	}
	b.step("filled")
	if err := b.flush(f); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	hash := sha256.New()
	read := io.TeeReader(&interruptible{ctx, f}, hash)
	if check != nil {
		if err := check(read); err != nil {
			return err
		}
	}
	if _, err := io.Copy(io.Discard, read); err != nil {
		return err
	}
	if !bytes.Equal(hash.Sum(nil), want) {
		return errors.New("the bytes that were written are not those that were to be written")
	}
	return f.Close()
}

// interruptible stops reading when nobody waits any more.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (i *interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}

// publish gives a file its name, unless something has that name. Where a file system has no links, it looks first.
func (b *Box) publish(from, to string) error {
	err := b.root.Link(from, to)
	switch {
	case err == nil:
		b.step("linked")
		return b.root.Remove(from)
	case errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist):
		return err
	}
	if _, err := b.root.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fs.ErrExist)
	}
	return b.root.Rename(from, to)
}

// PutAside implements exchange.Box. A courier, too, sends a file once more only when none of its name stands in sent.
func (b *Box) PutAside(_ context.Context, name string, sha256 []byte) error {
	kept, err := b.archived(name, sha256)
	if err != nil {
		return err
	}
	for _, place := range append([]string{path.Join(sent, name)}, kept...) {
		if err := b.rename(place); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("put %s aside: %w", place, err)
		}
	}
	return nil
}

// rename gives a file the first free name with a number behind it.
func (b *Box) rename(place string) error {
	for n := 2; ; n++ {
		if err := b.publish(place, fmt.Sprintf("%s.%d", place, n)); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

// sync makes the names in a folder outlast a loss of power.
func (b *Box) sync(folder string) error {
	f, err := b.root.Open(folder)
	if err != nil {
		return fmt.Errorf("open the folder %s: %w", folder, err)
	}
	if err := errors.Join(b.flush(f), f.Close()); err != nil && !errors.Is(err, syscall.EINVAL) {
		return fmt.Errorf("write the folder %s to the disk: %w", folder, err)
	}
	return nil
}

// fetchedName is the file in which a courier writes down when its last round began that brought everything.
const fetchedName = "fetched"

// Fetched implements exchange.Box. The courier's clock is that of the machine, whatever the product's clock says.
func (b *Box) Fetched(context.Context) (ago time.Duration, carried bool, err error) {
	text, err := b.root.ReadFile(fetchedName)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, true, fmt.Errorf("read when files were fetched: %w", err)
	}
	at, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(string(text)))
	if err != nil {
		return 0, true, fmt.Errorf("read when files were fetched: %w", err)
	}
	return b.now().Sub(at), true, nil
}

// Waiting implements exchange.Box.
func (b *Box) Waiting(_ context.Context, name string) (bool, error) {
	_, err := b.root.Lstat(path.Join(outbox, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look for %s in the outbox: %w", name, err)
	default:
		return true, nil
	}
}

// openRegular opens a file that is no link, no folder and no pipe.
func (b *Box) openRegular(name string) (*os.File, fs.FileInfo, error) {
	seen, err := b.root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !seen.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is not a file", name)
	}
	f, err := b.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || !os.SameFile(seen, info)) {
		err = fmt.Errorf("%s changed while it was opened", name)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func (b *Box) hashOf(name string) ([]byte, error) {
	f, _, err := b.openRegular(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return nil, err
	}
	return hash.Sum(nil), nil
}
