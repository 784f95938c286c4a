package files

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"debitdesk/models/calendar"
	"debitdesk/models/journal"
	"debitdesk/models/money"
)

// plainBook is what the files of plain-text accounting have in common: each account once, by its place in the tree, and
// what it comes to.
type plainBook struct {
	*journal.Book
	paths map[journal.Account]string
	sums  map[string]int64
}

// pathsOf places every account in the tree. An account that several roles share is where the first of them is; names
// that come out alike get their codes behind them.
func pathsOf(b *journal.Book, name func(string) string) *plainBook {
	p := &plainBook{Book: b, paths: map[journal.Account]string{}, sums: map[string]int64{}}
	group := map[journal.Account]string{}
	for i := range journal.Roles {
		for _, e := range append(slices.Clone(b.Opening), b.Entries...) {
			if e.Cents[i] != 0 {
				account := b.Accounts.Of(journal.Roles[i], e.BrandID)
				if group[account] == "" {
					group[account] = journal.Roles[i].Group()
				}
			}
		}
	}
	for _, role := range watched {
		if account := b.Accounts.Of(role, journal.EveryBrand); group[account] == "" {
			group[account] = role.Group()
		}
	}
	taken := map[string]bool{}
	for _, account := range slices.SortedFunc(maps.Keys(group), func(x, y journal.Account) int {
		return strings.Compare(x.Code+x.Name, y.Code+y.Name)
	}) {
		leaf := name(account.Name)
		if leaf == "" || taken[leaf] {
			leaf = strings.TrimSpace(leaf + name(" "+account.Code))
		}
		taken[leaf] = true
		p.paths[account] = group[account] + ":" + leaf
	}
	return p
}

// watched are the roles whose balance is asserted at each month's end.
var watched = []journal.Role{journal.Debtors, journal.Transit}

func (p *plainBook) watchedPaths() []string {
	var out []string
	for _, role := range watched {
		out = append(out, p.paths[p.Accounts.Of(role, journal.EveryBrand)])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (p *plainBook) all() []string { return slices.Sorted(maps.Values(p.paths)) }

// each goes through the opening balances, the entries, and the ends of the months and of the book, in the order of
// their days.
func (p *plainBook) each(entry func(day calendar.Date, uid, about string, sides []plainLine),
	end func(day calendar.Date)) {
	var opening []plainLine
	for _, e := range p.Opening {
		opening = append(opening, p.lines(e)...)
	}
	if len(opening) > 0 {
		entry(p.From, "open-"+p.From.Format("20060102"), "Balances before", opening)
	}
	at := p.From
	ends := func(until calendar.Date) { // the ends of months before a day
		for ; at.LastDayOfMonth().Before(until); at = at.LastDayOfMonth().AddDays(1) {
			end(at.LastDayOfMonth())
		}
	}
	for _, e := range p.Entries {
		ends(e.Day)
		entry(e.Day, e.UID(), one(e.Text()), p.lines(e))
	}
	ends(p.To)
	end(p.To)
}

// plainLine is one side of an entry.
type plainLine struct {
	path  string
	cents int64
}

func (p *plainBook) lines(e journal.Entry) (out []plainLine) {
	for _, l := range p.Lines(e) {
		path := p.paths[l.Account]
		p.sums[path] += l.Cents
		out = append(out, plainLine{path, l.Cents})
	}
	return out
}

// ledgerName keeps blanks, and leaves out what ledger and hledger read as something else.
func ledgerName(s string) string {
	return strings.Trim(one(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`:()[]{}<>@=*!&`, r) {
			return ' '
		}
		return r
	}, s)), " ")
}

func writeLedger(t *text, b *journal.Book) {
	p, unit := pathsOf(b, ledgerName), b.Currency
	if unit == "ZAR" {
		unit = "R"
	}
	t.line("; %s, %s to %s", one(b.Title()), b.From, b.To)
	for _, path := range p.all() {
		t.line("account %s", path)
	}
	t.line("commodity %s 1,000.00", unit)
	p.each(func(day calendar.Date, uid, about string, sides []plainLine) {
		t.line("\n%s * (%s) %s  ; uid:%s", day, uid, about, uid)
		for _, l := range sides {
			t.line("    %s  %s %s", l.path, unit, money.Plain(l.cents))
		}
	}, func(day calendar.Date) {
		t.line("\n%s * Balances at the end of the day", day)
		for _, path := range p.watchedPaths() {
			t.line("    %s  %s 0.00 = %s %s", path, unit, unit, money.Plain(p.sums[path]))
		}
	})
}

// beanName is a name in words that begin with capitals, joined.
func beanName(s string) string {
	var words []string
	for _, word := range strings.FieldsFunc(ascii(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		words = append(words, strings.ToUpper(word[:1])+word[1:])
	}
	return strings.Join(words, "-")
}

func writeBeancount(t *text, b *journal.Book) {
	p := pathsOf(b, beanName)
	t.line("; %s, %s to %s", one(b.Title()), b.From, b.To)
	t.line("option \"operating_currency\" \"%s\"", b.Currency)
	for _, path := range p.all() {
		t.line("%s open %s %s", b.From, path, b.Currency)
	}
	p.each(func(day calendar.Date, uid, about string, sides []plainLine) {
		t.line("\n%s * \"%s\" ^%s", day, strings.ReplaceAll(about, `\`, "/"), uid)
		t.line("  uid: \"%s\"", uid)
		for _, l := range sides {
			t.line("  %s  %s %s", l.path, money.Plain(l.cents), b.Currency)
		}
	}, func(day calendar.Date) { // a balance is that of the beginning of its day, to the cent
		for _, path := range p.watchedPaths() {
			t.line("%s balance %s  %s ~ 0.001 %s", day.AddDays(1), path, money.Plain(p.sums[path]), b.Currency)
		}
	})
}
