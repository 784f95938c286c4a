package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/files"
	"debitdesk/models/calendar"
)

// An integrator gets a sample from a bank that answers in its own way: it gives the end-to-end id back alone, writes
// the branch before the account, says reasons in words, and has codes of its own. The sample is held against the
// profile and tried, the profile is mended, and a day in the sandbox runs as the bank says.
func TestAnIntegratorConnectsABankThatAnswersInItsOwnWay(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	dir := filepath.Join(t.TempDir(), "exchange")
	if got := typed(t, env, "", "bank", "check", dir, "--init", "generic"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	const said = `{"services": {"eft": {"lead_days": 2, "success": "booked"}}, "deadline": "16:00", "cuts": ["12:00"],
		"requests_every_minutes": 1, "settle_seconds": 1,
		"answers_as": {"ids_at": [%q], "account": %q, "reason_at": "words"}, "fee_codes": [%s]}`
	profile := func(place, account, fees string) {
		t.Helper()
		must(t, os.WriteFile(filepath.Join(dir, "profile.json"), fmt.Appendf(nil, said, place, account, fees), 0o600))
	}
	profile("instruction", "alone", "")
	sample := filepath.Join(t.TempDir(), "sample.xml")
	like := ownWay(debitDays[0], ownEntry("0123456789abcdef0123456789abcdef", "649.00", true))
	must(t, os.WriteFile(sample, []byte(like), 0o600))
	got := typed(t, env, "", "bank", "check", dir, sample)
	for _, want := range []string{"answers_as.ids_at: An id that looks like one of ours stands at end_to_end",
		"answers_as.account: The account is written with more than its number"} {
		if got.code != exitOK || !strings.Contains(got.out, want) {
			t.Errorf("%q is missing in %+v", want, got)
		}
	}
	profile("end_to_end", "after_branch", "")
	if got := typed(t, env, "", "bank", "check", dir, sample); !strings.Contains(got.out, "contradicts no key") {
		t.Errorf("%+v", got)
	}

	b := &filesSite{dir: dir}
	env["DEBITDESK_BANK"] = "files:" + dir
	var x *exchange.Service
	b.site = openSiteOn(t, env, func(app *App) {
		if _, err := app.Store.Clock.StartAt(t.Context(), storyBegins.At(9, 0)); err != nil {
			t.Fatal(err)
		}
		x, _ = app.Services.Exchange.(*exchange.Service)
		var err error
		x.Box, err = files.OpenBox(dir, files.Settings{MaxBytes: 64 << 20}) // nobody waits until a file stands still
		must(t, err)
	})
	b.books = &books{t: t, env: env}
	b.business(t)
	made := typed(t, env, "", "apikey", "create", "--merchant", "gym", "--name", "till", "--ttl", "8760h")
	b.books.token, b.books.db = strings.TrimSpace(made.out), b.app.Store.Pool.Pool
	b.books.brand = brandOf(t, env, "gym")
	on := &process{url: b.url, log: &logged{}}
	var purchases []string
	for n := range 2 {
		client, stored := b.stores(on, n, fmt.Sprintf("6200123010%d", n))
		purchases = append(purchases, b.charges(on, client, stored, 64900+n, debitDays[0]))
	}
	owner := b.tab(t, browser(t))
	owner.signIn()
	b.passes(owner, debitDays[0].AddDays(-2), "12:05")
	ids := b.taken(t)
	b.answers(t, owner, "status", acceptedFile(b.text(`SELECT id FROM bank_files_out`), len(ids)))
	owner.open("/bank/files")
	owner.sees("Accepted")

	b.passes(owner, debitDays[0], "18:00")
	collected := ownWay(debitDays[0], ownEntry(ids[0], "649.00", true), ownEntry(ids[1], "649.01", true))
	b.tries(owner, collected)
	owner.sees("The item becomes: paid, provisional.")
	owner.looksAt("bank-trial")
	b.answers(t, owner, "collected", collected)
	owner.open("/purchases/" + purchases[1])
	owner.sees("Paid, provisional")

	b.passes(owner, debitDays[0].AddDays(2), "18:00")
	returned := ownWay(debitDays[0].AddDays(2), strings.Replace(ownEntry(ids[1], "649.01", false), "</RtrInf>",
		"<AddtlInf>04 PAYMENT STOPPED</AddtlInf></RtrInf>", 1), strings.Replace(ownEntry("", "3.45", false), "NTRF+117",
		"BC77", 1))
	b.tries(owner, returned)
	owner.sees(`If the bank charges this, add "BC77" to fee_codes`)
	b.answers(t, owner, "returned", returned)
	owner.open("/purchases/" + purchases[1])
	owner.sees("Payment stopped")
	owner.open("/bank/movements?state=unmatched")
	owner.sees("BC77")

	profile("end_to_end", "after_branch", `"BC77"`)
	mended, err := files.ReadProfile(dir)
	must(t, err)
	x.Rules = mended.Rules() // as after a restart
	owner.open("/bank/received")
	owner.click("returned.xml")
	owner.click("Try it with the profile of today")
	owner.sees("now it would be a fee of the bank.")
	owner.looksAt("bank-replay")
}

// taken takes the file that was laid out, as the bank does, and gives the end-to-end ids in it.
func (b *filesSite) taken(t *testing.T) (ids []string) {
	t.Helper()
	laid, err := filepath.Glob(filepath.Join(b.dir, "outbox", "*.xml"))
	if err != nil || len(laid) != 1 {
		t.Fatalf("%v are laid out: %v", laid, err)
	}
	content, err := os.ReadFile(laid[0])
	must(t, err)
	must(t, os.Rename(laid[0], filepath.Join(b.dir, "sent", filepath.Base(laid[0]))))
	rand := map[string]string{}
	for _, one := range regexp.MustCompile(`(?s)<EndToEndId>([^<]+)<.*?<InstdAmt Ccy="ZAR">([0-9.]+)<`).
		FindAllStringSubmatch(string(content), -1) {
		rand[one[2]] = one[1]
	}
	return []string{rand["649.00"], rand["649.01"]}
}

// answers lays an answer of the bank into the inbox, and lets the product read it.
func (b *filesSite) answers(t *testing.T, owner *tab, name, content string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(b.dir, "inbox", name+".xml"), []byte(content), 0o600))
	for range 2 { // it is the same at two looks
		now := b.app.Store.Now().In(calendar.SAST)
		b.passes(owner, calendar.DateOf(now), now.Add(2*time.Minute).Format("15:04"))
	}
}

