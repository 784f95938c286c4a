package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// cellsOf is a table as a spreadsheet copies it: some rows with slips of the pen.
func cellsOf(day string) string {
	var b strings.Builder
	b.WriteString("E-mail\tName\tAmount\tDue date\tDescription\n")
	for i, name := range []string{"Thandi Nkosi", "Pieter van Wyk", "Aisha Davids", "Sipho Zulu", "Zinhle Dube", "Johan Botha"} {
		fmt.Fprintf(&b, "%s@example.com\t%s\t%d,00\t%s\tMembership\n", strings.ReplaceAll(strings.ToLower(name), " ", "."), name, 450+50*i, day)
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
	owner.sees("What is wrong, by cause")
	owner.looksAt("batch-check")
	owner.do("mend a cell", chromedp.Evaluate(`(() => { const f = document.querySelector('input[value="kabelo.mokoena"]'); f.value = 'kabelo.mokoena@example.com'; f.dispatchEvent(new Event('change', {bubbles: true})); })()`, nil))
	owner.sees("Review 8 invoices")
	owner.click("Review 8 invoices")
	owner.sees("What will be sent")
	owner.looksAt("batch-review")
	owner.choose("warnings", "yes")
	owner.goes("send", chromedp.Click(`form[action$="/start"] button`, chromedp.ByQuery))
	owner.sees("Rows done")
	owner.sees("See the result")
	owner.looksAt("batch-run")
	owner.click("See the result")
	owner.sees("8 rows read = 8 sent + 0 left out + 0 failed")
	owner.looksAt("batch-result")
}
