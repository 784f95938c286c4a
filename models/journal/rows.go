package journal

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm/clause"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// roleSums are the columns of the roles, summed.
func roleSums() string {
	sums := make([]string, len(Roles))
	for i, r := range Roles {
		sums[i] = "coalesce(sum(e." + string(r) + "), 0)::bigint"
	}
	return strings.Join(sums, ", ")
}

func roleColumns() string {
	columns := make([]string, len(Roles))
	for i, r := range Roles {
		columns[i] = "e." + string(r)
	}
	return strings.Join(columns, ", ")
}

func into(c *Cents) (fields []any) {
	for i := range c {
		fields = append(fields, &c[i])
	}
	return fields
}

func (s Store) mapping(ctx context.Context, merchantID uuid.UUID) (m Mapping, err error) {
	m = Mapping{Settings: Settings{MerchantID: merchantID, YearStarts: 3, TaxRate: "No VAT",
		SalesTax: "Standard Rate Sales"}, Accounts: Accounts{}}
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&m.Settings).Error
	if err != nil && !fault.Is(err, fault.NotFound) {
		return m, fmt.Errorf("settings of the books: %w", err)
	}
	var chosen []accountChosen
	if err := s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Find(&chosen).Error; err != nil {
		return m, fmt.Errorf("accounts of the books: %w", err)
	}
	for _, c := range chosen {
		m.Accounts[place{c.Role, c.BrandID}] = Account{c.Code, c.Name}
	}
	return m, nil
}

// TableName implements GORM's Tabler.
func (Settings) TableName() string { return "book_settings" }

// accountChosen is what a merchant chose for a role.
type accountChosen struct {
	MerchantID uuid.UUID `gorm:"primaryKey"`
	Role       Role      `gorm:"primaryKey"`
	BrandID    uuid.UUID `gorm:"primaryKey"` // zero: of all brands
	Code, Name string
}

// TableName implements GORM's Tabler.
func (accountChosen) TableName() string { return "book_accounts" }

func keepMapping(tx *database.Tx, set Settings, chosen []Chosen) error {
	keep := func(record any) error {
		return tx.Gorm().Clauses(clause.OnConflict{UpdateAll: true}).Create(record).Error
	}
	err := keep(&set)
	for _, c := range chosen {
		of := accountChosen{set.MerchantID, c.Role, c.BrandID, c.Code, c.Name}
		switch {
		case err != nil:
			return fmt.Errorf("keep the accounts of the books: %w", err)
		case c.Code == "":
			err = tx.Gorm().Scopes(database.OfMerchant(set.MerchantID)).
				Delete(&accountChosen{}, "role = ? AND brand_id = ?", c.Role, c.BrandID).Error
		default:
			err = keep(&of)
		}
	}
	return err
}

// book reads the entries of some days, and what came before, as they stood at one moment.
func (s Store) book(ctx context.Context, merchantID uuid.UUID, ask Ask, most int) (b Book, err error) {
	err = pgx.BeginTxFunc(ctx, s.Pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
		func(tx pgx.Tx) error {
			args := pgx.NamedArgs{"m": merchantID.String(), "from": ask.From.String(), "to": ask.To.String(),
				"currency": ask.Currency, "most": most, "kinds": kindsOf(ask), "after": ask.After, "upto": ask.UpTo}
			var err error
			if b.Opening, err = openingOf(ctx, tx, merchantID, ask); err != nil {
				return err
			}
			if b.Opening, err = withEarlierPieces(ctx, tx, b.Opening, args, ask); err != nil {
				return err
			}
			var e Entry
			query := entries
			if ask.ByDay {
				query = entriesByDay
			}
			rows, err := tx.Query(ctx, query(), args)
			if err != nil {
				return err
			}
			return eachEntry(rows, &e, nil, func() error { b.Entries = append(b.Entries, e); return nil })
		})
	if err != nil {
		return b, fmt.Errorf("read the journal: %w", err)
	}
	return b, nil
}

// perDay counts the entries that a file has of each day.
func (s Store) perDay(ctx context.Context, merchantID uuid.UUID, ask Ask) (out []dayCount, err error) {
	count := `SELECT e.day::text, count(*) FROM journal_entries e` + ofDays + ` GROUP BY 1`
	if ask.ByDay {
		count = `SELECT e.day::text, count(*) FROM (SELECT DISTINCT e.day, e.true_day, e.kind, e.brand_id
			FROM journal_entries e` + ofDays + `) AS e GROUP BY 1`
	}
	rows, err := s.Pool.Query(ctx, count+` ORDER BY 1`, pgx.NamedArgs{"m": merchantID.String(), "from": ask.From.String(),
		"to": ask.To.String(), "currency": ask.Currency, "kinds": kindsOf(ask)})
	if err != nil {
		return nil, fmt.Errorf("count entries by day: %w", err)
	}
	var day string
	var n int64
	if _, err := pgx.ForEachRow(rows, []any{&day, &n}, func() error {
		on, err := calendar.ParseDate(day)
		out = append(out, dayCount{Day: on, N: n})
		return err
	}); err != nil {
		return nil, fmt.Errorf("count entries by day: %w", err)
	}
	return out, nil
}

