package exchange

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// unstorable tells an error about what is to be stored from one of the database or of the connection: data that a type
// or a rule refuses. (PostgreSQL: classes 22 and 23)
func unstorable(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && (strings.HasPrefix(refused.Code, "22") || strings.HasPrefix(refused.Code, "23"))
}
