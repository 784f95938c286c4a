package courier

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// bench is a courier between a folder of the test and sshd.
type bench struct {
	*server
	with    Settings
	courier *Courier
	said    []string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	s := newServer(t)
	b := &bench{server: s, with: s.settings()}
	b.with.Log = func(line string) { b.said = append(b.said, line) }
	b.open()
	t.Cleanup(func() { _ = b.courier.Close() })
	return b
}

func (b *bench) open() {
	b.Helper()
	var err error
	b.courier, err = Open(b.with)
	must(b.T, err)
}

// restart is what a courier that was killed goes through.
func (b *bench) restart() {
	b.Helper()
	must(b.T, b.courier.Close())
	b.open()
}

func (b *bench) put(name, content string) {
	b.Helper()
	path, now := filepath.Join(b.with.Dir, "outbox", name), time.Now() // not by the clock of the disk, which nothing moves
	must(b.T, errors.Join(os.WriteFile(path, []byte(content), 0o600), os.Chtimes(path, now, now)))
}

func (b *bench) round() Report {
	b.Helper()
	r, err := b.courier.Round(b.Context())
	must(b.T, err)
	return r
}

// fails makes a round that must fail.
func (b *bench) fails() error {
	b.Helper()
	_, err := b.courier.Round(b.Context())
	if err == nil {
		b.Fatal("the round did not fail")
	}
	return err
}

func (b *bench) here(folder string) string {
	b.Helper()
	entries, err := os.ReadDir(filepath.Join(b.with.Dir, folder))
	must(b.T, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func (b *bench) same(what string, got, want any) {
	b.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		b.Errorf("%s: got %v, want %v\n%s", what, got, want, strings.Join(b.said, "\n"))
	}
}

func TestFilesAreDeliveredAndAnswersFetched(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("a.xml", "first")
	b.put("b.xml", strings.Repeat("second ", 100_000))
	b.put(".c.xml.part", "not whole")
	b.put("d.xml.filepart", "not whole")
	must(t, os.Symlink("/etc/passwd", filepath.Join(b.with.Dir, "outbox", "e.xml")))
	b.server.write("in/answer.xml", "yes")
	b.server.write("in/.hidden.xml", "not whole")
	b.server.write("in/later.xml.tmp", "not whole")
	must(t, os.Mkdir(filepath.Join(b.dir, "in", "folder.xml"), 0o700))
	must(t, os.Symlink("/etc/passwd", filepath.Join(b.dir, "in", "link.xml")))
	b.same("round", b.round(), Report{Delivered: 2, Fetched: 1})
	b.same("the server has", b.list("out"), "[a.xml b.xml]")
	b.same("whole", len(b.read("out/b.xml")), 700_000)
	b.same("sent", b.here("sent"), "a.xml b.xml")
	b.same("outbox", b.here("outbox"), ".c.xml.part d.xml.filepart e.xml")
	b.same("inbox", b.here("inbox"), "answer.xml")
	b.same("a second round", b.round(), Report{})
	b.restart()
	b.same("after a new start", b.round(), Report{})
	b.same("answers stay on the server", slices.Contains(b.list("in"), "answer.xml"), true)
}

func TestAnAnswerOfTheSameNameWithOtherBytesIsANewFile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.server.write("in/answer.xml", "first")
	b.same("first", b.round(), Report{Fetched: 1})
	touched := time.Date(2026, 11, 23, 6, 0, 0, 0, time.UTC)
	must(t, os.Chtimes(filepath.Join(b.dir, "in/answer.xml"), touched, touched))
	b.same("only touched", b.round(), Report{})
	b.server.write("in/answer.xml", "other")
	b.same("other bytes", b.round(), Report{Fetched: 1})
	b.same("inbox", b.here("inbox"), "answer-2.xml answer.xml")
	b.with.Remove = true
	b.restart()
	b.server.write("in/third file.xml", "third")
	b.same("removed", b.round(), Report{Fetched: 1})
	b.same("the server has", b.list("in"), "[]")
	b.same("inbox", b.here("inbox"), "answer-2.xml answer.xml third_file.xml")
}

