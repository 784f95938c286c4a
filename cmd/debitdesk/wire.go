package main

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/api"
	"debitdesk/handlers/letters"
	"debitdesk/handlers/papers"
	"debitdesk/handlers/statements"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/audit"
	bankdesk "debitdesk/models/bank/sandbox"
	"debitdesk/models/batch"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/credential"
	"debitdesk/models/debit"
	"debitdesk/models/factor"
	"debitdesk/models/mail"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/mail/smtp"
	"debitdesk/models/mandate"
	"debitdesk/models/member"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
	"debitdesk/models/sandbox"
	"debitdesk/models/simulation"
	"debitdesk/models/statement"
	"debitdesk/models/store"
	"debitdesk/models/subscription"
	"debitdesk/models/user"
	"debitdesk/models/webhook"
	"debitdesk/models/webhook/post"
)

// services are the use cases of the product.
type services struct {
	merchants     *merchant.Service
	clients       *client.Service
	users         *user.Service
	members       *member.Service
	credentials   *credential.Service
	purchases     *purchase.Service
	debits        *debit.Service
	outbox        *outbox.Service
	billing       *billing.Service
	batches       *batch.Service
	audit         *audit.Keeper
	sandbox       *sandbox.Desk // nil in live mode
	subscriptions *subscription.Service
	webhooks      *webhook.Service

	approvals   *approval.Service
	money       *report.Money
	statements  *statement.Service
	simulations *simulation.Service // nil in live mode
	factors     *factor.Service
}

// talks is how many conversations with the mail relay go side by side.
const talks = 4

// issuer stays the same whatever the address is, so that moving house ends no credential.
const issuer = "debitdesk"

