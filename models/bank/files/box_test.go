package files

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/fault"
)

// bench is a box on a directory with a clock that the test moves.
type bench struct {
	*testing.T
	*Box
	dir   string
	clock time.Time
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{T: t, dir: filepath.Join(t.TempDir(), "bank"), clock: time.Now()}
	b.open()
	return b
}

func (b *bench) open() {
	b.Helper()
	box, err := OpenBox(b.dir, Settings{Settle: 10 * time.Second, MaxBytes: 10_000,
		Now: func() time.Time { return b.clock }})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = box.Close() })
	box.flush = func(*os.File) error { return nil } // a disk that others use makes the tests wait
	b.Box = box
}

func hash(content string) []byte { sum := sha256.Sum256([]byte(content)); return sum[:] }

func (b *bench) place(name, content string) error {
	return b.Place(context.Background(), name, hash(content), strings.NewReader(content), func(r io.Reader) error {
		read, err := io.ReadAll(r)
		if string(read) != content {
			b.Errorf("%q was written", read)
		}
		return err
	})
}

func (b *bench) put(path, content string) {
	b.Helper()
	full := filepath.Join(b.dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		b.Fatal(err)
	}
	now := time.Now() // not the moment by the clock of the disk, which tests under a moved clock do not move
	if err := errors.Join(os.WriteFile(full, []byte(content), 0o600), os.Chtimes(full, now, now)); err != nil {
		b.Fatal(err)
	}
}

