package user_test

import (
	"testing"
	"time"

	"debitdesk/models/fault"
	"debitdesk/models/user"
)

func (h *house) from(t *testing.T, device, word string) error {
	t.Helper()
	_, err := h.SignIn(t.Context(), user.Attempt{Email: "thandi@example.com", Password: word, IP: "10.0.0.9",
		Device: device})
	return err
}

func TestStrangersDoNotLockOutABrowserThatIsKnown(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.failTimes(t, 5, "thandi@example.com", "10.0.0.1")
	wantLocked(t, h.from(t, "", password), 60)
	must(t, h.from(t, "laptop", password))
	wantLocked(t, h.from(t, "", password), 60) // which opens nothing for strangers
	wantLocked(t, h.try(t, "thandi@example.com", password, "10.0.0.1"), 60)
}

func TestAnAddressThatGuessesDoesNotLockOutAKnownBrowserBesideIt(t *testing.T) {
	t.Parallel()
	h := open(t)
	for i := range 20 {
		h.failTimes(t, 1, string(rune('a'+i))+"@example.com", "10.0.0.9")
	}
	wantLocked(t, h.from(t, "", password), 60)
	must(t, h.from(t, "laptop", password))
}

func TestAKnownBrowserHasFiveGuessesOfItsOwn(t *testing.T) {
	t.Parallel()
	h := open(t)
	for range 4 {
		if err := h.from(t, "laptop", "wrong password!"); !fault.Is(err, fault.Unauthenticated) {
			t.Fatal(err)
		}
	}
	must(t, h.from(t, "laptop", password)) // the fifth try may be right
	for range 5 {
		if err := h.from(t, "laptop", "wrong password!"); !fault.Is(err, fault.Unauthenticated) {
			t.Fatal(err)
		}
	}
	wantLocked(t, h.from(t, "laptop", password), 60)
	must(t, h.from(t, "phone", password)) // another browser of the owner
	must(t, h.try(t, "thandi@example.com", password, "10.0.0.3"))
	h.wait(time.Minute - time.Second)
	wantLocked(t, h.from(t, "laptop", password), 1)
	h.wait(time.Second)
	must(t, h.from(t, "laptop", password))
}
