package iso20022

import (
	"cmp"
	"fmt"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
)

var (
	messageStatus = names("OrgnlMsgId", "OrgnlMsgNmId", "OrgnlNbOfTxs", "OrgnlCtrlSum", "GrpSts", "StsRsnInf",
		"NbOfTxsPerSts")
	groupStatus = names("OrgnlPmtInfId", "OrgnlNbOfTxs", "OrgnlCtrlSum", "PmtInfSts", "StsRsnInf", "NbOfTxsPerSts")
)

// statusReport reads pain.002: the status of a message of ours, of its groups and of its items.
func (rd *reader) statusReport() error {
	var message exchange.Event // what all others in the report inherit
	groups, items := 0, 0
	return rd.children(func(name string) error {
		switch name {
		case "GrpHdr":
			n, err := rd.tree(name, newBudget())
			if err == nil {
				rd.header(n)
			}
			return err
		case "OrgnlGrpInfAndSts":
			n := &node{name: name}
			if err := rd.collect(n, messageStatus, nil); err != nil {
				return err
			}
			message.MessageID, message.MessageName = n.id("OrgnlMsgId"), n.id("OrgnlMsgNmId")
			e := message
			e.Kind, e.Path, e.Status = exchange.OnMessage, "m", n.code("GrpSts")
			return rd.sayStatus(e, n)
		case "OrgnlPmtInfAndSts":
			groups++
			return rd.groupStatus(fmt.Sprintf("g%d", groups), message)
		case "TxInfAndSts": // of a report without groups
			items++
			return rd.itemStatus(fmt.Sprintf("t%d", items), message)
		}
		return rd.skip()
	})
}

// sayStatus completes the status of a message or group from its element.
func (rd *reader) sayStatus(e exchange.Event, n *node) error {
	e.Reasons, e.Raw = reasonsOf(n, "StsRsnInf"), evidence(n)
	setCounts(&e, n.words("OrgnlNbOfTxs"), n.words("OrgnlCtrlSum"))
	setStatuses(&e, n.all("NbOfTxsPerSts"))
	return rd.say(e)
}

func (rd *reader) groupStatus(path string, of exchange.Event) error {
	n, items := &node{name: "OrgnlPmtInfAndSts"}, 0
	err := rd.collect(n, groupStatus, map[string]func() error{"TxInfAndSts": func() error {
		items++
		item := of
		item.GroupID = n.id("OrgnlPmtInfId")
		return rd.itemStatus(fmt.Sprintf("%s.t%d", path, items), item)
	}})
	if err != nil {
		return err
	}
	of.Kind, of.Path, of.GroupID, of.Status = exchange.OnGroup, path, n.id("OrgnlPmtInfId"), n.code("PmtInfSts")
	return rd.sayStatus(of, n)
}

func (rd *reader) itemStatus(path string, e exchange.Event) error {
	n, err := rd.tree("TxInfAndSts", newBudget())
	if err != nil {
		return err
	}
	e.Kind, e.Path, e.Status = exchange.OnItem, path, n.code("TxSts")
	e.Reasons, e.Raw = reasonsOf(n, "StsRsnInf"), evidence(n)
	e.Reference = n.id("AcctSvcrRef")
	setTime(&e, n.words("AccptncDtTm"))
	setOriginal(&e, n)
	return rd.say(e)
}

// setOriginal takes how an answer names the item, and what it repeats of it.
func setOriginal(e *exchange.Event, n *node) {
	e.InstructionID, e.EndToEndID = n.id("OrgnlInstrId"), n.id("OrgnlEndToEndId")
	e.TransactionID, e.UETR = n.id("OrgnlTxId"), n.id("OrgnlUETR")
	if original := n.at("OrgnlGrpInf"); original != nil {
		e.MessageID = cmp.Or(original.id("OrgnlMsgId"), e.MessageID)
		e.MessageName = cmp.Or(original.id("OrgnlMsgNmId"), e.MessageName)
	}
	of := n.at("OrgnlTxRef")
	e.MandateReference = of.id("MndtRltdInf", "MndtId")
	if e.MandateReference == "" { // newer versions put it one deeper
		e.MandateReference = of.id("MndtRltdInf", "DrctDbtMndt", "MndtId")
	}
	e.StatementLine = of.at("RmtInf").prose("Ustrd")
	setAmount(e, n.at("OrgnlInstdAmt"), of.at("Amt", "InstdAmt"), of.at("Amt", "EqvtAmt", "Amt"),
		of.at("IntrBkSttlmAmt"), n.at("OrgnlIntrBkSttlmAmt"))
}

// maskedProse is free text of the bank, which may name an account.
func maskedProse(n *node, name string) string { return bank.MaskNumbers(n.prose(name)) }
