package postgres

import "testing"

func TestBuffersFollowTheMemoryWithinBounds(t *testing.T) {
	t.Parallel()
	for meminfo, want := range map[string]int64{
		"":                                      64, // a system that does not tell
		"MemTotal:         512000 kB\nMemFree:": 64,
		"MemTotal:        4194304 kB\nMemFree:": 256,
		"MemTotal:       24689764 kB\nMemFree:": 512,
		"MemTotal:       much":                  64,
	} {
		if got := buffersMB(memTotal(meminfo)); got != want {
			t.Errorf("%q: %d MB, want %d", meminfo, got, want)
		}
	}
}
