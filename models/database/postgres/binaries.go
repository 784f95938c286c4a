package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// EnvBinaries names a folder that holds initdb and postgres; it wins over every other.
const EnvBinaries = "DEBITDESK_POSTGRES_BIN"

// ErrNoBinaries says that no usable PostgreSQL server was found.
var ErrNoBinaries = errors.New(
	"no PostgreSQL server binaries found: install the package postgresql (version 15 or newer), " +
		"name their folder in " + EnvBinaries + ", or name a running server in DATABASE_URL")

// oldestMajor is the oldest PostgreSQL the migrations are written for.
const oldestMajor = 15

// Binaries is one installation of the server.
type Binaries struct {
	Dir   string // holds initdb and postgres
	Major int    // 15, 16, …
}

// Path names one program of the installation.
func (b Binaries) Path(program string) string { return filepath.Join(b.Dir, program) }

// FindBinaries finds a server that the account it would run under can execute.
// It looks in EnvBinaries, PATH, the folders of the usual packages (newest
// first), and where `make run` unpacks its own. The error is ErrNoBinaries.
func FindBinaries(ctx context.Context, dataDir string) (Binaries, error) {
	acc, err := serverAccount("")
	if err != nil {
		return Binaries{}, err
	}
	return findBinaries(ctx, dataDir, acc, 0)
}

// findBinaries asks for one major version when wantMajor is not zero: a
// cluster on disk can only be served by the version that made it.
func findBinaries(ctx context.Context, dataDir string, acc account, wantMajor int) (Binaries, error) {
	var refused []string
	for _, dir := range candidates(dataDir) {
		if !executable(filepath.Join(dir, "initdb")) || !executable(filepath.Join(dir, "postgres")) {
			continue
		}
		major, err := majorOf(ctx, dir, acc)
		switch {
		case err != nil:
			refused = append(refused, err.Error())
		case major < oldestMajor || wantMajor != 0 && major != wantMajor:
			refused = append(refused, fmt.Sprintf("%s holds version %d", dir, major))
		default:
			return Binaries{Dir: dir, Major: major}, nil
		}
	}
	err := ErrNoBinaries
	if wantMajor != 0 {
		err = fmt.Errorf(
			"the database in %s was created by PostgreSQL %d, which is needed to open it: %w",
			dataDir,
			wantMajor,
			err,
		)
	}
	if len(refused) > 0 {
		err = fmt.Errorf("%w (%s)", err, strings.Join(refused, "; "))
	}
	return Binaries{}, err
}

func candidates(dataDir string) []string {
	if dir := os.Getenv(EnvBinaries); dir != "" {
		return []string{dir}
	}
	var dirs []string
	if p, err := exec.LookPath("postgres"); err == nil {
		if p, err = filepath.EvalSymlinks(p); err == nil {
			dirs = append(dirs, filepath.Dir(p))
		}
	}
	globs := []string{
		"/usr/lib/postgresql/*/bin",
		"/usr/pgsql-*/bin",
		"/usr/lib/postgresql*/bin",
		"/usr/local/pgsql/bin",
		"/opt/homebrew/opt/postgresql@*/bin",
		"/usr/local/opt/postgresql@*/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin",
		"/usr/local/lib/debitdesk/postgres/*/bin",
	}
	if cache, err := os.UserCacheDir(); err == nil {
		globs = append(globs, filepath.Join(cache, "debitdesk", "postgres", "*", "bin"))
	}
	if dataDir != "" {
		globs = append(globs, filepath.Join(dataDir, "postgres-binaries", "*", "bin"))
	}
	for _, g := range globs {
		found, _ := filepath.Glob(g)
		slices.SortFunc(found, newestFirst)
		dirs = append(dirs, found...)
	}
	return dirs
}

var firstNumber = regexp.MustCompile(`\d+`)

// newestFirst orders folders by the first number in their names, so that 17 comes before 9.
func newestFirst(a, b string) int {
	na, _ := strconv.Atoi(firstNumber.FindString(a))
	nb, _ := strconv.Atoi(firstNumber.FindString(b))
	if na != nb {
		return nb - na
	}
	return strings.Compare(b, a)
}

func executable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0
}

// majorOf runs `postgres --version` as the server's account, which also proves
// that the account can reach and execute it.
func majorOf(ctx context.Context, dir string, acc account) (int, error) {
	out, err := acc.command(ctx, "/", filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return 0, fmt.Errorf("%s does not run as %s: %w", dir, acc.name, err)
	}
	major, err := strconv.Atoi(firstNumber.FindString(string(out)))
	if err != nil {
		return 0, fmt.Errorf("%s has no version: %q", dir, out)
	}
	return major, nil
}
