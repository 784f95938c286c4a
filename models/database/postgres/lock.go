package postgres

import (
	"context"
	"errors"
	"os"
	"syscall"
)

// fileLock is an advisory lock that the kernel gives up when we end, be it by
// kill -9. Two locks in one process exclude each other like two processes do.
type fileLock struct{ f *os.File }

func openLock(path string) (fileLock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // in the data folder of the settings
	return fileLock{f}, err
}

// share joins the others who hold the lock; only an exclusive holder makes it wait.
func (l fileLock) share(ctx context.Context) error { return l.wait(ctx, syscall.LOCK_SH) }

// exclude waits until nobody else holds the lock.
func (l fileLock) exclude(ctx context.Context) error { return l.wait(ctx, syscall.LOCK_EX) }

// alone tells whether nobody else holds the lock, and if so takes it for us.
func (l fileLock) alone() (bool, error) {
	err := syscall.Flock(int(l.f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// wait polls, because a blocking flock cannot be given up when ctx ends.
func (l fileLock) wait(ctx context.Context, how int) error {
	for {
		err := syscall.Flock(int(l.f.Fd()), how|syscall.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// release gives the lock up.
func (l fileLock) release() error { return l.f.Close() }
