package sms

import "strings"

// plain are characters that word processors put in the place of plain ones. Letters stay: a name is never altered.
var plain = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "’", "'", "‘", "'", "“", `"`, "”", `"`, "–", "-",
	"—", "-", "…", "...", "•", "-", "\t", " ", "\r\n", "\n", "\r", "\n", "`", "'")

// Plain writes a text in plain characters, so that one curly quote does not make a message three times as dear.
func Plain(text string) string { return plain.Replace(text) }

// longestName is how much of a business's name a text of ours holds.
const longestName = 20

// Shorten cuts a name of a business to what a text of ours holds, at a word where there is one.
func Shorten(name string) string {
	name = strings.Join(strings.Fields(Plain(name)), " ")
	letters := []rune(name)
	if len(letters) <= longestName {
		return name
	}
	short := string(letters[:longestName])
	if at := strings.LastIndexByte(short, ' '); at > longestName/2 && letters[longestName] != ' ' {
		short = short[:at]
	}
	return strings.TrimRight(short, " ,.&-")
}
