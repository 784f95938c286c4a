package source

import (
	"regexp"
	"slices"
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/batch/sheet"
)

// heading is a list of clients that an accounting package writes: a table that is known by its heading.
type heading struct {
	key, name string
	marks     [][]string         // of each group one heading is there, without blanks and signs
	means     map[string]Meaning // by heading; of several with one meaning, the first in order
	order     []string           // headings that go before others of the same meaning
	limits    []string
	splitBank string // a heading whose texts are a bank number with hyphens
}

var (
	xeroContacts = heading{key: "xero_contacts", name: "Xero contacts",
		marks: [][]string{{"contactname"}, {"emailaddress"}, {"accountnumber", "bankaccountnumber"},
			{"poaddressline1", "saaddressline1", "bankaccountname", "taxnumber", "taxnumbername", "legalname"}},
		means: map[string]Meaning{"contactname": FullName, "accountnumber": Reference, "emailaddress": Email,
			"mobilenumber": Phone, "phonenumber": Phone, "poaddressline1": Street, "saaddressline1": Street, "pocity": City,
			"sacity": City, "popostalcode": PostCode, "sapostalcode": PostCode, "bankaccountname": Holder,
			"bankaccountnumber": Account, "": ""},
		order:     []string{"mobilenumber", "poaddressline1", "pocity", "popostalcode"},
		splitBank: "bankaccountnumber",
		limits: []string{"Xero writes at most 1 000 contacts into one file, and joins them by name. Mandates, amounts and " +
			"debit days are not in it: add them from another file. AccountNumber is your own reference of the contact, not " +
			"a bank account."}}
	quickBooks = heading{key: "quickbooks_customers", name: "QuickBooks customers",
		marks: [][]string{{"name", "fullname", "customerfullname"}, {"openingbalance"}, {"company", "companyname"},
			{"zip", "state", "openingbalancedate", "street"}},
		means: map[string]Meaning{"name": FullName, "fullname": FullName, "customerfullname": FullName, "email": Email,
			"mobile": Phone, "phone": Phone, "street": Street, "city": City, "zip": PostCode, "openingbalance": Owed,
			"openingbalancedate": OwedDue},
		order: []string{"mobile"},
		limits: []string{"QuickBooks writes no bank accounts and no mandates into this file. The opening balance is what " +
			"was owed: it is never debited from here."}}
	sageAccounting = heading{key: "sage_accounting_uk", name: "Sage Accounting (UK, Ireland, Canada) customers",
		marks: [][]string{{"reference"}, {"companyname"}, {"maincontactname", "mainaddress1", "mainaddressline1",
			"mainaddressstreet1"}, {"ledgeraccount", "creditlimit", "currency", "vatnumber"}},
		means: map[string]Meaning{"reference": Reference, "companyname": FullName, "email": Email, "mobile": Phone,
			"phone": Phone, "mainaddress1": Street, "mainaddressline1": Street, "mainaddressstreet1": Street,
			"mainaddresstown": City, "mainaddresscity": City, "mainaddresspostcode": PostCode,
			"mainaddresspostalcode": PostCode},
		order: []string{"mobile"},
		limits: []string{"Sage Accounting writes no bank accounts and no mandates into this file. It is the product for " +
			"the UK, Ireland and Canada: South African businesses mostly have Sage Business Cloud Accounting South Africa " +
			"(once Sage One) or Pastel."}}
	sageSouthAfrica = heading{key: "sage_business_cloud_za",
		name: "Sage Business Cloud Accounting South Africa (once Sage One) customers",
		marks: [][]string{{"postaladdress01", "postaladdress1", "postaladdressline1"}, {"name", "customername"},
			{"contactname", "category", "taxreference"}, {"balance", "taxreference", "telephone", "category"}},
		means: map[string]Meaning{"name": FullName, "customername": FullName, "email": Email, "mobile": Phone,
			"telephone": Phone, "postaladdress01": Street, "postaladdress1": Street, "postaladdressline1": Street,
			"id": Reference, "customercode": Reference, "balance": Owed},
		order: []string{"mobile", "customername"},
		limits: []string{"Sage Business Cloud Accounting South Africa publishes no description of this file, so check " +
			"every column. It holds no bank accounts and no mandates, and its balance is what is owed: it is never debited " +
			"from here."}}
)

// is tells that a heading has one of each group of marks.
func (h heading) is(header []string) bool {
	have := map[string]bool{}
	for _, name := range header {
		have[plain(name)] = true
	}
	return !slices.ContainsFunc(h.marks, func(group []string) bool {
		return !slices.ContainsFunc(group, func(mark string) bool { return have[mark] })
	})
}

// open says what the columns of a table mean. A bank number with a branch in front is cut in two.
func (h heading) open(table *sheet.File) (*File, error) {
	f := &File{Format: table.Format, each: table.Each, close: table.Close,
		Report: Report{Layout: h.key, Name: h.name, Limits: h.limits}}
	split := -1
	for n, name := range table.Format.Header {
		f.Columns = append(f.Columns, Column{Name: name, Means: h.means[plain(name)]})
		if h.splitBank != "" && plain(name) == h.splitBank && split < 0 {
			split = n
		}
	}
	h.choose(f.Columns)
	if split >= 0 && len(f.Columns) < sheet.MaxColumns {
		f.Columns = append(f.Columns, Column{Name: "Branch code of the bank number", Means: Branch})
		f.Format.Header = append(slices.Clone(f.Format.Header), f.Columns[len(f.Columns)-1].Name)
		f.each = func(see func(sheet.Row) error) error {
			width := len(f.Columns) - 1
			return table.Each(func(r sheet.Row) error {
				var branch string
				r.Cells = slices.Clone(r.Cells)
				branch, r.Cells[split] = branchIn(r.Cells[split])
				r.Cells = slices.Insert(r.Cells, min(width, len(r.Cells)), branch)
				return see(r)
			})
		}
	}
	err := f.each(func(sheet.Row) error { f.Report.Rows++; return nil })
	return f, err
}

// choose leaves one column for each meaning: those of the order first, then the first one.
func (h heading) choose(columns []Column) {
	best := map[Meaning]int{}
	for n, c := range columns {
		at, taken := best[c.Means]
		if !taken || slices.Contains(h.order, plain(c.Name)) && !slices.Contains(h.order, plain(columns[at].Name)) {
			best[c.Means] = n
		}
	}
	for n := range columns {
		if best[columns[n].Means] != n {
			columns[n].Means = ""
		}
	}
}

var withBranch = regexp.MustCompile(`^(\d{6})-(\d[\d-]{5,})$`)

// branchIn takes the branch code of South Africa out of a bank number with hyphens.
func branchIn(text string) (branch, account string) {
	text = strings.Join(strings.Fields(text), "")
	if m := withBranch.FindStringSubmatch(text); m != nil {
		if _, _, known := bank.FindBranch(m[1]); known {
			return m[1], strings.ReplaceAll(m[2], "-", "")
		}
	}
	if strings.Trim(text, "0123456789-") == "" {
		text = strings.ReplaceAll(text, "-", "")
	}
	return "", text
}
