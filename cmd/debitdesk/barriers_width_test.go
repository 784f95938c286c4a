package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// narrowFaults is a page that shuts nobody out in a wide window; in a narrow one a button and a field lose their names,
// and a link without one comes up.
const narrowFaults = `<!doctype html><html lang="en"><title>Narrow</title><style>
	.phone { display: none }
	@media (max-width: 600px) { .wide { display: none } .phone { display: block } }
</style><main><h1>Narrow</h1>
<button type="button" id="save"><span class="wide">Save</span><svg width="24" height="24" aria-hidden="true"></svg></button>
<label for="name"><span class="wide">Name</span></label> <input id="name">
<a class="phone" href="/elsewhere"><svg width="24" height="24" aria-hidden="true"></svg></a></main></html>`

// What a width changes is judged in that width, without asking of the whole page again.
func TestWhatOnlyANarrowWindowHidesIsFound(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(narrowFaults))
	}))
	t.Cleanup(server.Close)
	b := (&site{url: server.URL}).tab(t, browser(t))
	b.bringsAxe()
	b.show(looks[0].width, looks[0].height, looks[0].scheme)
	b.open("/")
	if found := b.barriers(0); found != "" {
		t.Errorf("in a wide window:\n%s", found)
	}
	b.show(390, looks[0].height, looks[0].scheme)
	found := b.barriers(1)
	for _, rule := range []string{"button-name: ", "label: ", "link-name: "} {
		if !strings.Contains(found, rule) {
			t.Errorf("%s is not found in a narrow window:\n%s", rule, found)
		}
	}
	b.do("hide", chromedp.Evaluate(`document.querySelector("main").style.display = "none"`, nil))
	if found := b.barriers(1); !strings.Contains(found, "nothing of it shows") {
		t.Errorf("a page without its main part: %q", found)
	}
}
