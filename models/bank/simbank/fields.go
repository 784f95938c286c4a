package simbank

import (
	"strconv"
	"strings"
)

type setter = func(*reader, string) error

// groupFields are those of a PmtInf. own is the element of the merchant's side.
func groupFields(all map[string]setter, put func(setter, ...string), root, own, day string) {
	put(intoGroup(func(g *readGroup) *string { return &g.ID }), root+"/PmtInfId")
	put(func(r *reader, text string) error {
		if text != "" {
			r.group.day = text[:min(len("2006-01-02"), len(text))]
		}
		return nil
	}, root+"/"+day+"/DtTm")
	put(func(r *reader, text string) error {
		if text != "" { // an element with a Dt inside has no text of its own
			r.group.day = text
		}
		return nil
	}, root+"/"+day, root+"/"+day+"/Dt")
	put(intoGroup(func(g *readGroup) *string { return &g.creditorName }), root+"/"+own+"/Nm")
	put(intoGroup(func(g *readGroup) *string { return &g.creditor }), root+"/"+own+"Acct/Id/Othr/Id",
		root+"/"+own+"Acct/Id/IBAN")
	put(func(r *reader, text string) error {
		r.group.service = strings.TrimSpace(r.group.service + " " + text)
		return nil
	}, serviceAt(root)...)
	put(func(r *reader, text string) (err error) {
		batch, err := strconv.ParseBool(text)
		r.group.single = !batch
		return err
	}, root+"/BtchBookg")
	putTotals(all, root, func(r *reader) *said { return &r.group.said })
}

func serviceAt(root string) []string {
	return []string{root + "/PmtTpInf/LclInstrm/Prtry", root + "/PmtTpInf/LclInstrm/Cd", root + "/PmtTpInf/SvcLvl/Prtry",
		root + "/PmtTpInf/SvcLvl/Cd", root + "/PmtTpInf/CtgyPurp/Prtry"}
}

// orderFields are those of a debit or a refund. other is the element of the payer's side.
func orderFields(put func(setter, ...string), root, other string) {
	put(intoOrder(func(o *order) *string { return &o.ID }), root+"/PmtId/InstrId")
	put(intoOrder(func(o *order) *string { return &o.EndToEnd }), root+"/PmtId/EndToEndId")
	put(amount, root+"/InstdAmt", root+"/Amt/InstdAmt")
	put(intoOrder(func(o *order) *string { return &o.Mandate }), root+"/DrctDbtTx/MndtRltdInf/MndtId")
	put(func(r *reader, text string) (err error) {
		r.order.Tracking, err = strconv.Atoi(text)
		return err
	}, root+"/DrctDbtTx/MndtRltdInf/TrckgDays")
	put(intoOrder(func(o *order) *string { return &o.Branch }), root+"/"+other+"Agt/FinInstnId/ClrSysMmbId/MmbId")
	put(intoOrder(func(o *order) *string { return &o.Holder }), root+"/"+other+"/Nm")
	put(intoOrder(func(o *order) *string { return &o.Account }), root+"/"+other+"Acct/Id/Othr/Id",
		root+"/"+other+"Acct/Id/IBAN")
	put(intoOrder(func(o *order) *string { return &o.Line }), root+"/RmtInf/Ustrd")
	put(service, serviceAt(root)...)
}

func amount(r *reader, text string) (err error) {
	r.order.Currency = r.currency
	r.order.Cents, err = centsOf(text)
	return err
}

func service(r *reader, text string) error {
	r.order.Service = strings.TrimSpace(r.order.Service + " " + text)
	return nil
}

func mandateFields(put func(setter, ...string)) {
	const root = "MndtInitnReq/Mndt"
	put(intoOrder(func(o *order) *string { return &o.ID }), root+"/MndtReqId")
	put(service, root+"/Authntcn/Chanl/Prtry", root+"/Authntcn/Chanl/Cd", root+"/Tp/LclInstrm/Prtry",
		root+"/Tp/LclInstrm/Cd", root+"/Tp/SvcLvl/Prtry")
	put(amount, root+"/ColltnAmt")
	put(intoOrder(func(o *order) *string { return &o.Mandate }), root+"/MndtRef")
	put(intoOrder(func(o *order) *string { return &o.CreditorName }), root+"/Cdtr/Nm")
	put(intoOrder(func(o *order) *string { return &o.Creditor }), root+"/CdtrAcct/Id/Othr/Id")
	put(intoOrder(func(o *order) *string { return &o.Holder }), root+"/Dbtr/Nm")
	put(intoOrder(func(o *order) *string { return &o.Account }), root+"/DbtrAcct/Id/Othr/Id")
	put(intoOrder(func(o *order) *string { return &o.Branch }), root+"/DbtrAgt/FinInstnId/ClrSysMmbId/MmbId")
	const end = "MndtCxlReq/UndrlygCxlDtls/OrgnlMndt"
	put(intoOrder(func(o *order) *string { return &o.Of }), end+"/OrgnlMndtId", end+"/OrgnlMndt/MndtReqId")
	put(intoOrder(func(o *order) *string { return &o.Mandate }), end+"/OrgnlMndt/MndtId")
}

func recallFields(put func(setter, ...string)) {
	for root, id := range map[string]string{"CstmrPmtCxlReq/Undrlyg/OrgnlPmtInfAndCxl": "CxlId",
		"CstmrPmtRvsl/OrgnlPmtInfAndRvsl": "RvslId"} {
		put(intoGroup(func(g *readGroup) *string { return &g.ID }), root+"/OrgnlPmtInfId")
		put(intoOrder(func(o *order) *string { return &o.ID }), root+"/TxInf/"+id)
		put(intoOrder(func(o *order) *string { return &o.Of }), root+"/TxInf/OrgnlInstrId")
		put(intoOrder(func(o *order) *string { return &o.EndToEnd }), root+"/TxInf/OrgnlEndToEndId")
		put(amount, root+"/TxInf/OrgnlInstdAmt")
	}
}
