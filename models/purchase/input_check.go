package purchase

import (
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/weblink"
)

// Check reports everything that needs no look at stored records.
func (in *Input) check(now time.Time) {
	w := &in.Problems
	switch {
	case in.forMany:
	case in.Client == nil && in.ClientID == uuid.Nil && !w.Has("client") && !w.Has("client_id"):
		w.Add(fault.All, clientMissing, "Either client or client_id is required.")
	case in.Client != nil && in.ClientID != uuid.Nil:
		w.Add(fault.All, "purchase_client_or_id_only", "Give client or client_id, not both.")
	case in.Client != nil:
		in.checkClient(now)
	}
	if in.BrandID == uuid.Nil && !w.Has("brand_id") {
		w.Add("brand_id", "required", "This field is required.")
	}
	if in.Due != nil && !w.Has("due") {
		switch {
		case !in.Due.After(now):
			w.Add("due", "due_not_greater_than_now", "`due` cannot be in the past!")
		case in.Due.Unix() > LastDue:
			w.Add("due", "max_value", "Ensure this value is less than or equal to %d.", LastDue)
		}
	}
	in.checkIssued(calendar.DateOf(now))
	text(w, "reference", in.Reference, 128)
	in.checkOptions()
	in.checkWhitelist()
	in.checkDetails()
}

// An invoice may be dated back and ahead by so many years, and a payment back (ours).
const (
	mostYearsBack  = 20
	mostYearsAhead = 1
)

// checkIssued refuses a date of the invoice that nobody means: it is the year of its number, and the day of the books.
func (in *Input) checkIssued(today calendar.Date) {
	first := calendar.On(today.Year-mostYearsBack, today.Month, today.Day)
	last := calendar.On(today.Year+mostYearsAhead, today.Month, today.Day)
	switch w := &in.Problems; {
	case in.Issued.IsZero() || w.Has("issued"):
	case in.Issued.Before(first):
		w.Add("issued", "min_value", "Ensure this date is %s or later.", first)
	case in.Issued.After(last):
		w.Add("issued", "max_value", "Ensure this date is %s or earlier.", last)
	}
}

func (in *Input) checkClient(now time.Time) {
	w := &in.Problems
	wrong := in.Client.Check(client.AsRecord, calendar.DateOf(now))
	if in.Client.Email == "" {
		// Here the bank account cannot stand in for it, as it can in a client's record.
		wrong = slices.DeleteFunc(wrong, func(f fault.Field) bool { return f.Path == "email" && f.Code == "required" })
		if !w.Has("client.email") {
			wrong.Add("email", "required", "This field is required.")
		}
	}
	w.Under("client", wrong)
}

func (in *Input) checkOptions() {
	w, o := &in.Problems, in.Options
	for name, link := range map[string]string{"success_redirect": o.SuccessRedirect, "failure_redirect": o.FailureRedirect,
		"cancel_redirect": o.CancelRedirect, "success_callback": o.SuccessCallback} {
		checkURL(w, name, link)
	}
	if strings.ContainsAny(o.CancelRedirect, cancelRedirectForbids) {
		w.Add("cancel_redirect", "invalid", "This address may not contain < > ' or \".")
	}
	text(w, "creator_agent", o.CreatorAgent, 32)
	text(w, "platform", o.Platform, 50)
	if o.OrderID != nil {
		text(w, "order_id", *o.OrderID, 128)
	}
	if len(o.Tags) > maxTags {
		w.Add("tags", "max_length", "Ensure this field has no more than %d elements.", maxTags)
	}
}

func checkURL(w *fault.Problems, name, link string) {
	if link == "" || w.Has(name) {
		return
	}
	if text(w, name, link, maxRedirect); w.Has(name) {
		return
	}
	if weblink.HasLogin(link) {
		w.Add(name, "invalid", "%s", weblink.NoLogin)
		return
	}
	u, err := url.Parse(link)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		w.Add(name, "invalid", "Enter a valid URL.")
	}
}

