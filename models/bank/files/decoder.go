package files

import (
	"bufio"
	"errors"
	"io"

	"debitdesk/models/bank/acb"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/iso20022"
	"debitdesk/models/bank/mt940"
)

// Decoder reads what banks give in files, each in its own form: messages of ISO 20022, statements as MT940, and
// returned debits as ACB 180, whose reasons stand at ReasonAt.
type Decoder struct{ ReasonAt int }

var _ exchange.Decoder = Decoder{}

// headBytes is where the form of a file shows.
const headBytes = 1024

// Decode implements exchange.Decoder.
func (d Decoder) Decode(r io.Reader, each func(exchange.Event) error) (exchange.Arrival, error) {
	b := bufio.NewReaderSize(r, headBytes)
	head, err := b.Peek(headBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return exchange.Arrival{}, err
	}
	if mt940.Is(head) {
		return mt940.Decoder{}.Decode(b, each)
	}
	if acb.Is(head) {
		return acb.Decoder{ReasonAt: d.ReasonAt}.Decode(b, each)
	}
	return iso20022.Decoder{}.Decode(b, each)
}
