package keyfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// NewID is an id for a key that is to be added.
func NewID() string { return newKey().ID }

// AddSealing puts a new sealing key of that id before the others. What was sealed before
// still opens.
func AddSealing(path, id string) error {
	return change(path, func(f *fileJSON) error {
		k := newKey()
		k.ID = id
		f.Sealing = slices.Insert(f.Sealing, 0, k)
		return nil
	})
}

// DropSealing takes sealing keys away for good: what they sealed does not open any
// more. The newest cannot be dropped.
func DropSealing(path string, ids ...string) error {
	return change(path, func(f *fileJSON) error {
		if len(f.Sealing) > 0 && slices.Contains(ids, f.Sealing[0].ID) {
			return errors.New("the key that seals cannot be dropped")
		}
		f.Sealing = slices.DeleteFunc(f.Sealing, func(k keyJSON) bool { return slices.Contains(ids, k.ID) })
		return nil
	})
}

// Path is where the keys are: at the path that was named, else in the data folder.
func Path(path, dataFolder string) string {
	if path != "" {
		return path
	}
	return filepath.Join(dataFolder, Name)
}

// change rewrites the file as a whole, one process at a time: a reader finds the
// old content or the new one.
func change(path string, edit func(*fileJSON) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("key file %s: %w", path, err)
		}
	}()
	free, err := alone(path + ".lock")
	if err != nil {
		return err
	}
	defer free()
	if _, err := Load(path); err != nil {
		return err
	}
	content, err := os.ReadFile(path) //nolint:gosec // the operator names it
	if err != nil {
		return err
	}
	var file fileJSON
	if err := json.Unmarshal(content, &file); err != nil {
		return err
	}
	if err := edit(&file); err != nil {
		return err
	}
	if content, err = json.MarshalIndent(file, "", "  "); err != nil {
		return err
	}
	draft, err := os.CreateTemp(filepath.Dir(path), ".keys-*") // made with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(draft.Name()) }()
	if err := writeAll(draft, content); err != nil {
		return err
	}
	return os.Rename(draft.Name(), path)
}

// alone waits until no other process changes the file.
func alone(lock string) (free func(), err error) {
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // beside the key file
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil { //nolint:gosec // a descriptor
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil
}
