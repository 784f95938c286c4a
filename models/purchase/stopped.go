package purchase

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/fault"
)

// objectedWords is what everything says that would debit an account whose mandate the client did not agree to.
const objectedWords = "The client says that it did not agree to this mandate, so nothing is debited under it. Answer " +
	"the client’s request first; there an admin or finance can let debits go on."

// stoppedWords is what everything says that would debit a client whose debits are stopped.
const stoppedWords = "All debits of this client are stopped. To debit the client again, an admin or finance has to " +
	"undo that on the client’s page."

// parkedWords is what everything says that would debit a client, or an account, that came in with an import.
const parkedWords = "This came in with an import and is parked. Switch its group on under Imports; nothing is " +
	"debited before."

// NotStopped refuses to begin a debit of a client whose debits are stopped, or who is parked.
func (s *Service) NotStopped(ctx context.Context, merchantID, clientID uuid.UUID) error {
	if clientID == uuid.Nil {
		return nil
	}
	stopped, parked, err := s.Clients().ClientStopped(ctx, merchantID, clientID)
	switch {
	case err != nil:
		return err
	case stopped:
		return fault.New(fault.Conflict, "client_stopped", stoppedWords)
	case parked:
		return fault.New(fault.Conflict, "client_parked", parkedWords)
	}
	return nil
}
