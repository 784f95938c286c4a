package main

import (
	"context"
	"fmt"
	"runtime/debug"
)

type versionCmd struct{}

func (versionCmd) run(_ context.Context, _ Config, io streams) error {
	_, err := fmt.Fprintln(io.out, "debitdesk", version())
	return err
}

// released is the version of a release. make release sets it when it links the program.
var released string

// version is that of the release; else the module's, with the commit it was built from where that is known.
func version() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	text := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && text == "(devel)" {
			text = s.Value
		}
	}
	return text
}
