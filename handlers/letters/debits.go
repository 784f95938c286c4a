package letters

import (
	"cmp"
	"fmt"

	"debitdesk/handlers/papers"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/mail"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/sms"
	"debitdesk/views/emails"
)

// Failed tells that a debit was not paid: what, why, and how it can be paid.
func (w Writer) Failed(rec purchase.Record, number string) mail.Letter {
	p, b := rec.Purchase, rec.Brand
	amount := money.Format(p.TotalCents, p.Currency)
	v := start(p, b, "Your debit of "+amount+" to "+b.Name+" was not paid")
	v.Message = ""
	v.Preview = failedWords(rec)
	v.Paragraphs = []string{failedSentence(rec),
		"You can pay it now on the page below, from the same bank account or from another one. " +
			"The invoice is attached as a PDF."}
	v.Lines = lines(p)
	v.Facts = []emails.Line{{Label: "Reference", Value: reference(p)}, {Label: "Invoice", Value: number}}
	if on := rec.FailedOn(); !on.IsZero() {
		v.Facts = append(v.Facts, emails.Line{Label: "Debit date", Value: on.Format(day)})
	}
	v.Facts = append(v.Facts, total("To pay", p))
	v.Button = emails.Button{Label: "Pay " + amount, URL: w.link(p)}
	v.After = []string{unexpected(b)}
	return letter(v)
}

// failedSentence says that the debit was not paid, and why.
func failedSentence(rec purchase.Record) string {
	amount := money.Format(rec.TotalCents, rec.Currency)
	on := rec.FailedOn()
	if on.IsZero() {
		return fmt.Sprintf("%s could not debit %s from the bank account that you have stored.", rec.Brand.Name, amount)
	}
	return fmt.Sprintf("The debit of %s on %s was not paid. %s", amount, on.Format("Monday "+day), failedWords(rec))
}

func failedWords(rec purchase.Record) string {
	if rec.FailedOn().IsZero() {
		return "The bank account that you have stored could not be debited."
	}
	return papers.Reason(rec.Collection)
}

// ReminderSMS says in a short message what is to pay, and where. It names no account and no reason: others may read it.
func (w Writer) ReminderSMS(p purchase.Purchase, b merchant.Brand, cents int64) string {
	return sms.Shorten(b.Name) + ": " + money.Format(cents, p.Currency) + " is not paid yet. Pay or see what is next: " +
		w.link(p) + " STOP to end SMS."
}

// Reminder lists what a client has to pay: how each stands, the total, and where it is paid.
func (w Writer) Reminder(to client.Details, b merchant.Brand, open []purchase.Record) mail.Letter {
	first := open[0].Purchase
	var cents int64
	for _, rec := range open {
		cents = money.Plus(cents, rec.TotalCents)
	}
	amount := money.Format(cents, first.Currency)
	v := start(first, b, "Reminder: "+amount+" to pay to "+b.Name)
	v.Greeting, v.Message = greeting(to), ""
	v.Preview = plural.Of(len(open), "payment") + " to " + b.Name + " " + plural.Is(len(open)) + " open"
	if len(open) == 1 {
		v.Paragraphs = []string{standsSentence(open[0]), "You can pay it on the page below, from the same bank account or " +
			"from another one."}
		v.Lines = lines(first)
		v.Facts = []emails.Line{{Label: "Reference", Value: reference(first)}}
		v.Button = emails.Button{Label: "Pay " + amount, URL: w.link(first)}
	} else {
		v.Paragraphs = []string{plural.Of(len(open), "payment") + " to " + b.Name +
			" are open. Each can be paid on its own page, from the same bank account or from another one."}
		for _, rec := range open {
			v.Items = append(v.Items, emails.Item{Title: reference(rec.Purchase), Text: standsSentence(rec),
				Amount: money.Format(rec.TotalCents, rec.Currency), Label: "Pay this", URL: w.link(rec.Purchase)})
		}
	}
	v.Facts = append(v.Facts, emails.Line{Label: "Total to pay", Value: amount, Strong: true})
	v.After = []string{"If you have paid in the meantime, please ignore this mail.", unexpected(b)}
	return letter(v)
}

