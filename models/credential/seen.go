package credential

import (
	"crypto/sha256"
	"sync"
)

// seen remembers whose signature was checked, so that a program which calls a
// thousand times a second has it checked once. Only the signature is remembered:
// time and revocation are asked anew on every call. The token itself is not kept.
type seen struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]checked
}

type checked struct {
	claims
	key string // that signed it
}

const mostSeen = 10_000 // then it starts anew

func (s *seen) of(token string) (checked, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.known[sha256.Sum256([]byte(token))]
	return c, ok
}

func (s *seen) keep(token string, c checked) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= mostSeen {
		s.known = map[[sha256.Size]byte]checked{}
	}
	s.known[sha256.Sum256([]byte(token))] = c
}
