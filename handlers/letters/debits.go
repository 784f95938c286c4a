package letters

import (
	"cmp"
	"fmt"

	"debitdesk/handlers/papers"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/locale"
	"debitdesk/models/mail"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/sms"
	"debitdesk/models/wording"
	"debitdesk/views/emails"
)

// Failed tells that a debit was not paid: what, why, and how it can be paid.
func (w Writer) Failed(rec purchase.Record, number string) mail.Letter {
	return toPayer(rec.Purchase, rec.Brand, func(say locale.Words) emails.View {
		p, b := rec.Purchase, rec.Brand
		amount := say.Money(p.TotalCents, p.Currency)
		v := w.begin(say, p, b, say.Say("mail.failed.subject", "amount", amount, "business", b.Name))
		v.Message = ""
		v.Preview = failedWords(say, rec)
		v.Paragraphs = []string{failedSentence(say, rec), say.Say("mail.failed.now")}
		v.Lines = lines(say, p)
		v.Facts = []emails.Line{{Label: say.Say("pay.reference"), Value: reference(p)},
			{Label: say.Say("mail.failed.invoice"), Value: number}}
		if on := rec.FailedOn(); !on.IsZero() {
			v.Facts = append(v.Facts, emails.Line{Label: say.Say("pay.debit_date"), Value: say.Day(on)})
		}
		v.Facts = append(v.Facts, total(say.Say("mail.invoice.to_pay"), p))
		v.Button = emails.Button{Label: say.Say("pay.stored.button", "amount", amount), URL: w.link(p)}
		v.After = []string{unexpectedIn(say, b)}
		with := values{wording.Amount: amount, wording.Reference: reference(p)}
		if on := rec.FailedOn(); !on.IsZero() {
			with[wording.Date] = say.Day(on)
		}
		own(&v, say, b, p.Payer, purchase.MailFailed, with)
		return v
	})
}

// failedSentence says that the debit was not paid, and why.
func failedSentence(say locale.Words, rec purchase.Record) string {
	amount, on := say.Money(rec.TotalCents, rec.Currency), rec.FailedOn()
	if on.IsZero() {
		return say.Say("mail.failed.could_not", "business", rec.Brand.Name, "amount", amount)
	}
	return say.Say("mail.failed.on", "amount", amount, "date", say.LongDay(on), "reason", failedWords(say, rec))
}

func failedWords(say locale.Words, rec purchase.Record) string {
	if rec.FailedOn().IsZero() {
		return say.Say("mail.failed.could_not_short")
	}
	return papers.Reason(say, rec.Collection)
}

// ReminderSMS says in a short message what is to pay, and where. It names no account and no reason: others may read it.
func (w Writer) ReminderSMS(p purchase.Purchase, b merchant.Brand, cents int64) string {
	return locale.Whole(b.Reads(p.Payer.Language, p.Details.Language), func(say locale.Words) string {
		return say.Say("sms.reminder", "business", sms.Shorten(b.Name), "amount", say.Money(cents, p.Currency),
			"link", w.link(p))
	})
}

// Reminder lists what a client has to pay: how each stands, the total, and where it is paid.
func (w Writer) Reminder(to client.Details, b merchant.Brand, open []purchase.Record) mail.Letter {
	p := open[0].Purchase
	p.Payer.Language = to.Language
	return toPayer(p, b, func(say locale.Words) emails.View { return w.reminder(say, to, b, open) })
}

func (w Writer) reminder(say locale.Words, to client.Details, b merchant.Brand, open []purchase.Record) emails.View {
	first := open[0].Purchase
	var cents int64
	for _, rec := range open {
		cents = money.Plus(cents, rec.TotalCents)
	}
	amount := say.Money(cents, first.Currency)
	v := w.begin(say, purchase.Purchase{Payer: to, IsTest: first.IsTest}, b,
		say.Say("mail.reminder.subject", "amount", amount, "business", b.Name))
	v.Preview = say.Count("mail.reminder.preview", len(open), "business", b.Name)
	if len(open) == 1 {
		v.Paragraphs = []string{standsSentence(say, open[0]), say.Say("mail.reminder.one")}
		v.Lines = lines(say, first)
		v.Facts = []emails.Line{{Label: say.Say("pay.reference"), Value: reference(first)}}
		v.Button = emails.Button{Label: say.Say("pay.stored.button", "amount", amount), URL: w.link(first)}
	} else {
		v.Paragraphs = []string{say.Count("mail.reminder.several", len(open), "business", b.Name)}
		for _, rec := range open {
			v.Items = append(v.Items, emails.Item{Title: reference(rec.Purchase), Text: standsSentence(say, rec),
				Amount: say.Money(rec.TotalCents, rec.Currency), Label: say.Say("mail.reminder.pay_this"),
				URL: w.link(rec.Purchase)})
		}
	}
	v.Facts = append(v.Facts, emails.Line{Label: say.Say("mail.reminder.total"), Value: amount, Strong: true})
	v.After = []string{say.Say("mail.reminder.paid"), unexpectedIn(say, b)}
	own(&v, say, b, to, purchase.MailReminder, values{wording.Amount: amount})
	return v
}

