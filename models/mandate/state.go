package mandate

import "slices"

// State is where a mandate stands (reference: debit orders B).
type State string

// The states of a mandate. EFT knows active, cancelled and blocked only.
const (
	Submitted    State = "submitted"                  // written down; the bank has yet to get it
	Pending      State = "pending_authentication"     // the client is being asked
	ActiveState  State = "active"                     // usable
	Registered   State = "registered_unauthenticated" // usable: the fallback was not answered
	Rejected     State = "rejected"                   // by the client or the bank
	NoResponse   State = "no_response"                // nobody answered in time
	FailedAtBank State = "failed"                     // the bank could not ask
	Suspended    State = "suspended"                  // by the client's bank
	Cancelled    State = "cancelled"                  // by the merchant; final
	Superseded   State = "superseded"                 // replaced by an amendment; final
	BlockedBy    State = "blocked"
)

// States lists all in the order of their life.
var States = []State{Submitted, Pending, ActiveState, Registered, Rejected, NoResponse, FailedAtBank, Suspended,
	Cancelled, Superseded, BlockedBy}

// moves is the whole life of a mandate.
var moves = map[State][]State{
	Submitted: {Pending, ActiveState, Rejected, NoResponse, FailedAtBank, Registered, Cancelled},
	Pending: {ActiveState, Registered, Rejected, NoResponse, FailedAtBank, Submitted,
		Cancelled}, // submitted: the fallback follows
	NoResponse:   {Submitted},
	FailedAtBank: {Submitted},
	Rejected:     {Submitted},
	ActiveState:  {Suspended, Cancelled, Superseded, BlockedBy},
	Registered:   {Suspended, Cancelled, Superseded, BlockedBy},
	Suspended:    {ActiveState, Cancelled, Superseded},
	BlockedBy:    {Cancelled, Superseded},
}

// MayBecome tells whether a mandate in state s may move to another.
func (s State) MayBecome(next State) bool { return slices.Contains(moves[s], next) }

// Usable tells whether debits may run under a mandate in this state.
func (s State) Usable() bool { return s == ActiveState || s == Registered }

// Waiting tells that the client's answer is awaited.
func (s State) Waiting() bool { return s == Submitted || s == Pending }

// Unanswered tells that the client may be asked again under the same mandate.
func (s State) Unanswered() bool { return s == NoResponse || s == FailedAtBank || s == Rejected }

var labels = map[State]string{
	Submitted: "Being sent", Pending: "Waiting for the client", ActiveState: "Active",
	Registered: "Registered, not answered",
	Rejected:   "Declined", NoResponse: "No answer", FailedAtBank: "Bank error", Suspended: "Suspended",
	Cancelled:  "Cancelled",
	Superseded: "Replaced", BlockedBy: "Blocked",
}

// Label is the state in plain words.
func (s State) Label() string { return labels[s] }
