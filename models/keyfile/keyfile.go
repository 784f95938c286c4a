// Package keyfile knows how the product's secret keys are kept in one file and
// made when there is none. It must not know what is sealed or signed with them.
package keyfile

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"debitdesk/models/credential"
	"debitdesk/models/database/seal"
	"debitdesk/models/secretfile"
)

// Name is the file that is generated in the data folder.
const Name = "keys.json"

const secretBytes = 32

// Set is every key of the product; lists stand newest first. The newest makes,
// all of them check, so that a key is replaced without an outage.
type Set struct {
	Sealing  []seal.Key       // account and identity numbers
	Index    []byte           // search hash of those numbers
	Signing  []credential.Key // bearer credentials
	Sessions [][]byte         // hash of the session cookie
}

type keyJSON struct {
	ID     string `json:"id"`
	Secret []byte `json:"secret"`
}

type fileJSON struct {
	Sealing  []keyJSON `json:"sealing"`
	Index    []byte    `json:"index"`
	Signing  []keyJSON `json:"signing"`
	Sessions []keyJSON `json:"sessions"`
}

// Open reads the key file at path or, when path is empty, the one in the data
// folder, which it generates when it is not there.
func Open(path, dataFolder string) (*Set, error) {
	if path != "" {
		return Load(path)
	}
	path = filepath.Join(dataFolder, Name)
	set, err := Load(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return set, err
	}
	if err := Generate(path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return Load(path) // another process may have been first
}

// Load reads a key file. It refuses one that other users can read.
func Load(path string) (*Set, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	if !secretfile.Guarded(info) {
		return nil, fmt.Errorf("key file %s can be read by other users (mode %04o): %s", path, info.Mode().Perm(),
			secretfile.Rule)
	}
	content, err := os.ReadFile(path) //nolint:gosec // the operator names it
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	var file fileJSON
	if err := json.Unmarshal(content, &file); err != nil {
		return nil, fmt.Errorf("key file %s: %w", path, err)
	}
	set, err := file.set()
	if err != nil {
		return nil, fmt.Errorf("key file %s: %w", path, err)
	}
	return set, nil
}

// Generate writes a file with one new key of each use, mode 0600. A file that
// is there already stays as it is; the error is then fs.ErrExist.
func Generate(path string) error {
	content, err := json.MarshalIndent(fileJSON{
		Sealing: []keyJSON{newKey()}, Index: random(), Signing: []keyJSON{newKey()}, Sessions: []keyJSON{newKey()},
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("generate keys: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // the database's own user must enter it
		return fmt.Errorf("generate keys: %w", err)
	}
	draft, err := os.CreateTemp(filepath.Dir(path), ".keys-*") // made with mode 0600
	if err != nil {
		return fmt.Errorf("generate keys: %w", err)
	}
	defer func() { _ = os.Remove(draft.Name()) }()
	if err := writeAll(draft, content); err != nil {
		return fmt.Errorf("generate keys: %w", err)
	}
	// A link, not a rename: of two processes that start at once one wins.
	if err := os.Link(draft.Name(), path); err != nil {
		return fmt.Errorf("generate keys: %w", err)
	}
	return nil
}

// Box seals with the newest sealing key.
func (s *Set) Box() (*seal.Box, error) { return seal.NewBox(s.Sealing, s.Index) }

func writeAll(f *os.File, content []byte) error {
	_, err := f.Write(append(content, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

func (f fileJSON) set() (*Set, error) {
	if len(f.Sealing) == 0 || len(f.Signing) == 0 || len(f.Sessions) == 0 {
		return nil, errors.New("sealing, signing and sessions need at least one key each")
	}
	if len(f.Index) != secretBytes {
		return nil, fmt.Errorf("index must have %d bytes", secretBytes)
	}
	set := &Set{Index: f.Index}
	for _, k := range f.Sealing {
		if err := k.check("sealing"); err != nil {
			return nil, err
		}
		set.Sealing = append(set.Sealing, seal.Key{ID: k.ID, Secret: k.Secret})
	}
	for _, k := range f.Signing {
		if err := k.check("signing"); err != nil {
			return nil, err
		}
		set.Signing = append(set.Signing, credential.Key{ID: k.ID, Private: ed25519.NewKeyFromSeed(k.Secret)})
	}
	for _, k := range f.Sessions {
		if err := k.check("sessions"); err != nil {
			return nil, err
		}
		set.Sessions = append(set.Sessions, k.Secret)
	}
	return set, nil
}

func (k keyJSON) check(use string) error {
	if k.ID == "" || len(k.ID) > 255 || len(k.Secret) != secretBytes {
		return fmt.Errorf("%s key %q: an id and a secret of %d bytes are needed", use, k.ID, secretBytes)
	}
	return nil
}

func newKey() keyJSON { return keyJSON{ID: hex.EncodeToString(random()[:4]), Secret: random()} }

func random() []byte {
	b := make([]byte, secretBytes)
	_, _ = rand.Read(b) // never fails since Go 1.24
	return b
}
