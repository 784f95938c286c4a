package bank

import (
	"slices"
	"strings"
)

// Branch is a bank by its universal branch code. Codes are text: 051001 loses its zero as a number.
type Branch struct {
	Code string
	Bank string
	// MinDigits and MaxDigits bound the account number. They bind only when Verified; otherwise 7 to 13 digits pass,
	// because a wrong length would refuse good customers.
	MinDigits, MaxDigits int
	Verified             bool
}

// branches are the banks, the large ones first (industry: universal branch codes).
var branches = []Branch{
	{"632005", "Absa", 8, 11, true},
	{"470010", "Capitec", 10, 10, true},
	{"250655", "FNB", 11, 11, true},
	{"198765", "Nedbank", 10, 13, true},
	{"051001", "Standard Bank", 9, 11, false},
	{"430000", "African Bank", 11, 11, false},
	{"800000", "Al Baraka", 11, 11, true},
	{"888000", "Bank Zero", 11, 11, false},
	{"462005", "Bidvest Bank", 11, 11, false},
	{"679000", "Discovery Bank", 10, 11, false},
	{"580105", "Investec", 10, 11, false},
	{"450905", "Mercantile (Capitec Business)", 0, 0, false},
	{"460005", "Postbank", 11, 12, false},
	{"683000", "Sasfin", 0, 0, false},
	{"678910", "TymeBank", 10, 11, false},
	{"410105", "Access Bank", 0, 0, false},
	{"410506", "Access Bank", 0, 0, false},
}

// Branches lists the banks, the large ones first.
func Branches() []Branch { return slices.Clone(branches) }

// FindBranch gives the bank of a branch code. universal is false for a branch of a bank that also has a universal code.
func FindBranch(code string) (branch Branch, universal, found bool) {
	for _, b := range branches {
		if b.Code == code {
			return b, true, true
		}
	}
	// industry: FNB's own branches start with 2; ranges of other banks are not established.
	if len(code) == 6 && code[0] == '2' && allDigits(code) {
		fnb, _, _ := FindBranch("250655")
		return fnb, false, true
	}
	return Branch{}, false, false
}

// noBranch tells that no bank which holds accounts of payers has such a code: above
// 900000 is the Reserve Bank alone, and the same digit throughout fills a form (industry).
func noBranch(code string) bool {
	return code >= "900000" || strings.Trim(code, code[:1]) == ""
}

// BankName is the bank's name for a branch code, or nothing when the branch is not in the table.
func BankName(branchCode string) string {
	b, _, _ := FindBranch(branchCode)
	return b.Bank
}
