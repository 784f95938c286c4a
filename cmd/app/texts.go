package app

import (
	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/followup"
	"debitdesk/models/sms"
	"debitdesk/models/texting"
)

// textsOf send short messages by the provider that was given, or keep them for the sandbox's phone.
func textsOf(s *database.DB, o Options, clients client.Store, words texting.Letters,
	days *calendar.Calendar) *texting.Service {
	out := &texting.Service{Store: texting.Store{DB: s}, Clients: clients, Gateway: o.Texts, Calendar: days,
		Letters: words, Raise: func(tx *database.Tx, m sms.Message, why string) error {
			if m.PurchaseID == uuid.Nil {
				return nil // the time line of the client alone tells of it
			}
			return followup.Raise(tx, actor.SystemOf(m.MerchantID),
				[]followup.Raised{{PurchaseID: m.PurchaseID, ClientID: m.ClientID, Text: why}})
		}}
	if out.Gateway == nil && o.Sandbox {
		out.Gateway = sms.Keep{}
	}
	return out
}
