package access

import (
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/models/fault"
)

// ID reads an id of the address. What is no id, or is written in another form than ours,
// leads to no record.
func ID(c echo.Context, name string) (uuid.UUID, error) {
	text := c.Param(name)
	id, err := uuid.Parse(text)
	if err != nil || len(text) != len(uuid.Nil.String()) {
		return uuid.Nil, fault.Missing()
	}
	return id, nil
}
