package manual

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"io/fs"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"debitdesk/views/components"
)

// markdown reads CommonMark with tables. Raw HTML is left out, as is the library's habit.
// Tables carry no style attributes, which the content security policy would refuse.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(elements{}, 100))),
)

// readIndex takes the groups, the chapters and their summaries out of the contents.
func (b *Book) readIndex(source []byte) error {
	doc := markdown.Parser().Parse(text.NewReader(source))
	var intro []ast.Node
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 2 {
				b.Groups = append(b.Groups, Group{Title: plain(n, source)})
			}
		case *ast.List:
			if len(b.Groups) == 0 {
				return errors.New("a list before the first group")
			}
			if err := b.readGroup(n, source); err != nil {
				return err
			}
		default:
			intro = append(intro, n)
		}
	}
	pointLinks(doc)
	var out bytes.Buffer
	for _, n := range intro {
		if err := markdown.Renderer().Render(&out, source, n); err != nil {
			return err
		}
	}
	b.Intro = out.String()
	return nil
}

func (b *Book) readGroup(list *ast.List, source []byte) error {
	group := &b.Groups[len(b.Groups)-1]
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		link, found := first[*ast.Link](item)
		if !found {
			return fmt.Errorf("%q leads to no chapter", plain(item, source))
		}
		title := plain(link, source)
		summary := strings.TrimLeft(strings.TrimPrefix(plain(item, source), title), ": ")
		c := &Chapter{Slug: strings.TrimSuffix(string(link.Destination), ".md"), Title: title, Summary: summary,
			Group: group.Title}
		group.Chapters = append(group.Chapters, c)
		b.Chapters = append(b.Chapters, c)
	}
	return nil
}

// read renders one chapter and notes its sections.
func (c *Chapter) read(files fs.FS, source []byte) error {
	doc := markdown.Parser().Parse(text.NewReader(source))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, is := n.(*ast.Heading); is {
			c.Sections = append(c.Sections, sectionOf(h, source))
			continue
		}
		if len(c.Sections) == 0 {
			return errors.New("the chapter does not begin with its title")
		}
		s := &c.Sections[len(c.Sections)-1]
		s.Text += plain(n, source) + " "
	}
	for i := range c.Sections {
		c.Sections[i].folded = folded(c.Sections[i].Text)
	}
	if err := measurePictures(files, doc); err != nil {
		return err
	}
	pointLinks(doc)
	labelCells(doc, source)
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, source, doc); err != nil {
		return err
	}
	c.HTML = out.String()
	return nil
}

func sectionOf(h *ast.Heading, source []byte) Section {
	s := Section{Title: plain(h, source), Level: h.Level}
	if h.Level > 1 {
		s.ID = idOf(h)
	}
	return s
}

func idOf(h *ast.Heading) string {
	id, _ := h.AttributeString("id")
	raw, _ := id.([]byte)
	return string(raw)
}

// pointLinks turns the links of the files, such as debits.md#cut-off and pictures/home.png,
// into addresses of the product. As files they work wherever the repository is read.
func pointLinks(doc ast.Node) {
	walk(doc, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Link:
			if file, anchor, _ := strings.Cut(string(n.Destination), "#"); strings.HasSuffix(file, ".md") {
				n.Destination = []byte(Path + "/" + strings.TrimSuffix(file, ".md"))
				if anchor != "" {
					n.Destination = append(n.Destination, "#"+anchor...)
				}
			}
		case *ast.Image:
			n.Destination = []byte(Path + "/" + string(n.Destination))
		}
	})
}

// labelCells gives the cells of wide tables the head of their column, which small screens
// show above them.
func labelCells(doc ast.Node, source []byte) {
	walk(doc, func(n ast.Node) {
		row, is := n.(*tables.TableRow)
		if !is || !wide(row.Parent()) {
			return
		}
		head := row.Parent().FirstChild().FirstChild()
		for cell := row.FirstChild(); cell != nil && head != nil; cell, head = cell.NextSibling(), head.NextSibling() {
			if cell != row.FirstChild() && cell.HasChildren() {
				cell.SetAttributeString("data-label", []byte(plain(head, source)))
			}
		}
	})
}

// wide tables have more columns than a phone can show beside each other.
func wide(table ast.Node) bool { return table.FirstChild().ChildCount() > 2 }

