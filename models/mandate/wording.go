package mandate

import "debitdesk/models/merchant"

// Wording is the text of the permission.
func Wording(m Mandate, b merchant.Brand, currency string) string { return b.Name }
