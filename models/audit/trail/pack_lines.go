package trail

import (
	"encoding/json"
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

// read takes the first line of a file of either form.
func (h *packHead) read(line []byte) error {
	if err := json.Unmarshal(line, h); err != nil {
		return err
	}
	switch h.Pack {
	case packForm:
		return nil
	case firstForm:
		var first struct {
			Base audit.Base `json:"base"`
			Head audit.Head `json:"head"`
		}
		err := json.Unmarshal(line, &first)
		h.Base, h.Head = packBase(first.Base), packEnd(first.Head)
		return err
	}
	return ErrNoPack
}

// next reads one more link in the form of the file.
func (h *packHead) next(lines *json.Decoder) (line packLink, err error) {
	if h.Pack == packForm {
		err = lines.Decode(&line)
		return line, err
	}
	var first struct {
		packLink

		Entry *audit.Kept `json:"entry"`
	}
	err = lines.Decode(&first)
	line = first.packLink
	if first.Entry != nil {
		line.Entry = (*packEntry)(first.Entry)
	}
	return line, err
}
