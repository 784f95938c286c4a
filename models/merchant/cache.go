package merchant

import (
	"sync"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
)

// brandCache keeps brands for a moment: every purchase asks for its brand, and a
// brand changes a few times in its life. A change is seen everywhere within keepFor.
type brandCache struct {
	mu    sync.RWMutex
	kept  map[uuid.UUID]keptBrand
	drops uint64 // how often anything was dropped
}

type keptBrand struct {
	brand Brand
	until time.Time
}

const (
	keepFor    = 2 * time.Second
	mostBrands = 10_000 // then it starts anew
)

// cache is that of the database, in this process.
func (s Store) cache() *brandCache { return database.Kept[brandCache](s.DB) }

func (c *brandCache) brand(merchantID, brandID uuid.UUID) (Brand, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	k, ok := c.kept[brandID]
	if !ok || k.brand.MerchantID != merchantID || time.Now().After(k.until) { //nolint:forbidigo // a cache keeps real time
		return Brand{}, false
	}
	return k.brand, true
}

// before is what keep asks for: a moment before the brand was read.
func (c *brandCache) before() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.drops
}

// keep keeps a brand, unless one was dropped since that moment: it may have been read as it was before.
func (c *brandCache) keep(b Brand, before uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.drops != before {
		return
	}
	if c.kept == nil || len(c.kept) >= mostBrands {
		c.kept = map[uuid.UUID]keptBrand{}
	}
	c.kept[b.ID] = keptBrand{b, time.Now().Add(keepFor)} //nolint:forbidigo // a cache keeps real time
}

// drop makes this process read a brand anew; others do within keepFor.
func (c *brandCache) drop(brandID uuid.UUID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.kept, brandID)
	c.drops++
}

// Changed makes what reads a brand read it anew, for a transaction that changed what belongs to it.
func Changed(tx *database.Tx, brandID uuid.UUID) { changed(tx, brandID) }

// changed drops a brand for what the transaction reads, and again when the transaction has ended: until then others
// read the brand as it was.
func changed(tx *database.Tx, brandID uuid.UUID) {
	c := Store{tx.DB()}.cache()
	c.drop(brandID)
	tx.AtEnd(func() { c.drop(brandID) })
}

// Forget makes this process read the brands of a merchant anew; others do within keepFor.
func (s Store) Forget(merchantID uuid.UUID) {
	c := s.cache()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drops++
	for id, k := range c.kept {
		if k.brand.MerchantID == merchantID {
			delete(c.kept, id)
		}
	}
}