// standsSentence says how one purchase stands that is to be paid.
func standsSentence(rec purchase.Record) string {
	last := rec.Collection
	switch {
	case !rec.FailedOn().IsZero(), last == nil && rec.Status == purchase.Failed:
		return failedSentence(rec)
	case rec.Status == purchase.Overdue:
		return fmt.Sprintf("%s was due on %s and is not paid yet.", money.Format(rec.TotalCents, rec.Currency),
			calendar.DateOf(rec.Due).Format(day))
	}
	return fmt.Sprintf("%s is not paid yet. It is due on %s.", money.Format(rec.TotalCents, rec.Currency),
		calendar.DateOf(rec.Due).Format(day))
}

// Agreement confirms a mandate: what is debited, when first, how often, and how it ends. The mandate is attached.
func (w Writer) Agreement(p purchase.Purchase, b merchant.Brand, m mandate.Mandate, r purchase.Recurrence,
	first *collection.Collection) mail.Letter {
	v := start(p, b, "Your debit order with "+b.Name)
	v.Message = ""
	v.Preview = "What you agreed to, for your records"
	v.Paragraphs = []string{fmt.Sprintf(
		"You have given %s permission to debit your bank account. "+
			"The agreement is attached as a PDF; please keep it.", b.Name)}
	if m.State == mandate.Registered {
		v.Paragraphs = []string{fmt.Sprintf("Your bank did not get an answer from you in time, and the debit order of %s "+
			"was registered anyway. You can dispute its debits at your bank. The terms are attached as a PDF.", b.Name)}
	}
	account := bankName(m.BankCode) + " " + m.AccountMask
	v.Facts = []emails.Line{{Label: "Bank account", Value: account},
		{Label: "Contract reference", Value: m.ContractReference}, {Label: "On your statement", Value: m.AbbreviatedName}}
	switch {
	case first != nil:
		v.Paragraphs = append(v.Paragraphs, fmt.Sprintf("%s will be debited on %s. Please make sure that the money is in "+
			"the account on that day.", money.Format(first.AmountCents, first.Currency), first.ActionDate.Format("Monday "+day)))
	case r.None():
		v.Paragraphs = append(v.Paragraphs, "Nothing is debited now.")
	}
	v.Facts = append(v.Facts, recurringFacts(r, first == nil)...)
	if m.Terms != nil {
		v.Facts = append(v.Facts, emails.Line{Label: "Never more than",
			Value: money.Format(m.Terms.MaxAmountCents, p.Currency) + " a debit"})
	}
	v.Button = emails.Button{Label: "See how it stands", URL: w.link(p)}
	if !r.None() {
		v.After = append(v.After, "See the subscription, or stop it: "+w.link(p)+"subscription/")
	}
	v.After = append(v.After, "If you did not agree to this, tell "+b.Name+contactWords(b)+" at once. You can also ask "+
		"your bank to stop the debit order.")
	return letter(v)
}

func contactWords(b merchant.Brand) string {
	if contact := cmp.Or(b.Email, papers.Phone(b.Phone)); contact != "" {
		return " (" + contact + ")"
	}
	return ""
}

// recurringFacts are how much is debited, how often, from when on and for how long; none of nothing that recurs.
func recurringFacts(r purchase.Recurrence, withFirst bool) []emails.Line {
	if r.None() {
		return nil
	}
	facts := []emails.Line{{Label: "For", Value: r.Title},
		{Label: "Amount", Value: money.Format(r.AmountCents, r.Currency) + " " + r.Every, Strong: true}}
	if withFirst {
		facts = append(facts, emails.Line{Label: "First debit", Value: firstWords(r)})
	}
	ends := "When you or the business stop it"
	if r.Cycles > 0 {
		ends = "After " + plural.Of(r.Cycles, "payment")
	}
	return append(facts, emails.Line{Label: "Ends", Value: ends})
}

func firstWords(r purchase.Recurrence) string {
	if r.First.IsZero() {
		return "As soon after you have agreed as the banks allow"
	}
	return r.First.Format("Monday " + day)
}

