package report

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/paging"
)

// FileKind is what a file of a client is.
type FileKind string

// The files of a client.
const (
	InvoiceFile    FileKind = "invoice"
	CreditNoteFile FileKind = "credit_note"
	MandateFile    FileKind = "mandate"
	EvidenceFile   FileKind = "evidence"
)

// ClientFile is a document that was made for a client, or was kept about it.
type ClientFile struct {
	ID       uuid.UUID
	Kind     FileKind
	ObjectID uuid.UUID `gorm:"not null"` // of the purchase, or of the mandate
	Name     string    // its number, contract reference or file name
	Cents    int64
	Currency string
	At       time.Time
}

// filesOf is how many purchases and mandates of a client are looked through for files.
const filesOf = 300

// ClientFiles are the newest files of a client.
func (s *Money) ClientFiles(ctx context.Context, who actor.Actor, clientID uuid.UUID,
	ask paging.Ask) (paging.Page[ClientFile], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[ClientFile]{}, err
	}
	found, err := s.Store.clientFiles(ctx, who.MerchantID, clientID, ask)
	return paging.Cut(ask, found), err
}
