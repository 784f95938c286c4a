package kit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"debitdesk/handlers/web/words"
	"debitdesk/models/audit"
	"debitdesk/models/collection"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/weblink"
)

// changeWords lists what an entry changed: "city: Durban → Cape Town".
func changeWords(e audit.Entry) string {
	names := make([]string, 0, len(e.After))
	for name := range e.After {
		names = append(names, name)
	}
	slices.Sort(names)
	lines := make([]string, len(names))
	for i, name := range names {
		if before, changed := e.Before[name]; changed {
			lines[i] = fmt.Sprintf("%s: %s → %s", FieldWords(name), FactOf(e, name, before), FactOf(e, name, e.After[name]))
		} else {
			lines[i] = fmt.Sprintf("%s: %s", FieldWords(name), FactOf(e, name, e.After[name]))
		}
	}
	return strings.Join(lines, " · ")
}

func FieldWords(name string) string {
	return strings.ReplaceAll(strings.TrimSuffix(name, "_cents"), "_", " ")
}

// stateWords are the words of a state, by what is in it. Those of others are words already.
var stateWords = map[string]func(code string) string{
	"mandate":    func(code string) string { return mandate.State(code).Label() },
	"collection": func(code string) string { return collection.State(code).Label() },
}

// FactOf writes a value of an entry: states, statuses and channels as the pages say them.
func FactOf(e audit.Entry, name string, fact any) string {
	code, is := fact.(string)
	if !is || code == "" {
		return factWords(name, fact)
	}
	said := ""
	switch of := stateWords[e.ObjectType]; {
	case name == "status" && e.Action == purchase.PaymentTakenBack && purchase.Status(code) == purchase.Failed:
		said = words.OwedAgain // no debit failed
	case name == "status":
		said = words.StatusWord(purchase.Status(code))
	case name == "channel":
		said = words.ChannelWords[mandate.Channel(code)]
	case name != "state":
		return factWords(name, code)
	case of != nil:
		said = of(code)
	}
	return words.LowerFirst(cmp.Or(said, strings.ReplaceAll(code, "_", " ")))
}

// factWords writes a value as an audit entry keeps it: cents under names that say so, moments as Unix seconds.
func factWords(name string, fact any) string {
	switch v := fact.(type) {
	case nil:
		return "nothing"
	case string:
		if v == "" {
			return "nothing"
		}
		return weblink.HideLogin(v)
	case float64:
		switch {
		case strings.HasSuffix(name, "_cents"):
			return money.Format(int64(v), "ZAR")
		case v > 1e9 && (name == "due" || strings.HasSuffix(name, "_on") || strings.HasSuffix(name, "_at")):
			return words.Moment(time.Unix(int64(v), 0)).Text
		}
		return strings.Replace(strconv.FormatFloat(v, 'f', -1, 64), ".", ",", 1)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case []any:
		words := make([]string, len(v))
		for i, one := range v {
			words[i] = factWords(name, one)
		}
		return strings.Join(words, ", ")
	case map[string]any:
		return groupWords(v)
	}
	return fmt.Sprint(fact)
}

// groupWords writes what stands together: "max amount R 225,00, value type FIXED". What was left out is not said.
func groupWords(group map[string]any) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(group)) {
		if group[name] != nil {
			out = append(out, FieldWords(name)+" "+factWords(name, group[name]))
		}
	}
	return strings.Join(out, ", ")
}
