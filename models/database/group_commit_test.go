package database_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/database/dbtest"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
)

// thing is a record of these tests.
type thing struct {
	ID, MerchantID uuid.UUID
	Colour         string
	Notes          []string `gorm:"serializer:json;not null"`
	Version        int      `gorm:"<-:create"`
	Tags           []string `gorm:"type:text[]"`
}

var (
	things     = table.New[thing]("things")
	gates      = table.New[thing]("gates")
	paintThing = things.Write(`UPDATE things SET @set, version = version + 1
		WHERE merchant_id = @merchant_id AND id = @id AND version = @version`)
)

// crowd is a database in which many units of work end at the same moment.
type crowd struct {
	*database.DB
	t    *testing.T
	gate *pgx.Conn
}

func openCrowd(t *testing.T) crowd {
	t.Helper()
	dsn := dbtest.Migrated(t)
	db, err := database.Open(t.Context(), dsn, database.Options{Sandbox: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	gate, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gate.Close(context.Background()) })
	c := crowd{db, t, gate}
	for _, name := range []string{"things", "gates"} {
		c.run(`CREATE TABLE ` + name + ` (id uuid PRIMARY KEY, merchant_id uuid NOT NULL, colour text NOT NULL,
			notes jsonb NOT NULL, version integer NOT NULL, tags text[])`)
	}
	return c
}

func (c crowd) run(sql string, args ...any) {
	c.t.Helper()
	if _, err := c.gate.Exec(c.t.Context(), sql, args...); err != nil {
		c.t.Fatal(err)
	}
}

func (c crowd) number(sql string, args ...any) (n int) {
	c.t.Helper()
	if err := c.gate.QueryRow(c.t.Context(), sql, args...).Scan(&n); err != nil {
		c.t.Fatal(err)
	}
	return n
}

// until asks again and again whether something has come.
func until(t *testing.T, what string, come func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !come() {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("this did not come: " + what)
		}
	}
}

// together lets units end at the same moment: those before them wait at a gate until all are there. It gives what
// became of each. Fewer than are a group of their own wait for those before them.
func (c crowd) together(meanwhile func(), units ...func(*database.Tx)) []error {
	c.t.Helper()
	c.BePatient()
	c.run("BEGIN")
	c.run("LOCK TABLE gates IN EXCLUSIVE MODE")
	var wg sync.WaitGroup
	for range database.Unbatched {
		wg.Go(func() {
			err := c.InTx(context.Background(), func(tx *database.Tx) error {
				database.Insert(tx, gates, thing{ID: tx.NewID(), MerchantID: tx.NewID(), Notes: []string{}})
				return nil
			})
			if err != nil {
				c.t.Error("at the gate:", err)
			}
		})
	}
	until(c.t, "units at the gate", func() bool {
		return database.Unbatched ==
			c.number("SELECT count(*) FROM pg_locks WHERE relation = 'gates'::regclass AND NOT granted")
	})
	became := make([]error, len(units))
	for i, unit := range units {
		wg.Go(func() {
			became[i] = c.InTx(context.Background(), func(tx *database.Tx) error { unit(tx); return nil })
		})
	}
	until(c.t, "units that wait", func() bool { return c.UnitsWaiting() == len(units) })
	if meanwhile != nil {
		meanwhile()
	}
	c.run("COMMIT")
	wg.Wait()
	return became
}

func wrongOnes(became []error) (n int) {
	for _, err := range became {
		if err != nil {
			n++
		}
	}
	return n
}

const crowded = database.MinBatch - 1 // units that wait together

func newThing(i int) thing {
	return thing{ID: uuid.New(), MerchantID: uuid.New(), Colour: fmt.Sprint("colour ", i), Notes: []string{"a", `"b"`},
		Version: 1, Tags: []string{"x, y", fmt.Sprint(i)}}
}

// adding gives units that add a thing each, with an event.
func adding(all []thing, tell func(*database.Tx, thing)) (units []func(*database.Tx)) {
	for _, one := range all {
		units = append(units, func(tx *database.Tx) {
			database.Insert(tx, things, one)
			tell(tx, one)
		})
	}
	return units
}

