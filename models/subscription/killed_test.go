package subscription_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/deletion"
	"debitdesk/models/fault"
	"debitdesk/models/subscription"
)

// life is that of a process which is killed at a step: before a transaction begins, before it commits, or after.
type life struct{ steps, last int }

var errKilled = errors.New("the process was killed")

func (l *life) step() error {
	if l == nil {
		return nil
	}
	if l.steps++; l.steps >= l.last {
		return errKilled
	}
	return nil
}

func runner[T any](h *house,
	run func(context.Context, func(T) error) error) func(context.Context, func(T) error) error {
	return func(ctx context.Context, fn func(T) error) error {
		if err := h.life.step(); err != nil {
			return err
		}
		return run(ctx, func(tx T) error {
			if err := fn(tx); err != nil {
				return err
			}
			return h.life.step()
		})
	}
}

// again starts the process that follows a killed one.
func (h *house) again() {
	h.t.Helper()
	h.store.Close()
	h.life = nil
	h.begin()
	must(h.t, h.store.Clock.Follow(ctx))
}

// leaving is a client who has two accounts: on one of them hang a debit and a subscription for each thing that can be
// chosen when it is deleted.
type leaving struct {
	client, account, other uuid.UUID
	choices                map[uuid.UUID]deletion.Choice
}

func (h *house) leaving(tpl subscription.Template) leaving {
	h.t.Helper()
	l := leaving{choices: map[uuid.UUID]deletion.Choice{}}
	l.client, l.account = h.stored("4000000000")
	var added []subscription.Added
	for range 5 {
		added = append(added, h.add(tpl, l.client))
	}
	l.other = h.second(l.client)
	move := deletion.Choice{Do: deletion.UseOther, To: l.other}
	for n, one := range []struct{ debit, subscription deletion.Choice }{
		{move, move},
		{deletion.Choice{Do: deletion.Ask}, deletion.Choice{Do: deletion.Ask}},
		{deletion.Choice{Do: deletion.Drop}, deletion.Choice{Do: deletion.Pause}},
		{deletion.Choice{Do: deletion.Cancel}, deletion.Choice{Do: deletion.Cancel}},
		{move, deletion.Choice{Do: deletion.Invoice}},
	} {
		l.choices[added[n].Purchase.ID], l.choices[added[n].Subscriber.ID] = one.debit, one.subscription
	}
	return l
}

// leave deletes the account with its choices, as a person does who tries again when there was no answer.
func (h *house) leave(l leaving) {
	h.t.Helper()
	_, err := h.deletions.StartDeletion(
		ctx,
		h.who,
		deletion.DeletionInput{Tokens: []uuid.UUID{l.account}, Choices: l.choices},
	)
	if errors.Is(err, errKilled) {
		h.again()
		if _, err = h.deletions.StartDeletion(ctx, h.who,
			deletion.DeletionInput{Tokens: []uuid.UUID{l.account}, Choices: l.choices}); fault.Is(err, fault.NotFound) {
			return // it was killed after it had written the deletion
		}
	}
	must(h.t, err)
}

// run does what is due; a process that is killed is followed by another.
func (h *house) run() (killed bool) {
	h.t.Helper()
	all := func() error {
		_, debits := h.debits.Run(ctx)
		_, periods := h.subs.Run(ctx)
		return errors.Join(debits, periods)
	}
	err := all()
	if killed = errors.Is(err, errKilled); killed {
		h.again()
		err = all()
	}
	must(h.t, err)
	return killed
}

