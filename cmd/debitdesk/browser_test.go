package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// patience is how long anything may take that is waited for. It ends what hangs; no machine is too slow for it.
const patience = 10 * time.Minute

// readAgain is how long after a look at the page the next one is taken.
const readAgain = 30 * time.Millisecond

// site is the whole product on a listener and a database of its own.
type site struct {
	url   string // in links
	local string // where it listens
	app   *App
}

func openSite(t *testing.T) *site { return openSiteOn(t, sandboxOn(t), func(*App) {}) }

// openSiteOn serves the product as the environment says; prepare changes it before it serves.
func openSiteOn(t *testing.T, env map[string]string, prepare func(*App)) *site {
	t.Helper()
	config, err := ReadConfig(env)
	if err != nil {
		t.Fatal(err)
	}
	on, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := config.PublicURL(on.Addr().String())
	app, err := Open(t.Context(), config, opening{
		log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})), baseURL: url,
		maxConns: 12})
	if err != nil {
		t.Fatal(err)
	}
	prepare(app)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- app.Serve(ctx, on, nil, url, true, io.Discard) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with: %v", err)
		}
		if err := app.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return &site{url, "http://" + on.Addr().String(), app}
}

// sharedBrowser is the headless Chromium of this run, once a test wants it. endBrowser closes it.
var (
	sharedBrowser = sync.OnceValues(startBrowser)
	endBrowser    = func() {}
)

// browser is a headless Chromium. All tests share it: each tab is a person of its own, with its own cookies and cache.
func browser(t *testing.T) context.Context {
	t.Helper()
	first, err := sharedBrowser()
	if err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	return first
}

// headlessShell is Debian's, which chromedp does not look for. The program of that name in the path is a script that
// would end and leave the browser behind.
const headlessShell = "/usr/lib/chromium/chromium-headless-shell"

func startBrowser() (context.Context, error) {
	profile, err := os.MkdirTemp(scratch, "profile-") // the browser may write to it for a moment after its end
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.Flag("disable-quic", true), chromedp.Flag("no-first-run", true),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.DisableGPU, chromedp.Flag("lang", "en-GB"), chromedp.UserDataDir(profile), chromedp.WindowSize(1280, 900),
		chromedp.WSURLReadTimeout(patience))
	if _, err := os.Stat(headlessShell); err == nil {
		options = append(options, chromedp.ExecPath(headlessShell))
	}
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	first, closeFirst := chromedp.NewContext(allocator)
	endBrowser = func() { closeFirst(); end() }
	return first, chromedp.Run(first)
}

// The driver asks every five milliseconds whether something is there yet, which keeps a core busy while a page comes.
func byQuery(s *chromedp.Selector) { chromedp.ByQuery(s); chromedp.RetryInterval(readAgain)(s) }

func bySearch(s *chromedp.Selector) { chromedp.BySearch(s); chromedp.RetryInterval(readAgain)(s) }

// tab is one person in front of the browser, with cookies of their own.
type tab struct {
	t     *testing.T
	ctx   context.Context
	base  string
	plain bool // runs no scripts
}

func (s *site) tab(t *testing.T, in context.Context) *tab {
	t.Helper()
	var window target.ID
	var nobody cdp.BrowserContextID
	whole := cdp.WithExecutor(in, chromedp.FromContext(in).Browser)
	err := chromedp.Run(in, chromedp.ActionFunc(func(context.Context) (err error) {
		if nobody, err = target.CreateBrowserContext().Do(whole); err != nil {
			return err
		}
		window, err = target.CreateTarget("about:blank").WithBrowserContextID(nobody).WithNewWindow(true).Do(whole)
		return err
	}))
	if err != nil {
		t.Fatalf("open a window: %v", err)
	}
	t.Cleanup(func() {
		if err := target.DisposeBrowserContext(nobody).Do(whole); err != nil {
			t.Errorf("close the windows of a person: %v", err)
		}
	})
	ctx, end := chromedp.NewContext(in, chromedp.WithTargetID(window))
	t.Cleanup(end)
	chromedp.ListenTarget(ctx, func(event any) { // a form that is left with what was typed asks first; the journeys leave
		if _, asks := event.(*page.EventJavascriptDialogOpening); asks {
			go func() { _ = chromedp.Run(ctx, page.HandleJavaScriptDialog(true)) }()
		}
	})
	return &tab{t: t, ctx: ctx, base: s.url}
}

