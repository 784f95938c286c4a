package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit/merkle"
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

func (v *auditCheckpointCmd) run(ctx context.Context, c Config, io streams) error {
	return onApp(ctx, c, io, func(a *App) error {
		m, err := a.merchantNamed(ctx, v.Merchant)
		if err != nil {
			return err
		}
		audits := a.Services.Audit
		if err := audits.Link(ctx); err != nil {
			return err
		}
		at, err := audits.Checkpoint(ctx, actor.OperatorOf(m.ID))
		if err != nil {
			return err
		}
		return a.writeProof(io, v.File, at.Text, at)
	})
}

func (v *auditInclusionCmd) run(ctx context.Context, c Config, io streams) error {
	id, err := uuid.Parse(v.Entry)
	if err != nil {
		return usageError{fmt.Errorf("%q is not the id of an entry", v.Entry)}
	}
	return onApp(ctx, c, io, func(a *App) error {
		m, err := a.merchantNamed(ctx, v.Merchant)
		if err != nil {
			return err
		}
		audits := a.Services.Audit
		if err := audits.Link(ctx); err != nil {
			return err
		}
		p, err := audits.Include(ctx, actor.OperatorOf(m.ID), id)
		if fault.Is(err, fault.NotFound) {
			return fmt.Errorf("%s has no entry %s", m.Slug, id)
		}
		if err != nil {
			return err
		}
		return a.writeProof(io, v.File, p.Text(), p.Checkpoint)
	})
}

func (v *auditConsistencyCmd) run(ctx context.Context, c Config, io streams) error {
	old, err := checkpointIn(v.Old)
	if err != nil {
		return err
	}
	return onApp(ctx, c, io, func(a *App) error {
		m, err := a.merchantNamed(ctx, v.Merchant)
		if err != nil {
			return err
		}
		audits := a.Services.Audit
		if err := audits.Link(ctx); err != nil {
			return err
		}
		p, err := audits.Since(ctx, actor.OperatorOf(m.ID), old)
		if err != nil {
			return err
		}
		return a.writeProof(io, v.File, p.Text(), p.Checkpoint)
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
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // as above
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s already exists: choose another name", name)
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	keys, err := a.Services.Audit.LogKeys(at.Origin)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(io.out, "%s\nthe log %s has %s\ncheck it with: debitdesk audit verify %s --key %s\n", name,
		at.Origin, plural.Of(at.Size, "entry"), name, keys[0])
	return err
}