// tries asks what a file would do.
func (b *filesSite) tries(owner *tab, content string) {
	owner.t.Helper()
	path := filepath.Join(owner.t.TempDir(), "sample.xml")
	must(owner.t, os.WriteFile(path, []byte(content), 0o600))
	owner.open("/bank/import")
	owner.do("choose the file", chromedp.SetUploadFiles(`input[type="file"]`, []string{path}, byQuery))
	owner.click("Try it, change nothing")
	owner.sees("What sample.xml would do")
}

func acceptedFile(id string, items int) string {
	return fmt.Sprintf(`<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr>`+
		`<MsgId>A1</MsgId><CreDtTm>2027-02-08T13:00:00+02:00</CreDtTm></GrpHdr><OrgnlGrpInfAndSts><OrgnlMsgId>%s`+
		`</OrgnlMsgId><OrgnlMsgNmId>pain.008.001.08</OrgnlMsgNmId><OrgnlNbOfTxs>%d</OrgnlNbOfTxs><GrpSts>ACCP</GrpSts>`+
		`</OrgnlGrpInfAndSts></CstmrPmtStsRpt></Document>`, id, items)
}

// ownWay is a statement of a day, as this bank writes it.
func ownWay(day calendar.Date, entries ...string) string {
	return fmt.Sprintf(`<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr>`+
		`<MsgId>S%s</MsgId><CreDtTm>%sT18:00:00+02:00</CreDtTm></GrpHdr><Stmt><Id>%s</Id><Acct><Id><Othr>`+
		`<Id>250655-12345678</Id></Othr></Id></Acct>%s</Stmt></BkToCstmrStmt></Document>`, day, day, day,
		strings.Join(entries, ""))
}

// ownEntry is a movement of one debit; without an id it is of none.
func ownEntry(id, rand string, in bool) string {
	way, code, details := "DBIT", "NTRF+117", ""
	if in {
		way, code = "CRDT", "NTRF+116"
	}
	if id != "" {
		details = "<NtryDtls><TxDtls><Refs><InstrId>NOTPROVIDED</InstrId><EndToEndId>" + id + "</EndToEndId></Refs>"
		if !in {
			details += "<RtrInf></RtrInf>"
		}
		details += "</TxDtls></NtryDtls>"
	}
	return `<Ntry><Amt Ccy="ZAR">` + rand + `</Amt><CdtDbtInd>` + way + `</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>` +
		`<AcctSvcrRef>NONREF</AcctSvcrRef><BkTxCd><Prtry><Cd>` + code + `</Cd></Prtry></BkTxCd>` + details + `</Ntry>`
}
