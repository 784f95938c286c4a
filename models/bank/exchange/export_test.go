package exchange

// EarlierKey is the key of a movement before keys told the account.
func EarlierKey(e Event) string { return entryKey("entry", e, anonymous(Document{}, e)) }

// Remittance is what is kept of what a payment says of itself.
var Remittance = remittance
