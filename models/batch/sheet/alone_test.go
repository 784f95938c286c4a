package sheet_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"debitdesk/models/batch/sheet"
	"debitdesk/models/fault"
)

// alone names the file that this process is only there to read.
const alone = "SHEET_READ_ALONE"

func TestMain(m *testing.M) {
	if name := os.Getenv(alone); name != "" {
		if err := readFile(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// readFile reads a file, and prints how it was refused and the largest size that the heap had.
func readFile(name string) error {
	content, err := os.Open(name) //nolint:gosec // the test wrote it
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	f, err := sheet.Open(content, sheet.Told{})
	if err == nil {
		err = errors.Join(f.Each(func(sheet.Row) error { return nil }), f.Close())
	}
	code := "read"
	if err != nil {
		refused, is := fault.From(err)
		if !is {
			return err
		}
		code = refused.Code
	}
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	_, err = fmt.Println(code, now.HeapSys)
	return err
}

// readAlone reads a file in a process of its own, whose heap holds nothing else. It gives the code of the refusal, and
// the largest size that the heap had, which what is thrown away does not add up to: the race detector keeps what it
// needs elsewhere, and has pools throw away what they would hand out again.
func readAlone(t *testing.T, content []byte) (code string, heap uint64) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(name, content, 0o600))
	child := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // this test
	child.Env = append(os.Environ(), alone+"="+name, "GOGC=100")
	child.Stderr = os.Stderr
	said, err := child.Output()
	must(t, err)
	if _, err := fmt.Sscan(string(said), &code, &heap); err != nil {
		t.Fatalf("it said %q: %v", said, err)
	}
	return code, heap
}
