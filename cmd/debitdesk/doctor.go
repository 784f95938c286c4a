package main

import "context"

type doctorCmd struct {
	JSON bool `name:"json" help:"Print a list of findings as JSON."`
}

func (d *doctorCmd) run(ctx context.Context, c Config, io streams) error { return nil }