func told(tx *database.Tx, one thing) {
	tx.Tell(one.MerchantID, "purchase.created", "purchase", one.ID, one.ID)
}

func toldCalled(tx *database.Tx, one thing) {
	tx.TellCalled(one.MerchantID, "purchase.paid", "purchase", one.ID, one.ID)
}

func TestUnitsOfWorkThatEndTogetherAreWrittenInOneTransaction(t *testing.T) {
	t.Parallel()
	c := openCrowd(t)
	for name, tell := range map[string]func(*database.Tx, thing){"unheard": told, "with a callback": toldCalled} {
		c.run("TRUNCATE things, events")
		all := make([]thing, crowded)
		for i := range all {
			all[i] = newThing(i)
		}
		if became := c.together(nil, adding(all, tell)...); wrongOnes(became) > 0 {
			t.Fatal(name, became)
		}
		if n := c.number("SELECT count(DISTINCT xmin::text) FROM things"); n != 1 {
			t.Errorf("%s: %d transactions", name, n)
		}
		for _, one := range all {
			if n := c.number(`SELECT count(*) FROM things t JOIN events e ON e.object_id = t.id AND e.merchant_id = t.merchant_id
				AND e.source_id = t.id WHERE t.id = $1 AND t.merchant_id = $2 AND t.colour = $3 AND t.notes = '["a", "\"b\""]'
				AND t.tags = $4`, one.ID, one.MerchantID, one.Colour, one.Tags); n != 1 {
				t.Errorf("%s: %v is not written as it is", name, one)
			}
		}
		if n := c.number("SELECT count(*) FROM events"); n != crowded {
			t.Errorf("%s: %d events", name, n)
		}
	}
}

func TestAUnitThatFailsTakesNoOtherWithIt(t *testing.T) {
	t.Parallel()
	c := openCrowd(t)
	all := make([]thing, crowded)
	for i := range all {
		all[i] = newThing(i)
	}
	all[6].ID = all[3].ID
	became := c.together(nil, adding(all, told)...)
	if n := wrongOnes(became); n != 1 || (became[3] == nil) == (became[6] == nil) {
		t.Error(became)
	}
	if n, events := c.number("SELECT count(*) FROM things"), c.number("SELECT count(*) FROM events"); n != crowded-1 ||
		events != crowded-1 {
		t.Errorf("%d things, %d events", n, events)
	}
}

// painting gives units that change a thing each.
func painting(all []thing, colour string) (units []func(*database.Tx)) {
	for _, one := range all {
		one.Colour, one.Tags = colour+" "+one.Colour, append(one.Tags, colour)
		units = append(units, func(tx *database.Tx) { database.CompareAndSet(tx, paintThing, one) })
	}
	return units
}

