package access

import (
	"testing"
	"time"
)

func TestAMessageThatOffersToUndoStaysOnThePagesOfTheNextHalfMinute(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	waiting := []Flash{{Kind: "ok", Text: "Saved."},
		{Kind: "ok", Text: "Deleted.", Undo: "/undo", Until: at.Add(undoShown)}}
	shown, kept := shownAt(waiting, at)
	if len(shown) != 2 || len(kept) != 1 || kept[0].Text != "Deleted." {
		t.Fatalf("shown %v, kept %v", shown, kept)
	}
	if shown, kept = shownAt(kept, at.Add(undoShown-time.Second)); len(shown) != 1 || len(kept) != 1 {
		t.Errorf("on a later page: shown %v, kept %v", shown, kept)
	}
	if shown, kept = shownAt(kept, at.Add(undoShown)); len(shown) != 0 || len(kept) != 0 {
		t.Errorf("when it is over: shown %v, kept %v", shown, kept)
	}
}
