package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit/trail"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/plural"
)

type auditCmd struct {
	Verify      auditVerifyCmd      `cmd:"" help:"Check the chain of the audit and its log, or a file: an exported chain, a checkpoint or a proof; exit code 1 at the first thing that does not hold."`
	Export      auditExportCmd      `cmd:"" help:"Write the chain of a merchant to a file that can be checked without the database."`
	Checkpoint  auditCheckpointCmd  `cmd:"" help:"Write the newest checkpoint of a merchant’s log: its size and root, signed."`
	Inclusion   auditInclusionCmd   `cmd:"" help:"Write a proof that an entry is in a merchant’s log."`
	Consistency auditConsistencyCmd `cmd:"" help:"Write a proof that a merchant’s log only grew since an older checkpoint."`
	Accept      auditAcceptCmd      `cmd:"" help:"Accept a chain as it stands after an alarm, or after an older database was restored: waiting entries are linked and the alarm ends. With several machines, run it once on each."`
}

type auditAcceptCmd struct {
	Merchant string `required:"" placeholder:"SLUG" help:"Short name of the merchant."`
	Reason   string `required:"" help:"The cause that you found; it is kept in the audit."`
}

func (v *auditAcceptCmd) run(ctx context.Context, c Config, io streams) error {
	return onApp(ctx, c, io, func(a *App) error {
		m, err := a.merchantNamed(ctx, v.Merchant)
		if err != nil {
			return err
		}
		h, err := a.Services.Audit.Accept(ctx, actor.OperatorOf(m.ID), m.ID, v.Reason)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(io.out, "%s: accepted as it stands, %s\n", m.Slug, plural.Of(h.N, "link"))
		return errors.Join(err, a.Services.Audit.Link(ctx))
	})
}

type auditVerifyCmd struct {
	File     string   `arg:"" optional:"" help:"An exported chain, a checkpoint or a proof: it is checked without the database."`
	Merchant string   `placeholder:"SLUG" help:"Only this merchant; all of them when left out."`
	Since    string   `placeholder:"FILE" help:"An older checkpoint that the log of the file must begin with."`
	Key      []string `placeholder:"KEY" help:"Public key of the log, as its page shows it; else those of the key file here."`
}

func (v *auditVerifyCmd) run(ctx context.Context, c Config, io streams) error {
	switch {
	case v.File != "" && v.Merchant != "":
		return usageError{errors.New("a file holds one merchant: leave --merchant out")}
	case v.File == "" && (v.Since != "" || len(v.Key) > 0):
		return usageError{errors.New("--since and --key are for a file")}
	case v.File != "":
		return v.offline(c, io)
	}
	return onApp(ctx, c, io, func(a *App) error {
		audits := a.Services.Audit
		if err := audits.Link(ctx); err != nil {
			return err
		}
		checked, err := v.walk(ctx, a, audits)
		if err != nil {
			return err
		}
		var broken []error
		for _, one := range checked {
			m, err := merchant.Store{DB: a.Store}.Merchant(ctx, one.MerchantID)
			if err != nil {
				return err
			}
			if one.Holds() {
				past := ""
				if one.Dropped > 0 {
					past = fmt.Sprintf(" (the first %d were dropped after their time)", one.Dropped)
				}
				_, _ = fmt.Fprintf(io.out, "%s: %s, the chain holds%s\n", m.Slug, plural.Of(one.Links, "entry"), past)
				continue
			}
			broken = append(broken, fmt.Errorf("%s: broken at link %d: %s", m.Slug, one.Broken, one.Why))
		}
		return errors.Join(broken...)
	})
}

func (v *auditVerifyCmd) walk(ctx context.Context, a *App, audits *trail.Service) ([]trail.Checked, error) {
	if v.Merchant == "" {
		return audits.VerifyAll(ctx, actor.OperatorOf(uuid.Nil))
	}
	m, err := a.merchantNamed(ctx, v.Merchant)
	if err != nil {
		return nil, err
	}
	one, err := audits.Verify(ctx, actor.OperatorOf(m.ID))
	return []trail.Checked{one}, err
}

// merchantNamed finds a merchant by its short name.
func (a *App) merchantNamed(ctx context.Context, slug string) (merchant.Merchant, error) {
	m, err := merchant.Store{DB: a.Store}.MerchantBySlug(ctx, slug)
	if fault.Is(err, fault.NotFound) {
		return m, fmt.Errorf("there is no merchant %q", slug)
	}
	return m, err
}
