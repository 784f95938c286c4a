package courier

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"debitdesk/models/bank/simbank"
	"debitdesk/models/calendar"
)

const debit = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.008.001.08"><CstmrDrctDbtInitn><GrpHdr><MsgId>%[1]s</MsgId>
<CreDtTm>2026-11-22T09:30:00</CreDtTm><NbOfTxs>1</NbOfTxs></GrpHdr><PmtInf><PmtInfId>%[1]s-01</PmtInfId><PmtMtd>DD</PmtMtd>
<ReqdColltnDt>2026-11-25</ReqdColltnDt><Cdtr><Nm>Gym</Nm></Cdtr><CdtrAcct><Id><Othr><Id>50100000001</Id></Othr></Id></CdtrAcct>
<DrctDbtTxInf><PmtId><InstrId>%[1]s</InstrId><EndToEndId>%[1]s</EndToEndId></PmtId><InstdAmt Ccy="ZAR">1.00</InstdAmt>
<DbtrAgt><FinInstnId><ClrSysMmbId><MmbId>632005</MmbId></ClrSysMmbId></FinInstnId></DbtrAgt><Dbtr><Nm>MR P</Nm></Dbtr>
<DbtrAcct><Id><Othr><Id>4000000000</Id></Othr></Id></DbtrAcct></DrctDbtTxInf></PmtInf><!-- %[2]s --></CstmrDrctDbtInitn></Document>`

// A bank behind the server takes files away as soon as they have their names, and the connection breaks again and
// again at any byte: the bank has every message once, and every answer arrives once.
func TestABankBehindABadConnectionHasEveryMessageOnce(t *testing.T) {
	t.Parallel()
	const messages = 12
	b := newBench(t)
	folder := filepath.Join(b.dir, "bank")
	ledger, err := simbank.Open(simbank.Settings{Dir: folder, State: filepath.Join(t.TempDir(), "state"), Hasty: true,
		Now: func() time.Time { return calendar.On(2026, 11, 23).At(6, 30) }})
	must(t, err)
	defer ledger.Close() //nolint:errcheck // the test is over
	b.give()
	b.with.Out, b.with.In = folder+"/outbox", folder+"/inbox"
	b.restart()
	for i := range messages {
		b.put(fmt.Sprintf("%02d.xml", i), fmt.Sprintf(debit, fmt.Sprint("DD", i), strings.Repeat("x", 20_000)))
	}
	chance := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same breaks in each run
	broken, taken := 0, 0
	for rounds := 0; taken < messages || len(strings.Fields(b.here("inbox"))) < messages; rounds++ {
		if rounds > 300 {
			t.Fatalf("after %d rounds the bank has %d messages", rounds, taken)
		}
		b.cutAfter(2_000 + chance.Int64N(60_000))
		b.courier.step = func(s string) {
			switch chance.IntN(4) {
			case 0:
				b.cutAll()
			case 1:
				if strings.HasPrefix(s, "rename") {
					b.mute()
				}
			}
		}
		if _, err := b.courier.Round(t.Context()); err != nil {
			broken++
			b.restart()
		}
		report, err := ledger.Round(t.Context())
		must(t, err)
		b.same("duplicates", report.Duplicates+report.Refused, 0)
		taken += report.Taken
		b.give()
	}
	b.same("messages", taken, messages)
	if broken < 5 {
		t.Errorf("the connection broke only %d times", broken)
	}
	answers, err := os.ReadDir(filepath.Join(folder, "inbox"))
	must(t, err)
	b.same("answers", len(strings.Fields(b.here("inbox"))), len(answers))
	b.same("sent", len(strings.Fields(b.here("sent"))), messages)
	b.same("outbox", b.here("outbox"), "")
}
