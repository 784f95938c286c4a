package trail

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/audit/merkle"
)

// PackFile is one file of an audit pack.
type PackFile struct {
	Name    string // letters, digits, points, hyphens and slashes
	Content []byte
}

// MandatePack is everything about one mandate that an outsider is given: its files, and what the audit knows of it.
type MandatePack struct {
	Reference string // of the contract
	MandateID uuid.UUID
	Purchases []uuid.UUID // under the mandate; their entries are in the pack, too
	Files     []PackFile
}

// Names of files that each pack has.
const (
	packManifest   = "MANIFEST"
	packCheckpoint = "audit/checkpoint"
	packKeys       = "audit/keys"
	packEntries    = "audit/entries.jsonl"
	packProofs     = "audit/proofs/"
)

const packReadMe = `Audit pack of mandate %s

MANIFEST              the files of this pack with their SHA-256, as a signed note
audit/checkpoint      size and root of the log, as a signed note (C2SP tlog-checkpoint)
audit/keys            public keys of the log: ask the business which one is theirs
audit/entries.jsonl   what the audit holds about this mandate, one entry on each line
audit/proofs/         for each of these lines, the proof that it is in the log (C2SP tlog-proof)

Check it all:  debitdesk audit verify FILE --key KEY
A leaf of the log is SHA-256 over a zero byte and the line without its end, as RFC 6962 has it.
`

// WritePack writes the audit pack of a mandate as a ZIP, and keeps in the audit that it was taken out.
func (k *Service) WritePack(ctx context.Context, who actor.Actor, p MandatePack, to io.Writer) error {
	if err := who.May(actor.Manage); err != nil {
		return err
	}
	if err := k.Store.keepTaken(ctx, who, p); err != nil {
		return err
	}
	l, at, err := k.current(ctx, who)
	if err != nil {
		return err
	}
	files := append([]PackFile{{"README.txt", fmt.Appendf(nil, packReadMe, p.Reference)}}, p.Files...)
	proven, err := k.proven(ctx, l, at, p)
	if err != nil {
		return err
	}
	keys, err := k.LogKeys(l.Origin)
	if err != nil {
		return err
	}
	files = append(files, PackFile{packCheckpoint, []byte(at.Text)},
		PackFile{packKeys, []byte(strings.Join(keys, "\n") + "\n")})
	files = append(files, proven...)
	made := k.Store.Now().UTC().Truncate(time.Second)
	signed, err := merkle.SignNote(l.Origin, manifestOf(p, l.Origin, made, files).text(), k.Signer)
	if err != nil {
		return err
	}
	return zipped(to, made, append([]PackFile{{packManifest, []byte(signed)}}, files...))
}

// proven are the entries about a mandate, with a proof for each.
func (k *Service) proven(ctx context.Context, l log, at merkle.Checkpoint, p MandatePack) ([]PackFile, error) {
	var failed error
	prover := l.Prover(at, k.Store.tiles(ctx, l.merchantID, &failed))
	lines := PackFile{Name: packEntries}
	var proofs []PackFile
	err := k.Store.about(ctx, l, append([]uuid.UUID{p.MandateID}, p.Purchases...), func(one entered) error {
		line, err := leafLine(one.Link, one.entry)
		if err != nil {
			return err
		}
		proof, err := prover.Include(line, one.N-l.First)
		if failed != nil {
			return failed
		}
		if err != nil {
			return k.refuse(ctx, l, one.N, wrongEntry(one))
		}
		lines.Content = append(append(lines.Content, line...), '\n')
		proofs = append(proofs, PackFile{proofName(one.Link), []byte(proof.Text())})
		return nil
	})
	return append([]PackFile{lines}, proofs...), err
}

func proofName(l audit.Link) string { return fmt.Sprintf("%s%09d.tlog-proof", packProofs, l.N) }

func zipped(to io.Writer, made time.Time, files []PackFile) error {
	out := zip.NewWriter(to)
	for _, f := range files {
		w, err := out.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: made})
		if err == nil {
			_, err = w.Write(f.Content)
		}
		if err != nil {
			return err
		}
	}
	return out.Close()
}

// manifest says what is in a pack.
type manifest struct {
	reference, mandate, origin, made string
	files                            []listed
}

type listed struct {
	sum  string // SHA-256 in hexadecimal
	size int
	name string
}

func listedOf(f PackFile) listed {
	return listed{fmt.Sprintf("%x", sha256.Sum256(f.Content)), len(f.Content), f.Name}
}

func manifestOf(p MandatePack, origin string, made time.Time, files []PackFile) manifest {
	m := manifest{p.Reference, p.MandateID.String(), origin, made.Format(time.RFC3339), nil}
	for _, f := range files {
		m.files = append(m.files, listedOf(f))
	}
	return m
}

const manifestForm = "debitdesk mandate pack 1"

func (m manifest) text() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\nlog %s\nmandate %s\nreference %s\nmade %s\n", manifestForm, m.origin, m.mandate, m.reference,
		m.made)
	for _, f := range m.files {
		fmt.Fprintf(&out, "file %s %d %s\n", f.sum, f.size, f.name)
	}
	return out.String()
}
