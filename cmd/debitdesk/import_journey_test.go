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

// membersOf is a gym's list of members as it comes out of its old software: most rows have some dirt.
func membersOf(n int) string {
	var b strings.Builder
	b.WriteString("Member No;Name;Surname;ID Number;Cell;Email;Bank;Branch;Acc No;Acc Type;Monthly;Day;Mandate signed;" +
		"Last debit;Group\n")
	for i := range n {
		id, cell, branch, account, day, signed := "", fmt.Sprintf("082 5%02d %04d", i/100, i), "250655",
			fmt.Sprintf("62%09d", 123_000_000+i), "25", "31/01/2025"
		group := "Members"
		email := fmt.Sprintf("m%d@example.com", i)
		if i == 8 {
			email = "m8 example.com"
		}
		if i < 20 {
			group = "Test group"
		}
		switch i % 10 {
		case 1:
			branch = "Gateway"
		case 2:
			cell = "0000000000"
		case 3:
			id = "TEMP" + fmt.Sprint(i)
		case 4:
			signed = ""
		case 5:
			day = "25th"
		case 6:
			if i%100 == 6 {
				account = "6.2E+10"
			}
		case 7:
			day = "31"
		}
		fmt.Fprintf(&b, "KSF%d;Member;Number %d;%s;%s;%s;FNB;%s;%s;Cheque;R 649,00;%s;%s;none;%s\n", 1000+i, i,
			id, cell, email, branch, account, day, signed, group)
	}
	fmt.Fprintf(&b, "Total;;;;;;;;;;R %d,00;;;;\n", 649*n)
	return b.String()
}

// mover counts what a person does with the mouse.
type mover struct {
	*tab
	clicks int
}

func (m *mover) press(text string) {
	m.t.Helper()
	m.clicks++
	m.click(text)
}

// A merchant moves in without help: the list of members, what is wrong with it by cause, the rehearsal, the run, a test
// group, and the way back.
func TestAMerchantMovesInWithASpreadsheet(t *testing.T) {
	t.Parallel()
	const members = 600
	site := openSite(t)
	site.business(t)
	file := filepath.Join(t.TempDir(), "members.csv")
	must(t, os.WriteFile(file, []byte(membersOf(members)), 0o600))
	owner := &mover{tab: site.tab(t, browser(t))}
	owner.signIn()
	owner.open("/imports")
	owner.looksAt("imports-empty")
	owner.open("/imports/new")
	owner.looksAt("import-new")
	owner.do("choose the file", chromedp.SetUploadFiles(`input[type="file"]`, []string{file}, byQuery))
	owner.clicks++
	owner.press("Upload")
	owner.sees("What the columns mean")
	owner.looksAt("import-map")
	owner.press("Rehearse all rows")
	owner.sees("What was found, by cause")
	owner.sees("agrees with the rows")
	owner.looksAt("import-check")
	for _, fix := range []string{"We hold these mandates and can show them", "Leave these values out",
		"Bring these clients in without the number", "Debit on the last day of the month"} {
		owner.press(fix)
		owner.sees("Chosen for all rows")
	}
	cell := `document.querySelector('input[name="text"]')`
	owner.do("correct a cell", chromedp.SetValue(cell, "m8@example.com", chromedp.ByJSPath))
	owner.clicks++
	owner.goes("send the cell", chromedp.SendKeys(cell, kb.Enter, chromedp.ByJSPath))
	owner.press("See the rehearsal")
	owner.sees("Import 600 rows")
	owner.looksAt("import-rehearsal")
	owner.press("Import 600 rows")
	owner.sees("Parked")
	owner.looksAt("import-groups")
	owner.press("Switch on…")
	owner.looksAt("import-switch")
	owner.submit()
	owner.clicks++
	owner.sees("On")
	owner.press("Undo the import…")
	owner.looksAt("import-undo")
	if owner.clicks > 20 {
		t.Errorf("it takes %d clicks to move in", owner.clicks)
	}
}
