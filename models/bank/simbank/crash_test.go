package simbank

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"debitdesk/models/calendar"
)

// killed is a panic in place of kill -9.
type killed struct{}

// lives plays a week; at its n-th step the bank is killed and starts again. It tells how many steps there were,
// and what lies in the folders at the end.
func lives(t *testing.T, killAt int, with Settings) (steps int, folders map[string]string) {
	t.Helper()
	b := newBench(t, with)
	crash := func(string) {
		if steps++; steps == killAt {
			panic(killed{})
		}
	}
	b.bank.crash = crash
	round := func() {
		defer func() {
			switch recover().(type) {
			case nil:
				return
			case killed:
			default:
				t.Fatal("another panic")
			}
			b.must(b.bank.Close())
			b.open()
			b.bank.crash = crash
			b.round()
		}()
		b.round()
	}
	b.put("a.xml", pain008("08", "A", eft(ask{"1", "4000000000", 100}, ask{"2", "4000009002", 250}, ask{"3", "12", 1})))
	b.put("b.xml", pain009("B", "DELAYED", "4000000000"))
	round()
	b.put("c.xml", camt055("C", "1"))
	round()
	b.now = calendar.On(2026, 12, 1).At(12, 0)
	round()
	round()
	folders = map[string]string{}
	for _, dir := range []string{"outbox", "sent", "inbox"} {
		for _, name := range b.folder(dir) {
			text, err := os.ReadFile(filepath.Join(b.with.Dir, dir, name))
			b.must(err)
			folders[dir+"/"+name] = string(text)
		}
	}
	text, err := os.ReadFile(filepath.Join(b.with.State, entriesName))
	b.must(err)
	folders["ledger"] = string(text)
	return steps, folders
}

func TestABankThatIsKilledAtAnyStepGoesOn(t *testing.T) {
	t.Parallel()
	for _, with := range []Settings{{}, {Misbehave: []Misbehaviour{Growing, Twice, Halves, Zipped}}} {
		steps, want := lives(t, 0, with)
		if steps < 20 {
			t.Fatalf("only %d steps", steps)
		}
		for at := 1; at <= steps; at++ {
			if _, got := lives(t, at, with); !maps.Equal(got, want) {
				t.Errorf("killed at step %d of %d: %v", at, steps, differences(got, want))
			}
		}
	}
}

func differences(got, want map[string]string) (out []string) {
	for name := range want {
		if got[name] != want[name] {
			out = append(out, fmt.Sprintf("%s: got %q, want %q", name, got[name], want[name]))
		}
	}
	for name := range got {
		if want[name] == "" {
			out = append(out, name+" is new")
		}
	}
	return out
}

func TestALineOfTheMemoryThatWasCutOffIsForgotten(t *testing.T) {
	t.Parallel()
	b := newBench(t, Settings{})
	content := pain008("08", "A", eft(ask{"1", "4000000000", 100}))
	b.put("a.xml", content)
	b.round()
	b.must(b.bank.Close())
	path := filepath.Join(b.with.State, memoryName)
	memory, err := os.ReadFile(path)
	b.must(err)
	first := strings.IndexByte(string(memory), '\n') + 1
	b.must(os.WriteFile(path, memory[:first-20], 0o600))
	b.must(os.RemoveAll(filepath.Join(b.with.Dir, "inbox")))
	b.open()
	b.put("a.xml", content)
	b.same("taken anew", b.round(), Report{Taken: 1, Written: 1})
	b.must(b.bank.Close())
	b.must(os.WriteFile(path, append([]byte("{\n"), memory...), 0o600))
	if _, err := Open(b.with); err == nil || !strings.Contains(err.Error(), "damaged at byte 0") {
		t.Errorf("a damaged memory: %v", err)
	}
	b.must(os.WriteFile(path, memory, 0o600))
	b.open()
	if _, err := Open(b.with); err == nil || !strings.Contains(err.Error(), "another simulated bank") {
		t.Errorf("two banks on one memory: %v", err)
	}
}
