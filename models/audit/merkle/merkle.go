// Package merkle makes a merchant's audit a log that others can check: a Merkle tree over its lines as RFC 6962 hashes
// it, checkpoints in the form of signed notes, and proofs that a line is in the log and that the log only grew. It must
// not know what a line says, nor where tiles are kept.
package merkle

import (
	"crypto/sha256"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// Hash is the hash of a leaf or of a node.
type Hash = tlog.Hash

// Height is how many levels of the tree a tile holds: a full one holds 32 hashes, which is 1 kB.
const Height = 5

// Leaf is the hash of a line of the log.
func Leaf(line []byte) Hash { return tlog.RecordHash(line) }

// Tree is a merchant's log at some size.
type Tree struct {
	Origin string // the name of the log and of its keys
	First  int64  // the link of the chain that is leaf 0
	Size   int64
	Root   Hash
}

// Begin is the empty tree whose first leaf will be that link of the chain.
func Begin(origin string, first int64) Tree {
	return Tree{Origin: origin, First: first, Root: new(Frontier).Root()}
}

// Last is the link of the chain that the newest leaf is.
func (t Tree) Last() int64 { return t.First + t.Size - 1 }

// Tiles gives the tiles that are kept, each cut to its width.
type Tiles func(want []tlog.Tile) ([][]byte, error)

// Tile is a tile to be kept.
type Tile struct {
	Level  int
	N      int64
	Hashes []byte
}

// Append adds leaves. It gives the tree as it is then, and the tiles that changed. What it reads of the old tree is
// checked against the root.
func (t Tree) Append(leaves []Hash, kept Tiles) (Tree, []Tile, error) {
	if len(leaves) == 0 {
		return t, nil, nil
	}
	next, fresh := t, map[int64]Hash{}
	read := grown{fresh, t.reader(kept)}
	for _, leaf := range leaves {
		made, err := tlog.StoredHashesForRecordHash(next.Size, leaf, read)
		if err != nil {
			return t, nil, err
		}
		at := tlog.StoredHashIndex(0, next.Size)
		for i, h := range made {
			fresh[at+int64(i)] = h
		}
		next.Size++
	}
	root, err := tlog.TreeHash(next.Size, read)
	if err != nil {
		return t, nil, err
	}
	next.Root = root
	var tiles []Tile
	for _, one := range tlog.NewTiles(Height, t.Size, next.Size) {
		hashes, err := tlog.ReadTileData(one, read)
		if err != nil {
			return t, nil, err
		}
		tiles = append(tiles, Tile{Level: one.L, N: one.N, Hashes: hashes})
	}
	return next, tiles, nil
}

// grown reads hashes that were just made, and others from the tree of before.
type grown struct {
	fresh map[int64]Hash
	old   tlog.HashReader
}

// ReadHashes implements tlog.HashReader.
func (g grown) ReadHashes(indexes []int64) ([]Hash, error) {
	out := make([]Hash, len(indexes))
	var missing []int64
	var places []int
	for i, at := range indexes {
		if h, here := g.fresh[at]; here {
			out[i] = h
			continue
		}
		missing, places = append(missing, at), append(places, i)
	}
	if len(missing) == 0 {
		return out, nil
	}
	read, err := g.old.ReadHashes(missing)
	for i, h := range read {
		out[places[i]] = h
	}
	return out, err
}

// reader reads hashes of the tree from its tiles, and checks them against its root.
func (t Tree) reader(kept Tiles) tlog.HashReader {
	return tlog.TileHashReader(tlog.Tree{N: t.Size, Hash: t.Root}, &tileReader{kept: kept, known: map[tlog.Tile][]byte{}})
}

// tileReader asks for each tile once.
type tileReader struct {
	kept  Tiles
	known map[tlog.Tile][]byte
}

// Height implements tlog.TileReader.
func (*tileReader) Height() int { return Height }

// SaveTiles implements tlog.TileReader: only what fits the root is remembered.
func (r *tileReader) SaveTiles(tiles []tlog.Tile, data [][]byte) {
	for i, one := range tiles {
		r.known[one] = data[i]
	}
}

// ReadTiles implements tlog.TileReader.
func (r *tileReader) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	out := make([][]byte, len(tiles))
	var missing []tlog.Tile
	var places []int
	for i, one := range tiles {
		if data, here := r.known[one]; here {
			out[i] = data
			continue
		}
		missing, places = append(missing, one), append(places, i)
	}
	if len(missing) == 0 {
		return out, nil
	}
	data, err := r.kept(missing)
	for i, one := range data {
		out[places[i]] = one
	}
	return out, err
}

// Frontier follows a log from leaf to leaf and knows its root at each size. Its zero value is the empty log.
type Frontier struct {
	Size  int64
	Peaks []Hash // the roots of the full subtrees, the largest first
}

// Add adds a leaf.
func (f *Frontier) Add(leaf Hash) {
	f.Peaks = append(f.Peaks, leaf)
	for n := f.Size; n&1 == 1; n >>= 1 {
		last := len(f.Peaks) - 1
		f.Peaks = append(f.Peaks[:last-1], tlog.NodeHash(f.Peaks[last-1], f.Peaks[last]))
	}
	f.Size++
}

// Root is the root of the tree over all leaves so far.
func (f *Frontier) Root() Hash {
	if len(f.Peaks) == 0 {
		return sha256.Sum256(nil)
	}
	last := len(f.Peaks) - 1
	root := f.Peaks[last]
	for i := last - 1; i >= 0; i-- {
		root = tlog.NodeHash(f.Peaks[i], root)
	}
	return root
}

// Fits tells whether there are as many peaks as a log of that size has.
func (f *Frontier) Fits() bool { return f.Size >= 0 && len(f.Peaks) == len(peaksOf(f.Size)) }

// peaksOf are the places of the full subtrees of a log.
func peaksOf(size int64) (indexes []int64) {
	for level, rest := 62, int64(0); level >= 0; level-- {
		if size&(1<<level) != 0 {
			indexes = append(indexes, tlog.StoredHashIndex(level, rest>>level))
			rest += 1 << level
		}
	}
	return indexes
}

// Frontier gives the frontier of the tree when it had that size.
func (t Tree) Frontier(size int64, kept Tiles) (Frontier, error) {
	if size == 0 {
		return Frontier{}, nil
	}
	if size < 0 || size > t.Size {
		return Frontier{}, fmt.Errorf("a log of %d leaves never had %d", t.Size, size)
	}
	peaks, err := t.reader(kept).ReadHashes(peaksOf(size))
	return Frontier{Size: size, Peaks: peaks}, err
}

// Leaves gives the hashes of some leaves.
func (t Tree) Leaves(at []int64, kept Tiles) ([]Hash, error) {
	indexes := make([]int64, len(at))
	for i, n := range at {
		if n < 0 || n >= t.Size {
			return nil, fmt.Errorf("a log of %d leaves has no leaf %d", t.Size, n)
		}
		indexes[i] = tlog.StoredHashIndex(0, n)
	}
	if len(at) == 0 {
		return nil, nil
	}
	return t.reader(kept).ReadHashes(indexes)
}
