package batch

import "sync/atomic"

// What tests look at alone.
var (
	NoteWarnings = noteWarnings
	MarkUnusual  = markUnusual
)

// CountTaken adds up the rows that workers take up, so that it shows what they do in vain.
func (s *Service) CountTaken(rows *atomic.Int64) { s.taken = func(n int) { rows.Add(int64(n)) } }
