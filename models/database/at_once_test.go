package database_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/paging"
)

// trip tells which statements went out together: those share a transaction of PostgreSQL's own.
type trip struct{ Number string }

var trips = table.View[trip]()

const whichTrip = "SELECT pg_current_xact_id()::text AS number"

// asks notes for each name the round trips by which it was answered, one after the other.
func (c crowd) asks(into *[]string, times int) func(context.Context) error {
	return func(ctx context.Context) error {
		for range times {
			one, err := database.First(database.Seek(ctx, c.DB, trips, whichTrip))
			if err != nil {
				return err
			}
			*into = append(*into, one.Number)
		}
		return nil
	}
}

func TestWhatIsReadAtOnceIsOneRoundTrip(t *testing.T) {
	t.Parallel()
	c := openCrowd(t)
	var once, twice, inner, other []string
	var both, each []trip
	err := database.AtOnce(t.Context(), c.asks(&once, 1), c.asks(&twice, 2), func(ctx context.Context) error {
		return database.AtOnce(ctx, c.asks(&inner, 1), c.asks(&other, 2))
	}, func(ctx context.Context) error {
		as, bs, err := database.CollectBoth(ctx, c.DB, trips, whichTrip, trips, whichTrip)
		both = slices.Concat(as, bs)
		return err
	}, func(ctx context.Context) error {
		found, err := database.SeekEach(ctx, c.DB, trips, []database.Statement{{Query: whichTrip}, {Query: whichTrip}})
		each = slices.Concat(found...)
		return err
	}, func(context.Context) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	first, second := once[0], twice[1]
	for _, got := range []string{twice[0], inner[0], other[0], both[0].Number, both[1].Number, each[0].Number,
		each[1].Number} {
		if got != first {
			t.Errorf("asked by round trip %s, not by the first, %s", got, first)
		}
	}
	if other[1] != second || first == second {
		t.Errorf("then asked by %s and %s, after %s", second, other[1], first)
	}
}

func TestWhatFailsAmongWhatIsReadAtOnceIsTold(t *testing.T) {
	t.Parallel()
	c := openCrowd(t)
	var some []string
	err := database.AtOnce(t.Context(), c.asks(&some, 1), func(ctx context.Context) error {
		_, err := database.Seek(ctx, c.DB, trips, "SELECT number FROM nowhere")
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("told %v", err)
	}
	err = database.AtOnce(t.Context(), func(ctx context.Context) error {
		var byGORM []trip
		return c.DB.Gorm(ctx).Raw("SELECT (1 / 0)::text AS number").Find(&byGORM).Error
	}, c.asks(&some, 1))
	if err == nil || !strings.Contains(err.Error(), "division by zero") || strings.Contains(err.Error(), "nil pointer") {
		t.Errorf("told %v of a question of GORM", err)
	}
	odd := errors.New("odd")
	err = database.AtOnce(t.Context(), c.asks(&some, 1), func(context.Context) error { return odd })
	if !errors.Is(err, odd) {
		t.Errorf("told %v", err)
	}
	defer func() {
		if said, _ := recover().(string); !strings.HasPrefix(said, "lost") {
			t.Errorf("panicked with %q", said)
		}
	}()
	_ = database.AtOnce(t.Context(), c.asks(&some, 2), func(context.Context) error { panic("lost") })
}

func TestNobodyWaitsForRowsAtWhichAnotherReaderPanics(t *testing.T) {
	t.Parallel()
	c := openCrowd(t)
	take := func(pgx.Rows) error { panic("odd rows") }
	var some, others []string
	err := database.AtOnce(t.Context(), c.asks(&some, 1), func(ctx context.Context) error {
		return c.Pool.Read(ctx, take, whichTrip)
	}, c.asks(&others, 1))
	if err == nil || !strings.Contains(err.Error(), "odd rows") {
		t.Errorf("told %v", err)
	}
}

func TestAUnitOfWorkReadsAtOnceWhatItWrote(t *testing.T) {
	t.Parallel()
	c := openCrowd(t)
	one := c.stored(1)[0]
	err := c.InTx(t.Context(), func(tx *database.Tx) error {
		one.Colour = "blue"
		database.CompareAndSet(tx, paintThing, one)
		return database.AtOnce(tx.Context(), func(ctx context.Context) error {
			got, err := database.First(database.All(ctx, c.DB, things, "id = $1", one.ID))
			if got.Colour != "blue" {
				t.Errorf("read %q", got.Colour)
			}
			return err
		}, func(context.Context) error { return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhateverWayItIsReadItIsOneRoundTrip(t *testing.T) {
	t.Parallel()
	c := openCrowd(t)
	var seek, row, each []string
	var sorts, none string
	var unsorted, byGORM []trip
	var missing error
	ctx, looked := paging.Remembering(t.Context()), atomic.Int32{}
	once := func(into *[]string) func(context.Context) error {
		return func(ctx context.Context) error {
			found, err := paging.Once(ctx, "trip", func() (string, error) {
				looked.Add(1)
				var number string
				err := c.DB.Row(ctx, whichTrip).Scan(&number)
				return number, err
			})
			*into = append(*into, found)
			return err
		}
	}
	var one, other []string
	err := database.AtOnce(ctx, c.asks(&seek, 2), once(&one), once(&other), func(ctx context.Context) (err error) {
		unsorted, err = database.SeekUnsorted(ctx, c.DB, trips, "SELECT current_setting('enable_sort') AS number")
		return err
	}, func(ctx context.Context) error {
		return c.DB.Gorm(ctx).Scopes(database.Unsorted).Raw("SELECT current_setting('enable_sort') AS number").
			Find(&byGORM).Error
	}, func(ctx context.Context) error {
		return c.Pool.QueryRow(ctx, "SELECT current_setting('enable_sort')").Scan(&sorts)
	}, func(ctx context.Context) error {
		var number string
		return c.DB.Each(ctx, []any{&number}, func() error { row = append(row, number); return nil }, whichTrip)
	}, func(ctx context.Context) error {
		var number string
		return c.Pool.Each(ctx, []any{&number}, func() error { each = append(each, number); return nil }, whichTrip)
	}, func(ctx context.Context) error {
		missing = c.Pool.QueryRow(ctx, "SELECT 'x' WHERE false").Scan(&none)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(row, seek[:1]) || !slices.Equal(each, row) {
		t.Errorf("round trips %v, %v and %v", seek, row, each)
	}
	if unsorted[0].Number != "off" || byGORM[0].Number != "off" || sorts != "on" {
		t.Errorf("one sorts: %s, one by GORM: %s, others: %s", unsorted[0].Number, byGORM[0].Number, sorts)
	}
	if !errors.Is(missing, pgx.ErrNoRows) {
		t.Errorf("no row is %v", missing)
	}
	if looked.Load() != 1 || !slices.Equal(one, other) {
		t.Errorf("looked up %d times: %v and %v", looked.Load(), one, other)
	}
}
