package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestTheFirstOpenMakesADurableClusterWithoutATCPPort(t *testing.T) {
	p := open(t, folder(t))
	if p.Joined() {
		t.Error("nothing ran before, yet it says that it joined")
	}
	for setting, want := range map[string]string{"fsync": "on", "listen_addresses": "", "TimeZone": "UTC",
		"data_checksums": "on", "server_encoding": "UTF8"} {
		expect(t, setting, ask(t, p.DSN(Database), "SELECT current_setting('"+setting+"')"), want)
	}
	expect(t, "lower case beyond ASCII", ask(t, p.DSN(Database), "SELECT lower('ZOË')"), "zoë")
}

func TestTheLastToCloseStopsTheServerAndTheDataIsThereAgain(t *testing.T) {
	dir := folder(t)
	p := open(t, dir)
	execute(t, p.DSN(Database), "CREATE TABLE kept AS SELECT 'rands' AS word")
	must(t, p.Close())
	if running(dir) {
		t.Fatal("the server runs after the last Close")
	}
	p = open(t, dir)
	if p.Joined() {
		t.Error("the server was stopped, yet the second Open joined one")
	}
	expect(t, "row of the first run", ask(t, p.DSN(Database), "SELECT word FROM kept"), "rands")
}

func TestClosingTwiceIsHarmless(t *testing.T) {
	dir := folder(t)
	first, second := open(t, dir), open(t, dir)
	must(t, second.Close())
	must(t, second.Close())
	if !running(dir) {
		t.Error("the second user's closing twice stopped the server of the first")
	}
	must(t, first.Close())
}

func TestASecondProcessJoinsAndMayLeaveLast(t *testing.T) {
	dir := folder(t)
	p := open(t, dir)
	o := spawn(t, dir)
	expect(t, "second process", o.says(), "joined")
	must(t, p.Close())
	if !running(dir) {
		t.Fatal("the server was stopped while another process used it")
	}
	o.quit()
	if running(dir) {
		t.Error("the server runs after the last process left")
	}
}

func TestAServerLeftByKill9IsJoinedAndThenStopped(t *testing.T) {
	dir := folder(t)
	o := spawn(t, dir)
	expect(t, "first process", o.says(), "started")
	o.kill9()
	if !running(dir) {
		t.Fatal("the server died with its process")
	}
	p := open(t, dir)
	if !p.Joined() {
		t.Error("the server that ran was not joined")
	}
	must(t, p.Close())
	if running(dir) {
		t.Error("the joined server runs after the last Close")
	}
}

func TestAServerKilledWithItsProcessRecovers(t *testing.T) {
	dir := folder(t)
	p := open(t, dir)
	execute(t, p.DSN(Database), "CREATE TABLE kept AS SELECT 'cents' AS word")
	must(t, p.server.cmd.Process.Kill())
	<-p.server.done
	p = open(t, dir)
	expect(t, "committed row", ask(t, p.DSN(Database), "SELECT word FROM kept"), "cents")
}

// waking wakes a process when the log says that it is waited for.
type waking struct {
	slog.Handler
	pid int
}

func (w waking) Enabled(context.Context, slog.Level) bool { return true }

func (w waking) Handle(_ context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, "waiting for the processes of a PostgreSQL") {
		return syscall.Kill(w.pid, syscall.SIGCONT)
	}
	return nil
}

func TestAServerIsNotStartedBesideProcessesOfOneThatWasKilled(t *testing.T) {
	dir := folder(t)
	o := spawn(t, dir)
	expect(t, "first process", o.says(), "started")
	old, _ := readPostmaster(filepath.Join(dir, clusterDir, "data"))
	children, err := os.ReadFile(fmt.Sprintf("/proc/%[1]d/task/%[1]d/children", old.pid))
	must(t, err)
	child, err := strconv.Atoi(strings.Fields(string(children))[0])
	must(t, err)
	must(t, syscall.Kill(child, syscall.SIGSTOP))
	o.kill9()
	must(t, syscall.Kill(old.pid, syscall.SIGKILL))
	for old.alive() {
		must(t, pause(t.Context()))
	}
	p, err := Open(t.Context(), dir, slog.New(waking{slog.DiscardHandler, child}))
	if err != nil {
		_ = syscall.Kill(child, syscall.SIGCONT)
		t.Fatal(err)
	}
	must(t, p.Close())
}

func TestAnOldProcessNumberThatBelongsToAnotherProgramIsNotAServer(t *testing.T) {
	dir := folder(t)
	must(t, open(t, dir).Close())
	stale := filepath.Join(dir, clusterDir, "data", "postmaster.pid")
	must(t, os.WriteFile(stale, []byte("1\n/x\n0\n5432\n/x\n\n\n"), 0o600))
	if p := open(t, dir); p.Joined() {
		t.Error("joined a process that is no database")
	}
}

func TestOfTwoProcessesThatOpenAtOnceOneStartsAndOneJoins(t *testing.T) {
	dir := folder(t)
	a, b := spawn(t, dir), spawn(t, dir)
	got := []string{a.says(), b.says()}
	slices.Sort(got)
	expect(t, "the two", strings.Join(got, " and "), "joined and started")
	a.quit()
	b.quit()
	if running(dir) {
		t.Error("the server runs after both have left")
	}
}

func TestAPathTooLongForASocketIsServed(t *testing.T) {
	dir := filepath.Join(folder(t), strings.Repeat("long/", 20))
	p := open(t, dir)
	expect(t, "answer", ask(t, p.DSN(Database), "SELECT 'yes'"), "yes")
	o := spawn(t, dir)
	expect(t, "second process", o.says(), "joined")
	o.quit()
}

