package secretfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestAFileOfRootMayBeReadByItsGroup(t *testing.T) {
	for mode, c := range map[fs.FileMode]struct{ own, roots bool }{
		0o600: {true, true}, 0o400: {true, true}, 0o640: {false, true}, 0o440: {false, true},
		0o660: {false, false}, 0o450: {false, false}, 0o644: {false, false}, 0o604: {false, false}, 0o601: {false, false},
	} {
		if guarded(mode, false) != c.own || guarded(mode, true) != c.roots {
			t.Errorf("%04o: own %t, root's %t", mode, guarded(mode, false), guarded(mode, true))
		}
	}
}

func TestAFileIsJudgedAsItStands(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	for mode, want := range map[fs.FileMode]bool{0o600: true, 0o644: false, 0o640: os.Getuid() == 0} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if Guarded(info) != want {
			t.Errorf("%04o: %t", mode, !want)
		}
	}
}