// CheckWhitelist reports what is wrong with a list of payment methods, and where the bank connection has none of them;
// nil is no list.
func (s *Service) CheckWhitelist(w *fault.Problems, at string, list []string) bool {
	return checkMethods(w, at, list) && s.canPayBy(w, at, list)
}

// CheckBlock notes the list of one recipient that allows DebiCheck alone where the direct_debit block that all share
// has no terms of a mandate: the client could pay by nothing then.
func CheckBlock(w *fault.Problems, at string, list []string, block *DirectDebit) {
	if block != nil && block.Terms == nil && onlyDebiCheck(list) {
		w.Add(at, "invalid_payment_method_whitelist",
			"The direct_debit block has no terms of a DebiCheck mandate. Leave this out or use eft.")
	}
}

// canPayBy notes a list of which the bank connection can do nothing.
func (s *Service) canPayBy(w *fault.Problems, at string, list []string) bool {
	if why := s.Bank.NoDebiCheck(); why != "" && onlyDebiCheck(list) {
		w.Add(at, "invalid_payment_method_whitelist", "%s", why)
		return false
	}
	return true
}

func checkMethods(w *fault.Problems, at string, list []string) bool {
	if list != nil && len(list) == 0 {
		w.Add(at, "min_length", "Ensure this field has at least 1 elements.")
		return false
	}
	for _, name := range list {
		switch {
		case name == EFT || name == DebiCheck:
		case slices.Contains(familyMethods, name):
			w.Add(at, "invalid_payment_method_whitelist", "%q is not offered here. Choose eft or debicheck.", name)
			return false
		default:
			w.Add(at, "invalid_choice", "%q is not a valid choice. Choose eft or debicheck.", name)
			return false
		}
	}
	return true
}

func (in *Input) checkWhitelist() {
	w, list := &in.Problems, in.Options.Whitelist
	if list == nil || w.Has("payment_method_whitelist") {
		if in.DirectDebit != nil && !w.Has("payment_method_whitelist") {
			w.Add("payment_method_whitelist", "invalid_payment_method_whitelist", "%s", wantsExactly1)
		}
		return
	}
	if !checkMethods(w, "payment_method_whitelist", list) {
		return
	}
	if in.DirectDebit != nil && len(list) != 1 {
		w.Add("payment_method_whitelist", "invalid_payment_method_whitelist", "%s", wantsExactly1)
	}
	if in.DirectDebit == nil && in.Options.ForceRecurring && onlyDebiCheck(list) {
		w.Add(directDebitAt, "required", "A mandate by debicheck needs this block with the terms of the mandate.")
	}
}

func onlyDebiCheck(whitelist []string) bool { return len(whitelist) == 1 && whitelist[0] == DebiCheck }

func (in *Input) checkDetails() {
	w, d := &in.Problems, &in.Details
	if len(d.Products) == 0 && !w.Has("purchase.products") && !w.Has("purchase") {
		w.Add("purchase.products", "required", "This field is required.")
	}
	if len(d.Products) > maxProducts {
		w.Add("purchase.products", "max_length", "Ensure this field has no more than %d elements.", maxProducts)
		return
	}
	for i, p := range d.Products {
		p.check(w, item("purchase.products", i, len(d.Products)))
	}
	lines(w, "purchase.notes", d.Notes, 10000)
	lines(w, "purchase.email_message", d.EmailMessage, 256)
	if size := len(d.Metadata); size > maxMetadata && !w.Has("purchase.metadata") {
		w.Add("purchase.metadata", "max_length", "Ensure this object has no more than %d bytes as JSON; it has %d.",
			maxMetadata, size)
	}
	if in.Currency != "" && in.Currency != money.ZAR && !w.Has("purchase.currency") {
		w.Add("purchase.currency", "invalid_choice", "%q is not a valid choice. Use ZAR.", in.Currency)
	}
	if d.Language != "" && !languageForm.MatchString(d.Language) {
		w.Add("purchase.language", "invalid_choice", "%q is not a valid choice. Use a code of two letters such as en.",
			d.Language)
	}
	if d.Timezone != "" {
		if _, err := time.LoadLocation(d.Timezone); err != nil || d.Timezone == "Local" {
			w.Add("purchase.timezone", "invalid_choice", "%q is not a time zone. Use an IANA name such as Africa/Johannesburg.",
				d.Timezone)
		}
	}
	for _, name := range d.RequestClientDetails {
		if !slices.Contains(clientDetails, name) {
			w.Add("purchase.request_client_details", "invalid_choice", "%q is not a valid choice.", name)
			break
		}
	}
	for name, v := range map[string]*int64{"subtotal_override": d.SubtotalOverrideCents,
		"total_tax_override":      d.TaxOverrideCents,
		"total_discount_override": d.DiscountOverrideCents, "total_override": d.TotalOverrideCents} {
		if v != nil {
			cents(w, "purchase."+name, *v, 0)
		}
	}
	cents(w, "purchase.debt", d.DebtCents, -money.MostCents)
}

