package exchange_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/fault"
)

// limited is a bench whose merchant wants a second approver for files above that many cents.
func limited(t *testing.T, cents int) *bench {
	t.Helper()
	b := open(t, nil)
	b.who.ID = uuid.New()
	b.exec(`UPDATE merchants SET approve_files_cents = $1`, cents)
	return b
}

func (b *bench) held() int {
	b.t.Helper()
	return b.number(
		`SELECT count(*) FROM bank_files_out WHERE state = 'held' AND content IS NOT NULL AND placed_at IS NULL`,
	)
}

const firstFile = "DD20270111-000001"

func TestOnlyAFileAboveTheLimitWaitsForApproval(t *testing.T) {
	b := limited(t, 45000)
	b.debits(3, thursday)
	b.at(monday.At(11, 30))
	b.work()
	if len(b.box.Placed) != 1 || len(b.findings()) != 0 {
		t.Fatalf("exactly the limit: placed %v, findings %v", b.box.Placed, b.findings())
	}
	b.debits(4, thursday)
	b.at(monday.AddDays(1).At(8, 0))
	b.work()
	b.work() // whoever was killed in between finds it held
	if len(b.box.Placed) != 1 || b.held() != 1 || !slices.Equal(b.findings(), []string{"unapproved"}) {
		t.Fatalf("above the limit: placed %v, %d held, findings %v", b.box.Placed, b.held(), b.findings())
	}
	id := "DD20270112-000002"
	if _, _, err := b.Download(t.Context(), b.who, id); !fault.HasCode(err, "not_approved") {
		t.Errorf("a download of it: %v", err)
	}
	stranger := b.who
	stranger.MerchantID = uuid.New()
	if _, err := b.Approve(t.Context(), stranger, id); !fault.Is(err, fault.NotFound) {
		t.Errorf("a stranger: %v", err)
	}
	b.arrive("made-up", acknowledged(id), exchange.Event{Kind: exchange.OnMessage, MessageID: id, Status: "RJCT"})
	if b.held() != 1 || !slices.Contains(b.findings(), "unknown_message") {
		t.Errorf("an answer about it: %d held, findings %v", b.held(), b.findings())
	}
	_, err := b.Approve(t.Context(), b.who, id) // the clock cut it
	must(t, err)
	b.work()
	if len(b.box.Placed) != 2 || slices.Contains(b.findings(), "unapproved") {
		t.Errorf("approved: placed %v, findings %v", b.box.Placed, b.findings())
	}
}

