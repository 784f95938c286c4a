package user

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"debitdesk/models/fault"
)

// Failures that are free, after which each further one locks for longer. Many
// colleagues share one address, so it has more of them than one person.
const (
	freeByEmail = 5
	freeByIP    = 20
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
	LastAt      time.Time
	LockedUntil time.Time
}

// byEmail keeps only a hash: people type passwords into the wrong field.
func byEmail(email string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(email))))
	return "email:" + hex.EncodeToString(sum[:16])
}

func byIP(ip string) string { return "ip:" + ip }

func (t Throttle) free() int {
	if strings.HasPrefix(t.Key, "ip:") {
		return freeByIP
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
	f := fault.New(fault.TooMany, "too_many_sign_ins", "Too many failed sign-ins. Try again in %s.", inMinutes(wait))
	f.RetryAfterSeconds = int((wait + time.Second - 1) / time.Second)
	return f
}

func inMinutes(d time.Duration) string {
	switch n := int((d + time.Minute - 1) / time.Minute); n {
	case 1:
		return "a minute"
	default:
		return strconv.Itoa(n) + " minutes"
	}
}
