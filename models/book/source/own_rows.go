package source

import (
	"slices"
	"strconv"
	"strings"

	"debitdesk/models/batch/sheet"
	"debitdesk/models/calendar"
)

// ownColumns are the columns of a book once its files are joined: of the client, of an account and of a subscription.
var ownColumns = []Column{{Name: "reference", Means: Reference}, {Name: "full_name", Means: FullName},
	{Name: "email", Means: Email}, {Name: "phone", Means: Phone}, {Name: "personal_code", Means: Identity},
	{Name: "street_address", Means: Street}, {Name: "city", Means: City}, {Name: "province", Means: Province},
	{Name: "zip_code", Means: PostCode}, {Name: "country", Means: Country}, {Name: "legal_name", Means: LegalName},
	{Name: "brand_name", Means: TradeName}, {Name: "registration_number", Means: Registration},
	{Name: "tax_number", Means: TaxNumber}, {Name: "tags", Means: Tags},
	{Name: "cc", Means: Copies}, {Name: "bcc", Means: HiddenCopies},
	{Name: "shipping_street_address", Means: ShipStreet}, {Name: "shipping_city", Means: ShipCity},
	{Name: "shipping_province", Means: ShipProvince}, {Name: "shipping_zip_code", Means: ShipPostCode},
	{Name: "shipping_country", Means: ShipCountry},
	{Name: "account_holder", Means: Holder}, {Name: "bank_code", Means: Branch}, {Name: "bank_account", Means: Account},
	{Name: "account_type", Means: Type}, {Name: "mandate_status", Means: MandateStatus},
	{Name: "signed_on", Means: SignedOn}, {Name: "contract_reference", Means: OldMandate},
	{Name: "mandate_amount", Means: MandateAmount, Decimal: rands("").Decimal}, {Name: "day", Means: Day},
	{Name: "failures", Means: Failures}, {Name: "last_debit", Means: LastDebit},
	{Name: "template", Means: Template}, rands("amount"), {Name: "cycle", Means: Cycle}, {Name: "next_debit", Means: Next},
	{Name: "remaining", Means: Remaining}, {Name: "paused", Means: Paused},
	{Name: "subscription_reference", Means: InvoiceReference}}

// accountColumns are those of an account, apart from the number; recordColumns those of the account on the record.
var (
	accountColumns = []string{"account_holder", "bank_code", "bank_account", "account_type", "signed_on",
		"contract_reference", "failures", "last_debit"}
	recordColumns = []string{"bank_code", "bank_account", "account_type"}
)

func ownColumn(name string) int {
	return slices.IndexFunc(ownColumns, func(c Column) bool { return c.Name == name })
}

// ownClient is a client of a book with what belongs to it.
type ownClient struct {
	of            record
	reference     string
	accounts      []record            // that can be debited by EFT, the oldest first
	confirm       record              // its DebiCheck mandate, which does not move; none: no cells
	subscriptions map[string][]record // that run or are paused, by their account
}

// rows joins clients with their accounts and subscriptions. A client has one row, with the account that is on its
// record. Every other account and subscription has a row of its own, which adds to that client. What is over follows as
// rows that are left out, and count.
func (b *book) rows() (out []sheet.Row, err error) {
	read := map[string][]record{}
	for _, name := range []string{"clients.csv", "accounts.csv", "subscriptions.csv", "templates.csv",
		"template_lines.csv", "mandates.csv"} {
		if read[name], err = b.records(name); err != nil {
			return nil, err
		}
	}
	b.manifest(read)
	b.patterns(read["templates.csv"], read["template_lines.csv"])
	j := b.joining(read)
	last := 0
	for _, c := range read["clients.csv"] {
		last = c.line
		if gone(c) {
			row, _, _ := b.report.aside(sheet.Row{Number: c.line}, "deleted clients", "the client was deleted or erased")
			row.Cells = make([]string, len(ownColumns))
			out = append(out, row)
			continue
		}
		b.report.Rows++
		out = append(out, j.first(c))
	}
	for _, name := range []string{"accounts.csv", "subscriptions.csv"} {
		before := (last/1000 + 1) * 1000
		for _, r := range read[name] {
			if j.taken[name][r.line] {
				continue
			}
			last = before + r.line
			row, more := j.more(name, r)
			if !more {
				what := map[string]string{"accounts.csv": "other accounts", "subscriptions.csv": "other subscriptions"}[name]
				row, _, _ = b.report.aside(sheet.Row{}, what, "line "+strconv.Itoa(r.line)+" of "+name+": "+j.why(name, r))
				row.Cells = make([]string, len(ownColumns))
			}
			row.Number = last
			out = append(out, row)
		}
	}
	if b.report.Rows == 0 {
		return nil, refuse("empty_file", "The book has no clients.")
	}
	return out, nil
}