const ofDays = ` WHERE e.merchant_id = @m::uuid AND e.day BETWEEN @from::date AND @to::date AND e.currency = @currency
	AND (@kinds::text[] IS NULL OR e.kind = ANY(@kinds::text[]))`

// ofPiece is the piece of a day.
const ofPiece = ` AND e.n > @after::bigint AND (@upto::bigint = 0 OR e.n <= @upto::bigint)`

// withEarlierPieces adds to the opening of a piece what stands in the pieces before it.
func withEarlierPieces(ctx context.Context, tx pgx.Tx, opening []Entry, args pgx.NamedArgs, ask Ask) ([]Entry, error) {
	if ask.After == 0 {
		return opening, nil
	}
	rows, err := tx.Query(ctx, `SELECT e.brand_id, `+roleSums()+` FROM journal_entries e WHERE e.merchant_id = @m::uuid
		AND e.day = @from::date AND e.n <= @after::bigint AND e.currency = @currency GROUP BY 1 ORDER BY 1`, args)
	if err != nil {
		return nil, err
	}
	var e Entry
	_, err = pgx.ForEachRow(rows, append([]any{(*[16]byte)(&e.BrandID)}, into(&e.Cents)...), func() error {
		at := slices.IndexFunc(opening, func(o Entry) bool { return o.BrandID == e.BrandID })
		if at < 0 {
			opening = append(opening, e)
		} else {
			opening[at].Cents = opening[at].Cents.Plus(e.Cents)
		}
		return nil
	})
	return opening, err
}

// ends are the numbers of the entries of a day with which pieces of most entries end, without that of the last piece.
func (s Store) ends(ctx context.Context, merchantID uuid.UUID, ask Ask, day calendar.Date, most int64) (out []int64,
	err error) {
	rows, err := s.Pool.Query(ctx, `SELECT n FROM (
		SELECT e.n, row_number() OVER (ORDER BY e.n) AS r, count(*) OVER () AS all_of FROM journal_entries e`+
		ofDays+`) AS e WHERE r % @most::bigint = 0 AND r < all_of ORDER BY n`,
		pgx.NamedArgs{"m": merchantID.String(), "from": day.String(), "to": day.String(), "currency": ask.Currency,
			"kinds": kindsOf(ask), "most": most})
	if err == nil {
		out, err = pgx.CollectRows(rows, pgx.RowTo[int64])
	}
	if err != nil {
		return nil, fmt.Errorf("divide a day of the journal: %w", err)
	}
	return out, nil
}

// kindsOf are the kinds of entries that are asked for; nil: all.
func kindsOf(ask Ask) []string {
	if !ask.Documents {
		return nil
	}
	return []string{string(Invoiced), string(Credited)}
}

// called joins what the entry e of the purchase p has its name from, which calledBy gives.
const (
	called = `LEFT JOIN invoices i ON i.id = e.source_id AND i.merchant_id = e.merchant_id
		LEFT JOIN book_records c ON c.id = e.source_id AND c.merchant_id = e.merchant_id`
	calledBy = `coalesce(nullif(i.number, ''), p.reference_generated, nullif(c.reference, ''), c.what, '')`
)

func entries() string {
	return `SELECT e.n, 0, e.kind, e.brand_id, e.purchase_id, e.day::text, e.true_day::text, e.source_id, e.currency,
			e.code, ` + calledBy + `,
			coalesce(nullif(p.payer_name, ''), p.payer_email, ''), ` +
		roleColumns() + `
		FROM (SELECT * FROM journal_entries e` + ofDays + ofPiece + ` ORDER BY e.day, e.n LIMIT @most) AS e
			LEFT JOIN purchases p ON p.id = e.purchase_id AND p.merchant_id = e.merchant_id
			` + called + `
		ORDER BY e.day, e.n`
}

func entriesByDay() string {
	return `SELECT min(e.n), count(*)::integer, e.kind, e.brand_id, '00000000-0000-0000-0000-000000000000'::uuid,
			e.day::text, e.true_day::text, '00000000-0000-0000-0000-000000000000'::uuid, e.currency, '', '',
			'', ` + roleSums() + `
		FROM journal_entries e` + ofDays + ` GROUP BY e.day, e.true_day, e.kind, e.brand_id, e.currency
		ORDER BY e.day, min(e.n) LIMIT @most`
}

// currencies are those that anything was posted in.
func (s Store) currencies(ctx context.Context, merchantID uuid.UUID) (out []string, err error) {
	err = s.Gorm(ctx).Table("brands").Distinct().Scopes(database.OfMerchant(merchantID)).Where("currency <> ''").
		Order("currency").Pluck("currency", &out).Error
	return out, err
}

// differences are what the journal has otherwise than the rows that it is of.
func (s Store) differences(ctx context.Context, merchantID uuid.UUID) (out []Difference, err error) {
	err = s.Gorm(ctx).Raw(`SELECT figure, what, kept, facts FROM check_journal(?) ORDER BY figure, what LIMIT 1000`,
		merchantID).Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("check the journal: %w", err)
	}
	return out, nil
}
