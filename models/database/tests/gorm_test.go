package tests

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/fault"
	"debitdesk/models/storetest"
)

// thing is a record of a merchant as GORM keeps it.
type thing struct {
	ID         uuid.UUID
	MerchantID uuid.UUID `gorm:"not null"`
	State      string
	OtherID    uuid.UUID
	At         time.Time
	CreatedAt  time.Time `gorm:"not null"`
	UpdatedAt  time.Time `gorm:"not null"`

	Tags            []string          `gorm:"type:text[];serializer:texts;not null"`
	Facts           map[string]int    `gorm:"serializer:json;not null"`
	Terms           *struct{ N int }  `gorm:"serializer:json;not null"`
	Secret          string            `gorm:"column:secret_sealed;serializer:sealed"`
	Parts           map[string]string `gorm:"column:parts_sealed;serializer:sealed"`
	database.Damage `gorm:"-"`
}

func withThings(t *testing.T) *database.DB {
	t.Helper()
	box, err := seal.NewBox([]seal.Key{{ID: "k1", Secret: make([]byte, 32)}}, make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	s, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Seal: box})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if _, err := s.Pool.Exec(t.Context(), `CREATE TABLE things (id uuid PRIMARY KEY, merchant_id uuid NOT NULL,
		state text NOT NULL CONSTRAINT things_state CHECK (state <> ''), other_id uuid, at timestamptz,
		created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL, secret_sealed bytea,
		tags text[] NOT NULL, facts jsonb NOT NULL, terms jsonb NOT NULL, parts_sealed bytea)`); err != nil {
		t.Fatal(err)
	}
	return s
}

// kept adds a record, in a unit of work of its own.
func kept(t *testing.T, s *database.DB, one thing) thing {
	t.Helper()
	if one.ID, one.MerchantID = s.NewID(), s.NewID(); one.State == "" {
		one.State = "open"
	}
	if err := s.InTx(t.Context(), func(tx *database.Tx) error { return tx.Gorm().Create(&one).Error }); err != nil {
		t.Fatal(err)
	}
	return one
}

func TestWhatIsEmptyIsNullAndComesBackEmpty(t *testing.T) {
	t.Parallel()
	s := withThings(t)
	empty, full := kept(t, s, thing{}), kept(t, s, thing{OtherID: s.NewID(), At: database.Instant(time.Now())})
	var nulls int64
	err := s.Gorm(t.Context()).Model(&thing{}).Scopes(database.AcrossMerchants).
		Where("other_id IS NULL AND at IS NULL").Count(&nulls).Error
	if err != nil || nulls != 1 {
		t.Errorf("%d records are without what they have not: %v", nulls, err)
	}
	for _, want := range []thing{empty, full} {
		var got thing
		err := s.Gorm(t.Context()).Scopes(database.OfMerchant(want.MerchantID)).Take(&got, "id = ?", want.ID).Error
		if err != nil || got.OtherID != want.OtherID || !got.At.Equal(want.At) {
			t.Errorf("%+v came back as %+v: %v", want, got, err)
		}
		if got.CreatedAt.Location() != time.UTC {
			t.Errorf("a moment is in %s", got.CreatedAt.Location())
		}
	}
	changed := full
	changed.At, changed.OtherID = time.Time{}, uuid.Nil
	if err := database.OneRow(s.Gorm(t.Context()).Model(&changed).Scopes(database.OfMerchant(full.MerchantID)).
		Select("at", "other_id").UpdateColumns(changed)); err != nil {
		t.Fatal(err)
	}
	err = s.Gorm(t.Context()).Model(&thing{}).Scopes(database.AcrossMerchants).
		Where("other_id IS NULL AND at IS NULL").Count(&nulls).Error
	if err != nil || nulls != 2 {
		t.Errorf("after what was there was taken, %d are without: %v", nulls, err)
	}
}

