package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is whom the server runs as: ourselves, or somebody without
// privileges when we are root, because PostgreSQL refuses to run as root.
type account struct {
	name     string
	uid, gid int
	other    bool // somebody else than ourselves
}

// serverAccount picks the account. A cluster that exists keeps its owner, so
// that a folder made by an ordinary user still opens when root comes by.
func serverAccount(cluster string) (account, error) {
	if os.Geteuid() != 0 {
		return account{name: "the current user", uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	if st, err := os.Stat(cluster); cluster != "" && err == nil {
		if sys, ok := st.Sys().(*syscall.Stat_t); ok && sys.Uid != 0 {
			return account{name: fmt.Sprintf("user %d", sys.Uid), uid: int(sys.Uid), gid: int(sys.Gid), other: true}, nil
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 == nil && err2 == nil && uid != 0 {
			return account{name: "user " + name, uid: uid, gid: gid, other: true}, nil
		}
	}
	return account{},
		errors.New(
			"PostgreSQL does not run as root, and there is no user postgres or nobody to run it: " +
				"create one, or start as an ordinary user",
		)
}

// command prepares a program of the server: as the account, in a session of
// its own (Ctrl-C is meant for us, not for the database), and without our
// environment, which holds secrets and PG… variables.
func (a account) command(ctx context.Context, dir, program string, args ...string) *exec.Cmd {
	//nolint:gosec // PostgreSQL's own programs, from folders of the system or of the settings
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + filepath.Dir(program) + ":/usr/local/bin:/usr/bin:/bin", "LC_ALL=C"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if a.other {
		//nolint:gosec // ids of the system's accounts
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return cmd
}

// own makes a folder that the account alone may enter.
func (a account) own(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil { //nolint:gosec // the data folder of the settings
		return err
	}
	return a.take(dir)
}

// take hands a folder that exists to the account.
func (a account) take(dir string) error {
	if a.other {
		if err := os.Chown(dir, a.uid, a.gid); err != nil { //nolint:gosec // the data folder of the settings
			return err
		}
	}
	return os.Chmod(dir, 0o700) //nolint:gosec // PostgreSQL wants its folder so: its own account alone enters it
}

// mayEnter tells whether the account reaches dir through all its parents. It
// asks the kernel, by changing to the folder as that account, because
// permissions are more than mode bits.
func (a account) mayEnter(ctx context.Context, dir string) bool {
	return a.command(ctx, dir, "/bin/sh", "-c", ":").Run() == nil
}
