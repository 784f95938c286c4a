package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ticks of the kernel's clock by which processor time is told.
const tick = 10 * time.Millisecond

// cost is the processor time that operations took. It says the same on a machine that others use meanwhile.
type cost struct {
	server, database time.Duration
	operations       float64
}

// costing adds what a load costs; what the server does in the background for it is part of that.
func (s *server) costing(into *cost, load func() (float64, error)) func() (float64, error) {
	return func() (float64, error) {
		began, server, database := time.Now(), s.cpu(), s.databaseCPU()
		rate, err := load()
		into.operations += rate * time.Since(began).Seconds()
		into.server += s.cpu() - server
		into.database += s.databaseCPU() - database
		return rate, err
	}
}

func (c cost) line(what string) line {
	each := func(d time.Duration) string {
		return time.Duration(float64(d) / max(c.operations, 1)).Round(time.Microsecond).String()
	}
	return line{what + ": processor time of each", each(c.server + c.database),
		fmt.Sprintf("server %s, database %s", each(c.server), each(c.database)), "", "for comparison"}
}

// databaseCPU is the processor time of the database's processes so far, of those that have ended too.
func (s *server) databaseCPU() time.Duration {
	text, err := os.ReadFile(filepath.Join(s.folder, "data", "postgres", "data", "postmaster.pid"))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), "\n")
	const ended = 2 // user and system time of children
	all := processTime(first, 2+ended)
	found, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range found {
		pid := strings.Split(path, "/")[2]
		if parts := stat(pid); len(parts) > 1 && parts[1] == first {
			all += processTime(pid, 2)
		}
	}
	return all
}

// processTime sums up the first parts of user, system, children's user and children's system time.
func processTime(pid string, parts int) (sum time.Duration) {
	fields := stat(pid)
	if len(fields) < 15 {
		return 0
	}
	for _, text := range fields[11 : 11+parts] {
		n, _ := strconv.Atoi(text)
		sum += time.Duration(n) * tick
	}
	return sum
}

// stat are the fields of a process after its name: state, parent and so on.
func stat(pid string) []string {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return nil
	}
	return strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
}
