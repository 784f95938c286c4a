package postgres

import (
	"context"
	"time"
)

// How soon we look whether the server still runs, and how long we wait before we
// try again to start one that does not come up.
const (
	lookEvery  = 250 * time.Millisecond
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// watch keeps the server running until ctx ends: whoever of us sees first that its
// process ended starts it again. It cannot have been asked to end, for that is done
// by the last to leave, and we are here.
func (p *Private) watch(ctx context.Context, dataDir string) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	retry := firstRetry
	for {
		if !p.runs() {
			if err := p.revive(ctx, dataDir); err != nil && ctx.Err() == nil {
				p.log.Error("the private PostgreSQL ended and does not start again", "error", err, "again_in", retry)
				if !sleep(ctx, retry) {
					return
				}
				retry = min(2*retry, lastRetry)
				continue
			}
			retry = firstRetry
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

func (p *Private) runs() bool {
	now, ok := readPostmaster(p.data())
	return ok && now.alive()
}

// revive starts the server, unless somebody else did meanwhile.
func (p *Private) revive(ctx context.Context, dataDir string) error {
	leave, err := p.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	again := &Private{home: p.home, gate: p.gate, log: p.log} // p itself is read by others meanwhile
	if there, err := again.join(ctx); there || err != nil {
		return err
	}
	p.log.Warn("the private PostgreSQL ended; starting it again")
	acc, err := serverAccount(p.home)
	if err != nil {
		return err
	}
	if err := again.start(ctx, dataDir, acc); err != nil {
		return err
	}
	p.log.Info("the private PostgreSQL is back")
	return nil
}

func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
