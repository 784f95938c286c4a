package home

import (
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/attention"
	"debitdesk/models/purchase"
	"debitdesk/views/pages"
)

// The key "a" does the first thing that a line offers, so every kind offers one.
func TestEveryKindOffersAnAct(t *testing.T) {
	t.Parallel()
	for kind := range actLabels {
		i := attention.Item{Kind: kind, ObjectID: uuid.New(), ClientID: uuid.New(), PurchaseID: uuid.New(),
			Name: "Thandi Nkosi"}
		switch kind {
		case "blocked", "replaced":
			i.PurchaseID, i.TokenID = uuid.Nil, i.ObjectID
		case "suspended", "idle":
			i.PurchaseID, i.MandateID = uuid.Nil, i.ObjectID
		case "stranded", "terms":
			i.PurchaseID, i.SubscriberID, i.TemplateID = uuid.Nil, i.ObjectID, uuid.New()
		}
		if r := (&queueBook{back: "/attention"}).row(i, "", ""); r.Act.Label == "" || r.Act.Href == "" {
			t.Errorf("%s: %+v", kind, r.Act)
		}
	}
	for _, k := range attentionKinds {
		if k.id == approvalsWait.id || k.id == promisesDue.id { // decided on a page of their own; settled in place
			continue
		}
		known := map[string]string{"declined": "unconfirmed", "subscribers": "stranded", "refunds": "refund",
			"requests": "request", "mails": "mail"}
		kind := k.id
		if of := known[kind]; of != "" {
			kind = of
		}
		if actLabels[kind] == "" {
			t.Errorf("%s has no act", kind)
		}
	}
}

func TestThePartsOfTheQueueAreCountedInWords(t *testing.T) {
	t.Parallel()
	for want, of := range map[string]struct {
		n     int
		whose attention.Whose
	}{"Nothing needs attention here.": {0, attention.Mine}, "1 thing needs attention.": {1, attention.Everyones},
		"26 things need attention.": {26, attention.Everyones}, "More than 99 things need attention.": {100,
			attention.Nobodys},
		"1 thing is for later: snoozed, promised, or followed by a plan.":   {1, attention.Later},
		"2 things are for later: snoozed, promised, or followed by a plan.": {2, attention.Later}} {
		if got := leftWords(of.n, of.whose); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var g pages.QueueGroup
	if g = attentionGroup(debitsFailed, purchase.Tally{N: 16}, 12); g.Count != "12 of 16 shown" {
		t.Errorf("%q", g.Count)
	}
}