// stored adds things.
func (c crowd) stored(n int) []thing {
	c.t.Helper()
	all := make([]thing, n)
	for i := range all {
		all[i] = newThing(i)
	}
	err := c.InTx(c.t.Context(), func(tx *database.Tx) error {
		for _, one := range all {
			database.Insert(tx, things, one)
		}
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return all
}

func TestOfTwoChangesOfOneRecordThatEndTogetherOneIsLost(t *testing.T) {
	t.Parallel()
	c := openCrowd(t)
	all := c.stored(crowded)
	all[6] = all[3]
	became := c.together(nil, painting(all, "red")...)
	lost := errors.Is(became[3], fault.ErrLost) || errors.Is(became[6], fault.ErrLost)
	if wrongOnes(became) != 1 || !lost {
		t.Error(became)
	}
	if n := c.number("SELECT count(*) FROM things WHERE version = 2 AND colour LIKE 'red %' AND 'red' = ANY (tags)"); n !=
		crowded-1 {
		t.Errorf("%d things are changed", n)
	}
	for i, one := range all {
		all[i].Version = one.Version + 1
	}
	all[6] = c.stored(1)[0]
	if became := c.together(nil, painting(all, "blue")...); wrongOnes(became) > 0 {
		t.Error(became)
	}
	if n := c.number("SELECT count(DISTINCT xmin::text) FROM things WHERE colour LIKE 'blue %'"); n != 1 {
		t.Errorf("%d transactions", n)
	}
}

func TestARecordThatSomebodyHoldsHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	c := openCrowd(t)
	all := c.stored(crowded)
	holder, err := c.Direct.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holder.Exec(t.Context(), "SELECT FROM things WHERE id = $1 FOR UPDATE", all[5].ID); err != nil {
		t.Fatal(err)
	}
	released := make(chan error, 1)
	go func() {
		until(t, "the others", func() bool {
			var n int
			err := c.Pool.QueryRow(context.Background(), "SELECT count(*) FROM things WHERE version = 2").Scan(&n)
			return err == nil && n == crowded-1
		})
		released <- holder.Rollback(context.Background())
	}()
	if became := c.together(nil, painting(all, "red")...); wrongOnes(became) > 0 {
		t.Error(became)
	}
	if err := <-released; err != nil {
		t.Error(err)
	}
}

func TestManyUnitsDoNotWaitForThoseThatTakeLong(t *testing.T) {
	t.Parallel()
	c := openCrowd(t)
	c.run("BEGIN")
	c.run("LOCK TABLE gates IN EXCLUSIVE MODE")
	var stuck sync.WaitGroup
	for range 3 * database.MinBatch { // each longer than others are patient
		stuck.Go(func() {
			err := c.InTx(context.Background(), func(tx *database.Tx) error {
				database.Insert(tx, gates, newThing(0))
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	if err := c.InTx(t.Context(), func(tx *database.Tx) error {
		database.Insert(tx, things, newThing(1))
		return nil
	}); err != nil {
		t.Error(err)
	}
	c.run("COMMIT")
	stuck.Wait()
	if n := c.number("SELECT count(*) FROM gates"); n != 3*database.MinBatch {
		t.Errorf("%d at the gate", n)
	}
}

func TestMoreUnitsThanOneStatementAddsAreAllWritten(t *testing.T) {
	t.Parallel()
	c := openCrowd(t)
	c.run("BEGIN")
	c.run("LOCK TABLE things IN EXCLUSIVE MODE")
	const n = 3 * table.MostRows
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			err := c.InTx(context.Background(), func(tx *database.Tx) error {
				database.Insert(tx, things, newThing(i))
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	until(t, "units that wait", func() bool { return c.UnitsWaiting() > 0 })
	c.run("COMMIT")
	wg.Wait()
	if n := c.number("SELECT count(DISTINCT colour) FROM things"); n != 3*table.MostRows {
		t.Errorf("%d things", n)
	}
}

func TestUnitsHoldARecordForEachOtherAndOneThatIsGoneFailsItsOwnAlone(t *testing.T) {
	t.Parallel()
	c := openCrowd(t)
	kept, gone := c.stored(1)[0], newThing(0)
	var units []func(*database.Tx)
	for i := range crowded {
		held := kept
		if i == 4 {
			held = gone
		}
		units = append(units, func(tx *database.Tx) {
			tx.CheckLock("things", "SELECT count(*) FROM (SELECT FROM things WHERE id = $1 FOR SHARE) AS held", held.ID)
			database.Append(tx, gates.Insert, newThing(i))
		})
	}
	became := c.together(nil, units...)
	if wrongOnes(became) != 1 || !errors.Is(became[4], fault.ErrLost) {
		t.Error(became)
	}
	if n := c.number("SELECT count(*) FROM gates WHERE colour <> ''"); n != crowded-1 {
		t.Errorf("%d are written", n)
	}
}

func TestWhoGoesAwayWhileItWaitsIsNotWritten(t *testing.T) {
	t.Parallel()
	c := openCrowd(t)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	became := c.together(func() {
		go func() {
			left <- c.InTx(ctx, func(tx *database.Tx) error {
				database.Insert(tx, things, newThing(99))
				told(tx, newThing(99))
				return nil
			})
		}()
		until(t, "one more", func() bool { return c.UnitsWaiting() == 3 })
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}, adding([]thing{newThing(0), newThing(1)}, told)...)
	if n := c.number("SELECT count(*) FROM things"); wrongOnes(became) > 0 || n != 2 {
		t.Error(became, n)
	}
}
