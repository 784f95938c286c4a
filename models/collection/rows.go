package collection

import (
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
)

// ResultColumn keeps the code of what the bank answered about a collection.
func ResultColumn[T any](of func(*T) *Collection) table.Column[T] {
	return table.Column[T]{
		Name:  "result_code",
		Write: func(_ *seal.Box, record *T) (any, error) { return of(record).Result.Code, nil },
		Read: func(_ *seal.Box, record *T, stored []byte) error {
			if len(stored) > 0 {
				of(record).Result = ResultOf(string(stored))
			}
			return nil
		},
	}
}
