package main

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"debitdesk/static"
)

// sqlState is how PostgreSQL names an error.
var sqlState = regexp.MustCompile(`SQLSTATE [0-9A-Z]{5}`)

// repeated is what a text repeats of what it was given: in quotation marks, or in the brackets of PostgreSQL's details.
var repeated = regexp.MustCompile("\"[^\"]*\"|'[^']*'|“[^”]*”|`[^`]*`|=\\([^)]*\\)")

// ownWords begin with a capital letter and are names of no one.
var ownWords = strings.Fields(`A An The This That It No Not Is In On At To By Of For If When What Each All And Or
	PostgreSQL SQLSTATE ERROR FATAL PANIC WARNING DETAIL HINT EOF TLS TCP HTTP SMTP SFTP SQL JSON XML DNS NTP MB GB UTC
	DATABASE_URL DATABASE_READ_URL DATABASE_DIRECT_URL River Go Linux`)

var (
	lowerWord = regexp.MustCompile(`^[(\[]*[a-z][a-z_/-]{0,23}[a-z)\],.:;!?]*$`)
	smallSum  = regexp.MustCompile(`^[(\[]*[+-]?[0-9]{1,4}([.][0-9]{1,6})?(ns|µs|ms|s|m|h|%|MB|GB)?[)\],.:;]*$`)
)

// technical are words of errors that the manual does not use.
const technical = `accept aborted address already argument bad bind broken buffer canceled cannot certificate closed
	column connect connection constraint context corrupt deadline deadlock denied detected dial directory disk does
	duplicate early exceeded exist exists exited expired failed file goroutine handshake host incomplete index invalid io
	key killed left length listen lock lookup memory network nil null of open operation out panic permission pipe pool
	process query reached read recovery refused relation reset resource route row running runtime serialize server shut
	shutting signal slots space starting statement stack such syntax system table temporarily terminated terminating
	timed timeout too transaction type unavailable unexpected unique unknown unreachable update use used value violates
	wait waiting write wrong`

// vocabulary are the words that may stay: those of the manual, and of errors. A name in lower-case letters is none.
var vocabulary = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(technical) {
		all[word] = true
	}
	chapters, _ := fs.Glob(static.Manual, "manual/*.md")
	for _, chapter := range chapters {
		text, _ := fs.ReadFile(static.Manual, chapter)
		for word := range strings.FieldsSeq(string(text)) {
			if lowerWord.MatchString(word) {
				all[bare(word)] = true
			}
		}
	}
	return all
})

// bare is a word without the signs around it.
func bare(word string) string { return strings.Trim(word, "()[],.:;!?") }

// plainWords keeps the words and the small numbers of a text of ours: an address, a path, a name, a long
// number and what stands in quotation marks are left out. It leaves out too much rather than too little.
func plainWords(text string) string {
	states := sqlState.FindAllString(text, -1)
	text = repeated.ReplaceAllString(text, " "+gap+" ")
	var out []string
	for _, word := range strings.Fields(text) {
		kept := known(word)
		if !kept && len(out) > 0 && out[len(out)-1] == gap {
			continue
		}
		if !kept {
			word = gap
		}
		out = append(out, word)
	}
	return strings.Join(append(out, states...), " ")
}

func known(word string) bool {
	if word == gap || word == "–" || word == "→" || word == "+" || smallSum.MatchString(word) {
		return true
	}
	return lowerWord.MatchString(word) && vocabulary()[bare(word)] || slices.Contains(ownWords, bare(word))
}
