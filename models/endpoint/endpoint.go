// Package endpoint knows electronic addresses: to which a business has structured invoices sent. It must not know who
// has one or what is sent there.
package endpoint

import (
	"slices"
	"strings"

	"debitdesk/models/fault"
)

// MaxLength is how long an address is at most, in characters, with its scheme.
const MaxLength = 64

// Mail is the scheme of e-mail addresses. The European standard knows it; the Peppol network does not deliver to it.
const Mail = "EM"

// Address is an identifier within a scheme of the code list for electronic addresses.
type Address struct{ Scheme, ID string }

func (a Address) String() string {
	if a == (Address{}) {
		return ""
	}
	return a.Scheme + ":" + a.ID
}

// OfMail is an e-mail address as an electronic address; the zero address for none.
func OfMail(email string) Address {
	if email == "" {
		return Address{}
	}
	return Address{Mail, email}
}

// Parse reads what people write: "0088:6001234567899". Nothing is the zero address. The error says what is wrong and
// what would be right, in a sentence.
func Parse(text string) (Address, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Address{}, nil
	}
	scheme, id, found := strings.Cut(text, ":")
	a := Address{strings.ToUpper(strings.TrimSpace(scheme)), strings.TrimSpace(id)}
	switch {
	case !found || a.ID == "" || strings.ContainsAny(a.ID, " \t"):
		return Address{}, fault.New(fault.Invalid, "invalid", "An electronic address is a scheme of four digits, a colon "+
			"and a number without spaces, such as 0088:6001234567899.")
	case len(text) > MaxLength:
		return Address{}, fault.New(fault.Invalid, "max_length", "At most %d characters.", MaxLength)
	case !slices.Contains(schemes, a.Scheme):
		return Address{}, fault.New(fault.Invalid, "invalid", "‘%s’ is not a scheme on the Peppol list. 0088 is a global "+
			"location number (GLN), 0060 a D-U-N-S number.", a.Scheme)
	case a.Scheme == gln && !validGLN(a.ID):
		return Address{}, fault.New(fault.Invalid, "invalid", "A global location number has 13 digits, and the last one "+
			"must fit the others. Check ‘%s’.", a.ID)
	}
	return a, nil
}

const gln = "0088"

// schemes are the identifiers of the code list for electronic addresses as Peppol had it in May 2025. None is South
// African yet.
var schemes = strings.Fields(`0002 0007 0009 0037 0060 0088 0096 0097 0106 0130 0135 0142 0147 0151 0154 0158 0170 0177
	0183 0184 0188 0190 0191 0192 0193 0194 0195 0196 0198 0199 0200 0201 0202 0203 0204 0205 0208 0209 0210 0211 0212
	0213 0215 0216 0217 0218 0221 0225 0230 0235 0240 9901 9910 9913 9914 9915 9918 9919 9920 9922 9923 9924 9925 9926
	9927 9928 9929 9930 9931 9932 9933 9934 9935 9936 9937 9938 9939 9940 9941 9942 9943 9944 9945 9946 9947 9948 9949
	9950 9951 9952 9953 9957 9959`)

// validGLN tells whether thirteen digits end in the check digit of the others: weights 1 and 3, modulo 10.
func validGLN(digits string) bool {
	if len(digits) != 13 {
		return false
	}
	sum := 0
	for i, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
		sum += int(c-'0') * (1 + 2*(i%2))
	}
	return sum%10 == 0
}
