package leaving

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"slices"
	"time"
)

// Book is a book on its way out. What it holds in memory does not grow with the clients.
type Book struct {
	shot     *snapshot
	to       *counted
	zip      *zip.Writer
	manifest Manifest
	files    []file // that are still to be written
	table    *table // that is being written; nil between two
	scans    *scans // nil once all evidence is written
	done     Summary
}

// rowsOfStep is how many rows Next writes; filesOfStep is how many files of evidence.
const (
	rowsOfStep  = 2000
	filesOfStep = 10
)

// counted passes on what is written, and knows how much and what it was.
type counted struct {
	to   io.Writer
	sum  hash.Hash
	size int64
}

func countedTo(to io.Writer) *counted { return &counted{to: to, sum: sha256.New()} }

// Write implements io.Writer.
func (c *counted) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.sum.Write(p[:n])
	c.size += int64(n)
	return n, err
}

func (c *counted) digest() string { return hex.EncodeToString(c.sum.Sum(nil)) }

func newBook(shot *snapshot, to io.Writer, m Manifest) *Book {
	out := countedTo(to)
	m.Evidence.List, m.NotIncluded, m.Files = evidenceFile.name, leftOut(), []File{}
	return &Book{shot: shot, to: out, zip: zip.NewWriter(out), manifest: m, files: slices.Clone(files()),
		scans: &scans{damaged: map[string]bool{}}}
}

// Close gives back what the book was read with.
func (b *Book) Close() { b.shot.close() }

// Total counts the rows that the book will have, but those of lines.
func (b *Book) Total(ctx context.Context) (n int64, err error) { return b.shot.count(ctx) }

// Done is what was written so far; the digest is that of the whole once Next has no more.
func (b *Book) Done() Summary { return b.done }

// Next writes the next rows, and tells whether there are more. What it wrote may still be held back for compression.
func (b *Book) Next(ctx context.Context) (more bool, err error) {
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case !b.scans.over:
		return true, b.evidence(ctx)
	case b.table != nil:
		return true, b.rows()
	case len(b.files) > 0:
		f := b.files[0]
		b.files = b.files[1:]
		if b.table, err = b.openTable(ctx, f); err != nil {
			err = fmt.Errorf("%s: %w", f.name, err)
		}
		return true, err
	}
	return false, b.finish()
}

// rows writes the next rows of the open file, and ends it when there are no more.
func (b *Book) rows() error {
	n, more, err := b.table.copy(rowsOfStep)
	b.done.Rows += n
	if err == nil && !more {
		err = b.endTable()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", b.table.of.name, err)
	}
	return nil
}

func (b *Book) endTable() error {
	f, err := b.table.end()
	if err != nil {
		return err
	}
	b.manifest.Files = append(b.manifest.Files, f)
	b.done.Files++
	b.done.Unreadable += f.Unreadable
	b.table = nil
	return nil
}

// timeless stands for the time of each file of a book, so that the same book has the same bytes.
var timeless = time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)

func (b *Book) entry(name string) (io.Writer, error) {
	return b.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: timeless})
}

func (b *Book) finish() error {
	text, err := json.MarshalIndent(b.manifest, "", "  ")
	if err != nil {
		return err
	}
	to, err := b.entry(ManifestName)
	if err != nil {
		return err
	}
	if _, err := to.Write(append(text, '\n')); err != nil {
		return err
	}
	if err := b.zip.Close(); err != nil {
		return err
	}
	b.done.Files++
	b.done.Bytes, b.done.SHA256 = b.to.size, b.to.digest()
	return nil
}
