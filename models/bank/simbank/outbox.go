package simbank

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// unfinished are the endings of names that are not final.
var unfinished = []string{".part", ".tmp", ".filepart"}

// Final tells whether a file of an exchange folder has the name of a whole file.
func Final(name string) bool {
	if name == "" || strings.HasPrefix(name, ".") {
		return false
	}
	for _, end := range unfinished {
		if strings.HasSuffix(strings.ToLower(name), end) {
			return false
		}
	}
	return true
}

// readOutbox takes every whole file, in the order of their names.
func (b *Bank) readOutbox(ctx context.Context, now time.Time) error {
	entries, err := os.ReadDir(b.path("outbox"))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !Final(e.Name()) || ctx.Err() != nil {
			continue
		}
		if err := b.readFile(e.Name(), now); err != nil {
			return fmt.Errorf("%s: %w", e.Name(), err)
		}
	}
	return ctx.Err()
}

func (b *Bank) readFile(name string, now time.Time) error {
	info, err := os.Stat(b.path("outbox", name))
	if errors.Is(err, os.ErrNotExist) {
		return nil // somebody took it back
	}
	if err == nil && info.Size() > mostBytes {
		err = errors.New("the file is larger than any message")
	}
	if err != nil {
		return err
	}
	content, err := os.ReadFile(b.path("outbox", name))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	hash := hex.EncodeToString(sum[:])
	if before := b.hashes[hash]; before != nil {
		b.report.Duplicates++
		b.say("%s is a duplicate: the same bytes were read as %s (message %d); nothing is done", name, before.Name,
			before.Number)
		return b.moveToSent(name, content)
	}
	told := b.forNext()
	if has(told, LoseFile) {
		b.report.Lost++
		b.say("%s is lost, as told", name)
		return b.moveToSent(name, content)
	}
	f := &file{Number: len(b.files) + 1, Name: name, SHA256: hash, At: now, Silent: has(told, NoAnswer)}
	m, err := read(content)
	if err != nil {
		b.say("%s cannot be read: %v", name, err)
		m.Name = ""
	}
	b.judge(f, m, told)
	if err := b.note(record{File: f}); err != nil {
		return err
	}
	b.take(f)
	b.crash("taken " + name)
	if f.Refused != nil {
		b.report.Refused++
		b.say("%s is refused: %s %s", name, f.Refused.Code, f.Refused.Text)
	} else {
		b.report.Taken++
		b.say("%s: %s %s with %d items", name, f.Message, f.ID, f.Count)
	}
	return b.moveToSent(name, content)
}

// moveToSent never writes over another file.
func (b *Bank) moveToSent(name string, content []byte) error {
	to := name
	for n := 2; ; n++ {
		there, err := os.ReadFile(b.path("sent", to))
		if errors.Is(err, os.ErrNotExist) || err == nil && bytes.Equal(there, content) {
			break
		}
		if err != nil {
			return err
		}
		to = fmt.Sprintf("%s.%d", name, n)
	}
	if err := os.Rename(b.path("outbox", name), b.path("sent", to)); err != nil {
		return err
	}
	b.crash("moved " + name)
	return errors.Join(b.memory.disk.syncFolder(b.path("sent")), b.memory.disk.syncFolder(b.path("outbox")))
}