// withoutScripts is a person whose browser runs none. axe is a script.
func (b *tab) withoutScripts() *tab {
	b.t.Helper()
	b.do("turn scripts off", emulation.SetScriptExecutionDisabled(true))
	b.plain = true
	return b
}

// do runs actions, within the patience for all of them.
func (b *tab) do(what string, actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx); err != nil { // the first run makes the tab, which must outlive the deadline
		b.t.Fatalf("%s: %v", what, err)
	}
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Run(ctx, actions...); err != nil {
		b.t.Fatalf("%s: %v\n%s", what, err, b.page())
	}
}

// goes runs an action that leads to another page, and returns when that is there.
func (b *tab) goes(what string, action chromedp.Action) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if _, err := chromedp.RunResponse(ctx, action); err != nil {
		b.t.Fatalf("%s: %v\n%s", what, err, b.page())
	}
}

// page is what the person sees, for messages of failed tests.
func (b *tab) page() string {
	ctx, cancel := context.WithTimeout(b.ctx, patience/10)
	defer cancel()
	var address, text string
	if err := chromedp.Run(ctx, chromedp.Location(&address),
		chromedp.Evaluate(
			`[...(document.querySelector("main") || document.body).querySelectorAll("option:not(:checked)")]
				.forEach(o => o.remove()),
				(document.querySelector("main") || document.body).innerText`,
			&text,
		)); err != nil {
		return err.Error()
	}
	return address + "\n" + text
}

func (b *tab) open(path string) {
	b.t.Helper()
	if !strings.HasPrefix(path, "http") {
		path = b.base + path
	}
	b.do("open "+path, chromedp.Navigate(path))
}

// sees waits for a text on the page.
func (b *tab) sees(text string) {
	b.t.Helper()
	b.do("see "+strconv.Quote(text), chromedp.WaitVisible(shows(text), bySearch))
}

// loses waits until a text has gone from the page.
func (b *tab) loses(text string) {
	b.t.Helper()
	b.do("lose "+strconv.Quote(text), chromedp.WaitNotPresent(shows(text), bySearch))
}

func shows(text string) string {
	return `//body//*[not(self::script or self::option)][text()[contains(normalize-space(.), ` + quoted(text) + `)]]`
}

// fill types into the input of that name.
func (b *tab) fill(name, text string) {
	b.t.Helper()
	input := `main [name="` + name + `"]`
	b.do("fill "+name, chromedp.WaitVisible(input, byQuery), chromedp.Clear(input, byQuery),
		chromedp.SendKeys(input, text, byQuery))
}

// set puts a value that is not typed, such as a date.
func (b *tab) set(name, value string) {
	b.t.Helper()
	b.do("set "+name, chromedp.SetValue(`[name="`+name+`"]`, value, byQuery))
}

// submit presses the main button of the form. By the element, not by where it is: what the form shows meanwhile, such
// as the day of a debit, may move it, and a press beside it leads nowhere.
func (b *tab) submit() {
	b.t.Helper()
	const button = `main :is(button.primary, button.danger)`
	b.do("see the button", chromedp.WaitVisible(button, byQuery))
	b.goes("submit", chromedp.Evaluate(`document.querySelector("`+button+`").click()`, nil))
}

// pick chooses an option by its value.
func (b *tab) pick(name, value string) {
	b.t.Helper()
	b.do("pick "+name, chromedp.SetValue(`select[name="`+name+`"]`, value, byQuery))
}

// click presses the button or link with that text, which leads to another page.
func (b *tab) click(text string) {
	b.t.Helper()
	q := quoted(text)
	b.goes("click "+strconv.Quote(text), chromedp.Click(`//main//button[normalize-space(.)=`+q+
		`] | //main//a[normalize-space(.)=`+q+`] | //main//summary[normalize-space(.)=`+q+`]`,
		bySearch, chromedp.NodeVisible))
}

