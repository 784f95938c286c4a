// Package queue names the work that a fact can leave for later. It knows
// neither who does the work nor how it is kept.
package queue

import "github.com/google/uuid"

// Job is one piece of work, written in the transaction of the fact it belongs to.
// Its JSON and its kind are data in the database: never rename them.
type Job interface{ Kind() string }

// SendMail sends one mail of the outbox.
type SendMail struct {
	MailID uuid.UUID `json:"mail_id"`
}

// Kind implements Job.
func (SendMail) Kind() string { return "send_mail" }

// SendDueMails sends what waits in the outbox, after many mails were queued at once.
type SendDueMails struct{}

// Kind implements Job.
func (SendDueMails) Kind() string { return "send_due_mails" }

// RunDue does what the clock has made due: hand-overs, starts, answers, closings.
type RunDue struct{}

// Kind implements Job.
func (RunDue) Kind() string { return "run_due" }

// WorkBatch goes on with a batch that has something to do: check, send or void rows.
type WorkBatch struct {
	BatchID uuid.UUID `json:"batch_id"`
}

// Kind implements Job.
func (WorkBatch) Kind() string { return "work_batch" }

// ResetPassword mails a link to a new password to whom the address belongs, if to
// anybody. The asking itself does not look, so that it takes the same time.
type ResetPassword struct {
	AskID uuid.UUID `json:"ask_id"`
	Email string    `json:"email"`
	IP    string    `json:"ip"`
}

// Kind implements Job.
func (ResetPassword) Kind() string { return "reset_password" }

// SendClientPage sends a link to the client's own page to whom a contact belongs, if to
// anybody. The asking itself does not look, so that it takes the same time.
type SendClientPage struct {
	AskID      uuid.UUID `json:"ask_id"`
	MerchantID uuid.UUID `json:"merchant_id"`
	Contact    string    `json:"contact"`
	BySMS      bool      `json:"by_sms,omitempty"`
	IP         string    `json:"ip"`
}

// Kind implements Job.
func (SendClientPage) Kind() string { return "send_client_page" }

// MakeStatement makes a statement of the movements of money.
type MakeStatement struct {
	StatementID uuid.UUID `json:"statement_id"`
}

// Kind implements Job.
func (MakeStatement) Kind() string { return "make_statement" }

// Simulate plays what the simulator was asked for.
type Simulate struct {
	RunID uuid.UUID `json:"run_id"`
}

// Kind implements Job.
func (Simulate) Kind() string { return "simulate" }

// WorkTask goes on with long work that a person asked for.
type WorkTask struct {
	TaskID uuid.UUID `json:"task_id"`
}

// Kind implements Job.
func (WorkTask) Kind() string { return "work_task" }

// SendSMS sends one short message of the outbox.
type SendSMS struct {
	MessageID uuid.UUID `json:"message_id"`
}

// Kind implements Job.
func (SendSMS) Kind() string { return "send_sms" }
