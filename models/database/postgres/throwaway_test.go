package postgres

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAThrowawayClusterAnswersAndLeavesNothing(t *testing.T) {
	c, err := Throwaway(t.Context())
	must(t, err)
	expect(t, "answer", ask(t, c.DSN("postgres"), "SELECT 'yes'"), "yes")
	c.Stop()
	if _, err := os.Stat(c.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", c.dir, err)
	}
}

// The guard's input ends when our process does, however that happens.
func TestAThrowawayClusterGoesWhenItsMakerDies(t *testing.T) {
	c, err := Throwaway(t.Context())
	must(t, err)
	must(t, c.reaper.Close())
	<-c.server.done
	within(t, 4*time.Minute, "files removed", func() bool {
		_, err := os.Stat(c.dir)
		return errors.Is(err, os.ErrNotExist)
	})
}

func TestBinariesComeNewestFirst(t *testing.T) {
	for _, c := range []struct{ newer, older string }{
		{"/usr/lib/postgresql/17/bin", "/usr/lib/postgresql/15/bin"},
		{"/usr/lib/postgresql/15/bin", "/usr/lib/postgresql/9.6/bin"},
	} {
		if newestFirst(c.newer, c.older) >= 0 || newestFirst(c.older, c.newer) <= 0 {
			t.Errorf("%s must come before %s", c.newer, c.older)
		}
	}
}

func TestTheFolderInTheEnvironmentWinsAndAnUselessOneIsSaid(t *testing.T) {
	t.Setenv(EnvBinaries, t.TempDir())
	if _, err := FindBinaries(t.Context(), ""); !errors.Is(err, ErrNoBinaries) {
		t.Errorf("got %v, want ErrNoBinaries", err)
	}
}

func TestAServerOlderThanTheMigrationsNeedIsPassedOver(t *testing.T) {
	for major, usable := range map[int]bool{oldestMajor - 1: false, oldestMajor: true} {
		dir := filepath.Join(folder(t), fmt.Sprint(major))
		must(t, os.MkdirAll(dir, 0o755))
		script := fmt.Sprintf("#!/bin/sh\necho 'postgres (PostgreSQL) %d.1'\n", major)
		for _, program := range []string{"initdb", "postgres"} {
			must(t, os.WriteFile(filepath.Join(dir, program), []byte(script), 0o755))
		}
		t.Setenv(EnvBinaries, dir)
		if _, err := FindBinaries(t.Context(), ""); (err == nil) != usable {
			t.Errorf("version %d: %v", major, err)
		}
	}
}

func within(t *testing.T, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for start := time.Now(); !ok(); {
		if time.Since(start) > limit {
			t.Fatalf("not within %s: %s", limit, what)
		}
		must(t, pause(t.Context()))
	}
}
