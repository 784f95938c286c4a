// Package app puts the product together: the use cases over a store, and the HTTP side
// over the use cases. The program and the tests of handlers share it, so that no part
// is missing in one of them.
package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/api"
	"debitdesk/handlers/letters"
	"debitdesk/handlers/papers"
	"debitdesk/handlers/statements"
	"debitdesk/handlers/web/imports"
	"debitdesk/handlers/web/mandates"
	"debitdesk/models/actor"
	"debitdesk/models/amendment"
	"debitdesk/models/analysis"
	"debitdesk/models/approval"
	"debitdesk/models/attention"
	"debitdesk/models/audit"
	"debitdesk/models/audit/trail"
	"debitdesk/models/bank"
	bankdesk "debitdesk/models/bank/sandbox"
	"debitdesk/models/batch"
	"debitdesk/models/billing"
	"debitdesk/models/billing/ubl"
	"debitdesk/models/book"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/clientaccount"
	"debitdesk/models/clientpage"
	"debitdesk/models/clientstop"
	"debitdesk/models/collection"
	"debitdesk/models/credential"
	"debitdesk/models/database"
	"debitdesk/models/debit"
	"debitdesk/models/deletion"
	"debitdesk/models/factor"
	"debitdesk/models/find"
	"debitdesk/models/followup"
	"debitdesk/models/installation"
	"debitdesk/models/issuer"
	"debitdesk/models/issuer/openid"
	"debitdesk/models/journal"
	"debitdesk/models/leaving"
	"debitdesk/models/listview"
	"debitdesk/models/mail"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/mandate"
	"debitdesk/models/member"
	"debitdesk/models/merchant"
	"debitdesk/models/notice"
	"debitdesk/models/ownrule"
	"debitdesk/models/plan"
	"debitdesk/models/planner"
	"debitdesk/models/purchase"
	"debitdesk/models/recurring"
	"debitdesk/models/report"
	"debitdesk/models/savedreport"
	"debitdesk/models/selection"
	"debitdesk/models/simulation"
	"debitdesk/models/sms"
	"debitdesk/models/statement"
	"debitdesk/models/subscription"
	"debitdesk/models/task"
	"debitdesk/models/texting"
	"debitdesk/models/user"
	"debitdesk/models/webhook"
	"debitdesk/models/webhook/post"
	"debitdesk/models/wording"
)

// Services are the use cases of the product.
type Services struct {
	Merchants     *merchant.Service
	Installation  *installation.Service
	Issuers       *issuer.Service
	OwnRules      *ownrule.Service
	Clients       *client.Service
	Users         *user.Service
	Members       *member.Service
	Credentials   *credential.Service
	Purchases     *purchase.Service
	Deletions     *deletion.Service
	Stops         *clientstop.Service
	Amendments    *amendment.Service
	Debits        *debit.Service
	Outbox        *outbox.Service
	Billing       *billing.Service
	Batches       *batch.Service
	Imports       *book.Service
	Audit         *trail.Service
	Controls      *simulation.Controls // of the sandbox; nil in live mode
	Subscriptions *subscription.Service
	Webhooks      *webhook.Service
	Approvals     *approval.Service
	Attention     *attention.Service
	Figures       *report.Service
	Money         *report.Money
	Statements    *statement.Service
	Journal       *journal.Service
	Tasks         *task.Service
	Leaving       *leaving.Work
	Lists         *listview.Service
	Followups     *followup.Service
	Plans         *plan.Service
	Analysis      *analysis.Service
	SavedReports  *savedreport.Service
	Wording       *wording.Service
	Letters       letters.Writer
	Planner       *planner.Service
	Selections    *selection.Service
	Simulations   *simulation.Service // nil in live mode
	Factors       *factor.Service
	Find          *find.Service
	ClientPages   *clientpage.Service
	Accounts      *clientaccount.Service
	Texts         *texting.Service
	Notices       *notice.Service
	Recurring     *recurring.Service
	Capabilities  bank.Capabilities // of the bank connection
	Exchange      simulation.Worker // what the bank connection does by itself; nil: nothing
}