func wire(a *App, baseURL string) (services, error) {
	s, now := a.Store, a.Store.Now
	days, timetable := calendar.New(), collection.DefaultTimetable()
	sender, err := relay(a.Config, baseURL)
	if err != nil {
		return services{}, err
	}
	purchases := &purchase.Service{InTx: store.Runner[purchase.Tx](s), Read: s, Lists: s, Now: now, Calendar: days, Timetable: timetable, Letters: letters.Writer{Base: baseURL},
		Window: mandate.DefaultWindow(), Limits: mandate.DefaultLimits()}
	bills := &billing.Service{InTx: store.Runner[billing.Tx](s), Read: s, Purchases: purchases, Letters: letters.Writer{Base: baseURL}, Draw: papers.Printer{Base: baseURL}.Draw}
	purchases.Papers = bills
	bank := bankdesk.New(s.SandboxLedger(), now, timetable, days)
	purchases.Verify = bank.Verify
	out := services{
		merchants:   &merchant.Service{InTx: store.Runner[merchant.Tx](s), Read: s, Test: a.Config.Sandbox()},
		clients:     &client.Service{InTx: store.Runner[client.Tx](s), Read: s, Now: now, Forget: forgetting(purchases)},
		users:       &user.Service{InTx: store.Runner[user.Tx](s), Read: s, Now: time.Now, Letters: letters.Writer{Base: baseURL}},
		members:     &member.Service{InTx: store.Runner[member.Tx](s), Read: s, Now: time.Now, Letters: letters.Writer{Base: baseURL}},
		credentials: &credential.Service{InTx: store.Runner[credential.Tx](s), Read: s, Keys: a.Keys.Signing, Now: time.Now, Issuer: issuer},
		purchases:   purchases,
		debits:      &debit.Service{InTx: store.Runner[debit.Tx](s), Read: s, Bank: bank, Purchases: purchases, Now: now, Timetable: timetable, Limits: purchases.Limits},
		outbox:      &outbox.Service{Store: s, Sender: sender, AtOnce: talks, Sent: purchases.Mailed, Compose: bills.Compose},
		billing:     bills,
		audit:       a.keeper(),
	}
	party, err := factor.NewParty(baseURL)
	if err != nil {
		return services{}, err
	}
	out.factors = &factor.Service{InTx: store.Runner[factor.Tx](s), Read: s, Now: time.Now, Letters: letters.Writer{Base: baseURL}, Party: party, Sandbox: a.Config.Sandbox(), Password: out.users.Knows}
	out.subscriptions = &subscription.Service{InTx: store.Runner[subscription.Tx](s), Read: s, Purchases: purchases, Now: now}
	purchases.Subscriptions = out.subscriptions
	purchases.Readdress = readdressing(out.clients)
	if relay, ok := sender.(*smtp.Relay); ok {
		out.outbox.Sender = outbox.WithFiles{Sender: relay, File: bills.File}
	}
	out.batches = &batch.Service{InTx: store.Runner[batch.Tx](s), Read: s, Billing: out.billing, Purchases: purchases, Clients: out.clients, Timetable: timetable, Now: now,
		Failed: func(ctx context.Context, b batch.Ref, row int, err error) {
			a.Log.ErrorContext(ctx, "row of a batch failed", "batch_id", b.ID, "row", row, "error", err)
		}}
	out.webhooks = &webhook.Service{InTx: store.Runner[webhook.Tx](s), Read: s, Queue: s, Post: post.New(a.Config.Sandbox()), Letters: letters.Writer{Base: baseURL},
		Now: now, Log: a.Log, Agent: "Debitdesk/" + version(), Body: api.Events{Base: api.Base(baseURL), Purchase: s.Snapshot, Subscriber: s.SubscriberSnapshot}.Body}
	out.approvals = &approval.Service{InTx: store.Runner[approval.Tx](s), Read: s, Purchases: purchases, Batches: out.batches, Letters: letters.Writer{Base: baseURL}, Now: now}
	out.debits.Expire = out.approvals.Expire
	if a.Config.Sandbox() {
		out.sandbox = &sandbox.Desk{InTx: store.Runner[sandbox.Tx](s), Read: s, Clock: s.Clock, Debits: out.debits, Purchases: purchases, Subscriptions: out.subscriptions, Webhooks: out.webhooks, Mail: out.outbox.SendDue,
			Payer: bank.ForceMandate,
			Bank: func(ctx context.Context, id uuid.UUID, code, dispute string) error {
				return bank.Force(ctx, id, bankdesk.Outcome{Code: code, Dispute: dispute})
			}}
	}
	out.money = &report.Money{Read: s, Brands: s}
	out.statements = &statement.Service{InTx: store.Runner[statement.Tx](s), Read: s, Desk: s, Brands: s, Paper: statements.New, Now: now, Test: a.Config.Sandbox()}
	if out.sandbox != nil {
		out.simulations = a.simulator(out)
	}
	return out, nil
}

// relay is who takes the mails; without one they stay in the outbox.
func relay(c Config, baseURL string) (mail.Sender, error) {
	if c.SMTP == "" {
		return outbox.Keep{}, nil
	}
	return smtp.New(c.SMTP, baseURL)
}

// forgetting ends the stored accounts of a client in the transaction that deletes it.
func forgetting(p *purchase.Service) func(context.Context, client.Tx, actor.Actor, uuid.UUID) error {
	return func(ctx context.Context, tx client.Tx, who actor.Actor, clientID uuid.UUID) error {
		return p.ForgetClient(ctx, any(tx).(purchase.Tx), who, clientID) //nolint:forcetypeassert // one transaction satisfies them all
	}
}

// readdressing gives a client another address in the transaction of a purchase.
func readdressing(c *client.Service) func(purchase.Tx, actor.Actor, uuid.UUID, string) error {
	return func(tx purchase.Tx, who actor.Actor, clientID uuid.UUID, email string) error {
		return c.Readdress(any(tx).(client.Tx), who, clientID, email) //nolint:forcetypeassert // one transaction satisfies them all
	}
}
