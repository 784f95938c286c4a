package sheet

import (
	"regexp"
	"strings"

	"github.com/shopspring/decimal"
	"github.com/xuri/excelize/v2"
)

// What a cell shows counts only where its number means something else without it: a day, 15 % that is stored as 0.15,
// and the zeros with which a number is written out to a fixed length.
var (
	shownFormat = regexp.MustCompile(`numFmtId="(?:9|10|1[4-7]|22|2[7-9]|3[0-6]|5[0-8])"`)
	formatCode  = regexp.MustCompile(`formatCode="([^"]*)"`)
	notLetters  = regexp.MustCompile(`\[[^\]]*\]|&quot;.*?&quot;|\\.|General`)
	zerosFirst  = regexp.MustCompile(`(?:^|[^.0])00`)
)

// hasShown tells whether the workbook has a style of these kinds at all; without one the second pass is saved.
func hasShown(file *excelize.File) bool {
	content, _ := file.Pkg.Load("xl/styles.xml")
	styles, _ := content.([]byte)
	if shownFormat.Match(styles) {
		return true
	}
	for _, m := range formatCode.FindAllSubmatch(styles, -1) {
		code := strings.ToLower(notLetters.ReplaceAllString(string(m[1]), ""))
		if strings.ContainsAny(code, "dy%") || zerosFirst.MatchString(code) {
			return true
		}
	}
	return false
}

var (
	longNumber = regexp.MustCompile(`^-?\d+\.\d+(?:E-\d{1,2})?$|^-?\d+E-\d{1,2}$`)
	exactly    = int32(15) // digits that a spreadsheet keeps; further ones are the noise of binary fractions
)

// cellText is the stored text, a day as YYYY-MM-DD where the cell shows one, 15% for the stored 0.15 that is shown as
// such, 00042 for the stored 42, and 1.1 for the stored 1.1000000000000001.
func cellText(stored, shown string) string {
	if day, ok := dayShown(stored, shown); ok {
		return day
	}
	if percent, ok := percentShown(stored, shown); ok {
		return percent
	}
	if digits, ok := zerosShown(stored, shown); ok {
		return digits
	}
	if !longNumber.MatchString(stored) {
		return stored
	}
	d, err := decimal.NewFromString(stored)
	if err != nil || d.NumDigits() <= int(exactly) && !strings.Contains(stored, "E") {
		return stored
	}
	return withoutNoise(d).String()
}

// withoutNoise rounds to the digits that a spreadsheet keeps.
func withoutNoise(d decimal.Decimal) decimal.Decimal {
	return d.Round(exactly - int32(d.NumDigits()) - d.Exponent()) //nolint:gosec // some dozens of digits
}

var shownPercent = regexp.MustCompile(`^(-?\d+(?:\.(\d+))?) ?%$`)

// percentShown is what a cell with a percentage says. A % that is only written behind the number, as 15 with the
// format 0"%", is no hundredth.
func percentShown(stored, shown string) (string, bool) {
	m := shownPercent.FindStringSubmatch(strings.TrimSpace(shown))
	if m == nil {
		return "", false
	}
	share, err := decimal.NewFromString(stored)
	said, wrong := decimal.NewFromString(m[1])
	if err != nil || wrong != nil || share.NumDigits() > 20 || share.Exponent() < -30 || share.Exponent() > 20 {
		return "", false
	}
	percent := withoutNoise(share.Shift(2))
	if !percent.Sub(said).Abs().LessThanOrEqual(decimal.New(1, -int32(len(m[2])))) { //nolint:gosec // a few decimals
		return "", false
	}
	return percent.String() + "%", true
}

var (
	digitsOnly  = regexp.MustCompile(`^\d{1,20}$`)
	blanksAndSo = strings.NewReplacer(" ", "", "\u00a0", "", "-", "")
)

// zerosShown is an account, a reference or a phone number with the zeros that its format puts in front.
func zerosShown(stored, shown string) (string, bool) {
	digits := blanksAndSo.Replace(shown)
	if !digitsOnly.MatchString(stored) || !digitsOnly.MatchString(digits) || len(digits) <= len(stored) ||
		strings.TrimLeft(digits, "0") != stored {
		return "", false
	}
	return digits, true
}
