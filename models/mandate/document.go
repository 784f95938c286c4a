package mandate

import (
	"bytes"
	"context"
	"encoding/hex"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// mostFiles is how many files may prove one mandate (ours).
const mostFiles = 20

// TakesDocument refuses a document for a mandate that takes none. The newest document is what the bank gets as proof in
// a dispute, so it must not take the place of a better one.
func (m Mandate) TakesDocument() error {
	var why string
	switch {
	case m.BankCode == "":
		why = "The client’s personal data was erased, and what was kept of this mandate with it."
	case m.Consent.Channel == PayPage:
		why = "The client agreed on the payment page. What was recorded there is the proof."
	case m.Consent.Channel == ByBank:
		why = "The client’s bank keeps the proof of this mandate."
	default:
		return nil
	}
	return fault.New(fault.Conflict, "mandate_proven", "%s", why)
}

// AddDocument keeps a document that proves a mandate which was recorded without it, or with another. A dispute that
// waits for proof goes on with it. The same document again changes nothing.
func (s *Service) AddDocument(ctx context.Context, who actor.Actor, id uuid.UUID, e Evidence) error {
	if err := who.May(actor.Write); err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		inside := tx.Context()
		m, err := lockMandate(tx, who.MerchantID, id)
		if err != nil {
			return err
		}
		if err := m.TakesDocument(); err != nil {
			return err
		}
		kept, err := s.Store.EvidenceOf(inside, who.MerchantID, id)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(kept, func(k Evidence) bool { return bytes.Equal(k.SHA256, e.SHA256) }) {
			if len(kept) >= mostFiles {
				return fault.At("scan", "max_length", "A mandate can have at most %d documents.", mostFiles)
			}
			e.ID, e.MerchantID, e.MandateID, e.CreatedAt = tx.NewID(), m.MerchantID, m.ID, tx.Now()
			InsertEvidence(tx, e)
			tx.Audit(who, audit.Entry{Action: "mandate.document_added", ObjectType: "mandate", ObjectID: m.ID,
				ClientID: m.ClientID, PurchaseID: m.ID, Text: "A document that proves the mandate was added.",
				After: map[string]any{"sha256": hex.EncodeToString(e.SHA256), "size_bytes": e.SizeBytes}})
		}
		return tx.Answered(id)
	})
}