// Options are what the use cases need from around them.
type Options struct {
	Store   *database.DB
	Log     *slog.Logger
	BaseURL string // what links begin with, without a slash at the end
	Sandbox bool   // test merchants and test money only
	Version string
	Now     func() time.Time // real time, of people and credentials; the product's own clock is the store's
	Signing []credential.Key
	Data    string      // folder where the heads of the audit are noted; empty: in the database alone
	Relay   mail.Sender // takes the mails; nil: they stay in the outbox
	Texts   sms.Gateway // takes the short messages; nil: in sandbox mode they stay here, in live mode there are none

	// Gateway is the bank connection; nil: the sandbox bank in sandbox mode, none at all in live mode.
	Gateway bank.Gateway
	// Exchange is what the bank connection does by itself, such as writing and reading files; nil: nothing. It runs
	// after the debits, which run again after it when it moved anything.
	Exchange simulation.Worker
	// Verifier answers about accounts; nil: the sandbox bank where that is the gateway, else nobody.
	Verifier bank.Verifier
	// Issuer is who signs people in to all businesses; without an address nobody.
	Issuer InstallationIssuer
	// Timetable is the bank's; nil: the usual cut-offs and lead days.
	Timetable *collection.Timetable
}

// InstallationIssuer is the one that the configuration names; an empty address means none.
type InstallationIssuer struct {
	Address, ClientID, Name string
	Secret                  issuer.Secret
	Domains                 []string
}

// talks is how many conversations with the mail relay go side by side.
const talks = 4

// tokenIssuer stays the same whatever the address is, so that moving house ends no credential.
const tokenIssuer = "debitdesk"