func TestAStatementThatNamesNoMerchantIsRefused(t *testing.T) {
	t.Parallel()
	s := withThings(t)
	mine := kept(t, s, thing{})
	db := s.Gorm(t.Context())
	var found []thing
	for name, err := range map[string]error{
		"a list":        db.Where("state = ?", "open").Find(&found).Error,
		"one":           db.Take(&found, "id = ?", mine.ID).Error,
		"a count":       db.Model(&thing{}).Where("state = ?", "open").Count(new(int64)).Error,
		"a change":      db.Model(&mine).Update("state", "over").Error,
		"a deletion":    db.Delete(&mine).Error,
		"a new record":  db.Create(&thing{ID: s.NewID(), State: "open"}).Error,
		"several":       db.Create([]thing{{ID: s.NewID(), MerchantID: s.NewID(), State: "open"}, {ID: s.NewID()}}).Error,
		"one of two":    db.Where("merchant_id = ?", mine.MerchantID).Or("state = ?", "open").Find(&found).Error,
		"another's too": db.Not("merchant_id = ?", mine.MerchantID).Find(&found).Error,
	} {
		if err == nil || !strings.Contains(err.Error(), "names no merchant") {
			t.Errorf("%s without a merchant: %v", name, err)
		}
	}
	if err := db.Scopes(database.OfMerchant(mine.MerchantID)).Find(&found).Error; err != nil || len(found) != 1 {
		t.Errorf("its own records: %d, %v", len(found), err)
	}
	if err := db.Scopes(database.AcrossMerchants).Find(&found).Error; err != nil || len(found) != 1 {
		t.Errorf("those of all: %d, %v", len(found), err)
	}
	if found[0].State != "open" {
		t.Errorf("a refused change was made: %+v", found[0])
	}
}

func TestFaultsOfStatementsAreOurs(t *testing.T) {
	t.Parallel()
	s := withThings(t)
	one := kept(t, s, thing{})
	of := database.OfMerchant(one.MerchantID)
	var found thing
	if err := s.Gorm(t.Context()).Scopes(of).Take(&found, "id = ?", s.NewID()).Error; !fault.Is(err, fault.NotFound) {
		t.Errorf("a record that is not there: %v", err)
	}
	closes := func() error {
		return database.OneRow(s.Gorm(t.Context()).Model(&one).Scopes(of).Where("state = ?", "open").
			Update("state", "over"))
	}
	if err := closes(); err != nil {
		t.Error(err)
	}
	if err := closes(); !errors.Is(err, fault.ErrLost) {
		t.Errorf("the second who closes it: %v", err)
	}
	err := s.Gorm(t.Context()).Create(&thing{ID: s.NewID(), MerchantID: s.NewID()}).Error
	if !database.Violates(err, "things_state") {
		t.Errorf("a broken constraint: %v", err)
	}
}

func TestWhatWaitsIsWrittenBeforeWhatIsAsked(t *testing.T) {
	t.Parallel()
	s := withThings(t)
	one := kept(t, s, thing{})
	of := database.OfMerchant(one.MerchantID)
	before := writes(s.Activity)
	err := s.InTx(t.Context(), func(tx *database.Tx) error {
		db := tx.Gorm() // before what waits
		tx.Later(`UPDATE things SET state = 'waited' WHERE id = $1`, one.ID)
		var seen thing
		if err := db.Scopes(of).Take(&seen, "id = ?", one.ID).Error; err != nil || seen.State != "waited" {
			t.Errorf("the unit of work does not see what it wrote: %+v, %v", seen, err)
		}
		return db.Model(&one).Scopes(of).Update("state", "over").Error
	})
	if err != nil {
		t.Fatal(err)
	}
	if writes(s.Activity) == before {
		t.Error("nobody is told that something was written")
	}
	var after thing
	if err := s.Gorm(t.Context()).Scopes(of).Take(&after, "id = ?", one.ID).Error; err != nil || after.State != "over" {
		t.Errorf("%+v, %v", after, err)
	}
}

// Of readers that go out together, one may ask by itself: the others go on, and it comes back.
func TestAReaderThatAsksByItselfKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	s := withThings(t)
	one := kept(t, s, thing{OtherID: s.NewID(), At: database.Instant(time.Now()), Tags: []string{"a, b", "é"},
		Facts: map[string]int{"n": 7}, Secret: "8412"})
	var mapped thing
	var n, m int
	err := database.AtOnce(t.Context(), func(ctx context.Context) error {
		if err := s.Gorm(ctx).Scopes(database.OfMerchant(one.MerchantID)).Take(&mapped, "id = ?", one.ID).Error; err != nil {
			return err
		}
		return s.Row(ctx, `SELECT count(*) FROM things WHERE merchant_id = ?`, one.MerchantID).Scan(&n)
	}, func(ctx context.Context) error {
		return s.Row(ctx, `SELECT count(*) FROM things`).Scan(&m)
	})
	if err != nil || n != 1 || m != 1 {
		t.Errorf("%d, %d: %v", n, m, err)
	}
	var alone thing
	if err := s.Gorm(t.Context()).Scopes(database.OfMerchant(one.MerchantID)).Take(&alone).Error; err != nil ||
		!reflect.DeepEqual(mapped, alone) || mapped.Secret != "8412" || mapped.Facts["n"] != 7 || mapped.Tags[1] != "é" {
		t.Errorf("with others it is read as %+v, alone as %+v: %v", mapped, alone, err)
	}
	var missing thing
	err = database.AtOnce(t.Context(), func(ctx context.Context) error {
		return s.Gorm(ctx).Scopes(database.OfMerchant(one.MerchantID)).Take(&missing, "id = ?", s.NewID()).Error
	}, func(ctx context.Context) error { return s.Row(ctx, `SELECT count(*) FROM things`).Scan(&m) })
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("a record that is not there, asked for with others: %v", err)
	}
}

