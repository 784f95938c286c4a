package handlers

import (
	"strconv"
	"testing"
	"time"
)

func TestCallersThatAreQuietAreForgotten(t *testing.T) {
	at := time.Unix(1_800_000_000, 0)
	l := newLimiters(Rate{PerSecond: 1, Burst: 10}, func() time.Time { return at })
	for i := range 100 {
		l.take("once"+strconv.Itoa(i), 1)
	}
	for range 10 {
		l.take("busy", 1)
	}
	if len(l.known) != 101 {
		t.Fatalf("%d are known", len(l.known))
	}
	at = at.Add(sweepEvery)
	for range 5 {
		l.take("busy", 1)
	}
	if len(l.known) != 1 {
		t.Errorf("%d are known after a minute, want the busy one", len(l.known))
	}
	at = at.Add(3 * time.Second)
	if now := l.take("busy", 0); now.remaining != 8 {
		t.Errorf("%d remain, want 5 and the 3 of 3 seconds", now.remaining)
	}
}

func TestAFloodOfCallersTakesNoEndlessMemory(t *testing.T) {
	at := time.Unix(1_800_000_000, 0)
	l := newLimiters(Rate{PerSecond: 0.001, Burst: 2}, func() time.Time { return at })
	for i := range mostCallers + 10 {
		l.take(strconv.Itoa(i), 1)
	}
	if len(l.known) > mostCallers {
		t.Errorf("%d are known", len(l.known))
	}
}

func TestOneCallerIsOneAddressOrOneNetwork(t *testing.T) {
	for ip, want := range map[string]string{"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"2001:db8:1:2::1":      "2001:db8:1:2::/64", "2001:db8:1:3::1": "2001:db8:1:3::/64", "fe80::1%eth0": "fe80::/64",
		"?": "?"} {
		if got := network(ip); got != want {
			t.Errorf("%s counts as %s, want %s", ip, got, want)
		}
	}
}
