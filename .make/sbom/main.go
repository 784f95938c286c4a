// Command sbom writes the bill of materials of the program as CycloneDX 1.6: every module of go.mod, the standard
// library, and the files of others that the program embeds. With a program that was built (-program) it tells what is
// in it from what serves tests and generation alone; with -notices it writes the licences of what is in it.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

func main() {
	version := flag.String("version", "", "version of the program")
	epoch := flag.Int64("epoch", 0, "time of the document, in seconds since 1970")
	program := flag.String("program", "", "a program that was built from this tree")
	notices := flag.Bool("notices", false, "write the licences instead")
	flag.Parse()
	if err := run(os.Stdout, *version, time.Unix(*epoch, 0).UTC(), *program, *notices); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(to io.Writer, version string, at time.Time, program string, notices bool) error {
	parts, err := modules(program)
	if err != nil {
		return err
	}
	embedded, err := embeds()
	if err != nil {
		return err
	}
	parts = append(parts, embedded...)
	if notices {
		return writeNotices(to, parts)
	}
	return writeBOM(to, version, at, parts)
}
