package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

type supportCmd struct {
	Bundle supportBundleCmd `cmd:"" help:"Write an archive about this installation, without secrets and personal data."`
}

type supportBundleCmd struct {
	File string `arg:"" help:"The archive to write, such as debitdesk.tar.gz. It must not exist."`
	Log  string `placeholder:"FILE" help:"Add the end of this log, without personal data; - reads it from standard input."`
}

// bundled is one file of the archive.
type bundled struct {
	name string
	text []byte
}

func (s *supportBundleCmd) run(ctx context.Context, c Config, io streams) error {
	pages, err := s.collect(ctx, c, io)
	if err != nil {
		return err
	}
	//nolint:gosec // a file that the operator names
	file, err := os.OpenFile(s.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(pack(file, pages, time.Now()), file.Close()); err != nil {
		return errors.Join(err, os.Remove(s.File))
	}
	for _, p := range pages {
		if _, err := fmt.Fprintf(io.out, "%-20s %6d bytes\n", p.name, len(p.text)); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(io.out, "Written to %s. Look through it before you send it.\n", s.File)
	return err
}

// collect asks everything that answers. What does not answer is said in its place: a bundle is made when something is
// wrong.
func (s *supportBundleCmd) collect(ctx context.Context, c Config, io streams) (pages []bundled, err error) {
	add := func(name string, write func(*bytes.Buffer) error) {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			fmt.Fprintf(&b, "not complete: %s\n", plainWords(err.Error()))
		}
		pages = append(pages, bundled{name, b.Bytes()})
	}
	add("README.txt", func(b *bytes.Buffer) error { _, err := b.WriteString(bundleWords); return err })
	add("versions.txt", writeVersions)
	add("settings.txt", func(b *bytes.Buffer) error { return writeSettings(b, c) })
	e := &examination{c: c}
	e.examine(ctx, io)
	if e.app != nil {
		defer func() { err = errors.Join(err, e.app.Close()) }()
	}
	add("doctor.txt", func(b *bytes.Buffer) error { return e.writePlain(b) })
	if e.app != nil {
		add("database.txt", func(b *bytes.Buffer) error { return e.app.writeDatabase(ctx, b) })
		add("metrics.txt", func(b *bytes.Buffer) error { return e.app.writeMetrics(b) })
	}
	if s.Log == "" {
		return pages, nil
	}
	log, err := s.openLog(io)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	add("log.txt", func(b *bytes.Buffer) error { return cleanLog(b, log) })
	return pages, nil
}

func (s *supportBundleCmd) openLog(from streams) (io.ReadCloser, error) {
	if s.Log == "-" {
		return io.NopCloser(from.in), nil
	}
	return os.Open(s.Log)
}

const bundleWords = `About one installation of Debitdesk, for the people who help its operator.

settings.txt says which settings are set. Passwords, keys, addresses of mail and databases are left out.
doctor.txt, database.txt and metrics.txt hold counts, sizes and states.
log.txt, if there is one, is the end of the log. Only what the program itself writes is kept: the rest of a line, such
as an address, a name or a number, stands there as "~".
`

// pack writes the archive.
func pack(to io.Writer, pages []bundled, at time.Time) error {
	z := gzip.NewWriter(to)
	t := tar.NewWriter(z)
	for _, p := range pages {
		if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: filepath.Join("debitdesk-support", p.name),
			Mode: 0o600, Size: int64(len(p.text)), ModTime: at}); err != nil {
			return err
		}
		if _, err := t.Write(p.text); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}
