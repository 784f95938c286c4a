package exchange_test

import (
	"io"
	"reflect"
	"testing"

	"debitdesk/models/bank/exchange"
)

// heard is an encoder that keeps what it was given.
type heard struct {
	exchange.Encoder
	given []exchange.Outgoing
}

func (h *heard) Encode(w io.Writer, m exchange.Outgoing) error {
	h.given = append(h.given, m)
	return h.Encoder.Encode(w, m)
}

// What the clock cuts is written from the orders that were opened for the cut, and is what stands in the database.
func TestAMessageIsWrittenFromTheOrdersThatWereOpenedForIt(t *testing.T) {
	b := open(t, nil)
	h := &heard{Encoder: b.Encoder}
	b.Encoder = h
	b.debits(3, thursday)
	b.debits(2, thursday.AddDays(1))
	b.at(thursday.At(6, 0)) // after the cut of both
	b.exec(`CREATE TABLE kept_orders AS SELECT id, order_sealed FROM bank_items`)
	// Whoever opened an order after the message was made would find it damaged.
	b.exec(`CREATE FUNCTION damage_orders() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			UPDATE bank_items SET order_sealed = '\x00' WHERE message_id = NEW.id; RETURN NULL; END $$`)
	b.exec(`CREATE TRIGGER damage_orders AFTER INSERT ON bank_files_out FOR EACH ROW EXECUTE FUNCTION damage_orders()`)
	b.work()
	if len(b.findings()) != 0 || len(b.box.Placed) != 1 || len(h.given) != 1 {
		t.Fatalf("findings %v, placed %v, written %d", b.findings(), b.box.Placed, len(h.given))
	}
	b.exec(`UPDATE bank_items i SET order_sealed = k.order_sealed FROM kept_orders k WHERE k.id = i.id`)
	now, err := b.Store.Outgoing(t.Context(), h.given[0].ID)
	must(t, err)
	given := h.given[0]
	if len(given.Groups) != 2 || len(given.Groups[0].Items) != 3 || !reflect.DeepEqual(given.Groups, now.Groups) {
		t.Errorf("the groups are %+v, and were written as %+v", now.Groups, given.Groups)
	}
	now.SHA256, now.Size, now.State, now.PlacedAt, now.AckDueAt = nil, 0, given.State, given.PlacedAt, given.AckDueAt
	if !reflect.DeepEqual(given.Message, now.Message) {
		t.Errorf("the message is %+v, and was written as %+v", now.Message, given.Message)
	}
}
