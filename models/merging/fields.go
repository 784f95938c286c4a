package merging

import (
	"reflect"
	"slices"
	"strings"

	"debitdesk/models/client"
	"debitdesk/models/locale"
)

// Side is one of the two clients of a merge.
type Side string

// The sides of a merge.
const (
	Keep Side = "keep"
	Gone Side = "gone"
)

// detail is one thing that is known of a client, and that is taken from one of the two as a whole: an account without
// its branch, or half of an address, would be wrong.
type detail struct {
	name  string
	parts []string // text fields
	more  func(to *client.Details, from client.Details)
	show  func(client.Details) string // numbers masked
}

var details = []detail{
	text("full_name"), text("email"), text("phone"),
	{name: "personal_code", more: func(to *client.Details, from client.Details) { to.PersonalCode = from.PersonalCode },
		show: func(d client.Details) string { return d.PersonalCode.String() }},
	{name: "bank_account", parts: []string{"bank_code"}, more: func(to *client.Details, from client.Details) {
		to.BankAccount, to.AccountType = from.BankAccount, from.AccountType
	}, show: func(d client.Details) string {
		return joined(d.BankAccount.String(), d.BankCode, d.AccountType.Label())
	}},
	text("street_address", "city", "state", "zip_code", "country"),
	text("legal_name"), text("brand_name"), text("registration_number"), text("tax_number"),
	text("shipping_street_address", "shipping_city", "shipping_state", "shipping_zip_code", "shipping_country"),
	{name: "cc", more: func(to *client.Details, from client.Details) { to.CC = slices.Clone(from.CC) },
		show: func(d client.Details) string { return joined(d.CC...) }},
	{name: "tags", more: func(to *client.Details, from client.Details) { to.Tags = slices.Clone(from.Tags) },
		show: func(d client.Details) string { return joined(d.Tags...) }},
	{name: "language", more: func(to *client.Details, from client.Details) { to.Language = from.Language },
		show: func(d client.Details) string { return languageName(d.Language) }},
	{name: "electronic_address",
		more: func(to *client.Details, from client.Details) { to.ElectronicAddress = from.ElectronicAddress },
		show: func(d client.Details) string { return d.ElectronicAddress }},
	{name: "bcc", more: func(to *client.Details, from client.Details) { to.BCC = slices.Clone(from.BCC) },
		show: func(d client.Details) string { return joined(d.BCC...) }},
}

func languageName(code string) string {
	if l, known := locale.Parse(code); known {
		return l.Name()
	}
	return code
}

func text(names ...string) detail {
	d := detail{name: names[0], parts: names}
	d.show = func(of client.Details) string {
		var said []string
		for _, f := range d.fields() {
			said = append(said, *f.At(&of))
		}
		return joined(said...)
	}
	return d
}

func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(s string) bool { return s == "" }), ", ")
}

func (d detail) fields() (out []client.TextField) {
	for _, name := range d.parts {
		for _, f := range client.TextFields() {
			if f.Name == name {
				out = append(out, f)
			}
		}
	}
	return out
}

// take writes what the detail is of one client over that of another.
func (d detail) take(to *client.Details, from client.Details) {
	for _, f := range d.fields() {
		*f.At(to) = *f.At(&from)
	}
	if d.more != nil {
		d.more(to, from)
	}
}

// alone is a client of whom nothing else is known.
func (d detail) alone(of client.Details) (out client.Details) {
	d.take(&out, of)
	if len(out.CC) == 0 {
		out.CC = nil
	}
	if len(out.Tags) == 0 {
		out.Tags = nil
	}
	if len(out.BCC) == 0 {
		out.BCC = nil
	}
	return out
}

// covers tells that a knows all that b knows of the detail, and perhaps more.
func (d detail) covers(a, b client.Details) bool {
	knows, said := reflect.ValueOf(d.alone(a)), reflect.ValueOf(d.alone(b))
	for i := range said.NumField() {
		if !said.Field(i).IsZero() && !reflect.DeepEqual(knows.Field(i).Interface(), said.Field(i).Interface()) {
			return false
		}
	}
	return true
}

// Field is one detail of both clients, as a person sees it.
type Field struct {
	Name       string // of its first part, as programs and forms write it
	Keep, Gone string // in words, numbers masked; empty: not known
	Differs    bool   // both know it, and not the same: a person chooses
	Wins       Side   // unless a person chooses the other
}

func fieldsOf(keep, gone client.Details) (out []Field) {
	for _, d := range details {
		f := Field{Name: d.name, Keep: d.show(keep), Gone: d.show(gone), Wins: Keep}
		switch {
		case d.covers(keep, gone):
		case d.covers(gone, keep): // it knows more
			f.Wins = Gone
		default:
			f.Differs = true
		}
		if f.Keep != "" || f.Gone != "" {
			out = append(out, f)
		}
	}
	return out
}

// winning are the details after the merge. What is chosen counts where both know something; what only one knows is
// never lost.
func winning(keep, gone client.Details, chosen map[string]Side) client.Details {
	out := keep
	for _, f := range fieldsOf(keep, gone) {
		side := f.Wins
		if by, is := chosen[f.Name]; is && f.Differs {
			side = by
		}
		if side != Gone {
			continue
		}
		for _, d := range details {
			if d.name == f.Name {
				d.take(&out, gone)
			}
		}
	}
	return out
}
