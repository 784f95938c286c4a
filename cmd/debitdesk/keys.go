package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"debitdesk/models/database/seal"
	"debitdesk/models/keyfile"
	"debitdesk/models/plural"
	"debitdesk/models/upkeep"
)

// keysEvery is how soon a process sees a key that was added to the file.
const keysEvery = 2 * time.Second

// followKeys takes new sealing keys from the key file while the program runs. What
// was sealed with a key that this process does not have yet has it look at once.
func (a *App) followKeys(ctx context.Context) {
	path := keyfile.Path(a.Config.Keys, a.Config.Data)
	load := func() ([]seal.Key, error) {
		set, err := keyfile.Load(path)
		if err != nil {
			return nil, err
		}
		return set.Sealing, nil
	}
	a.box.Again(load)
	ctx, a.stopKeys = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		seen := changedAt(path)
		for tick := time.NewTicker(keysEvery); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
			}
			now := changedAt(path)
			if now.Equal(seen) {
				continue
			}
			keys, err := load()
			if err == nil {
				err = a.box.Replace(keys)
			}
			if err != nil {
				a.Log.ErrorContext(ctx, "the key file changed and cannot be used", "error", err)
				continue
			}
			seen = now
			a.Log.InfoContext(ctx, "sealing keys were read again", "newest", a.box.Newest())
		}
	}()
}

// changedAt is the zero time for a file that cannot be seen at this moment.
func changedAt(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

type keysCmd struct {
	New    keysNewCmd    `cmd:"" help:"Make a key file, mode 0600; it must not exist yet."`
	Rotate keysRotateCmd `cmd:"" help:"Add a new sealing key and re-seal everything with it, while servers run."`
	Status keysStatusCmd `cmd:"" help:"List the sealing keys, what they seal, and how far a rotation is."`
	Prune  keysPruneCmd  `cmd:"" help:"Remove sealing keys that no longer seal anything from the key file."`
}

type keysNewCmd struct {
	File string `arg:"" help:"Where to write it; name it in DEBITDESK_KEYS."`
}

func (k *keysNewCmd) run(_ context.Context, _ Config, io streams) error {
	if _, err := os.Lstat(k.File); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s already exists: keys are never overwritten", k.File)
	}
	if err := keyfile.Generate(k.File); err != nil {
		return err
	}
	_, err := fmt.Fprintf(io.out,
		"%s\nKeep a copy in another place: without it the account and identity numbers cannot be read.\n", k.File)
	return err
}

type keysRotateCmd struct {
	Background bool `help:"Leave the re-sealing to the servers."`
}

func (k *keysRotateCmd) run(ctx context.Context, c Config, io streams) error {
	return onApp(ctx, c, io, func(a *App) error {
		path := keyfile.Path(c.Keys, c.Data)
		id := keyfile.NewID()
		err := upkeep.Store{DB: a.Store}.BeginRotation(ctx, id, func() error { return keyfile.AddSealing(path, id) })
		if errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("%w: the key file cannot be written here; add a sealing key to it where it is kept", err)
		}
		if err != nil {
			return err
		}
		set, err := keyfile.Load(path)
		if err == nil {
			err = a.box.Replace(set.Sealing)
		}
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(io.out, "new sealing key %s; keep a copy of %s: without it nothing can be read\n", id, path)
		if k.Background {
			return nil
		}
		return resealHere(ctx, a, id, io)
	})
}

// resealHere goes on until the rotation is finished, whoever does the work.
func resealHere(ctx context.Context, a *App, id string, io streams) error {
	said := time.Time{}
	for {
		err := upkeep.Store{DB: a.Store}.Reseal(ctx, func(r upkeep.Rotation) {
			if time.Since(said) > 2*time.Second {
				said = time.Now()
				_, _ = fmt.Fprintf(io.err, "re-sealing: %s checked\n", plural.Of(r.Done, "row"))
			}
		})
		if err != nil {
			return err
		}
		all, err := upkeep.Store{DB: a.Store}.Rotations(ctx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(r upkeep.Rotation) bool { return r.KeyID == id })
		if i >= 0 && all[i].Finished {
			left, err := upkeep.Store{DB: a.Store}.NotResealed(ctx)
			if err != nil || len(left) == 0 {
				_, _ = fmt.Fprintf(io.out, "done: %s checked, everything is sealed with %s\n", plural.Of(all[i].Done, "row"), id)
				return err
			}
			_, _ = fmt.Fprintf(io.out, "done: %s checked, everything else is sealed with %s\n",
				plural.Of(all[i].Done, "row"), id)
			return notResealed(left)
		}
		select { // another process is at it
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// notResealed says where rows could not be opened.
func notResealed(left upkeep.Left) error {
	return fmt.Errorf("%s could not be re-sealed: damaged, or their key is missing. They stay as they are, and the keys "+
		"that they name stay in use", left.In())
}

type keysStatusCmd struct{}

func (*keysStatusCmd) run(ctx context.Context, c Config, io streams) error {
	return onApp(ctx, c, io, func(a *App) error {
		used, err := upkeep.Store{DB: a.Store}.KeysInUse(ctx)
		if err != nil {
			return err
		}
		for i, k := range a.Keys.Sealing {
			state := "seals nothing"
			switch {
			case i == 0:
				state = "seals"
			case len(used[k.ID]) > 0:
				state = "opens " + whatIsSealed(used[k.ID])
			}
			_, _ = fmt.Fprintf(io.out, "%s  %s\n", k.ID, state)
			delete(used, k.ID)
		}
		rotations, err := upkeep.Store{DB: a.Store}.Rotations(ctx)
		if err != nil {
			return err
		}
		for _, r := range rotations {
			if !r.Finished {
				_, _ = fmt.Fprintf(io.out, "re-sealing with %s: %s checked\n", r.KeyID, plural.Of(r.Done, "row"))
			}
		}
		left, err := upkeep.Store{DB: a.Store}.NotResealed(ctx)
		if err != nil {
			return err
		}
		if len(left) > 0 {
			err = notResealed(left)
		}
		for id := range used {
			err = errors.Join(err, fmt.Errorf("key %s sealed rows and is not in the key file: they do not open", id))
		}
		return err
	})
}

// whatIsSealed says what an older key is still needed for.
func whatIsSealed(columns []string) string {
	if slices.Equal(columns, []string{upkeep.AnswersColumn}) {
		return "answers to requests of the last two days; they are dropped after that"
	}
	return "what it sealed in " + strings.Join(columns, ", ")
}

type keysPruneCmd struct{}

func (*keysPruneCmd) run(ctx context.Context, c Config, io streams) error {
	return onApp(ctx, c, io, func(a *App) error {
		used, err := upkeep.Store{DB: a.Store}.KeysInUse(ctx)
		if err != nil {
			return err
		}
		var gone []string
		for _, k := range a.Keys.Sealing[1:] {
			if columns := used[k.ID]; len(columns) > 0 {
				_, _ = fmt.Fprintf(io.out, "%s stays: it opens %s\n", k.ID, whatIsSealed(columns))
				continue
			}
			gone = append(gone, k.ID)
		}
		if len(gone) == 0 {
			return nil
		}
		if err := keyfile.DropSealing(keyfile.Path(c.Keys, c.Data), gone...); err != nil {
			return err
		}
		for _, id := range gone {
			_, _ = fmt.Fprintf(io.out, "%s was removed; an older backup may still need it\n", id)
		}
		return nil
	})
}
