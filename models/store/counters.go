package store

import (
	"context"
	"fmt"
	"sync"

	"github.com/google/uuid"
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
func (s *Store) NextNumber(ctx context.Context, brandID uuid.UUID, name string) (int64, error) {
	c := s.refs
	c.mu.Lock()
	defer c.mu.Unlock()
	key := brandID.String() + name
	b := c.blocks[key]
	if b == nil || b.next == b.end {
		var end int64
		err := s.Pool.QueryRow(ctx, `INSERT INTO brand_counters AS c (brand_id, name, next) VALUES ($1, $2, $3 + 1)
			ON CONFLICT (brand_id, name) DO UPDATE SET next = c.next + $3 RETURNING next`, brandID, name, blockSize).Scan(&end)
		if err != nil {
			return 0, fmt.Errorf("next %s number: %w", name, err)
		}
		b = &block{end - blockSize, end}
		if c.blocks == nil {
			c.blocks = map[string]*block{}
		}
		c.blocks[key] = b
	}
	b.next++
	return b.next - 1, nil
}