// standsSentence says how one purchase stands that is to be paid.
func standsSentence(say locale.Words, rec purchase.Record) string {
	last, key := rec.Collection, "mail.stands.open"
	switch {
	case !rec.FailedOn().IsZero(), last == nil && rec.Status == purchase.Failed && !rec.NothingFailed():
		return failedSentence(say, rec)
	case rec.PastDue():
		key = "mail.stands.overdue"
	}
	return say.Say(key, "amount", say.Money(rec.TotalCents, rec.Currency), "date", say.Day(calendar.DateOf(rec.Due)))
}

// Agreement confirms a mandate: what is debited, when first, how often, and how it ends. The mandate is attached.
func (w Writer) Agreement(p purchase.Purchase, b merchant.Brand, m mandate.Mandate, r purchase.Recurrence,
	first *collection.Collection) mail.Letter {
	return toPayer(p, b, func(say locale.Words) emails.View { return w.agreement(say, p, b, m, r, first) })
}

func (w Writer) agreement(say locale.Words, p purchase.Purchase, b merchant.Brand, m mandate.Mandate,
	r purchase.Recurrence, first *collection.Collection) emails.View {
	v := w.begin(say, p, b, say.Say("mail.agreement.subject", "business", b.Name))
	v.Message = ""
	v.Preview = say.Say("mail.agreement.preview")
	v.Paragraphs = []string{say.Say("mail.agreement.text", "business", b.Name)}
	if m.State == mandate.Registered {
		v.Paragraphs = []string{say.Say("mail.agreement.registered", "business", b.Name)}
	}
	v.Facts = []emails.Line{
		{Label: say.Say("mail.agreement.account"), Value: papers.BankName(say, m.BankCode) + " " + m.AccountMask},
		{Label: say.Say("paper.collector.contract"), Value: m.ContractReference},
		{Label: say.Say("mail.agreement.statement"), Value: m.AbbreviatedName}}
	switch {
	case first != nil:
		v.Paragraphs = append(v.Paragraphs, say.Say("mail.agreement.first", "amount",
			say.Money(first.AmountCents, first.Currency), "date", say.LongDay(first.ActionDate)))
	case r.None():
		v.Paragraphs = append(v.Paragraphs, say.Say("mail.agreement.nothing"))
	}
	v.Facts = append(v.Facts, recurringFacts(say, r, first == nil)...)
	if m.Terms != nil {
		v.Facts = append(v.Facts, most(say, m.Terms, p.Currency))
	}
	v.Button = emails.Button{Label: say.Say("mail.agreement.button"), URL: w.link(p)}
	if !r.None() {
		v.After = append(v.After, say.Say("mail.agreement.stop", "address", w.link(p)+"subscription/"))
	}
	v.After = append(v.After, say.Say("mail.agreement.not_you", "business", b.Name+contactWords(b)))
	own(&v, say, b, p.Payer, purchase.MailAgreement, values{wording.Reference: m.ContractReference})
	return v
}

func contactWords(b merchant.Brand) string {
	if contact := cmp.Or(b.Email, papers.Phone(b.Phone)); contact != "" {
		return " (" + contact + ")"
	}
	return ""
}

// recurringFacts are how much is debited, how often, from when on and for how long; none of nothing that recurs.
func recurringFacts(say locale.Words, r purchase.Recurrence, withFirst bool) []emails.Line {
	if r.None() {
		return nil
	}
	facts := []emails.Line{{Label: say.Say("mail.for"), Value: r.Title},
		{Label: say.Say("pay.amount"), Strong: true, Value: say.Say("sub.amount_every", "amount",
			say.Money(r.AmountCents, r.Currency), "every", papers.Every(say, r))}}
	if withFirst {
		facts = append(facts, emails.Line{Label: say.Say("sub.first"), Value: firstWords(say, r)})
	}
	ends := say.Say("sub.ends_stop")
	if r.Cycles > 0 {
		ends = say.Count("sub.ends_after", r.Cycles)
	}
	return append(facts, emails.Line{Label: say.Say("sub.ends"), Value: ends})
}

func firstWords(say locale.Words, r purchase.Recurrence) string {
	if r.First.IsZero() {
		return say.Say("sub.first_soon")
	}
	return say.LongDay(r.First)
}