// New wires the use cases.
func New(o Options) (Services, error) {
	s, now := o.Store, o.Store.Now
	days := calendar.New()
	party, err := factor.NewParty(o.BaseURL)
	if err != nil {
		return Services{}, err
	}
	at := o.connect(now, days)
	words := letters.Writer{Base: o.BaseURL, Window: mandate.WindowBy(at.timetable.Rules),
		Limits: at.limits()}
	purchases := &purchase.Service{InTx: s.InTx, Store: purchase.Store{DB: s},
		Now: now, Calendar: days,
		Timetable: at.timetable, Letters: words,
		Window: words.Window, Limits: words.Limits,
		Bank: at.able, Verifier: at.verifier}
	bills := &billing.Service{InTx: s.InTx, Store: billing.Store{DB: s}, Purchases: purchases,
		Letters:   words,
		Draw:      papers.Printer{Base: o.BaseURL}.Draw,
		Structure: ubl.Write,
		Mandate: mandates.Copies{Mandates: mandate.Store{DB: s}, Purchases: purchases, Base: o.BaseURL,
			Test: o.Sandbox}.Draw}
	clients := &client.Service{Store: client.Store{DB: s}, Now: now}

	subscriptions := &subscription.Service{InTx: s.InTx, Store: subscription.Store{DB: s},
		Purchases: purchases, Now: now}
	purchases.Papers, purchases.Recurrence, purchases.Readdress = bills, subscriptions.Recurs, clients.Readdress
	deletions := &deletion.Service{Purchases: purchases, Subscriptions: subscriptions}
	clients.Forget = deletions.ForgetClient
	s.Alert = func(tx *database.Tx, e audit.Entry) error { return user.Alert(tx, e, words) }
	if waits, is := at.gateway.(refundHolder); is {
		purchases.TakeRefundBack, purchases.HeldRefunds = waits.TakeRefundBack, waits.HeldRefunds
	}
	users := &user.Service{Store: user.Store{DB: s}, Now: o.Now, Letters: words}
	out := Services{
		Capabilities: at.able, Exchange: o.Exchange,
		Merchants: &merchant.Service{Store: merchant.Store{DB: s}, Test: o.Sandbox},
		OwnRules:  &ownrule.Service{Store: ownrule.Store{DB: s}, Book: at.timetable.Rules},
		Clients:   clients,
		Users:     users,
		Members:   &member.Service{Store: member.Store{DB: s}, Now: o.Now, Letters: words, Release: followup.Release},
		Credentials: &credential.Service{Store: credential.Store{DB: s}, Keys: o.Signing, Now: o.Now,
			Issuer: tokenIssuer},
		Purchases: purchases,
		Deletions: deletions,
		Stops:     &clientstop.Service{Purchases: purchases, Subscriptions: subscriptions},
		Amendments: &amendment.Service{Purchases: purchases, Deletions: deletions,
			FollowToken: subscriptions.FollowToken},
		Debits: &debit.Service{InTx: s.InTx, Store: debit.Store{DB: s}, Bank: at.gateway, Purchases: purchases, Now: now,
			Timetable: at.timetable, Limits: purchases.Limits, FinishDeletions: deletions.FinishDeletions},
		Outbox: &outbox.Service{Store: outbox.Store{DB: s}, Sender: outbox.Keep{}, AtOnce: talks, Sent: purchases.Mailed,
			Compose: bills.Compose},
		Billing:       bills,
		Audit:         AuditService(s, o.Signing, o.Data, o.Log),
		Subscriptions: subscriptions,
		Factors: &factor.Service{Store: factor.Store{DB: s}, Now: o.Now, Letters: words, Party: party,
			Sandbox: o.Sandbox, Password: users.Knows},
		Find:      &find.Service{Store: find.Store{DB: s}, Now: now, Real: o.Now},
		Attention: &attention.Service{Store: attention.Store{DB: s}, Now: now},
		Figures:   &report.Service{Store: report.Store{DB: s}, Now: now, Calendar: days, Timetable: at.timetable},
		Money:     &report.Money{Store: report.Store{DB: s}},
		Journal:   &journal.Service{Store: journal.Store{DB: s}},
		Statements: &statement.Service{Store: statement.Store{DB: s},
			Paper: statements.New, Now: now, Test: o.Sandbox},
		Webhooks: &webhook.Service{Store: webhook.Store{DB: s}, Post: post.New(o.Sandbox), Live: !o.Sandbox,
			Letters: words,
			Now:     now, Log: o.Log, Agent: "Debitdesk/" + o.Version,
			Body: api.Events{Base: api.Base(o.BaseURL), Purchase: purchases.Store.Snapshot,
				Subscriber: subscriptions.Store.Snapshot}.Body},
	}
	if o.Relay != nil {
		out.Outbox.Sender = outbox.WithFiles{Sender: o.Relay, File: bills.File}
	}
	out.Batches = &batch.Service{Store: batch.Store{DB: s}, Billing: bills,
		Purchases: purchases,
		Clients:   clients, Timetable: at.timetable, Now: now,
		Failed: func(ctx context.Context, b batch.Ref, row int, err error) {
			o.Log.ErrorContext(ctx, "row of a batch failed", "batch_id", b.ID, "row", row, "error", err)
		}}
	out.Imports = &book.Service{InTx: s.InTx, Store: book.Store{DB: s}, Purchases: purchases,
		Subscriptions: subscriptions, Clients: clients, TakeNumbers: s.TakeNumbers, Demands: merchant.Store{DB: s}.Demands,
		Now: now,
		Later: func(tx *database.Tx, who actor.Actor, i book.Import) (uuid.UUID, error) {
			w, err := imports.Wish(i)
			if err != nil {
				return uuid.Nil, err
			}
			t, err := out.Tasks.AskIn(tx, who, w)
			return t.ID, err
		}}
	out.Approvals = &approval.Service{Store: approval.Store{DB: s},
		Purchases: purchases, Deletions: deletions, Stops: out.Stops, Batches: out.Batches,
		Imports: out.Imports, Brands: out.Merchants, Webhooks: out.Webhooks,
		Letters: words, Now: now, Works: map[string]approval.Worker{}}
	out.Webhooks.Alone = out.Merchants.Alone
	out.Installation = &installation.Service{Store: installation.Store{DB: s}, Merchants: out.Merchants,
		Brand: FirstBrand(o.Sandbox), Now: o.Now}
	out.Issuers = &issuer.Service{Store: issuer.Store{DB: s}, Protocol: openid.New(o.Sandbox, o.Now),
		Users: users.Store, Members: out.Members, Now: o.Now, Live: !o.Sandbox, BaseURL: o.BaseURL, Secret: o.Issuer.Secret}
	if o.Issuer.Address != "" {
		out.Issuers.Installation = issuer.ForInstallation(o.Issuer.Address, o.Issuer.ClientID, o.Issuer.Name,
			o.Issuer.Domains)
	}
	users.Forced = out.Issuers.Store.Forced
	out.Batches.Approvals = out.Approvals.Watch
	out.Debits.Expire = out.Approvals.Expire
	out.Analysis = &analysis.Service{Store: analysis.Store{DB: s}, Now: now, Calendar: purchases.Calendar,
		Rules:    purchases.Timetable.Rules,
		OwnRules: out.OwnRules.Store.OwnRules, Bills: subscriptions.Planned}
	out.SavedReports = out.savedReports(s, now, words, o.Sandbox)
	out.Letters, out.Wording = words, &wording.Service{Store: wording.Store{DB: s}, Person: out.SavedReports.Person}
	out.Planner = &planner.Service{Store: planner.Store{DB: s}, Now: now, Calendar: purchases.Calendar,
		Timetable: purchases.Timetable, Window: purchases.Window, Bills: subscriptions.Planned,
		Promised: followup.Store{DB: s}.PromisesOn}
	out.Followups = &followup.Service{Store: followup.Store{DB: s}, Now: s.Now}
	out.Texts = textsOf(s, o, clients.Store, words, days)
	purchases.Texts = out.Texts
	out.Recurring = &recurring.Service{Store: recurring.Store{DB: s}, Now: now}
	out.Notices = &notice.Service{Store: notice.Store{DB: s}, Purchases: purchases, Texts: out.Texts, Letters: words,
		Now: now}
	out.ClientPages = &clientpage.Service{Texts: out.Texts,
		InTx: s.InTx, Store: clientpage.Store{DB: s},
		Clients: clients.Store, Merchants: out.Merchants.Store, Purchases: purchases, Subscriptions: subscriptions,
		Stops: out.Stops, Amendments: out.Amendments,
		Followups: out.Followups, Letters: words, Now: now, Real: o.Now}
	out.Accounts = &clientaccount.Service{Money: out.Money, Clients: clients.Store, Purchases: purchases.Store,
		Merchants: out.Merchants.Store, BrandOf: out.ClientPages.BrandOf, Now: now, Draw: papers.DrawAccount,
		InTx: s.InTx, Letters: words}
	bills.Account = out.Accounts.File
	out.Plans = plans(s, out, o)
	out.Debits.Failed = plan.Begin
	out.Lists = &listview.Service{Store: listview.Store{DB: s}, Now: o.Now}
	out.Tasks = &task.Service{Store: task.Store{DB: s}, Now: o.Now, Workers: map[string]task.Worker{},
		Person: func(ctx context.Context, merchantID, id uuid.UUID) (actor.Actor, error) {
			who, err := users.Store.Active(ctx, merchantID, id)
			return who.Actor(), err
		},
		Failed: func(ctx context.Context, t task.Task, err error) {
			o.Log.ErrorContext(ctx, "piece of a task failed", "task_id", t.ID, "task_kind", t.Kind, "error", err)
		}}
	out.Approvals.Tasks = out.Tasks
	out.Leaving = &leaving.Work{Service: &leaving.Service{Store: leaving.Store{DB: s}, Release: o.Version},
		Tasks: out.Tasks, Approvals: out.Approvals, Letters: words,
		Email: func(ctx context.Context, merchantID, id uuid.UUID) (string, error) {
			u, err := users.Store.Active(ctx, merchantID, id)
			return u.Email, err
		}}
	out.Selections = &selection.Service{Store: selection.Store{DB: s}, Now: o.Now}
	if o.Sandbox {
		out.Controls = &simulation.Controls{Store: simulation.Store{DB: s}, Clock: s.Clock, Debits: out.Debits,
			Purchases:     purchases,
			Subscriptions: subscriptions, Webhooks: out.Webhooks, Mail: out.SendDue,
			Exchange: o.Exchange, Plans: out.Plans, Notices: out.Notices}
		if at.sandbox != nil {
			out.Controls.Phone, out.Controls.Bank = at.sandbox.ForceMandate,
				func(ctx context.Context, id uuid.UUID, code, dispute string) error {
					return at.sandbox.Force(ctx, id, bankdesk.Outcome{Code: code, Dispute: dispute})
				}
		}
		out.Simulations = simulations(s, out)
	}
	out.workers(o)
	return out, nil
}

// FirstBrand is what the first brand of a business begins with: it is registered at the sandbox bank where there is
// one; in live mode the registration is the merchant's own business with its bank.
func FirstBrand(sandbox bool) merchant.Brand {
	if !sandbox {
		return merchant.Brand{}
	}
	return merchant.Brand{Profiles: []merchant.Profile{{ProfileCode: "TEST1", AbbreviatedName: "TESTMERCH1",
		AccountNumber: "12345678"}}}
}
