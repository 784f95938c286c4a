package files

import (
	"maps"
	"slices"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/bank/acb"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/iso20022"
	"debitdesk/models/rulebook"
)

// ConnectionName is how this connection is called wherever it is kept.
const ConnectionName = "files"

// largestItem is more bytes than any item takes in a file.
const largestItem = 1500

// methods are the services by which debits are collected.
var methods = map[string]bank.Method{eftService: bank.EFT, debiCheckService: bank.DebiCheck}

// Rules are what was agreed with the bank, apart from the form of the files.
func (p Profile) Rules() exchange.Rules {
	r := exchange.Rules{
		Name: ConnectionName, Cuts: slices.Clone(p.Cuts), Deadline: p.Deadline, SilenceAt: p.SilenceAt,
		LeadDays: map[bank.Method]int{}, Success: map[bank.Method]exchange.Success{},
		AckWithin: time.Duration(p.AckWithinMinutes) * time.Minute,
		SoonEvery: time.Duration(p.SoonMinutes) * time.Minute,
		MaxItems:  min(p.MaxItems, int(p.MaxFileBytes/largestItem)), MaxCents: p.MaxAmountCents, Codes: maps.Clone(p.Codes),
		CodeTable: p.CodeTable, FeeCodes: slices.Clone(p.FeeCodes), OtherCodes: slices.Clone(p.OtherCodes),
		Habits:       exchange.Habits(p.AnswersAs),
		Capabilities: p.capabilities(),
		OneGroup:     map[exchange.Kind]bool{exchange.Recalls: iso20022.Reverses(p.RecallMessage)},
	}
	r.Book, _ = p.book() // a profile whose rules do not hold together is refused when it is read
	for name, method := range methods {
		if s, offered := p.Services[name]; offered {
			r.LeadDays[method], r.Success[method] = *s.LeadDays, p.successOf(s)
		}
	}
	return r
}

// book is the rulebook with what this bank has in place of the scheme's rules.
func (p Profile) book() (*rulebook.Book, error) {
	return rulebook.Default().ForBank(p.Name, p.Rulebook.Provider, p.Rulebook.Rows)
}

func (p Profile) successOf(s Service) exchange.Success {
	if s.Success != "" {
		return exchange.Success(s.Success)
	}
	return exchange.Success(p.Success)
}

// capabilities are what files to this bank can do. A file cannot ask a client within two minutes, and no message takes
// a mandate as proof.
func (p Profile) capabilities() bank.Capabilities {
	_, debiCheck := p.Services[debiCheckService]
	return bank.Capabilities{
		DebiCheck: debiCheck && p.MandateMessages != none,
		Refunds:   p.CreditMessage != none,
		RecallOne: p.RecallMessage != none,
	}
}

// Encoder writes messages as this bank wants them.
func (p Profile) Encoder() exchange.Encoder { return encoder{iso20022.NewEncoder(p.dialect()), p} }

// Spellings are the other forms in which people may have messages to this bank.
func (p Profile) Spellings() []exchange.Spelling {
	eft, offered := p.Services[eftService]
	if !offered {
		return nil
	}
	return []exchange.Spelling{acb.Writer{Service: acb.ServiceOf(*eft.LeadDays)}}
}

// Decoder reads what this bank gives.
func (p Profile) Decoder() exchange.Decoder { return Decoder{ReasonAt: p.ACBReasonAt} }

type encoder struct {
	*iso20022.Encoder
	profile Profile
}

// FileName implements exchange.Encoder.
func (e encoder) FileName(m exchange.Message) string { return e.profile.fileNameOf(m) }

func (p Profile) dialect() iso20022.Dialect {
	d := iso20022.Dialect{
		Forms: map[exchange.Kind]string{exchange.Debits: p.DebitMessage}, PartyName: p.InitiatingParty.Name,
		PartyID: p.InitiatingParty.ID, CreditorBranch: p.CreditorBranch, BranchScheme: unlessNone(p.BranchScheme),
		AccountScheme: unlessNone(p.AccountScheme), AccountTypes: maps.Clone(p.AccountTypes),
		CreditorAccountType: unlessNone(p.CreditorAccountType), Services: map[bank.Method]iso20022.Service{},
		UserCodeAt: iso20022.Place(p.UserCodeAt), AbbreviatedNameAt: iso20022.Place(p.AbbreviatedNameAt),
		StatementLineAt: iso20022.Place(p.StatementLineAt), EndToEnd: iso20022.EndToEnd(p.EndToEnd),
		UETR: p.UETR, BatchBooking: p.BatchBooking, Offset: p.Times == "offset", NameLength: p.NameLength,
		Channels: maps.Clone(p.Channels), RecallReason: p.RecallReason, CancelReason: p.CancelReason,
	}
	for kind, form := range map[exchange.Kind]string{exchange.Refunds: p.CreditMessage,
		exchange.Recalls:  p.RecallMessage,
		exchange.Mandates: p.MandateMessages} {
		if form != none {
			d.Forms[kind] = form
		}
	}
	if p.MandateMessages != none {
		d.Forms[exchange.Cancellations] = iso20022.CancellationOf(p.MandateMessages)
	}
	for name, s := range p.Services {
		service := iso20022.Service{LocalInstrument: s.LocalInstrument, ServiceLevel: s.ServiceLevel}
		switch name {
		case refundService:
			d.RefundService = service
		case registeredName:
			d.Registered = service
		default:
			d.Services[methods[name]] = service
		}
	}
	return d
}

func unlessNone(value string) string {
	if value == none {
		return ""
	}
	return value
}
