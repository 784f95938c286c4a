package postgres

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

const (
	clusterDir   = "postgres"          // in the data folder: the server's home
	locationFile = "postgres.location" // in the data folder: the server's home when it could not live there
)

// elsewhere are the folders that may hold a cluster whose data folder the
// server's account cannot enter.
var elsewhere = []string{"/var/lib/debitdesk", "/var/tmp/debitdesk"}

// home returns the folder that holds the cluster of dataDir: in it, or where
// locationFile says. Empty when no cluster was ever placed.
func home(dataDir string) (string, error) {
	b, err := os.ReadFile(filepath.Join(dataDir, locationFile)) //nolint:gosec // in the data folder of the settings
	if err == nil {
		dir := strings.TrimSpace(string(b))
		if _, err := os.Stat(dir); err != nil { //nolint:gosec // named by a file that only our account writes
			return "",
				fmt.Errorf(
					"the database of %s is kept in %s, which is not there: bring it back, or remove %s to begin an empty one: %w",
					dataDir, dir, filepath.Join(dataDir, locationFile), err)
		}
		return dir, nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	dir := filepath.Join(dataDir, clusterDir)
	if _, err := os.Stat(dir); err == nil { //nolint:gosec // named by a file that only our account writes
		return dir, nil
	}
	return "", nil
}

// Exists tells whether a cluster was ever placed for dataDir.
func Exists(dataDir string) bool {
	dir, err := home(dataDir)
	return dir != "" || err != nil
}

// place makes the folder that will hold a new cluster, owned by the server's
// account, in the data folder if the account can get there.
func place(ctx context.Context, dataDir string, acc account) (string, error) {
	if acc.other { // the folder is ours to open; what is in it has its own modes
		//nolint:gosec // the data folder of the settings; the account of the database must be able to enter it
		if st, err := os.Stat(dataDir); err == nil && st.Mode().Perm()&0o001 == 0 {
			if err := os.Chmod(dataDir, st.Mode().Perm()|0o011); err != nil {
				return "", err
			}
		}
	}
	if acc.mayEnter(ctx, dataDir) {
		dir := filepath.Join(dataDir, clusterDir)
		return dir, acc.own(dir)
	}
	for _, base := range elsewhere {
		//nolint:gosec // the account of the database must be able to enter it
		if os.MkdirAll(base, 0o711) != nil || !acc.mayEnter(ctx, base) {
			continue
		}
		// Random, not derived from the path: a data folder that is deleted and
		// made anew must not find an old database.
		dir := filepath.Join(base, "postgres-"+strings.ToLower(rand.Text()[:12]))
		if err := acc.own(dir); err != nil {
			continue
		}
		//nolint:gosec // in the data folder of the settings
		return dir, os.WriteFile(filepath.Join(dataDir, locationFile), []byte(dir+"\n"), 0o600)
	}
	return "", closedTo(dataDir, acc)
}

func closedTo(dir string, acc account) error {
	return fmt.Errorf(
		"PostgreSQL runs as %s, which cannot enter %s: choose another DEBITDESK_DATA, or open its parents with chmod o+x",
		acc.name, dir)
}

// socketLimit is the longest socket path in bytes that every system takes
// (macOS takes the least: 103; Linux takes 107).
const socketLimit = 103

// A socket folder is also part of settings and connection strings, where
// commas, spaces and quotes mean something.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9/._-]+$`)

func socketFits(dir string) bool {
	return len(dir)+len("/.s.PGSQL."+port) <= socketLimit && plainPath.MatchString(dir)
}

// socketFolder is the cluster's home when its path is short enough, else a
// folder in the temporary folder named after it, which the account alone may enter.
func socketFolder(ctx context.Context, home string, acc account) (string, error) {
	if socketFits(home) {
		return home, nil
	}
	sum := sha256.Sum256([]byte(home))
	name := "debitdesk-" + hex.EncodeToString(sum[:8])
	var problems []error
	for _, base := range []string{os.TempDir(), "/tmp", "/var/tmp"} {
		dir := filepath.Join(base, name)
		if !socketFits(dir) {
			continue
		}
		err := acc.claim(dir)
		if err == nil && acc.mayEnter(ctx, dir) {
			return dir, nil
		}
		problems = append(problems, err)
	}
	return "",
		fmt.Errorf(
			"the path %s is too long for a socket, and no temporary folder can hold it: choose a shorter DEBITDESK_DATA: %w",
			home, errors.Join(problems...))
}

// claim makes dir for the account alone, and refuses one that somebody else
// made there first: the temporary folder belongs to everybody.
func (a account) claim(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if err == nil {
		return a.take(dir)
	}
	if !errors.Is(err, os.ErrExist) {
		return err
	}
	st, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok || !st.IsDir() || int(sys.Uid) != a.uid || st.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s exists and is not a private folder of %s", dir, a.name)
	}
	return nil
}
