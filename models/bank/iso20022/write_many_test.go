package iso20022_test

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/iso20022"
)

// many is one message of so many debits.
func many(n int) exchange.Outgoing {
	list := make([]any, n)
	for i := range list {
		in := debit(1, int64(10000+i))
		in.ID = uuid.NewSHA1(uuid.NameSpaceOID, []byte{byte(i), byte(i >> 8), byte(i >> 16)})
		list[i] = in
	}
	return message(exchange.Debits, "pain.008.001.09", "DD20261122-000042", items(list...))
}

// The tests of memory hold the heap against what it usually is, also where all tests are run with more garbage.
func init() { debug.SetGCPercent(100) }

// probe counts bytes and sees how much memory is in use while they are written.
type probe struct {
	size, next int64
	peak       uint64
}

func (p *probe) Write(b []byte) (int, error) {
	if p.size += int64(len(b)); p.size >= p.next {
		p.next = p.size + 4<<20
		var now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&now)
		p.peak = max(p.peak, now.HeapAlloc)
	}
	return len(b), nil
}

// A message streams: writing and reading back hold far less than what is written.
func TestManyDebitsAreWrittenWithoutBeingHeldInMemory(t *testing.T) {
	const n = 50000
	m, e := many(n), iso20022.NewEncoder(dialect())
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	p := &probe{}
	if err := e.Encode(p, m); err != nil {
		t.Fatal(err)
	}
	grown := int64(p.peak) - int64(before.HeapAlloc)
	t.Logf("%d bytes written; the heap grew by %d", p.size, grown)
	if grown > 4<<20 {
		t.Errorf("writing %d bytes took %d bytes of memory", p.size, grown)
	}
	var wrote, counted runtime.MemStats
	runtime.ReadMemStats(&wrote)
	if err := e.Encode(io.Discard, m); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&counted)
	if each := (counted.Mallocs - wrote.Mallocs) / n; each > 40 {
		t.Errorf("%d allocations for each debit", each)
	} else {
		t.Logf("%d allocations for each debit", each)
	}

	path := filepath.Join(t.TempDir(), "many.xml")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if err := e.Encode(f, m); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	seen := &probe{}
	if err := e.Tally(io.TeeReader(f, seen), m); err != nil {
		t.Fatal(err)
	}
	if grown := int64(seen.peak) - int64(before.HeapAlloc); grown > 24<<20 {
		t.Errorf("reading back %d bytes took %d bytes of memory", seen.size, grown)
	} else {
		t.Logf("reading back: the heap grew by %d", grown)
	}
}

func BenchmarkEncode50000(b *testing.B) {
	m, e := many(50000), iso20022.NewEncoder(dialect())
	for b.Loop() {
		if err := e.Encode(io.Discard, m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTally50000(b *testing.B) {
	m, e := many(50000), iso20022.NewEncoder(dialect())
	path := filepath.Join(b.TempDir(), "many.xml")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if err := e.Encode(f, m); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			b.Fatal(err)
		}
		if err := e.Tally(f, m); err != nil {
			b.Fatal(err)
		}
	}
}