// measurePictures notes how large each picture is, so that the text does not jump when it
// has been loaded.
func measurePictures(files fs.FS, doc ast.Node) (err error) {
	walk(doc, func(n ast.Node) {
		picture, is := n.(*ast.Image)
		if !is || err != nil {
			return
		}
		var f fs.File
		if f, err = files.Open(string(picture.Destination)); err != nil {
			return
		}
		defer f.Close() //nolint:errcheck // read from the program itself
		size, bad := png.DecodeConfig(f)
		if err = bad; err != nil {
			return
		}
		picture.SetAttributeString("width", []byte(strconv.Itoa(size.Width)))
		picture.SetAttributeString("height", []byte(strconv.Itoa(size.Height)))
		picture.SetAttributeString("loading", []byte("lazy"))
	})
	return err
}

func walk(doc ast.Node, see func(ast.Node)) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // see returns no error
		if entering {
			see(n)
		}
		return ast.WalkContinue, nil
	})
}

func first[T ast.Node](within ast.Node) (found T, ok bool) {
	walk(within, func(n ast.Node) {
		if one, is := n.(T); is && !ok {
			found, ok = one, true
		}
	})
	return found, ok
}

// plain is the text of a node without its marks: words in one line, code as it stands.
func plain(n ast.Node, source []byte) string {
	var out strings.Builder
	walk(n, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Text:
			out.Write(n.Segment.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				out.WriteByte(' ')
			}
		case *ast.String:
			out.Write(n.Value)
		case *ast.FencedCodeBlock:
			out.Write(n.Lines().Value(source))
		}
		if n.Type() == ast.TypeBlock && out.Len() > 0 {
			out.WriteByte(' ')
		}
	})
	return strings.Join(strings.Fields(out.String()), " ")
}

// elements draws what the product draws in its own way: headings that can be linked to, tables
// that scroll by themselves, and code with a button that copies it.
type elements struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (elements) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, heading)
	r.Register(ast.KindFencedCodeBlock, code)
	r.Register(tables.KindTable, table)
}

func heading(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	h := n.(*ast.Heading) //nolint:forcetypeassert // registered for headings alone
	if h.Level == 1 {
		return print(w, entering, `<h1 tabindex="-1">`, "</h1>\n")
	}
	tag, id := "h"+strconv.Itoa(h.Level), string(util.EscapeHTML([]byte(idOf(h))))
	label := string(util.EscapeHTML([]byte(plain(h, source))))
	return print(w, entering, "<"+tag+` id="`+id+`">`,
		` <a class="anchor" href="#`+id+`" aria-label="Link to “`+label+`”">#</a></`+tag+">\n")
}

func table(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	class := "table"
	if wide(n) {
		class = "table stacked"
	}
	return print(w, entering, `<div class="table-wrap" tabindex="0" role="region" aria-label="Table: `+
		label(n, source)+`"><table class="`+class+`">`+"\n", "</table></div>\n")
}

func code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block := n.(*ast.FencedCodeBlock) //nolint:forcetypeassert // registered for code alone
	part := components.Source(components.Code{Label: codeLabel(block, source), Text: string(block.Lines().Value(source))})
	return ast.WalkSkipChildren, part.Render(context.Background(), w)
}

// codeNames say what a block holds.
var codeNames = map[string]string{"sh": "Shell", "ini": "Files of systemd", "dockerfile": "Dockerfile", "json": "JSON",
	"go": "Go", "sql": "SQL", "": "Text"}

// codeLabel names a block: what it holds and the section that it is in, numbered where the
// section has several.
func codeLabel(block *ast.FencedCodeBlock, source []byte) string {
	text, nth := codeNames[string(block.Language(source))], 1
	for n := block.PreviousSibling(); n != nil; n = n.PreviousSibling() {
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			nth++
		case *ast.Heading:
			text += ": " + plain(n, source)
			if nth > 1 {
				text += ", " + strconv.Itoa(nth)
			}
			return text
		}
	}
	return text
}

// label is what a part is about: the heading above it.
func label(n ast.Node, source []byte) string {
	for n = n.PreviousSibling(); n != nil; n = n.PreviousSibling() {
		if h, is := n.(*ast.Heading); is {
			return string(util.EscapeHTML([]byte(plain(h, source))))
		}
	}
	return ""
}

func print(w util.BufWriter, entering bool, before, after string) (ast.WalkStatus, error) {
	if !entering {
		before = after
	}
	_, err := w.WriteString(before)
	return ast.WalkContinue, err
}
