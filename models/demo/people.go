package demo

import (
	"fmt"
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/client"
)

var firstNames = []string{"Thandiwe", "Pieter", "Naledi", "Ayesha", "Sipho", "Annelie", "Lerato", "Yusuf", "Zanele",
	"Johan", "Priya", "Kagiso", "Mia",
	"Bongani", "Chantel", "Riaan", "Nomvula", "Imraan", "Refilwe", "Dylan", "Siyabonga", "Elmarie", "Palesa", "Gareth",
	"Nosipho", "Tumelo", "Fatima",
	"Ruan", "Ntombi", "Craig"}

var lastNames = []string{"Nkosi", "van der Merwe", "Mokoena", "Patel", "Dlamini", "Botha", "Molefe", "Adams", "Khumalo",
	"Pretorius", "Naidoo", "Sithole",
	"Jacobs", "Mthembu", "du Plessis", "Govender", "Mahlangu", "Petersen", "Venter", "Ndlovu", "Fourie", "Zulu", "Davids",
	"Maseko", "Coetzee", "Baloyi",
	"Erasmus", "Cele", "Smit"}

var streets = []struct{ name, suburb, code string }{
	{"Kloof Street", "Gardens", "8001"}, {"Upper Orange Street", "Oranjezicht", "8001"},
	{"Main Road", "Sea Point", "8005"}, {"Albert Road", "Woodstock", "7925"},
	{"Lower Main Road", "Observatory", "7925"}, {"Camps Bay Drive", "Camps Bay", "8005"},
	{"Rosmead Avenue", "Kenilworth", "7708"},
	{"Voortrekker Road", "Bellville", "7530"}, {"Buitenkant Street", "Gardens", "8001"},
	{"Belmont Road", "Rondebosch", "7700"},
}

// banks with the form of their account numbers: what stands before the ending.
var banks = []struct {
	branch, lead string
	kind         bank.AccountType
}{
	{"250655", "62%05d", bank.Current}, {"470010", "14%04d", bank.Savings}, {"632005", "40%04d", bank.Current},
	{"051001", "10%04d", bank.Current},
	{"198765", "11%04d", bank.Current}, {"678910", "51%04d", bank.Savings}, {"250655", "62%05d", bank.Current},
	{"470010", "16%04d", bank.Savings},
}

// Person is person, for whoever plays with clients.
func Person(n int, ending string) client.Details { return person(n, ending) }

// person is the nth client. The ending of the account decides what the sandbox
// bank answers; a client without one gets an ending that pays.
func person(n int, ending string) client.Details {
	first, last := firstNames[n%len(firstNames)], lastNames[(n*7+n/len(firstNames))%len(lastNames)]
	street, b := streets[n*3%len(streets)], banks[n%len(banks)]
	if ending == "" {
		ending = fmt.Sprintf("0%03d", 101+n%800)
	}
	mailbox := strings.ToLower(strings.ReplaceAll(first+"."+last, " ", ""))
	if n >= len(firstNames)*len(lastNames)/2 { // names come round again
		mailbox += fmt.Sprintf("%d", n)
	}
	return client.Details{
		Email: mailbox + "@example.com", Phone: fmt.Sprintf("27%d%07d", 82-n%3*10, (1234567+n*76543)%10_000_000),
		FullName:      first + " " + last,
		PersonalCode:  bank.IDNumber(identity(n)),
		StreetAddress: fmt.Sprintf("%d %s, %s", 3+n*11%180, street.name, street.suburb), City: "Cape Town",
		State: "Western Cape", ZipCode: street.code, Country: "ZA",
		BankCode: b.branch, BankAccount: bank.AccountNumber(fmt.Sprintf(b.lead, (n*137+211)%10_000) + ending),
		AccountType: b.kind,
	}
}

// identity makes a valid South African ID of nobody: birth date, sequence,
// citizen, and the check digit.
func identity(n int) string {
	digits := fmt.Sprintf("%02d%02d%02d%04d08", 64+n*5%36, 1+n*7%12, 1+n*11%28, (n*613+87)%10_000)
	sum := 0
	for i, d := range digits {
		v := int(d - '0')
		if i%2 == 1 { // the check digit follows, so the second from the left is doubled
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	return digits + fmt.Sprint((10-sum%10)%10)
}
