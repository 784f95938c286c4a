package bank

// Label puts any code of a bank into words, be it a return code or a reason about
// a mandate: "Not enough money (02)".
func Label(code string) string {
	if isMandateCode(code) {
		return MandateCodeOf(code).Label()
	}
	return CodeOf(code).Label()
}

// Remedy is what helps after any code of a bank, in one sentence.
func Remedy(code string) string {
	if isMandateCode(code) {
		return MandateCodeOf(code).Remedy
	}
	return CodeOf(code).Remedy
}

// isMandateCode: return codes have two digits, reasons about mandates four characters.
func isMandateCode(code string) bool { return len(code) == 4 }
