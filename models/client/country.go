package client

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
	"golang.org/x/text/unicode/norm"
)

// home is the country that most clients live in.
const home = "ZA"

// Country is one country or territory.
type Country struct{ Code, Name string }

// Countries lists the ISO 3166 countries by name, South Africa first.
func Countries() []Country { list, _ := countries(); return list }

// CountryCode reads an ISO 3166 alpha-2 code in any case, or a full English
// name ("South Africa" is ZA). Empty text stays empty.
func CountryCode(text string) (code string, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", true
	}
	_, byKey := countries()
	code, ok = byKey[countryKey(text)]
	return code, ok
}

// noCountries have a code of two letters and are no countries of ISO 3166-1: the code is only reserved there.
var noCountries = []string{"AC", "CP", "DG", "EA", "EZ", "IC", "TA", "UN"}

// renamed are countries that took another name than the one that the library knows.
var renamed = map[string]string{"MK": "North Macedonia", "SZ": "Eswatini"}

// alsoCalled are other English names that programs send: those of ISO 3166-1 above all.
var alsoCalled = map[string][]string{
	"BN": {"Brunei Darussalam"}, "BO": {"Bolivia, Plurinational State of", "Bolivia (Plurinational State of)"},
	"CD": {"Democratic Republic of the Congo", "DR Congo", "Congo, Democratic Republic of the", "Congo-Kinshasa"},
	"CG": {"Congo", "Republic of the Congo", "Congo-Brazzaville"}, "CI": {"Ivory Coast"}, "CV": {"Cabo Verde"},
	"CZ": {"Czech Republic"}, "FK": {"Falkland Islands (Malvinas)"}, "FM": {"Micronesia, Federated States of",
		"Micronesia (Federated States of)"},
	"GB": {"Great Britain", "United Kingdom of Great Britain and Northern Ireland"},
	"HK": {"Hong Kong"}, "IR": {"Iran, Islamic Republic of", "Iran (Islamic Republic of)"},
	"KP": {"Korea, Democratic People's Republic of", "Democratic People's Republic of Korea"},
	"KR": {"Korea, Republic of", "Republic of Korea"}, "LA": {"Lao People's Democratic Republic"},
	"MD": {"Moldova, Republic of", "Republic of Moldova"}, "MM": {"Myanmar", "Burma"}, "MO": {"Macao", "Macau"},
	"NL": {"Netherlands, Kingdom of the", "Holland"}, "PN": {"Pitcairn"},
	"PS": {"Palestine", "Palestine, State of", "State of Palestine"}, "RU": {"Russian Federation"},
	"SH": {"Saint Helena, Ascension and Tristan da Cunha"}, "SX": {"Sint Maarten (Dutch part)"},
	"SY": {"Syrian Arab Republic"}, "TL": {"East Timor"}, "TR": {"Türkiye"}, "TW": {"Taiwan, Province of China"},
	"TZ": {"Tanzania, United Republic of", "United Republic of Tanzania"}, "US": {"United States of America"},
	"VA": {"Holy See"}, "VC": {"Saint Vincent and the Grenadines"},
	"VE": {"Venezuela, Bolivarian Republic of", "Venezuela (Bolivarian Republic of)"}, "VN": {"Viet Nam"},
	"ZA": {"Republic of South Africa"},
}

var keyWords = strings.NewReplacer("’", "'", "&", " and ", "st.", "saint ")

// countryKey writes a name as it is looked up: without case, accents and a leading "the", with "and" and "saint" in
// full.
func countryKey(name string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(name))
	return strings.TrimPrefix(strings.Join(strings.Fields(keyWords.Replace(plain)), " "), "the ")
}

// CountryName is the English name of a code, or the code itself.
func CountryName(code string) string {
	for _, c := range Countries() {
		if c.Code == code {
			return c.Name
		}
	}
	return code
}

var countries = sync.OnceValues(func() ([]Country, map[string]string) {
	var list []Country
	byKey := map[string]string{}
	names := display.English.Regions()
	for first := 'A'; first <= 'Z'; first++ {
		for second := 'A'; second <= 'Z'; second++ {
			code := string(first) + string(second)
			region, err := language.ParseRegion(code)
			if err != nil || !region.IsCountry() || region.String() != code || region.Canonicalize() != region ||
				slices.Contains(noCountries, code) {
				continue
			}
			byKey[countryKey(code)] = code
			if name := names.Name(region); name != "" { // a few codes of former countries have none
				byKey[countryKey(name)] = code
				name = cmp.Or(renamed[code], name)
				list = append(list, Country{code, name})
				byKey[countryKey(name)] = code
			}
		}
	}
	order := collate.New(language.English)
	slices.SortStableFunc(list, func(a, b Country) int {
		switch home {
		case a.Code:
			return -1
		case b.Code:
			return 1
		}
		return order.CompareString(a.Name, b.Name)
	})
	for code, others := range alsoCalled {
		for _, name := range others {
			byKey[countryKey(name)] = code
		}
	}
	return list, byKey
})
