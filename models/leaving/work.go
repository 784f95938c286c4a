package leaving

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/audit"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/plural"
	"debitdesk/models/task"
)

// Work takes books out in the background.
type Work struct {
	Service   *Service
	Tasks     *task.Service
	Approvals *approval.Service
	// Email is the address of a person of the team; NotFound for somebody who left.
	Email   func(ctx context.Context, merchantID, id uuid.UUID) (string, error)
	Letters Letters // nil: no mail is sent
}

// Letters words the mails about books.
type Letters interface {
	// BookReady tells who asked for a book where it can be fetched.
	BookReady(r Ready) mail.Letter
}

// Ready is a book that can be fetched.
type Ready struct {
	TaskID   uuid.UUID
	To       string // who asked
	Contents string
	Until    time.Time
	Bytes    int64
}

// Announce implements task.Announcer. The book itself is not attached: it holds everything about every client, and who
// fetches it has to sign in.
func (w *Work) Announce(ctx context.Context, t task.Task) ([]mail.Mail, error) {
	if w.Letters == nil || w.Email == nil {
		return nil, nil
	}
	var wish Wish
	if err := json.Unmarshal(t.Input, &wish); err != nil {
		return nil, err
	}
	to, err := w.Email(ctx, t.MerchantID, t.AskerID)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []mail.Mail{{MerchantID: t.MerchantID, ObjectID: t.ID, Kind: MailReady, Attempt: 1, To: to,
		Letter: w.Letters.BookReady(Ready{TaskID: t.ID, To: t.Asker.Name, Contents: wish.String(), Until: t.KeptUntil,
			Bytes: t.FileBytes})}}, nil
}

// MailReady is the kind of the mail that says that a book can be fetched.
const MailReady = "book_ready"

// Needs is what a person needs to fetch such a book. Who manages the business may do so in any case.
func (w Wish) needs() actor.Action {
	if w.Numbers {
		return actor.Reveal
	}
	return actor.Manage
}

// Title of the task.
func (w Wish) title() string { return "Your book, " + w.String() }

// Ask asks for the book with its numbers masked.
func (w *Work) Ask(ctx context.Context, who actor.Actor) (task.Task, error) {
	var wish Wish
	if err := wish.May(who); err != nil {
		return task.Task{}, err
	}
	input, err := json.Marshal(wish)
	if err != nil {
		return task.Task{}, err
	}
	return w.Tasks.Ask(ctx, who, task.Wish{Kind: task.Book, Title: wish.title(), Needs: wish.needs(), Input: input,
		About: []audit.Entry{wish.Entry(who)}})
}

// AskNumbers asks a second approver for the book with all numbers in full.
func (w *Work) AskNumbers(ctx context.Context, who actor.Actor, reason string) (approval.Approval, error) {
	wish := Wish{Numbers: true}
	if err := wish.May(who); err != nil {
		return approval.Approval{}, err
	}
	input, err := json.Marshal(wish)
	if err != nil {
		return approval.Approval{}, err
	}
	return w.Approvals.Ask(ctx, who, approval.DoMany, approval.Subject{Work: &approval.Work{Task: task.Book,
		Needs: wish.needs(), One: "export", Key: "numbers", Input: input}}, reason)
}

// Stands implements approval.Worker.
func (w *Work) Stands(_ context.Context, who actor.Actor, input []byte) (s approval.Standing, err error) {
	var wish Wish
	if err := json.Unmarshal(input, &wish); err != nil {
		return s, err
	}
	if err := wish.May(who); err != nil {
		f, _ := fault.From(err)
		return approval.Standing{Name: "take the book " + wish.String(), Lines: []string{f.Words()}}, nil
	}
	return approval.Standing{Title: wish.title(), Name: "take the book " + wish.String(),
		Totals: approval.Totals{Rows: 1, Digest: strings.ReplaceAll(wish.String(), " ", "_")}, Input: input,
		Lines: []string{
			"Everything that the business owns is written into one file: clients, accounts, mandates, subscriptions, " +
				"purchases, debits, invoices and what people noted.",
			"It has the account and identity numbers of all clients in full.",
			"It begins at once, in the background. Who may manage the business and see full numbers can download it for " +
				"7 days, and the audit keeps who did.",
		}, Audit: wish.Entry(who)}, nil
}

// Takes implements task.Guard: a book is for who manages the business.
func (w *Work) Takes(who actor.Actor) error { return who.May(actor.Manage) }

// MostBytes implements task.Large.
func (w *Work) MostBytes() int64 { return mostBytes }

// mostBytes is how large a book may be that is kept here; the command line has no limit.
const mostBytes = 8 << 30

// Begin implements task.Worker.
func (w *Work) Begin() task.Run { return &run{work: w} }

// run writes one book in this process. A book is of one moment, so that another process begins it anew.
type run struct {
	work *Work
	out  bytes.Buffer
	book *Book
}

// Close implements task.Run.
func (r *run) Close() {
	if r.book != nil {
		r.book.Close()
	}
}

// pieceBytes and pieceSteps are what one step of a task comes to.
const (
	pieceBytes = 4 << 20
	pieceSteps = 20
)

// Step implements task.Run.
func (r *run) Step(ctx context.Context, t *task.Task, who actor.Actor) (piece task.Piece, err error) {
	var wish Wish
	if err := json.Unmarshal(t.Input, &wish); err != nil {
		return piece, err
	}
	if r.book == nil {
		if r.book, err = r.work.Service.Begin(ctx, who, wish, &r.out); err != nil {
			return piece, err
		}
		if t.Total, err = r.book.Total(ctx); err != nil {
			return piece, err
		}
		piece.Anew = true
		t.FileName, t.FileType = r.book.fileName(), "application/zip"
	} else if err := wish.May(who); err != nil {
		return piece, err
	}
	piece.More = true
	for n := 0; piece.More && n < pieceSteps && r.out.Len() < pieceBytes; n++ {
		if piece.More, err = r.book.Next(ctx); err != nil {
			return piece, err
		}
	}
	done := r.book.Done()
	if t.Done = done.Rows; !piece.More {
		t.Total, t.Note = t.Done, done.note()
	}
	t.Total = max(t.Total, t.Done)
	piece.File = bytes.Clone(r.out.Bytes())
	r.out.Reset()
	return piece, nil
}

func (b *Book) fileName() string { return b.manifest.Merchant + "-book-" + b.manifest.Day + ".zip" }

// note says how a book came out.
func (s Summary) note() string {
	said := plural.Of(s.Files, "file") + ". SHA-256: " + s.SHA256
	if s.Unreadable > 0 {
		said += ". " + plural.Of(s.Unreadable, "row") +
			" could not be read whole: what is stored of them was damaged. The column “unreadable” marks them."
	}
	return said
}
