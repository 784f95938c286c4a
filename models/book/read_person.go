package book

import (
	"regexp"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/client"
	"debitdesk/models/plural"
)

// person reads who the client is.
func (r *reading) person() {
	v := &r.line.Values
	d := &v.Details
	d.FullName = strings.TrimSpace(r.text(FullName, 128) + " " + r.text(Surname, 128))
	if len([]rune(d.FullName)) > 128 {
		r.wrong(FullName, CauseLength, "name and surname have more than 128 characters together")
	}
	v.Reference = r.text(Reference, 64)
	d.StreetAddress, d.City, d.ZipCode = r.text(Street, 128), r.text(City, 128), r.text(PostCode, 32)
	for _, f := range moreDetails {
		*f.at(d) = r.text(f.field, f.most)
	}
	d.Country, d.ShippingCountry = countryOf(d.Country), countryOf(d.ShippingCountry)
	d.Tags = client.TagsIn(r.text(Tags, 1000))
	d.CC, d.BCC = strings.Fields(r.text(Copies, 1000)), strings.Fields(r.text(HiddenCopies, 1000))
	v.Group, v.Notes = r.text(GroupOf, 64), r.text(Notes, 1000)
	r.clientID()
	r.email()
	r.phone()
	r.identity()
	if d.FullName == "" && v.ClientID == uuid.Nil && !r.Source.OnlyJoins && !r.about(CauseLength, CauseLine) {
		r.wrong(FullName, CauseName, "expected a name, found nothing")
	}
}

// detail is a text of a client.
type detail struct {
	field Field
	most  int // characters
	at    func(*client.Details) *string
}

// moreDetails are details of a client that few files have.
var moreDetails = []detail{{Province, 128, func(d *client.Details) *string { return &d.State }},
	{Country, 64, func(d *client.Details) *string { return &d.Country }},
	{LegalName, 128, func(d *client.Details) *string { return &d.LegalName }},
	{TradeName, 128, func(d *client.Details) *string { return &d.BrandName }},
	{Registration, 32, func(d *client.Details) *string { return &d.RegistrationNumber }},
	{TaxNumber, 32, func(d *client.Details) *string { return &d.TaxNumber }},
	{ShipStreet, 128, func(d *client.Details) *string { return &d.ShippingStreetAddress }},
	{ShipCity, 128, func(d *client.Details) *string { return &d.ShippingCity }},
	{ShipProvince, 128, func(d *client.Details) *string { return &d.ShippingState }},
	{ShipPostCode, 32, func(d *client.Details) *string { return &d.ShippingZipCode }},
	{ShipCountry, 64, func(d *client.Details) *string { return &d.ShippingCountry }}}

// countryOf is the code of a country; only the names of this one are known.
func countryOf(text string) string {
	switch plainWord(text) {
	case "southafrica", "rsa", "suidafrika", "za", "zaf":
		return "ZA"
	}
	return strings.ToUpper(text)
}

func (r *reading) clientID() {
	text, given := r.cell(ClientID)
	if !given {
		return
	}
	id, err := uuid.Parse(text)
	if err != nil {
		r.wrong(ClientID, CauseUnknownID, "expected the id of a client, found %s", found(ClientID, text))
		return
	}
	r.line.Values.ClientID = id
}

// placeholder tells that a value stands for one that nobody knew: by its form, or because more than three clients share
// it. Such a value is a finding and joins nobody.
func (r *reading) placeholder(f Field, text string) bool {
	n := r.Together.shared(f, text)
	if !isPlaceholder(f, text) && n <= mostSharing {
		return false
	}
	switch {
	case r.chose(CausePlaceholder) == choiceDrop:
		r.say(Note, f, CausePlaceholder, "a placeholder was left out")
	case n > mostSharing:
		r.wrong(f, CausePlaceholder, "%s of the file have the same value here, so it cannot be theirs",
			plural.Of(n, "client"))
	default:
		r.wrong(f, CausePlaceholder, "%s looks like a placeholder", found(f, text))
	}
	return true
}

func (r *reading) email() {
	text, given := r.cell(Email)
	if !given || r.placeholder(Email, text) {
		return
	}
	tidy, ok := client.TidyEmail(text)
	cause := CauseEmail
	if ok && tidy != text { // what an address is made of; else nothing but a person helps
		cause = CauseStray
	}
	switch {
	case client.IsEmail(text), ok && r.chose(cause) == choiceYes:
		r.line.Values.Details.Email = tidy
	case r.chose(cause) == choiceDrop:
		r.say(Note, Email, cause, "%s was left out", found(Email, text))
	default:
		r.wrong(Email, cause, "expected one e-mail address, found %s", found(Email, text))
	}
}

