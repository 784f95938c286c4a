package main

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"debitdesk/models/database/seal"
	"debitdesk/models/upkeep"
)

// A backup is a dump in PostgreSQL's custom format, which pg_restore reads too, and behind it what we know of it: JSON,
// its authentication with a key of the key file, and its length. What it knows are the sums of the dump's parts, so
// that no part is used before it was checked. Files of earlier releases are not authenticated.
const (
	backupMark   = "DEBITDESKBACKUP2"
	firstMark    = "DEBITDESKBACKUP1"
	backupFooter = len(backupMark) + 16 // the length in 16 hexadecimal digits
	backupProof  = 2 * sha256.Size      // in hexadecimal digits
	mostNotes    = 1 << 20              // bytes
	leastPart    = 4 << 20              // bytes of a dump that are checked at once
	mostParts    = 4096
)

// backupNotes is what a backup knows of itself.
type backupNotes struct {
	Made     time.Time       `json:"made"`
	Program  string          `json:"program"`
	Postgres int             `json:"postgres"`
	Bytes    int64           `json:"dump_bytes"`
	Sum      string          `json:"dump_sha256"`
	Part     int64           `json:"part_bytes,omitempty"`
	Parts    [][]byte        `json:"part_sha256,omitempty"`
	Key      string          `json:"key_id,omitempty"` // that authenticates them
	Holds    upkeep.CopyInfo `json:"holds"`
}

// errNoBackup is what stands behind all that is wrong with a file.
var errNoBackup = errors.New("this file is damaged, or is not a backup that debitdesk made")

// seal measures a dump and writes the notes behind it, authenticated, down to the disk.
func (n *backupNotes) seal(path string, keys []seal.Key) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0) //nolint:gosec // the file that was asked for
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if n.Bytes, err = f.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	n.Part = max(leastPart, (n.Bytes+mostParts-1)/mostParts)
	if err := n.measure(f); err != nil {
		return err
	}
	n.Key = keys[0].ID
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	proof, err := proofOf(text, keys[0])
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(f, "%s%x%s%016x", text, proof, backupMark, len(text)); err != nil {
		return err
	}
	return f.Sync()
}

// measure sums a dump up, in parts and as a whole.
func (n *backupNotes) measure(dump io.Reader) error {
	whole := sha256.New()
	n.Parts = nil
	for left := n.Bytes; left > 0; left -= n.Part {
		part := sha256.New()
		if _, err := io.CopyN(io.MultiWriter(whole, part), dump, min(n.Part, left)); err != nil {
			return err
		}
		n.Parts = append(n.Parts, part.Sum(nil))
	}
	n.Sum = hex.EncodeToString(whole.Sum(nil))
	return nil
}

// proofOf authenticates notes with what is derived from a sealing key.
func proofOf(text []byte, with seal.Key) ([]byte, error) {
	key, err := hkdf.Key(sha256.New, with.Secret, nil, "debitdesk backup", sha256.Size)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	return mac.Sum(nil), nil
}

// ending is what stands behind a dump.
type ending struct {
	text  []byte // the notes
	proof []byte // their authentication; nil in files of earlier releases
	dump  int64  // bytes before it
}

// readBackup checks a file from its first byte to its last. What it says is to be believed only once proven says so.
func readBackup(path string) (n backupNotes, end ending, err error) {
	f, err := os.Open(path) //nolint:gosec // the file that was asked for
	if err != nil {
		return n, end, err
	}
	defer func() { _ = f.Close() }()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return n, end, err
	}
	if end, err = endingOf(f, size); err != nil {
		return n, end, err
	}
	if json.Unmarshal(end.text, &n) != nil || n.Bytes != end.dump ||
		end.proof != nil && (n.Part < leastPart || n.Part > n.Bytes+leastPart) {
		return n, end, errNoBackup
	}
	if end.proof == nil {
		n.Part = max(leastPart, (n.Bytes+mostParts-1)/mostParts)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return n, end, err
	}
	said := n
	switch err := n.measure(f); {
	case err != nil:
		return n, end, err
	case n.Sum != said.Sum, end.proof != nil && !slices.EqualFunc(n.Parts, said.Parts, bytes.Equal):
		return n, end, fmt.Errorf("%w: its contents do not match its checksum", errNoBackup)
	}
	return n, end, nil
}

// endingOf reads what stands behind a dump, whatever the file holds.
func endingOf(f io.ReaderAt, size int64) (end ending, err error) {
	footer := make([]byte, backupFooter)
	if size < int64(backupFooter) {
		return end, errNoBackup
	}
	if _, err := f.ReadAt(footer, size-int64(backupFooter)); err != nil {
		return end, err
	}
	length, err := strconv.ParseInt(string(footer[len(backupMark):]), 16, 64)
	mark, behind := string(footer[:len(backupMark)]), int64(backupFooter)
	if mark == backupMark {
		behind += int64(backupProof)
	}
	if err != nil || mark != backupMark && mark != firstMark || length < 0 ||
		length > mostNotes || length > size-behind {
		return end, errNoBackup
	}
	end.dump = size - behind - length
	text := make([]byte, size-int64(backupFooter)-end.dump)
	if _, err = f.ReadAt(text, end.dump); err != nil {
		return end, err
	}
	end.text = text[:length]
	if mark == backupMark {
		if end.proof, err = hex.DecodeString(string(text[length:])); err != nil {
			return end, errNoBackup
		}
	}
	return end, nil
}

// proven tells whether the key set made the notes.
func (e ending) proven(by string, keys []seal.Key, path string) error {
	for _, k := range keys {
		if k.ID != by {
			continue
		}
		proof, err := proofOf(e.text, k)
		if err == nil && !hmac.Equal(proof, e.proof) {
			err = errors.New("this backup was changed after it was made, or was made with other keys: it is not restored")
		}
		return err
	}
	return fmt.Errorf("the key file %s lacks the sealing key %s, with which this backup was made: without it no one can "+
		"tell whether the file was changed. Put the key file of that time in its place", path, by)
}

// checked gives a dump part by part, each once its sum was found to be right: the file may change after it was looked
// at, and nothing of it is used unseen.
type checked struct {
	from  io.Reader
	notes backupNotes
	at    int // the next part
	part  []byte
}

// Read implements io.Reader.
func (c *checked) Read(p []byte) (int, error) {
	if len(c.part) == 0 {
		if c.at == len(c.notes.Parts) {
			return 0, io.EOF
		}
		part := make([]byte, min(c.notes.Part, c.notes.Bytes-int64(c.at)*c.notes.Part))
		if _, err := io.ReadFull(c.from, part); err != nil {
			return 0, err
		}
		if sum := sha256.Sum256(part); !bytes.Equal(sum[:], c.notes.Parts[c.at]) {
			return 0, errors.New("the file changed while it was read")
		}
		c.part, c.at = part, c.at+1
	}
	n := copy(p, c.part)
	c.part = c.part[n:]
	return n, nil
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
