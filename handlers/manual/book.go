// Package manual reads the product's manual and shows it. The chapters are the Markdown
// files under static/manual, and index.md says their order. The package knows Markdown,
// links and search; it must not know the product's rules or its data.
package manual

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"debitdesk/static"
)

// Path is the address of the contents; a chapter's address is Path + "/" + its slug.
const Path = "/manual"

// Book is the whole manual, rendered.
type Book struct {
	Intro    string // HTML above the contents
	Groups   []Group
	Chapters []*Chapter // in reading order
	pictures fs.FS
}

// Group is a heading of the contents, such as "For staff".
type Group struct {
	Title    string
	Chapters []*Chapter
}

// Chapter is one page. Title and Summary are those of the contents.
type Chapter struct {
	Slug, Title, Summary string
	Group                string
	HTML                 string
	Sections             []Section
	Before, After        *Chapter // nil at either end
}

// Section is a heading with the text below it, up to the next heading. The first one of a
// chapter has no ID: it is the text below the title.
type Section struct {
	ID, Title, Text string
	Level           int
	folded          string // the text as it is searched
}

// Href is the address of the chapter.
func (c *Chapter) Href() string { return Path + "/" + c.Slug }

// At is the address of a section of the chapter.
func (c *Chapter) At(s Section) string {
	if s.ID == "" {
		return c.Href()
	}
	return c.Href() + "#" + s.ID
}

// Chapter finds a page by its slug.
func (b *Book) Chapter(slug string) (*Chapter, bool) {
	for _, c := range b.Chapters {
		if c.Slug == slug {
			return c, true
		}
	}
	return nil, false
}

// The is the manual that the program carries, read at its first use. It panics on a
// chapter that cannot be read, because that is a slip which every test of the manual meets.
var The = sync.OnceValue(func() *Book {
	files, err := fs.Sub(static.Manual, "manual")
	if err != nil {
		panic(err)
	}
	b, err := Read(files)
	if err != nil {
		panic(err)
	}
	return b
})

// Read renders index.md and the chapters that it lists. Every other Markdown file is an
// error: nobody would find it.
func Read(files fs.FS) (*Book, error) {
	source, err := fs.ReadFile(files, "index.md")
	if err != nil {
		return nil, err
	}
	b := &Book{pictures: files}
	if err := b.readIndex(source); err != nil {
		return nil, fmt.Errorf("index.md: %w", err)
	}
	for i, c := range b.Chapters {
		if i > 0 {
			c.Before, b.Chapters[i-1].After = b.Chapters[i-1], c
		}
		source, err := fs.ReadFile(files, c.Slug+".md")
		if err != nil {
			return nil, err
		}
		if err := c.read(files, source); err != nil {
			return nil, fmt.Errorf("%s.md: %w", c.Slug, err)
		}
	}
	return b, b.missesNone(files)
}

func (b *Book) missesNone(files fs.FS) error {
	names, err := fs.Glob(files, "*.md")
	if err != nil {
		return err
	}
	var lost []error
	for _, name := range names {
		slug := strings.TrimSuffix(name, ".md")
		if _, listed := b.Chapter(slug); !listed && slug != "index" {
			lost = append(lost, fmt.Errorf("index.md does not list %s", name))
		}
	}
	return errors.Join(lost...)
}