// choose marks a radio button or a box.
func (b *tab) choose(name, value string) {
	b.t.Helper()
	b.do("choose "+name, chromedp.Evaluate(`(() => { const one = [...document.getElementsByName(`+strconv.Quote(name)+
		`)].find(e => !`+strconv.Quote(value)+` || e.value === `+strconv.Quote(value)+`);
		if (!one) throw new Error("nothing to choose"); one.click() })()`, nil))
}

// address is where the person is, without the host.
func (b *tab) address() string {
	b.t.Helper()
	var at string
	b.do("read the address", chromedp.Location(&at))
	return strings.TrimPrefix(at, b.base)
}

// text of the first element that fits.
func (b *tab) text(selector string) string {
	b.t.Helper()
	return b.read(selector, `e.checkVisibility() ? e.innerText : null`)
}

// read waits until the first element that fits gives something, and takes it in the same moment: the page may put
// another element in its place at any time.
func (b *tab) read(selector, what string) string {
	b.t.Helper()
	var found *string
	ask := fmt.Sprintf(`((e) => e ? %s : null)(document.querySelector(%q))`, what, selector)
	b.do("read "+selector, chromedp.ActionFunc(func(ctx context.Context) error {
		for {
			err := chromedp.Evaluate(ask, &found).Do(ctx) // fails while another page is coming
			if err == nil && found != nil {
				return nil
			}
			if over := chromedp.Sleep(readAgain).Do(ctx); over != nil {
				return errors.Join(err, over)
			}
		}
	}))
	if found == nil {
		return ""
	}
	return *found
}

// attribute of the first element that fits.
func (b *tab) attribute(selector, name string) string {
	b.t.Helper()
	return b.read(selector, fmt.Sprintf(`e.getAttribute(%q) ?? ""`, name))
}

func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

func quoted(text string) string {
	if !strings.Contains(text, `"`) {
		return `"` + text + `"`
	}
	return "'" + text + "'"
}

// A look is how a page is shown. The journeys ask about the first two: between them they have both widths and both
// colour schemes. One page of each kind is asked about in all four, as are those of which somebody wants pictures.
var looks = []look{{1280, 900, "light"}, {390, 844, "dark"}, {390, 844, "light"}, {1280, 900, "dark"}}

type look struct {
	width, height int64
	scheme        string
}

// looked are the pages that a journey of this run has asked about, by name.
var looked sync.Map

// looksAt asks axe about the page in each look, once in a run, and takes pictures when wanted.
// It ends as it began: wide and light.
func (b *tab) looksAt(name string) {
	b.t.Helper()
	if b.plain {
		return
	}
	if _, before := looked.LoadOrStore(name, true); before {
		return
	}
	asked := looks[:2]
	if pictures != "" {
		asked = looks
	}
	for n, l := range asked {
		b.show(l.width, l.height, l.scheme)
		if found := b.barriers(n); found != "" {
			b.t.Errorf("%s (%d pixels, %s) shuts people out:\n%s", name, l.width, l.scheme, found)
		}
		if wide := b.overflow(); wide != "" {
			b.t.Errorf("%s (%d pixels) is wider than its window: %s", name, l.width, wide)
		}
		b.picture(fmt.Sprintf("%s-%d-%s", name, l.width, l.scheme), l.width)
	}
	b.show(looks[0].width, looks[0].height, looks[0].scheme)
}

func (b *tab) show(width, height int64, scheme string) {
	b.t.Helper()
	b.do("show", chromedp.EmulateViewport(width, height), chromedp.ActionFunc(func(ctx context.Context) error {
		return emulation.SetEmulatedMedia().WithFeatures(
			[]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme},
				{Name: "prefers-reduced-motion", Value: "reduce"}}).Do(ctx)
	}))
}

// overflow names what makes the page scroll sideways.
func (b *tab) overflow() string {
	b.t.Helper()
	var who string
	b.do("measure", chromedp.Evaluate(`(() => { const w = document.documentElement.clientWidth;
		if (document.documentElement.scrollWidth <= w) return "";
		const wide = [...document.body.querySelectorAll("*")].filter(e => e.getBoundingClientRect().right > w + 1);
		return wide.slice(0, 3).map(e => e.tagName + "." + e.className).join(", ") })()`, &who))
	return who
}
