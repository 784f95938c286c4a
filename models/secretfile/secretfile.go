// Package secretfile says which files with secrets are guarded well enough to be read.
package secretfile

import (
	"io/fs"
	"syscall"
)

// Rule is what Guarded asks, for errors and the manual.
const Rule = "it must be readable by its owner alone (chmod 600), or belong to root and be readable by its group " +
	"(chmod 640)"

// Guarded tells that nobody else can read a file. A file of the user who runs the program is closed to group and
// others. One that belongs to root, as a secret that Kubernetes mounts, may be read by its group: the program is not
// its owner, and could not read it otherwise. PostgreSQL has the same rule for its own key.
func Guarded(info fs.FileInfo) bool {
	owner, known := info.Sys().(*syscall.Stat_t)
	return guarded(info.Mode().Perm(), known && owner.Uid == 0)
}

func guarded(mode fs.FileMode, roots bool) bool {
	if roots {
		return mode&0o037 == 0
	}
	return mode&0o077 == 0
}
