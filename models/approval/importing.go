package approval

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/book"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/user"
)

// importing is the subject of a request to import a book as it was rehearsed.
func (s *Service) importing(ctx context.Context, who actor.Actor, of Subject) (Subject, error) {
	if err := who.May(actor.Bill); err != nil {
		return of, err
	}
	i, err := s.Imports.Get(ctx, who, of.Import)
	if err != nil {
		return of, err
	}
	if err := s.Imports.MayStart(ctx, i, of.Seal); err != nil {
		return of, err
	}
	return Subject{Import: i.ID, Seal: of.Seal, Totals: totalsOfImport(i), Name: "import " + i.Name + ": " +
		importInShort(i)}, nil
}

func totalsOfImport(i book.Import) Totals {
	return Totals{Rows: i.Counts.ToDo(), Creates: i.Counts.Created, Tokens: i.Counts.Debitable, Cents: i.Counts.Cents,
		Digest: i.Seal()}
}

func importInShort(i book.Import) string {
	return fmt.Sprintf("%s, %s, %s a debit together", plural.Of(i.Counts.Created, "new client"),
		plural.Of(i.Counts.Debitable, "mandate"), money.Format(i.Counts.Cents, money.ZAR))
}

// carryOutImport begins what was asked for, as long as that is what was rehearsed.
func (s *Service) carryOutImport(tx *database.Tx, asker user.User, a Approval, seen Totals) error {
	if seen.Digest != a.Subject.Seal {
		return fault.New(fault.Conflict, "import_changed", "The request is not what you were shown. Check it again.")
	}
	as := asker.Actor()
	if err := still(as.May(actor.Bill)); err != nil {
		return err
	}
	return s.Imports.StartIn(tx, as, a.Subject.Import, a.Subject.Seal,
		book.Consent{ApprovalID: a.ID, Approver: a.DecidedName})
}

// OpenImport gives the request to import a book that waits for an answer; waits is false when there is none.
func (s *Service) OpenImport(ctx context.Context, who actor.Actor, id uuid.UUID) (a Approval, waits bool, err error) {
	if err := who.May(actor.Read); err != nil {
		return Approval{}, false, err
	}
	return s.Store.OpenApproval(ctx, who.MerchantID, ImportBook, Subject{Import: id}.key())
}