func gone(c record) bool { return c.cells["deleted_at"] != "" || c.cells["erased_at"] != "" }

// joining is the files of a book while they are joined.
type joining struct {
	clients   map[string]*ownClient
	accounts  map[string]record // by token
	mandates  map[string]record
	templates map[string]record
	asked     map[string][]record     // subscriptions of DebiCheck mandates, by token
	taken     map[string]map[int]bool // lines that are part of another row, by file
}

func (b *book) joining(read map[string][]record) *joining {
	j := &joining{clients: map[string]*ownClient{}, accounts: map[string]record{}, mandates: map[string]record{},
		templates: map[string]record{}, asked: map[string][]record{},
		taken: map[string]map[int]bool{"accounts.csv": {}, "subscriptions.csv": {}}}
	for _, t := range read["templates.csv"] {
		j.templates[t.cells["template_id"]] = t
	}
	for _, m := range read["mandates.csv"] {
		j.mandates[m.cells["mandate_id"]] = m
	}
	for _, c := range read["clients.csv"] {
		if !gone(c) {
			one := &ownClient{of: c, subscriptions: map[string][]record{}}
			if one.reference, _, _ = strings.Cut(c.cells["reference"], " "); one.reference == "" {
				one.reference = c.cells["client_id"]
			}
			j.clients[c.cells["client_id"]] = one
		}
	}
	for _, a := range read["accounts.csv"] {
		c := j.clients[a.cells["client_id"]]
		switch {
		case c == nil || a.cells["status"] != "active":
		case a.cells["method"] != "eft":
			c.confirm = a
		default:
			c.accounts = append(c.accounts, a)
			j.accounts[a.cells["token_id"]] = a
		}
	}
	for _, s := range read["subscriptions.csv"] {
		j.asked[s.cells["token_id"]] = append(j.asked[s.cells["token_id"]], s)
		if c := j.clients[s.cells["client_id"]]; c != nil && j.why("subscriptions.csv", s) == "" {
			c.subscriptions[s.cells["token_id"]] = append(c.subscriptions[s.cells["token_id"]], s)
		}
	}
	return j
}

// why says what keeps an account or a subscription out; empty: nothing does.
func (j *joining) why(file string, r record) string {
	switch c := j.clients[r.cells["client_id"]]; {
	case c == nil:
		return "its client does not come in"
	case file == "accounts.csv" && r.cells["status"] != "active":
		return "the account is over"
	case file == "accounts.csv" && r.cells["method"] != "eft":
		return "a DebiCheck mandate does not move: the client has to confirm a new one"
	case file == "accounts.csv":
		return ""
	case r.cells["status"] != "active" && r.cells["status"] != "subscription_paused" || r.cells["next_debit"] == "":
		return "the subscription is over, or was never begun"
	case strings.HasPrefix(r.cells["cycle"], "every "):
		return "it is billed " + r.cells["cycle"] + ", which an import does not know: add it on the page of the template"
	case j.accounts[r.cells["token_id"]].cells == nil:
		return "it debits no account that comes in"
	}
	return ""
}