func TestTheConnectionBreaksInTheMiddleOfAnUpload(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	content := strings.Repeat("0123456789", 100_000)
	b.put("a.xml", content)
	for _, bytes := range []int64{100, 5_000, 50_000, 500_000} {
		b.cutAfter(bytes)
		_ = b.fails()
		b.same("nothing has its name", slices.Contains(b.list("out"), "a.xml"), false)
		b.same("still here", b.here("outbox"), "a.xml")
	}
	b.cutAfter(0)
	b.same("then", b.round(), Report{Delivered: 1})
	b.same("whole", b.read("out/a.xml") == content, true)
	b.same("nothing else", b.list("out"), "[a.xml]")
}

func TestTheConnectionBreaksBeforeTheRename(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("a.xml", "content")
	b.courier.step = func(s string) {
		if s == "rename a.xml" {
			b.cutAll()
		}
	}
	_ = b.fails()
	b.same("only the temporary name", b.list("out"), "[.a.xml.part]")
	b.restart()
	b.same("then", b.round(), Report{Delivered: 1})
	b.same("delivered once", b.list("out"), "[a.xml]")
	b.same("sent", b.here("sent"), "a.xml")
}

func TestTheAnswerToTheRenameIsLost(t *testing.T) {
	t.Parallel()
	for _, bankTakesIt := range []bool{false, true} {
		b := newBench(t)
		b.put("a.xml", "content")
		b.courier.step = func(s string) {
			if s == "rename a.xml" {
				b.mute()
			}
		}
		_ = b.fails()
		b.same("renamed", b.list("out"), "[a.xml]")
		b.same("still here", b.here("outbox"), "a.xml")
		if bankTakesIt {
			must(t, os.Remove(filepath.Join(b.dir, "out", "a.xml")))
		}
		b.restart()
		b.same("counts as delivered", b.round(), Report{Delivered: 1})
		b.same("sent", b.here("sent")+b.here("outbox"), "a.xml")
		b.same("not sent again", len(b.list("out")), map[bool]int{true: 0, false: 1}[bankTakesIt])
	}
}

// A folder that may be written and not read: after a lost answer the size must do.
func TestAServerThatLetsNobodyReadIsComparedBySize(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("a.xml", "content")
	b.courier.step = func(s string) {
		if s == "rename a.xml" {
			b.mute()
		}
	}
	_ = b.fails()
	must(t, os.Chmod(filepath.Join(b.dir, "out", "a.xml"), 0o200))
	b.server.write("out/b.xml", "written by another")
	must(t, os.Chmod(filepath.Join(b.dir, "out", "b.xml"), 0o200))
	b.put("b.xml", "as long as theirs!")
	b.restart()
	r := b.round()
	b.same("by its size", r.Delivered, 1)
	b.same("never seen by us", r.Problems, "[b.xml: "+another+"]")
}

func TestAnotherFileOfTheSameNameIsNotOverwritten(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.server.write("out/a.xml", "somebody else's")
	b.server.write("out/b.xml", "the same")
	b.put("a.xml", "ours")
	b.put("b.xml", "the same")
	b.put("c.xml", "another")
	r := b.round()
	b.same("delivered", r.Delivered, 2)
	b.same("problems", r.Problems, "[a.xml: the server has another file of this name; nothing was written over it]")
	b.same("untouched", b.read("out/a.xml"), "somebody else's")
	b.same("outbox", b.here("outbox"), "a.xml")
	b.same("counted", b.courier.Problems(), 1)
	_ = b.round()
	b.same("said once", strings.Count(strings.Join(b.said, "\n"), "a person must look"), 1)

	// Somebody is quicker between our look and our rename.
	b.put("d.xml", "ours")
	b.courier.step = func(s string) {
		if s == "rename d.xml" {
			b.server.write("out/d.xml", "theirs")
		}
	}
	b.same("a race", len(b.round().Problems), 2)
	b.same("untouched", b.read("out/d.xml"), "theirs")
}

