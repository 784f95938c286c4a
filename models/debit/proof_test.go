package debit_test

import (
	"crypto/sha256"
	"testing"

	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/rulebook/rulebooktest"
)

// A mandate that the merchant vouched for has no proof: its late dispute waits until the document is added, and is won
// with it. The document is kept once, however often it is sent.
func TestADocumentThatIsAddedLaterWinsALateDispute(t *testing.T) {
	t.Parallel()
	h := openBy(t, collection.TimetableBy(rulebooktest.WithProof()))
	p := h.tokenise("4000009430", 10000)
	h.to(day(3).AddDays(43).At(12, 0))
	if c := h.get(p.ID).Collection; c.State != collection.Disputed || !c.ProofDue {
		t.Fatalf("%s, proof due %v", c.State, c.ProofDue)
	}
	proofs := mandate.Service{Store: mandate.Store{DB: h.store}}
	for range 2 {
		must(t, proofs.AddDocument(ctx, h.who, p.ID, document("%PDF-1.7 signed")))
	}
	if n := h.number(`SELECT count(*) FROM mandate_evidence`); n != 1 {
		t.Errorf("%d documents are kept, want 1", n)
	}
	if n := h.number(`SELECT count(*) FROM audit_entries WHERE action = 'mandate.document_added'`); n != 1 {
		t.Errorf("%d entries, want 1", n)
	}
	h.to(day(3).AddDays(45).At(12, 0))
	if rec := h.get(p.ID); rec.Status != purchase.Paid || rec.Collection.State != collection.DisputeWon ||
		h.ledger(p.ID) != 10000 {
		t.Errorf("%s, %s, ledger %d", rec.Status, rec.Collection.State, h.ledger(p.ID))
	}
}

// The newest document is the proof, so it must not take the place of what was recorded elsewhere.
func TestAMandateWithABetterProofTakesNoDocument(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.tokenise("4000000000", 0)
	proofs := mandate.Service{Store: mandate.Store{DB: h.store}}
	for _, given := range []string{`consent_channel = 'pay_page'`, `consent_channel = 'bank'`,
		`consent_channel = 'signed_paper', bank_code = ''`} {
		h.exec(`UPDATE mandates SET ` + given)
		if err := proofs.AddDocument(ctx, h.who, p.ID, document("x")); !fault.HasCode(err, "mandate_proven") {
			t.Errorf("%s: %v", given, err)
		}
	}
	stranger := h.who
	stranger.MerchantID = p.ID
	h.exec(`UPDATE mandates SET consent_channel = 'api', bank_code = '632005'`)
	if err := proofs.AddDocument(ctx, stranger, p.ID, document("x")); !fault.Is(err, fault.NotFound) {
		t.Errorf("a stranger: %v", err)
	}
	for i := range 21 {
		err := proofs.AddDocument(ctx, h.who, p.ID, document(string(rune('a'+i))))
		if full := i == 20; full != fault.HasCode(err, "max_length") {
			t.Errorf("document %d: %v", i+1, err)
		}
	}
}

func document(content string) mandate.Evidence {
	sum := sha256.Sum256([]byte(content))
	return mandate.Evidence{Name: "mandate.pdf", ContentType: "application/pdf", SizeBytes: int64(len(content)),
		SHA256: sum[:], Content: []byte(content)}
}
