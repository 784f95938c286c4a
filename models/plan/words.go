package plan

import (
	"fmt"
	"strings"

	"debitdesk/models/plural"
)

var branchWords = map[Branch]string{Money: "a lack of money", AccountGone: "a problem with the account",
	Objection: "a stop or a dispute by the client", BanksFault: "a fault of the bank",
	Other: "something that needs a person"}

// Label is the class in words, that follow "because of".
func (b Branch) Label() string { return branchWords[b] }

var causeWords = map[Cause]string{NoFunds: "Not enough money", Account: "The account cannot be debited",
	Moved: "The client moved to another bank", StoppedBy: "The client stopped the debit", Frozen: "The account is frozen",
	Insolvent: "The client is insolvent", Deceased: "The client has died", Disputed: "The client disputed the debit",
	NotRun: "The bank did not run the debit", Blocked: "The debit was blocked", Unclear: "The bank’s reason is not known"}

// Label is the cause in words.
func (c Cause) Label() string { return causeWords[c] }

// Label is what the step does, in the imperative, as a sentence goes on.
func (s Step) Label() string {
	switch s.Kind {
	case WaitDays:
		return "wait " + plural.Of(s.N, "day")
	case WaitBusiness:
		return "wait " + plural.Of(s.N, "business day")
	case WaitPayDay:
		if s.N == lastDay {
			return "wait for the next pay day, the last business day of the month"
		}
		return fmt.Sprintf("wait for the next pay day, day %d of the month", s.N)
	case WaitLikely:
		other := fmt.Sprintf("day %d of the month", s.N)
		if s.N == lastDay {
			other = "the last business day of the month"
		}
		return "wait for the client’s likely pay day, or " + other + " where it cannot be told"
	case Message:
		switch s.Channel {
		case BySMS:
			return "send the client an SMS with the link to pay"
		case Either:
			return "mail the client a reminder with the link to pay, or send it by SMS where there is no address"
		case ByMail:
		}
		return "mail the client a reminder with the link to pay"
	case DebitAgain:
		return "debit again on the next date that the mandate and the rules allow"
	case AskAccount:
		return "mail the client the link to give a new account"
	case Pause:
		return "pause the subscription"
	case Task:
		if s.Text != "" {
			return "hand over to a person: " + s.Text
		}
		return "hand over to a person"
	case Stop:
		return "stop; the debt stays"
	}
	return string(s.Kind)
}

// Short is what the step does in a few words, as in a list.
func (s Step) Short() string {
	switch s.Kind {
	case WaitDays:
		return "Wait " + plural.Of(s.N, "day")
	case WaitBusiness:
		return "Wait " + plural.Of(s.N, "business day")
	case WaitPayDay, WaitLikely, Message, DebitAgain, AskAccount, Pause, Task, Stop:
	}
	return s.Kind.Label()
}

// Label is a message by the channel in a list to choose from.
func (c Channel) Label() string {
	switch c {
	case BySMS:
		return "Send a reminder by SMS"
	case Either:
		return "Mail a reminder, or send it by SMS without an address"
	case ByMail:
	}
	return Message.Label()
}

// Label is the kind in a list to choose from.
func (k Kind) Label() string {
	switch k {
	case WaitDays:
		return "Wait a number of days"
	case WaitBusiness:
		return "Wait a number of business days"
	case WaitPayDay:
		return "Wait for the next pay day"
	case WaitLikely:
		return "Wait for the client’s likely pay day"
	case Message:
		return "Mail a reminder"
	case DebitAgain:
		return "Debit again"
	case AskAccount:
		return "Ask for a new account"
	case Pause:
		return "Pause the subscription"
	case Task:
		return "Hand over to a person"
	case Stop:
		return "Stop"
	}
	return string(k)
}

// Sentence reads the steps after one class of reason as one sentence.
func (s Steps) Sentence(b Branch) string {
	list := s[b]
	if len(list) == 0 {
		return "When a debit fails because of " + b.Label() + ": a person takes over."
	}
	parts := make([]string, len(list))
	for i, step := range list {
		parts[i] = strings.TrimRight(step.Label(), ".")
	}
	return "When a debit fails because of " + b.Label() + ": " + strings.Join(parts, "; ") + "."
}

var endWords = map[string]string{"paid": "Paid", "settled": "Settled in another way",
	"promise_kept": "The promise was kept",
	"disputed":     "The client disputed the debit", "cancelled": "The purchase was cancelled",
	"expired": "The purchase expired", "mandate_ended": "The mandate ended",
	"account_replaced": "The account was replaced",
	"token_deleted":    "The account was deleted", "client_asked": "The client’s debits were stopped",
	"subscription_ended": "The subscription ended", "written_off": "Written off", "person": "A person took over",
	"died": "The client has died", "steps_over": "All steps were taken", "plan_ended": "The plan ended",
	"objected": "The client says that it did not agree", "stopped": "The client stopped the debit",
	"hold_out": "Left out of the plan, for comparison",
	"cause":    "The next debit failed for another reason"}

// Ending is why the run ended, in words.
func (r Run) Ending() string { return endWords[r.EndReason] }

// Label is the state of a plan in words.
func (s State) Label() string {
	switch s {
	case Active:
		return "Active"
	case Paused:
		return "Paused"
	case Ended:
		return "Ended"
	}
	return string(s)
}

// Standing says where the run stands, in words.
func (r Run) Standing() string {
	switch r.State {
	case Waiting:
		return "Waiting"
	case WithPerson:
		return "With a person"
	case Over:
		return "Ended"
	case Held:
		switch r.HeldFor {
		case ForPromise:
			return "Held: the client promised to pay"
		case ForDebit:
			return "Held: a debit is under way, or may still be returned"
		}
		return "Held by a person"
	}
	return string(r.State)
}

// Label is what became of a step, in words.
func (o Outcome) Label() string {
	switch o {
	case Done:
		return "Done"
	case Refused:
		return "Refused"
	case Skipped:
		return "Skipped"
	}
	return string(o)
}
