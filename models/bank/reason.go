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

// isMandateCode: reasons about mandates have four characters, as have a bank's reasons about debits that are in neither
// list.
func isMandateCode(code string) bool {
	for _, c := range mandateCodes {
		if c.Code == code {
			return true
		}
	}
	return false
}
