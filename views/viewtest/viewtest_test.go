package viewtest_test

import (
	"strings"
	"testing"

	"debitdesk/views/viewtest"
)

func TestGoodMarkupHasNoProblems(t *testing.T) {
	const good = `<form><label for="a">A</label><input id="a" aria-describedby="h"><p id="h">hint</p>` +
		`<label>B <input type="radio"></label><button>Go</button><script src="/x.js"></script><br></form>`
	if got := viewtest.Problems(good); len(got) != 0 {
		t.Error(got)
	}
}

func TestEachBrokenRuleIsNamed(t *testing.T) {
	for markup, want := range map[string]string{
		`<p style="x">a</p>`:               "style in",
		`<p onclick="x">a</p>`:             "onclick in",
		`<a href="javascript:x">a</a>`:     "javascript address",
		`<script>x</script>`:               "inline script",
		`<style>x</style>`:                 "style element",
		`<div><p>a</div>`:                  "closes nothing",
		`<div>`:                            "never closed",
		`<p id="a">x</p><p id="a">y</p>`:   "2 times",
		`<input name="a">`:                 "no label",
		`<label for="b">B</label>`:         "nothing has the id",
		`<button><svg></svg></button>`:     "no words",
		`<img src="/a.png">`:               "no alt",
		`<p class="a" class="b">x</p>`:     "twice",
		`<p aria-describedby="gone">x</p>`: "nothing has the id",
	} {
		if got := strings.Join(viewtest.Problems(markup), "; "); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", markup, got, want)
		}
	}
}
