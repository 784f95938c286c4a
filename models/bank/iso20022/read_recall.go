package iso20022

import (
	"cmp"
	"fmt"

	"debitdesk/models/bank/exchange"
)

var (
	recallFields  = names("Assgnmt", "RslvdCase", "Sts")
	recallMessage = names("OrgnlGrpCxlId", "RslvdCase", "OrgnlMsgId", "OrgnlMsgNmId", "OrgnlNbOfTxs", "OrgnlCtrlSum",
		"GrpCxlSts", "CxlStsRsnInf", "NbOfTxsPerCxlSts")
	recallGroup = names("OrgnlPmtInfCxlId", "RslvdCase", "OrgnlPmtInfId", "OrgnlGrpInf", "OrgnlNbOfTxs",
		"OrgnlCtrlSum", "PmtInfCxlSts", "CxlStsRsnInf", "NbOfTxsPerCxlSts")
)

// recallAnswers reads camt.029: what became of recalls. An answer that stands for a whole case, message or group is
// handed down to those within that have none of their own.
func (rd *reader) recallAnswers() error {
	n, underlying := &node{name: "RsltnOfInvstgtn"}, 0
	err := rd.collect(n, recallFields, map[string]func() error{"CxlDtls": func() error {
		rd.assigned(n)
		underlying++
		return rd.recalled(fmt.Sprintf("c%d", underlying), recallOf(n))
	}})
	if err != nil {
		return err
	}
	rd.assigned(n)
	e := recallOf(n)
	e.Path, e.Raw = "m", evidence(n)
	return rd.sayRecall(e)
}

func (rd *reader) assigned(n *node) {
	rd.made(n.id("Assgnmt", "Id"), n.words("Assgnmt", "CreDtTm"))
}

func recallOf(n *node) exchange.Event {
	return exchange.Event{Kind: exchange.OnRecall, CaseID: n.id("RslvdCase", "Id"), Status: n.code("Sts", "Conf")}
}

// sayRecall says whether the recall worked.
func (rd *reader) sayRecall(e exchange.Event) error {
	e.Accepted = e.Status == "ACCR" || e.Status == "CNCL"
	return rd.say(e)
}

func (rd *reader) recalled(path string, of exchange.Event) error {
	groups, items := 0, 0
	return rd.children(func(name string) error {
		switch name {
		case "OrgnlGrpInfAndSts":
			n := &node{name: name}
			if err := rd.collect(n, recallMessage, nil); err != nil {
				return err
			}
			of.MessageID, of.MessageName = n.id("OrgnlMsgId"), n.id("OrgnlMsgNmId")
			of.CaseID = cmp.Or(n.id("RslvdCase", "Id"), n.id("OrgnlGrpCxlId"), of.CaseID)
			of.Status = cmp.Or(n.code("GrpCxlSts"), of.Status)
			return rd.sayWholeRecall(path, of, n)
		case "OrgnlPmtInfAndSts":
			groups++
			return rd.recalledGroup(fmt.Sprintf("%s.g%d", path, groups), of)
		case "TxInfAndSts":
			items++
			return rd.recalledItem(fmt.Sprintf("%s.t%d", path, items), of)
		}
		return rd.skip()
	})
}

func (rd *reader) sayWholeRecall(path string, e exchange.Event, n *node) error {
	e.Path, e.Reasons, e.Raw = path, reasonsOf(n, "CxlStsRsnInf"), evidence(n)
	setCounts(&e, n.words("OrgnlNbOfTxs"), n.words("OrgnlCtrlSum"))
	setStatuses(&e, n.all("NbOfTxsPerCxlSts"))
	return rd.sayRecall(e)
}

func (rd *reader) recalledGroup(path string, of exchange.Event) error {
	n, items := &node{name: "OrgnlPmtInfAndSts"}, 0
	named := func() exchange.Event {
		e := of
		e.GroupID = n.id("OrgnlPmtInfId")
		e.MessageID = cmp.Or(n.id("OrgnlGrpInf", "OrgnlMsgId"), e.MessageID)
		e.MessageName = cmp.Or(n.id("OrgnlGrpInf", "OrgnlMsgNmId"), e.MessageName)
		e.CaseID = cmp.Or(n.id("RslvdCase", "Id"), n.id("OrgnlPmtInfCxlId"), e.CaseID)
		e.Status = cmp.Or(n.code("PmtInfCxlSts"), e.Status)
		return e
	}
	err := rd.collect(n, recallGroup, map[string]func() error{"TxInfAndSts": func() error {
		items++
		return rd.recalledItem(fmt.Sprintf("%s.t%d", path, items), named())
	}})
	if err != nil || items > 0 && n.code("PmtInfCxlSts") == "" {
		return err // it only introduces the items in it
	}
	return rd.sayWholeRecall(path, named(), n)
}

func (rd *reader) recalledItem(path string, e exchange.Event) error {
	n, err := rd.tree("TxInfAndSts", newBudget())
	if err != nil {
		return err
	}
	e.Path, e.Reasons, e.Raw = path, reasonsOf(n, "CxlStsRsnInf"), evidence(n)
	e.Status = cmp.Or(n.code("TxCxlSts"), e.Status)
	e.CaseID = cmp.Or(n.id("RslvdCase", "Id"), e.CaseID)
	setOriginal(&e, n)
	return rd.sayRecall(e)
}