func TestAPathWithSpacesAndCommasIsServed(t *testing.T) {
	dir := filepath.Join(folder(t), "my desk, really")
	expect(t, "answer", ask(t, open(t, dir).DSN(Database), "SELECT 'yes'"), "yes")
}

func TestTheSocketLimitIsExact(t *testing.T) {
	fits := "/" + strings.Repeat("a", socketLimit-len("/.s.PGSQL.5432")-1)
	if !socketFits(fits) || socketFits(fits+"a") {
		t.Errorf("a folder of %d bytes must fit and one more must not", len(fits))
	}
}

func TestASocketFolderOfSomebodyElseIsRefused(t *testing.T) {
	dir := folder(t)
	must(t, os.Mkdir(dir, 0o777))
	must(t, os.Chmod(dir, 0o777))
	acc, err := serverAccount("")
	must(t, err)
	if err := acc.claim(dir); err == nil {
		t.Error("a folder that everybody may write to was taken")
	}
}

// As root the server runs as somebody who cannot enter a closed parent; as an
// ordinary user it runs as us, who can.
func TestADataFolderBehindAClosedParentKeepsItsClusterWhereItCan(t *testing.T) {
	parent := folder(t)
	must(t, os.Mkdir(parent, 0o700))
	dir := filepath.Join(parent, "data")
	redirectElsewhere(t)

	p := open(t, dir)
	execute(t, p.DSN(Database), "CREATE TABLE kept AS SELECT 'found' AS word")
	must(t, p.Close())
	if root := os.Geteuid() == 0; root == strings.HasPrefix(p.home, parent) {
		t.Errorf("home is %s (root: %v)", p.home, root)
	}
	expect(t, "row after a second start", ask(t, open(t, dir).DSN(Database), "SELECT word FROM kept"), "found")
}

func TestADataFolderClosedByItselfIsOpened(t *testing.T) {
	dir := folder(t)
	must(t, os.Mkdir(dir, 0o700))
	p := open(t, dir)
	if !strings.HasPrefix(p.home, dir) {
		t.Errorf("home is %s, outside the data folder %s", p.home, dir)
	}
}

func TestWithoutAnyPlaceTheSentenceSaysTheMend(t *testing.T) {
	expect(
		t,
		"sentence",
		closedTo("/root/x", account{name: "user postgres"}).Error(),
		"PostgreSQL runs as user postgres, which cannot enter /root/x: choose another DEBITDESK_DATA, "+
			"or open its parents with chmod o+x",
	)
}

func TestAClusterOfAnotherVersionIsNamed(t *testing.T) {
	dir := folder(t)
	p := open(t, dir)
	must(t, p.Close())
	must(t, os.WriteFile(filepath.Join(p.data(), "PG_VERSION"), []byte("9\n"), 0o600))
	_, err := Open(t.Context(), dir, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "was created by PostgreSQL 9") {
		t.Errorf("got %v", err)
	}
}

func TestOpeningStopsWaitingWhenItsContextEnds(t *testing.T) {
	dir := folder(t)
	must(t, os.MkdirAll(dir, 0o755))
	gate, err := openLock(filepath.Join(dir, "postgres.lock"))
	must(t, err)
	must(t, gate.exclude(t.Context()))
	defer func() { must(t, gate.release()) }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, dir, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("Open passed a gate that another holds")
	}
}

func redirectElsewhere(t *testing.T) {
	t.Helper()
	dir := folder(t)
	must(t, os.MkdirAll(dir, 0o755))
	before := elsewhere
	elsewhere = []string{dir}
	t.Cleanup(func() { elsewhere = before })
}

// kill9 ends the server of a data folder as a crash would, and tells its number.
func kill9(t *testing.T, dataDir string) int {
	t.Helper()
	pm, ok := readPostmaster(filepath.Join(dataDir, clusterDir, "data"))
	if !ok {
		t.Fatal("no server runs")
	}
	must(t, syscall.Kill(pm.pid, syscall.SIGKILL))
	return pm.pid
}

// answers waits until the database answers again; its file of the old process tells nothing.
func answers(t *testing.T, dsn string) {
	t.Helper()
	within(t, 4*time.Minute, "an answer", func() bool {
		conn, err := pgx.Connect(t.Context(), dsn)
		if err != nil {
			return false
		}
		return conn.Close(context.WithoutCancel(t.Context())) == nil
	})
}

func TestAServerThatIsKilledIsStartedAgainWithWhatWasWritten(t *testing.T) {
	dir := folder(t)
	p := open(t, dir)
	execute(t, p.DSN(Database), "CREATE TABLE kept AS SELECT 'found' AS word")
	before := kill9(t, dir)
	answers(t, p.DSN(Database))
	expect(t, "row after the crash", ask(t, p.DSN(Database), "SELECT word FROM kept"), "found")
	if pm, _ := readPostmaster(p.data()); pm.pid == before {
		t.Error("the same process answers")
	}
}

func TestAfterTheStarterIsGoneTheOthersKeepTheServerRunning(t *testing.T) {
	dir := folder(t)
	starter := spawn(t, dir)
	expect(t, "first process", starter.says(), "started")
	p := open(t, dir)
	starter.kill9()
	kill9(t, dir)
	answers(t, p.DSN(Database))
	must(t, p.Close())
	if running(dir) {
		t.Error("the last to leave did not stop the server that it started again")
	}
}
