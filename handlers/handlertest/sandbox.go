package handlertest

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/handlers/sandbox"
	"debitdesk/handlers/web"
	bank "debitdesk/models/bank/sandbox"
	"debitdesk/models/debit"
	"debitdesk/models/demo"
	"debitdesk/models/mail/outbox"
	room "debitdesk/models/sandbox"
	"debitdesk/models/simulation"
	"debitdesk/models/store"
)

// sandbox adds what is there in sandbox mode alone, and the watch over mandates.
func (h *House) sandbox() {
	h.tb.Helper()
	db := h.Store
	watch, err := db.Watch(h.tb.Context())
	must(h.tb, err)
	h.tb.Cleanup(watch.Close)
	h.Deps.Live.Watch = watch
	b := bank.New(db.SandboxLedger(), db.Now, h.Purchases.Timetable, h.Purchases.Calendar)
	post := &outbox.Service{Store: db, Sender: outbox.Keep{}, Sent: h.Purchases.Mailed, Compose: h.Billing.Compose}
	h.Deps.Room = &sandbox.Room{Mails: db, Files: h.Billing.File, Page: h.Desk.Show, Desk: &room.Desk{InTx: store.Runner[room.Tx](db), Read: db, Clock: db.Clock,
		Purchases: h.Purchases, Mail: post.SendDue, Debits: &debit.Service{InTx: store.Runner[debit.Tx](db), Read: db, Bank: b, Purchases: h.Purchases,
			Now: db.Now, Timetable: h.Purchases.Timetable, Limits: h.Purchases.Limits, Expire: h.Approvals.Expire},
		Payer: b.ForceMandate,
		Bank: func(ctx context.Context, id uuid.UUID, code, dispute string) error {
			return b.Force(ctx, id, bank.Outcome{Code: code, Dispute: dispute})
		}}}
	h.Deps.Simulator = &web.Simulator{Desk: h.Desk, Room: h.Deps.Room.Desk, Calendar: h.Purchases.Calendar, Accounts: bank.Catalogue, Merchants: db, Replays: db,
		Service: &simulation.Service{InTx: store.Runner[simulation.Tx](db), Store: db, Brands: db, Clients: h.Clients, Purchases: h.Purchases, Calendar: h.Purchases.Calendar,
			Now: db.Now, Move: h.Deps.Room.Desk.Live, Alone: db.Clock.Exclusive, Person: demo.Person, Ending: bank.Ending}}
}
