package audit

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
)

// Export is a list that is taken out of the product as a file.
type Export struct {
	List    string            // "purchases"
	Format  string            // "csv"
	Filters map[string]string // as the address has them
	Rows    int64             // as counted when it began
	Exact   bool              // false: there are more than Rows
	Columns int
}

// Exports keeps who took which list.
type Exports struct {
	InTx func(context.Context, func(Log) error) error
}

// Begin keeps the entry before the first row leaves, so that an export which is
// broken off is known too. Whoever may see a list may export it.
func (s *Exports) Begin(ctx context.Context, who actor.Actor, e Export) error {
	if err := who.May(actor.Read); err != nil {
		return err
	}
	return s.InTx(ctx, func(log Log) error {
		log.Audit(who, e.Entry(who))
		return nil
	})
}

// Entry is what the record says of an export.
func (e Export) Entry(who actor.Actor) Entry {
	filters := make(map[string]string, len(e.Filters))
	for name, value := range e.Filters {
		filters[name] = value
	}
	// People search for names, addresses and numbers of clients. An entry is kept for ten years and cannot be changed,
	// also after the client was erased: what was searched for is told by its beginning and its length alone.
	for name, value := range filters {
		if name == "q" || strings.HasSuffix(name, "_q") {
			filters[name] = maskedSearch(value)
		}
	}
	var rows any = e.Rows
	switch {
	case !e.Exact && e.Rows == 0:
		rows = "many"
	case !e.Exact:
		rows = fmt.Sprintf("more than %d", e.Rows)
	}
	return Entry{Action: "list.exported", ObjectType: "list", ObjectID: who.MerchantID,
		Text:  "The list of " + e.List + " was exported.",
		After: map[string]any{"list": e.List, "format": e.Format, "filters": filters, "rows": rows, "columns": e.Columns}}
}

// maskedSearch leaves the last digits of numbers, and the first letter of each word.
func maskedSearch(q string) string {
	words := strings.Fields(number.ReplaceAllStringFunc(q, func(n string) string {
		return bank.AccountNumber(between.ReplaceAllString(n, "")).String()
	}))
	for i, word := range words {
		if first, size := utf8.DecodeRuneInString(word); unicode.IsLetter(first) && len(word) > size {
			words[i] = string(first) + "•••"
		}
	}
	return strings.Join(words, " ")
}

// number is a run of seven digits or more, as people group them; between is what
// stands between the groups.
var (
	number  = regexp.MustCompile(`\d(?:[ .-]?\d){6,}`)
	between = regexp.MustCompile(`[ .-]`)
)
