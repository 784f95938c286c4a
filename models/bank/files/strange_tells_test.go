package files_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
)

// tell writes the documents of a day.
func (b *strange) tell(day calendar.Date) {
	of := map[string][]posted{}
	for _, e := range b.ledger {
		if e.day == day {
			of[e.account] = append(of[e.account], e)
		}
	}
	noon, evening := day.At(13, 0), day.At(18, 30)
	whole := func(e posted) string { return b.entry(e, true) }
	bare := func(e posted) string { return b.entry(e, false) }
	switch b.tells {
	case "statement":
		b.documents("053", evening, day, of, whole)
	case "notices":
		b.documents("054", evening, day, of, whole)
	case "notices, then sums":
		b.documents("054", noon, day, of, whole)
		b.documents("053", evening, day, of, bare)
	case "reports, then statement":
		b.documents("052", noon, day, of, bare)
		b.documents("053", evening, day, of, whole)
	case "all three":
		b.documents("052", noon, day, of, bare)
		b.documents("054", noon, day, of, whole)
		b.documents("053", evening, day, of, bare)
	}
}

var (
	messageNames = map[string]string{"052": "BkToCstmrAcctRpt", "053": "BkToCstmrStmt", "054": "BkToCstmrDbtCdtNtfctn"}
	accountNames = map[string]string{"052": "Rpt", "053": "Stmt", "054": "Ntfctn"}
)

// documents sends what a kind of document says of a day, bundled as the bank does.
func (b *strange) documents(kind string, at time.Time, day calendar.Date, of map[string][]posted,
	write func(posted) string) {
	var accounts []string
	for _, account := range []string{"62001872440", "62001872441"} {
		var entries strings.Builder
		for _, e := range of[account] {
			entries.WriteString(write(e))
		}
		if len(of[account]) == 0 && kind != "053" {
			continue
		}
		period := ""
		if kind == "053" {
			period = fmt.Sprintf("<FrToDt><FrDtTm>%sT00:00:00</FrDtTm><ToDtTm>%sT23:59:59</ToDtTm></FrToDt>", day, day)
		}
		accounts = append(accounts, fmt.Sprintf("<%s><Id>%s</Id>%s<Acct><Id><Othr><Id>%s</Id></Othr></Id></Acct>%s</%s>",
			accountNames[kind], b.next("D"), period, b.written(account), entries.String(), accountNames[kind]))
	}
	message := func(accounts ...string) string {
		return fmt.Sprintf("<%s><GrpHdr><MsgId>%s</MsgId><CreDtTm>%s</CreDtTm></GrpHdr>%s</%s>", messageNames[kind],
			b.next("M"), at.In(time.FixedZone("", 2*60*60)).Format(time.RFC3339), strings.Join(accounts, ""), messageNames[kind])
	}
	document := func(messages ...string) string {
		return fmt.Sprintf(`<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.%s.001.%s">%s</Document>`, kind, b.version,
			strings.Join(messages, ""))
	}
	switch {
	case len(accounts) == 0:
	case b.bundle == "statements":
		b.send(at, document(message(accounts...)))
	case b.bundle == "messages":
		var all []string
		for _, a := range accounts {
			all = append(all, message(a))
		}
		b.send(at, document(all...))
	case b.bundle == "documents":
		var all []string
		for _, a := range accounts {
			all = append(all, document(message(a)))
		}
		b.send(at, "<Envelope><Header/>"+strings.Join(all, "")+"</Envelope>")
	default:
		for _, a := range accounts {
			b.send(at, document(message(a)))
		}
	}
}

// written is an account number as the bank writes it.
func (b *strange) written(account string) string {
	switch b.account {
	case "spaces":
		return account[:2] + " " + account[2:5] + " " + account[5:8] + " " + account[8:]
	case "hyphens":
		return "250655-" + account
	case "branch":
		return "250655" + account
	default:
		return account
	}
}

func amountOf(cents int64, currency string) string {
	cents = max(cents, -cents)
	return fmt.Sprintf(`<Amt Ccy="%s">%d.%02d</Amt>`, currency, cents/100, cents%100)
}

func wayOf(cents int64) string {
	if cents < 0 {
		return "<CdtDbtInd>DBIT</CdtDbtInd>"
	}
	return "<CdtDbtInd>CRDT</CdtDbtInd>"
}

