package table_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
)

type colour string

type size struct {
	Width  int
	Length int `gorm:"default:null"`
}

type cloth struct {
	ID, MerchantID uuid.UUID
	Colour         colour
	Maker          string            `gorm:"<-:create"`
	Size           size              `gorm:"embedded"`
	Shades         []colour          `gorm:"type:text[]"`
	Notes          map[string]int    `gorm:"serializer:json;not null"`
	Wash           *struct{ At int } `gorm:"serializer:json"`
	OwnerID        uuid.UUID         `gorm:"not null"`
	WovenAt        time.Time
	Sold           bool     `gorm:"->"`
	Shop           string   `gorm:"->;-:migration"`
	Cut            []string `gorm:"-"`
	CreatedAt      time.Time
}

var cloths = table.New("cloths", table.Column[cloth]{Name: "words", Once: true,
	Write: func(_ *seal.Box, c *cloth) (any, error) {
		return strings.ToUpper(string(c.Colour)), nil
	}})

func TestTheStatementsOfATableAreItsFields(t *testing.T) {
	for _, c := range []struct{ what, is, want string }{
		{"insert", cloths.Insert.SQL,
			"INSERT INTO cloths (id, merchant_id, colour, maker, width, length, shades, notes, wash, owner_id, " +
				"woven_at, created_at, words)" +
				" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"},
		{"select", cloths.Select,
			"SELECT id, merchant_id, colour, maker, width, length, shades, notes, wash, owner_id, woven_at, sold, created_at " +
				"FROM cloths WHERE "},
		{"columns", cloths.Columns("c", "notes", "wash", "shades", "merchant_id"),
			"c.id, c.colour, c.maker, c.width, c.length, c.owner_id, c.woven_at, c.sold, c.created_at"},
		{"all that may change", cloths.Write(`UPDATE cloths SET @set WHERE id = @id AND colour = @from`, "from").SQL,
			"UPDATE cloths SET colour = $1, width = $2, length = $3, shades = $4, notes = $5, wash = $6, owner_id = $7, " +
				"woven_at = $8 WHERE id = $9 AND colour = $10"},
		{"some, one of them twice",
			cloths.Write(`UPDATE cloths SET @set(words, colour), sold = (@colour = 'red') WHERE id = @id`).SQL,
			"UPDATE cloths SET colour = $1, words = $2, sold = ($1 = 'red') WHERE id = $3"},
	} {
		if c.is != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.what, c.is, c.want)
		}
	}
}

func TestAStatementWithANameThatIsNoColumnDoesNotStart(t *testing.T) {
	for _, sql := range []string{`UPDATE cloths SET @set(hue) WHERE id = @id`,
		`UPDATE cloths SET @set WHERE id = @id AND colour = @from`, `UPDATE cloths SET shop = @shop`} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is a statement", sql)
				}
			}()
			cloths.Write(sql)
		}()
	}
}

func TestZeroValuesAreNullWhereNothingElseIsSaid(t *testing.T) {
	st := cloths.Write(`(@merchant_id, @length, @width, @notes, @wash, @shades, @owner_id, @woven_at, @colour, @from)`,
		"from")
	check := func(c cloth, want ...any) {
		t.Helper()
		got, err := st.Args(nil, &c, "red")
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	}
	check(cloth{}, nil, nil, 0, "{}", nil, []string{}, pgtype.UUID{Valid: true}, nil, "", "red")
	id := uuid.New()
	at := time.Date(2026, 11, 22, 8, 0, 0, 1234567, time.FixedZone("SAST", 2*60*60))
	check(cloth{MerchantID: id, Size: size{1, 2}, Notes: map[string]int{"a": 1}, Wash: &struct{ At int }{30},
		Shades: []colour{"dark"}, OwnerID: id, WovenAt: at, Colour: "blue"},
		pgtype.UUID{Bytes: id, Valid: true}, 2, 1, `{"a":1}`, `{"At":30}`, []string{"dark"},
		pgtype.UUID{Bytes: id, Valid: true},
		time.Date(2026, 11, 22, 6, 0, 0, 1234000, time.UTC), "blue", "red")
	if _, err := st.Args(nil, &cloth{}); err == nil {
		t.Error("a statement was given fewer values than it names")
	}
}

func TestARecordIsReadFromTheJSONOfItsRow(t *testing.T) {
	id := uuid.New()
	got, err := cloths.FromJSON(nil, []byte(`{"id": "`+id.String()+
		`", "colour": "red", "shades": ["dark"], "notes": {"a": 1}, "woven_at": "2026-11-22T06:00:00+00:00", "wash": null, "younger": 1}`))
	want := cloth{ID: id, Colour: "red", Shades: []colour{"dark"}, Notes: map[string]int{"a": 1}, WovenAt: got.WovenAt}
	if err != nil || !reflect.DeepEqual(got, want) || !got.WovenAt.Equal(time.Date(2026, 11, 22, 6, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v, %v", got, err)
	}
}

type pin string

func (p pin) Reveal() string { return string(p) }

func TestASecretIsNoColumn(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a secret is kept as it is")
		}
	}()
	table.New[struct{ Pin pin }]("safes")
}
