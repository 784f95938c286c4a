package postgres

import (
	"os"
	"strconv"
	"strings"
)

// The private server's buffers, in MB: a sixteenth of the memory that the machine or its container has, within these
// bounds. The pages of a month end stay in them between the steps of a debit.
const (
	leastBuffersMB = 64
	mostBuffersMB  = 512
	memoryShare    = 16
)

// buffersMB is how much memory the private server keeps pages in.
func buffersMB(memoryBytes int64) int64 {
	return min(max(memoryBytes/memoryShare>>20, leastBuffersMB), mostBuffersMB)
}

// memoryBytes is what this machine has, or what its container may use; 0 when neither is told.
func memoryBytes() int64 {
	total := int64(0)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		total = memTotal(string(text))
	}
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
			total = min(total, limit)
		}
	}
	return total
}

// memTotal reads the first line of /proc/meminfo, such as "MemTotal:       24689764 kB".
func memTotal(meminfo string) int64 {
	line, _, _ := strings.Cut(meminfo, "\n")
	fields := strings.Fields(line)
	if len(fields) != 3 || fields[0] != "MemTotal:" || fields[2] != "kB" {
		return 0
	}
	kB, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return kB << 10
}
