package exchange_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/exchange/exchangetest"
	"debitdesk/models/fault"
)

// flip damages a sealed value of one row of a table.
func (b *bench) flip(table, column string, id any) {
	b.t.Helper()
	b.exec(`UPDATE `+table+` SET `+column+` = set_byte(`+column+`, length(`+column+`) - 1,
		(get_byte(`+column+`, length(`+column+`) - 1) + 1) % 256) WHERE id::text = $1`, fmt.Sprint(id))
}

func (b *bench) state(id uuid.UUID) (state exchange.ItemState) {
	b.t.Helper()
	i, _, err := b.Store.ExchangeItem(b.t.Context(), id, false)
	must(b.t, err)
	return i.State
}

func TestADamagedOrderIsSetAsideAndTheOthersLeave(t *testing.T) {
	b := open(t, nil)
	ids := b.debits(3, thursday)
	b.flip("bank_items", "order_sealed", ids[1])
	b.at(monday.At(11, 30))
	b.work()
	if len(b.box.Placed) != 1 || !slices.Equal(b.findings(), []string{"damaged_orders"}) {
		t.Fatalf("placed %v, findings %v", b.box.Placed, b.findings())
	}
	text := string(b.box.Out[b.box.Placed[0]])
	if strings.Contains(text, ids[1].String()) || !strings.Contains(text, ids[0].String()) ||
		!strings.Contains(text, ids[2].String()) {
		t.Errorf("the file holds %s", text)
	}
	if got := b.state(ids[1]); got != exchange.ItemDamaged {
		t.Errorf("it is %s", got)
	}
	if n, err := b.Damaged(t.Context(), b.who, true); err != nil || n != 1 { // it is still damaged
		t.Fatalf("%d tried again, %v", n, err)
	}
	b.work()
	if got := b.state(ids[1]); got != exchange.ItemDamaged || len(b.box.Placed) != 1 || len(b.findings()) != 1 {
		t.Errorf("tried again it is %s, placed %v, findings %v", got, b.box.Placed, b.findings())
	}
	if n, err := b.Damaged(t.Context(), b.who, false); err != nil || n != 1 || len(b.findings()) != 0 {
		t.Fatalf("%d dropped, %v, findings %v", n, err, b.findings())
	}
	if got := b.outcomes()[ids[1]]; !slices.Equal(got, []string{"unpaid NR"}) {
		t.Errorf("the product hears %v", got)
	}
	if _, err := b.Damaged(t.Context(), b.who, false); !fault.HasCode(err, "nothing_damaged") {
		t.Errorf("the second decision: %v", err)
	}
}

func TestADamagedOrderIsTakenBackAndOneThatLeftIsNotRecalled(t *testing.T) {
	b := open(t, nil)
	left, _ := b.sent(1, thursday)
	b.flip("bank_items", "order_sealed", left[0])
	if err := b.Recall(t.Context(), left[0]); err == nil || !strings.Contains(err.Error(), bank.ErrUnable.Error()) {
		t.Errorf("a recall of an order that cannot be read: %v", err)
	}
	waiting := b.debits(1, thursday)
	b.flip("bank_items", "order_sealed", waiting[0])
	must(t, b.Recall(t.Context(), waiting[0]))
	if got := b.state(waiting[0]); got != exchange.ItemWithdrawn {
		t.Errorf("it is %s", got)
	}
}

func TestADamagedOrderInAFileThatIsNotWrittenGivesItsItemsBack(t *testing.T) {
	b := open(t, nil)
	ids := b.debits(2, thursday)
	_, err := b.CutNow(t.Context(), b.who)
	must(t, err)
	b.flip("bank_items", "order_sealed", ids[0])
	b.work()
	if len(b.box.Placed) != 0 || !slices.Equal(b.findings(), []string{"message_refused"}) {
		t.Fatalf("placed %v, findings %v", b.box.Placed, b.findings())
	}
	var message string
	must(t, b.store.Pool.QueryRow(t.Context(), `SELECT id FROM bank_files_out`).Scan(&message))
	_, err = b.SendAgain(t.Context(), b.who, message)
	must(t, err)
	b.work()
	if len(b.box.Placed) != 1 || strings.Contains(string(b.box.Out[b.box.Placed[0]]), ids[0].String()) ||
		!slices.Equal(b.findings(), []string{"damaged_orders"}) {
		t.Errorf("placed %v, findings %v", b.box.Out, b.findings())
	}
}

func TestADamagedFileToTheBankIsAFindingAndTheOthersAreLaidOut(t *testing.T) {
	b := open(t, nil)
	b.box.Out["DD20270111-000001.txt"] = []byte("of somebody else")
	b.debits(1, thursday)
	first, err := b.CutNow(t.Context(), b.who)
	must(t, err)
	_, _ = b.Run(t.Context()) // it is written, and another file stands in its place
	b.flip("bank_files_out", "content", first[0])
	b.debits(1, thursday)
	_, err = b.CutNow(t.Context(), b.who)
	must(t, err)
	b.work()
	if len(b.box.Placed) != 1 || !slices.Equal(b.findings(), []string{"not_placed"}) {
		t.Errorf("placed %v, findings %v", b.box.Placed, b.findings())
	}
	if _, _, err := b.Download(t.Context(), b.who, first[0]); !fault.HasCode(err, "file_unreadable") {
		t.Errorf("its download: %v", err)
	}
}

func TestADamagedImportIsRejectedAndReadOnceItIsBroughtAgain(t *testing.T) {
	b := open(t, nil)
	ids, message := b.sent(1, thursday)
	b.arrive("ack", acknowledged(message))
	file := exchangetest.Arrival(status(ids[0], "RJCT", "AC04"))
	d, err := b.Import(t.Context(), b.who, "day.json", file)
	must(t, err)
	b.exec(`UPDATE bank_files_in SET state = 'open' WHERE id = $1`, d.ID) // as a crash before it was read leaves it
	b.flip("bank_files_in", "content", d.ID)
	b.work()
	if got := b.findings(); !slices.Equal(got, []string{"unreadable"}) {
		t.Fatalf("findings %v", got)
	}
	d, err = b.Import(t.Context(), b.who, "day.json", file)
	if err != nil || d.State != exchange.DocumentRead || len(b.findings()) != 0 {
		t.Errorf("brought again it is %s (%s), %v, findings %v", d.State, d.Why, err, b.findings())
	}
}
