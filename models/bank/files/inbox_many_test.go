package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
	"debitdesk/models/paging"
)

// notice is a notification of one movement on an account.
func notice(account string, cents int, n int, more string) string {
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.08"><BkToCstmrDbtCdtNtfctn>
<GrpHdr><MsgId>N%d</MsgId><CreDtTm>2026-12-01T22:30:00Z</CreDtTm></GrpHdr>
<Ntfctn><Id>N%d</Id><Acct><Id><Othr><Id>%s</Id></Othr></Id></Acct>
<Ntry><Amt Ccy="ZAR">%d.%02d</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>%s<AcctSvcrRef>NONREF</AcctSvcrRef></Ntry>
</Ntfctn></BkToCstmrDbtCdtNtfctn></Document>`, n, n, account, cents/100, cents%100, more)
}

// breakages are ways in which a file can be broken: as a whole, or in one entry. A whole one is rejected with a
// finding, an entry becomes a finding and the rest is read.
var breakages = []func(text string) string{
	func(text string) string { return text[:len(text)-20] },
	func(text string) string { return "Date,Amount,Reference\n" + text },
	func(text string) string { return strings.Replace(text, "</Ntry>", "</Entry>", 1) },
	func(text string) string { return strings.Replace(text, "camt.054.001.08", "camt.060.001.05", 1) },
	func(text string) string { return strings.Replace(text, "BkToCstmrDbtCdtNtfctn", "Nothing", -1) },
	func(text string) string { return "<!DOCTYPE x SYSTEM \"file:///etc/passwd\">" + text },
	func(text string) string { return strings.Replace(text, `Ccy="ZAR">`, `Ccy="ZAR">one hundred `, 1) },
	func(text string) string { return strings.Replace(text, "CRDT", "EITHER", 1) },
	func(text string) string { return strings.Replace(text, "UTF-8", "EBCDIC-CP-US", 1) },
	func(text string) string {
		return strings.Replace(text, "<AcctSvcrRef>", "<BookgDt><Dt>the first</Dt></BookgDt><AcctSvcrRef>", 1)
	},
}

func TestOneBrokenFileInTenCostsNoneOfTheOthers(t *testing.T) {
	w := newTown(t, calendar.On(2026, 12, 2).At(9, 0), nil)
	people := []string{"62001872440", "62001872441"}
	who := w.business(people[0])
	w.business(people[1])
	const many = 200
	whole, sum := 0, 0
	for n := range many {
		text, broken := notice(people[n%2], 10_000+n, n, ""), n%10 == 0
		if broken {
			text = breakages[n/10%len(breakages)](text)
		}
		if !broken || n/10%len(breakages) == 9 { // without a day that can be read it is on another
			whole, sum = whole+1, sum+10_000+n
		}
		must(t, os.WriteFile(filepath.Join(w.dir, "inbox", fmt.Sprintf("n%03d.xml", n)), []byte(text), 0o600))
	}
	w.moveTo(calendar.On(2026, 12, 2).At(14, 0)) // what has no end waits an hour for it
	var kept, cents, left, days, findings int
	must(t, w.store.Pool.QueryRow(t.Context(), `SELECT count(*), coalesce(sum(amount_cents), 0),
		count(DISTINCT booked_on) FROM bank_entries`).Scan(&kept, &cents, &days))
	if kept != whole || cents != sum || days != 1 {
		t.Errorf("%d movements of %d on %d days, want %d of %d on one", kept, cents, days, whole, sum)
	}
	if names, err := filepath.Glob(filepath.Join(w.dir, "inbox", "*")); err != nil || len(names) != 0 {
		t.Errorf("%d files are left in the inbox: %v", len(names), err)
		left = len(names)
	}
	must(t, w.store.Pool.QueryRow(t.Context(), `SELECT count(*) FROM bank_findings WHERE closed_at IS NULL
		AND kind IN ('unreadable', 'differs', 'not_stored')`).Scan(&findings))
	if findings+left != many/10 {
		t.Errorf("%d findings about %d broken files", findings, many/10)
	}

	var arrival, finding uuid.UUID
	must(t, w.store.Pool.QueryRow(t.Context(), `SELECT id, arrival_id FROM bank_findings
		WHERE kind = 'unreadable' LIMIT 1`).
		Scan((*[16]byte)(&finding), (*[16]byte)(&arrival)))
	_, err := w.store.Pool.Exec(t.Context(), `UPDATE bank_findings SET merchant_id = $2 WHERE id = $1`,
		[16]byte(finding), [16]byte(who.MerchantID)) // as one of those whom it is asked
	must(t, err)
	d, err := w.TryAgain(t.Context(), who, finding)
	must(t, err)
	if _, err := os.Stat(filepath.Join(w.dir, "inbox", d.FileName)); err != nil || d.ID != arrival {
		t.Fatalf("%s does not lie in the inbox again: %v", d.FileName, err)
	}
	w.moveTo(calendar.On(2026, 12, 2).At(16, 0)) // it stands still for a while
	page, err := w.Findings(t.Context(), who, exchange.FindingFilter{State: exchange.FindingOpen, ArrivalID: arrival},
		paging.Ask{Limit: 10})
	must(t, err)
	if _, err := os.Stat(filepath.Join(w.dir, "inbox", d.FileName)); err == nil {
		t.Error("it is not rejected once more")
	}
	if again := w.documents(arrival); again != "rejected" {
		t.Errorf("it is %s, with %d findings of this business", again, len(page.Items))
	}
}

// documents is how a document stands.
func (w *town) documents(id uuid.UUID) (state string) {
	w.t.Helper()
	must(w.t, w.store.Pool.QueryRow(w.t.Context(), `SELECT state FROM bank_files_in WHERE id = $1`,
		[16]byte(id)).Scan(&state))
	return state
}
