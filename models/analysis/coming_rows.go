package analysis

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

// shapeDays and shapeCases are from which and how many debits it is judged by how much amounts differ.
const shapeDays, shapeCases = 40, 500

// shapes is by how much the amounts of some debits of the last days differ, by method and of all.
func (s Store) shapes(ctx context.Context, merchantID uuid.UUID, today calendar.Date) (map[bank.Method]float64, error) {
	var found []struct {
		Method bank.Method
		Shape  float64
	}
	if err := s.Gorm(ctx).Raw(`SELECT coalesce(method, '') AS method, (count(*) * sum(amount_cents::numeric ^ 2)
			/ sum(amount_cents::numeric) ^ 2)::double precision AS shape
		FROM (SELECT method, amount_cents FROM collections WHERE merchant_id = ? AND action_date > ?
			AND action_date <= ? LIMIT ?) AS few
		WHERE amount_cents > 0 GROUP BY GROUPING SETS ((few.method), ()) HAVING count(*) > 0`, merchantID,
		today.AddDays(-shapeDays), today, shapeCases).Find(&found).Error; err != nil {
		return nil, fmt.Errorf("how far amounts of debits differ: %w", err)
	}
	out := map[bank.Method]float64{}
	for _, f := range found {
		out[f.Method] = f.Shape
	}
	return out, nil
}