var betweenPhones = regexp.MustCompile(`\s*(?:/|;|,|&|\bor\b|\bof\b|\ben\b|\band\b)\s*`)

// phone takes a number in the international form. Of two numbers in one cell the first of a cellphone counts, and the
// other one is kept in the notes.
func (r *reading) phone() {
	text, given := r.cell(Phone)
	if !given || r.placeholder(Phone, text) {
		return
	}
	if exponent.MatchString(text) {
		if r.chose(CauseScientific) != choiceDrop {
			r.wrong(Phone, CauseScientific, "%s", lostDigits)
		}
		return
	}
	var good, cells []string
	parts := betweenPhones.Split(text, -1)
	for _, part := range parts {
		if phone, ok := phoneOf(part); ok {
			good = append(good, phone)
			if strings.HasPrefix(phone, "27") && len(phone) == 11 && strings.ContainsRune("678", rune(phone[2])) {
				cells = append(cells, phone)
			}
		}
	}
	d := &r.line.Values.Details
	switch {
	case len(good) == 0 && r.chose(CausePhone) == choiceDrop:
		r.say(Note, Phone, CausePhone, "%s was left out", found(Phone, text))
	case len(good) == 0:
		r.wrong(Phone, CausePhone, "expected a number such as 082 123 4567, or + and the country code")
	case len(cells) > 0:
		d.Phone = cells[0]
	default:
		d.Phone = good[0]
	}
	if len(good) > 1 {
		r.say(Note, Phone, CausePhones, "the cell has %d numbers: the first cellphone is kept, the others go into the notes",
			len(good))
		r.line.Values.Notes = strings.TrimSpace(r.line.Values.Notes + "\nOther phone numbers: " + otherPhones(good, d.Phone))
	}
}

func otherPhones(all []string, not string) string {
	var others []string
	for _, p := range all {
		if p != not {
			others = append(others, "+"+strings.TrimPrefix(p, "+"))
		}
	}
	return strings.Join(others, ", ")
}

// phoneOf is the one rule on phone numbers, and takes a cellphone number that lost its zero, too.
func phoneOf(text string) (string, bool) {
	if phone, ok := client.Phone(strings.TrimSpace(text)); ok {
		return phone, true
	}
	digits := digitsOf(text)
	if len(digits) == 9 && strings.ContainsRune("678", rune(digits[0])) && strings.Trim(text, "0123456789 -()") == "" {
		return bank.NormalisePhone("0" + digits)
	}
	return "", false
}

// identity takes an ID or passport number. Of twelve digits the first zero was lost, where the check digit agrees.
func (r *reading) identity() {
	text, given := r.number(Identity)
	if !given || r.placeholder(Identity, text) {
		return
	}
	if n := r.Together.shared(Identity, text); n > 1 {
		r.say(Warning, Identity, CauseSharedID, "%s of the file have this ID number: is it one client, or was a number "+
			"copied?", plural.Of(n, "client"))
	}
	n := bank.CleanID(text)
	if len(n.Reveal()) == 12 && digitsOf(n.Reveal()) == n.Reveal() {
		if with := bank.IDNumber("0" + n.Reveal()); okIdentity(with, r.Today) {
			r.say(Note, Identity, CauseIDZero, "the zero in front was lost and put back: the check digit agrees")
			r.line.Values.Details.PersonalCode = with
			return
		}
		r.badIdentity("twelve digits; with a zero in front the check digit does not agree")
		return
	}
	if _, wrong := bank.ParseIdentity(n, r.Today); len(wrong) > 0 {
		r.badIdentity(strings.TrimSuffix(wrong[0].Message, "."))
		return
	}
	r.line.Values.Details.PersonalCode = n
}

func okIdentity(n bank.IDNumber, today Day) bool {
	_, wrong := bank.ParseIdentity(n, today)
	return len(wrong) == 0
}

func (r *reading) badIdentity(why string) {
	if r.chose(CauseIdentity) == choiceDrop {
		r.say(Note, Identity, CauseIdentity, "the number was left out: it is not an ID number")
		return
	}
	r.wrong(Identity, CauseIdentity, "%s", why)
}
