package merkle

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// Inclusion proves that a line is in the log. Its text has the form of C2SP tlog-proof; the line is the extra data.
type Inclusion struct {
	Line       []byte
	Index      int64
	Path       []Hash
	Checkpoint Checkpoint
}

// Growth proves that a log only grew since it had a size. Its text is what a witness of C2SP tlog-witness is sent.
type Growth struct {
	Old        int64
	Path       []Hash
	Checkpoint Checkpoint
}

// Problems in words.
var (
	ErrNoInclusion = errors.New("this is not a proof that an entry is in an audit log")
	ErrNoGrowth    = errors.New("this is not a proof that an audit log only grew")
	ErrNotIncluded = errors.New("the proof does not lead from the entry to the root of the checkpoint: " +
		"the entry, its place or the proof was changed")
	ErrNotGrown = errors.New("the log of the newer checkpoint does not begin with the log of the older one: " +
		"the history was rewritten, or the proof was changed")
)

// Include proves that the line is leaf index of the tree.
func (t Tree) Include(line []byte, index int64, at Checkpoint, kept Tiles) (Inclusion, error) {
	return t.Prover(at, kept).Include(line, index)
}

// Since proves that the tree begins with the one that it was at an older size.
func (t Tree) Since(old int64, at Checkpoint, kept Tiles) (Growth, error) {
	p := Growth{Old: old, Checkpoint: at}
	if old == 0 {
		return p, nil
	}
	path, err := tlog.ProveTree(t.Size, old, t.reader(kept))
	p.Path = path
	return p, err
}

// Check tells whether the proof leads to the root of its checkpoint. The signature is another question.
func (p Inclusion) Check() error {
	if p.Index < 0 || p.Index >= p.Checkpoint.Size ||
		tlog.CheckRecord(p.Path, p.Checkpoint.Size, p.Checkpoint.Root, p.Index, Leaf(p.Line)) != nil {
		return ErrNotIncluded
	}
	return nil
}

// Check tells whether the older checkpoint is a beginning of the newer one. Signatures are another question.
func (p Growth) Check(old Checkpoint) error {
	switch {
	case old.Origin != p.Checkpoint.Origin:
		return errors.New("the two checkpoints are of different logs")
	case old.Size != p.Old:
		return fmt.Errorf("the proof begins at size %d and the older checkpoint has size %d", p.Old, old.Size)
	case old.Size == 0:
		return nil
	case tlog.CheckTree(p.Path, p.Checkpoint.Size, p.Checkpoint.Root, old.Size, old.Root) != nil:
		return ErrNotGrown
	}
	return nil
}

const proofForm = "c2sp.org/tlog-proof@v1"

// Text is the proof as a file.
func (p Inclusion) Text() string {
	return proofForm + "\nextra " + base64.StdEncoding.EncodeToString(p.Line) + "\nindex " +
		strconv.FormatInt(p.Index, 10) + "\n" + pathText(p.Path) + "\n" + p.Checkpoint.Text
}

// Text is the proof as a file.
func (p Growth) Text() string {
	return "old " + strconv.FormatInt(p.Old, 10) + "\n" + pathText(p.Path) + "\n" + p.Checkpoint.Text
}

func pathText(path []Hash) string {
	var out strings.Builder
	for _, h := range path {
		out.WriteString(hashText(h) + "\n")
	}
	return out.String()
}

// ReadInclusion reads a proof from its file. Only what Text writes is taken.
func ReadInclusion(text string) (p Inclusion, err error) {
	head, checkpoint, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	if len(lines) < 3 || lines[0] != proofForm {
		return p, ErrNoInclusion
	}
	line, wrongLine := base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], "extra "))
	index, wrongIndex := strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64)
	path, wrongPath := readPath(lines[3:])
	c, wrongEnd := ReadCheckpoint(checkpoint)
	p = Inclusion{Line: line, Index: index, Path: path, Checkpoint: c}
	if errors.Join(wrongLine, wrongIndex, wrongPath, wrongEnd) != nil || p.Text() != text {
		return Inclusion{}, ErrNoInclusion
	}
	return p, nil
}

// ReadGrowth reads a proof from its file. Only what Text writes is taken.
func ReadGrowth(text string) (p Growth, err error) {
	head, checkpoint, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	old, wrongOld := strconv.ParseInt(strings.TrimPrefix(lines[0], "old "), 10, 64)
	path, wrongPath := readPath(lines[1:])
	c, wrongEnd := ReadCheckpoint(checkpoint)
	p = Growth{Old: old, Path: path, Checkpoint: c}
	if errors.Join(wrongOld, wrongPath, wrongEnd) != nil || p.Text() != text {
		return Growth{}, ErrNoGrowth
	}
	return p, nil
}

func readPath(lines []string) (path []Hash, err error) {
	for _, one := range lines {
		h, err := tlog.ParseHash(one)
		if err != nil {
			return nil, err
		}
		path = append(path, h)
	}
	return path, nil
}
