package main

import (
	"io"
	"sync"
)

// spoken is standard output that remembers what it could not take. Not every line of a
// command looks whether it was written, and a script that finds nothing in its file must
// not be told that all is well.
type spoken struct {
	io.Writer
	mu  sync.Mutex
	err error // the first
}

// Write passes on what is said.
func (s *spoken) Write(text []byte) (int, error) {
	n, err := s.Writer.Write(text)
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.err == nil {
			s.err = err
		}
	}
	return n, err
}

func (s *spoken) lost() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// serves tells commands whose work is not what they print: a server goes on, and ends well,
// when nobody listens to it.
func serves(cmd command) bool {
	switch cmd.(type) {
	case *serveCmd, *workCmd:
		return true
	}
	return false
}