// entry writes a movement, with what it is of or without.
func (b *strange) entry(e posted, whole bool) string {
	var x strings.Builder
	amount := amountOf(e.cents, e.currency)
	if e.broken {
		amount = `<Amt Ccy="ZAR">see letter</Amt>`
	}
	x.WriteString("<Ntry>" + amount + wayOf(e.cents))
	if e.what == "reversed" {
		x.WriteString("<RvslInd>true</RvslInd>")
	}
	if b.version == "08" {
		x.WriteString("<Sts><Cd>BOOK</Cd></Sts>")
	} else {
		x.WriteString("<Sts>BOOK</Sts>")
	}
	switch b.days {
	case "day":
		fmt.Fprintf(&x, "<BookgDt><Dt>%s</Dt></BookgDt>", e.day)
	case "instant":
		fmt.Fprintf(&x, "<BookgDt><DtTm>%sT22:30:00Z</DtTm></BookgDt>", e.day)
	case "value day":
		fmt.Fprintf(&x, "<ValDt><Dt>%s</Dt></ValDt>", e.day)
	}
	if e.reference != "" {
		x.WriteString("<AcctSvcrRef>" + e.reference + "</AcctSvcrRef>")
	}
	x.WriteString(b.kind(e))
	switch {
	case !whole:
	case e.part != "" && b.grouping == "sum of a part":
		fmt.Fprintf(&x, `<NtryDtls><Btch><MsgId>%s</MsgId><PmtInfId>%s</PmtInfId><NbOfTxs>%d</NbOfTxs></Btch></NtryDtls>`,
			e.file, e.part, len(e.parts))
	case len(e.parts) > 0:
		x.WriteString("<NtryDtls>")
		for _, p := range e.parts {
			x.WriteString(b.details(p, true))
		}
		x.WriteString("</NtryDtls>")
	case e.debit != nil:
		x.WriteString("<NtryDtls>" + b.details(e, false) + "</NtryDtls>")
	}
	if whole && e.reason != "" && b.reason == "words of the entry" {
		x.WriteString("<AddtlNtryInf>" + strangeReasons[e.reason] + "</AddtlNtryInf>")
	}
	x.WriteString("</Ntry>")
	return x.String()
}

// kind is the code of a movement.
func (b *strange) kind(e posted) string {
	iso := map[string]string{"collected": "IDDT/PMDD", "returned": "IDDT/UPDD", "reversed": "IDDT/PRDD",
		"fee": "MDOP/CHRG", "other": "RCDT/DMCT"}
	own := map[string]string{"collected": "NTRF+116", "returned": "NTRF+117", "reversed": "NTRF+118", "fee": "FEE9",
		"other": "NTRF+051"}
	switch {
	case e.what == "fee" && b.charge == "apart by its own code", b.kinds == "own":
		return "<BkTxCd><Prtry><Cd>" + own[e.what] + "</Cd></Prtry></BkTxCd>"
	case b.kinds == "iso":
		family, sub, _ := strings.Cut(iso[e.what], "/")
		return "<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>" + family + "</Cd><SubFmlyCd>" + sub +
			"</SubFmlyCd></Fmly></Domn></BkTxCd>"
	case b.kinds == "general":
		return "<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>NTAV</Cd><SubFmlyCd>NTAV</SubFmlyCd></Fmly></Domn></BkTxCd>"
	default:
		return "<BkTxCd/>"
	}
}

// details say what a movement is of, as the bank does.
func (b *strange) details(p posted, inGroup bool) string {
	h := p.debit
	var x strings.Builder
	x.WriteString("<TxDtls><Refs>")
	if inGroup && p.reference != "" {
		x.WriteString("<AcctSvcrRef>" + p.reference + "</AcctSvcrRef>")
	}
	switch b.ids {
	case "both":
		x.WriteString("<InstrId>" + h.instr + "</InstrId><EndToEndId>" + h.end + "</EndToEndId>")
	case "end-to-end", "capitals", "hyphens", "cut":
		x.WriteString("<InstrId>NOTPROVIDED</InstrId><EndToEndId>" + b.changed(h.end) + "</EndToEndId>")
	case "its own uuid":
		x.WriteString("<InstrId>" + strings.ReplaceAll(uuid.NewString(), "-", "") + "</InstrId><EndToEndId>" + h.end +
			"</EndToEndId>")
	case "transaction":
		x.WriteString("<TxId>" + h.instr + "</TxId>")
	}
	x.WriteString("</Refs>")
	instructed := ""
	if b.charge == "inside" && p.fee > 0 {
		instructed = "<AmtDtls><InstdAmt>" + amountOf(h.cents, "ZAR") + "</InstdAmt><TxAmt>" + amountOf(p.cents, "ZAR") +
			"</TxAmt></AmtDtls>"
	}
	amount := amountOf(p.cents, "ZAR")
	switch {
	case p.broken:
	case b.version == "02" && instructed == "":
		x.WriteString("<AmtDtls><TxAmt>" + amount + "</TxAmt></AmtDtls>")
	case b.version == "02":
		x.WriteString(instructed)
	default:
		x.WriteString(amount + wayOf(p.cents) + instructed)
	}
	if p.fee > 0 {
		charge := amountOf(p.fee, "ZAR")
		if b.version == "02" {
			x.WriteString("<Chrgs>" + charge + "</Chrgs>")
		} else {
			x.WriteString("<Chrgs><Rcrd>" + charge + "</Rcrd></Chrgs>")
		}
	}
	if b.ids == "text" {
		x.WriteString("<RmtInf><Ustrd>YOUR REF " + h.end + "</Ustrd></RmtInf>")
	}
	switch {
	case p.reason == "":
	case b.reason == "code":
		x.WriteString("<RtrInf><Rsn><Cd>" + p.reason + "</Cd></Rsn></RtrInf>")
	case b.reason == "words":
		x.WriteString("<RtrInf><AddtlInf>" + strangeReasons[p.reason] + "</AddtlInf></RtrInf>")
	case b.reason == "own code":
		x.WriteString("<RtrInf><Rsn><Prtry>" + strangeReasons[p.reason] + "</Prtry></Rsn></RtrInf>")
	case inGroup:
		x.WriteString("<AddtlTxInf>" + strangeReasons[p.reason] + "</AddtlTxInf>")
	}
	x.WriteString("</TxDtls>")
	return x.String()
}
