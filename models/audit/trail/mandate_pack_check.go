package trail

import (
	"archive/zip"
	"fmt"
	"io"
	"strconv"
	"strings"

	"debitdesk/models/audit/merkle"
)

// CheckedPack is what a look at an audit pack found.
type CheckedPack struct {
	Reference, Made, Origin string
	Files, Entries          int
	Size                    int64    // of the log
	Problems                []string // in words; none: everything fits
	OwnKeys                 []string // the keys that were taken from the pack itself; none: others were given
}

// mostFile is how long one file of a pack may be.
const mostFile = 64 << 20

// packCheck is a look at a pack.
type packCheck struct {
	CheckedPack
	files map[string][]byte
	keys  []string
}

func (c *packCheck) wrong(why string, args ...any) {
	c.Problems = append(c.Problems, fmt.Sprintf(why, args...))
}

// CheckMandatePack checks an audit pack without the database, and tells each thing that does not fit. keysOf gives the
// keys to check with; where it gives none, those in the pack are taken, and told.
func CheckMandatePack(pack *zip.Reader, keysOf func(origin string) []string) CheckedPack {
	c := &packCheck{files: map[string][]byte{}}
	c.read(pack)
	signed, is := c.files[packManifest]
	if !is {
		c.wrong("There is no MANIFEST: this is not the audit pack of a mandate.")
		return c.CheckedPack
	}
	text, _, _ := strings.Cut(string(signed), "\n\n")
	m, ok := readManifest(text + "\n")
	if !ok {
		c.wrong("The MANIFEST cannot be read.")
		return c.CheckedPack
	}
	c.Reference, c.Made, c.Origin, c.Files = m.reference, m.made, m.origin, len(m.files)
	if c.keys = keysOf(m.origin); len(c.keys) == 0 {
		c.keys = strings.Fields(string(c.files[packKeys]))
		c.OwnKeys = c.keys
	}
	if _, err := merkle.OpenNote(m.origin, string(signed), c.keys); err != nil {
		c.wrong("The MANIFEST is not signed with a key of the log.")
	}
	c.listed(m)
	c.entries(m.origin)
	return c.CheckedPack
}

func (c *packCheck) read(pack *zip.Reader) {
	for _, f := range pack.File {
		if _, twice := c.files[f.Name]; twice {
			c.wrong("%s is in the pack twice.", f.Name)
		}
		content, err := contentOf(f)
		if err != nil {
			c.wrong("%s cannot be read: %v.", f.Name, err)
		}
		c.files[f.Name] = content
	}
}

func contentOf(f *zip.File) ([]byte, error) {
	from, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = from.Close() }()
	content, err := io.ReadAll(io.LimitReader(from, mostFile+1))
	if err == nil && len(content) > mostFile {
		err = fmt.Errorf("it is longer than %d bytes", mostFile)
	}
	return content, err
}

// listed compares the files with the manifest.
func (c *packCheck) listed(m manifest) {
	known := map[string]bool{packManifest: true}
	for _, f := range m.files {
		known[f.name] = true
		content, is := c.files[f.name]
		switch {
		case !is:
			c.wrong("%s is missing.", f.name)
		case listedOf(PackFile{f.name, content}) != f:
			c.wrong("%s was changed.", f.name)
		}
	}
	for name := range c.files {
		if !known[name] {
			c.wrong("%s is not in the MANIFEST.", name)
		}
	}
}

// entries checks that each entry is in the log.
func (c *packCheck) entries(origin string) {
	at, err := merkle.OpenCheckpoint(string(c.files[packCheckpoint]), c.keys)
	if err != nil {
		c.wrong("The checkpoint: %v.", err)
	} else if at.Origin != origin {
		c.wrong("The checkpoint is of another log, %s.", at.Origin)
	}
	c.Size = at.Size
	proofs := 0
	for name := range c.files {
		if strings.HasPrefix(name, packProofs) {
			proofs++
		}
	}
	text := strings.TrimSuffix(string(c.files[packEntries]), "\n")
	if text == "" {
		return
	}
	for _, line := range strings.Split(text, "\n") {
		c.Entries++
		c.entry(line, at)
	}
	if proofs != c.Entries {
		c.wrong("There are %d entries and %d proofs.", c.Entries, proofs)
	}
}

func (c *packCheck) entry(line string, at merkle.Checkpoint) {
	e, err := ReadLine([]byte(line))
	if err != nil {
		c.wrong("Line %d of %s cannot be read: %v.", c.Entries, packEntries, err)
		return
	}
	name := fmt.Sprintf("%s%09d.tlog-proof", packProofs, e.N)
	p, err := merkle.ReadInclusion(string(c.files[name]))
	switch {
	case err != nil:
		c.wrong("%s: %v.", name, err)
	case string(p.Line) != line:
		c.wrong("%s does not prove line %d of %s.", name, c.Entries, packEntries)
	case p.Checkpoint != at:
		c.wrong("%s has a checkpoint that is not the one of the pack.", name)
	case p.Check() != nil:
		c.wrong("%s: %v.", name, p.Check())
	}
}

// readManifest takes a manifest apart. Only what this program writes is taken.
func readManifest(text string) (m manifest, ok bool) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) < 5 || lines[0] != manifestForm {
		return m, false
	}
	m.origin, m.mandate = strings.TrimPrefix(lines[1], "log "), strings.TrimPrefix(lines[2], "mandate ")
	m.reference, m.made = strings.TrimPrefix(lines[3], "reference "), strings.TrimPrefix(lines[4], "made ")
	for _, line := range lines[5:] {
		parts := strings.SplitN(line, " ", 4)
		if len(parts) != 4 {
			return m, false
		}
		size, err := strconv.Atoi(parts[2])
		if err != nil {
			return m, false
		}
		m.files = append(m.files, listed{parts[1], size, parts[3]})
	}
	return m, m.text() == text
}
