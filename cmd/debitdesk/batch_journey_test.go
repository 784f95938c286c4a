package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// cellsOf is a table as a spreadsheet copies it: some rows with slips of the pen.
func cellsOf(day string) string {
	var b strings.Builder
	b.WriteString("E-mail\tName\tAmount\tDue date\tDescription\n")
	for i, name := range []string{"Thandi Nkosi", "Pieter van Wyk", "Aisha Davids", "Sipho Zulu", "Zinhle Dube",
		"Johan Botha"} {
		fmt.Fprintf(&b, "%s@example.com\t%s\t%d,00\t%s\tMembership\n", strings.ReplaceAll(strings.ToLower(name), " ", "."),
			name, 450+50*i, day)
	}
	b.WriteString("kabelo.mokoena\tKabelo Mokoena\t450,00\t" + day + "\tMembership\n")
	b.WriteString("thandi.nkosi@example.com\tThandi Nkosi\t450,00\t" + day + "\tMembership\n")
	return b.String()
}

// Finance pastes rows, sees what is wrong, mends it in place, sends and ends with
// rows that add up.
func TestRowsOfASpreadsheetBecomeInvoices(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.business(t)
	owner := site.tab(t, browser(t))
	owner.signIn()
	owner.open("/batches")
	owner.sees("No batch yet")
	owner.looksAt("batches-empty")
	owner.open("/batches/new")
	owner.set("cells", cellsOf(site.workingDay(9).String()))
	owner.looksAt("batch-new")
	owner.click("Use these cells")
	owner.sees("What the columns mean")
	owner.looksAt("batch-map")
	owner.click("Check all rows")
	owner.sees("Problems by cause")
	owner.looksAt("batch-check")
	owner.click("Create clients for these 7 rows")
	owner.sees("Clients will be created for 7 rows")
	owner.do("wait for the scripts", chromedp.Poll(`document.readyState === "complete"`, nil))
	mended := `document.querySelector('[data-cell][value="kabelo.mokoena"]')`
	owner.do("mend a cell", chromedp.SetValue(mended, "kabelo.mokoena@example.com", chromedp.ByJSPath),
		chromedp.SendKeys(mended, kb.Enter, chromedp.ByJSPath))
	owner.sees("no client has the address kabelo.mokoena@example.com")
	owner.sees("Row 8 is saved. It still has 1 problem")
	owner.hasFocus("cell-8-1") // the next cell
	owner.do("go on by keyboard", chromedp.KeyEvent("Kabelo Junior"), chromedp.KeyEvent(kb.Tab))
	owner.sees("Row 8 is saved. It still has 1 problem") // the field that was left is saved too
	owner.do("wait for the row", chromedp.WaitVisible(`#cell-8-1[value="Kabelo Junior"]`, byQuery))
	owner.hasFocus("cell-8-2")
	owner.sees("Row 8, Name: changed.")        // and can be undone
	owner.click("Create clients for this row") // of its cause: the button was drawn with the row that was saved
	owner.sees("Clients will be created for 1 row")
	owner.sees("Review 8 invoices")
	owner.click("Review 8 invoices")
	owner.sees("What will be sent")
	owner.sees("Send 8 invoices · create 7 clients")
	owner.looksAt("batch-review")
	owner.choose("warnings", "yes")
	owner.goes("send", chromedp.Click(`form[action$="/start"] button`, byQuery))
	owner.sees("Rows done")
	owner.sees("See the result")
	owner.looksAt("batch-run")
	owner.click("See the result")
	owner.sees("8 rows read = 8 sent + 0 left out + 0 failed")
	owner.looksAt("batch-result")
}

// The same without scripts, from a file: every step is a plain page.
func TestABatchIsSentWithoutScripts(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.business(t)
	file := filepath.Join(t.TempDir(), "fees.csv")
	if err := os.WriteFile(file, []byte(cellsOf(site.workingDay(9).String())), 0o600); err != nil {
		t.Fatal(err)
	}
	owner := site.tab(t, browser(t)).withoutScripts()
	owner.open("/login")
	owner.fill("email", "owner@gym.example")
	owner.fill("password", password)
	owner.click("Sign in")
	owner.open("/batches/new")
	owner.do("choose the file", chromedp.SetUploadFiles(`input[type="file"]`, []string{file}, byQuery))
	owner.goes("upload", chromedp.Click(`form[enctype] button`, byQuery))
	owner.sees("What the columns mean")
	owner.click("Check all rows")
	owner.shows("check", "Problems by cause")
	owner.click("Create clients for these 7 rows")
	wrong := `input[name="text"][value="kabelo.mokoena"]`
	owner.do("mend the cell", chromedp.SetValue(wrong, "kabelo.mokoena@example.com", byQuery))
	owner.goes("send the cell", chromedp.SendKeys(wrong, kb.Enter, byQuery))
	owner.shows("check", "Create client")
	owner.click("Create client")
	owner.shows("check", "Review 8 invoices")
	owner.click("Review 8 invoices")
	owner.choose("warnings", "yes")
	owner.goes("send", chromedp.Click(`form[action$="/start"] button`, byQuery))
	owner.shows("run", "See the result")
	owner.click("See the result")
	owner.sees("8 rows read = 8 sent + 0 left out + 0 failed")
}

// hasFocus waits until the element has the focus.
func (b *tab) hasFocus(id string) {
	b.t.Helper()
	b.do("focus "+id, chromedp.WaitReady("#"+id+":focus", byQuery))
}

// shows opens the step of a batch again until it says so: without scripts a person
// does the same.
func (b *tab) shows(step, text string) {
	b.t.Helper()
	at := b.address()
	at = at[:strings.LastIndexByte(at, '/')+1] + step
	for range 200 {
		if strings.Contains(b.text("main"), text) {
			return
		}
		b.open(at)
	}
	b.t.Fatalf("%s never says %q:\n%s", at, text, b.page())
}
