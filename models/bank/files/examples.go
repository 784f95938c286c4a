package files

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/iso20022"
	"debitdesk/models/calendar"
)

// Example is a message as a profile has it written, with everything that can stand in one. Nobody in it exists.
type Example struct {
	Kind    exchange.Kind
	Form    string
	Content []byte
}

// keys are where a profile names the form of each kind.
var keys = map[exchange.Kind]string{exchange.Debits: "debit_message", exchange.Refunds: "credit_message",
	exchange.Mandates: "mandate_messages", exchange.Cancellations: "mandate_messages", exchange.Recalls: "recall_message"}

// Examples writes a message of each kind that the profile offers. What its form does not allow is an error.
func (p Profile) Examples() (all []Example, err error) {
	e := p.Encoder()
	for _, k := range exchange.Kinds {
		form := e.Name(k)
		if form == "" {
			continue
		}
		var content bytes.Buffer
		if wrong := e.Encode(&content, p.example(k, form)); wrong != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", k, wrong))
			continue
		}
		all = append(all, Example{k, form, content.Bytes()})
	}
	return all, err
}

// examples refuses a profile whose words do not fit into the forms that it names.
func (c profileCheck) examples() {
	if len(*c.Problems) > 0 {
		return // it cannot be meant as it is
	}
	_, err := c.Examples()
	if err == nil {
		return
	}
	all, several := err.(interface{ Unwrap() []error })
	list := []error{err}
	if several {
		list = all.Unwrap()
	}
	for _, one := range list {
		kind, _, _ := strings.Cut(one.Error(), ":")
		why := one.Error()
		var disallowed *exchange.Disallowed
		if errors.As(one, &disallowed) {
			why = disallowed.Error()
		}
		c.bad(keys[exchange.Kind(kind)], "Files would not be as they have to be: %s.", why)
	}
}

var exampleCreditor = bank.Creditor{Name: "Example Gym and Swimming Baths (Pty) Ltd", AbbreviatedName: "EXAMPLEGYM",
	ProfileCode: "A123", Branch: "250655", Account: "50100000001"}

var exampleDay = calendar.On(2026, 11, 25)

const exampleHolder = "Ms Thandi-Zoë van der Merwe O’Brien Nkosi"

func exampleID(n byte) uuid.UUID {
	return uuid.UUID{0x6f, 0x1c, 0x2b, 0x8e, 0x4d, 0x0a, 0x7c, 0x55, 0xa3, 0xe1, 0xb7, 0xc9, 0x0d, 0x2f, 0x6a, n}
}

func (p Profile) example(k exchange.Kind, form string) exchange.Outgoing {
	var groups [][]exchange.Order
	switch k {
	case exchange.Debits:
		groups = p.exampleDebits(form)
	case exchange.Refunds:
		groups = [][]exchange.Order{exampleRefunds()}
	case exchange.Mandates:
		groups = [][]exchange.Order{p.exampleRequests()}
	case exchange.Recalls:
		groups = [][]exchange.Order{exampleRecalls(p.DebitMessage)}
	case exchange.Cancellations:
		groups = [][]exchange.Order{exampleCancellations(p.MandateMessages)}
	}
	m := exchange.Outgoing{Message: exchange.Message{ID: "DD20261122-000042", Kind: k, Name: form, Number: 42,
		MadeAt: time.Date(2026, 11, 22, 7, 30, 0, 0, time.UTC)}}
	for n, orders := range groups {
		g := exchange.Group{ID: exchange.GroupID(m.ID, n+1), Creditor: exampleCreditor, ActionDate: exampleDay}
		for _, o := range orders {
			i := exchange.Item{Order: o}
			switch {
			case o.Debit != nil:
				i.ID, i.AmountCents, g.Method, g.Sequence = o.Debit.ID, o.Debit.AmountCents, o.Debit.Method, o.Debit.Sequence
			case o.Refund != nil:
				i.ID, i.AmountCents = o.Refund.ID, o.Refund.AmountCents
			case o.Recall != nil:
				i.ID, i.AmountCents = o.Recall.ID, o.Recall.AmountCents
			case o.Request != nil:
				i.ID = o.Request.ID
			case o.Cancel != nil:
				i.ID = o.Cancel.ID
			}
			g.Items, g.Count, g.SumCents = append(g.Items, i), g.Count+1, g.SumCents+i.AmountCents
		}
		m.Groups, m.Count, m.SumCents = append(m.Groups, g), m.Count+g.Count, m.SumCents+g.SumCents
	}
	return m
}

