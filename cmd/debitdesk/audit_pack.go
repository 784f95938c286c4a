package main

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"debitdesk/cmd/app"
	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/audit/trail"
	"debitdesk/models/database"
	"debitdesk/models/plural"
)

type auditExportCmd struct {
	File     string `arg:"" help:"Where to write it; it must not exist yet."`
	Merchant string `required:"" placeholder:"SLUG" help:"Short name of the merchant."`
}

func (v *auditExportCmd) run(ctx context.Context, c Config, io streams) error {
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
			if err = errors.Join(err, file.Close()); err != nil {
				err = errors.Join(err, os.Remove(v.File))
			}
		}()
		who := actor.OperatorOf(m.ID)
		if err := a.Store.InTx(ctx, func(tx *database.Tx) error {
			tx.Audit(who, audit.Entry{Action: "audit.exported", ObjectType: "merchant", ObjectID: m.ID,
				Text: "The record of who did what was exported with its chain."})
			return nil
		}); err != nil {
			return err
		}
		if err := a.Services.Audit.Link(ctx); err != nil {
			return err
		}
		signer := app.HeadSigner(a.Keys.Signing)
		n, err := a.Services.Audit.Export(ctx, who, m.Slug, signer.Public(), file)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(io.out, "%s\n%s of %s; check them with: debitdesk audit verify %s\n", v.File,
			plural.Of(n, "link"), m.Slug, v.File)
		return err
	})
}

// pack checks an exported chain. Where the key file of the installation is at hand, its keys must have signed it; else
// the key that the file names is shown, to be compared.
func (v *auditVerifyCmd) pack(file io.Reader, keys logKeys, io streams) error {
	since, err := v.since()
	if err != nil {
		return err
	}
	found, err := trail.CheckPack(file, since, func(keyID string, public, data, signature []byte) bool {
		if mine, known := keys.ours[keyID]; known {
			public = mine
		}
		return len(public) == ed25519.PublicKeySize && ed25519.Verify(public, data, signature)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", v.File, err)
	}
	if found.Why != "" && found.Broken == 0 {
		return fmt.Errorf("%s: %s", v.File, found.Why)
	}
	if !found.Holds() {
		return fmt.Errorf("%s: broken at link %d: %s", found.Merchant, found.Broken, found.Why)
	}
	said := fmt.Sprintf("%s: %s, the chain holds", found.Merchant, plural.Of(found.Links, "entry"))
	if found.Dropped > 0 {
		said += fmt.Sprintf(" (the first %d were dropped after their time)", found.Dropped)
	}
	fingerprint := sha256.Sum256(found.Public)
	said += fmt.Sprintf("; exported %s, signed with key %s", found.MadeAt.UTC().Format("2006-01-02 15:04 UTC"),
		found.KeyID)
	whose := "which the file itself names: compare its fingerprint with the one that the installation shows"
	if _, known := keys.ours[found.KeyID]; known {
		whose = "which is in the key file here"
	}
	if len(keys.given) > 0 {
		if !keys.names(found.Log.Origin, found.Public) {
			return fmt.Errorf("%s: it is not signed with the key that was given", v.File)
		}
		whose = "which is the one that was given"
	}
	said += fmt.Sprintf(", %s (fingerprint %s)", whose, hex.EncodeToString(fingerprint[:]))
	if found.Unsigned {
		said += "; an earlier release exported it: the chain is signed, the name of the business and the time of the " +
			"export are not"
	}
	if found.Log.Size > 0 {
		said += fmt.Sprintf("; they lead to the checkpoint of %s with %s", found.Log.Origin,
			plural.Of(found.Log.Size, "entry"))
	}
	if since != nil {
		said += fmt.Sprintf(", which begins with what the older checkpoint of %s held", plural.Of(since.Size, "entry"))
	}
	_, err = fmt.Fprintln(io.out, said)
	return err
}
