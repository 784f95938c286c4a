package simulator

import (
	"context"
	"runtime"
	"sync"

	"github.com/google/uuid"

	"debitdesk/models/mail"
)

// File makes a file that a mail only names.
type File func(ctx context.Context, merchantID uuid.UUID, ref string) ([]byte, error)

const (
	mostSizes = 100_000  // sizes that are remembered
	mostDrawn = mailPage // files that are drawn for one list
)

// sizes remembers how large the files are that mails only name: the same name gives
// the same bytes for good, and drawing thousands of them for a list takes seconds.
type sizes struct {
	mu    sync.Mutex
	known map[string]int
}

func (s *sizes) get(ref string) (int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.known[ref]
	return n, ok
}

func (s *sizes) keep(ref string, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= mostSizes {
		s.known = map[string]int{}
	}
	s.known[ref] = size
}

// content gives the bytes of an attachment.
func (h *Controls) content(ctx context.Context, m mail.Mail, a mail.Attachment) ([]byte, error) {
	if a.Ref == "" {
		return a.Content, nil
	}
	b, err := h.Files(ctx, m.MerchantID, a.Ref)
	if err == nil {
		h.sizes.keep(a.Ref, len(b))
	}
	return b, err
}

// measure sees to it that the sizes of the files that the mails name are known, of the
// newest mails first. A file must be drawn for that, so a long list leaves out the
// rest: a list of a thousand mails answers at once.
func (h *Controls) measure(ctx context.Context, mails ...mail.Mail) error {
	type file struct {
		m mail.Mail
		a mail.Attachment
	}
	var todo []file
	for _, m := range mails {
		for _, a := range m.Attachments {
			if _, known := h.sizes.get(a.Ref); a.Ref != "" && !known && len(todo) < mostDrawn {
				todo = append(todo, file{m, a})
			}
		}
	}
	var wrong error
	var mu sync.Mutex
	var drawing sync.WaitGroup
	at := make(chan file)
	for range min(runtime.GOMAXPROCS(0), len(todo)) {
		drawing.Go(func() {
			for f := range at {
				if _, err := h.content(ctx, f.m, f.a); err != nil && !f.a.LeftOut(err) {
					mu.Lock()
					wrong = err
					mu.Unlock()
				}
			}
		})
	}
	for _, f := range todo {
		at <- f
	}
	close(at)
	drawing.Wait()
	return wrong
}

// size is how many bytes an attachment has; nil when it has not been drawn yet.
func (h *Controls) size(a mail.Attachment) *int {
	n, known := len(a.Content), true
	if a.Ref != "" {
		n, known = h.sizes.get(a.Ref)
	}
	if !known {
		return nil
	}
	return &n
}
