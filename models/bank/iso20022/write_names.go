package iso20022

import "strings"

// latin is how letters beyond the basic Latin set are written in it.
var latin = func() map[rune]string {
	table := map[rune]string{
		'Æ': "AE", 'æ': "ae", 'Œ': "OE", 'œ': "oe", 'ß': "ss", 'Ø': "O", 'ø': "o", 'Ł': "L", 'ł': "l", 'Đ': "D", 'đ': "d",
		'Ð': "D", 'ð': "d", 'Þ': "TH", 'þ': "th", 'ı': "i", 'ĳ': "ij", 'Ĳ': "IJ", 'ŉ': "'n", 'ẞ': "SS",
		'‘': "'", '’': "'", '‚': ",", '‛': "'", '´': "'", '`': "'", 'ʼ': "'", '′': "'",
		'‐': "-", '‑': "-", '‒': "-", '–': "-", '—': "-", '−': "-", '…': "...",
	}
	for plain, letters := range map[string]string{
		"A": "ÀÁÂÃÄÅĀĂĄǍẠẢẤẦẨẪẬ", "a": "àáâãäåāăąǎạảấầẩẫậ", "C": "ÇĆĈĊČ", "c": "çćĉċč", "D": "ĎḒḌ", "d": "ďḓḍ",
		"E": "ÈÉÊËĒĔĖĘĚẸẺẼẾỀỂỄỆ", "e": "èéêëēĕėęěẹẻẽếềểễệ", "G": "ĜĞĠĢǦ", "g": "ĝğġģǧ", "H": "ĤĦ", "h": "ĥħ",
		"I": "ÌÍÎÏĨĪĬĮİǏỈỊ", "i": "ìíîïĩīĭįǐỉị", "J": "Ĵ", "j": "ĵ", "K": "Ķ", "k": "ķ", "L": "ĹĻĽĿḼḶ", "l": "ĺļľŀḽḷ",
		"M": "Ṃ", "m": "ṃ", "N": "ÑŃŅŇŊṄṊǸ", "n": "ñńņňŋṅṋǹ", "O": "ÒÓÔÕÖŌŎŐƠǑỌỎỐỒỔỖỘỚỜỞỠỢ", "o": "òóôõöōŏőơǒọỏốồổỗộớờởỡợ",
		"R": "ŔŖŘ", "r": "ŕŗř", "S": "ŚŜŞŠȘṢ", "s": "śŝşšșṣ", "T": "ŢŤŦȚṰṬ", "t": "ţťŧțṱṭ",
		"U": "ÙÚÛÜŨŪŬŮŰŲƯǓỤỦỨỪỬỮỰ", "u": "ùúûüũūŭůűųưǔụủứừửữự", "W": "ŴẀẂẄ", "w": "ŵẁẃẅ",
		"Y": "ÝŶŸỲỴỶỸ", "y": "ýÿŷỳỵỷỹ", "Z": "ŹŻŽ", "z": "źżž",
	} {
		for _, letter := range letters {
			table[letter] = plain
		}
	}
	return table
}()

// basic tells the characters that banks take: those of the SWIFT set.
func basic(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/-?:().,'+ ", r)
}

// Plain writes a text in characters that banks take. Accents fall away, what has no place in the set is a space, and
// spaces in a row are one.
func Plain(text string) string {
	out := make([]byte, 0, len(text))
	add := func(r byte) {
		if r != ' ' || len(out) > 0 && out[len(out)-1] != ' ' {
			out = append(out, r)
		}
	}
	for _, r := range text {
		switch replaced, found := latin[r]; {
		case basic(r):
			add(byte(r)) //nolint:gosec // basic characters are ASCII
		case found:
			out = append(out, replaced...)
		case r >= '\u0300' && r <= '\u036f': // an accent that follows its letter
		default:
			add(' ')
		}
	}
	return strings.TrimRight(string(out), " ")
}

// name is a name as the bank takes it: in its characters and its length.
func (e *Encoder) name(text string) string {
	text = Plain(text)
	if len(text) > e.d.NameLength {
		text = strings.TrimRight(text[:e.d.NameLength], " ")
	}
	return text
}

// Columns writes a statement line in characters that banks take. Its parts stand in columns, so each character stays
// where it is.
func Columns(line string) string {
	out := make([]byte, 0, len(line))
	for _, r := range line {
		replaced := latin[r]
		switch {
		case basic(r):
			out = append(out, byte(r)) //nolint:gosec // basic characters are ASCII
		case len(replaced) > 0:
			out = append(out, replaced[0])
		default:
			out = append(out, ' ')
		}
	}
	return strings.TrimRight(string(out), " ")
}

// identifier says what is wrong with an id that others are to give back; nothing when it is fine.
func identifier(id string) string {
	switch {
	case id == "":
		return "is missing"
	case len(id) > 35:
		return "has more than 35 characters"
	case strings.ContainsFunc(id, func(r rune) bool { return !basic(r) || r == ' ' }):
		return "has characters that banks do not take"
	case strings.HasPrefix(id, "/") || strings.HasSuffix(id, "/") || strings.Contains(id, "//"):
		return "has a slash where banks take none"
	default:
		return ""
	}
}
