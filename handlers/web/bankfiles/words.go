package bankfiles

import (
	"encoding/hex"
	"time"

	"debitdesk/handlers/web/words"
	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/views/components"
)

// kindWords are what the items of a file ask of the bank.
var kindWords = map[exchange.Kind]string{exchange.Debits: "Debits", exchange.Refunds: "Refunds",
	exchange.Recalls: "Recalls", exchange.Mandates: "Mandate requests", exchange.Cancellations: "Mandate cancellations"}

// messagePills are the states of a file to the bank, in the order of its life.
var messagePills = map[exchange.MessageState]components.Pill{
	exchange.Made: {Kind: "progress", Word: "Being laid out", Title: "It is being written for the bank."},
	exchange.Held: {Kind: "wait", Word: "Waits for approval", Title: "A second approver must agree before it leaves."},
	exchange.Placed: {
		Kind:  "wait",
		Word:  "Waiting to be taken",
		Title: "It is ready for the bank, a courier or a person to collect.",
	},
	exchange.Taken: {Kind: "progress", Word: "Taken",
		Title: "The file was taken. The bank has not yet said that it has it."},
	exchange.Acknowledged: {Kind: "progress", Word: "Acknowledged", Title: "The bank has the file."},
	exchange.Approval: {
		Kind:  "wait",
		Word:  "To be approved at the bank",
		Title: "A person must approve it at the bank.",
	},
	exchange.Accepted: {Kind: "done", Word: "Accepted", Title: "The bank runs it."},
	exchange.Refused:  {Kind: "bad", Word: "Refused", Title: "The bank refused the whole file. No one was debited."},
	exchange.Replaced: {Kind: "draft", Word: "Sent again", Title: "What was in it left again in another file."},
	exchange.Closed:   {Kind: "draft", Word: "Not run", Title: "What was in it was marked as not collected."},
}

// messagePill is how a file stands.
func messagePill(m exchange.Message) components.Pill {
	if m.Declined && m.State == exchange.Refused {
		return components.Pill{Kind: "bad", Word: "Not approved",
			Title: "The second approver refused it. It never left."}
	}
	return messagePills[m.State]
}

var documentPills = map[exchange.DocumentState]components.Pill{
	exchange.DocumentOpen: {
		Kind:  "progress",
		Word:  "Being read",
		Title: "It is read, or its end has not arrived yet.",
	},
	exchange.DocumentRead:     {Kind: "done", Word: "Read"},
	exchange.DocumentRejected: {Kind: "bad", Word: "Rejected"},
}

var entryPills = map[exchange.EntryState]components.Pill{
	exchange.EntryMatched: {Kind: "done", Word: "Matched"},
	exchange.EntryUnmatched: {
		Kind:  "bad",
		Word:  "Unmatched",
		Title: "It belongs to no debit we know. Match it, or say what it is.",
	},
	exchange.EntryPaid: {Kind: "done", Word: "Paid by EFT", Title: "All of it is booked on purchases."},
	exchange.EntryFee:  {Kind: "draft", Word: "Fee", Title: "What the bank charges."},
	exchange.EntryExplained: {Kind: "draft", Word: "Told elsewhere",
		Title: "Other movements tell of this money, and count."},
	exchange.EntryOther: {Kind: "draft", Word: "Other", Title: "None of ours."},
}

var dayPills = map[exchange.DayState]components.Pill{
	exchange.DayAddsUp:   {Kind: "done", Word: "Adds up"},
	exchange.DayDiffers:  {Kind: "bad", Word: "Does not add up", Title: "The bank booked a different sum than expected."},
	exchange.DayAccepted: {Kind: "done", Word: "Accepted", Title: "Someone noted why the difference is right."},
	exchange.DayUntold:   {Kind: "wait", Word: "No statement", Title: "The bank has not reported on this day."},
	exchange.DayEarly:    {Kind: "progress", Word: "Too early", Title: "Answers may still come."},
}

var itemPills = map[exchange.ItemState]components.Pill{
	exchange.ItemWaiting:   {Kind: "wait", Word: "Waits for the cut"},
	exchange.ItemLate:      {Kind: "bad", Word: "Missed the cut-off"},
	exchange.ItemWithdrawn: {Kind: "draft", Word: "Withdrawn"},
	exchange.ItemHeld:      {Kind: "wait", Word: "Waits for the file of its debit"},
	exchange.ItemSent:      {Kind: "progress", Word: "No answer yet"},
	exchange.ItemRefused:   {Kind: "bad", Word: "Refused with its file", Title: "Someone must decide what happens to it."},
	exchange.ItemDropped:   {Kind: "bad", Word: "Not collected"},
	exchange.ItemDamaged: {Kind: "bad", Word: "Cannot be read", Title: "What is stored of it was damaged. " +
		"Someone must decide what happens to it."},
}

var outcomePills = map[bank.MessageKind]components.Pill{
	bank.Provisional:       {Kind: "done", Word: "Paid, provisional"},
	bank.Successful:        {Kind: "done", Word: "Paid, final"},
	bank.InTracking:        {Kind: "progress", Word: "In tracking"},
	bank.Unpaid:            {Kind: "bad", Word: "Failed"},
	bank.Disputed:          {Kind: "bad", Word: "Disputed"},
	bank.PaidAgain:         {Kind: "done", Word: "Paid after all"},
	bank.Recalled:          {Kind: "draft", Word: "Withdrawn"},
	bank.RefundSettled:     {Kind: "done", Word: "Refunded"},
	bank.RefundFailed:      {Kind: "bad", Word: "Refund failed"},
	bank.MandateDelivered:  {Kind: "progress", Word: "Shown to the client"},
	bank.MandateAccepted:   {Kind: "done", Word: "Confirmed"},
	bank.MandateRejected:   {Kind: "bad", Word: "Declined"},
	bank.MandateUnanswered: {Kind: "bad", Word: "No answer"},
	bank.MandateFailed:     {Kind: "bad", Word: "Could not be asked"},
	bank.MandateSuspended:  {Kind: "bad", Word: "Suspended"},
}

