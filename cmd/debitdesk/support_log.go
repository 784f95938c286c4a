package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// The end of a log that a bundle keeps.
const (
	logLines = 5_000
	logLine  = 64 << 10 // bytes; what is longer is cut
)

// keptKeys are the parts of a line whose values the program makes itself. Of every other part only the plain words
// are kept.
var keptKeys = []string{"time", "level", "status", "ms", "method", "request_id", "row", "check", "task_kind", "kind",
	"attempt", "drain", "every", "processes", "joined"}

// dropped are the parts that are about who called.
var dropped = []string{"ip", "url", "folder", "home", "socket", "email", "to", "name"}

// gap stands where something was left out.
const gap = "~"

// cleanLog copies the end of a log without what may be about people.
func cleanLog(to io.Writer, from io.Reader) error {
	var last []string
	lines := bufio.NewReaderSize(from, logLine)
	for {
		line, more, err := lines.ReadLine()
		if err == io.EOF { //nolint:errorlint // what a reader gives at its end
			break
		} else if err != nil {
			return err
		}
		if len(last) >= 2*logLines {
			last = slices.Clone(last[logLines:])
		}
		last = append(last, cleanLine(string(line)))
		for more && err == nil { // the rest of a line that is too long
			_, more, err = lines.ReadLine()
		}
	}
	last = last[max(0, len(last)-logLines):]
	for _, line := range last {
		if _, err := fmt.Fprintln(to, line); err != nil {
			return err
		}
	}
	return nil
}

// part is a key and its value, as in status=200.
var logPart = regexp.MustCompile(`([A-Za-z_.]+)=("(?:[^"\\]|\\.)*"|\S*)`)

// stackLine is one of a panic: a function of the program, or a file and its line.
var stackLine = regexp.MustCompile(`^(\s+\S+/)?(debitdesk|runtime|net/http|github\.com|golang\.org)[\w./@*()-]*`)

// cleanLine keeps of a line what the program itself wrote.
func cleanLine(line string) string {
	var parts map[string]any
	if strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &parts) == nil {
		keys := make([]string, 0, len(parts))
		for key := range parts {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		var out []string
		for _, key := range keys {
			out = append(out, cleanPart(key, fmt.Sprint(parts[key])))
		}
		return strings.Join(out, " ")
	}
	if found := logPart.FindAllStringSubmatch(line, -1); strings.HasPrefix(line, "time=") && found != nil {
		var out []string
		for _, m := range found {
			out = append(out, cleanPart(m[1], strings.Trim(m[2], `"`)))
		}
		return strings.Join(out, " ")
	}
	return stackLine.FindString(line) + gap
}

var (
	plainKey   = regexp.MustCompile(`^[a-z_]{1,32}$`)
	plainValue = regexp.MustCompile(`^[A-Za-z0-9:.+_-]{0,40}$`)
)

func cleanPart(key, value string) string {
	switch {
	case !plainKey.MatchString(key):
		return gap
	case slices.Contains(dropped, key):
		return key + "=" + gap
	case slices.Contains(keptKeys, key) && plainValue.MatchString(value):
		return key + "=" + value
	case key == "path":
		return key + "=" + plainPath(value)
	}
	return key + "=" + fmt.Sprintf("%q", plainWords(value))
}

// plainPath keeps the steps of an address that are words of ours: not ids, and not what was searched for.
func plainPath(path string) string {
	path, _, _ = strings.Cut(path, "?")
	steps := strings.Split(path, "/")
	for i, step := range steps {
		if step != "" && !(lowerWord.MatchString(step) && vocabulary()[step]) {
			steps[i] = gap
		}
	}
	return strings.Join(steps, "/")
}
