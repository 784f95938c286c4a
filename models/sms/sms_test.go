package sms_test

import (
	"strings"
	"testing"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/sms"
)

func TestPartsAreCountedAsNetworksCountThem(t *testing.T) {
	for _, c := range []struct {
		text     string
		encoding sms.Encoding
		units    int
		parts    int
	}{
		{"", sms.GSM7, 0, 0},
		{strings.Repeat("a", 160), sms.GSM7, 160, 1},
		{strings.Repeat("a", 161), sms.GSM7, 161, 2},
		{strings.Repeat("a", 306), sms.GSM7, 306, 2},
		{strings.Repeat("a", 307), sms.GSM7, 307, 3},
		{strings.Repeat("a", 459), sms.GSM7, 459, 3},
		{strings.Repeat("€", 80), sms.GSM7, 160, 1},
		{strings.Repeat("€", 81), sms.GSM7, 162, 2},
		{strings.Repeat("a", 159) + "€", sms.GSM7, 161, 2},
		{strings.Repeat("ê", 70), sms.UCS2, 70, 1},
		{strings.Repeat("ê", 71), sms.UCS2, 71, 2},
		{strings.Repeat("ê", 134), sms.UCS2, 134, 2},
		{strings.Repeat("ê", 135), sms.UCS2, 135, 3},
		{strings.Repeat("😀", 35), sms.UCS2, 70, 1},
		{strings.Repeat("😀", 36), sms.UCS2, 72, 2},
		{"R 1 234,50", sms.GSM7, 10, 1},
		{"R\u00a01\u00a0234,50", sms.UCS2, 10, 1},
		{strings.Repeat("a", 159) + "\u00a0", sms.UCS2, 160, 3},
		// An escape that would be cut goes into the next part: 152 + 2 do not fit into 153.
		{strings.Repeat("a", 152) + "€" + strings.Repeat("a", 152), sms.GSM7, 306, 3},
		{strings.Repeat("a", 153) + "€" + strings.Repeat("a", 151), sms.GSM7, 306, 2},
		// So does a surrogate pair: 66 + 2 do not fit into 67.
		{strings.Repeat("ê", 66) + "😀" + strings.Repeat("ê", 66), sms.UCS2, 134, 3},
	} {
		got := sms.CountOf(c.text)
		if got.Encoding != c.encoding || got.Units != c.units || got.Parts != c.parts {
			t.Errorf("%.20q… of %d bytes: %+v; want %s, %d units, %d parts", c.text, len(c.text), got, c.encoding, c.units,
				c.parts)
		}
	}
}

func TestTheSmallAlphabetIsThatOfTheStandard(t *testing.T) {
	for _, in := range []string{"éèöüäà", "£¥ÇØøÅåΔΦΓΛΩΠΨΣΘΞÆæßÉ¤¡ÄÖÑÜ§¿ñ", "^{}\\[~]|€"} {
		if got := sms.CountOf(in).Encoding; got != sms.GSM7 {
			t.Errorf("%s is %s", in, got)
		}
	}
	for _, r := range "áêëíîïóôúûýçÀÊËšṱḓḽṋŉ`’“”–—…•\u00a0\u202f" {
		if got := sms.CountOf(string(r)).Encoding; got != sms.UCS2 {
			t.Errorf("%q is %s", r, got)
		}
	}
}

func TestPlainWritingKeepsNames(t *testing.T) {
	got := sms.Plain("Sipho’s “R\u00a01\u202f250” – 1–2 … André Müller, Lerô")
	if want := `Sipho's "R 1 250" - 1-2 ... André Müller, Lerô`; got != want {
		t.Errorf("%q; want %q", got, want)
	}
}

func TestANameOfABusinessIsShortened(t *testing.T) {
	for name, want := range map[string]string{"Kloof Street Gym": "Kloof Street Gym",
		"Kloof Street Gymnasium and Spa": "Kloof Street",
		"Antidisestablishmentarianism":   "Antidisestablishment",
		"Twenty letters exact":           "Twenty letters exact"} {
		if got := sms.Shorten(name); got != want {
			t.Errorf("%q: %q; want %q", name, got, want)
		}
	}
}

