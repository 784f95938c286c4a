package source

import (
	"regexp"
	"slices"
	"strings"

	"debitdesk/models/batch/sheet"
)

// netcashMaster is the file of lines H, K, T and F by which a Netcash merchant uploads a batch or the master file.
// (Netcash: input template; field keys)
var netcashMaster = layout{key: "netcash_master", name: "Netcash master file", is: isNetcashMaster,
	walk: func() walker { return &master{at: map[string]int{}} }}

// isNetcashMaster claims every file with an H line, for that holds a service key.
func isNetcashMaster(first []sheet.Row) bool {
	if slices.ContainsFunc(first, func(r sheet.Row) bool {
		return strings.EqualFold(cell(r, 0), "H") && guid.MatchString(cell(r, 1))
	}) {
		return true
	}
	for n, r := range first {
		switch kind := strings.ToUpper(cell(r, 0)); {
		case kind == "H" && n == 0:
		case kind == "K" && n < 2:
			return len(cell(r, 1)) == 3 && digits.MatchString(cell(r, 1))
		default:
			return false
		}
	}
	return false
}

// netcashKeys are the keys of the K line that are known.
var netcashKeys = map[string]Column{
	"101": {Name: "Account reference", Means: Reference}, "102": {Name: "Account name", Means: FullName},
	"103": {Name: "Active", Means: Status}, "104": {Name: "Delete this entry"}, "131": {Name: "Bank account or card"},
	"132": {Name: "Account holder", Means: Holder}, "133": {Name: "Account type", Means: Type},
	"134": {Name: "Branch code", Means: Branch}, "135": {Name: "Filler"}, "136": {Name: "Account number", Means: Account},
	"137": {Name: "Card number"}, "161": rands("Default amount, in rands"), "162": rands("Amount of the batch, in rands"),
	"201": {Name: "E-mail", Means: Email}, "202": {Name: "Mobile", Means: Phone}, "232": {Name: "Tracking days"},
	"241": {Name: "DebiCheck"}, "249": {Name: "Contract reference", Means: OldMandate}, "250": {Name: "Collection day"},
	"281": {Name: "Group", Means: Group}, "301": {Name: "Extra 1"}, "302": {Name: "Extra 2"}, "303": {Name: "Extra 3"},
	"509": {Name: "Card payment after a failed debit"},
}

// Names of columns that are made of key 250, such as MNTH_25.
const (
	cycleName = "250 How often"
	dayName   = "250 Debit day"
)

// actionName is a column with the day on which a batch is debited.
const actionName = "Action date of the batch"

// batches are instructions to debit, in place of those that change the master file.
var batches = regexp.MustCompile(`(?i)^(?:compact)?(?:two ?day|same ?day)$`)

// master reads by the keys of the K line, whatever their order.
type master struct {
	Report  Report
	keys    []string
	at      map[string]int // where a key is, from 0
	columns []Column
	action  string // of a batch that is debited; empty: it is none
	headed  bool
	closed  bool
	entries int64
	sums    map[string]int64 // of 161 and 162
}

func (m *master) found() ([]Column, Report) {
	r := m.Report
	r.Rows, r.AskTypes, r.Collects = int(m.entries), m.has("133"), m.action != ""
	r.Limits = []string{"Netcash keeps no signing dates in this file, and no debit days: have the mandates at hand."}
	if r.Collects {
		r.Limits = append(r.Limits, "A batch says nothing about how often: each debit is taken as monthly.")
	}
	return m.columns, r
}

func (m *master) has(key string) bool { _, is := m.at[key]; return is }

func (m *master) line(r sheet.Row) (sheet.Row, bool, error) {
	if blank(r) {
		return r, false, nil
	}
	switch strings.ToUpper(cell(r, 0)) {
	case "H":
		return r, false, m.head(r)
	case "K":
		return r, false, m.names(r)
	case "T":
		return m.entry(r)
	case "F":
		return r, false, m.trailer(r)
	}
	return m.Report.unknown(r)
}

