package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"debitdesk/models/store"
)

// A backup is a dump in PostgreSQL's custom format, which pg_restore reads too, and
// behind it what we know of it: JSON, and its length.
const (
	backupMark   = "DEBITDESKBACKUP1"
	backupFooter = len(backupMark) + 16 // the length in 16 hexadecimal digits
	mostNotes    = 1 << 20              // bytes
)

// backupNotes is what a backup knows of itself.
type backupNotes struct {
	Made     time.Time      `json:"made"`
	Program  string         `json:"program"`
	Postgres int            `json:"postgres"`
	Bytes    int64          `json:"dump_bytes"`
	Sum      string         `json:"dump_sha256"`
	Holds    store.CopyInfo `json:"holds"`
}

// errNoBackup is what stands behind all that is wrong with a file.
var errNoBackup = errors.New("this file is damaged, or is not a backup that debitdesk made")

// seal measures a dump and writes the notes behind it, down to the disk.
func (n *backupNotes) seal(path string) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0) //nolint:gosec // the file that was asked for
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if n.Bytes, n.Sum, err = measured(f); err != nil {
		return err
	}
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(f, "%s%s%016x", text, backupMark, len(text)); err != nil {
		return err
	}
	return f.Sync()
}

// readBackup checks a file from its first byte to its last.
func readBackup(path string) (n backupNotes, err error) {
	f, err := os.Open(path) //nolint:gosec // the file that was asked for
	if err != nil {
		return n, err
	}
	defer func() { _ = f.Close() }()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return n, err
	}
	text, err := notesOf(f, size)
	if err != nil {
		return n, err
	}
	if json.Unmarshal(text, &n) != nil || n.Bytes != size-int64(len(text))-int64(backupFooter) {
		return n, errNoBackup
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return n, err
	}
	switch _, sum, err := measured(io.LimitReader(f, n.Bytes)); {
	case err != nil:
		return n, err
	case sum != n.Sum:
		return n, fmt.Errorf("%w: its contents do not match its checksum", errNoBackup)
	}
	return n, nil
}

func notesOf(f io.ReaderAt, size int64) ([]byte, error) {
	footer := make([]byte, backupFooter)
	if size < int64(backupFooter) {
		return nil, errNoBackup
	}
	if _, err := f.ReadAt(footer, size-int64(backupFooter)); err != nil {
		return nil, err
	}
	length, err := strconv.ParseInt(string(footer[len(backupMark):]), 16, 64)
	if err != nil || string(footer[:len(backupMark)]) != backupMark || length > mostNotes ||
		length > size-int64(backupFooter) {
		return nil, errNoBackup
	}
	text := make([]byte, length)
	_, err = f.ReadAt(text, size-int64(backupFooter)-length)
	return text, err
}

func measured(r io.Reader) (bytes int64, sum string, err error) {
	h := sha256.New()
	bytes, err = io.Copy(h, r)
	return bytes, hex.EncodeToString(h.Sum(nil)), err
}

// sumOf is what sha256sum prints of a file.
func sumOf(path string) (bytes int64, sum string, err error) {
	f, err := os.Open(path) //nolint:gosec // the file that was asked for
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = f.Close() }()
	return measured(f)
}
