package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// levelTwo is how the requirements of levels 1 and 2 are numbered in ASVS 4.0.3: a
// section, and the numbers in it.
const levelTwo = `1.1 1-7, 1.2 1-4, 1.4 1 4 5, 1.5 1-4, 1.6 1-4, 1.7 1-2, 1.8 1-2, 1.9 1-2, 1.10 1, 1.11 1-2, 1.12 2,
1.14 1-6, 2.1 1-12, 2.2 1-3, 2.3 1-3, 2.4 1-5, 2.5 1-7, 2.6 1-3, 2.7 1-6, 2.8 1-7, 2.9 1-3, 2.10 1-4,
3.1 1, 3.2 1-4, 3.3 1-4, 3.4 1-5, 3.5 1-3, 3.7 1, 4.1 1-3 5, 4.2 1-2, 4.3 1-3,
5.1 1-5, 5.2 1-8, 5.3 1-10, 5.4 1-3, 5.5 1-4, 6.1 1-3, 6.2 1-6, 6.3 1-2, 6.4 1-2, 7.1 1-4, 7.2 1-2, 7.3 1 3 4, 7.4 1-3,
8.1 1-4, 8.2 1-3, 8.3 1-8, 9.1 1-3, 9.2 1-4, 10.2 1-2, 10.3 1-3, 11.1 1-8, 12.1 1-3, 12.2 1, 12.3 1-6, 12.4 1-2,
12.5 1-2, 12.6 1, 13.1 1 3-5, 13.2 1-3 5 6, 13.3 1-2, 13.4 1-2, 14.1 1-4, 14.2 1-6, 14.3 2-3, 14.4 1-7, 14.5 1-4`

func requirements(t *testing.T) (ids []string) {
	t.Helper()
	for section := range strings.SplitSeq(levelTwo, ",") {
		words := strings.Fields(section)
		for _, span := range words[1:] {
			first, last := 0, 0
			if n, _ := fmt.Sscanf(span, "%d-%d", &first, &last); n == 1 {
				last = first
			}
			for i := first; i <= last; i++ {
				ids = append(ids, fmt.Sprintf("%s.%d", words[0], i))
			}
		}
	}
	return ids
}

var (
	asvsRow  = regexp.MustCompile(`(?m)^\| ((?:\d+\.\d+\.\d+(?:, )?)+) \| [^|]+ \| ([^|]+) \|$`)
	codeWord = regexp.MustCompile("`([^`]+)`")
	testName = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

func TestTheListOfRequirementsIsWholeAndNamesWhatExists(t *testing.T) {
	root := filepath.Join("..", "..")
	chapter := manualText(t, "asvs")
	tests := testNames(t, root)
	var listed []string
	for _, row := range asvsRow.FindAllStringSubmatch(chapter, -1) {
		listed = append(listed, strings.Split(row[1], ", ")...)
		for _, word := range codeWord.FindAllStringSubmatch(row[2], -1) {
			checkExists(t, root, row[1], word[1], tests)
		}
	}
	want := requirements(t)
	for _, id := range want {
		if n := count(listed, id); n != 1 {
			t.Errorf("requirement %s stands %d times in the manual", id, n)
		}
	}
	for _, id := range listed {
		if !slices.Contains(want, id) {
			t.Errorf("%s is no requirement of level 2", id)
		}
	}
}

// testNames are the names of all tests of the repository.
func testNames(t *testing.T, root string) map[string]bool {
	t.Helper()
	tests := map[string]bool{}
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path) //nolint:gosec // a file of the repository
		for _, m := range testName.FindAllSubmatch(text, -1) {
			tests[string(m[1])] = true
		}
		return err
	}))
	return tests
}

func checkExists(t *testing.T, root, id, word string, tests map[string]bool) {
	t.Helper()
	isFile := strings.HasSuffix(word, ".go") || word == "go.sum" || word == "go.mod" || word == ".golangci.yml"
	switch {
	case strings.HasPrefix(word, "Test"):
		if !tests[word] {
			t.Errorf("%s: there is no %s", id, word)
		}
	case isFile:
		if _, err := os.Stat(filepath.Join(root, word)); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func count(list []string, word string) (n int) {
	for _, one := range list {
		if one == word {
			n++
		}
	}
	return n
}
