package purchase

import (
	"github.com/google/uuid"

	"debitdesk/models/calendar"
)

// Subscribed is a subscription that is charged on a stored account.
type Subscribed struct {
	ID, ClientID uuid.UUID
	Title        string // of its template
	Paused       bool
	Billed       bool          // it is active itself, be its template paused or not
	Stopped      bool          // it is paused because everything of its client was stopped
	NextOn       calendar.Date // next billing date; zero: none
	Next         Purchase      // what is billed then
	Email        string        // of the client; empty: nobody can be mailed
	Invoices     bool          // a period whose debit fails is asked for by a mailed invoice
	Version      int
}
