package requestlog

import "strings"

// longRun is how many digits on their own are taken for somebody's number, wherever
// they stand: an account in the place of an id, or named in a message.
const longRun = 9

// hideRuns hides long numbers inside a text. Digits that touch a letter or a hyphen
// are part of something else: an id, a reference, a date.
func hideRuns(text string) string {
	if !hasRun(text) {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); {
		j := i
		for j < len(text) && isDigit(text[j]) {
			j++
		}
		if j == i {
			out.WriteByte(text[i])
			i++
			continue
		}
		if j-i >= longRun && (i == 0 || !joins(text[i-1])) && (j == len(text) || !joins(text[j])) {
			out.WriteString(Hidden + " " + text[j-4:j])
		} else {
			out.WriteString(text[i:j])
		}
		i = j
	}
	return out.String()
}

func hasRun(text string) bool {
	n := 0
	for i := range len(text) {
		if !isDigit(text[i]) {
			n = 0
		} else if n++; n >= longRun {
			return true
		}
	}
	return false
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func joins(b byte) bool {
	return b == '-' || b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// isTime tells whether a name is one of a moment in Unix seconds, which is as long as
// an account number and nobody's.
func isTime(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "time", "due", "now", "timestamp", "from", "to", "since":
		return true
	}
	return strings.HasSuffix(name, "_on") || strings.HasSuffix(name, "_from") || strings.HasSuffix(name, "_to") ||
		strings.HasSuffix(name, "_at")
}

// isAmount tells whether a name is one of an amount of money or a quantity.
func isAmount(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"amount", "price", "total", "cents", "balance", "discount", "quantity", "turnover",
		"fee", "net"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
