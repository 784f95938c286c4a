package viewtest_test

import (
	"strings"
	"testing"

	"debitdesk/views/viewtest"
)

func TestGoodMarkupHasNoProblems(t *testing.T) {
	const good = `<form><label for="a">A</label><input id="a" aria-describedby="h"><p id="h">hint</p>` +
		`<label>B <input type="radio"></label><button>Go</button><script src="/x.js"></script><br></form>` +
		`<details><summary><h2>x</h2></summary><a href="/"><div>y</div></a></details><ul><li><p>x</p></li></ul>` +
		`<select aria-label="x" required><option value="">Choose</option><option>A</option></select>` +
		`<svg><title>x</title><a><text>y</text></a></svg><a href="/"><input type="hidden">x</a>`
	if got := viewtest.Problems(good); len(got) != 0 {
		t.Error(got)
	}
}

func TestEachBrokenRuleIsNamed(t *testing.T) {
	for markup, want := range map[string]string{
		`<p style="x">a</p>`:                                   "style in",
		`<p onclick="x">a</p>`:                                 "onclick in",
		`<a href="javascript:x">a</a>`:                         "javascript address",
		`<script>x</script>`:                                   "inline script",
		`<style>x</style>`:                                     "style element",
		`<div><p>a</div>`:                                      "closes nothing",
		`<div>`:                                                "never closed",
		`<p id="a">x</p><p id="a">y</p>`:                       "2 times",
		`<input name="a">`:                                     "no label",
		`<label for="b">B</label>`:                             "nothing has the id",
		`<button><svg></svg></button>`:                         "no words",
		`<img src="/a.png">`:                                   "no alt",
		`<p class="a" class="b">x</p>`:                         "twice",
		`<p aria-describedby="gone">x</p>`:                     "nothing has the id",
		`<span><a href="/"><div>x</div></a></span>`:            "<div> stands within the sentence of <span>",
		`<span><details><summary>x</summary></details></span>`: "<details> stands within the sentence",
		`<summary><h2>x</h2><p>y</p></summary>`:                "<p> stands within the sentence of <summary>",
		`<a href="/"><span><button>x</button></span></a>`:      `stands inside <a href="/">`,
		`<button>x<input aria-label="y"></button>`:             "stands inside <button>",
		`<form><div><form></form></div></form>`:                "<form> stands inside <form>",
		`<ul><a href="/">x</a></ul>`:                           "<a> in <ul>",
		`<div><li>x</li></div>`:                                "<li> is in <div>",
		`<details><p>x</p><summary>y</summary></details>`:      "does not begin with a summary",
		`<select aria-label="x" required><option value="a">A</option></select>`: "no empty first choice",
	} {
		if got := strings.Join(viewtest.Problems(markup), "; "); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", markup, got, want)
		}
	}
}
