package factor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"

	"debitdesk/models/user"
)

// rfcKey is the key of the examples of RFC 6238, in base32.
const rfcKey = Key("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")

func codeAt(t *testing.T, k Key, step int64) string {
	t.Helper()
	//nolint:gosec // not below zero
	code, err := hotp.GenerateCodeCustom(k.Reveal(), uint64(step), hotp.ValidateOpts{Digits: otp.DigitsSix})
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func TestCodesOfTheStandard(t *testing.T) {
	for at, code := range map[int64]string{59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924",
		2000000000: "279037"} {
		if step, fits := rfcKey.step(code, time.Unix(at, 0), 0); !fits || step != at/30 {
			t.Errorf("%s at %d: %d, %v", code, at, step, fits)
		}
	}
}

func TestACodeFitsOneStepBeforeAndAfterAndNoFurther(t *testing.T) {
	now := time.Unix(1_000_000*30+29, 0) // the last second of its step
	for _, c := range []struct {
		off, last int64
		fits      bool
	}{{-2, 0, false}, {-1, 0, true}, {0, 0, true}, {1, 0, true}, {2, 0, false},
		{0, 1_000_000, false}, {0, 999_999, true}, {-1, 999_999, false}, {-1, 999_998, true}, {1, 1_000_000, true},
		{1, 1_000_001, false}} {
		if _, fits := rfcKey.step(codeAt(t, rfcKey, 1_000_000+c.off), now, c.last); fits != c.fits {
			t.Errorf("%+d steps, the last was %d: %v", c.off, c.last, fits)
		}
	}
	if _, fits := rfcKey.step(codeAt(t, rfcKey, 1_000_000-1), now.Add(time.Second), 0); fits {
		t.Error("a second later it is two steps old")
	}
	code := codeAt(t, rfcKey, 1_000_000)
	for typed, fits := range map[string]bool{code[:3] + " " + code[3:]: true, code[:3] + "-" + code[3:]: true,
		code[:5]: false, code + "0": false, "": false, "abcdef": false} {
		if _, got := rfcKey.step(typed, now, 0); got != fits {
			t.Errorf("%q: %v", typed, got)
		}
	}
	if _, fits := Key("").step(code, now, 0); fits {
		t.Error("without a key every code fits")
	}
}

func TestWrongCodesLockFromTheFifthOnAndForLonger(t *testing.T) {
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	var c user.Throttle
	for i, minutes := range []int{0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 240, 240, 240} {
		c = failed(c, now)
		want := time.Time{}
		if minutes > 0 {
			want = now.Add(time.Duration(minutes) * time.Minute)
		}
		if !c.LockedUntil.Equal(want) {
			t.Errorf("after %d failures locked until %v, want %v", i+1, c.LockedUntil, want)
		}
	}
	if c = failed(c, now.Add(forgetAfter-time.Second)); c.Failures != 16 {
		t.Errorf("a second short of a day: %d failures", c.Failures)
	}
	if c = failed(c, c.LastAt.Add(forgetAfter)); c.Failures != 1 {
		t.Errorf("after a day: %d failures", c.Failures)
	}
}

func TestAKeyDoesNotPrintItself(t *testing.T) {
	key := newKey()
	for _, verb := range []string{"%v", "%s", "%q", "%x", "%#v", "%+v"} {
		if got := fmt.Sprintf(verb, struct{ K Key }{key}); strings.Contains(got, key.Reveal()) ||
			strings.Contains(got, fmt.Sprintf("%x", key.Reveal())) {
			t.Errorf("%s prints %s", verb, got)
		}
	}
	if !strings.Contains(key.URL("a b@example.com"), "otpauth://totp/Debitdesk:a%20b@example.com?secret="+key.Reveal()) {
		t.Error(key.URL("a b@example.com"))
	}
	if got := rfcKey.InGroups(); got != "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ" {
		t.Error(got)
	}
}

func TestRecoveryCodesAreManyAndReadAsTyped(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		for _, code := range newCodes() {
			if len(code) != 14 || seen[code] || strings.Trim(CleanCode(code), codeAlphabet) != "" {
				t.Fatalf("%q", code)
			}
			seen[code] = true
		}
	}
	if got := CleanCode(" ABcd efGH-jkmn\t"); got != "abcdefghjkmn" {
		t.Error(got)
	}
}

func TestPasskeysAreBoundToNames(t *testing.T) {
	for base, want := range map[string]string{
		"https://desk.example":        "desk.example https://desk.example",
		"https://desk.example:8443":   "desk.example https://desk.example:8443",
		"http://127.0.0.1:8080":       "localhost http://localhost:8080",
		"http://[::1]:8080":           "localhost http://localhost:8080",
		"http://localhost:8080":       "localhost http://localhost:8080",
		"http://192.168.1.5:8080":     "",
		"https://desk.example/inside": "desk.example https://desk.example",
	} {
		p, err := NewParty(base)
		if err != nil {
			t.Errorf("%s: %v", base, err)
			continue
		}
		got := ""
		if p != nil {
			got = p.site.Config.RPID + " " + p.Origin()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", base, got, want)
		}
	}
}