// exampleDebits are a group for each service and sequence, with every type of account.
func (p Profile) exampleDebits(form string) (groups [][]exchange.Order) {
	n := byte(0)
	for _, name := range []string{eftService, debiCheckService} {
		if _, offered := p.Services[name]; !offered {
			continue
		}
		for _, sequence := range []bank.Sequence{bank.FirstDebit, bank.RecurringDebit, bank.OnceOffDebit} {
			var group []exchange.Order
			for _, kind := range bank.AccountTypes() {
				n++
				in := bank.Instruction{ID: exampleID(n), Method: methods[name], AmountCents: 64900, Currency: "ZAR",
					ActionDate: exampleDay, Branch: "470010", Account: "1400000101", AccountType: kind, HolderName: exampleHolder,
					StatementLine: "EXAMPLEGYMCR000000000123261125", Creditor: exampleCreditor, Sequence: sequence,
					ContractReference: "CR000000000123", MandateDate: exampleDay.AddDays(-90),
					Disputable: kind == bank.Savings && name == debiCheckService}
				if name == debiCheckService {
					if in.MandateReference = "0021260814123456789"; !iso20022.Old(form) {
						in.TrackingDays = 10
					}
				}
				group = append(group, exchange.Order{Debit: &in})
			}
			groups = append(groups, group)
		}
	}
	return groups
}

func exampleRefunds() (orders []exchange.Order) {
	for n, kind := range bank.AccountTypes() {
		orders = append(orders, exchange.Order{Refund: &bank.Refund{ID: exampleID(byte(n)), AmountCents: 64900,
			Currency: "ZAR", Branch: "470010", Account: "1400000101", AccountType: kind, HolderName: exampleHolder,
			StatementLine: "EXAMPLEGYMREFUND", Creditor: exampleCreditor}})
	}
	return orders
}

// exampleRequests have every value type, period and way of asking.
func (p Profile) exampleRequests() (orders []exchange.Order) {
	periods := []string{"months", "weeks", "days"}
	ways := []string{"DELAYED", "FALLBACK"}
	for n, value := range []string{"FIXED", "VARIABLE", "USAGEBASED"} {
		r := bank.MandateRequest{ID: exampleID(byte(n)), Authentication: ways[n%2], ContractReference: "CR000000000123",
			AbbreviatedName: "EXAMPLEGYM", CreditorAccount: exampleCreditor.Account, Creditor: exampleCreditor,
			HolderName: exampleHolder, Identity: "8001015009087", Phone: "+27820000000", Branch: "470010",
			Account: "1400000101", AccountType: bank.AccountTypes()[n], ValueType: value, DebitSequence: "RCUR",
			PeriodUnits: periods[n], DeductionDay: 25, AmountCents: 64900, MaxAmountCents: 97350, Currency: "ZAR",
			FirstDate: exampleDay, Tracking: true, DateAdjustment: true}
		if p.Channels[r.Authentication] == "" {
			continue
		}
		orders = append(orders, exchange.Order{Request: &r})
	}
	return orders
}

func exampleRecalls(debits string) (orders []exchange.Order) {
	for n := range byte(2) {
		orders = append(orders, exchange.Order{Recall: &exchange.Recall{ID: exampleID(n), DebitID: exampleID(n + 10),
			MessageID: "DD20261120-000041", MessageName: debits, GroupID: "DD20261120-000041-01", AmountCents: 64900,
			Currency: "ZAR", ActionDate: exampleDay, Creditor: exampleCreditor}})
	}
	return orders
}

func exampleCancellations(requests string) (orders []exchange.Order) {
	for n, reference := range []string{"0021260814123456789", ""} {
		orders = append(orders, exchange.Order{Cancel: &exchange.Cancellation{ID: exampleID(byte(n)),
			RequestID: exampleID(byte(n) + 10), MessageID: "MI20261120-000007", MessageName: requests, Reference: reference,
			Contract: "CR000000000123", Creditor: exampleCreditor}})
	}
	return orders
}
