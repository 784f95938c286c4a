package merging_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/merging"
)

func TestWhatCameAfterTheMergeStaysAndIsListed(t *testing.T) {
	h := open(t)
	keep, gone := h.two()
	h.attach(gone, rand.New(rand.NewPCG(1, 1)))
	m := h.merge(keep, gone, nil)
	h.row("notes", map[string]string{"client_id": quoted(keep.ID), "object_id": quoted(keep.ID),
		"created_at": "'" + h.store.Now().Add(time.Minute).Format(time.RFC3339) + "'"})
	_, err := h.clients.Update(t.Context(), h.who, keep.ID, client.Change{
		Apply: func(d client.Details) (client.Details, fault.Problems) { d.City = "Durban"; return d, nil }})
	must(t, err)
	undo, err := h.merging.Undo(t.Context(), h.who, keep.ID, m.ID)
	must(t, err)
	lines := strings.Join(undo.Lines(), "\n")
	if !undo.Changed || !strings.Contains(lines, "1 note of the time after the merge: Stays") {
		t.Error(lines)
	}
	if now := h.get(keep); now.City != "Durban" {
		t.Errorf("%+v", now.Details)
	}
	if n := h.count(`SELECT count(*) FROM notes WHERE client_id = $1`, keep.ID); n != 1 {
		t.Errorf("%d notes stayed", n)
	}
	_, err = h.merging.Undo(t.Context(), h.who, keep.ID, m.ID)
	wants(t, err, "nothing_merged")
}

func TestAnUndoIsOverAfterAnHour(t *testing.T) {
	h := open(t)
	keep, gone := h.two()
	m := h.merge(keep, gone, nil)
	must(t, h.store.Clock.MoveTo(t.Context(), h.store.Now().Add(merging.UndoTime+time.Second)))
	_, err := h.merging.Undo(t.Context(), h.who, keep.ID, m.ID)
	wants(t, err, "undo_over")
	must(t, h.merging.Store.Tidy(t.Context(), h.store.Now()))
	if n := h.count(`SELECT count(*) FROM client_merges WHERE before_sealed IS NULL AND moved = '{}'`); n != 1 {
		t.Error("what was kept for the undo is still there")
	}
}