func TestOnlyMobileNumbersOfSouthAfricaAreTexted(t *testing.T) {
	for text, want := range map[string]string{"082 123 4567": "+27821234567", "+27 61 123 4567": "+27611234567",
		"27731234567": "+27731234567", "021 123 4567": "", "+27111234567": "", "+44 7700 900123": "", "": "",
		"0912345678": ""} {
		got, ok := sms.Mobile(text)
		if got != want || ok != (want != "") {
			t.Errorf("%q: %q, %t; want %q", text, got, ok, want)
		}
	}
}

func TestMessagesWaitForTheirHours(t *testing.T) {
	at := func(text string) time.Time {
		moment, err := time.ParseInLocation("2006-01-02 15:04:05", text, calendar.SAST)
		if err != nil {
			t.Fatal(err)
		}
		return moment
	}
	for now, want := range map[string]string{
		"2026-11-27 19:59:59": "2026-11-27 19:59:59",
		"2026-11-27 20:00:00": "2026-11-28 09:00:00", // Friday evening
		"2026-11-28 12:59:59": "2026-11-28 12:59:59",
		"2026-11-28 13:00:00": "2026-11-30 08:00:00", // Saturday afternoon
		"2026-12-15 21:00:00": "2026-12-17 08:00:00", // the 16th is a holiday
		"2026-11-04 10:00:00": "2026-11-05 08:00:00", // election day
		"2026-12-24 20:01:00": "2026-12-28 08:00:00", // Christmas, Goodwill, Sunday
		"2026-11-30 07:59:59": "2026-11-30 08:00:00",
	} {
		if got := (sms.Hours{}).NextAllowed(at(now), calendar.New()); !got.Equal(at(want)) {
			t.Errorf("%s: %s; want %s", now, got.In(calendar.SAST), want)
		}
	}
	for now, want := range map[string]string{"2026-11-27 20:00:00": "2026-11-27 20:00:00",
		"2026-11-27 21:00:00": "2026-11-28 09:00:00", "2026-11-30 06:00:00": "2026-11-30 07:00:00"} {
		if got := (sms.Hours{Wide: true}).NextAllowed(at(now), calendar.New()); !got.Equal(at(want)) {
			t.Errorf("wide, %s: %s; want %s", now, got.In(calendar.SAST), want)
		}
	}
}

func TestStatesOnlyMoveForward(t *testing.T) {
	all := []sms.State{sms.Queued, sms.Sent, sms.Delivered, sms.Failed, sms.Expired, sms.Skipped}
	may := map[sms.State][]sms.State{
		sms.Queued: {sms.Sent, sms.Delivered, sms.Failed, sms.Expired, sms.Skipped},
		sms.Sent:   {sms.Delivered, sms.Failed, sms.Expired},
		sms.Failed: {sms.Delivered}, sms.Expired: {sms.Delivered},
	}
	for _, from := range all {
		for _, to := range all {
			want := false
			for _, one := range may[from] {
				want = want || one == to
			}
			if to.Follows(from) != want {
				t.Errorf("from %s to %s: %t", from, to, !want)
			}
		}
	}
}

func TestRepliesThatStop(t *testing.T) {
	for text, want := range map[string]sms.Wish{"STOP": sms.Stop, "stop.": sms.Stop, "Stop asseblief": sms.Stop,
		"Misa": sms.Stop, "please STOP sending me this": sms.Stop, "Opt out": sms.Stop, "OPT-OUT": sms.Stop,
		"optout": sms.Stop,
		"END":    sms.Stop, "Cancel please": sms.Stop, "quit": sms.Stop, "unsubscribe me": sms.Stop,
		"I pay at month end": sms.NoWish, "month end": sms.NoWish, "Cancel my gym": sms.NoWish, "don't stop": sms.NoWish,
		"nonstop": sms.NoWish, "": sms.NoWish, "ok": sms.NoWish,
		"I am at the bus stop and will come by later to pay you": sms.NoWish,
		"START": sms.Resume, "start please": sms.Resume, "when do you start": sms.NoWish} {
		if got := sms.WishOf(text); got != want {
			t.Errorf("%q: %q; want %q", text, got, want)
		}
	}
}
