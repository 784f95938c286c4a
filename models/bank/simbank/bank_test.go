package simbank

import (
	"fmt"
	"strings"
	"testing"

	"debitdesk/models/calendar"
)

// The days after monday, Wednesday 25 November being the debit date.
var (
	tuesday   = calendar.On(2026, 11, 24)
	wednesday = calendar.On(2026, 11, 25)
	thursday  = calendar.On(2026, 11, 26)
	friday    = calendar.On(2026, 11, 27)
)

func TestDebitsAreAcceptedBookedAndReturned(t *testing.T) {
	t.Parallel()
	b := newBench(t, Settings{})
	b.put("DD1.xml", pain008("08", "DD1", eft(ask{"paid", "4000000000", 15000}, ask{"unpaid", "4000009002", 9995},
		ask{"late", "4000009500", 5005})))
	b.put(".DD2.xml.part", "half of a me")
	b.put("DD3.xml.filepart", "half of a me")
	b.same("taken", b.round(), Report{Taken: 1, Written: 1})
	ack := b.only("pain.002")
	b.same("about", ack.texts("OrgnlMsgId"), "DD1")
	b.same("status", ack.texts("GrpSts")+ack.texts("PmtInfSts"), "ACCPACCP")
	b.same("totals", ack.texts("OrgnlGrpInfAndSts/OrgnlNbOfTxs")+" "+ack.texts("OrgnlGrpInfAndSts/OrgnlCtrlSum"),
		"3 300.00")
	b.same("sent", b.folder("sent"), "[DD1.xml]")
	b.same("a second look", b.round(), Report{})

	b.same("before it is booked", len(b.bank.Entries()), 0)
	b.at(wednesday, 17, 0)
	b.same("booked", sum(b.bank.Entries()), 30000)
	b.at(thursday, 5, 59)
	b.same("before the morning", b.folder("inbox"), b.folder("inbox")[:1])
	b.at(thursday, 6, 0)
	returned := b.only("camt.054")
	b.same("who", returned.texts("InstrId")+" "+returned.texts("Ntry/Amt")+" "+returned.texts("Ntry/CdtDbtInd"),
		"unpaid 99.95 DBIT")
	b.same("why", returned.texts("RtrInf/Rsn/Cd")+" "+returned.texts("RtrInf/AddtlInf"), "AM04 02 NOT PROVIDED FOR")
	first := b.only("camt.053")
	b.same("balances", first.texts("Bal/Amt"), "0.00 300.00")
	b.same("one entry for the group", first.texts("Ntry/Amt")+" "+first.texts("NbOfTxs")+" "+first.texts("PmtInfId"),
		"300.00 3 G-01")

	b.at(calendar.On(2026, 12, 1), 6, 0) // the fourth business day, and the statement of the second
	b.same("the late return", b.answers("camt.054")[1].texts("InstrId"), "late")
	b.at(calendar.On(2026, 12, 2), 6, 0)
	statements := b.answers("camt.053")
	b.same("days", len(statements), 3)
	b.same("balances", statements[2].texts("Bal/Amt"), "200.05 150.00")
	b.same("ledger", sum(b.bank.Entries()), 15000)
	b.same("valid", b.valid(), "[camt.053.001.08 camt.054.001.08 pain.002.001.11]")
}

func TestItemsGroupsAndMessagesAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, Settings{})
	good := eft(ask{"1", "4000000000", 100}, ask{"2", "4000007001", 200}, ask{"3", "12", 300})
	no := good
	no.id, no.day, no.items = "G-02", calendar.Date{}, []ask{{"4", "4000000000", 400}}
	b.put("a.xml", pain008("08", "A", good, no))
	b.round()
	ack := b.only("pain.002")
	b.same("status", ack.texts("GrpSts")+" "+ack.texts("PmtInfSts"), "PART PART RJCT")
	b.same("items", ack.texts("OrgnlInstrId")+" "+ack.texts("TxInfAndSts/StsRsnInf/Rsn/Cd"), "2 3 AC01 AC01")
	b.same("counts", ack.texts("DtldNbOfTxs")+" "+ack.texts("DtldCtrlSum"), "1 3 1.00 9.00")
	for i, one := range []struct{ name, content, want string }{
		{"the same id", pain008("08", "A", eft(ask{"9", "4000000000", 1})), "DU01"},
		{"the count", strings.Replace(pain008("08", "B", eft(ask{"9", "4000000000", 1})), "<NbOfTxs>1", "<NbOfTxs>2", 1),
			"AM18"},
		{"the sum", strings.Replace(pain008("08", "C", eft(ask{"9", "4000000000", 1})), "<CtrlSum>0.01", "<CtrlSum>0.02", 1),
			"AM10"},
		{"cut off", pain008("08", "D", eft(ask{"9", "4000000000", 1}))[:600], "FF01"},
		{"no such version", pain008("07", "E", eft(ask{"9", "4000000000", 1})), "FF01"},
		{"a document type", strings.Replace(pain008("08", "F", eft(ask{"9", "4000000000", 1})), "<Document",
			"<!DOCTYPE Document>\n<Document", 1), "FF01"},
		{"no XML", "DEBITS", "FF01"},
	} {
		b.put(fmt.Sprintf("b%d.xml", i), one.content)
		b.same(one.name, b.round(), Report{Refused: 1, Written: 1})
		all := b.answers("pain.002")
		b.same(one.name, all[len(all)-1].texts("GrpSts")+" "+all[len(all)-1].texts("StsRsnInf/Rsn/Cd"), "RJCT "+one.want)
	}
	b.put("g.xml", pain008("08", "G", eft(ask{"9", "4000000000", 100}, ask{"1", "4000000000", 100})))
	b.same("after all that", b.round(), Report{Taken: 1, Written: 1})
	all := b.answers("pain.002")
	b.same("an instruction again",
		all[len(all)-1].texts("OrgnlInstrId")+" "+all[len(all)-1].texts("TxInfAndSts/StsRsnInf/Rsn/Cd"), "1 AM05")
	b.at(wednesday, 18, 0)
	b.same("ledger", sum(b.bank.Entries()), 200)
	b.valid()
}

func TestAFileReadTwiceIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, Settings{})
	content := pain008("08", "DD1", eft(ask{"1", "4000000000", 100}))
	b.with.Hasty = false
	b.must(b.bank.Close())
	b.open()
	b.put("DD1.xml", content)
	b.round()
	b.put("DD1.xml", content)
	b.same("the same name", b.round(), Report{Duplicates: 1})
	b.put("again.xml", content)
	b.same("another name", b.round(), Report{Duplicates: 1})
	b.same("said", strings.Count(strings.Join(b.lines, "\n"), "is a duplicate"), 2)
	b.must(b.bank.Close())
	b.open()
	b.put("DD1.xml", content)
	b.same("after a new start", b.round(), Report{Duplicates: 1})
	b.same("sent", b.folder("sent"), "[DD1.xml again.xml]")
	b.same("answers", len(b.inbox()), 1)
}

func TestEveryVersionIsReadAlike(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"02", "08", "09", "10", "11"} {
		m, err := read([]byte("\xef\xbb\xbf" + pain008(version, "DD1", eft(ask{"1", "4000009002", 12345}))))
		if err != nil {
			t.Fatal(err)
		}
		o := m.orders[0]
		if m.ID != "DD1" || len(m.orders) != 1 || o.Cents != 12345 || o.Account != "4000009002" || o.Branch != "632005" ||
			o.Day != wednesday || o.Creditor != "50100000001" || o.Line != "GYM" || o.Service != "EFT-2DAY" {
			t.Errorf("%s: %+v %+v", version, m, o)
		}
	}
}

func TestDebiCheckDebitsAreAnsweredOnTheirDay(t *testing.T) {
	t.Parallel()
	b := newBench(t, Settings{})
	group := asks{id: "G-01", service: "DEBICHECK", day: wednesday, tracking: "05", items: []ask{{"paid", "4000000000",
		100},
		{"refused", "4000009004", 200}, {"tracked", "4000009202", 400}, {"in-vain", "4000009302", 800}, {"silent",
			"4000009901", 1600},
		{"disputed", "4000009030", 3200}}}
	registered := group
	registered.id, registered.service, registered.items = "G-02", "REGISTERED DEBICHECK", []ask{{"objected", "4000009030",
		6400}}
	b.put("a.xml", pain008("08", "A", group, registered))
	b.round()
	b.at(wednesday, 6, 0)
	first := b.answers("pain.002")[1]
	b.same("first", first.texts("OrgnlInstrId"), "paid refused tracked in-vain disputed objected")
	b.same("statuses", first.texts("TxSts"), "ACSC RJCT PDNG PDNG ACSC ACSC")
	b.same("why", first.texts("Rsn/Cd"), "SP01")
	b.at(calendar.On(2026, 11, 28), 6, 0)
	b.same("day 3", b.answers("pain.002")[2].texts("OrgnlInstrId")+b.answers("pain.002")[2].texts("TxSts"), "trackedACSC")
	b.at(calendar.On(2026, 11, 30), 6, 0)
	b.same("day 5", b.answers("pain.002")[3].texts("OrgnlInstrId")+b.answers("pain.002")[3].texts("TxSts"), "in-vainRJCT")
	b.at(calendar.On(2026, 12, 31), 6, 0)
	b.same("disputes", b.only("camt.054").texts("InstrId"), "objected")
	b.same("ledger", sum(b.bank.Entries()), 100+400+3200)
	b.same("valid", b.valid(), "[camt.053.001.08 camt.054.001.08 pain.002.001.11]")
}
