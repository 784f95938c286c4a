// Command release builds everything that an operator installs, into one folder: programs, archives, packages, an
// image, a chart, the bill of materials, sums and where it all comes from. Two runs on one commit give the same bytes.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	tree := flag.String("tree", ".", "the source")
	dist := flag.String("dist", "dist", "the folder to fill; it is emptied first")
	only := flag.String("arch", strings.Join(arches, ","), "kinds of machines; a release has all of them")
	flag.Parse()
	arches = strings.Split(*only, ",")
	if err := run(*tree, *dist); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is one run.
type release struct {
	tree, dist, work string
	version          string // such as 1.2.3, or 0.0.0-dev+commit
	commit           string
	at               time.Time // of the commit: the time of every file
	programs         map[string]string
}

// arches are what programs are built for, as Go, Debian and the image call them.
var arches = []string{"amd64", "arm64"}

func run(tree, dist string) (err error) {
	r := &release{programs: map[string]string{}}
	if r.tree, err = filepath.Abs(tree); err != nil {
		return err
	}
	if r.dist, err = filepath.Abs(dist); err != nil {
		return err
	}
	if r.work, err = os.MkdirTemp("", "debitdesk-release-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.work)
	if err := r.identify(); err != nil {
		return err
	}
	if err := r.checkChangelog(); err != nil {
		return err
	}
	if err := os.RemoveAll(r.dist); err != nil {
		return err
	}
	if err := os.MkdirAll(r.dist, 0o755); err != nil {
		return err
	}
	fmt.Println("debitdesk", r.version)
	for _, step := range []func() error{r.build, r.describe, r.archives, r.packages, r.image, r.chart, r.beside, r.seal} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// from is a file of this folder, or below it.
func (r *release) from(name string) string { return filepath.Join(r.tree, ".make", "release", name) }
