package handlers

import (
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/manual"
	"debitdesk/models/fault"
)

// contactLasts is how long a reader may rely on the contact; RFC 9116 asks for less than a year.
const contactLasts = 180 * 24 * time.Hour

// securityText serves /.well-known/security.txt (RFC 9116), once the operator has named a contact.
func (e *edge) securityText(c echo.Context) error {
	if e.SecurityContact == "" {
		return fault.Missing()
	}
	expires := time.Now().UTC().Add(contactLasts).Truncate(24 * time.Hour)
	return c.String(http.StatusOK, fmt.Sprintf(`Contact: %s
Expires: %s
Preferred-Languages: en
Canonical: %s/.well-known/security.txt
Policy: %[3]s%s/security#reporting-a-fault
`, e.SecurityContact, expires.Format(time.RFC3339), e.BaseURL, manual.Path))
}