func TestWhoCutAFileCannotApproveItAndOneOfManyDecides(t *testing.T) {
	for _, approve := range []bool{true, false} {
		b := limited(t, 0)
		b.debits(2, thursday)
		_, err := b.CutNow(t.Context(), b.who)
		must(t, err)
		if _, err := b.Approve(t.Context(), b.who, firstFile); !fault.HasCode(err, "own_file") {
			t.Fatalf("the own file: %v", err)
		}
		var won, lost int
		var mu sync.Mutex
		var all sync.WaitGroup
		for range 4 {
			other := b.who
			other.ID, other.Name = uuid.New(), "Owen"
			all.Go(func() {
				var err error
				if approve {
					_, err = b.Approve(t.Context(), other, firstFile)
				} else {
					_, err = b.Decline(t.Context(), other, firstFile, "Too much.")
				}
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					won++
				case fault.HasCode(err, "not_held"):
					lost++
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		if won != 1 || lost != 3 {
			t.Errorf("%d won, %d lost", won, lost)
		}
		if n := b.number(`SELECT count(*) FROM audit_entries
			WHERE action IN ('bank.message_approved', 'bank.message_declined')`); n != 1 {
			t.Errorf("%d decisions are in the audit", n)
		}
	}
}

func TestARefusedFileNeverLeavesAndItsItemsAreDecided(t *testing.T) {
	b := limited(t, 0)
	ids := b.debits(3, thursday)
	b.at(monday.At(11, 30))
	b.work()
	must(t, b.Recall(t.Context(), ids[0])) // its recall must not overtake it
	b.at(monday.At(12, 0))
	b.work()
	if len(b.box.Placed) != 0 {
		t.Fatalf("something left: %v", b.box.Placed)
	}
	if _, err := b.Decline(t.Context(), b.who, firstFile, " "); !fault.Is(err, fault.Invalid) {
		t.Errorf("without a reason: %v", err)
	}
	_, err := b.Decline(t.Context(), b.who, firstFile, "Wrong month.")
	must(t, err)
	if _, err := b.Approve(t.Context(), b.who, firstFile); !fault.HasCode(err, "not_held") {
		t.Errorf("approved after all: %v", err)
	}
	if _, _, err := b.Download(t.Context(), b.who, firstFile); !fault.HasCode(err, "not_approved") {
		t.Errorf("a download of it: %v", err)
	}
	b.work()
	if got := b.outcomes()[ids[0]]; !slices.Equal(got, []string{"recalled 28"}) ||
		!slices.Equal(b.findings(), []string{"declined"}) {
		t.Errorf("recalled: %v, findings %v", got, b.findings())
	}
	b.exec(`UPDATE merchants SET approve_files_cents = NULL`)
	_, err = b.SendAgain(t.Context(), b.who, firstFile)
	must(t, err)
	b.at(monday.At(12, 1))
	b.work()
	if n := b.number(`SELECT item_count FROM bank_files_out WHERE state = 'placed'`); n != 2 || len(b.findings()) != 0 {
		t.Errorf("%d items are sent again, findings %v", n, b.findings())
	}
}

func TestARecallFollowsTheFileThatIsApproved(t *testing.T) {
	b := limited(t, 0)
	ids := b.debits(2, thursday)
	b.at(monday.At(11, 30))
	b.work()
	must(t, b.Recall(t.Context(), ids[0]))
	_, err := b.Approve(t.Context(), b.who, firstFile)
	must(t, err)
	b.at(monday.At(12, 0))
	b.work()
	if want := []string{firstFile + ".txt", "RC20270111-000001.txt"}; !slices.Equal(b.box.Placed, want) {
		t.Errorf("placed %v, want %v", b.box.Placed, want)
	}
}

func TestAFileThatNobodyApprovesIsAFindingBeforeItsDeadline(t *testing.T) {
	b := limited(t, 0)
	b.debits(1, thursday)
	b.at(monday.At(11, 30))
	b.work()
	deadline := b.Rules.DeadlineFor(b.Calendar, bank.EFT, thursday)
	if at, found, err := b.NextDue(t.Context()); err != nil || !found || !at.Equal(deadline.Add(-time.Hour)) {
		t.Fatalf("next due %s %v %v, the deadline is %s", at, found, err, deadline)
	}
	b.at(deadline.Add(-time.Hour))
	b.work()
	if got := b.findings(); !slices.Equal(got, []string{"unapproved"}) {
		t.Errorf("findings: %v", got)
	}
	if n := b.number(`SELECT count(*) FROM bank_findings WHERE text LIKE '%has not been approved%'`); n != 1 {
		t.Errorf("%d say that it has not been approved", n)
	}
}

// Four eyes are two people over the whole way: who made a batch, planned a debit by hand or asked for a refund does not
// approve the file that brings it to the bank, though the clock cut it.
func TestWhoMadeWhatIsInAFileDoesNotApproveIt(t *testing.T) {
	b := limited(t, 0)
	ids := b.debits(2, thursday)
	uploader, corrector, charger, free := b.who, b.who, b.who, b.who
	uploader.ID, corrector.ID, charger.ID, free.ID = uuid.New(), uuid.New(), uuid.New(), uuid.New()
	batchID, purchases := uuid.New(), []uuid.UUID{uuid.New(), uuid.New()}
	brand := uuid.New()
	now := b.store.Now()
	b.exec(`INSERT INTO brands (id, merchant_id, name, reference_prefix, created_at, updated_at)
		VALUES ($1, $2, 'Gym', 'DD', $3, $3)`, brand, b.who.MerchantID, now)
	b.exec(`INSERT INTO batches (id, merchant_id, brand_id, name, source, state, format, mapping, header_hash,
		content_hash, creator, hands, created_at, updated_at) VALUES ($1, $2, $3, 'm.csv', 'file', 'done', '{}', '{}', '', '',
		jsonb_build_object('Kind', 'user', 'ID', $4::text), jsonb_build_array(jsonb_build_object('id', $5::text)), $6, $6)`,
		batchID, b.who.MerchantID, brand, uploader.ID.String(), corrector.ID.String(), now)
	b.exec(`INSERT INTO batch_rows (merchant_id, batch_id, n, cells, state, purchase_id)
		VALUES ($1, $2, 2, '', 'sent', $3)`, b.who.MerchantID, batchID, purchases[0])
	b.exec(`ALTER TABLE collections DISABLE TRIGGER ALL`) // debits without all that stands around them
	for i, id := range ids {
		b.exec(`INSERT INTO collections (id, merchant_id, brand_id, purchase_id, attempt, token_id, mandate_id, method, state,
			amount_cents, currency, action_date, original_date, submit_at, execute_at, service, statement_line, created_at,
			updated_at) VALUES ($1, $2, $3, $4, 1, $4, $4, 'eft', 'submitted', 15000, 'ZAR', $5, $5, $6, $6, 'eft', 'GYM',
			$6, $6)`,
			id, b.who.MerchantID, brand, purchases[i], thursday.String(), now)
	}
	b.exec(`INSERT INTO audit_entries (id, merchant_id, at, actor_kind, actor_id, actor_name, action, object_type,
		object_id, purchase_id, text)
		VALUES ($1, $2, $3, 'user', $4, 'Zanele', 'purchase.charged', 'purchase', $5, $5, 'Charged.')`,
		uuid.New(), b.who.MerchantID, now, charger.ID, purchases[1])
	b.at(monday.At(11, 30))
	b.work()
	if b.held() != 1 {
		t.Fatalf("%d files are held", b.held())
	}
	for name, who := range map[string]actor.Actor{"who uploaded": uploader, "who corrected": corrector,
		"who charged by hand": charger} {
		if _, err := b.Approve(t.Context(), who, firstFile); !fault.HasCode(err, "own_file") {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := b.Approve(t.Context(), free, firstFile)
	must(t, err)
}