// head reads the H line. Fields 2 and 7 are credentials: nothing of them is kept.
func (m *master) head(r sheet.Row) error {
	if m.headed {
		return refuse("netcash_two", "The file has two H lines: it is more than one Netcash file. Upload each alone.")
	}
	m.headed = true
	if cell(r, 1) != "" {
		m.Report.drop("service key")
	}
	if cell(r, 6) != "" {
		m.Report.drop("vendor key")
	}
	if instruction := mention(cell(r, 3)); instruction != "" {
		m.Report.told("instruction %s", instruction)
	}
	if name := mention(cell(r, 4)); name != "" {
		m.Report.told("batch %s", name)
	}
	if day := mention(isoDay(cell(r, 5))); day != "" {
		m.Report.told("action date %s", day)
		if batches.MatchString(cell(r, 3)) {
			m.action = day
		}
	}
	return nil
}

// names reads the K line.
func (m *master) names(r sheet.Row) error {
	if m.keys != nil {
		return refuse("netcash_two", "The file has two K lines: it is more than one Netcash file. Upload each alone.")
	}
	for n := 1; n < len(r.Cells); n++ {
		m.keys = append(m.keys, cell(r, n))
	}
	for len(m.keys) > 0 && m.keys[len(m.keys)-1] == "" {
		m.keys = m.keys[:len(m.keys)-1]
	}
	if len(m.keys) == 0 {
		return refuse("netcash_keys", "The K line of the file names no fields.")
	}
	if len(m.keys) > sheet.MaxColumns {
		return refuse("netcash_keys", "The K line of the file names more than %d fields.", sheet.MaxColumns)
	}
	for n, key := range m.keys {
		c, known := netcashKeys[key]
		_, twice := m.at[key]
		switch {
		case twice:
			c = Column{Name: "Named twice"}
			m.Report.warn("The K line names the field %s twice: the first is used.", mention(key))
		case !known:
			c = Column{Name: "Unknown field"}
			m.Report.Unknown = append(m.Report.Unknown, mention(key))
		}
		if !twice {
			m.at[key] = n
		}
		c.Name = strings.TrimSpace(mention(key) + " " + c.Name)
		m.columns = append(m.columns, c)
	}
	m.settle()
	return nil
}

// settle says which of several keys a field is taken from.
func (m *master) settle() {
	if m.has("161") && m.has("162") { // the amount of every month, not that of one batch
		m.columns[m.at["162"]].Means = ""
	}
	if !m.has("102") && m.has("132") {
		m.columns[m.at["132"]].Means = FullName
	}
	if m.has("250") {
		m.columns = append(m.columns, Column{Name: cycleName, Means: Cycle}, Column{Name: dayName, Means: Day})
	}
	if m.action != "" {
		m.columns = append(m.columns, Column{Name: actionName, Means: LastDebit})
	}
}

// trailer reads the F line, whose count and sum say whether the file is whole.
func (m *master) trailer(r sheet.Row) error {
	if m.closed {
		m.Report.warn("The file has two F lines: the first ends it.")
		return nil
	}
	m.closed = true
	count, okCount := whole(cell(r, 1))
	cents, okCents := whole(cell(r, 2))
	if !okCount || !okCents {
		m.Report.warn("The F line of the file has no count and sum that can be read.")
		return nil
	}
	m.Report.count("rows", count, m.entries)
	found, key := m.sums["161"], "161"
	if m.has("162") && (!m.has("161") || m.sums["162"] == cents) {
		found, key = m.sums["162"], "162"
	}
	m.Report.cents("sum of "+key, cents, found)
	return nil
}

func (m *master) end() error {
	switch {
	case m.keys == nil:
		return refuse("netcash_keys", "The file begins as a Netcash file and has no K line, so it is not known what its "+
			"fields are.")
	case m.entries == 0:
		return refuse("empty_file", "The Netcash file has no entries: lines that begin with T.")
	case !m.closed:
		m.Report.warn("The file has no F line: it may have been cut short.")
	}
	return nil
}
