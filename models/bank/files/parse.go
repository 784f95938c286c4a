package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
)

// defaults is what a profile says where it says nothing.
func defaults() Profile {
	return Profile{ //nolint:gosec // no secret is among the names of elements
		Name: "ISO 20022", DebitMessage: "pain.008.001.08", CreditMessage: "pain.001.001.09", MandateMessages: none,
		RecallMessage: none, Answers: []string{"pain.002.001.10", "camt.054.001.08", "camt.053.001.08"},
		BranchScheme: "ZANCC", AccountScheme: none, CreditorAccountType: "CACC",
		AccountTypes: map[bank.AccountType]string{bank.Current: "CACC", bank.Savings: "SVGS",
			bank.Transmission: "TRAN"},
		UserCodeAt: "CdtrSchmeId", AbbreviatedNameAt: "CdtrSchmeId", StatementLineAt: "Ustrd", EndToEnd: "uuid32",
		Times: "local", Characters: "latin-basic", NameLength: 140,
		Channels:     map[string]string{"DELAYED": "DELAYED", "FALLBACK": "FALLBACK"},
		RecallReason: "CUST", CancelReason: "MD17",
		MaxItems: 50_000, MaxFileBytes: 100_000_000,
		FileName: "{service}_{yyyymmddhhmmss}_{seq6}.xml", Sequence: "gapless", Calendar: "ZA",
		FileServices: map[exchange.Kind]string{exchange.Debits: "DD", exchange.Refunds: "RF", exchange.Recalls: "RC",
			exchange.Mandates: "MI", exchange.Cancellations: "MC"},
		Cuts:     []calendar.TimeOfDay{{Hour: 8}, {Hour: 12, Minute: 30}, {Hour: 14, Minute: 30}},
		Deadline: calendar.TimeOfDay{Hour: 15}, SoonMinutes: 15, AckWithinMinutes: 60, SilenceAt: calendar.TimeOfDay{Hour: 6},
		SettleSeconds: 10,
	}
}

// ParseProfile reads a profile. All problems come in one fault, each with its field.
func ParseProfile(content []byte) (Profile, error) {
	p := defaults()
	r := profileReader{}
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if err := json.Unmarshal(content, new(any)); err != nil {
		r.Add(ProfileName, "invalid", "It is not JSON: %s.", jsonTrouble(content, err))
		return p, r.Err()
	}
	r.read("", content, reflect.ValueOf(&p).Elem())
	p.check(&r.Problems)
	slices.SortStableFunc(r.Problems, func(a, b fault.Field) int { return strings.Compare(a.Path, b.Path) })
	return p, r.Err()
}

// jsonTrouble says what is wrong with the text, and in which line.
func jsonTrouble(content []byte, err error) string {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err.Error()
	}
	line := 1 + bytes.Count(content[:min(int(syntax.Offset), len(content))], []byte("\n"))
	return "line " + strconv.Itoa(line) + ": " + syntax.Error()
}

// profileReader fills a profile and collects everything that is wrong with it.
type profileReader struct{ fault.Problems }

func (r *profileReader) read(path string, raw json.RawMessage, into reflect.Value) {
	kind := into.Kind()
	switch {
	case kind == reflect.Struct && !isText(into):
		r.object(path, raw, into)
	case kind == reflect.Map:
		r.entries(path, raw, into)
	case string(raw) == "null":
		r.Add(path, "invalid", "Leave the key out instead of giving it no value.")
	case json.Unmarshal(raw, into.Addr().Interface()) != nil:
		r.Add(path, "invalid", "%s", wants(into.Type()))
	}
}

func isText(v reflect.Value) bool {
	_, is := v.Addr().Interface().(interface{ UnmarshalText([]byte) error })
	return is
}

// wants says what a value must be.
func wants(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[calendar.TimeOfDay]():
		return `This must be a time such as "11:30".`
	case t == reflect.TypeFor[[]calendar.TimeOfDay]():
		return `This must be a list of times such as ["08:00", "11:30"].`
	case t.Kind() == reflect.Bool:
		return "This must be true or false."
	case t.Kind() == reflect.String:
		return "This must be a text in quotes."
	case t.Kind() == reflect.Slice:
		return "This must be a list of texts in quotes."
	default:
		return "This must be a whole number."
	}
}

func (r *profileReader) object(path string, raw json.RawMessage, into reflect.Value) {
	var known []string
	at := map[string]reflect.Value{}
	for i := range into.NumField() {
		name := into.Type().Field(i).Tag.Get("json")
		known, at[name] = append(known, name), into.Field(i)
	}
	r.pairs(path, raw, func(key string, value json.RawMessage) {
		if field, is := at[key]; is {
			r.read(join(path, key), value, field)
			return
		}
		r.Add(join(path, key), "unknown", "There is no such key.%s", fault.DidYouMean(key, known))
	})
}

// entries reads a map whose keys are known where they are looked at.
func (r *profileReader) entries(path string, raw json.RawMessage, into reflect.Value) {
	if into.IsNil() {
		into.Set(reflect.MakeMap(into.Type()))
	}
	r.pairs(path, raw, func(key string, value json.RawMessage) {
		entry := reflect.New(into.Type().Elem()).Elem()
		r.read(join(path, key), value, entry)
		into.SetMapIndex(reflect.ValueOf(key).Convert(into.Type().Key()), entry)
	})
}

// pairs reads the keys of an object in their order. A key that comes twice is a problem: nobody knows which is meant.
func (r *profileReader) pairs(path string, raw json.RawMessage, each func(string, json.RawMessage)) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		r.Add(orFile(path), "invalid", "This must be an object in braces.")
		return
	}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		key, is := token.(string)
		var value json.RawMessage
		if err != nil || !is || d.Decode(&value) != nil {
			break
		}
		if seen[key] {
			r.Add(join(path, key), "invalid", "This key comes twice.")
			continue
		}
		seen[key] = true
		each(key, value)
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func orFile(path string) string {
	if path == "" {
		return ProfileName
	}
	return path
}
