// Package exchangetest is a bank for tests of the exchange: messages of one line for each item, and arrivals that are
// events in JSON. Whatever a bank's form is, the rules of the exchange are the same. Nothing outside tests imports it.
package exchangetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
)

// Codec writes a line for each item, and reads events in JSON. No JSON tells an account: movements are on the one here.
type Codec struct {
	Broken  error
	Account bank.AccountNumber
}

// Name is the form of a kind.
func (Codec) Name(k exchange.Kind) string { return "lines." + string(k) }

// FileName is how a message is named.
func (Codec) FileName(m exchange.Message) string { return m.ID + ".txt" }

// Check refuses a debit without the name of the account holder.
func (Codec) Check(o exchange.Order) string {
	if o.Debit != nil && o.Debit.HolderName == "" {
		return "The account holder has no name."
	}
	return ""
}

// Encode writes the lines.
func (c Codec) Encode(w io.Writer, m exchange.Outgoing) error {
	for _, g := range m.Groups {
		for _, i := range g.Items {
			if _, err := fmt.Fprintf(w, "%s %s %d\n", g.ID, i.ID, i.AmountCents); err != nil {
				return err
			}
		}
	}
	return c.Broken
}

// Tally counts the lines.
func (Codec) Tally(r io.Reader, m exchange.Outgoing) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if n := strings.Count(string(text), "\n"); n != m.Count {
		return fmt.Errorf("%d lines for %d items", n, m.Count)
	}
	return nil
}

// Decode reads the events.
func (c Codec) Decode(r io.Reader, each func(exchange.Event) error) (exchange.Arrival, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return exchange.Arrival{}, err
	}
	var events []exchange.Event
	if err := json.Unmarshal(text, &events); err != nil {
		return exchange.Arrival{}, &exchange.Unreadable{Why: "It is not JSON."}
	}
	for n, e := range events {
		e.Path = fmt.Sprintf("e%d", n)
		e.Account = c.Account
		if err := each(e); err != nil {
			return exchange.Arrival{}, err
		}
	}
	return exchange.Arrival{Name: "events"}, nil
}

// Box is the folders of a bank, in memory.
type Box struct {
	Out, In, Gone  map[string][]byte
	Placed         []string // every name that was placed, as often as it was
	Kept, Rejected []string
	FailsToPlace   error
	Carried        bool          // somebody brings answers, and says when
	Ago            time.Duration // since everything was brought
}

// NewBox is empty.
func NewBox() *Box {
	return &Box{Out: map[string][]byte{}, In: map[string][]byte{}, Gone: map[string][]byte{}}
}

// Place shows a message.
func (b *Box) Place(_ context.Context, name string, hash []byte, content io.Reader, check func(io.Reader) error) error {
	text, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(text); !bytes.Equal(sum[:], hash) {
		return errors.New("other bytes than were written down")
	}
	if err := check(bytes.NewReader(text)); err != nil {
		return err
	}
	if was, there := b.Out[name]; there && !bytes.Equal(was, text) {
		return &exchange.Occupied{Place: "outbox/" + name}
	}
	b.Out[name], b.Placed = text, append(b.Placed, name)
	return b.FailsToPlace
}

// PutAside does nothing: what was taken is not kept here.
func (*Box) PutAside(context.Context, string, []byte) error { return nil }

// Fetched tells what the test says.
func (b *Box) Fetched(context.Context) (time.Duration, bool, error) { return b.Ago, b.Carried, nil }

// Waiting tells whether nobody took it.
func (b *Box) Waiting(_ context.Context, name string) (bool, error) { return b.Out[name] != nil, nil }

// Find lists what has arrived.
func (b *Box) Find(context.Context) (found []exchange.Found, _ error) {
	for name, text := range b.In {
		sum := sha256.Sum256(text)
		found = append(found, exchange.Found{Name: name, Size: int64(len(text)), SHA256: sum[:]})
	}
	return found, nil
}

// Unread tells whether something is left.
func (b *Box) Unread(context.Context) (bool, error) { return len(b.In) > 0, nil }

// Open reads it.
func (b *Box) Open(f exchange.Found) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(b.In[f.Name])), nil
}

// Keep takes it away.
func (b *Box) Keep(f exchange.Found, _ time.Time) error {
	b.Gone[f.Name] = b.In[f.Name]
	delete(b.In, f.Name)
	b.Kept = append(b.Kept, f.Name)
	return nil
}

// Reject takes it away, with the reason.
func (b *Box) Reject(f exchange.Found, why string) error {
	b.Gone[f.Name] = b.In[f.Name]
	delete(b.In, f.Name)
	b.Rejected = append(b.Rejected, f.Name+": "+why)
	return nil
}

// BringBack puts it back.
func (b *Box) BringBack(f exchange.Found) error {
	text, there := b.Gone[f.Name]
	if !there {
		return fmt.Errorf("%s is no longer here", f.Name)
	}
	b.In[f.Name] = text
	return nil
}

// Fresh never hurries.
func (b *Box) Fresh(context.Context) (bool, error) { return false, nil }

// Reopen reads it.
func (b *Box) Reopen(f exchange.Found) (io.ReadCloser, error) {
	text, there := b.Gone[f.Name]
	if !there {
		return nil, fmt.Errorf("%s is no longer here", f.Name)
	}
	return io.NopCloser(bytes.NewReader(text)), nil
}

// Rules are those of a bank that cuts twice a day.
func Rules() exchange.Rules {
	return exchange.Rules{Name: "lines", Cuts: []calendar.TimeOfDay{{Hour: 8}, {Hour: 11, Minute: 30}},
		Deadline: calendar.TimeOfDay{Hour: 12}, LeadDays: map[bank.Method]int{bank.EFT: 2, bank.DebiCheck: 1},
		Success:   map[bank.Method]exchange.Success{bank.EFT: exchange.BySilence, bank.DebiCheck: exchange.ByReport},
		SilenceAt: calendar.TimeOfDay{Hour: 6}, AckWithin: time.Hour, MaxItems: 100,
		Capabilities: bank.Capabilities{DebiCheck: true, Refunds: true, RecallOne: true}}
}

// Acknowledged says that the bank has a message.
func Acknowledged(message string) exchange.Event {
	return exchange.Event{Kind: exchange.OnMessage, MessageID: message, Status: "ACTC"}
}

// Status says how an item stands.
func Status(id uuid.UUID, status string, reasons ...string) exchange.Event {
	e := exchange.Event{Kind: exchange.OnItem, InstructionID: strings.ReplaceAll(id.String(), "-", ""), Status: status}
	for _, r := range reasons {
		e.Reasons = append(e.Reasons, exchange.Reason{Code: r})
	}
	return e
}

// Booked is a movement that names an item.
func Booked(id uuid.UUID, cents int64, credit bool, on calendar.Date, reasons ...string) exchange.Event {
	e := Status(id, "BOOK", reasons...)
	e.Kind, e.HasAmount, e.AmountCents, e.Credit, e.BookedOn = exchange.OnEntry, true, cents, credit, on
	e.Currency, e.BankCode = "ZAR", map[bool]string{true: "PMNT/IDDT/ESDD", false: "PMNT/IDDT/UPDD"}[credit]
	return e
}

// Arrival is what a bank says, as Codec reads it.
func Arrival(events ...exchange.Event) []byte {
	text, err := json.Marshal(events)
	if err != nil {
		panic(err)
	}
	return text
}
