package client

import (
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
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
	_, byName := countries()
	code, ok = byName[strings.ToLower(text)]
	return code, ok
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
	byName := map[string]string{}
	names := display.English.Regions()
	for first := 'A'; first <= 'Z'; first++ {
		for second := 'A'; second <= 'Z'; second++ {
			code := string(first) + string(second)
			region, err := language.ParseRegion(code)
			if err != nil || !region.IsCountry() || region.String() != code || region.Canonicalize() != region {
				continue
			}
			byName[strings.ToLower(code)] = code
			if name := names.Name(region); name != "" { // a few codes of former countries have none
				list = append(list, Country{code, name})
				byName[strings.ToLower(name)] = code
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
	for name, code := range map[string]string{"united states of america": "US", "great britain": "GB", "swaziland": "SZ",
		"czech republic": "CZ", "ivory coast": "CI", "cape verde": "CV", "democratic republic of the congo": "CD"} {
		byName[name] = code
	}
	return list, byName
})
