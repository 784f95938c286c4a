package journal

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

func (s Store) bases(ctx context.Context, merchantID uuid.UUID) (out []Basis, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Order("from_day DESC").Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("bases of VAT: %w", err)
	}
	return out, nil
}

// TableName implements GORM's Tabler.
func (Basis) TableName() string { return "book_vat_bases" }

func keepBasis(tx *database.Tx, merchantID uuid.UUID, b Basis) error {
	b.MerchantID = merchantID
	return tx.Gorm().Clauses(clause.OnConflict{UpdateAll: true}).Create(&b).Error
}

// lastInvoiced is the newest day on which an invoice is booked; zero where none is.
func (s Store) lastInvoiced(ctx context.Context, merchantID uuid.UUID) (calendar.Date, error) {
	return s.date(ctx, `SELECT max(day) AS day FROM journal_entries
		WHERE merchant_id = ? AND kind = 'invoice'`, merchantID)
}

// vatOf gives beside each entry e what of it goes where on the VAT201. On payments basis that is what came in or went
// back for invoices; the debtors tell how much.
const vatOf = ` CROSS JOIN LATERAL (SELECT
		CASE WHEN e.kind = 'written_off' THEN 0
			WHEN e.kind IN ('invoice', 'credit_note') THEN e.unap + CASE WHEN e.deferred THEN 0 ELSE e.ar END
			WHEN e.deferred THEN -(e.ar + e.rec + e.vato + e.vatd) ELSE 0 END AS whole,
		CASE WHEN e.kind IN ('invoice', 'credit_note') OR e.deferred AND e.kind <> 'written_off' THEN -e.vato ELSE 0 END
			AS output,
		CASE WHEN e.kind NOT IN ('invoice', 'credit_note', 'written_off') AND NOT e.deferred THEN -e.vato ELSE 0 END
			AS recovered,
		CASE WHEN e.kind = 'written_off' THEN e.vato ELSE 0 END AS bad) w
	CROSS JOIN LATERAL (SELECT CASE WHEN w.output = 0 THEN 0
		WHEN abs(round(w.whole * (@rate)::numeric / (10000 + @rate)) - w.output) <= 1 THEN w.whole
		ELSE round(w.output * (10000 + (@rate)::numeric) / @rate)::bigint END AS standard) v`

// boxes are the columns of the fields.
var boxes = map[Box]string{BoxStandard: "v.standard", BoxUntaxed: "w.whole - v.standard", BoxOutput: "w.output",
	BoxRecovered: "w.recovered", BoxInput: "e.vati", BoxBad: "w.bad"}

// vat adds the fields up over some days, and tells whether invoices on another basis are among the entries.
func (s Store) vat(ctx context.Context, merchantID uuid.UUID, from, to calendar.Date,
	payments bool) (map[Box]int64, bool, error) {
	sums, fields := "", []any{}
	cents := make([]int64, len(Boxes))
	for i, b := range Boxes {
		sums += "coalesce(sum(" + boxes[b] + "), 0)::bigint, "
		fields = append(fields, &cents[i])
	}
	var mixed bool
	err := s.Gorm(ctx).Raw(`SELECT `+sums+`coalesce(bool_or(e.deferred <> @payments AND e.vati = 0), false)
		FROM journal_entries e`+vatOf+`
		WHERE e.merchant_id = (@m)::uuid AND e.day BETWEEN (@from)::date AND (@to)::date AND e.currency = 'ZAR'
			AND (e.vato <> 0 OR e.vatd <> 0 OR e.vati <> 0 OR e.kind IN ('invoice', 'credit_note') OR e.deferred)`,
		map[string]any{"m": merchantID, "from": from, "to": to, "rate": rateOn(to), "payments": payments}).
		Row().Scan(append(fields, &mixed)...)
	if err != nil {
		return nil, false, fmt.Errorf("sheet of VAT: %w", err)
	}
	out := map[Box]int64{}
	for i, b := range Boxes {
		out[b] = cents[i]
	}
	return out, mixed, nil
}
