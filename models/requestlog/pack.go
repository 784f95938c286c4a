package requestlog

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Bodies are what was asked and what was answered.
type Bodies struct{ Request, Answer string }

// packing is the first byte of packed bodies; another one may come one day.
const packing = 1

// deflaters are kept, for one takes much more memory than what it packs.
var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // fails for unknown levels alone
	return w
}}

// pack compresses bodies together: those of one program are much alike. Each text has
// its length in front.
func pack(all []Bodies) ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte(packing)
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&out)
	var size [binary.MaxVarintLen64]byte
	for _, b := range all {
		for _, text := range []string{b.Request, b.Answer} {
			if _, err := w.Write(size[:binary.PutUvarint(size[:], uint64(len(text)))]); err != nil {
				return nil, err
			}
			if _, err := io.WriteString(w, text); err != nil {
				return nil, err
			}
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

var errPacked = errors.New("packed bodies cannot be read")

// unpack gives the bodies back.
func unpack(packed []byte) (all []Bodies, err error) {
	if len(packed) == 0 || packed[0] != packing {
		return nil, errPacked
	}
	from := bufio.NewReader(flate.NewReader(bytes.NewReader(packed[1:])))
	text := func() (string, error) {
		n, err := binary.ReadUvarint(from)
		if err != nil {
			return "", err
		}
		if n > 2*mostPacked {
			return "", errPacked
		}
		b := make([]byte, n)
		_, err = io.ReadFull(from, b)
		return string(b), err
	}
	for {
		var b Bodies
		if b.Request, err = text(); errors.Is(err, io.EOF) {
			return all, nil
		}
		if err == nil {
			b.Answer, err = text()
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errPacked, err)
		}
		all = append(all, b)
	}
}

// How much is packed together: enough to be alike, and little enough to be unpacked for
// the sake of one request.
const (
	mostTogether = 64
	mostPacked   = 256 << 10 // bytes before packing, above which no further entry is added
)
