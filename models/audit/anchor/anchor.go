// Package anchor keeps heads of the audit's chains in a file beside the database,
// which only grows: who changes the database alone cannot change it too. It must not
// know what an entry is or when a chain holds.
package anchor

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/audit"
)

// Name is the file in the data folder.
const Name = "audit-heads.log"

// mostBytes is how large the file grows until it is set aside and a new one begins
// with the newest head of each merchant, which stands for all before it.
const mostBytes = 8 << 20

// File is the file of noted heads. Several processes may share it: each adds whole
// lines and reads what the others added. Several machines have one each, and each is
// a witness of what its own processes linked. A missing or older file witnesses less
// and refuses nothing.
type File struct {
	path   string
	signer audit.Signer
	now    func() time.Time
	most   int64

	mu      sync.Mutex
	heads   map[uuid.UUID]audit.Head
	read    int64       // bytes of the file that were read
	seen    os.FileInfo // the file that they were read from; nil: none yet
	damaged int
}

// At is the file in that folder. It is made with the first head.
func At(folder string, signer audit.Signer) *File {
	//nolint:forbidigo // a file beside the database is written in real time
	return &File{path: filepath.Join(folder, Name), signer: signer, now: time.Now, most: mostBytes,
		heads: map[uuid.UUID]audit.Head{}}
}

// line is one noted head.
type line struct {
	At        time.Time `json:"at"`
	Merchant  uuid.UUID `json:"merchant"`
	N         int64     `json:"n"`
	Hash      string    `json:"hash"`
	Key       string    `json:"key"`
	Signature []byte    `json:"signature"`
	Accepted  bool      `json:"accepted,omitempty"` // takes the place of newer ones
}

// Last is the newest head that was noted of a merchant; false for none.
func (f *File) Last(merchantID uuid.UUID) (audit.Head, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	h, known := f.heads[merchantID]
	return h, known
}

// Count tells of how many merchants a head is noted, and how many lines are damaged
// or not signed with a key that is known.
func (f *File) Count() (merchants, damaged int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.heads), f.damaged
}

// Refresh reads what other processes noted.
func (f *File) Refresh() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	file, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // what was read stays known
	}
	if err != nil {
		return fmt.Errorf("read the noted heads of the audit: %w", err)
	}
	defer func() { _ = file.Close() }()
	if err := f.take(file); err != nil {
		return fmt.Errorf("read the noted heads of the audit: %w", err)
	}
	return nil
}

// take reads the whole lines that were added. A file that is another one, or shorter
// than it was, is read from its beginning.
func (f *File) take(file *os.File) error {
	is, err := file.Stat()
	if err != nil {
		return err
	}
	if f.seen == nil || !os.SameFile(f.seen, is) || is.Size() < f.read {
		f.read, f.damaged = 0, 0
	}
	f.seen = is
	if is.Size() == f.read {
		return nil
	}
	if _, err := file.Seek(f.read, io.SeekStart); err != nil {
		return err
	}
	from := bufio.NewReader(file)
	for {
		text, err := from.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil // the rest of a line comes later
		}
		if err != nil {
			return err
		}
		f.read += int64(len(text))
		if text = bytes.TrimSpace(text); len(text) > 0 && !f.learn(text) {
			f.damaged++
		}
	}
}

// learn takes a line in; false for one that is damaged or not signed by us.
func (f *File) learn(text []byte) bool {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return false
	}
	hash, err := hex.DecodeString(l.Hash)
	h := audit.Head{MerchantID: l.Merchant, N: l.N, Hash: hash, KeyID: l.Key, Signature: l.Signature}
	if err != nil || !f.signer.Check(h.KeyID, h.Signed(), h.Signature) {
		return false
	}
	if l.Accepted || h.N > f.heads[h.MerchantID].N {
		f.heads[h.MerchantID] = h
	}
	return true
}

// Note adds heads, their lines in one piece. accepted ones take the place of newer ones.
func (f *File) Note(accepted bool, heads ...audit.Head) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.add(accepted, heads); err != nil {
		return fmt.Errorf("note heads of the audit: %w", err)
	}
	return nil
}

func (f *File) add(accepted bool, heads []audit.Head) (err error) {
	file, err := os.OpenFile(f.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := f.take(file); err != nil {
		return err
	}
	text, err := f.lines(accepted, heads)
	if err != nil {
		return err
	}
	if f.seen.Size() > f.read { // a process ended in the middle of a line
		text = append([]byte{'\n'}, text...)
	}
	if _, err := file.Write(text); err != nil {
		return err
	}
	if err := f.take(file); err != nil {
		return err
	}
	if f.read > f.most {
		return f.begin(file)
	}
	return nil
}

func (f *File) lines(accepted bool, heads []audit.Head) ([]byte, error) {
	var out bytes.Buffer
	to := json.NewEncoder(&out) // ends each with a line break
	for _, h := range heads {
		if err := to.Encode(line{f.now().UTC(), h.MerchantID, h.N, hex.EncodeToString(h.Hash), h.KeyID, h.Signature,
			accepted}); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// begin sets the file aside and begins a new one with what is known. One process does
// it; another adds its lines to either, and loses nothing that the newest head does
// not stand for.
func (f *File) begin(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil
	}
	if err != nil {
		return err
	}
	if now, err := os.Stat(f.path); err != nil || !os.SameFile(now, f.seen) {
		return err // another process was quicker
	}
	heads := make([]audit.Head, 0, len(f.heads))
	for _, h := range f.heads {
		heads = append(heads, h)
	}
	text, err := f.lines(false, heads)
	if err != nil {
		return err
	}
	next := f.path + ".next"
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return err
	}
	return errors.Join(os.Rename(f.path, f.path+".before"), os.Rename(next, f.path))
}

// Archive gives the file another name, because an older database comes back: its
// chains end before what is noted. It tells the name; empty when there was no file.
func (f *File) Archive() (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	to := f.path + "." + f.now().UTC().Format("20060102T150405")
	err := os.Rename(f.path, to)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("set the noted heads of the audit aside: %w", err)
	}
	f.heads, f.read, f.seen, f.damaged = map[uuid.UUID]audit.Head{}, 0, nil, 0
	return to, nil
}
