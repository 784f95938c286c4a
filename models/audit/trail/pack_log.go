package trail

import (
	"context"
	"fmt"

	"golang.org/x/mod/sumdb/note"

	"debitdesk/models/audit"
	"debitdesk/models/audit/merkle"
)

// packLog is the log of an exported chain: its newest checkpoint, and the peaks of what came before the first line.
type packLog struct {
	First      int64    `json:"first"` // the link that is leaf 0
	Checkpoint string   `json:"checkpoint"`
	Before     [][]byte `json:"before,omitempty"` // roots of the full subtrees left of the first line, the largest first
}

// packLog writes down the log of a chain that is exported from its base on; nil while there is none.
func (k *Service) packLog(ctx context.Context, l log, base audit.Base) (*packLog, logCheck, error) {
	c, why, err := k.begin(ctx, l, base)
	if err == nil && why != "" {
		err = k.refuse(ctx, l, l.Last(), why)
	}
	if err != nil || l.Size == 0 {
		return nil, c, err
	}
	out := &packLog{First: l.First, Checkpoint: l.checkpoint}
	for _, peak := range c.at.Peaks {
		out.Before = append(out.Before, peak[:])
	}
	return out, c, nil
}

// SignedBy tells whether a signature is that of a key, whose public half stands in the file.
type SignedBy func(keyID string, public, data, signature []byte) bool

// fileLog follows the lines of a file and compares them with its checkpoint.
type fileLog struct {
	first int64
	end   merkle.Checkpoint
	since *merkle.Checkpoint // an older checkpoint that the log must begin with; nil: none
	at    merkle.Frontier
}

// log opens the log of a file; nil when the file has none. What does not fit is told in words.
func (h packHead) log(since *merkle.Checkpoint, check SignedBy) (f *fileLog, why string) {
	if h.Log == nil {
		if since != nil {
			return nil, "The file has no checkpoint that an older one could be compared with."
		}
		return nil, ""
	}
	f = &fileLog{first: h.Log.First, since: since, at: merkle.Frontier{Size: h.Base.N + 1 - h.Log.First}}
	for _, peak := range h.Log.Before {
		var one merkle.Hash
		if copy(one[:], peak) != len(peak) || len(peak) != len(one) {
			return nil, "The hashes before the first line cannot be read."
		}
		f.at.Peaks = append(f.at.Peaks, one)
	}
	if !f.at.Fits() {
		return nil, "The hashes before the first line are not as many as the log had then."
	}
	var err error
	if f.end, err = h.open(h.Log.Checkpoint, check); err != nil {
		return nil, "The file’s checkpoint: " + err.Error() + "."
	}
	return f, f.comparable(h, check)
}

func (f *fileLog) comparable(h packHead, check SignedBy) string {
	if f.since == nil {
		return ""
	}
	_, err := h.open(f.since.Text, check)
	switch {
	case err != nil:
		return "The older checkpoint: " + err.Error() + "."
	case f.since.Origin != f.end.Origin:
		return fmt.Sprintf("The older checkpoint is of another log, %s.", f.since.Origin)
	case f.since.Size > f.end.Size:
		return fmt.Sprintf("The older checkpoint has %d entries and the log of this file has %d.", f.since.Size, f.end.Size)
	case f.since.Size < f.at.Size:
		return fmt.Sprintf("The file begins with entry %d of the log, and the older checkpoint has %d: "+
			"ask for a proof since that checkpoint.", f.at.Size+1, f.since.Size)
	}
	return f.passed()
}

// open reads a checkpoint that a key of the file signed.
func (h packHead) open(text string, check SignedBy) (merkle.Checkpoint, error) {
	at, err := merkle.ReadCheckpoint(text)
	if err != nil {
		return at, err
	}
	var known []note.Verifier
	for id, public := range h.Keys {
		if v, err := merkle.Verifier(at.Origin, public, func(data, signature []byte) bool {
			return check(id, public, data, signature)
		}); err == nil {
			known = append(known, v)
		}
	}
	_, err = merkle.OpenBy(text, known)
	return at, err
}

// passed compares the log with the older checkpoint once it has its size.
func (f *fileLog) passed() string {
	if f.since != nil && f.at.Size == f.since.Size && f.at.Root() != f.since.Root {
		return "The log does not begin with what the older checkpoint held: the history was rewritten."
	}
	return ""
}

// see takes the next line.
func (f *fileLog) see(line packLink, raw []byte) string {
	if f == nil || f.at.Size >= f.end.Size || line.N != f.first+f.at.Size {
		return ""
	}
	leaf := merkle.Leaf(raw)
	if line.Leaf != nil { // its entry was dropped after its time
		copy(leaf[:], line.Leaf)
	}
	f.at.Add(leaf)
	return f.passed()
}

// finish tells in words what does not fit at the end of the file.
func (f *fileLog) finish() string {
	switch {
	case f == nil:
		return ""
	case f.at.Size < f.end.Size:
		return fmt.Sprintf("The checkpoint has %d entries; the file leads to %d.", f.end.Size, f.at.Size)
	case f.at.Root() != f.end.Root:
		return "The lines do not lead to the root of the checkpoint: one of them was rewritten after it was logged."
	}
	return ""
}
