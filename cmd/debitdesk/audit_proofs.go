package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit/merkle"
	"debitdesk/models/audit/trail"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
)

type auditCheckpointCmd struct {
	File     string `arg:"" optional:"" default:"-" help:"Where to write it, - for standard output; it must not exist yet."`
	Merchant string `required:"" placeholder:"SLUG" help:"Short name of the merchant."`
}

type auditInclusionCmd struct {
	Entry    string `arg:"" help:"Id of the entry, as its page and the exported audit show it."`
	File     string `arg:"" help:"Where to write it, - for standard output; it must not exist yet."`
	Merchant string `required:"" placeholder:"SLUG" help:"Short name of the merchant."`
}

type auditConsistencyCmd struct {
	Old      string `arg:"" help:"File of the older checkpoint."`
	File     string `arg:"" help:"Where to write it, - for standard output; it must not exist yet."`
	Merchant string `required:"" placeholder:"SLUG" help:"Short name of the merchant."`
}

// saying is what a log says, as a file: the text of a proof or of a checkpoint, and the checkpoint that it leads to.
type saying func(context.Context, *trail.Service, actor.Actor) (text string, at merkle.Checkpoint, err error)

func (v *auditCheckpointCmd) run(ctx context.Context, c Config, io streams) error {
	return onLog(ctx, c, io, v.Merchant, v.File,
		func(ctx context.Context, log *trail.Service, who actor.Actor) (string, merkle.Checkpoint, error) {
			at, err := log.Checkpoint(ctx, who)
			return at.Text, at, err
		})
}

func (v *auditInclusionCmd) run(ctx context.Context, c Config, io streams) error {
	id, err := uuid.Parse(v.Entry)
	if err != nil {
		return usageError{fmt.Errorf("%q is not the id of an entry", v.Entry)}
	}
	return onLog(ctx, c, io, v.Merchant, v.File,
		func(ctx context.Context, log *trail.Service, who actor.Actor) (string, merkle.Checkpoint, error) {
			p, err := log.Include(ctx, who, id)
			if fault.Is(err, fault.NotFound) {
				err = fmt.Errorf("%s has no entry %s", v.Merchant, id)
			}
			return p.Text(), p.Checkpoint, err
		})
}

func (v *auditConsistencyCmd) run(ctx context.Context, c Config, io streams) error {
	old, err := checkpointIn(v.Old)
	if err != nil {
		return err
	}
	return onLog(ctx, c, io, v.Merchant, v.File,
		func(ctx context.Context, log *trail.Service, who actor.Actor) (string, merkle.Checkpoint, error) {
			p, err := log.Since(ctx, who, old)
			return p.Text(), p.Checkpoint, err
		})
}

// onLog brings the log of a merchant up to date and writes what is asked of it.
func onLog(ctx context.Context, c Config, io streams, merchant, file string, ask saying) error {
	return onApp(ctx, c, io, func(a *App) error {
		m, err := a.merchantNamed(ctx, merchant)
		if err != nil {
			return err
		}
		if err := a.Services.Audit.Link(ctx); err != nil {
			return err
		}
		text, at, err := ask(ctx, a.Services.Audit, actor.OperatorOf(m.ID))
		if err != nil {
			return err
		}
		return a.writeProof(io, file, text, at)
	})
}

// checkpointIn reads a checkpoint from a file.
func checkpointIn(name string) (merkle.Checkpoint, error) {
	text, err := os.ReadFile(name) //nolint:gosec // the file that was named
	if err != nil {
		return merkle.Checkpoint{}, err
	}
	at, err := merkle.ReadCheckpoint(string(text))
	if err != nil {
		return at, fmt.Errorf("%s: %w", name, err)
	}
	return at, nil
}

// writeProof writes a proof or a checkpoint, and says with which key it is checked.
func (a *App) writeProof(io streams, name, text string, at merkle.Checkpoint) error {
	if name == "-" {
		_, err := fmt.Fprint(io.out, text)
		return err
	}
	if err := writeNew(name, strings.NewReader(text)); err != nil {
		return err
	}
	keys, err := a.Services.Audit.LogKeys(at.Origin)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(io.out, "%s\nthe log %s has %s\ncheck it with: debitdesk audit verify %s --key %s\n", name,
		at.Origin, plural.Of(at.Size, "entry"), name, keys[0])
	return err
}
