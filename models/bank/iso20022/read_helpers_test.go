package iso20022_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/iso20022"
)

// decode reads a document into its events.
func decode(text string) ([]exchange.Event, exchange.Arrival, error) {
	var events []exchange.Event
	arrival, err := iso20022.Decoder{}.Decode(strings.NewReader(text), func(e exchange.Event) error {
		events = append(events, e)
		return nil
	})
	return events, arrival, err
}

func mustDecode(t *testing.T, text string) ([]exchange.Event, exchange.Arrival) {
	t.Helper()
	events, arrival, err := decode(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return events, arrival
}

// expect compares what a document says with one line for each event.
func expect(t *testing.T, text, want string) []exchange.Event {
	t.Helper()
	events, _ := mustDecode(t, text)
	var got []string
	for _, e := range events {
		got = append(got, line(e))
	}
	want = strings.TrimSpace(strings.ReplaceAll(want, "\t", ""))
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got:\n%s\nwant:\n%s", text, want)
	}
	return events
}

// line writes an event with everything that is set, but for its evidence.
func line(e exchange.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", e.Kind, e.Path)
	word := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, " %s=%s", name, value)
		}
	}
	yes := func(name string, value bool) {
		if value {
			b.WriteString(" " + name)
		}
	}
	word("message", e.MessageID)
	word("name", e.MessageName)
	word("group", e.GroupID)
	word("id", e.InstructionID)
	if e.EndToEndID != e.InstructionID {
		word("end", e.EndToEndID)
	}
	word("case", e.CaseID)
	word("line", e.StatementLine)
	word("text", e.Text)
	word("status", e.Status)
	for _, r := range e.Reasons {
		fmt.Fprintf(&b, " reason=%s/%v/%s", r.Code, r.Own, r.Text)
	}
	if e.HasAmount {
		fmt.Fprintf(&b, " amount=%d%s", e.AmountCents, e.Currency)
	}
	if e.HasCount {
		fmt.Fprintf(&b, " count=%d", e.Count)
	}
	if e.HasSum {
		fmt.Fprintf(&b, " sum=%d", e.SumCents)
	}
	for _, s := range e.Statuses {
		fmt.Fprintf(&b, " %s:%d/%v/%d", s.Status, s.Count, s.HasSum, s.SumCents)
	}
	word("account", e.Account.Reveal())
	yes("credit", e.Credit)
	yes("reversal", e.Reversal)
	yes("batch", e.Batch)
	if !e.BookedOn.IsZero() {
		word("booked", e.BookedOn.String())
	}
	if !e.ValueOn.IsZero() {
		word("value", e.ValueOn.String())
	}
	word("ref", e.Reference)
	word("detailref", e.DetailRef)
	word("of", e.EntryPath)
	if e.Detail != 0 {
		fmt.Fprintf(&b, " detail=%d", e.Detail)
	}
	if e.EntryCents != 0 {
		fmt.Fprintf(&b, " entry=%d", e.EntryCents)
	}
	word("code", e.BankCode)
	word("own", e.BankOwnCode)
	yes("opening", e.Opening)
	word("statement", e.StatementID)
	if e.Number != 0 {
		fmt.Fprintf(&b, " number=%d", e.Number)
	}
	yes("accepted", e.Accepted)
	word("mandate", e.MandateReference)
	word("contract", e.Contract)
	word("channel", e.Channel)
	if !e.At.IsZero() {
		word("at", e.At.Format(time.RFC3339))
	}
	word("PROBLEM", e.Problem)
	return b.String()
}

// documentOf puts a message into the document of a version.
func documentOf(name, content string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<Document xmlns="urn:iso:std:iso:20022:tech:xsd:` + name + `">` + content + `</Document>`
}

// whyUnreadable is the sentence of a refusal.
func whyUnreadable(t *testing.T, text string) string {
	t.Helper()
	_, _, err := decode(text)
	var refused *exchange.Unreadable
	if !errors.As(err, &refused) {
		t.Fatalf("got %v for %.200s", err, text)
	}
	return refused.Why
}

// utf16 writes a text as a document of Windows.
func utf16(text string) string {
	b := []byte{0xFF, 0xFE}
	for _, r := range text {
		b = append(b, byte(r), byte(r>>8))
	}
	return string(b)
}
