package user

import (
	"context"
	"flag"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/alexedwards/argon2id"
)

// A hash takes 64 MiB, so only two are made at once in a process.
var (
	hashing    = make(chan struct{}, 2)
	hashParams = &argon2id.Params{Memory: 64 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}
)

// A hash leaves 64 MiB behind. They go back once nobody has signed in for a
// moment: giving them back each time would cost more than the hash.
var letGo = time.AfterFunc(quietFor, debug.FreeOSMemory)

const quietFor = 2 * time.Second

// nobodysHash fits no password; it is compared for unknown people so that they
// cost the same time as known ones.
var nobodysHash = "$argon2id$v=19$m=65536,t=2,p=1$ZGViaXRkZXNrIG5vYm9keQ$x3Jx9l8m2l0Sg1cYJm8m0h2lVf3y7dQk5vE1nX9bU4o"

// HashCheaply makes hashes cost next to nothing from the first call on. Tests sign in
// hundreds of times; no other program can call it.
var HashCheaply = sync.OnceFunc(func() {
	if flag.Lookup("test.v") == nil {
		panic("passwords are hashed cheaply only in tests")
	}
	hashParams = &argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}
	nobodysHash = strings.Replace(nobodysHash, "m=65536,t=2", "m=64,t=1", 1)
})

// HashPassword makes what is kept of a password.
func HashPassword(ctx context.Context, password string) (hash string, err error) {
	err = inTurn(ctx, func() error {
		hash, err = argon2id.CreateHash(password, hashParams)
		return err
	})
	return hash, err
}

func passwordFits(ctx context.Context, password, hash string) (fits bool, err error) {
	err = inTurn(ctx, func() error {
		fits, err = argon2id.ComparePasswordAndHash(password, hash)
		return err
	})
	return fits, err
}

func inTurn(ctx context.Context, work func() error) error {
	select {
	case hashing <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("password: %w", ctx.Err())
	}
	defer func() {
		<-hashing
		letGo.Reset(quietFor)
	}()
	if err := work(); err != nil {
		return fmt.Errorf("password: %w", err)
	}
	return nil
}