// AskSubscriber asks a new subscriber for the bank details, and says what will be debited.
func (w Writer) AskSubscriber(p purchase.Purchase, b merchant.Brand, r purchase.Recurrence) mail.Letter {
	return toPayer(p, b, func(say locale.Words) emails.View { return w.askSubscriber(say, p, b, r) })
}

func (w Writer) askSubscriber(say locale.Words, p purchase.Purchase, b merchant.Brand,
	r purchase.Recurrence) emails.View {
	v := w.begin(say, p, b, say.Say("mail.subscribe.subject", "business", b.Name))
	with := []string{"business", b.Name, "amount", say.Money(r.AmountCents, r.Currency), "every", papers.Every(say, r),
		"what", r.Title}
	v.Preview = say.Say("mail.subscribed.preview", with...)
	v.Paragraphs = []string{say.Say("mail.subscribe.text", with...)}
	terms := asksBank(p)
	if terms != nil {
		v.Paragraphs = append(v.Paragraphs, say.Say("mail.subscribe.bank")+" "+before(say, terms),
			w.confirming(say, terms))
	}
	if p.TotalCents == 0 {
		v.Paragraphs = append(v.Paragraphs, stored(say, terms))
	}
	v.Facts = append([]emails.Line{{Label: say.Say("pay.reference"), Value: reference(p)}},
		recurringFacts(say, r, true)...)
	if p.TotalCents > 0 && p.TotalCents != r.AmountCents {
		v.Facts = append(v.Facts, total(say.Say("mail.subscribe.first"), p))
	}
	if terms != nil {
		v.Facts = append(v.Facts, most(say, terms, p.Currency))
	}
	v.Button = emails.Button{Label: say.Say("mail.account.button"), URL: w.link(p)}
	v.After = []string{say.Say("mail.secure"), unexpectedIn(say, b)}
	own(&v, say, b, p.Payer, purchase.MailLink, values{wording.Reference: reference(p)})
	return v
}

// Subscribed tells a client whose account is stored what a new subscription debits.
func (w Writer) Subscribed(to client.Details, b merchant.Brand, r purchase.Recurrence,
	rec *purchase.Record) mail.Letter {
	p := purchase.Purchase{Payer: to}
	if rec != nil {
		p = rec.Purchase
		p.Payer.Language = cmp.Or(to.Language, p.Payer.Language)
	}
	return toPayer(p, b, func(say locale.Words) emails.View {
		v := w.begin(say, p, b, say.Say("mail.subscribed.subject", "business", b.Name))
		v.Message = ""
		v.Preview = say.Say("mail.subscribed.preview", "amount", say.Money(r.AmountCents, r.Currency), "every",
			papers.Every(say, r), "what", r.Title)
		v.Paragraphs = []string{say.Say("mail.subscribed.text", "what", r.Title, "business", b.Name)}
		v.Facts = recurringFacts(say, r, !r.First.IsZero())
		if rec != nil {
			v.Button = emails.Button{Label: say.Say("mail.subscribed.button"), URL: w.link(p) + "subscription/"}
			v.After = []string{say.Say("mail.subscribed.stop")}
		}
		v.After = append(v.After, unexpectedIn(say, b))
		own(&v, say, b, p.Payer, purchase.MailSubscribed, values{wording.Amount: say.Money(r.AmountCents, r.Currency)})
		return v
	})
}

// Stopped confirms to a client that a subscription was stopped, and says what is still debited.
func (w Writer) Stopped(p purchase.Purchase, b merchant.Brand, s purchase.Stop) mail.Letter {
	return toPayer(p, b, func(say locale.Words) emails.View {
		v := w.begin(say, p, b, say.Say("mail.stopped.subject", "what", s.Title))
		v.Message = ""
		v.Preview = say.Say("mail.stopped.preview")
		v.Paragraphs = append([]string{say.Say("mail.stopped.text", "what", s.Title, "business", b.Name)},
			papers.StopLines(say, s, b.Name, true)...)
		v.Button = emails.Button{Label: say.Say("mail.stopped.button"), URL: w.link(p) + "subscription/"}
		v.After = []string{say.Say("sub.again", "business", b.Name+contactWords(b))}
		own(&v, say, b, p.Payer, purchase.MailStopped, nil)
		return v
	})
}

// StopNotice tells the business that a client stopped a subscription, and what became of the debits.
func (w Writer) StopNotice(p purchase.Purchase, b merchant.Brand, s purchase.Stop) mail.Letter {
	who := cmp.Or(p.Payer.FullName, p.Payer.LegalName, p.Payer.Email, "A client")
	v := w.start(p, b, who+" stopped “"+s.Title+"”")
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
