package client_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
)

func TestOnlyWhoManagesErasesAndOnlyTheOwn(t *testing.T) {
	h := open(t)
	c := h.thandi(t)
	stranger := actor.Actor{Kind: actor.User, Name: "other", MerchantID: h.stranger.MerchantID, Role: actor.Admin}
	for _, one := range []struct {
		who  actor.Actor
		id   uuid.UUID
		kind fault.Kind
	}{{h.program, c.ID, fault.Forbidden}, {h.staff, c.ID, fault.Forbidden}, {stranger, c.ID, fault.NotFound},
		{h.admin, uuid.New(), fault.NotFound}} {
		if _, err := h.Erase(t.Context(), one.who, one.id); !fault.Is(err, one.kind) {
			t.Errorf("%s: %v, want %v", one.who.Name, err, one.kind)
		}
		if _, err := h.WhatErasureMeans(t.Context(), one.who, one.id); !fault.Is(err, one.kind) {
			t.Errorf("%s looks: %v, want %v", one.who.Name, err, one.kind)
		}
	}
	if got, err := h.Get(t.Context(), h.admin, c.ID); err != nil || got.FullName != "Thandi Nkosi" {
		t.Errorf("%+v %v", got, err)
	}
}

func TestADeletedClientIsErasedToo(t *testing.T) {
	h := open(t)
	c := h.thandi(t)
	if err := h.Delete(t.Context(), h.admin, c.ID); err != nil {
		t.Fatal(err)
	}
	got, err := h.Erase(t.Context(), h.admin, c.ID)
	if err != nil || !got.Erased() || !got.EvidenceUntil.IsZero() {
		t.Fatalf("%+v %v", got, err)
	}
	var left int
	if err := h.store.Pool.QueryRow(
		t.Context(),
		`SELECT count(*) FROM clients WHERE id = $1
			AND (email <> '' OR bank_account_sealed IS NOT NULL OR personal_code_hash IS NOT NULL)`,
		c.ID.String(),
	).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d %v", left, err)
	}
}

func TestAnErasedClientTakesNothingMore(t *testing.T) {
	h := open(t)
	c := h.thandi(t)
	if _, err := h.Erase(t.Context(), h.admin, c.ID); err != nil {
		t.Fatal(err)
	}
	_, changed := h.Update(t.Context(), h.admin, c.ID, city("Durban"))
	_, revealed := h.Reveal(t.Context(), h.admin, c.ID)
	_, again := h.Erase(t.Context(), h.admin, c.ID)
	for _, err := range []error{changed, revealed, again} {
		if f, _ := fault.From(err); !errors.As(err, &f) || f.Code != "client_erased" {
			t.Errorf("%v", err)
		}
	}
	if _, err := (client.Store{DB: h.store}).ClientDetails(t.Context(), c.MerchantID,
		c.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("a purchase would copy it: %v", err)
	}
	got, err := h.Get(t.Context(), h.admin, c.ID)
	if err != nil || got.Name() != client.ErasedName {
		t.Errorf("%+v %v", got, err)
	}
}

func TestEvidenceIsKeptForSevenYears(t *testing.T) {
	for from, want := range map[calendar.Date]calendar.Date{calendar.On(2026, 11, 30): calendar.On(2033, 11, 30),
		calendar.On(2028, 2, 29): calendar.On(2035, 2, 28), {}: {}} {
		if got := (client.Erasure{LastDebit: from}).KeptUntil(); got != want {
			t.Errorf("%s: %s, want %s", from, got, want)
		}
	}
}
