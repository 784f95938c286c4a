package merkle_test

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/transparency-dev/formats/log"
	foreign "github.com/transparency-dev/formats/proof"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"debitdesk/models/audit/merkle"
)

type signer struct{ ed25519.PrivateKey }

func (s signer) Sign(data []byte) (string, []byte) { return "k", ed25519.Sign(s.PrivateKey, data) }
func (signer) Check(string, []byte, []byte) bool   { return false }
func (s signer) Public() map[string][]byte         { return map[string][]byte{"k": s.public()} }
func (s signer) public() []byte                    { return s.PrivateKey.Public().(ed25519.PublicKey) }
func signerOf(seed byte) signer {
	return signer{ed25519.NewKeyFromSeed(append(make([]byte, 31), seed))}
}
func leafAt(n int) []byte { return fmt.Appendf(nil, `{"n":%d}`, n) }
func raw(path []merkle.Hash) (out [][]byte) {
	for _, h := range path {
		out = append(out, h[:])
	}
	return out
}

// grove keeps the tiles of one log, and each tree that it was.
type grove struct {
	trees []merkle.Tree
	tiles map[[2]int64][]byte
}

func (g *grove) kept(want []tlog.Tile) (out [][]byte, err error) {
	for _, one := range want {
		data := g.tiles[[2]int64{int64(one.L), one.N}]
		if len(data) < one.W*tlog.HashSize {
			return nil, errors.New("no such tile")
		}
		out = append(out, data[:one.W*tlog.HashSize])
	}
	return out, nil
}

// grow makes a log of so many leaves, in steps of different lengths.
func grow(t *testing.T, size int) *grove {
	t.Helper()
	g := &grove{trees: []merkle.Tree{merkle.Begin("one", 1)}, tiles: map[[2]int64][]byte{}}
	for at, step := 0, 1; at < size; at, step = at+step, step%7+1 {
		step = min(step, size-at)
		var leaves []merkle.Hash
		for i := range step {
			leaves = append(leaves, merkle.Leaf(leafAt(at+i)))
		}
		next, tiles, err := g.trees[len(g.trees)-1].Append(leaves, g.kept)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range tiles {
			place := [2]int64{int64(one.Level), one.N}
			if !strings.HasPrefix(string(one.Hashes), string(g.tiles[place])) {
				t.Fatalf("tile %v does not begin with what it was", place)
			}
			g.tiles[place] = one.Hashes
		}
		g.trees = append(g.trees, next)
	}
	return g
}

func (g *grove) newest() merkle.Tree { return g.trees[len(g.trees)-1] }

