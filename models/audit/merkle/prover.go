package merkle

import "golang.org/x/mod/sumdb/tlog"

// Prover proves that lines are in one tree. It reads each tile once.
type Prover struct {
	tree Tree
	at   Checkpoint
	read tlog.HashReader
}

// Prover proves by the checkpoint of the tree.
func (t Tree) Prover(at Checkpoint, kept Tiles) Prover { return Prover{t, at, t.reader(kept)} }

// Include proves that the line is leaf index of the tree.
func (p Prover) Include(line []byte, index int64) (Inclusion, error) {
	path, err := tlog.ProveRecord(p.tree.Size, index, p.read)
	out := Inclusion{Line: line, Index: index, Path: path, Checkpoint: p.at}
	if err != nil {
		return out, err
	}
	return out, out.Check()
}
