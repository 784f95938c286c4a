package iso20022

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"debitdesk/models/bank/exchange"
)

// part is what an element of a written message says.
type part int

const (
	messageID part = iota + 1
	messageCount
	messageSum
	groupID
	groupCount
	groupSum
	itemID
	itemCents
)

// parts finds them by their parent and their name. An item ends with its element in ends.
var (
	parts = map[[2]string]part{
		{"GrpHdr", "MsgId"}: messageID, {"Assgnmt", "Id"}: messageID,
		{"GrpHdr", "NbOfTxs"}: messageCount, {"CtrlData", "NbOfTxs"}: messageCount,
		{"GrpHdr", "CtrlSum"}: messageSum, {"CtrlData", "CtrlSum"}: messageSum,
		{"PmtInf", "PmtInfId"}: groupID, {"PmtInf", "NbOfTxs"}: groupCount, {"PmtInf", "CtrlSum"}: groupSum,
		{"PmtId", "InstrId"}: itemID, {"TxInf", "CxlId"}: itemID, {"TxInf", "RvslId"}: itemID,
		{"Mndt", "MndtReqId"}:        itemID,
		{"DrctDbtTxInf", "InstdAmt"}: itemCents, {"Amt", "InstdAmt"}: itemCents, {"TxInf", "OrgnlInstdAmt"}: itemCents,
	}
	ends = map[string]bool{"DrctDbtTxInf": true, "CdtTrfTxInf": true, "TxInf": true, "Mndt": true,
		"UndrlygCxlDtls": true}
)

// tally counts what a message says while it is read.
type tally struct {
	m            exchange.Outgoing
	said         map[part]string // the texts of the message, the group and the item that is read
	open         map[string]int64
	groups       int
	count        int
	cents        int64
	inGroup      int
	centsInGroup int64
}

// Tally reads a written message and compares its counts and sums with what was to be written, as a whole and group by
// group. Where the groups have their items, it compares those too.
func (e *Encoder) Tally(r io.Reader, m exchange.Outgoing) error {
	t := &tally{m: m, said: map[part]string{}}
	t.expect(0)
	err := t.read(r)
	if err == nil {
		err = t.whole()
	}
	if err != nil {
		return fmt.Errorf("message %s was not written right: %w", m.ID, err)
	}
	return nil
}

// grouped tells that the groups of the message stand in it.
func (t *tally) grouped() bool { return t.m.Kind == exchange.Debits || t.m.Kind == exchange.Refunds }

// expect lists the items of a group, or of all groups where the message does not show them. It is nil when the items
// are not there.
func (t *tally) expect(group int) {
	t.open = nil
	for n, g := range t.m.Groups {
		if n != group && t.grouped() {
			continue
		}
		for _, i := range g.Items {
			if t.open == nil {
				t.open = make(map[string]int64, len(g.Items))
			}
			t.open[id32(i.ID)] = i.AmountCents
		}
	}
}

func (t *tally) read(r io.Reader) error {
	d := xml.NewDecoder(r)
	var path []string
	var text []byte
	for {
		token, err := d.RawToken()
		switch {
		case errors.Is(err, io.EOF) && len(path) > 0:
			return fmt.Errorf("it ends within %s", path[len(path)-1])
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read it: %w", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			path = append(path, token.Name.Local)
			text = text[:0]
		case xml.CharData:
			text = append(text, token...)
		case xml.EndElement:
			if len(path) == 0 || path[len(path)-1] != token.Name.Local {
				return fmt.Errorf("%s ends where it did not begin", token.Name.Local)
			}
			path = path[:len(path)-1]
			parent := ""
			if len(path) > 0 {
				parent = path[len(path)-1]
			}
			if err := t.end(parent, token.Name.Local, text); err != nil {
				return err
			}
			text = text[:0]
		}
	}
}

// end takes in an element that was read.
func (t *tally) end(parent, name string, text []byte) error {
	if p, known := parts[[2]string{parent, name}]; known {
		t.said[p] = string(text)
	}
	switch {
	case ends[name]:
		return t.item()
	case name == "PmtInf":
		return t.group()
	}
	return nil
}

func (t *tally) item() error {
	id, cents := t.said[itemID], int64(0)
	if t.m.SumCents != 0 || t.said[itemCents] != "" {
		var err error
		if cents, err = parseCents(t.said[itemCents]); err != nil {
			return fmt.Errorf("item %s: %w", id, err)
		}
	}
	if t.open != nil && t.m.Kind != exchange.Cancellations {
		expected, known := t.open[id]
		switch {
		case !known:
			return fmt.Errorf("item %q was not to be written here", id)
		case expected != cents && t.m.Kind != exchange.Mandates:
			return fmt.Errorf("item %s has %s instead of %s", id, decimal(cents), decimal(expected))
		}
		delete(t.open, id)
	}
	t.count, t.cents = t.count+1, t.cents+cents
	t.inGroup, t.centsInGroup = t.inGroup+1, t.centsInGroup+cents
	delete(t.said, itemID)
	delete(t.said, itemCents)
	return nil
}

func (t *tally) group() error {
	if t.groups >= len(t.m.Groups) {
		return fmt.Errorf("it has more groups than %d", len(t.m.Groups))
	}
	g := t.m.Groups[t.groups]
	if err := errors.Join(same("the id of group "+g.ID, t.said[groupID], g.ID),
		t.totals("group "+g.ID, groupCount, groupSum, t.inGroup, t.centsInGroup, g.Count, g.SumCents)); err != nil {
		return err
	}
	t.groups, t.inGroup, t.centsInGroup = t.groups+1, 0, 0
	t.expect(t.groups)
	return nil
}

func (t *tally) whole() error {
	if t.grouped() && t.groups != len(t.m.Groups) {
		return fmt.Errorf("it has %d groups instead of %d", t.groups, len(t.m.Groups))
	}
	if err := same("its id", t.said[messageID], t.m.ID); err != nil {
		return err
	}
	if t.m.Kind == exchange.Mandates || t.m.Kind == exchange.Cancellations {
		return same("the number of items", strconv.Itoa(t.count), strconv.Itoa(t.m.Count))
	}
	return t.totals("the message", messageCount, messageSum, t.count, t.cents, t.m.Count, t.m.SumCents)
}

// totals compares what is said, what was counted, and what was to be written.
func (t *tally) totals(of string, number, sum part, count int, cents int64, wantCount int, wantCents int64) error {
	return errors.Join(
		same("the count that "+of+" says", t.said[number], strconv.Itoa(wantCount)),
		same("the count of "+of, strconv.Itoa(count), strconv.Itoa(wantCount)),
		same("the sum that "+of+" says", t.said[sum], decimal(wantCents)),
		same("the sum of "+of, decimal(cents), decimal(wantCents)))
}

func same(what, is, want string) error {
	if is != want {
		return fmt.Errorf("%s is %q instead of %q", what, is, want)
	}
	return nil
}

// parseCents reads an amount with exactly two places.
func parseCents(text string) (int64, error) {
	whole, places, dot := strings.Cut(text, ".")
	if !dot || len(places) != 2 || !digits(whole) || !digits(places) {
		return 0, fmt.Errorf("%q is not an amount with two places", text)
	}
	cents, err := strconv.ParseInt(whole+places, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is too large", text)
	}
	return cents, nil
}
