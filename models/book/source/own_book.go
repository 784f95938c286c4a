package source

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"debitdesk/models/batch/sheet"
	"debitdesk/models/calendar"
)

// The book that a business took along from Debitdesk: a ZIP of CSV files that are joined by the client's id.
const (
	ownKey  = "debitdesk_book"
	ownName = "Debitdesk book"
)

// Columns of a book, from 0.
const (
	ownReference = iota
	ownFullName
	ownEmail
	ownPhone
	ownIdentity
	ownStreet
	ownCity
	ownPostCode
	ownHolder
	ownBranch
	ownAccount
	ownType
	ownSigned
	ownContract
	ownFailures
	ownLast
	ownTemplate
	ownAmount
	ownCycle
	ownNext
)

var ownColumns = []Column{{Name: "reference", Means: Reference}, {Name: "full_name", Means: FullName},
	{Name: "email", Means: Email}, {Name: "phone", Means: Phone}, {Name: "personal_code", Means: Identity},
	{Name: "street_address", Means: Street}, {Name: "city", Means: City}, {Name: "zip_code", Means: PostCode},
	{Name: "account_holder", Means: Holder}, {Name: "bank_code", Means: Branch}, {Name: "bank_account", Means: Account},
	{Name: "account_type", Means: Type}, {Name: "signed_on", Means: SignedOn},
	{Name: "contract_reference", Means: OldMandate}, {Name: "failures", Means: Failures},
	{Name: "last_debit", Means: LastDebit}, {Name: "template", Means: Template}, rands("amount"),
	{Name: "cycle", Means: Cycle}, {Name: "next_debit", Means: Next}}

// ownBook opens a book; ok is false for a ZIP that is none, such as a workbook.
func ownBook(src io.ReadSeeker) (f *File, ok bool, err error) {
	archive := zipOf(src)
	if archive == nil || !has(archive, "manifest.json") || !has(archive, "clients.csv") {
		return nil, false, nil
	}
	b := book{archive: archive, report: Report{Layout: ownKey, Name: ownName}}
	rows, err := b.rows()
	if err != nil {
		return nil, true, err
	}
	format := sheet.Format{Kind: sheet.CSV, Encoding: sheet.UTF8, Separator: ","}
	for _, c := range ownColumns {
		format.Header = append(format.Header, c.Name)
	}
	return Made(format, ownColumns, b.report, func(see func(sheet.Row) error) error {
		for n, r := range rows {
			if err := tooMany(n + 1); err != nil {
				return err
			}
			if err := see(r); err != nil {
				return err
			}
		}
		return nil
	}), true, nil
}

// rows joins clients with their accounts and subscriptions. A client has one row, with the newest account that can be
// debited by EFT and its subscription; what else there is follows as rows that are left out, and count.
func (b *book) rows() (out []sheet.Row, err error) {
	read := map[string][]record{}
	for _, name := range []string{"clients.csv", "accounts.csv", "subscriptions.csv", "templates.csv"} {
		if read[name], err = b.records(name); err != nil {
			return nil, err
		}
	}
	b.manifest(read)
	templates := map[string]record{}
	for _, t := range read["templates.csv"] {
		templates[t.cells["template_id"]] = t
	}
	accounts, subscriptions := latest(read["accounts.csv"], debitable), latest(read["subscriptions.csv"], running)
	last := 0
	for _, c := range read["clients.csv"] {
		last = c.line
		id := c.cells["client_id"]
		if c.cells["deleted_at"] != "" || c.cells["erased_at"] != "" {
			row, _, _ := b.report.aside(sheet.Row{Number: c.line}, "deleted clients", "the client was deleted or erased")
			row.Cells = make([]string, len(ownColumns))
			out = append(out, row)
			delete(accounts, id)
			delete(subscriptions, id)
			continue
		}
		b.report.Rows++
		out = append(out, row(c, accounts[id], subscriptions[id], templates))
	}
	for _, name := range []string{"accounts.csv", "subscriptions.csv"} {
		first := (last/1000 + 1) * 1000
		for _, r := range read[name] {
			taken := accounts[r.cells["client_id"]].line == r.line && name == "accounts.csv" ||
				subscriptions[r.cells["client_id"]].line == r.line && name == "subscriptions.csv"
			if taken {
				continue
			}
			last = first + r.line
			what := map[string]string{"accounts.csv": "other accounts", "subscriptions.csv": "other subscriptions"}[name]
			lone, _, _ := b.report.aside(sheet.Row{Number: last}, what, "line "+strconv.Itoa(r.line)+" of "+name+
				": it is over, or its client does not come in, or comes in with another one")
			lone.Cells = make([]string, len(ownColumns))
			out = append(out, lone)
		}
	}
	if b.report.Rows == 0 {
		return nil, refuse("empty_file", "The book has no clients.")
	}
	return out, nil
}

