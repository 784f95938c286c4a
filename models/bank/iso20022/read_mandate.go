package iso20022

import (
	"fmt"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
)

// mandateAnswers reads pain.012: which mandate requests were accepted, and which not and why.
func (rd *reader) mandateAnswers() error {
	answers := 0
	return rd.children(func(name string) error {
		switch name {
		case "GrpHdr":
			n, err := rd.tree(name, newBudget())
			if err == nil {
				rd.header(n)
			}
			return err
		case "UndrlygAccptncDtls":
			answers++
			n, err := rd.tree(name, newBudget())
			if err != nil {
				return err
			}
			return rd.say(mandateAnswer(fmt.Sprintf("a%d", answers), n))
		}
		return rd.skip()
	})
}

func mandateAnswer(path string, n *node) exchange.Event {
	e := exchange.Event{Kind: exchange.OnMandate, Path: path, Raw: evidence(n),
		MessageID: n.id("OrgnlMsgInf", "MsgId"), MessageName: n.id("OrgnlMsgInf", "MsgNmId")}
	result := n.at("AccptncRslt")
	switch answer := result.words("Accptd"); answer {
	case "true", "1":
		e.Accepted = true
	case "false", "0":
	default:
		complain(&e, "‘%s’ does not say whether the mandate was accepted.", quoted(answer))
	}
	if r := (exchange.Reason{Code: result.code("RjctRsn"), Own: result.words("RjctRsn", "Cd") == "",
		Text: maskedProse(result, "AddtlRjctRsnInf")}); r.Code != "" || r.Text != "" {
		r.Own = r.Own && r.Code != ""
		e.Reasons = []exchange.Reason{r}
	}
	mandate := n.at("OrgnlMndt", "OrgnlMndt")
	if mandate == nil { // an id alone: ours or the bank's, whichever it chose
		e.InstructionID = n.id("OrgnlMndt", "OrgnlMndtId")
		if !isOurs(e.InstructionID) {
			e.MandateReference = e.InstructionID
		}
		return e
	}
	e.InstructionID, e.MandateReference = mandate.id("MndtReqId"), mandate.id("MndtId")
	e.Contract = mandate.id("MndtRef")
	e.Channel = bank.ChannelOf(mandate.code("Authntcn", "Chanl"))
	setAmount(&e, mandate.at("ColltnAmt"))
	return e
}

// isOurs tells that an id has the form in which we write ours: 32 hexadecimal digits.
func isOurs(id string) bool {
	if len(id) != 32 {
		return false
	}
	for _, r := range id {
		if (r < '0' || r > '9') && (r < 'a' || r > 'f') && (r < 'A' || r > 'F') {
			return false
		}
	}
	return true
}