// itemPill is how an item stands: what the bank said, or where it is on our side.
func itemPill(i exchange.ItemLine) components.Pill {
	p, said := outcomePills[i.Outcome]
	if !said || i.State == exchange.ItemDropped {
		return itemPills[i.State]
	}
	if i.Code != "" && i.Code != bank.CodeSuccess {
		p.Title = bank.Label(i.Code) + "."
	}
	return p
}

// findingWord is what a kind of finding is called, and what a person can do about it.
type findingWord struct{ Icon, Title, Help string }

var findingWords = map[exchange.FindingKind]findingWord{
	exchange.NotAcknowledged: {
		"clock",
		"A file was not acknowledged",
		"Ask your bank whether it has the file. If it has, mark it as received. If it has not, " +
			"lay the file out again: it has the same name and content, so the bank refuses it if it has it after all.",
	},
	exchange.MessageRefused: {
		"alert",
		"A file was refused",
		"Correct what the bank complains about, then send its items again. " +
			"If they should no longer run, mark them as not collected.",
	},
	exchange.GroupRefused: {"alert", "A part of a file was refused", "Correct what the bank complains about, then send " +
		"its items again. If they should no longer run, mark them as not collected."},
	exchange.ApprovalNeeded: {
		"users",
		"A file is waiting for approval at the bank",
		"Sign in at your bank and approve the file there.",
	},
	exchange.Unapproved: {"users", "A file is waiting for a second approver",
		"Check the file, then approve or refuse it. The person who cut it cannot approve it."},
	exchange.Declined: {"alert", "A file was not approved", "Send its items again with the next file. " +
		"If they should no longer run, mark them as not collected."},
	exchange.MissedDeadline: {"clock", "Debits missed the cut-off", "Send them anyway if your bank takes them late. " +
		"Otherwise mark them as not collected, and debit again on another day."},
	exchange.UnknownMessage: {
		"help",
		"An answer to an unknown file",
		"Check whether another system uses the same account at " +
			"your bank. If not, ask the bank.",
	},
	exchange.UnknownItem: {
		"help",
		"An answer to an unknown item",
		"Check whether another system uses the same account at your " +
			"bank. If not, ask the bank.",
	},
	exchange.Differs: {"alert", "Something in a file does not agree",
		"Ask your bank what is right, and note what came of it."},
	exchange.Unmatched: {
		"search",
		"Movements without a debit",
		"Choose for each movement the debit that it belongs to. Note here " +
			"what they are if they belong to none.",
	},
	exchange.Unreadables: {"file", "A file could not be read", "Ask your bank for the file again, or import it by hand. " +
		"Until this is settled, your debits do not count as paid by silence: the file may say something about them."},
	exchange.NotStored: {"file", "A part of a file could not be recorded", "Read the file again after an update, or " +
		"note what the part said. Until this is settled, your debits do not count as paid by silence."},
	exchange.StrangeAccount: {"alert", "Money on an account that is not registered here",
		"Register the account in Settings if it is yours. If not, ask your bank why it tells of it."},
	exchange.PaidAgain: {"money", "A debit that had failed was paid after all", "Check that the client does not pay " +
		"twice: withdraw other debits and refund what was paid twice."},
	exchange.SetUp: {
		"settings",
		"The bank says that something is not set up",
		"Ask your bank to set it up, then send the items " +
			"again.",
	},
	exchange.LateResult: {"alert", "Two answers contradict each other", "Ask your bank which answer holds."},
	exchange.NotPlaced: {"alert", "A file cannot be laid out", "Do what the finding says; the file then leaves " +
		"within a minute."},
	exchange.DamagedOrders: {"alert", "Orders cannot be read", "Try again once the database or its keys were brought " +
		"back from a backup. Otherwise mark them as not collected, and debit again."},
	exchange.NotFetched: {"clock", "Answers of the bank do not arrive", "Find out why files are not fetched from " +
		"your bank, or are not read. Debits count as paid by silence again once everything is here."},
	exchange.NoStatement: {"calendar", "A day does not add up", "Look at the day in the reconciliation."},
}

// counted is "12 items, R 1 234,00".
func counted(n int64, cents int64) string {
	text := words.Grouped(n) + " items"
	if n == 1 {
		text = "1 item"
	}
	if cents != 0 {
		text += ", " + words.Sum(cents, money.ZAR)
	}
	return text
}

// hashOf shows the beginning of a hash, and the whole beside it.
func hashOf(sum []byte) (short, whole string) {
	whole = hex.EncodeToString(sum)
	return whole[:min(12, len(whole))], whole
}

func by(name string) string {
	if name == "" {
		return "Debitdesk"
	}
	return name
}

func momentFact(label string, at time.Time, instead string) components.Fact {
	return components.Fact{Label: label, Part: momentOr(words.Moment(at), instead)}
}

var methodWords = map[bank.Method]string{bank.EFT: "EFT", bank.DebiCheck: "DebiCheck"}

type date = calendar.Date
