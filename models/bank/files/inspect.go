package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"debitdesk/models/plural"
)

// Level is how bad an observation is.
type Level int

// The levels.
const (
	Fine Level = iota
	Doubtful
	Bad
)

// Observation is one thing that was looked at in an exchange directory.
type Observation struct {
	Level Level
	What  string
	Do    string // what to do about it
}

// Free space that a directory should have.
const (
	plenty = 1 << 30
	scarce = 100 << 20
)

// Inspect looks at an exchange directory: whether its folders are private, ours, writable, on one disk with space left,
// and away from what a web server shows. It changes nothing.
func Inspect(dir string) []Observation {
	i := &inspection{}
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		i.add(Bad, "make it with: debitdesk bank check "+dir+" --init generic", "%s does not exist", dir)
		return i.seen
	case err != nil:
		i.add(Bad, "make the directory readable for this user", "%v", err)
		return i.seen
	}
	if part := webRoot(real); part != "" {
		i.add(Bad, "move the directory: its files hold account numbers",
			"%s lies under %s, which looks like a folder that a web server shows", real, part)
	}
	disk, ok := i.folder(real)
	for _, name := range folders {
		path := filepath.Join(real, name)
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			continue // it is made when it is needed
		}
		if other, is := i.folder(path); ok && is && other != disk {
			i.add(Bad, "put all folders on one disk: a file can only be moved whole within one disk",
				"%s is not on the same disk as %s", path, real)
		}
	}
	if info, err := os.Stat(filepath.Join(real, ProfileName)); err == nil && info.Mode().Perm()&0o022 != 0 {
		i.add(Bad, "chmod 600 "+filepath.Join(real, ProfileName),
			"%s can be changed by other people of this machine (mode %04o)", filepath.Join(real, ProfileName),
			info.Mode().Perm())
	}
	i.space(real)
	i.unread(filepath.Join(real, inbox))
	if len(i.seen) == 0 {
		i.add(Fine, "", "%s is private, writable and has space", real)
	}
	return i.seen
}

type inspection struct{ seen []Observation }

func (i *inspection) add(l Level, do, what string, args ...any) {
	i.seen = append(i.seen, Observation{l, fmt.Sprintf(what, args...), do})
}

// webRoot is the part of a path that looks like the folder of a web server.
func webRoot(path string) string {
	parts := strings.Split(filepath.ToSlash(path), "/")
	for n, part := range parts {
		under := strings.Join(parts[:n+1], "/")
		if slices.Contains([]string{"public_html", "htdocs", "wwwroot", "webroot", "httpdocs"},
			strings.ToLower(part)) ||
			slices.Contains([]string{"/var/www", "/srv/www", "/srv/http", "/usr/share/nginx"}, under) {
			return under
		}
	}
	return ""
}

// folder looks at one folder and gives its disk.
func (i *inspection) folder(path string) (disk uint64, ok bool) {
	info, err := os.Lstat(path)
	if err != nil {
		i.add(Bad, "make the folder readable for this user", "%v", err)
		return 0, false
	}
	if !info.IsDir() {
		i.add(Bad, "put a folder in its place", "%s is not a folder", path)
		return 0, false
	}
	if open := info.Mode().Perm() & 0o077; open != 0 {
		i.add(Bad, "chmod 700 "+path, "%s can be used by other people of this machine (mode %04o)", path,
			info.Mode().Perm())
	}
	if own, is := info.Sys().(*syscall.Stat_t); is {
		disk, ok = uint64(own.Dev), true //nolint:unconvert // it has other sizes on other systems
		if int(own.Uid) != os.Geteuid() {
			i.add(Bad, fmt.Sprintf("chown %d %s", os.Geteuid(), path),
				"%s belongs to user %d, not to the user %d that runs Debitdesk",
				path, own.Uid, os.Geteuid())
		}
	}
	if err := tryWrite(path); err != nil {
		i.add(Bad, "make the folder writable for this user", "%s cannot be written to: %v", path, err)
	}
	return disk, ok
}

func tryWrite(dir string) error {
	f, err := os.CreateTemp(dir, ".inspect-*.part")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func (i *inspection) space(path string) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(path, &st); err != nil {
		i.add(Doubtful, "see how much space is left", "the free space of %s is not known: %v", path, err)
		return
	}
	free := st.Bavail * uint64(st.Bsize) //nolint:gosec // the size of a block is positive
	switch {
	case free < scarce:
		i.add(Bad, "make space", "%s has %d MB left", path, free>>20)
	case free < plenty:
		i.add(Doubtful, "make space", "%s has %d MB left", path, free>>20)
	}
}

// stays is how old a file in the inbox is that should have been read long ago.
const stays = 24 * time.Hour

// unread counts what lies in the inbox and is never read, and files that nobody has taken out of it.
func (i *inspection) unread(path string) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return
	}
	odd, old := 0, 0
	for _, e := range entries {
		if !e.Type().IsRegular() {
			odd++
			continue
		}
		info, err := e.Info()
		if err == nil && settledName(e.Name()) && time.Since(info.ModTime()) > stays {
			old++
		}
	}
	if odd > 0 {
		i.add(Doubtful, "put the files themselves there",
			"%s of %s will never be read: only files are, not links, folders or pipes",
			plural.Of(odd, "entry"), path)
	}
	if old > 0 {
		i.add(
			Doubtful,
			"see the log for why, and move them yourself: no debit counts as paid by silence while they lie there",
			"%s in %s %s older than a day",
			plural.Of(old, "file"),
			path,
			plural.Is(old),
		)
	}
}
