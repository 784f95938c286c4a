package main

import (
	"context"
	"io"
)

type demoCmd struct {
	JSON    bool `name:"json" help:"Print one line of JSON."`
	Clients int  `default:"50" help:"How many clients."`
}

func (d *demoCmd) run(ctx context.Context, c Config, io streams) error { return nil }

func (a *App) welcome(ctx context.Context, baseURL string, out io.Writer) error { return nil }