// Servers differ in what they offer.
func TestServersThatOfferLessAreServedToo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for i, without := range []string{"rename", "posix-rename", "fsync", "posix-rename,fsync,statvfs"} {
		name := fmt.Sprintf("%d.xml", i)
		b.configure("-P " + without)
		b.put(name, "content "+without)
		b.same("without "+without, b.round(), Report{Delivered: 1})
		b.same("whole", b.read("out/"+name), "content "+without)
	}
	b.configure("-P rename,posix-rename")
	b.put("never.xml", "content")
	if err := b.fails(); !strings.Contains(err.Error(), "never.xml: the server did not rename the file") {
		t.Error(err)
	}
	b.configure("-R")
	if err := b.fails(); !strings.Contains(err.Error(), "the server does not take files in") {
		t.Error(err)
	}
	b.same("still here", b.here("outbox"), "never.xml")
}

func TestAFileThatStandsInSentIsNotSentAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("a.xml", "content")
	b.round()
	must(t, os.Remove(filepath.Join(b.dir, "out", "a.xml"))) // the bank took it
	b.put("a.xml", "content")
	b.round()
	b.same("not sent again", b.list("out"), "[]")
	b.same("kept", b.here("sent"), "a.xml a.xml.2")
	b.put("a.xml", "a new content")
	b.round()
	b.same("another file is sent", b.list("out"), "[a.xml]")
}

func TestFilesThatAreTooLargeStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.with.MaxBytes = 10
	b.restart()
	b.put("a.xml", "more than ten bytes")
	b.server.write("in/b.xml", "more than ten bytes")
	b.same("problems", b.round().Problems, "[a.xml: the file is larger than the limit; it was not sent "+
		"b.xml: the server's file is larger than the limit; it was not taken]")
	b.same("nothing moved", b.here("inbox")+fmt.Sprint(b.list("out")), "[]")
}

func TestRunWaitsLongerAfterFailuresAndTellsTheLastSuccess(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	now := time.Date(2026, 11, 23, 6, 0, 0, 0, time.UTC)
	b.with.Now = func() time.Time { return now }
	b.restart()
	b.cutAfter(10)
	ctx, cancel := contextOf(t)
	var waits []time.Duration
	err := b.courier.Run(ctx, time.Minute, func(d time.Duration) <-chan time.Time {
		waits = append(waits, d)
		now = now.Add(d)
		switch len(waits) {
		case 2:
			b.cutAfter(0)
		case 3:
			b.same("since the last success", b.courier.SinceSuccess(), time.Minute)
			cancel()
		}
		fired := make(chan time.Time, 1)
		fired <- now
		return fired
	})
	must(t, err)
	if len(waits) != 3 || waits[0] < 90*time.Second || waits[1] < 3*time.Minute || waits[2] != time.Minute {
		t.Errorf("waited %v", waits)
	}
	now = now.Add(time.Hour)
	b.restart()
	b.same("remembered", b.courier.SinceSuccess(), time.Hour+time.Minute)
}

// Files for the bank name people and their accounts; they do not stand on this machine for good.
func TestWhatWasSentIsDeletedAfterItsTimeAndStillNotSentAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("a.xml", "first")
	b.put("b.xml", "second")
	b.same("round", b.round(), Report{Delivered: 2})
	long := b.courier.settings.Now().Add(-sentKept - time.Hour)
	must(t, os.Chtimes(b.courier.path("sent", "a.xml"), long, long))
	b.same("a later round", b.round(), Report{})
	b.same("sent", b.here("sent"), "b.xml")
	must(t, os.Remove(filepath.Join(b.dir, "out", "a.xml"))) // the bank took it long ago
	b.restart()
	b.put("a.xml", "first")
	b.same("the same again", b.round(), Report{Delivered: 1}) // as far as the outbox goes
	b.same("the server has", b.list("out"), "[b.xml]")
	b.same("outbox", b.here("outbox"), "")
}