// CheckProducts reports what is wrong with lines, at products[i/n].
func CheckProducts(list []Product) fault.Problems {
	var w fault.Problems
	for i, p := range list {
		p.check(&w, item("products", i, len(list)))
	}
	return w
}

func (p Product) check(w *fault.Problems, at string) {
	if p.Name == "" && !w.Has(at+".name") {
		w.Add(at+".name", "required", "This field is required.")
	}
	text(w, at+".name", p.Name, 256)
	text(w, at+".category", p.Category, 256)
	cents(w, at+".price", p.PriceCents, 0)
	cents(w, at+".discount", p.DiscountCents, 0)
	if p.TotalOverrideCents != nil {
		cents(w, at+".total_price_override", *p.TotalOverrideCents, 0)
	}
	if p.Quantity.IsNegative() {
		w.Add(at+".quantity", "min_value", "Ensure this value is greater than or equal to 0.")
	} else if p.Quantity.GreaterThan(maxQuantity) {
		w.Add(at+".quantity", "max_value", "Ensure this value is less than or equal to %s.", maxQuantity)
	} else if p.Quantity.Exponent() < -4 && !p.Quantity.Equal(p.Quantity.Truncate(4)) {
		w.Add(at+".quantity", "max_decimal_places", "Ensure that there are no more than 4 decimal places.")
	}
	switch {
	case p.TaxPercent.IsNegative():
		w.Add(at+".tax_percent", "min_value", "Ensure this value is greater than or equal to 0.")
	case p.TaxPercent.GreaterThan(hundredTax):
		w.Add(at+".tax_percent", "max_value", "Ensure this value is less than or equal to 100.")
	case !p.TaxPercent.Equal(p.TaxPercent.Truncate(2)):
		w.Add(at+".tax_percent", "max_decimal_places", "Ensure that there are no more than 2 decimal places.")
	}
}

// text checks a text of one line.
func text(w *fault.Problems, path, value string, limit int) {
	lines(w, path, value, limit)
	w.OneLine(path, value)
}

// lines checks a text that may have several lines.
func lines(w *fault.Problems, path, value string, limit int) {
	if (strings.ContainsRune(value, 0) || !utf8.ValidString(value)) && !w.Has(path) {
		w.Add(path, "invalid", "This text contains characters that cannot be stored.")
	}
	if utf8.RuneCountInString(value) > limit && !w.Has(path) {
		w.Add(path, "max_length", "Ensure this field has no more than %d characters.", limit)
	}
}

func cents(w *fault.Problems, path string, value, least int64) {
	switch {
	case w.Has(path):
	case value < least:
		w.Add(path, "min_value", "Ensure this value is greater than or equal to %d.", least)
	case value > money.MostCents:
		w.Add(path, "max_value", "Ensure this value is less than or equal to %d.", money.MostCents)
	}
}
