package tests

import (
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/mandate"
	"debitdesk/models/replay"
	"debitdesk/models/storetest"
)

// A change that lost a race starts again: the answer under its key must be that
// of the transaction which stands, or the same key would act twice.
func TestAnUndoneTransactionLeavesItsKeyFree(t *testing.T) {
	box, err := seal.NewBox([]seal.Key{{ID: "t1", Secret: []byte("0123456789abcdef0123456789abcdef")}},
		[]byte("index-key-index-key-index-key-32"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Seal: box})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	key := replay.Key{MerchantID: uuid.New(), Key: "k", Fingerprint: []byte("f")}
	ctx, rec := replay.WithRecorder(t.Context(), key)
	ctx = replay.WithEncoder(ctx, func(result any) (replay.Answer, error) {
		text, _ := result.(string)
		return replay.Answer{Status: 200, Body: []byte(text)}, nil
	})
	lost := s.InTx(ctx, func(tx *database.Tx) error {
		if err := tx.Answered("first"); err != nil {
			return err
		}
		// Evidence of no mandate is refused at the commit.
		mandate.InsertEvidence(tx, mandate.Evidence{ID: uuid.New(), MandateID: uuid.New()})
		return nil
	})
	if lost == nil {
		t.Fatal("the first transaction stands")
	}
	if rec.Kept() {
		t.Error("an undone transaction kept an answer")
	}
	if err := s.InTx(ctx, func(tx *database.Tx) error { return tx.Answered("second") }); err != nil {
		t.Fatal(err)
	}
	answer, err := database.Answers{DB: s}.Recall(t.Context(), key)
	if err != nil || answer == nil || string(answer.Body) != "second" {
		t.Errorf("recalled %+v, %v", answer, err)
	}
}