// became is everything that is written down about a client, in numbers.
func (h *house) became(l leaving) []string {
	h.t.Helper()
	rows, err := h.store.Pool.Query(ctx, `SELECT what || ' ' || count(*) FROM (
		SELECT 'token ' || state || CASE WHEN id = $2 THEN ' deleted' ELSE ' other' END AS what
		FROM tokens WHERE client_id = $1
		UNION ALL SELECT 'mandate ' || m.state FROM mandates m JOIN tokens t ON t.mandate_id = m.id WHERE t.client_id = $1
		UNION ALL SELECT 'purchase ' || status || ' ' || total_cents || coalesce(CASE token_id WHEN $2 THEN ' deleted'
		WHEN $3 THEN ' other' END, '') FROM purchases WHERE client_id = $1
		UNION ALL SELECT 'debit ' || c.state || CASE c.token_id WHEN $2 THEN ' deleted' WHEN $3 THEN ' other' ELSE '' END
		FROM collections c JOIN purchases p ON p.id = c.purchase_id WHERE p.client_id = $1
		UNION ALL SELECT 'subscription ' || status || ' ' || why || coalesce(CASE token_id WHEN $2 THEN ' deleted'
		WHEN $3 THEN ' other' END, '') FROM template_clients WHERE client_id = $1
		UNION ALL SELECT 'period ' || b.starts_on FROM billing_periods b
		JOIN template_clients s ON s.id = b.template_client_id WHERE s.client_id = $1
		UNION ALL SELECT 'paper ' || i.kind FROM invoices i WHERE i.client_id = $1
		UNION ALL SELECT 'mail ' || m.kind || ' ' || m.state FROM mails m LEFT JOIN purchases p ON p.id = m.purchase_id
		WHERE $1 IN (m.client_id, p.client_id)
		UNION ALL SELECT 'deletion ' || state FROM token_deletions WHERE tokens ? $2::text
		UNION ALL SELECT 'told ' || action FROM audit_entries WHERE client_id = $1) AS all_of_it GROUP BY what ORDER BY what`,
		l.client, l.account, l.other)
	must(h.t, err)
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(h.t, err)
	return out
}

// The process is killed at each step of a deletion in turn: what becomes of the account and of all that hangs on it is
// the same each time, and goes on in the same way a month later.
func TestADeletionWithChoicesThatIsKilledAtAnyStepLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	whole := h.leaving(tpl)
	h.leave(whole)
	must(t, h.store.Clock.MoveTo(ctx, h.store.Now().Add(deletion.UndoTime)))
	h.run()
	want := []string{"debit cancelled deleted 5", "debit scheduled other 2", "deletion done 1",
		"mail account_link queued 1", "mail debit_failed queued 1", "mail subscribed queued 5",
		"mandate active 1", "mandate cancelled 1", "paper invoice 1", "period 2027-02-01 5",
		"purchase cancelled 10000 deleted 1", "purchase created 0 1", "purchase error 10000 deleted 1",
		"purchase pending_charge 10000 other 2",
		"purchase preauthorized 0 2", "purchase sent 10000 deleted 1",
		"subscription active  deleted 1", "subscription active  other 1", "subscription inactive account_deleted deleted 1",
		"subscription subscription_paused account_asked deleted 1",
		"subscription subscription_paused account_deleted deleted 1",
		"token active other 1", "token deleted deleted 1",
		"told client.created 1", "told invoice.issued 1", "told mandate.given 2", "told purchase.cancelled 1",
		"told purchase.created 8", "told purchase.moved 2",
		"told purchase.token_lost 2", "told subscriber.account_deleted 5", "told subscriber.added 5", "told token.deleted 1",
		"told token.deleting 1"}
	if got := h.became(whole); !slices.Equal(got, want) {
		t.Fatalf("not killed:\n%q\nwant\n%q", got, want)
	}
	all := []leaving{whole}
	for last, killed := 1, true; killed; last++ {
		l := h.leaving(tpl)
		h.life = &life{last: last}
		h.leave(l)
		must(t, h.store.Clock.MoveTo(ctx, h.store.Now().Add(deletion.UndoTime)))
		killed = h.life == nil
		killed = h.run() || killed
		if got := h.became(l); !slices.Equal(got, want) {
			t.Fatalf("killed at step %d:\n%q\nwant\n%q", last, got, want)
		}
		all = append(all, l)
	}
	h.life = nil
	h.to(day(time.March, 20).At(9, 0))
	want = h.became(whole)
	for n, l := range all {
		if got := h.became(l); !slices.Equal(got, want) {
			t.Errorf("a month after it was killed at step %d:\n%q\nwant\n%q", n, got, want)
		}
	}
	if len(all) < 10 {
		t.Errorf("killed at %d steps only", len(all)-2)
	}
}
