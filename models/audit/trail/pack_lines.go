package trail

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/audit"
)

// These are the records of a chain under the names of the file. The manual lists them, since an auditor may read the
// file with a program of their own.
type (
	packBase struct {
		MerchantID uuid.UUID `json:"merchant_id"`
		N          int64     `json:"n"`
		Hash       []byte    `json:"hash"`
		Kept       []int64   `json:"kept"`
		KeyID      string    `json:"key_id"`
		Signature  []byte    `json:"signature"`
	}
	packEnd struct {
		MerchantID uuid.UUID `json:"merchant_id"`
		N          int64     `json:"n"`
		Hash       []byte    `json:"hash"`
		KeyID      string    `json:"key_id"`
		Signature  []byte    `json:"signature"`
	}
	packEntry struct {
		ID         uuid.UUID `json:"id"`
		MerchantID uuid.UUID `json:"merchant_id"`
		At         time.Time `json:"at"`
		ActorKind  string    `json:"actor_kind"`
		ActorName  string    `json:"actor_name"`
		IP         string    `json:"ip"`
		RequestID  string    `json:"request_id"`
		ActorID    uuid.UUID `json:"actor_id"`
		Action     string    `json:"action"`
		ObjectType string    `json:"object_type"`
		ObjectID   uuid.UUID `json:"object_id"`
		ClientID   uuid.UUID `json:"client_id"`
		PurchaseID uuid.UUID `json:"purchase_id"`
		Text       string    `json:"text"`
		Before     string    `json:"before"`
		After      string    `json:"after"`
	}
)

// lineOfLink is a link as a line of the file has it.
func lineOfLink(l audit.Link, e audit.Kept) packLink {
	line := packLink{N: l.N, Hash: l.Hash}
	if e.ID != uuid.Nil {
		entry := packEntry(e)
		line.Entry = &entry
	}
	return line
}

// Line is an entry as a line of the log has it.
type Line = packLink

// ReadLine reads a line of the log. Only what this program writes is taken.
func ReadLine(line []byte) (Line, error) {
	var out packLink
	if err := exactly(line, &out); err != nil {
		return out, fmt.Errorf("the entry: %w", err)
	}
	return out, nil
}

// A line is taken only when it is what this program writes for what it read there. Any other line could show a reader
// something else than what was checked: a field twice, under a name in capitals, or one that nobody reads.
var errSaysMore = errors.New("the line says more than what is signed, or says it in another way")

// exactly reads a line into a record, and refuses one that reads otherwise when it is written again.
func exactly(line []byte, into any) error {
	if err := json.Unmarshal(line, into); err != nil {
		return err
	}
	again, err := json.Marshal(into)
	if err != nil {
		return err
	}
	if string(again) != string(line) {
		return errSaysMore
	}
	return nil
}

// mostLine is how long a line may be. Entries hold what people typed, which is limited.
const mostLine = 16 << 20

// lineOf reads one line, without its end.
func lineOf(from *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := from.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > mostLine:
			return nil, errors.New("a line is too long")
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		default:
			return line[:len(line)-1], nil
		}
	}
}

// signed are the bytes that the signature of the first line is over.
func (h packHead) signed() ([]byte, error) {
	h.KeyID, h.Signature = "", nil
	line, err := json.Marshal(h)
	return append([]byte("debitdesk audit export\x00"), line...), err
}

// firstHead is the first line in the first form.
type firstHead struct {
	Pack       string            `json:"pack"`
	MerchantID uuid.UUID         `json:"merchant_id"`
	Merchant   string            `json:"merchant"`
	MadeAt     time.Time         `json:"made_at"`
	Base       audit.Base        `json:"base"`
	Head       audit.Head        `json:"head"`
	Keys       map[string][]byte `json:"keys"`
}

// firstLink is a further line in the first form.
type firstLink struct {
	N     int64       `json:"n"`
	Hash  []byte      `json:"hash"`
	Entry *audit.Kept `json:"entry,omitempty"`
}

// read takes the first line of a file of any form.
func (h *packHead) read(line []byte) error {
	var form struct {
		Pack string `json:"pack"`
	}
	if err := json.Unmarshal(line, &form); err != nil {
		return err
	}
	switch form.Pack {
	case packForm, thirdForm, secondForm:
		if err := exactly(line, h); err != nil || h.Pack == packForm || h.Log == nil {
			return err
		}
		return errSaysMore
	case firstForm:
		var f firstHead
		if err := exactly(line, &f); err != nil {
			return err
		}
		*h = packHead{Pack: f.Pack, MerchantID: f.MerchantID, Merchant: f.Merchant, MadeAt: f.MadeAt,
			Base: packBase(f.Base), Head: packEnd(f.Head), Keys: f.Keys}
		return nil
	}
	return ErrNoPack
}

// next reads one more link in the form of the file.
func (h *packHead) next(lines *bufio.Reader) (link packLink, line []byte, err error) {
	line, err = lineOf(lines)
	if err != nil {
		return link, nil, err
	}
	if h.Pack == firstForm {
		var first firstLink
		err = exactly(line, &first)
		link = packLink{N: first.N, Hash: first.Hash, Entry: (*packEntry)(first.Entry)}
	} else {
		err = exactly(line, &link)
	}
	// The chain is a hash over whole microseconds, in whatever zone.
	if e := link.Entry; err == nil && e != nil && e.At != e.At.UTC().Truncate(time.Microsecond) {
		err = errSaysMore
	}
	if link.Leaf != nil && (link.Entry != nil || h.Pack != packForm) {
		err = errSaysMore
	}
	return link, line, err
}
