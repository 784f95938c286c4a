package banktest

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/bank"
)

// player hands over and fetches, and fails the test on errors.
type player struct {
	t *testing.T
	Bench
}

func (p player) instruction(account bank.AccountNumber) bank.Instruction {
	return bank.Instruction{
		ID: uuid.New(), MerchantID: p.MerchantID, Method: bank.EFT, AmountCents: 12345, Currency: "ZAR",
		ActionDate: p.ActionDate, Branch: p.Branch, Account: account, AccountType: bank.Current,
		HolderName: "N Dlamini", StatementLine: "TESTMERCH1DD000644      261201", Creditor: creditor,
		Sequence: bank.RecurringDebit, ContractReference: "DD000644", MandateDate: p.ActionDate.AddDays(-30),
	}
}

var creditor = bank.Creditor{Name: "Test Merchant", AbbreviatedName: "TESTMERCH1", ProfileCode: "TEST1",
	Branch: "250655", Account: "62001872440"}

func (p player) submit(in ...bank.Instruction) []bank.Receipt {
	p.t.Helper()
	receipts, err := p.Gateway.Submit(context.Background(), in)
	if err != nil || len(receipts) != len(in) {
		p.t.Fatalf("submit: %d receipts, %v", len(receipts), err)
	}
	for i := range in {
		if receipts[i].ID != in[i].ID {
			p.t.Fatalf("receipt %d is of another instruction", i)
		}
	}
	return receipts
}

// mandate asks for a mandate by delayed authentication, which the payer may answer for 48 hours.
func (p player) mandate(account bank.AccountNumber) bank.MandateRequest {
	return bank.MandateRequest{
		ID:                uuid.New(),
		MandateID:         uuid.New(),
		MerchantID:        p.MerchantID,
		Authentication:    "DELAYED",
		ContractReference: "DD000644",
		AbbreviatedName:   "TESTMERCH1",
		CreditorAccount:   creditor.Account,
		HolderName:        "N Dlamini",
		Identity:          "8501015009086",
		Phone:             "+27821234567",
		Branch:            p.Branch,
		Account:           account,
		AccountType:       bank.Current,
		ValueType:         "FIXED",
		DebitSequence:     "RCUR",
		PeriodUnits:       "months",
		DeductionDay:      25,
		AmountCents:       12345,
		MaxAmountCents:    12345,
		Currency:          "ZAR",
		Creditor:          creditor,
		FirstDate:         p.ActionDate,
		Tracking:          true,
	}
}

func (p player) request(r bank.MandateRequest) bank.Receipt {
	p.t.Helper()
	receipt, err := p.Gateway.RequestMandate(context.Background(), r)
	if err != nil || receipt.ID != r.ID || receipt.Refused {
		p.t.Fatalf("request a mandate: %+v %v", receipt, err)
	}
	return receipt
}

// answersOf lists what waits about one request, without the note that the handset has it.
func (p player) answersOf(id uuid.UUID) (answers []bank.Message) {
	p.t.Helper()
	for _, m := range p.fetch(100) {
		if m.InstructionID == id && m.Kind != bank.MandateDelivered {
			answers = append(answers, m)
		}
	}
	return answers
}

func (p player) fetch(limit int) []bank.Message {
	p.t.Helper()
	messages, err := p.Gateway.Fetch(context.Background(), limit)
	if err != nil {
		p.t.Fatalf("fetch: %v", err)
	}
	return messages
}

func (p player) acknowledge(ids ...string) {
	p.t.Helper()
	if err := p.Gateway.Acknowledge(context.Background(), ids); err != nil {
		p.t.Fatalf("acknowledge: %v", err)
	}
}

// kindsOf lists what waits about one instruction, in order.
func (p player) kindsOf(id uuid.UUID) (kinds []bank.MessageKind) {
	p.t.Helper()
	for _, m := range p.fetch(100) {
		if m.InstructionID == id {
			kinds = append(kinds, m.Kind)
		}
	}
	return kinds
}

// afterReturns moves to the morning after the first returns, before any dispute.
func (p player) afterReturns() { p.MoveTo(p.ActionDate.AddDays(8).At(12, 0)) }
