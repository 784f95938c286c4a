package simbank

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// killedDir tells the test binary to be a bank that works on a folder until it is killed.
const killedDir = "SIMBANK_TEST_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killedDir); dir != "" {
		b, err := Open(Settings{Dir: dir, Now: func() time.Time { return monday },
			Log: func(line string) { fmt.Println(line) }})
		for err == nil {
			_, err = b.Round(context.Background())
		}
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// A bank that is killed with kill -9 again and again runs each message once, and answers each.
func TestABankThatIsKilledRunsEachMessageOnce(t *testing.T) {
	t.Parallel()
	const messages = 30
	dir := filepath.Join(t.TempDir(), "exchange")
	b := &bench{T: t, with: Settings{Dir: dir}}
	b.must(os.MkdirAll(filepath.Join(dir, "outbox"), 0o700))
	for i := range messages {
		b.put(fmt.Sprintf("%02d.xml", i), pain008("08", fmt.Sprint("DD", i), eft(ask{fmt.Sprint(i), "4000000000", 100})))
	}
	answered := func() int { return len(b.folder("inbox")) }
	for after := 1; len(b.folder("outbox")) > 0 || answered() < messages; after = after%7 + 1 {
		child := exec.CommandContext(t.Context(), os.Args[0])
		child.Env = append(os.Environ(), killedDir+"="+dir)
		said, err := child.StdoutPipe()
		b.must(err)
		b.must(child.Start())
		lines := bufio.NewScanner(said)
		for n := 0; n < after && lines.Scan(); n++ {
			if strings.Contains(lines.Text(), "another simulated bank") {
				t.Error(lines.Text())
			}
			if len(b.folder("outbox")) == 0 && answered() == messages {
				break
			}
		}
		b.must(child.Process.Kill())
		_ = child.Wait()
	}
	bank, err := Open(Settings{Dir: dir, Now: func() time.Time { return wednesday.At(18, 0) }})
	b.must(err)
	defer bank.Close() //nolint:errcheck // only read
	report, err := bank.Round(t.Context())
	b.must(err)
	b.same("nothing is left to do", report.Taken+report.Refused+report.Duplicates, 0)
	b.same("run once", sum(bank.Entries()), messages*100)
	seen := map[string]int{}
	for _, content := range b.inbox() {
		e := parse(t, content)
		seen[e.texts("OrgnlMsgId")+e.texts("GrpSts")]++
	}
	for i := range messages {
		b.same(fmt.Sprint("message ", i), seen[fmt.Sprint("DD", i, "ACCP")], 1)
	}
}