func TestASecretOpensInItsPlaceAlone(t *testing.T) {
	t.Parallel()
	s := withThings(t)
	one, other, none := kept(t, s, thing{Secret: "8412"}), kept(t, s, thing{Secret: "7"}), kept(t, s, thing{})
	read := func(of thing) (got thing) {
		t.Helper()
		err := s.Gorm(t.Context()).Scopes(database.OfMerchant(of.MerchantID)).Take(&got, "id = ?", of.ID).Error
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := read(one); got.Secret != "8412" || got.Any() {
		t.Errorf("a secret came back as %q", got.Secret)
	}
	if got := read(none); got.Secret != "" || got.Any() {
		t.Errorf("none came back as %q", got.Secret)
	}
	var stored, nothing []byte
	if err := s.Row(t.Context(), `SELECT secret_sealed FROM things WHERE id = ?`, one.ID).Scan(&stored); err != nil ||
		bytes.Contains(stored, []byte("8412")) {
		t.Errorf("it is stored as %q: %v", stored, err)
	}
	err := s.Row(t.Context(), `SELECT secret_sealed FROM things WHERE id = ?`, none.ID).Scan(&nothing)
	if err != nil || nothing != nil {
		t.Errorf("none is stored as %q: %v", nothing, err)
	}
	_, err = s.Pool.Exec(t.Context(), `UPDATE things SET secret_sealed = $2 WHERE id = $1`, other.ID, stored)
	if err != nil {
		t.Fatal(err)
	}
	var list []thing
	if err := s.Gorm(t.Context()).Scopes(database.AcrossMerchants).Order("id").Find(&list).Error; err != nil {
		t.Errorf("a list with a secret that does not open: %v", err)
	} else if len(list) != 3 || list[0].Secret != "8412" || !list[1].Unreadable("secret_sealed") {
		t.Errorf("%+v", list)
	}
	moved := read(other)
	if moved.Secret != "" || !moved.Unreadable("secret_sealed") {
		t.Errorf("in another row it opens as %q", moved.Secret)
	}
	if err := database.OneRow(s.Gorm(t.Context()).Model(&moved).Scopes(database.OfMerchant(moved.MerchantID)).
		Select("state", "secret_sealed").
		UpdateColumns(&thing{ID: moved.ID, State: "over", Damage: moved.Damage})); err != nil {
		t.Fatal(err)
	}
	if got := read(other); got.State != "over" || !bytes.Equal(got.Stored("secret_sealed"), stored) {
		t.Errorf("what cannot be read was not kept: %+v", got)
	}
}

func TestWhatIsNoTextComesBackAsItWas(t *testing.T) {
	t.Parallel()
	s := withThings(t)
	none := kept(t, s, thing{})
	full := kept(t, s, thing{Terms: &struct{ N int }{7}, Parts: map[string]string{"name": "Nkosi"}})
	for how, from := range map[string]*gorm.DB{"plain": s.Gorm(t.Context()),
		"by the generic plan": s.Gorm(t.Context()).Scopes(database.GenericPlan),
		"without sorting":     s.Gorm(t.Context()).Scopes(database.Unsorted)} {
		var got []thing
		err := from.Scopes(database.AcrossMerchants).Order("id").Find(&got, "id IN ?", []uuid.UUID{none.ID, full.ID}).Error
		if err != nil || len(got) != 2 {
			t.Fatalf("%s: %d things, %v", how, len(got), err)
		}
		if got[0].Terms != nil || got[0].Parts != nil {
			t.Errorf("%s: nothing came back as %+v and %v", how, got[0].Terms, got[0].Parts)
		}
		if got[1].Terms == nil || got[1].Terms.N != 7 || got[1].Parts["name"] != "Nkosi" {
			t.Errorf("%s: %+v and %v", how, got[1].Terms, got[1].Parts)
		}
	}
	var stored []byte
	err := s.Row(t.Context(), `SELECT parts_sealed FROM things WHERE id = ?`, none.ID).Scan(&stored)
	if err != nil || stored != nil {
		t.Errorf("nothing is stored as %q: %v", stored, err)
	}
	err = s.Row(t.Context(), `SELECT parts_sealed FROM things WHERE id = ?`, full.ID).Scan(&stored)
	if err != nil || len(stored) == 0 || bytes.Contains(stored, []byte("Nkosi")) {
		t.Errorf("it is stored as %q: %v", stored, err)
	}
}
