package manual

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// book reads a manual of one chapter.
func book(t *testing.T, chapter string) *Book {
	t.Helper()
	b, err := Read(fstest.MapFS{
		"index.md": {Data: []byte("# Manual\n\nWelcome.\n\n## Group\n\n- [A chapter](one.md): about one thing\n")},
		"one.md":   {Data: []byte(chapter)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTheContentsNameGroupsChaptersAndSummaries(t *testing.T) {
	t.Parallel()
	b := book(t, "# A chapter\n\nText.\n")
	one := b.Chapters[0]
	if len(b.Groups) != 1 || b.Groups[0].Title != "Group" || one.Title != "A chapter" ||
		one.Summary != "about one thing" || one.Href() != "/manual/one" {
		t.Errorf("%+v %+v", b.Groups, one)
	}
	if b.Intro != "<p>Welcome.</p>\n" {
		t.Errorf("intro %q", b.Intro)
	}
}

func TestAChapterThatTheContentsDoNotListIsAnError(t *testing.T) {
	t.Parallel()
	index := &fstest.MapFile{Data: []byte("# Manual\n\n## Group\n\n- [A chapter](one.md): text\n")}
	one := &fstest.MapFile{Data: []byte("# A chapter\n")}
	for name, files := range map[string]fstest.MapFS{
		"a file that is not listed":    {"index.md": index, "one.md": one, "lost.md": one},
		"a listed file that is absent": {"index.md": index},
		"a chapter without a title":    {"index.md": index, "one.md": {Data: []byte("Text first.\n")}},
		"a picture that is absent":     {"index.md": index, "one.md": {Data: []byte("# A\n\n![x](pictures/x.png)\n")}},
	} {
		if _, err := Read(files); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

func TestMarkdownBecomesSafeHTML(t *testing.T) {
	t.Parallel()
	html := book(t,
		"# T\n\n## A “heading” & more\n\n<script>x()</script>\n\n[bad](javascript:x) [other](one.md#t)\n\n| A | B "+
			"|\n|:--|--:|\n| 1 | <b>2</b> |\n\n```sh\necho '<b>'\n```\n").Chapters[0].HTML
	for _, bad := range []string{"<script", "javascript:", "<b>", "style="} {
		if strings.Contains(html, bad) {
			t.Errorf("%q is in %s", bad, html)
		}
	}
	for _, want := range []string{`<h2 id="a-heading--more">`, `href="#a-heading--more"`, `href="/manual/one#t"`,
		`<table class="table">`, `role="region"`, "echo &#39;&lt;b&gt;&#39;"} {
		if !strings.Contains(html, want) {
			t.Errorf("%q is not in %s", want, html)
		}
	}
}

func TestCellsOfWideTablesNameTheirColumn(t *testing.T) {
	t.Parallel()
	html := book(t, "# T\n\n| A | B & C | D |\n|---|---|---|\n| 1 | 2 | |\n").Chapters[0].HTML
	for _, want := range []string{`<table class="table stacked">`, "<td>1</td>", `<td data-label="B &amp; C">2</td>`,
		"<td></td>"} {
		if !strings.Contains(html, want) {
			t.Errorf("%q is not in %s", want, html)
		}
	}
}

func TestSearchFindsSectionsByTheirWords(t *testing.T) {
	t.Parallel()
	b := book(
		t,
		"# Debits\n\nFirst words.\n\n## Cut-off times\n\nThe bank closes at noon.\n\n## Other\n\nAfter the cut-off (or two "+
			"cut-offs) a debit stays. See `DEBITDESK_DRAIN`.\n",
	)
	for query, want := range map[string]string{
		"cutoff":          "Cut-off times, Other",
		"CUT-OFF noon":    "Cut-off times",
		"debitdesk_drain": "Other",
		"debits stay":     "Other",
		"first":           "Debits",
		"zebra":           "",
		"cutoff zebra":    "",
		"   ":             "",
		"(?i)[":           "",
	} {
		var got []string
		for _, h := range b.Search(query) {
			got = append(got, h.Section.Title)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

func TestASnippetMarksWhatWasFound(t *testing.T) {
	t.Parallel()
	b := book(t, "# T\n\n"+strings.Repeat("padding words ", 40)+"the needle is here "+strings.Repeat("and more words ",
		40)+"\n")
	pieces := b.Search("NEEDLE")[0].Snippet
	text, marked := "", ""
	for _, p := range pieces {
		text += p.Text
		if p.Found {
			marked += p.Text
		}
	}
	if marked != "needle" || !strings.HasPrefix(text, "… ") || !strings.HasSuffix(text, " …") || len(text) > 400 {
		t.Errorf("%q of %q", marked, text)
	}
}

func TestAQueryIsCutAndCleaned(t *testing.T) {
	t.Parallel()
	if got := Query("  a\x00b \xff c  " + strings.Repeat("é", 200)); !strings.HasPrefix(got, "ab c é") ||
		len([]rune(got)) != longestQuery {
		t.Errorf("%q", got)
	}
}

var (
	hrefs = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	ids   = regexp.MustCompile(` id="([^"]+)"`)
)

// Every link of the manual to itself leads somewhere, also to the section it names.
func TestLinksWithinTheManualLeadSomewhere(t *testing.T) {
	t.Parallel()
	b := The()
	known := map[string]bool{Path: true}
	for _, c := range b.Chapters {
		known[c.Href()] = true
		for _, id := range ids.FindAllStringSubmatch(c.HTML, -1) {
			if known[c.Href()+"#"+id[1]] {
				t.Errorf("%s has two parts %q", c.Slug, id[1])
			}
			known[c.Href()+"#"+id[1]] = true
		}
	}
	for _, c := range b.Chapters {
		for _, m := range hrefs.FindAllStringSubmatch(c.HTML, -1) {
			link := m[1]
			if strings.HasPrefix(link, "#") {
				link = c.Href() + link
			}
			if picture, is := strings.CutPrefix(link, Path+"/pictures/"); is {
				if _, err := fs.Stat(b.pictures, "pictures/"+picture); err != nil {
					t.Errorf("%s: %v", c.Slug, err)
				}
				continue
			}
			if strings.HasPrefix(link, Path) && !known[link] {
				t.Errorf("%s links to %s, which is not there", c.Slug, link)
			}
		}
	}
}

// Titles are said once: the contents and the chapter agree, and each chapter has text.
func TestEveryChapterHasItsTitleASummaryAndText(t *testing.T) {
	t.Parallel()
	for _, c := range The().Chapters {
		if c.Sections[0].Title != c.Title || c.Sections[0].Level != 1 {
			t.Errorf("%s is called %q in the contents and %q in its file", c.Slug, c.Title, c.Sections[0].Title)
		}
		if c.Summary == "" || len(c.Sections[0].Text) < 40 {
			t.Errorf("%s has no summary or does not say what it is about", c.Slug)
		}
		if strings.Contains(c.HTML, "raw HTML omitted") {
			t.Errorf("%s has raw HTML, which is left out", c.Slug)
		}
		for _, s := range c.Sections[1:] {
			if s.Level < 2 || s.Level > 3 || s.ID == "" {
				t.Errorf("%s: %q is a heading of level %d", c.Slug, s.Title, s.Level)
			}
		}
	}
}
