package sms

import (
	"debitdesk/models/bank"
)

// Mobile brings the number of a South African mobile phone into the form +27 and nine digits; ok is false for landlines
// and for numbers of other countries. Mobile numbers have 6, 7 or 8 after the country code.
func Mobile(text string) (number string, ok bool) {
	digits, ok := bank.NormalisePhone(text)
	if !ok || digits[2] < '6' || digits[2] > '8' {
		return "", false
	}
	return "+" + digits, true
}

// Masked is a number of which its owner knows the rest: •••• 4567, in one line.
func Masked(number string) string {
	const shown = 4
	return "••••\u00a0" + number[max(0, len(number)-shown):]
}
