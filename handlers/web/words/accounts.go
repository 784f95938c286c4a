package words

import (
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/mandate"
)

// PhoneWords writes a South African number as people read it: 082 123 4567.
func PhoneWords(phone string) string {
	if number, is := strings.CutPrefix(phone, "+27"); is && len(number) == 9 {
		phone = "27" + number
	}
	if len(phone) == 11 && strings.HasPrefix(phone, "27") {
		return "0" + phone[2:4] + " " + phone[4:7] + " " + phone[7:]
	}
	return phone
}

// PhoneHref has a phone call a number as it is kept.
func PhoneHref(phone string) string {
	if strings.HasPrefix(phone, "27") {
		phone = "+" + phone
	}
	return "tel:" + phone
}

// BankWords is the bank's name, or its branch code where that is not in our list.
func BankWords(code string) string {
	if name := bank.BankName(code); name != "" {
		return name
	}
	return code
}

var becauseWords = map[string]string{
	collection.BecauseEFT:         "every EFT debit can be disputed",
	mandate.BecauseFallback:       "the client did not confirm the mandate",
	mandate.BecauseAmountDiffers:  "the amount differs from the mandate",
	mandate.BecauseDateDiffers:    "the date differs from the mandate",
	mandate.BecauseSecondInPeriod: "it is the second debit in one period of the mandate",
}

// Because says why a debit can be disputed.
func Because(reason string) string {
	if text := becauseWords[reason]; text != "" {
		return text
	}
	return "the mandate does not cover it"
}

// AllBecause says every reason for which a debit can be disputed.
func AllBecause(reasons []string, between string) string {
	parts := make([]string, len(reasons))
	for i, r := range reasons {
		parts[i] = Because(r)
	}
	return strings.Join(parts, between)
}