// first is the row of a client, with the account that is on its record and a subscription that debits it.
func (j *joining) first(of record) sheet.Row {
	c := j.clients[of.cells["client_id"]]
	r := sheet.Row{Number: of.line, Cells: make([]string, len(ownColumns))}
	for n, column := range ownColumns[:ownColumn("account_holder")] {
		r.Cells[n] = of.cells[column.Name]
	}
	r.Cells[ownColumn("reference")] = c.reference
	if c.confirm.cells != nil {
		r.Broken = append(r.Broken, sheet.Problem{Code: Again,
			Message: "a DebiCheck mandate does not move: the client has to confirm a new one"})
		if of.cells["bank_account"] == "" || sameAccount(c.confirm, of) {
			return j.toConfirm(r, c)
		}
	}
	if of.cells["bank_account"] == "" {
		return r
	}
	at := slices.IndexFunc(c.accounts, func(a record) bool { return sameAccount(a, of) })
	if at < 0 {
		for _, name := range recordColumns {
			r.Cells[ownColumn(name)] = of.cells[name]
		}
		r.Cells[ownColumn("mandate_status")] = "none"
		return r
	}
	j.put(&r, c, c.accounts[at])
	j.taken["accounts.csv"][c.accounts[at].line] = true
	if subs := c.subscriptions[c.accounts[at].cells["token_id"]]; len(subs) > 0 {
		j.subscribed(&r, subs[0])
		j.taken["subscriptions.csv"][subs[0].line] = true
	}
	return r
}

// toConfirm brings the account of a DebiCheck mandate in on the record alone, with what the client has to confirm.
func (j *joining) toConfirm(r sheet.Row, c *ownClient) sheet.Row {
	j.put(&r, c, c.confirm)
	r.Cells[ownColumn("mandate_status")] = "none"
	j.taken["accounts.csv"][c.confirm.line] = true
	if subs := j.asked[c.confirm.cells["token_id"]]; len(subs) > 0 {
		j.subscribed(&r, subs[0])
		j.taken["subscriptions.csv"][subs[0].line] = true
	}
	return r
}

func sameAccount(a, b record) bool {
	return a.cells["bank_account"] == b.cells["bank_account"] && a.cells["bank_code"] == b.cells["bank_code"]
}

// more is a row that adds an account or a subscription to a client; false for what does not come in.
func (j *joining) more(file string, of record) (r sheet.Row, ok bool) {
	if j.why(file, of) != "" {
		return r, false
	}
	c, account := j.clients[of.cells["client_id"]], of
	if file == "subscriptions.csv" {
		account = j.accounts[of.cells["token_id"]]
	}
	r = sheet.Row{Cells: make([]string, len(ownColumns)), Broken: []sheet.Problem{{Code: More,
		Message: "another account or subscription of the same client"}}}
	r.Cells[ownColumn("reference")], r.Cells[ownColumn("full_name")] = c.reference, c.of.cells["full_name"]
	j.put(&r, c, account)
	switch subs := c.subscriptions[account.cells["token_id"]]; {
	case file == "subscriptions.csv":
		j.subscribed(&r, of)
	case len(subs) > 0:
		j.subscribed(&r, subs[0])
		j.taken["subscriptions.csv"][subs[0].line] = true
	}
	return r, true
}

// put writes an account with its mandate. What a client has stopped comes in without a permission.
func (j *joining) put(r *sheet.Row, c *ownClient, account record) {
	for _, name := range accountColumns {
		r.Cells[ownColumn(name)] = account.cells[name]
	}
	if last := ownColumn("last_debit"); r.Cells[last] == "" {
		r.Cells[last] = "none"
	}
	m := j.mandates[account.cells["mandate_id"]]
	r.Cells[ownColumn("mandate_amount")] = m.cells["amount"]
	if m.cells["period_units"] == "months" {
		r.Cells[ownColumn("day")] = m.cells["day"]
	}
	if c.of.cells["stopped_at"] != "" || account.cells["held_at"] != "" {
		r.Cells[ownColumn("mandate_status")] = "stopped"
	}
}

// subscribed writes a subscription.
func (j *joining) subscribed(r *sheet.Row, s record) {
	for _, name := range []string{"template", "amount", "cycle", "remaining", "subscription_reference"} {
		r.Cells[ownColumn(name)] = s.cells[name]
	}
	if strings.HasSuffix(s.cells["cycle"], "weekly") || s.cells["cycle"] == "fortnightly" {
		r.Cells[ownColumn("day")] = "" // of a month; the next debit says the day of the week
	}
	if s.cells["status"] == "subscription_paused" {
		r.Cells[ownColumn("paused")] = "yes"
	}
	r.Cells[ownColumn("next_debit")] = dueOn(s.cells["next_debit"], j.templates[s.cells["template_id"]])
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
