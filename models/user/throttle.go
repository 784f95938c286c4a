package user

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"debitdesk/models/fault"
	"debitdesk/models/plural"
)

// Failures that are free, after which each further one locks for longer. Many
// colleagues share one address, so it has more of them than one person.
const (
	freeByEmail = 5
	freeByIP    = 20
	freeResets  = 3 // mails to one address
)

const (
	firstLock = time.Minute
	longLock  = 15 * time.Minute
	// forgetAfter is how long a failure counts.
	forgetAfter = 24 * time.Hour
)

// Throttle counts the failed sign-ins of one e-mail address or one network
// address. Times are real time: moving the sandbox clock opens no lock.
type Throttle struct {
	Key         string
	Failures    int
	LastAt      time.Time `gorm:"not null"`
	LockedUntil time.Time
}

// byEmail keeps only a hash: people type passwords into the wrong field.
func byEmail(email string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(email))))
	return "email:" + hex.EncodeToString(sum[:16])
}

func byIP(ip string) string { return "ip:" + ip }

// byDevice is the counter of one browser that signed in to this account before.
func byDevice(email, device string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(email)) + "\x00" + device))
	return "device:" + hex.EncodeToString(sum[:16])
}

// counters are what an attempt counts for. A browser that signed in to the account
// before has a counter of its own, so that the failures of strangers do not lock
// out the true person; whoever steals such a browser has five guesses.
func (a Attempt) counters() []string {
	if a.Device != "" {
		return []string{byDevice(a.Email, a.Device)}
	}
	return []string{byEmail(a.Email), byIP(a.IP)}
}

func (t Throttle) free() int {
	switch {
	case strings.HasPrefix(t.Key, "ip:"), strings.HasPrefix(t.Key, "reset:ip:"):
		return freeByIP
	case strings.HasPrefix(t.Key, "reset:"):
		return freeResets
	}
	return freeByEmail
}

// wait is how long nobody may try.
func (t Throttle) wait(now time.Time) time.Duration { return t.LockedUntil.Sub(now) }

// failed counts one more failure: the fifth locks for a minute, each further
// one for twice as long, up to a quarter of an hour.
func (t Throttle) failed(now time.Time) Throttle {
	if now.Sub(t.LastAt) >= forgetAfter {
		t.Failures = 0
	}
	t.Failures++
	t.LastAt = now
	if over := t.Failures - t.free(); over >= 0 {
		lock := longLock
		if over < 4 {
			lock = min(firstLock<<over, longLock)
		}
		t.LockedUntil = now.Add(lock)
	}
	return t
}

func tooMany(wait time.Duration) error {
	f := fault.New(fault.TooMany, "too_many_sign_ins", "Too many attempts. Try again in %s.", inMinutes(wait))
	f.RetryAfterSeconds = int((wait + time.Second - 1) / time.Second)
	return f
}

func inMinutes(d time.Duration) string {
	n := int((d + time.Minute - 1) / time.Minute)
	return plural.Pick(n, "a minute", plural.Of(n, "minute"))
}
