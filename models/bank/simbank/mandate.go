package simbank

// mandateAnswers is the pain.012 with what payers, or their banks, answered at one moment.
func (b *Bank) mandateAnswers(d *document, a *answer) {
	f := b.files[a.Key.File-1]
	all := b.events(a, func(e event) bool { return e.Answer != "" })
	d.in("MndtAccptncRpt", func() {
		d.header()
		for _, t := range all {
			d.mandateAnswer(f, t.order, t.event)
		}
		if has(a.As, UnknownIDs) {
			d.mandateAnswer(f, &order{ID: unknownID}, event{Answer: no, Code: &reason{Code: "MS02"}})
		}
	})
}

func (d *document) mandateAnswer(f *file, o *order, e event) {
	d.in("UndrlygAccptncDtls", func() {
		d.in("OrgnlMsgInf", func() {
			d.text("MsgId", cut(f.ID))
			d.text("MsgNmId", f.Message)
		})
		d.in("AccptncRslt", func() {
			if e.Answer == yes {
				d.text("Accptd", "true")
				return
			}
			d.text("Accptd", "false")
			d.reason("RjctRsn", "AddtlRjctRsnInf", *e.Code)
		})
		if e.Answer == no {
			d.text("OrgnlMndt/OrgnlMndtId", cut(o.ID))
			return
		}
		d.in("OrgnlMndt/OrgnlMndt", func() {
			d.text("MndtId", e.Mandate)
			d.text("MndtReqId", cut(o.ID))
			d.text("Authntcn/Chanl/Cd", o.channel())
			d.text("TrckgInd", "true")
			d.text("Cdtr/Nm", firstOf(o.CreditorName, "NOT PROVIDED"))
			d.text("Dbtr/Nm", firstOf(o.Holder, "NOT PROVIDED"))
			d.text("DbtrAcct/Id/Othr/Id", o.Account)
			d.text("DbtrAgt/FinInstnId/ClrSysMmbId/MmbId", o.Branch)
			d.text("MndtRef", cut(o.Mandate))
		})
	})
}

// channel is where the payer confirmed: in the bank's app when asked at once, else in internet banking.
func (o *order) channel() string {
	if o.prompt() {
		return "MOBI"
	}
	return "INBA"
}
