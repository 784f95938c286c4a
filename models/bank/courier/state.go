package courier

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// stateName is what the courier remembers: what it has taken from the server, and what it was about to rename.
const stateName = "state.json"

// forgetAfter is how long an answer is remembered that the server no longer lists.
const forgetAfter = 60 * 24 * time.Hour

type state struct {
	LastSuccess time.Time         `json:"last_success,omitzero"`
	Renaming    map[string]sent   `json:"renaming,omitempty"` // whole on the server, under their temporary names at least
	Taken       map[string]*taken `json:"taken,omitempty"`    // by the server's names
	// Sent are files that were delivered and do not stand in sent any more.
	Sent map[string]forgotten `json:"sent,omitempty"`
}

// sent is a file of ours on its way.
type sent struct {
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// forgotten is a file that stood in sent and was deleted after its time.
type forgotten struct {
	sent

	At time.Time `json:"at"`
}

// taken is an answer that was brought here. The same name with another size or time is looked at again, and with
// other bytes it is a new file.
type taken struct {
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	SHA256   string    `json:"sha256"`
	Seen     time.Time `json:"seen"` // when the server last listed it
}

// openState reads what is remembered, and keeps the folder for this process.
func openState(dir string) (s *state, unlock func() error, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // a name of ours
	if err != nil {
		return nil, nil, err
	}
	unlock = func() error {
		return errors.Join(syscall.Flock(int(lock.Fd()), syscall.LOCK_UN), lock.Close()) //nolint:gosec // a descriptor
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil { //nolint:gosec // a descriptor
		return nil, nil, errors.Join(fmt.Errorf("another courier uses %s", dir), lock.Close())
	}
	s = &state{Renaming: map[string]sent{}, Taken: map[string]*taken{}, Sent: map[string]forgotten{}}
	text, err := os.ReadFile(filepath.Join(dir, stateName)) //nolint:gosec // a name of ours
	if errors.Is(err, os.ErrNotExist) {
		return s, unlock, nil
	}
	if err == nil {
		err = json.Unmarshal(text, s)
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("what the courier remembers in %s cannot be read: %w", dir, err), unlock())
	}
	if s.Renaming == nil {
		s.Renaming = map[string]sent{}
	}
	if s.Taken == nil {
		s.Taken = map[string]*taken{}
	}
	if s.Sent == nil {
		s.Sent = map[string]forgotten{}
	}
	return s, unlock, nil
}

func (s *state) save(dir string) error {
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	return lay(dir, stateName, text)
}

// lay writes a file so that it has its name only when it is whole and on the disk.
func lay(dir, name string, content []byte) error {
	part := filepath.Join(dir, "."+name+".part")
	f, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600) //nolint:gosec // a name of ours
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return rename(part, filepath.Join(dir, name))
}

func rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}

func syncFolder(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // a folder of the exchange
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