// The vectors that the authors of RFC 6962 test their own log with.
func TestRootsAreThoseOfRFC6962(t *testing.T) {
	t.Parallel()
	leaves := []string{"", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"}
	roots := []string{"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
		"fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
		"aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
		"d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
		"4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
		"76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
		"ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
		"5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"}
	var f merkle.Frontier
	tree := merkle.Begin("one", 1)
	g := &grove{tiles: map[[2]int64][]byte{}}
	for i, want := range roots {
		if got := f.Root(); hex.EncodeToString(got[:]) != want || tree.Root != got || !f.Fits() {
			t.Errorf("size %d: %x and %x; want %s", i, got, tree.Root, want)
		}
		if i == len(leaves) {
			break
		}
		line, _ := hex.DecodeString(leaves[i])
		f.Add(merkle.Leaf(line))
		next, tiles, err := tree.Append([]merkle.Hash{merkle.Leaf(line)}, g.kept)
		if err != nil {
			t.Fatal(err)
		}
		for tree = next; len(tiles) > 0; tiles = tiles[1:] {
			g.tiles[[2]int64{int64(tiles[0].Level), tiles[0].N}] = tiles[0].Hashes
		}
	}
}

func TestAForeignVerifierAgreesWithEveryProof(t *testing.T) {
	t.Parallel()
	g, by := grow(t, 70), signerOf(1)
	tree := g.newest()
	at, err := merkle.Sign(tree, by)
	if err != nil {
		t.Fatal(err)
	}
	key, _ := merkle.Key(at.Origin, by.public())
	known, err := note.NewVerifier(key)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 70 {
		p, err := tree.Include(leafAt(i), int64(i), at, g.kept)
		if err != nil {
			t.Fatal(err)
		}
		var read foreign.TLogProof
		if err := read.Unmarshal([]byte(p.Text())); err != nil {
			t.Fatal(err)
		}
		head, _, _, err := log.ParseCheckpoint(read.Checkpoint, at.Origin, known)
		if err != nil || string(read.ExtraData) != string(leafAt(i)) {
			t.Fatalf("%v %s", err, read.ExtraData)
		}
		path := make([][]byte, len(read.Hashes))
		for i, h := range read.Hashes {
			path[i] = h[:]
		}
		if err := proof.VerifyInclusion(rfc6962.DefaultHasher, read.Index, head.Size,
			rfc6962.DefaultHasher.HashLeaf(read.ExtraData), path, head.Hash); err != nil {
			t.Errorf("leaf %d: %v", i, err)
		}
	}
	for _, old := range g.trees[1:] {
		before, _ := merkle.Sign(old, by)
		p, err := tree.Since(old.Size, at, g.kept)
		if err != nil || p.Check(before) != nil {
			t.Fatal(err, p.Check(before))
		}
		if err := proof.VerifyConsistency(rfc6962.DefaultHasher, uint64(old.Size), uint64(tree.Size), raw(p.Path),
			old.Root[:], tree.Root[:]); err != nil {
			t.Errorf("since size %d: %v", old.Size, err)
		}
	}
}

// Each byte of a proof's file counts.
func TestAProofOfWhichAnyByteWasChangedIsRefused(t *testing.T) {
	t.Parallel()
	g, by := grow(t, 9), signerOf(1)
	at, _ := merkle.Sign(g.newest(), by)
	before, _ := merkle.Sign(g.trees[2], by)
	key, _ := merkle.Key(at.Origin, by.public())
	included, err := g.newest().Include(leafAt(5), 5, at, g.kept)
	if err != nil {
		t.Fatal(err)
	}
	grown, err := g.newest().Since(before.Size, at, g.kept)
	if err != nil {
		t.Fatal(err)
	}
	opens := func(c merkle.Checkpoint) error { _, err := merkle.OpenCheckpoint(c.Text, []string{key}); return err }
	for name, check := range map[string]struct {
		text  string
		check func(text string) error
	}{
		"checkpoint": {at.Text, func(text string) error { _, err := merkle.OpenCheckpoint(text, []string{key}); return err }},
		"inclusion": {included.Text(), func(text string) error {
			p, err := merkle.ReadInclusion(text)
			if err != nil {
				return err
			}
			return errors.Join(p.Check(), opens(p.Checkpoint))
		}},
		"growth": {grown.Text(), func(text string) error {
			p, err := merkle.ReadGrowth(text)
			if err != nil {
				return err
			}
			return errors.Join(p.Check(before), opens(p.Checkpoint))
		}},
	} {
		if err := check.check(check.text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		lines := strings.SplitAfter(check.text, "\n")
		for i := range check.text {
			changed := []byte(check.text)
			changed[i] ^= 1
			if check.check(string(changed)) == nil {
				t.Errorf("%s: byte %d (%q) may be changed", name, i, check.text[i])
			}
		}
		for i := range lines[:len(lines)-1] {
			if check.check(strings.Join(lines[:i], "")+strings.Join(lines[i+1:], "")) == nil {
				t.Errorf("%s: line %d may be left out", name, i+1)
			}
			twice := check.check(strings.Join(lines[:i+1], "")+strings.Join(lines[i:], "")) == nil
			if twice && i < len(lines)-2 { // the last line is the signature: twice it says nothing new
				t.Errorf("%s: line %d may stand twice", name, i+1)
			}
		}
	}
}

func TestARewrittenHistoryIsTold(t *testing.T) {
	t.Parallel()
	by, g := signerOf(1), grow(t, 40)
	before, _ := merkle.Sign(g.trees[5], by)
	other := &grove{tiles: map[[2]int64][]byte{}}
	var leaves []merkle.Hash
	for i := range 40 {
		line := leafAt(i)
		if i == 3 {
			line = []byte("Nothing happened.")
		}
		leaves = append(leaves, merkle.Leaf(line))
	}
	forged, tiles, err := merkle.Begin("one", 1).Append(leaves, other.kept)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range tiles {
		other.tiles[[2]int64{int64(one.Level), one.N}] = one.Hashes
	}
	after, _ := merkle.Sign(forged, by)
	p, err := forged.Since(before.Size, after, other.kept)
	if err != nil || !errors.Is(p.Check(before), merkle.ErrNotGrown) {
		t.Errorf("%v, %v", err, p.Check(before))
	}
	if _, _, err := g.newest().Append(leaves[:1], other.kept); err == nil {
		t.Error("a log was continued from hashes that are not its own")
	}
	if _, err := g.newest().Include([]byte("forged"), 3, after, g.kept); !errors.Is(err, merkle.ErrNotIncluded) {
		t.Errorf("a proof of another line: %v", err)
	}
}

func TestAFrontierOfAnySizeGoesOnToTheSameRoot(t *testing.T) {
	t.Parallel()
	g := grow(t, 67)
	for size := range int64(68) {
		f, err := g.newest().Frontier(size, g.kept)
		if err != nil || !f.Fits() {
			t.Fatal(size, err)
		}
		for i := size; i < 67; i++ {
			f.Add(merkle.Leaf(leafAt(int(i))))
		}
		if f.Root() != g.newest().Root {
			t.Errorf("from %d: another root", size)
		}
	}
}
