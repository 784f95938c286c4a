package simbank

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// memoryName is the bank's memory: a line for each message taken, each answer begun and each answer laid out.
// Lines are only added. A line that a crash cut off was never acted on, and goes.
const memoryName = "memory.jsonl"

// record is one line of the memory.
type record struct {
	File   *file   `json:"file,omitempty"`
	Answer *answer `json:"answer,omitempty"`
	Laid   int     `json:"laid,omitempty"` // the number of an answer that lies in the inbox
}

// answer is one message of the bank. What it says follows from its key and the messages taken before.
type answer struct {
	Number int            `json:"number"`
	Key    key            `json:"key"`
	At     time.Time      `json:"at"`
	Form   string         `json:"form"` // such as pain.002.001.11
	Name   string         `json:"name"` // of the file
	Part   int            `json:"part,omitempty"`
	Again  int            `json:"again,omitempty"` // the number of the answer that this one copies byte by byte
	As     []Misbehaviour `json:"as,omitempty"`
	laid   bool
}

// key names what an answer is about; no two answers have the same, but for misbehaviour.
type key struct {
	About   string `json:"about"` // ack, status, cancelled, returns, statement, mandate, recall
	File    int    `json:"file,omitempty"`
	Account string `json:"account,omitempty"`
	At      string `json:"at,omitempty"` // a moment or a day
}

type memory struct {
	f    *os.File
	lock *os.File
	disk disk
}

// disk waits until what was written will outlive a loss of power, unless it is told not to.
type disk struct{ hasty bool }

func (d disk) sync(f *os.File) error {
	if d.hasty {
		return nil
	}
	return f.Sync()
}

func (d disk) syncFolder(dir string) error {
	f, err := os.Open(dir) //nolint:gosec // a folder of the exchange
	if err != nil {
		return err
	}
	return errors.Join(d.sync(f), f.Close())
}

// openMemory reads every whole line into see, and keeps the folder for this process.
func openMemory(dir string, d disk, see func(record) error) (*memory, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	m := &memory{disk: d}
	if err := m.open(dir, see); err != nil {
		return nil, errors.Join(err, m.close())
	}
	return m, nil
}

func (m *memory) open(dir string, see func(record) error) (err error) {
	if m.lock, err = openOwn(dir, "lock"); err != nil {
		return err
	}
	if err = syscall.Flock(int(m.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil { //nolint:gosec // a descriptor
		return fmt.Errorf("another simulated bank uses %s: %w", dir, err)
	}
	if m.f, err = openOwn(dir, memoryName); err != nil {
		return err
	}
	whole, err := eachLine(m.f, see)
	if err != nil {
		return err
	}
	if err = m.f.Truncate(whole); err != nil {
		return err
	}
	_, err = m.f.Seek(whole, io.SeekStart)
	return err
}

func openOwn(dir, name string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // a name of ours
}

// eachLine gives how many bytes the whole lines have.
func eachLine(in io.Reader, see func(record) error) (whole int64, err error) {
	lines := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return whole, nil
		}
		if err != nil {
			return whole, err
		}
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			return whole, fmt.Errorf("the memory of the simulated bank is damaged at byte %d: %w", whole, err)
		}
		if err := see(r); err != nil {
			return whole, err
		}
		whole += int64(len(line))
	}
}

// add writes lines and returns when they are on the disk.
func (m *memory) add(records ...record) error {
	if len(records) == 0 {
		return nil
	}
	var text bytes.Buffer
	for _, r := range records {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		text.Write(append(line, '\n'))
	}
	if _, err := m.f.Write(text.Bytes()); err != nil {
		return err
	}
	return m.disk.sync(m.f)
}

func (m *memory) close() error {
	var err error
	if m.f != nil {
		err = m.f.Close()
	}
	if m.lock != nil {
		// Said aloud, since a process that is just being started may hold a copy of the descriptor for a moment.
		unlock := syscall.Flock(int(m.lock.Fd()), syscall.LOCK_UN) //nolint:gosec // a descriptor
		err = errors.Join(err, unlock, m.lock.Close())
	}
	return err
}

// lay writes a file so that it has its final name only when it is whole and on the disk.
func (d disk) lay(dir, name string, content []byte) error {
	part := filepath.Join(dir, "."+name+".part")
	f, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600) //nolint:gosec // a name of ours
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, d.sync(f), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(part, filepath.Join(dir, name)); err != nil {
		return err
	}
	return d.syncFolder(dir)
}