// AskSubscriber asks a new subscriber for the bank details, and says what will be debited.
func (w Writer) AskSubscriber(p purchase.Purchase, b merchant.Brand, r purchase.Recurrence) mail.Letter {
	v := start(p, b, "Set up your debit order with "+b.Name)
	v.Preview = money.Format(r.AmountCents, r.Currency) + " " + r.Every + " for " + r.Title
	v.Paragraphs = []string{fmt.Sprintf("%s asks for your permission to debit %s %s for “%s” from your bank account. "+
		"You give your bank details on a secure page and see the terms before you agree to them.", b.Name,
		money.Format(r.AmountCents, r.Currency), r.Every, r.Title)}
	terms := asksBank(p)
	if terms != nil {
		v.Paragraphs = append(v.Paragraphs, "Then your bank asks you to confirm them. "+before(terms), w.confirming(terms))
	}
	if p.TotalCents == 0 {
		v.Paragraphs = append(v.Paragraphs, stored(terms))
	}
	v.Facts = append([]emails.Line{{Label: "Reference", Value: reference(p)}}, recurringFacts(r, true)...)
	if p.TotalCents > 0 && p.TotalCents != r.AmountCents {
		v.Facts = append(v.Facts, total("First amount", p))
	}
	if terms != nil {
		v.Facts = append(v.Facts, emails.Line{Label: "Never more than",
			Value: money.Format(terms.MaxAmountCents, p.Currency) + " a debit"})
	}
	v.Button = emails.Button{Label: "Enter my bank details", URL: w.link(p)}
	v.After = []string{
		"Enter your details on that page only, never by mail or telephone. We never ask for your PIN or password.",
		unexpected(b)}
	return letter(v)
}

// Subscribed tells a client whose account is stored what a new subscription debits.
func (w Writer) Subscribed(to client.Details, b merchant.Brand, r purchase.Recurrence,
	rec *purchase.Record) mail.Letter {
	p := purchase.Purchase{Payer: to}
	if rec != nil {
		p = rec.Purchase
	}
	v := start(p, b, "Your subscription with "+b.Name)
	v.Message = ""
	v.Preview = money.Format(r.AmountCents, r.Currency) + " " + r.Every + " for " + r.Title
	v.Paragraphs = []string{fmt.Sprintf("You are subscribed to “%s” with %s. It is debited from the bank account that "+
		"you have stored; you do not need to do anything.", r.Title, b.Name)}
	if r.First.IsZero() {
		v.Facts = recurringFacts(r, false)
	} else {
		v.Facts = recurringFacts(r, true)
	}
	if rec != nil {
		v.Button = emails.Button{Label: "See the subscription", URL: w.link(p) + "subscription/"}
		v.After = []string{"You can also stop the subscription there."}
	}
	v.After = append(v.After, unexpected(b))
	return letter(v)
}

// Stopped confirms to a client that a subscription was stopped, and says what is still debited.
func (w Writer) Stopped(p purchase.Purchase, b merchant.Brand, s purchase.Stop) mail.Letter {
	v := start(p, b, "You stopped “"+s.Title+"”")
	v.Message = ""
	v.Preview = "No further payments are billed"
	v.Paragraphs = []string{fmt.Sprintf("You stopped the subscription “%s” with %s. No further payments are billed.",
		s.Title, b.Name)}
	v.Paragraphs = append(v.Paragraphs, papers.StopLines(s, b.Name, true)...)
	v.Button = emails.Button{Label: "See how it stands", URL: w.link(p) + "subscription/"}
	v.After = []string{"To begin again, ask " + b.Name + contactWords(b) + "."}
	return letter(v)
}

// StopNotice tells the business that a client stopped a subscription, and what became of the debits.
func (w Writer) StopNotice(p purchase.Purchase, b merchant.Brand, s purchase.Stop) mail.Letter {
	who := cmp.Or(p.Payer.FullName, p.Payer.LegalName, p.Payer.Email, "A client")
	v := start(p, b, who+" stopped “"+s.Title+"”")
	v.Greeting, v.Message = "Hello,", ""
	v.Preview = "Stopped by the client"
	v.Paragraphs = []string{fmt.Sprintf("%s stopped the subscription “%s” on the payment page.", who, s.Title)}
	for _, rec := range s.Withdrawn {
		v.Paragraphs = append(v.Paragraphs, fmt.Sprintf("The debit of %s on %s (%s) was withdrawn. It is still open: "+
			"collect it another way, or cancel the purchase.", money.Format(rec.TotalCents, rec.Currency),
			rec.Collection.ActionDate.Format(day), reference(rec.Purchase)))
	}
	for _, rec := range s.Running {
		v.Paragraphs = append(v.Paragraphs, fmt.Sprintf("The debit of %s on %s (%s) is with the bank and runs anyway.",
			money.Format(rec.TotalCents, rec.Currency), rec.Collection.ActionDate.Format(day), reference(rec.Purchase)))
	}
	return letter(v)
}

func bankName(code string) string { return papers.BankName(code) }

func greeting(to client.Details) string {
	if name := cmp.Or(to.FullName, to.LegalName); name != "" {
		return "Dear " + name + ","
	}
	return "Hello,"
}
