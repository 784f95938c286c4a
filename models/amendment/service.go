// Package amendment puts another account in the place of a stored one, in three steps: a new purchase, the new details
// with the client's new answer, and the take-over, which moves what was planned.
package amendment

import (
	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/deletion"
	"debitdesk/models/purchase"
)

// Service holds the use cases of amendments.
type Service struct {
	Purchases *purchase.Service
	Deletions *deletion.Service // of the account that is replaced
	// FollowToken gives subscribers that are charged on one token the other; nil: there are none.
	FollowToken func(tx *database.Tx, merchantID, old, next uuid.UUID)
}

func (s *Service) store() Store { return Store{s.Purchases.Store.DB} }