// manifest holds the rows of each file against what the book says about itself.
func (b *book) manifest(read map[string][]record) {
	var m struct {
		Business string `json:"business"`
		Day      string `json:"day"`
		Numbers  string `json:"numbers"`
		Files    []struct {
			Name string `json:"name"`
			Rows int64  `json:"rows"`
		} `json:"files"`
	}
	text, err := b.open("manifest.json")
	if err != nil || json.Unmarshal([]byte(text), &m) != nil {
		b.report.warn("The manifest of the book cannot be read: it is not known whether the book is whole.")
		return
	}
	if name := mention(m.Business); name != "" {
		b.report.told("of %s", name)
	}
	if day := mention(m.Day); day != "" {
		b.report.told("of %s", day)
	}
	if m.Numbers != "full" {
		b.report.warn("Account and ID numbers in this book are masked. Take your book with numbers in full.")
	}
	for _, f := range m.Files {
		if rows, is := read[f.Name]; is {
			b.report.count("rows of "+f.Name, f.Rows, int64(len(rows)))
		}
	}
	b.report.Limits = []string{"One account and one subscription of each client come in; others are listed as left out. " +
		"DebiCheck mandates have to be confirmed again, and evidence stays in the ZIP."}
}

func debitable(r record) bool { return r.cells["status"] == "active" }

func running(r record) bool { return r.cells["status"] == "active" && r.cells["next_debit"] != "" }

// latest is the last row of each client that counts; accounts of EFT go before those of DebiCheck.
func latest(all []record, counts func(record) bool) map[string]record {
	out := map[string]record{}
	for _, r := range all {
		id := r.cells["client_id"]
		if before, is := out[id]; counts(r) && !(is && before.cells["method"] == "eft" && r.cells["method"] != "eft") {
			out[id] = r
		}
	}
	return out
}

func row(c, account, sub record, templates map[string]record) sheet.Row {
	r := sheet.Row{Number: c.line, Cells: make([]string, len(ownColumns))}
	put := func(at int, from record, name string) { r.Cells[at] = from.cells[name] }
	r.Cells[ownReference], _, _ = strings.Cut(c.cells["reference"], " ")
	if r.Cells[ownReference] == "" {
		put(ownReference, c, "client_id")
	}
	for at, name := range map[int]string{ownFullName: "full_name", ownEmail: "email", ownPhone: "phone",
		ownIdentity: "personal_code", ownStreet: "street_address", ownCity: "city", ownPostCode: "zip_code"} {
		put(at, c, name)
	}
	switch {
	case account.cells == nil:
		return r
	case account.cells["method"] != "eft":
		r.Broken = append(r.Broken, sheet.Problem{Code: Again,
			Message: "a DebiCheck mandate does not move: the client has to confirm a new one"})
		return r
	}
	for at, name := range map[int]string{ownHolder: "account_holder", ownBranch: "bank_code", ownAccount: "bank_account",
		ownType: "account_type", ownSigned: "signed_on", ownContract: "contract_reference", ownFailures: "failures",
		ownLast: "last_debit"} {
		put(at, account, name)
	}
	if r.Cells[ownLast] == "" {
		r.Cells[ownLast] = "none"
	}
	if sub.cells != nil {
		put(ownTemplate, sub, "template")
		put(ownAmount, sub, "amount")
		put(ownCycle, sub, "cycle")
		r.Cells[ownNext] = dueOn(sub.cells["next_debit"], templates[sub.cells["template_id"]])
	}
	return r
}

// dueOn is when what is billed on a day is due, by its template.
func dueOn(billed string, template record) string {
	day, err := calendar.ParseDate(billed)
	n, ok := whole(template.cells["due_period"])
	if err != nil || !ok || n > 366 {
		return billed
	}
	switch template.cells["due_units"] {
	case "days":
		day = day.AddDays(int(n))
	case "weeks":
		day = day.AddDays(7 * int(n))
	case "months":
		day = day.AddMonths(int(n), day.Day)
	}
	return day.String()
}
