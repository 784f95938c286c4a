package batches

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"debitdesk/handlers/web/words"
	"debitdesk/models/bank"
	"debitdesk/models/batch"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/views/pages"
)

// What sending a batch does, in words. Review, the button and the request for a second person take them from here.

// WhatIsDone goes on a button after Send: "12 invoices · create 2 clients · plan 3 debits".
func WhatIsDone(n batch.Counts) string {
	text := plural.Of(n.Ready, "invoice")
	if n.Creates > 0 {
		text += " · create " + plural.Of(n.Creates, "client")
	}
	if n.Debits > 0 {
		text += " · plan " + plural.Of(n.Debits, "debit")
	}
	return text
}

func EffectLines(e batch.Effects) (out []string) {
	n := e.Counts
	if n.Ready == 0 {
		return nil
	}
	out = append(out, plural.Of(n.Ready, "invoice")+" of "+words.Sum(n.ReadyCents, money.ZAR)+" in all "+
		plural.Is(n.Ready)+" created.")
	out = append(out, plural.Of(n.Mails, "mail")+" with an invoice "+
		plural.Is(n.Mails)+" sent."+noMail(n.Ready-n.Mails))
	if n.Creates > 0 {
		out = append(out, plural.Of(n.Creates, "client")+" "+
			plural.Is(n.Creates)+" created.")
	}
	if n.Debits > 0 {
		out = append(out, plural.Of(n.Debits, "debit")+" of "+words.Sum(e.DebitCents, money.ZAR)+" in all "+
			plural.Is(n.Debits)+" planned.")
	}
	return out
}

func noMail(rows int) string {
	if rows == 0 {
		return ""
	}
	return " " + plural.Of(rows, "row") + " " + plural.Is(rows) + " for " +
		plural.Pick(rows, "a client without an e-mail address, who gets", "clients without an e-mail address, who get") +
		" no mail."
}

// createLines name who becomes a client.
func createLines(b batch.Batch, e batch.Effects) (out []string) {
	for _, r := range e.Creates {
		text := fmt.Sprintf("Row %d: %s", r.N, r.Name)
		if to := b.AddressOf(r); to != "" && to != r.Name {
			text += ", " + to
		}
		out = append(out, text)
	}
	if more := e.Counts.Creates - len(e.Creates); more > 0 {
		out = append(out, "And "+words.Grouped(int64(more))+" more.")
	}
	return out
}

var methodNames = map[string]string{string(bank.EFT): "EFT debit order", string(bank.DebiCheck): "DebiCheck"}

func debitLines(e batch.Effects, now time.Time) (out []pages.BatchDebitLine) {
	for _, d := range e.Debits {
		out = append(out, pages.BatchDebitLine{Date: words.SayDay(d.Date, now), Method: methodNames[d.Method],
			Rows: words.Grouped(int64(d.Rows)), Sum: words.Sum(d.Cents, ""), Disputable: words.Grouped(int64(d.Disputable))})
	}
	return out
}

// DisputeLines say which debits the client could dispute, and why.
func DisputeLines(e batch.Effects) (out []string) {
	if e.Disputable == 0 {
		return nil
	}
	byReason, reasons := map[string][]string{}, []string{}
	for _, r := range e.Disputes {
		for _, because := range r.Debit.Disputable {
			if byReason[because] == nil {
				reasons = append(reasons, because)
			}
			byReason[because] = append(byReason[because], strconv.Itoa(r.N))
		}
	}
	for _, because := range reasons {
		rows := byReason[because]
		const named = 10
		text := plural.Pick(len(rows), "row ", "rows ") + strings.Join(rows[:min(len(rows), named)], ", ")
		if len(rows) > named {
			text += " and others"
		}
		out = append(out, words.Capital(words.Because(because))+": "+text+".")
	}
	return out
}

// limitLines hold the debits against the limits of the clearing rules.
func limitLines(e batch.Effects) (out []string) {
	if e.Counts.Debits == 0 {
		return nil
	}
	for _, l := range []struct {
		may, one, are string
		limit, bad    int64
		own           bool
	}{{"fail", "fails", "fail", e.Limits.Unpaid, e.Outcome.Unpaid, e.Limits.Own[0]},
		{"be disputed", "is disputed", "are disputed", e.Limits.Dispute, e.Outcome.Disputed, e.Limits.Own[1]}} {
		f := e.Against(l.limit, l.bad)
		text := fmt.Sprintf("At most %s of debits may %s. ", words.Percent(l.limit), l.may)
		if l.own {
			text = fmt.Sprintf("By your own rule at most %s of debits may %s. ", words.Percent(l.limit), l.may)
		}
		if f.Before < 0 {
			text += "The bank answered no debit in the last 30 days. "
		} else {
			text += fmt.Sprintf("In the last 30 days it was %s%s%% of %s. ", perCent(f.Before), money.NBSP,
				plural.Of(e.Outcome.Answered(), "debit"))
			if f.Expected > 0 {
				text += fmt.Sprintf("If this continues, expect %s of these %s. ", words.Grouped(f.Expected),
					words.Grouped(int64(e.Counts.Debits)))
			}
		}
		switch {
		case f.Margin < 0:
			text += "The limit stays exceeded, whatever happens to these debits."
		case f.Margin >= int64(e.Counts.Debits):
			text += "These debits cannot exceed the limit."
		case f.Margin == 0:
			text += fmt.Sprintf("The limit is exceeded if one of these %s.", l.one)
		default:
			text += fmt.Sprintf("The limit is exceeded if more than %s of these %s.", words.Grouped(f.Margin), l.are)
		}
		out = append(out, text)
	}
	return out
}

// perCent writes hundredths of a percent.
func perCent(n int64) string {
	return strings.TrimSuffix(strings.TrimSuffix(money.Amount(n), "0"), ",0")
}
