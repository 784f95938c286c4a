package book

import (
	"regexp"
	"strconv"
	"strings"

	"debitdesk/models/bank"
)

// bankAliases are the names of banks as files have them, without blanks and signs, with the universal branch code.
var bankAliases = map[string]string{
	"absa": "632005", "absabank": "632005", "amalgamatedbanks": "632005", "amalgamatedbanksofsa": "632005",
	"volkskas": "632005", "unitedbank": "632005",
	"capitec": "470010", "capitecbank": "470010", "capitecbankltd": "470010", "capitecbanklimited": "470010",
	"fnb": "250655", "firstnational": "250655", "firstnationalbank": "250655", "fnbsa": "250655", "rmb": "250655",
	"rmbprivatebank": "250655", "firstrand": "250655", "enb": "250655", "eerstenasionalebank": "250655",
	"nedbank": "198765", "nedbankltd": "198765", "nedcor": "198765", "perm": "198765", "peoplesbank": "198765",
	"standardbank": "051001", "standard": "051001", "stdbank": "051001", "std": "051001", "standerdbank": "051001",
	"standerd": "051001", "standardbankofsa": "051001", "standardbankofsouthafrica": "051001", "sbsa": "051001",
	"africanbank": "430000", "abil": "430000", "albaraka": "800000", "albarakabank": "800000",
	"bankzero": "888000", "bidvest": "462005", "bidvestbank": "462005",
	"discovery": "679000", "discoverybank": "679000", "investec": "580105", "investecbank": "580105",
	"investecprivatebank": "580105", "mercantile": "450905", "mercantilebank": "450905", "capitecbusiness": "450905",
	"postbank": "460005", "sapostbank": "460005", "sasfin": "683000", "sasfinbank": "683000",
	"tymebank": "678910", "tyme": "678910", "tymebankltd": "678910", "gotyme": "678910", "gotymebank": "678910",
	"accessbank": "410105", "access": "410105", "athens": "410506", "bankofathens": "410506", "athensbank": "410506",
	"southafricanbankofathens": "410506",
}

// bankOf finds the universal branch code of a bank by its name. Only a name that is known counts, or one that differs
// from a long one by a single letter.
func bankOf(name string) (code string, known bool) {
	word := plainWord(name)
	if word == "" {
		return "", false
	}
	if code, known = bankAliases[word]; known {
		return code, true
	}
	for _, tail := range []string{"southafrica", "sa", "ltd", "limited"} {
		if code, known = bankAliases[strings.TrimSuffix(word, tail)]; known {
			return code, true
		}
	}
	if len(word) < 6 {
		return "", false
	}
	for alias, of := range bankAliases {
		if len(alias) >= 6 && oneEdit(alias, word) {
			if known && code != of {
				return "", false // it could be two banks
			}
			code, known = of, true
		}
	}
	return code, known
}

// oneEdit tells that two words differ by one letter: another one, one more or one less.
func oneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return i == len(a) || a[i+1:] == b[i+1:]
	}
	return a[i:] == b[i+1:]
}

var accountTypes = map[string]bank.AccountType{
	"1": bank.Current, "c": bank.Current, "cheque": bank.Current, "check": bank.Current, "current": bank.Current,
	"chequecurrent": bank.Current, "currentcheque": bank.Current, "tjek": bank.Current, "cheq": bank.Current,
	"currentaccount": bank.Current, "chequeaccount": bank.Current, "lopende": bank.Current, "business": bank.Current,
	"2": bank.Savings, "s": bank.Savings, "savings": bank.Savings, "saving": bank.Savings, "spaar": bank.Savings,
	"savingsaccount": bank.Savings, "spaarrekening": bank.Savings,
	"3": bank.Transmission, "t": bank.Transmission, "transmission": bank.Transmission, "trans": bank.Transmission,
	"transmissionaccount": bank.Transmission, "transmissie": bank.Transmission,
}

// Cycle is how often a debit comes.
type Cycle string

// The cycles.
const (
	Monthly     Cycle = "monthly"
	Weekly      Cycle = "weekly"
	Fortnightly Cycle = "fortnightly"
	Quarterly   Cycle = "quarterly"
	HalfYearly  Cycle = "half-yearly"
	Yearly      Cycle = "yearly"
)

