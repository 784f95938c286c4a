package database

import (
	"context"
	"fmt"
	"sync"

	"github.com/google/uuid"

	"debitdesk/models/dryrun"
)

// counters hands out numbers that must be unique but may have gaps, such as
// reference_generated. Each process takes a block at a time.
type counters struct {
	mu     sync.Mutex
	blocks map[string]*block
}

type block struct{ next, end int64 }

const blockSize = 100

// NextNumber is the next number of a brand's counter, starting at 1.
func (s *DB) NextNumber(ctx context.Context, brandID uuid.UUID, name string) (int64, error) {
	if dryrun.Is(ctx) {
		return s.peekNumber(ctx, brandID, name)
	}
	key := brandID.String() + name
	if TxOf(ctx) != nil {
		return s.numberWithin(ctx, key, brandID, name)
	}
	c := s.refs
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, ok := c.next(key); ok {
		return n, nil
	}
	end, err := s.reserve(ctx, brandID, name, blockSize)
	if err != nil {
		return 0, err
	}
	if c.blocks == nil {
		c.blocks = map[string]*block{}
	}
	c.blocks[key] = &block{end - blockSize + 1, end}
	return end - blockSize, nil
}

// TakeNumbers reserves n numbers of a brand's counter, which may have gaps, and gives the first.
func (s *DB) TakeNumbers(ctx context.Context, brandID uuid.UUID, name string, n int) (first int64, err error) {
	if dryrun.Is(ctx) {
		return s.LookAtNumber(ctx, brandID, name)
	}
	err = s.Pool.QueryRow(ctx, `INSERT INTO brand_counters AS c (brand_id, name, next) VALUES ($1, $2, $3 + 1)
		ON CONFLICT (brand_id, name) DO UPDATE SET next = c.next + $3 RETURNING next - $3`, brandID, name,
		int64(n)).Scan(&first)
	if err != nil {
		return 0, fmt.Errorf("take %s numbers: %w", name, err)
	}
	return first, nil
}

// numberWithin is the next number inside a unit of work. It must not wait for who
// waits for a connection, and a block that it reserved could be taken back with the
// unit; so it takes one of the block at hand, or reserves the one number it needs.
func (s *DB) numberWithin(ctx context.Context, key string, brandID uuid.UUID, name string) (int64, error) {
	if s.refs.mu.TryLock() {
		n, ok := s.refs.next(key)
		s.refs.mu.Unlock()
		if ok {
			return n, nil
		}
	}
	end, err := s.reserve(ctx, brandID, name, 1)
	return end - 1, err
}

// next takes a number of the block at hand.
func (c *counters) next(key string) (int64, bool) {
	b := c.blocks[key]
	if b == nil || b.next == b.end {
		return 0, false
	}
	b.next++
	return b.next - 1, true
}

// reserve moves a counter on by n and gives the first number after them.
func (s *DB) reserve(ctx context.Context, brandID uuid.UUID, name string, n int64) (end int64, err error) {
	err = s.Pool.QueryRow(ctx, `INSERT INTO brand_counters AS c (brand_id, name, next) VALUES ($1, $2, $3 + 1)
		ON CONFLICT (brand_id, name) DO UPDATE SET next = c.next + $3 RETURNING next`, brandID, name, n).Scan(&end)
	if err != nil {
		return 0, fmt.Errorf("next %s number: %w", name, err)
	}
	return end, nil
}

// peekNumber is the number that would come next, for a trial: it stays free. Another
// process may hold a block of its own, so it is one of the next numbers.
func (s *DB) peekNumber(ctx context.Context, brandID uuid.UUID, name string) (int64, error) {
	s.refs.mu.Lock()
	var held block
	if b := s.refs.blocks[brandID.String()+name]; b != nil {
		held = *b
	}
	s.refs.mu.Unlock()
	if held.next < held.end {
		return held.next, nil
	}
	return s.LookAtNumber(ctx, brandID, name)
}

// LookAtNumber gives the number that a counter stands at.
func (s *DB) LookAtNumber(ctx context.Context, brandID uuid.UUID, name string) (next int64, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT coalesce((SELECT next FROM brand_counters WHERE brand_id = $1 AND name = $2), 1)`,
		brandID, name).Scan(&next)
	if err != nil {
		return 0, fmt.Errorf("look at the next %s number: %w", name, err)
	}
	return next, nil
}
