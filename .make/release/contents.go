package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// file is one of a package or an archive. For one without a source the content is given.
type file struct {
	to, source string
	content    []byte
	mode       os.FileMode
	settings   bool // kept when the operator changed it
}

// installed are the files of a package, for one machine.
func (r *release) installed(arch string) ([]file, error) {
	files := []file{
		{to: "/usr/bin/debitdesk", source: r.programs[arch], mode: 0o755},
		{to: "/usr/sbin/debitdeskctl", source: r.from("files/debitdeskctl"), mode: 0o755},
		{to: "/etc/debitdesk/debitdesk.env", source: r.from("files/debitdesk.env"), mode: 0o640, settings: true},
		{to: "/usr/lib/systemd/system/debitdesk.service", source: r.from("files/debitdesk.service")},
		{to: "/usr/lib/systemd/system/debitdesk-work.service", source: r.from("files/debitdesk-work.service")},
		{to: "/usr/lib/sysusers.d/debitdesk.conf", source: r.from("files/debitdesk.sysusers")},
		{to: "/usr/lib/tmpfiles.d/debitdesk.conf", source: r.from("files/debitdesk.tmpfiles")},
		{to: "/usr/share/bash-completion/completions/debitdesk", source: filepath.Join(r.work, "debitdesk.bash")},
		{to: "/usr/share/zsh/vendor-completions/_debitdesk", source: filepath.Join(r.work, "_debitdesk")},
		{to: "/usr/share/fish/vendor_completions.d/debitdesk.fish", source: filepath.Join(r.work, "debitdesk.fish")},
		{to: "/usr/share/doc/debitdesk/copyright", source: r.from("files/copyright")},
		{to: "/usr/share/doc/debitdesk/operators/dashboard.json", source: r.from("operators/dashboard.json")},
		{to: "/usr/share/doc/debitdesk/operators/alerts.yml", source: r.from("operators/alerts.yml")},
	}
	for to, source := range map[string]string{
		"/usr/share/man/man1/debitdesk.1.gz":    filepath.Join(r.work, "debitdesk.1"),
		"/usr/share/man/man8/debitdeskctl.8.gz": r.from("files/debitdeskctl.8"),
		"/usr/share/doc/debitdesk/NOTICES.gz":   filepath.Join(r.work, "NOTICES.txt"),
		"/usr/share/doc/debitdesk/changelog.gz": r.from("CHANGELOG.md"),
	} {
		text, err := os.ReadFile(source)
		if err != nil {
			return nil, err
		}
		packed, err := zipped(text)
		if err != nil {
			return nil, err
		}
		files = append(files, file{to: to, content: packed})
	}
	return r.placed(files)
}

// placed gives every file a source: what has none is written.
func (r *release) placed(files []file) ([]file, error) {
	for i, f := range files {
		if f.mode == 0 {
			files[i].mode = 0o644
		}
		if f.source != "" {
			continue
		}
		files[i].source = filepath.Join(r.work, strings.ReplaceAll(strings.Trim(f.to, "/"), "/", "_"))
		if err := os.WriteFile(files[i].source, f.content, 0o644); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// zipped has no name and no time in it, as Debian asks.
func zipped(text []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(text); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil { // before the bytes are taken: the end of them is written now
		return nil, err
	}
	return b.Bytes(), nil
}

// wrapped divides a line as long as Debian wants it.
func wrapped(begin, text string) string {
	out, length := begin, len(begin)
	for i, word := range strings.Fields(text) {
		if i > 0 && length+1+len(word) > 78 {
			out, length = out+"\n    ", 4
		} else if i > 0 {
			out, length = out+" ", length+1
		}
		out, length = out+word, length+len(word)
	}
	return out + "\n"
}

var heading = regexp.MustCompile(`(?m)^## (Next|(\S+) \((\d{4}-\d\d-\d\d)\))$`)

// debianChangelog is CHANGELOG.md in the form of Debian.
func (r *release) debianChangelog(text string) (string, error) {
	var b strings.Builder
	at := heading.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		version, day := r.packaged(), r.at
		if m[4] >= 0 {
			version = strings.Replace(text[m[4]:m[5]], "-", "~", 1)
			var err error
			if day, err = time.Parse(time.DateOnly, text[m[6]:m[7]]); err != nil {
				return "", err
			}
		} else if !r.isDev() {
			continue
		}
		fmt.Fprintf(&b, "debitdesk (%s-1) unstable; urgency=medium\n\n", version)
		for line := range strings.Lines(strings.TrimSpace(text[m[1]:end])) {
			if point, is := strings.CutPrefix(line, "- "); is {
				b.WriteString(wrapped("  * ", point))
			} else if strings.TrimSpace(line) != "" {
				b.WriteString(wrapped("    ", line))
			}
		}
		fmt.Fprintf(&b, "\n -- %s  %s\n\n", maintainer, day.Format(time.RFC1123Z))
	}
	return b.String(), nil
}