// tree is every file of the directory with its content.
func (b *bench) tree() string {
	b.Helper()
	var lines []string
	err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var content []byte
			content, err = os.ReadFile(path)
			rel, _ := filepath.Rel(b.dir, path)
			lines = append(lines, rel+"="+string(content))
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

func (b *bench) find() (found []exchange.Found) {
	b.Helper()
	found, err := b.Find(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	return found
}

// settled looks twice, far enough apart.
func (b *bench) settled() []exchange.Found {
	b.Helper()
	b.find()
	b.clock = b.clock.Add(10 * time.Second)
	return b.find()
}

func (b *bench) read(f exchange.Found) string {
	b.Helper()
	r, err := b.Open(f)
	if err != nil {
		b.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		b.Fatal(err)
	}
	return string(content)
}

func TestAMessageIsLaidOutOnceForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	err := errors.Join(b.place("DD_1.xml", "one"), b.place("DD_1.xml", "one"))
	if err != nil || b.tree() != "outbox/DD_1.xml=one" {
		t.Fatal(err, b.tree())
	}
	for path, want := range map[string]fs.FileMode{"outbox/DD_1.xml": 0o600, "outbox": 0o700, "inbox": 0o700,
		"archive": 0o700,
		"sent":    0o700, "rejected": 0o700} {
		if info, err := os.Stat(filepath.Join(b.dir, path)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
	}
	for _, name := range []string{"", ".x", "a/b", "../a", "a b", "x.part", "x.TMP"} {
		if b.place(name, "x") == nil {
			t.Errorf("%q was taken as a name", name)
		}
	}
	if waiting, err := b.Waiting(context.Background(), "DD_1.xml"); !waiting || err != nil {
		t.Error(waiting, err)
	}
	if err := os.Rename(filepath.Join(b.dir, "outbox/DD_1.xml"), filepath.Join(b.dir, "sent/DD_1.xml")); err != nil {
		t.Fatal(err)
	}
	if waiting, err := b.Waiting(context.Background(), "DD_1.xml"); waiting || err != nil {
		t.Error(waiting, err)
	}
	// It was taken: it does not come again.
	if err := b.place("DD_1.xml", "one"); err != nil || b.tree() != "sent/DD_1.xml=one" {
		t.Error(err, b.tree())
	}
	// It got lost: it comes again, as often as a person says so.
	b.put("archive/2026/11/DD_1.xml", "one")
	b.put("sent/DD_1.xml.2", "of another time")
	for range 2 {
		err := errors.Join(b.PutAside(t.Context(), "DD_1.xml", hash("one")), b.place("DD_1.xml", "one"))
		if want := "archive/2026/11/DD_1.xml.2=one\noutbox/DD_1.xml=one\nsent/DD_1.xml.2=of another time\n" +
			"sent/DD_1.xml.3=one"; err != nil || b.tree() != want {
			t.Errorf("%v\n%s", err, b.tree())
		}
	}
}

// The bytes are on the disk before the name is, and the name before the message counts as laid out.
func TestAMessageOutlastsALossOfPower(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var steps []string
	b.step = func(what string) { steps = append(steps, what) }
	b.flush = func(f *os.File) error {
		name := filepath.Base(f.Name())
		if strings.HasSuffix(name, ".part") {
			name = "the file"
		}
		steps = append(steps, "flush "+name)
		return f.Sync()
	}
	if err := b.place("DD_1.xml", "one"); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(steps, ", "); got != "created, filled, flush the file, written, linked, published, flush "+
		"outbox" {
		t.Error(got)
	}
	b.flush = func(*os.File) error { return errors.New("the disk is broken") }
	if err := b.place("DD_2.xml", "two"); err == nil || strings.Contains(b.tree(), "DD_2") {
		t.Error(err, b.tree())
	}
}

func TestOtherBytesUnderAUsedNameAreAnError(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"outbox/DD_1.xml", "sent/DD_1.xml"} {
		b := newBench(t)
		b.put(place, "other")
		before := b.tree()
		if err := b.place("DD_1.xml", "one"); err == nil || !strings.Contains(err.Error(), place+" has other bytes") ||
			b.tree() != before {
			t.Errorf("%s: %v\n%s", place, err, b.tree())
		}
	}
	// What the bank named like a file of ours is no file of ours.
	for _, place := range []string{"archive/2026/11/DD_1.xml", "archive/2026/10/0123456789ab-DD_1.xml"} {
		b := newBench(t)
		b.put(place, "other")
		if err := b.place("DD_1.xml", "one"); err != nil || !strings.Contains(b.tree(), "outbox/DD_1.xml=one") {
			t.Errorf("%s: %v\n%s", place, err, b.tree())
		}
	}
	b := newBench(t)
	b.put("archive/2026/11/"+hex.EncodeToString(hash("one"))[:12]+"-DD_1.xml", "one")
	if err := b.place("DD_1.xml", "one"); err != nil || strings.Contains(b.tree(), "outbox") {
		t.Error(err, b.tree())
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(b.dir, "outbox/DD_2.xml")); err != nil {
		t.Fatal(err)
	}
	if err := b.place("DD_2.xml", "two"); err == nil {
		t.Error("a link was taken for a file")
	}
}

func TestNothingAppearsWhenWritingFails(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	refuse := func(io.Reader) error { return errors.New("the sum is wrong") }
	for name, err := range map[string]error{
		"check": b.Place(context.Background(), "A.xml", hash("a"), strings.NewReader("a"), refuse),
		"bytes": b.Place(context.Background(), "A.xml", hash("b"), strings.NewReader("a"), nil),
		"ended": b.Place(ended, "A.xml", hash("a"), strings.NewReader("a"), nil),
		"source": b.Place(context.Background(), "A.xml", hash("a"), io.MultiReader(strings.NewReader("a"), broken{}),
			nil),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if b.tree() != "" {
		t.Error(b.tree())
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("broken") }

// A crash after any step leaves a directory in which the same call brings about the same one file.
func TestACrashAfterAnyStepLeavesOneFile(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"created", "filled", "written", "linked", "published"} {
		b := newBench(t)
		reached := false
		b.step = func(what string) {
			if what == step {
				reached = true
				panic(what)
			}
		}
		func() {
			defer func() { _ = recover() }()
			_ = b.place("DD_1.xml", "one")
		}()
		if !reached {
			t.Errorf("%s was not reached", step)
		}
		b.open()
		if err := b.place("DD_1.xml", "one"); err != nil {
			t.Errorf("after %s: %v", step, err)
		}
		if b.tree() != "outbox/DD_1.xml=one" {
			t.Errorf("after %s:\n%s", step, b.tree())
		}
	}
}

// What a kill leaves half written is invisible, in nobody's way, and goes away in time.
func TestHalfWrittenFilesAreSweptLater(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("outbox/.DD_1.xml.0badcafe.part", "hal")
	if err := b.place("DD_1.xml", "one"); err != nil {
		t.Fatal(err)
	}
	b.open()
	if !strings.Contains(b.tree(), "0badcafe") {
		t.Error("a file that may be being written was taken away")
	}
	b.clock = b.clock.Add(25 * time.Hour)
	b.open()
	if b.tree() != "outbox/DD_1.xml=one" {
		t.Error(b.tree())
	}
}

func TestWritersAtOnceMakeOneFile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	boxes := []*Box{b.Box}
	b.open()
	boxes = append(boxes, b.Box)
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			content := strings.Repeat("one", 1000)
			if err := boxes[n%2].Place(context.Background(), "DD_1.xml", hash(content), strings.NewReader(content),
				nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if b.tree() != "outbox/DD_1.xml="+strings.Repeat("one", 1000) {
		t.Error(b.tree())
	}
}

func TestAnAnswerIsFoundWhenItIsWhole(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("inbox/a.xml", "<a/")
	if found := b.settled(); len(found) != 1 || found[0].Name != "a.xml" || found[0].Size != 3 ||
		!bytes.Equal(found[0].SHA256, hash("<a/")) {
		t.Fatal(found)
	}
	b.put("inbox/a.xml", "<a/>")
	if found := b.find(); len(found) != 0 {
		t.Error("it was found while it changed")
	}
	b.clock = b.clock.Add(9 * time.Second)
	if found := b.find(); len(found) != 0 {
		t.Error("it was found too soon")
	}
	b.clock = b.clock.Add(time.Second)
	found := b.find()
	if len(found) != 1 || b.read(found[0]) != "<a/>" || b.read(found[0]) != "<a/>" {
		t.Fatal(found)
	}
	// One that changes after it was found is neither read nor moved.
	b.put("inbox/a.xml", "<abc/>")
	if _, err := b.Open(found[0]); err == nil {
		t.Error("it was opened with other bytes")
	}
	if err := b.Keep(found[0], b.clock); err != nil || b.tree() != "inbox/a.xml=<abc/>" {
		t.Error(err, b.tree())
	}
}

func TestWhatHasArrivedWholeIsFreshUntilItIsFound(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	want := func(fresh bool, when string) {
		t.Helper()
		if is, err := b.Fresh(t.Context()); err != nil || is != fresh {
			t.Errorf("%s: %t, %v", when, is, err)
		}
	}
	want(false, "nothing is there")
	b.put("inbox/a.xml", "<a/>")
	want(false, "it may still be written")
	b.clock = b.clock.Add(time.Minute)
	want(true, "it stood still")
	if found := b.find(); len(found) != 1 {
		t.Fatal(found)
	}
	want(false, "it was found, and is tried again with the rest")
	b.put("inbox/.b.xml", "<b/>")
	b.put("inbox/c.part", "<c/>")
	want(false, "names of files that are being written")
	b.clock = b.clock.Add(time.Minute)
	want(false, "they are still being written")
	b.put("inbox/a.xml", "<aa/>")
	want(false, "it changed")
	b.clock = b.clock.Add(time.Minute)
	want(true, "it stood still again")
}

func TestOnlyFilesAreRead(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := func(name string) string { return filepath.Join(b.dir, "inbox", name) }
	if err := errors.Join(os.Symlink("/etc/hostname", in("link.xml")), os.Mkdir(in("folder.xml"), 0o700),
		syscall.Mkfifo(in("pipe.xml"), 0o600), os.Symlink(filepath.Join(b.dir, "sent"), in("sent"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".hidden.xml", "a.part", "a.tmp", "a.FilePart"} {
		b.put("inbox/"+name, "x")
	}
	if found := b.settled(); len(found) != 0 {
		t.Error(found)
	}
	b.put("inbox/bad\nname.xml", "x")
	b.put("inbox/"+strings.Repeat("n", 240), "y")
	found := b.settled()
	if len(found) != 2 {
		t.Fatal(found)
	}
	for _, f := range found {
		if len(f.Name) > 210 || strings.Contains(f.Name, "\n") || b.Keep(f, b.clock) != nil {
			t.Errorf("%q", f.Name)
		}
	}
	// A file that becomes a link between two looks is not followed.
	b.put("inbox/a.xml", "a")
	found = b.settled()
	if err := errors.Join(os.Remove(in("a.xml")), os.Symlink("/etc/hostname", in("a.xml"))); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Open(found[0]); err == nil {
		t.Error("a link was followed")
	}
}

func TestWhatWasReadIsKeptAndWhatNotIsPutAside(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("inbox/good.xml", "good")
	b.put("inbox/bad.xml", "bad")
	b.put("rejected/bad.xml", "an older one")
	b.put("rejected/bad.xml.2.why.txt", "evidence")
	found := b.settled()
	for _, f := range found {
		if f.Name == "good.xml" {
			if err := b.Keep(f, time.Date(2026, 12, 31, 23, 0, 0, 0, time.UTC)); err != nil {
				t.Error(err)
			}
		} else if err := b.Reject(f, "It is not XML."); err != nil {
			t.Error(err)
		}
	}
	sum := hex.EncodeToString(hash("good"))
	for _, want := range []string{"archive/2027/01/" + sum[:12] + "-good.xml=good", "rejected/bad.xml=an older one",
		"rejected/bad.xml.2=bad", "rejected/bad.xml.2.why.txt=evidence",
		"rejected/bad.xml.2.2.why.txt=bad.xml (3 bytes, SHA-256 " + hex.EncodeToString(hash("bad")) +
			") could not be read:\nIt is not XML.\n"} {
		if !strings.Contains(b.tree(), want) {
			t.Errorf("%q is missing in\n%s", want, b.tree())
		}
	}
	// The same answer once more gets a name of its own: nothing is overwritten.
	b.put("inbox/good.xml", "good")
	for _, f := range b.settled() {
		if err := b.Keep(f, time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)); err != nil {
			t.Error(err)
		}
	}
	if !strings.Contains(b.tree(), sum[:12]+"-good.xml.2=good") {
		t.Error(b.tree())
	}
	// What somebody moved meanwhile is no error.
	b.put("inbox/gone.xml", "gone")
	found = b.settled()
	if err := os.Remove(filepath.Join(b.dir, "inbox/gone.xml")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(b.Keep(found[0], b.clock), b.Reject(found[0], "why")); err != nil {
		t.Error(err)
	}
}

// A crash between the two names of a file that moves does not make two of it.
func TestACrashWhileAFileMovesKeepsOne(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("inbox/a.xml", "a")
	found := b.settled()
	b.step = func(what string) {
		if what == "linked" {
			panic(what)
		}
	}
	func() {
		defer func() { _ = recover() }()
		_ = b.Keep(found[0], b.clock)
	}()
	b.open()
	for _, f := range b.settled() {
		if err := b.Keep(f, b.clock); err != nil {
			t.Error(err)
		}
	}
	if n := strings.Count(b.tree(), "=a"); n != 1 || strings.Contains(b.tree(), "inbox") {
		t.Error(b.tree())
	}
}

func zipped(t *testing.T, members ...string) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for n, content := range members {
		w, err := z.Create(fmt.Sprintf("../../m%d.xml", n))
		if err == nil {
			_, err = io.WriteString(w, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestZippedAnswersAreReadOneByOne(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("inbox/one.zip", zipped(t, "<one/>"))
	found := b.settled()
	if len(found) != 1 || found[0].Name != "one.zip" || b.read(found[0]) != "<one/>" {
		t.Fatal(found)
	}
	if err := b.Keep(found[0], b.clock); err != nil || strings.Contains(b.tree(), "inbox/one.zip") {
		t.Error(err, b.tree())
	}
	b.put("inbox/many.zip", zipped(t, "<a/>", "<b/>"))
	found = b.settled()
	if len(found) != 2 || b.read(found[0]) != "<a/>" || b.read(found[1]) != "<b/>" ||
		!bytes.Equal(found[1].SHA256, hash("<b/>")) {
		t.Fatal(found)
	}
	if err := b.Keep(found[0], b.clock); err != nil || !strings.Contains(b.tree(), "inbox/many.zip") {
		t.Error("the file went before all of it was read", err)
	}
	if again := b.find(); len(again) != 1 || again[0].Name != found[1].Name {
		t.Error(again)
	}
	if err := b.Reject(found[1], "It is not a message."); err != nil ||
		!strings.Contains(b.tree(), "rejected/many.zip.why.txt=many.zip") ||
		!strings.Contains(b.tree(), "many.zip/2: It is not a message.") || strings.Contains(b.tree(),
		"inbox/many.zip") {
		t.Error(err, b.tree())
	}
	for _, f := range append(found, exchange.Found{Name: "one.zip", Size: 6, SHA256: hash("<one/>")}) {
		content, err := b.Reopen(f)
		if err != nil {
			t.Fatal(f.Name, err)
		}
		text, err := io.ReadAll(content)
		if err := errors.Join(err, content.Close()); err != nil || !bytes.Equal(hash(string(text)), f.SHA256) {
			t.Errorf("%s holds %q: %v", f.Name, text, err)
		}
	}
	if left := b.find(); len(left) != 0 {
		t.Error("what was opened once more moved", left)
	}
	if err := b.BringBack(exchange.Found{Name: "one.zip", Size: 6, SHA256: hash("<one/>")}); err != nil {
		t.Error("the only document of a zip file does not come back:", err)
	}
	if _, err := b.Reopen(exchange.Found{Name: "many.zip/1", SHA256: hash("<c/>")}); !fault.Is(err, fault.Conflict) {
		t.Error("other bytes under its name:", err)
	}
}

func TestWhatIsTooLargeIsUnreadable(t *testing.T) {
	t.Parallel()
	liar := []byte(zipped(t, strings.Repeat("a", 50_000)))
	for _, header := range []string{"PK\x01\x02", "PK\x03\x04"} { // both say how large it is
		at := bytes.Index(liar, []byte(header))
		offset := map[string]int{"PK\x01\x02": 24, "PK\x03\x04": 22}[header]
		copy(liar[at+offset:], []byte{10, 0, 0, 0})
	}
	for name, content := range map[string]string{
		"large.xml": strings.Repeat("a", 10_001), "bomb.zip": zipped(t, strings.Repeat("a", 10_001)),
		"two.zip": zipped(t, strings.Repeat("a", 6_000), strings.Repeat("b", 6_000)), "liar.zip": string(liar),
		"cut.zip": zipped(t, "<a/>")[:20], "none.zip": zipped(t), "empty.zip": "PK\x03\x04",
	} {
		b := newBench(t)
		b.put("inbox/"+name, content)
		found := b.settled()
		if len(found) != 1 || found[0].Name != name || !bytes.Equal(found[0].SHA256, hash(content)) {
			t.Errorf("%s: %v", name, found)
			continue
		}
		var unreadable *exchange.Unreadable
		if _, err := b.Open(found[0]); !errors.As(err, &unreadable) || unreadable.Why == "" {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := b.Reject(found[0], unreadable.Why); err != nil || !strings.Contains(b.tree(),
			"rejected/"+name+".why.txt") {
			t.Errorf("%s: %v\n%s", name, err, b.tree())
		}
	}
}

func TestTheOldestAnswerComesFirst(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for n, name := range []string{"c.xml", "a.xml", "b.xml"} {
		b.put("inbox/"+name, name)
		at := b.clock.Add(time.Duration(n-10) * time.Minute)
		if err := os.Chtimes(filepath.Join(b.dir, "inbox", name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	found := b.settled()
	if len(found) != 3 || found[0].Name+found[1].Name+found[2].Name != "c.xmla.xmlb.xml" {
		t.Error(found)
	}
}

func TestAnInspectionSeesWhatIsWrong(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if seen := Inspect(b.dir); len(seen) != 1 || seen[0].Level != Fine {
		t.Error(seen)
	}
	if err := errors.Join(os.Chmod(filepath.Join(b.dir, "inbox"), 0o755), os.Symlink("/tmp", filepath.Join(b.dir,
		"inbox/link")),
		os.Remove(filepath.Join(b.dir, "sent"))); err != nil {
		t.Fatal(err)
	}
	b.put("sent", "a file")
	b.put("profile.json", "{}")
	b.put("inbox/new.xml", "<Document/>")
	b.put("inbox/left.xml", "<Document/>")
	b.put("inbox/half.xml.part", "<Doc")
	long := time.Now().Add(-stays - time.Hour)
	if err := errors.Join(os.Chmod(filepath.Join(b.dir, "profile.json"), 0o666),
		os.Chtimes(filepath.Join(b.dir, "inbox/left.xml"), long, long),
		os.Chtimes(filepath.Join(b.dir, "inbox/half.xml.part"), long, long)); err != nil {
		t.Fatal(err)
	}
	said := fmt.Sprint(Inspect(b.dir))
	for _, want := range []string{"inbox can be used by other people of this machine (mode 0755)", "chmod 700",
		"1 entry of ", "1 file in " + filepath.Join(b.dir, "inbox") + " is older than a day", "sent is not a folder",
		"profile.json can be changed by other people"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in %s", want, said)
		}
	}
	if seen := Inspect(filepath.Join(b.dir, "nowhere")); len(seen) != 1 || seen[0].Level != Bad ||
		!strings.Contains(seen[0].What, "does not exist") {
		t.Error(seen)
	}
	for path, want := range map[string]string{"/var/www/html/bank": "/var/www",
		"/home/x/public_html/b": "/home/x/public_html",
		"/srv/bank":             "", "/var/lib/wwwbank": ""} {
		if got := webRoot(path); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
}
