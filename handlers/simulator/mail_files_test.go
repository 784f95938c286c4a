package simulator

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/mail"
)

func TestALongListOfMailDrawsAFewDocumentsOnly(t *testing.T) {
	t.Parallel()
	var drawn atomic.Int64
	pages := &Controls{Files: func(context.Context, uuid.UUID, string) ([]byte, error) {
		drawn.Add(1)
		return []byte("%PDF"), nil
	}}
	mails := make([]mail.Mail, mailLimit)
	for i := range mails {
		mails[i].Attachments = []mail.Attachment{{Ref: fmt.Sprint("invoice:", i)}}
	}
	if err := pages.measure(t.Context(), mails...); err != nil {
		t.Fatal(err)
	}
	if drawn.Load() != mostDrawn {
		t.Errorf("%d documents were drawn for one list", drawn.Load())
	}
	newest, last := pages.size(mails[0].Attachments[0]), pages.size(mails[mailLimit-1].Attachments[0])
	if newest == nil || *newest != 4 || last != nil {
		t.Errorf("sizes %v and %v", newest, last)
	}
	if err := pages.measure(t.Context(), mails[mailLimit-1]); err != nil ||
		pages.size(mails[mailLimit-1].Attachments[0]) == nil {
		t.Errorf("a list of its own does not measure it: %v", err)
	}
}