var cycles = map[string]Cycle{
	"monthly": Monthly, "month": Monthly, "m": Monthly, "mnth": Monthly, "permonth": Monthly, "maandeliks": Monthly,
	"everymonth": Monthly, "mnthly": Monthly,
	"weekly": Weekly, "week": Weekly, "w": Weekly, "wkly": Weekly, "weekliks": Weekly, "perweek": Weekly,
	"fortnightly": Fortnightly, "biweekly": Fortnightly, "fort": Fortnightly, "frtn": Fortnightly,
	"every2weeks":  Fortnightly,
	"tweeweekliks": Fortnightly,
	"quarterly":    Quarterly, "quarter": Quarterly, "q": Quarterly, "qurt": Quarterly, "kwartaalliks": Quarterly,
	"halfyearly": HalfYearly, "biannually": HalfYearly, "mian": HalfYearly, "every6months": HalfYearly,
	"halfjaarliks": HalfYearly,
	"yearly":       Yearly, "annually": Yearly, "annual": Yearly, "year": Yearly, "y": Yearly, "a": Yearly,
	"jaarliks": Yearly,
}

// Label is a cycle for a person.
func (c Cycle) Label() string { return strings.ToUpper(string(c[:1])) + string(c[1:]) }

// inMonths tells how many months a cycle has; 0 for one that is counted in days.
func (c Cycle) inMonths() int {
	switch c {
	case Quarterly:
		return 3
	case HalfYearly:
		return 6
	case Yearly:
		return 12
	case Weekly, Fortnightly:
		return 0
	case Monthly:
	}
	return 1
}

// inDays tells how many days a cycle has that is not counted in months.
func (c Cycle) inDays() int {
	if c == Fortnightly {
		return 14
	}
	return 7
}

// LastDay stands for the last day of the month.
const LastDay = 99

var weekdays = map[string]int{"monday": 1, "mon": 1, "maandag": 1, "tuesday": 2, "tue": 2, "tues": 2, "dinsdag": 2,
	"wednesday": 3, "wed": 3, "woensdag": 3, "thursday": 4, "thu": 4, "donderdag": 4, "friday": 5, "fri": 5, "vrydag": 5,
	"saturday": 6, "sat": 6, "saterdag": 6, "sunday": 7, "sun": 7, "sondag": 7}

var lastDays = map[string]bool{"last": true, "lastday": true, "lastdayofmonth": true, "lastdayofthemonth": true,
	"endofmonth": true, "monthend": true, "eom": true, "laaste": true, "laastedag": true, "99": true}

var dayNumber = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th|ste|de)?$`)

// dayOf reads a day of the month (1 to 31, 99 for the last) or of the week (1 to 7).
func dayOf(text string, c Cycle) (day int, ok bool) {
	word := plainWord(text)
	if c.inMonths() == 0 {
		if day, ok = weekdays[word]; ok {
			return day, true
		}
		n, err := strconv.Atoi(word)
		return n, err == nil && n >= 1 && n <= 7
	}
	if lastDays[word] {
		return LastDay, true
	}
	m := dayNumber.FindStringSubmatch(word)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	return n, err == nil && n >= 1 && n <= 31
}

var inactiveWords = map[string]bool{"inactive": true, "cancelled": true, "canceled": true, "closed": true,
	"expired":   true,
	"suspended": true, "frozen": true, "freeze": true, "hold": true, "onhold": true, "no": true, "n": true, "0": true,
	"false": true, "terminated": true, "left": true, "resigned": true, "onaktief": true, "gekanselleer": true,
	"paused":   true,
	"declined": true, "failed": true}

var noneWords = map[string]bool{"none": true, "never": true, "no": true, "geen": true, "nooit": true, "nil": true}

// placeholders stand for a value that nobody knew.
var (
	placeholderText  = regexp.MustCompile(`(?i)^(?:temp|test|dummy|unknown|none|nil|no ?id|n/?a|tba|tbc|xx+)[-_ ]?\d*$`)
	placeholderEmail = regexp.MustCompile(
		`(?i)^(?:x+|no|none|noemail|na|test|unknown|dummy|temp)@|@(?:temp|none|noemail|xx+)\.`)
)

func sameDigit(digits string) bool { return digits != "" && strings.Trim(digits, digits[:1]) == "" }

// isPlaceholder tells a value that nobody knew when it was typed.
func isPlaceholder(f Field, text string) bool {
	switch f {
	case Email:
		return placeholderEmail.MatchString(text)
	case Phone:
		d := strings.TrimPrefix(digitsOf(text), "27")
		return placeholderText.MatchString(text) || len(d) >= 6 && (sameDigit(d) || sameDigit(strings.TrimPrefix(d, "0")))
	case Identity:
		d := digitsOf(text)
		return placeholderText.MatchString(text) || len(d) == len(text) && len(d) >= 6 && (sameDigit(d) ||
			d == "1234567890123")
	default:
	}
	return false
}
