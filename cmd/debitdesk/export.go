package main

import (
	"context"
	"errors"
	"os"

	"debitdesk/models/actor"
	bookout "debitdesk/models/leaving"
)

type exportCmds struct {
	Book exportBookCmd `cmd:"" help:"Write everything that a merchant owns into one ZIP: tables as CSV, evidence as files, and a manifest with rows, sums and SHA-256."`
}

type exportBookCmd struct {
	File     string `arg:"" help:"The ZIP to write; it must not exist yet."`
	Merchant string `required:"" placeholder:"SLUG" help:"Short name of the merchant."`
	Numbers  bool   `help:"Write account and identity numbers in full; they are masked otherwise. The audit keeps it."`
}

func (v *exportBookCmd) run(ctx context.Context, c Config, io streams) error {
	return onApp(ctx, c, io, func(a *App) (err error) {
		m, err := a.merchantNamed(ctx, v.Merchant)
		if err != nil {
			return err
		}
		file, err := newFile(v.File)
		if err != nil {
			return err
		}
		defer func() {
			if err != nil {
				err = errors.Join(err, os.Remove(v.File))
			}
		}()
		done, err := v.write(ctx, a, actor.OperatorOf(m.ID), file)
		if err = errors.Join(err, file.Close()); err != nil {
			return err
		}
		return printJSON(io.out, done)
	})
}

func (v *exportBookCmd) write(ctx context.Context, a *App, who actor.Actor, file *os.File) (bookout.Summary, error) {
	service, wish := a.Services.Leaving.Service, bookout.Wish{Numbers: v.Numbers}
	if err := service.Note(ctx, who, wish); err != nil {
		return bookout.Summary{}, err
	}
	b, err := service.Begin(ctx, who, wish, file)
	if err != nil {
		return bookout.Summary{}, err
	}
	defer b.Close()
	for more := true; more; {
		if more, err = b.Next(ctx); err != nil {
			return bookout.Summary{}, err
		}
	}
	return b.Done(), file.Sync()
}
