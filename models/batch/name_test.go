package batch_test

import (
	"strings"
	"testing"

	"debitdesk/models/batch"
	"debitdesk/models/client"
)

// named adds a client of that name and address.
func (h *house) named(name, email string) client.Client {
	h.t.Helper()
	c, err := h.clients.Create(ctx, h.who, client.Input{Details: client.Details{Email: email, FullName: name}})
	must(h.t, err)
	return c
}

const family = heading + "naude@example.org,Anton Naude,449,2027-03-01,x\n" +
	"naude@example.org,Ria Naude,649,2027-03-01,x\n" + "naude@example.org,\"NAUDE, Anton\",449.50,2027-03-01,x\n"

func TestAChoiceHoldsOnlyForTheSameNameAtTheSameAddress(t *testing.T) {
	h := open(t)
	anton, ria := h.named("Anton Naude", "naude@example.org"), h.named("Ria Naude", "naude@example.org")
	b := h.looked(family)
	if b.Counts.Bad != 3 {
		t.Fatalf("a shared address was guessed: %+v", b.Counts)
	}
	b = h.choose(b, 2, batch.BillClient, anton)
	if b.Counts.Ready != 2 || h.row(b, 4).ClientID != anton.ID {
		t.Errorf("the rows of Anton: %+v", b.Counts)
	}
	if r := h.row(b, 3); r.State != batch.Bad || r.Decision != batch.Undecided {
		t.Errorf("Ria is %s, billed to %s", r.State, r.Name)
	}
	b = h.choose(b, 3, batch.BillClient, ria)
	o := order(b)
	o.AcceptWarnings = true
	h.work(h.start(b, o))
	if n := h.count(`SELECT count(*) FROM purchases WHERE client_id = $1 AND total_cents = 64900`, ria.ID); n != 1 {
		t.Errorf("Ria has %d invoices of hers", n)
	}
	if n := h.count(`SELECT count(*) FROM purchases WHERE client_id = $1`, anton.ID); n != 2 {
		t.Errorf("Anton has %d invoices", n)
	}
}

func TestAnotherNameThanThatOfTheClientWarns(t *testing.T) {
	h := open(t)
	h.named("Anton Naudé", "naude@example.org")
	b := h.looked(family)
	if b.Counts.Ready != 3 || b.Counts.Warned != 1 {
		t.Fatalf("%+v", b.Counts)
	}
	r := h.row(b, 3)
	if len(r.Warnings) != 1 ||
		!strings.Contains(string(r.Warnings[0]), "the file says Ria Naude, the client is Anton Naudé") || !r.MayBeOther() {
		t.Errorf("%q", r.Warnings)
	}
	// A person says that she is somebody else: a client of her own is made, and it is said that she shares the address.
	b = h.choose(b, 3, batch.CreateClient, client.Client{})
	if r = h.row(b, 3); !r.NewClient || len(r.Warnings) != 1 ||
		!strings.Contains(string(r.Warnings[0]), "the address belongs to Anton Naudé already") {
		t.Errorf("%+v", r)
	}
	o := order(b)
	o.AcceptWarnings = true
	b = h.work(h.start(b, o))
	if b.Counts.Sent != 3 || h.count(`SELECT count(*) FROM clients WHERE full_name = 'Ria Naude'`) != 1 ||
		h.row(b, 3).Name != "Ria Naude" {
		t.Errorf("%+v, row 3 bills %s", b.Counts, h.row(b, 3).Name)
	}
}

// New people who share an address are two clients, also where their rows are sent in pieces.
func TestNewPeopleAtOneAddressAreTwoClients(t *testing.T) {
	h := open(t)
	b := h.checked(family)
	if b.Counts.Creates != 2 {
		t.Fatalf("%d clients are to be made", b.Counts.Creates)
	}
	o := order(b)
	o.FirstFew, o.AcceptWarnings = true, true
	h.exec(`UPDATE batches SET pause_after = 1`)
	b = h.start(b, o)
	h.exec(`UPDATE batches SET pause_after = 1`)
	b = h.work(b)
	b, err := h.batches.Resume(ctx, h.who, b.ID)
	must(t, err)
	b = h.work(b)
	if b.Counts.Sent != 3 || h.count(`SELECT count(*) FROM clients`) != 2 {
		t.Errorf("%+v, %d clients", b.Counts, h.count(`SELECT count(*) FROM clients`))
	}
	if r := h.row(b, 3); r.Name != "Ria Naude" {
		t.Errorf("the row of Ria bills %s: %s", r.Name, r.Error)
	}
}

// Somebody who takes the address between the review and the sending is not passed over.
func TestAClientWhoCameToTheAddressAfterTheReviewStopsTheRow(t *testing.T) {
	h := open(t)
	b := h.checked(heading + "naude@example.org,Ria Naude,649,2027-03-01,x\n")
	b = h.start(b, order(b))
	h.named("R Naude", "naude@example.org")
	b = h.work(b)
	if b.Counts.Failed != 1 || b.Counts.Sent != 0 {
		t.Errorf("%+v", b.Counts)
	}
}

func TestADateFarAheadAndTheSameAmountTwiceWarn(t *testing.T) {
	h := open(t)
	b := h.checked(heading + "a@example.org,A,100,2062-12-01,x\nb@example.org,B,100,2027-03-01,x\n" +
		"b@example.org,B,100,2027-04-01,x\nc@example.org,C,100,2028-02-01,x\n")
	for n, want := range map[int]string{2: "row 2, column due: the due date 2062-12-01 is more than a year away",
		3: string(batch.BilledTwice), 4: string(batch.BilledTwice), 5: ""} {
		got := ""
		for _, w := range h.row(b, n).Warnings {
			got += string(w)
		}
		if got != want {
			t.Errorf("row %d: %q, want %q", n, got, want)
		}
	}
}
