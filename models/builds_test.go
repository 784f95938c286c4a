package models_test

import (
	"go/ast"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mostBuiltAgain is how many packages the tests of one may have built once more for them alone.
const mostBuiltAgain = 3

// A package with tests from within is built once more for them, and so is all that stands between it and what its tests
// from without import: a test of a low package that opens the whole product has the product compiled again, which takes
// longer than the test. Such tests lie in a folder tests below the package, or are from without alone.
func TestNoPackageHasTheProductBuiltAgainForItsTests(t *testing.T) {
	imports := map[string]map[string]bool{} // of a package, outside tests
	from := map[string]map[string]bool{}    // what the tests of a package import
	inside := map[string]bool{}             // packages with tests from within
	parseImports(t, func(file string, f *ast.File) {
		of, here := imports, path.Dir(file)
		if strings.HasSuffix(file, "_test.go") {
			of = from
			inside[here] = inside[here] || !strings.HasSuffix(f.Name.Name, "_test")
		}
		if of[here] == nil {
			of[here] = map[string]bool{}
		}
		for _, i := range f.Imports {
			imported, _ := strconv.Unquote(i.Path.Value)
			if ours, is := strings.CutPrefix(imported, module); is {
				of[here][ours] = true
			}
		}
	})
	needs := map[string]map[string]bool{}
	var needed func(name string) map[string]bool
	needed = func(name string) map[string]bool {
		if all, known := needs[name]; known {
			return all
		}
		all := map[string]bool{}
		needs[name] = all
		for imported := range imports[name] {
			all[imported] = true
			maps.Copy(all, needed(imported))
		}
		return all
	}
	for name, is := range inside {
		if !is {
			continue
		}
		again := map[string]bool{}
		for imported := range from[name] {
			for _, one := range append(slices.Collect(maps.Keys(needed(imported))), imported) {
				if needed(one)[name] {
					again[one] = true
				}
			}
		}
		if len(again) > mostBuiltAgain {
			t.Errorf("the tests of %s have %d packages built again: %.200v", name, len(again), slices.Sorted(maps.Keys(again)))
		}
	}
}
