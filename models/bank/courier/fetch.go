package courier

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// longestName is that of a file which most file systems take, with room for what is put behind it.
const longestName = 200

// localName is the name that an answer gets here: the server's, without anything that could lead out of the inbox or
// trouble a program.
func localName(name string) (local string, ok bool) {
	if name != path.Base(name) || len(name) > longestName || !final(name) || strings.ContainsAny(name, "/\\\x00") {
		return "", false
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '_'
	}, name), true
}

// fetchAll brings every answer here that was not brought before; all is false when one could not be brought. One that
// cannot be read is for a person, and keeps no other from being brought.
func (c *Courier) fetchAll(ctx context.Context, l *link, r *Report) (all bool, err error) {
	listed, err := l.ReadDirContext(ctx, c.settings.In)
	if err != nil {
		return false, fmt.Errorf("the server does not list %s: %w", c.settings.In, err)
	}
	all = true
	left := func(problem string) { all, r.Problems = false, append(r.Problems, problem) }
	now := c.settings.Now().UTC()
	for _, info := range listed {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		name := info.Name()
		if !info.Mode().IsRegular() || !final(name) {
			continue
		}
		local, ok := localName(name)
		switch before := c.state.Taken[name]; {
		case !ok:
			left(fmt.Sprintf("%q: the server's file has a name that is not taken", name))
			continue
		case info.Size() > c.settings.MaxBytes:
			left(name + ": the server's file is larger than the limit; it was not taken")
			continue
		case before != nil && before.Size == info.Size() && before.Modified.Equal(info.ModTime()):
			before.Seen = now
			if err := c.clear(l, name); err != nil && c.lost(ctx, l) {
				return false, err
			} else if err != nil {
				r.Problems = append(r.Problems, err.Error()) // it is here
			}
			continue
		}
		fresh, here, err := c.fetch(l, info, local)
		if fresh {
			r.Fetched++
		}
		switch {
		case err != nil && c.lost(ctx, l):
			return false, fmt.Errorf("%s: %w", name, err)
		case err != nil && here:
			r.Problems = append(r.Problems, name+": "+err.Error())
		case err != nil:
			left(name + ": " + err.Error())
		case !here:
			all = false // it is still being written
		}
	}
	for name, t := range c.state.Taken {
		if now.Sub(t.Seen) > forgetAfter {
			delete(c.state.Taken, name)
		}
	}
	return all, nil
}

// fetch brings one answer; here tells that it is, or that it is gone. One that changes while it is read is left for the
// next round.
func (c *Courier) fetch(l *link, listed fs.FileInfo, local string) (fresh, here bool, err error) {
	name := listed.Name()
	from := path.Join(c.settings.In, name)
	f, err := l.Open(from)
	if errors.Is(err, os.ErrNotExist) {
		return false, true, nil
	}
	if err != nil {
		return false, false, err
	}
	content, err := io.ReadAll(io.LimitReader(f, c.settings.MaxBytes+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return false, false, err
	}
	after, err := l.Lstat(from)
	if errors.Is(err, os.ErrNotExist) {
		after, err = listed, nil // it was taken away after it was read
	}
	if err != nil {
		return false, false, err
	}
	if int64(len(content)) != listed.Size() || after.Size() != listed.Size() || !after.ModTime().Equal(listed.ModTime()) {
		c.say("%s is still being written; it is left for the next round", name)
		return false, false, nil
	}
	sum := sha256.Sum256(content)
	hash := hex.EncodeToString(sum[:])
	before := c.state.Taken[name]
	if fresh = before == nil || before.SHA256 != hash; fresh {
		if err := c.keep(local, content); err != nil {
			return false, false, err
		}
		c.say("%s: fetched, %d bytes", name, len(content))
	}
	c.step("fetched " + name)
	c.state.Taken[name] = &taken{Size: listed.Size(), Modified: listed.ModTime(), SHA256: hash,
		Seen: c.settings.Now().UTC()}
	if err := c.save(); err != nil {
		return fresh, true, err
	}
	return fresh, true, c.clear(l, name)
}

// clear removes an answer from the server once it is here and remembered, where the setting says so.
func (c *Courier) clear(l *link, name string) error {
	if !c.settings.Remove {
		return nil
	}
	if err := l.Remove(path.Join(c.settings.In, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s was taken, and the server does not remove it: %w", name, err)
	}
	return nil
}

// keep lays an answer into the inbox, beside another one of the same name that was not read yet.
func (c *Courier) keep(name string, content []byte) error {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 2; ; n++ {
		there, err := os.ReadFile(c.path("inbox", name))
		if errors.Is(err, os.ErrNotExist) {
			return lay(c.path("inbox"), name, content)
		}
		if err != nil || bytes.Equal(there, content) {
			return err
		}
		name = fmt.Sprintf("%s-%d%s", stem, n, ext)
	}
}
