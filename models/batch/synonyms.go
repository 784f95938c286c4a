package batch

import (
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// What people call the columns, English and Afrikaans, without accents and blanks.
var synonyms = map[Field]string{
	Email: "email|emailaddress|mail|epos|eposadres|mailaddress|clientemail|customeremail|klientepos|contactemail|" +
		"payeremail|debtoremail",
	ClientID: "clientid|clientuuid|debitdeskid|customerid|klientid",
	FullName: "fullname|name|clientname|customername|customer|client|payer|payername|debtor|debtorname|naam|" +
		"vollenaam|volnaam|klient|klientnaam|naamenvan|nameandsurname|nameofclient|accountholder|member|" +
		"membername|learner|tenant",
	Phone: "phone|phonenumber|cell|cellphone|cellnumber|cellno|cellphonenumber|mobile|mobilenumber|tel|telephone|" +
		"telephonenumber|foon|telefoon|telefoonnommer|selfoon|selfoonnommer|sel|selnommer|contactnumber",
	PersonalCode: "personalcode|id|idnumber|idno|idnr|said|identitynumber|identity|passport|passportnumber|idorpassport|" +
		"idorpassportnumber|idpassport|idnommer|identiteitsnommer|paspoort|paspoortnommer|rsaid",
	BankCode: "bankcode|branch|branchcode|branchno|branchnumber|universalbranchcode|takkode|tak|bankkode|" +
		"takkodenommer",
	BankAccount: "bankaccount|bankaccountnumber|bankaccountno|account|accountnumber|accountno|accno|accnumber|rekening|" +
		"rekeningnommer|rekeningnr|bankrekening|bankrekeningnommer",
	Amount: "amount|total|totalamount|amountdue|invoiceamount|invoicetotal|totaldue|value|bedrag|totaal|" +
		"totalebedrag|bedragverskuldig|faktuurbedrag|sum|debitamount|balance|premium|premie",
	Currency: "currency|currencycode|geldeenheid|valuta|ccy",
	Due: "due|duedate|dueon|date|datedue|paymentdate|paymentduedate|payby|paybefore|actiondate|debitdate|" +
		"collectiondate|strikedate|datum|betaaldatum|vervaldatum|betaalvoor|verskuldigop|aksiedatum|" +
		"debietdatum",
	Reference: "reference|ref|invoiceref|invoicereference|paymentreference|yourreference|ourreference|yourref|ourref|" +
		"refno|referenceno|referencenumber|verwysing|verwysingsnommer|verw|invoiceno|invoicenumber|" +
		"faktuurnommer|policynumber|contractreference",
	Notes:  "notes|note|comment|comments|remark|remarks|notas|nota|opmerking|opmerkings|kommentaar|message|boodskap",
	Charge: "charge|chargetoken|autocharge|debit|debitorder|collect|debietorder|debiteer|hef|vorder",
	Method: "paymentmethod|method|paymenttype|betaalmetode|betaalwyse|metode",
	Product: "for|whatfor|product|productname|item|itemname|itemdescription|description|productdescription|details|" +
		"service|produk|produknaam|beskrywing|item|diens|artikel|lineitem",
	Quantity: "quantity|qty|units|count|hoeveelheid|aantal|hoev|productquantity|itemquantity|productqty|itemqty",
	Price: "price|unitprice|itemprice|productprice|priceperunit|rate|cost|prys|eenheidsprys|prysperstuk|tarief|" +
		"koste|priceeach|eachprice",
	Discount: "discount|rebate|afslag|korting|itemdiscount|productdiscount",
	TaxPercent: "taxpercent|tax|taxrate|vat|vatrate|vatpercent|btw|btwkoers|belasting|belastingpersent|itemtax|" +
		"producttax|productvat|itemvat",
}

// Words that say nothing about the meaning: amount (ZAR), price incl VAT.
var fillers = map[string]bool{"zar": true, "rand": true, "r": true, "incl": true, "including": true, "inclusive": true,
	"excl": true, "of": true,
	"the": true, "in": true, "die": true, "van": true, "insluitend": true, "required": true, "optional": true,
	"yyyy": true, "mm": true, "dd": true, "sast": true}

var byWord = func() map[string]Field {
	all := map[string]Field{}
	for field, words := range synonyms {
		for word := range strings.SplitSeq(words, "|") {
			all[word] = field
		}
	}
	return all
}()

// FieldOf finds the field that a heading names.
func FieldOf(heading string) (Field, bool) {
	words, n := wordsOf(heading)
	full := strings.Join(words, "")
	field, found := byWord[full]
	if !found {
		var telling []string
		for _, w := range words {
			if !fillers[w] {
				telling = append(telling, w)
			}
		}
		if len(telling) > 1 && (telling[len(telling)-1] == "vat" || telling[len(telling)-1] == "btw") {
			if _, priced := byWord[strings.Join(telling[:len(telling)-1], "")]; priced {
				telling = telling[:len(telling)-1]
			}
		}
		field, found = byWord[strings.Join(telling, "")]
	}
	if !found || n == 0 {
		return field, found
	}
	for _, p := range perProduct {
		if p == field && n <= MostProducts {
			return field.Nth(n), true
		}
	}
	return "", false
}

// wordsOf cuts a heading into words without accents, and takes the number out: "Prys 2" is prys and 2.
func wordsOf(heading string) (words []string, n int) {
	plain, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn))),
		strings.ToLower(heading))
	if err != nil {
		plain = strings.ToLower(heading)
	}
	plain = strings.ReplaceAll(plain, "%", " percent ")
	digits := false
	word := ""
	flush := func() {
		switch {
		case word == "":
		case digits && len(word) == 1 && n == 0:
			n = int(word[0] - '0')
		default:
			words = append(words, word)
		}
		word = ""
	}
	for _, r := range plain {
		isDigit := r >= '0' && r <= '9'
		if !isDigit && !unicode.IsLetter(r) {
			flush()
			continue
		}
		if isDigit != digits {
			flush()
			digits = isDigit
		}
		word += string(r)
	}
	flush()
	return words, n
}
