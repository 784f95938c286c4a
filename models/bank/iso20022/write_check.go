package iso20022

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
)

// most is the largest amount that the schemas hold: 18 digits with two behind the dot.
const most = 99_999_999_999_999_999

var currency = regexp.MustCompile(`^[A-Z]{3}$`)

// Check tells why one order cannot be written: a reason for people, or nothing.
func (e *Encoder) Check(o exchange.Order) string { return e.checkAs(e.d.Forms[kindOf(o)], o) }

// checkAs checks against the form in which the order is to be written.
func (e *Encoder) checkAs(form string, o exchange.Order) string {
	c := check{e: e}
	switch {
	case form == "":
		c.add("%s", notOffered[kindOf(o)])
	case o.Debit != nil:
		c.debit(form, *o.Debit)
	case o.Refund != nil:
		c.refund(*o.Refund)
	case o.Request != nil:
		c.request(*o.Request)
	case o.Recall != nil:
		c.recall(*o.Recall)
	case o.Cancel != nil:
		c.cancel(*o.Cancel)
	}
	return strings.Join(c.reasons, " ")
}

var notOffered = map[exchange.Kind]string{
	"":                     "There is nothing to write.",
	exchange.Debits:        "The bank’s profile names no message for debits.",
	exchange.Refunds:       "The bank’s profile names no message for refunds.",
	exchange.Recalls:       "The bank’s profile names no message that recalls a single debit.",
	exchange.Mandates:      "The bank’s profile names no message for DebiCheck mandates.",
	exchange.Cancellations: "The bank’s profile names no message that cancels DebiCheck mandates.",
}

// check collects the reasons against one order.
type check struct {
	e       *Encoder
	reasons []string
}

func (c *check) add(format string, args ...any) {
	c.reasons = append(c.reasons, fmt.Sprintf(format, args...))
}

func (c *check) debit(form string, in bank.Instruction) {
	c.method(in.Method)
	c.money(in.AmountCents, in.Currency)
	c.creditor(in.Creditor)
	c.payer(in.HolderName, in.Branch, in.Account, in.AccountType)
	c.line(in.StatementLine)
	if in.ActionDate.IsZero() {
		c.add("The debit has no debit date.")
	}
	switch in.Sequence {
	case bank.FirstDebit, bank.RecurringDebit, bank.OnceOffDebit, "":
	default:
		c.add("The bank does not know the sequence ‘%s’.", in.Sequence)
	}
	if id := mandateOf(in); id != "" {
		c.identifier("mandate reference", id)
	}
	switch days := in.TrackingDays; {
	case days < 0 || days > 10:
		c.add("The bank can wait for money for 0 to 10 days, not for %d.", days)
	case days > 0 && in.Method == bank.DebiCheck && Old(form):
		c.add("The bank takes %s, which has no tracking days: the debit asks for %d.", form, days)
	}
}

func (c *check) refund(r bank.Refund) {
	c.money(r.AmountCents, r.Currency)
	c.creditor(r.Creditor)
	c.payer(r.HolderName, r.Branch, r.Account, r.AccountType)
	c.line(r.StatementLine)
}

func (c *check) request(r bank.MandateRequest) {
	c.method(bank.DebiCheck)
	if c.e.d.Channels[r.Authentication] == "" {
		c.add("The bank takes requests by file, which the client answers later; it cannot ask as %s.",
			strings.ToLower(r.Authentication))
	}
	if !currency.MatchString(r.Currency) {
		c.add("‘%s’ is not a currency.", r.Currency)
	}
	for _, cents := range []int64{r.AmountCents, r.MaxAmountCents} {
		if cents < 0 || cents > most {
			c.add("The bank does not take the amount %s.", decimal(cents))
		}
	}
	if classes[r.ValueType] == "" {
		c.add("The bank does not know the value type ‘%s’.", r.ValueType)
	}
	switch {
	case r.DebitSequence != onceOff && r.DebitSequence != string(bank.RecurringDebit):
		c.add("The bank does not know the sequence ‘%s’.", r.DebitSequence)
	case r.DebitSequence != onceOff && units[r.PeriodUnits] == "":
		c.add("The bank does not know the period ‘%s’.", r.PeriodUnits)
	case r.DeductionDay < 0 || r.DeductionDay > 99:
		c.add("The bank does not know the debit day %d.", r.DeductionDay)
	}
	c.creditor(creditorOf(r))
	c.payer(r.HolderName, r.Branch, r.Account, r.AccountType)
	if r.Phone != "" && phone(r.Phone) == "" {
		c.add("The client’s phone number is not in the international form, such as +27821234567.")
	}
	if r.Identity != "" && identifier(r.Identity.Reveal()) != "" {
		c.add("The client’s identity number %s.", identifier(r.Identity.Reveal()))
	}
	if r.ContractReference != "" {
		c.identifier("contract reference", r.ContractReference)
	}
}

