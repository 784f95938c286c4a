package store

import (
	"strconv"

	"github.com/google/uuid"

	"debitdesk/models/store/seal"
)

// The places of sealed values, as the rotation of keys finds them by sealedColumns.

func placeOf(table, column string, owner, row uuid.UUID) seal.Place {
	return seal.Place{Owner: owner, Table: table, Column: column, Row: row.String()}
}

// cellsAt is the place of the cells of one row of a batch.
func cellsAt(merchantID, batchID uuid.UUID, n int) seal.Place {
	return seal.Place{Owner: merchantID, Table: "batch_rows", Column: "cells", Row: batchID.String() + "/" + strconv.Itoa(n)}
}

// accountAt is the place of the account number of a token.
func accountAt(merchantID, tokenID uuid.UUID) seal.Place {
	return placeOf("tokens", "account_sealed", merchantID, tokenID)
}

// answerAt is the place of the answer that an Idempotency-Key keeps.
func answerAt(merchantID string, isTest bool, key string) seal.Place {
	owner, _ := uuid.Parse(merchantID)
	return seal.Place{Owner: owner, Table: "idempotency_keys", Column: "body", Row: strconv.FormatBool(isTest) + "/" + key}
}
