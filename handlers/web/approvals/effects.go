package approvals

import (
	"slices"
	"time"

	"debitdesk/handlers/web/batches"
	"debitdesk/handlers/web/tokens"
	"debitdesk/handlers/web/words"
	"debitdesk/models/approval"
	"debitdesk/models/batch"
	"debitdesk/models/money"
	"debitdesk/models/plural"
)

// approveWords repeats the facts on the button.
func approveWords(s approval.Sheet) string {
	if s.Kind == approval.Loosen {
		return "Approve: ask for fewer approvals"
	}
	if s.Kind == approval.SendBatch {
		return "Approve: send " + batches.WhatIsDone(s.Effects.Counts) + " · " + words.Sum(s.Now.Cents, money.ZAR)
	}
	if s.Kind == approval.StopClient {
		return "Approve: stop everything"
	}
	if s.Kind == approval.ImportBook {
		return "Approve: import " + plural.Of(s.Now.Rows, "row")
	}
	if s.Kind == approval.ChangeSetting {
		return "Approve: " + s.Subject.Name
	}
	if s.Kind == approval.DoMany {
		return "Approve: " + s.Many.Name + andSum(s.Now.Cents)
	}
	return "Approve: delete " + plural.Of(s.Now.Tokens, "token")
}

// andSum adds what many come to, where they are about money.
func andSum(cents int64) string {
	if cents == 0 {
		return ""
	}
	return " · " + words.Sum(cents, money.ZAR)
}

func totalsWords(a approval.Approval, s approval.Totals) string {
	if a.Kind == approval.StopClient {
		return plural.Of(s.Waiting, "debit") + " of " + words.Sum(s.Cents, money.ZAR) + ", " +
			plural.Of(s.Subscriptions, "subscription") + ", " + plural.Of(s.Tokens, "token")
	}
	if w := a.Subject.Work; w != nil {
		return plural.Of(s.Rows, w.One) + andSum(s.Cents)
	}
	if a.Kind == approval.ImportBook {
		return plural.Of(s.Rows, "row") + ", " + plural.Of(s.Creates, "new client") + ", " + plural.Of(s.Tokens, "mandate") +
			", " + words.Sum(s.Cents, money.ZAR) + " a debit together"
	}
	if s.Rows > 0 || s.Tokens == 0 {
		return batches.WhatIsDone(batch.Counts{Ready: s.Rows, Creates: s.Creates, Debits: s.Debits}) + " · " +
			words.Sum(s.Cents, money.ZAR)
	}
	text := plural.Of(s.Tokens, "token")
	if s.Waiting > 0 {
		text += ", " + plural.Of(s.Waiting, "scheduled purchase") + " of " + words.Sum(s.Cents, money.ZAR)
	}
	if s.Subscriptions > 0 {
		text += ", " + plural.Of(s.Subscriptions, "subscription")
	}
	return text
}

// consequences says what an approval does.
func consequences(s approval.Sheet, now time.Time) (out []string) {
	if l := s.Subject.Loosening; l != nil {
		return []string{"A second approver is needed now: " + l.BeforeInWords() + ".", "And then: " + l.AfterInWords() + ".",
			"The other admins are told by mail."}
	}
	if t := s.Subject.Setting; t != nil {
		return append(slices.Clone(t.Lines), "All admins are told by mail.")
	}
	if s.Kind == approval.DoMany {
		return s.Many.Lines
	}
	for _, i := range s.Impacts {
		out = append(append(out, tokens.ImpactWords(i, now)), i.Lines()...)
	}
	if s.Kind == approval.StopClient {
		return s.Halt.Lines()
	}
	if s.Kind == approval.ImportBook {
		return []string{totalsWords(s.Approval, s.Now) + ".", "Everything comes in parked: nothing is debited, and no mail " +
			"goes out, until a group is switched on."}
	}
	if s.Kind == approval.SendBatch {
		out = append(batches.EffectLines(s.Effects), batches.DisputeLines(s.Effects)...)
		if o := s.Subject.Order; o != nil && o.Hold > 0 {
			return append(out, "Nothing is sent in the first "+plural.Of(o.Hold/time.Minute, "minute")+
				": it can be stopped until then.")
		}
		return append(out, "Sending starts at once.")
	}
	if gone := len(s.Subject.Tokens) - len(s.Impacts); gone > 0 {
		out = append(out, plural.Of(gone, "account")+" of the request: deleted or being deleted already.")
	}
	return out
}