func (c *check) recall(r exchange.Recall) {
	c.money(r.AmountCents, r.Currency)
	c.named(r.Creditor)
	c.identifier("message of the debit", r.MessageID)
	c.identifier("group of the debit", r.GroupID)
	c.identifier("form of the debit's message", r.MessageName)
}

func (c *check) cancel(o exchange.Cancellation) {
	c.named(o.Creditor)
	c.identifier("message of the request", o.MessageID)
	c.identifier("form of the request's message", o.MessageName)
	if o.Reference != "" {
		c.identifier("mandate reference", o.Reference)
	}
}

func (c *check) method(m bank.Method) {
	if _, agreed := c.e.d.Services[m]; !agreed {
		c.add("The bank’s profile has no service for %s.", map[bank.Method]string{bank.EFT: "EFT debits",
			bank.DebiCheck: "DebiCheck"}[m])
	}
}

func (c *check) money(cents int64, code string) {
	if cents <= 0 || cents > most {
		c.add("The bank does not take the amount %s.", decimal(cents))
	}
	if !currency.MatchString(code) {
		c.add("‘%s’ is not a currency.", code)
	}
}

// named wants a name of who sends.
func (c *check) named(from bank.Creditor) {
	if c.e.sender(from) == "" {
		c.add("Your business has no name that the bank can read.")
	}
}

func (c *check) creditor(from bank.Creditor) {
	if !Readable(from.Name) {
		c.add("Your business has no name that the bank can read.")
	}
	if why := number(from.Account); why != "" {
		c.add("Your bank account, to which the money goes, %s.", why)
	}
	if from.Branch != "" && (len(from.Branch) != 6 || !digits(from.Branch)) {
		c.add("The branch code of your bank account does not have six digits.")
	}
	if at := c.e.d.UserCodeAt; at != Nowhere && from.ProfileCode != "" {
		c.identifier("user code", from.ProfileCode)
	}
}

func (c *check) payer(name, branch string, account bank.AccountNumber, kind bank.AccountType) {
	if !Readable(name) {
		c.add("The account holder’s name has no letter that the bank can read.")
	}
	if len(branch) != 6 || !digits(branch) {
		c.add("The client’s branch code does not have six digits.")
	}
	if why := number(account.Reveal()); why != "" {
		c.add("The client’s account number %s.", why)
	}
	if c.e.d.AccountTypes[kind] == "" {
		c.add("The bank’s profile has no word for this account type: %s.", strings.ToLower(kind.Label()))
	}
}

func (c *check) line(line string) {
	if c.e.d.EndToEnd == ByLine {
		switch text := Columns(line); {
		case text == "":
			c.add("The text for the client’s statement is empty.")
		case len(text) > 35:
			c.add("The text for the client’s statement has more than 35 characters.")
		}
	}
	if len(line) > 140 {
		c.add("The text for the client’s statement has more than 140 characters.")
	}
}

func (c *check) identifier(what, id string) {
	if why := identifier(id); why != "" {
		c.add("The %s %s.", what, why)
	}
}

// number says what is wrong with an account number; never the number itself.
func number(account string) string {
	switch {
	case account == "":
		return "is missing"
	case len(account) > 34 || !digits(account):
		return "is not a number of at most 34 digits"
	default:
		return ""
	}
}

// Readable tells whether a name keeps a letter or a digit when it is written in characters that banks take.
func Readable(name string) bool {
	return strings.ContainsFunc(Plain(name), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
