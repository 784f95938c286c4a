package purchases

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"github.com/shopspring/decimal"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// purchaseInput reads the form of a new purchase; what cannot be read is a problem.
func (p *Purchases) purchaseInput(c echo.Context, form url.Values) (purchase.Input, fault.Problems) {
	var w fault.Problems
	who := access.Actor(c)
	in := purchase.Input{Reference: strings.TrimSpace(form.Get("reference")), UserID: who.ID,
		Options: purchase.Options{Platform: "web", Source: "web_office"}}
	in.Details.Notes, in.Details.Timezone = strings.TrimSpace(form.Get("notes")), "Africa/Johannesburg"
	var err error
	if in.ClientID, err = uuid.Parse(form.Get("client_id")); err != nil {
		w.Add("client_id", "required", "Choose the client.")
	}
	in.BrandID, _ = uuid.Parse(form.Get("brand_id"))
	if in.BrandID == uuid.Nil {
		brands, err := p.Service.Merchants().Brands(c.Request().Context(), who.MerchantID)
		if err == nil {
			in.BrandID = BrandChosen(brands, "").ID
		}
	}
	d := p.anyDays()
	if day, err := d.Typed(form); err == nil && !day.IsZero() {
		due := d.DueOn(day).UTC()
		if due.After(d.Now) {
			in.Due = &due
		}
	}
	Lines(form, &in.Details, &w)
	return in, w
}

// Lines reads the rows of products. A row that was left empty does not count,
// unless it is the only one.
func Lines(form url.Values, into *purchase.Details, w *fault.Problems) {
	n := len(form["name"])
	total := int64(0)
	for i := range n {
		name, price, quantity := strings.TrimSpace(at(form["name"], i)), strings.TrimSpace(at(form["price"], i)),
			strings.TrimSpace(at(form["quantity"], i))
		if n > 1 && name == "" && price == "" {
			continue
		}
		path := fmt.Sprintf("purchase.products[%d/%d]", i, n)
		if name == "" {
			w.Add(path+".name", "required", "Say what the purchase is for.")
		}
		cents, err := money.Parse(price)
		switch {
		case err != nil:
			w.Add(path+".price", "invalid", "%s.", words.Capital(err.Error()))
		case cents < 0:
			w.Add(path+".price", "min_value", "A price cannot be below 0.")
		}
		if quantity == "" {
			quantity = "1"
		}
		count, err := decimal.NewFromString(strings.Replace(quantity, ",", ".", 1))
		if err != nil || len(quantity) > 16 || !count.IsPositive() {
			w.Add(path+".quantity", "invalid", "Enter a number above 0.")
			count = decimal.NewFromInt(1)
		}
		product := purchase.Product{Name: name, PriceCents: max(cents, 0), Quantity: count}
		if line, err := product.LineCents(); err == nil {
			total += line
		}
		into.Products = append(into.Products, product)
	}
	if total == 0 && len(*w) == 0 {
		w.Add(fmt.Sprintf("purchase.products[0/%d].price", max(n, 1)), "min_value", "Enter an amount above 0.")
	}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// LineProblems is problems with the inputs of lines told apart: price-2 is the
// price of the second line.
func LineProblems(err error) (byInput map[string]string, summary []components.ErrorItem) {
	f, known := fault.From(err)
	byInput = map[string]string{}
	if !known || f.Kind != fault.Invalid {
		return byInput, nil
	}
	for _, field := range f.Fields {
		name := field.Leaf()
		if i := strings.Index(field.Path, "products["); i >= 0 && name != "products" {
			row, _, _ := strings.Cut(field.Path[i+len("products["):], "/")
			if n, err := strconv.Atoi(row); err == nil {
				name += "-" + strconv.Itoa(n+1)
			}
		}
		if byInput[name] != "" || name == fault.All && len(summary) > 0 || name == "products" && byInput["name-1"] != "" {
			continue // one message for each input; the first is about what was typed
		}
		byInput[name] = field.Message
		if name == fault.All {
			name = ""
		}
		summary = append(summary, components.ErrorItem{Field: name, Text: field.Message})
	}
	return byInput, summary
}

func LineForms(form url.Values, byInput map[string]string) []pages.LineForm {
	out := make([]pages.LineForm, max(len(form["name"]), 1))
	for i := range out {
		n := "-" + strconv.Itoa(i+1)
		out[i] = pages.LineForm{
			Name: components.Field{Label: "Description", Name: "name", ID: "name" + n, Value: at(form["name"], i),
				Error: byInput["name"+n], Required: true, MaxLength: 256,
				Attrs: named("Description, line "+strconv.Itoa(i+1), i)},
			Price: components.Field{Label: "Price", Name: "price", ID: "price" + n, Value: at(form["price"], i),
				Error: byInput["price"+n], Required: true, Prefix: "R",
				Numeric: true, InputMode: "decimal", Autocomplete: "off",
				Attrs: named("Price in rand, line "+strconv.Itoa(i+1), i)},
			Quantity: components.Field{Label: "Quantity", Name: "quantity", ID: "quantity" + n, Value: at(form["quantity"], i),
				Error: byInput["quantity"+n], Required: true,
				Numeric: true, InputMode: "decimal", Autocomplete: "off", Attrs: named("Quantity, line "+strconv.Itoa(i+1), i)},
			Remove: strconv.Itoa(i),
		}
	}
	return out
}

// named tells the inputs of further lines apart where their labels are not seen.
func named(label string, i int) map[string]any {
	if i == 0 {
		return nil
	}
	return map[string]any{"aria-label": label}
}

// twin names a debit that waits already for the same client, amount and day; it
// warns, for twice may be meant.
func (p *Purchases) twin(c echo.Context, in purchase.Input, cents int64) string {
	if in.ClientID == uuid.Nil || in.Due == nil || cents == 0 {
		return ""
	}
	day := calendar.DateOf(*in.Due)
	found, err := p.Service.List(c.Request().Context(), access.Actor(c),
		purchase.Filter{ClientID: in.ClientID, MinCents: cents, MaxCents: cents,
			Statuses: []purchase.Status{purchase.PendingCharge, purchase.PendingExecute}, DueFrom: day.At(0, 0),
			DueTo: day.AddDays(1).At(0, 0).Add(-time.Microsecond)}, paging.Ask{Limit: 1})
	if err != nil || len(found.Items) == 0 { // a warning that cannot be given stops nobody
		return ""
	}
	return "This client already has to pay the same amount on the same day: " + words.Reference(found.Items[0].Purchase) +
		"."
}

// used names a purchase that has the reference already, given or generated; it warns, for twice may be meant.
func (p *Purchases) used(c echo.Context, reference string) string {
	if strings.TrimSpace(reference) == "" {
		return ""
	}
	found, err := p.Service.List(c.Request().Context(), access.Actor(c),
		purchase.Filter{Search: reference, Reference: reference}, paging.Ask{Limit: 1})
	if err != nil || len(found.Items) == 0 { // likewise
		return ""
	}
	rec := found.Items[0]
	return "The reference " + reference + " was used before, for " + words.PayerName(rec.Purchase) + " on " +
		words.SayDay(calendar.DateOf(rec.CreatedAt), p.Desk.Now()) + "."
}

// summary says what the form would do.
func (p *Purchases) summary(c echo.Context, form url.Values, payer *client.Client, from Account, d Days,
	brand merchant.Brand, way string) (pages.SummaryView, error) {
	in, w := p.purchaseInput(c, form)
	v := pages.SummaryView{Total: "–", Button: "Record purchase"}
	cents, wrong := in.Details.TotalCents()
	amount := ""
	if len(wrong) == 0 && cents > 0 {
		v.Total = words.Sum(cents, brand.Currency)
		amount = " " + v.Total
	}
	for _, f := range w {
		if strings.HasSuffix(f.Path, ".price") && strings.TrimSpace(at(form["price"], 0)) != "" && f.Code == "invalid" {
			v.Total, amount = "–", ""
		}
	}
	if payer != nil {
		v.Client = payer.Name()
	}
	v.Used = p.used(c, in.Reference)
	day, err := d.Typed(form)
	if err != nil {
		v.Plan.Problems = []string{sayFault(err)}
	}
	switch way {
	case byCharge:
		v.Twin = p.twin(c, in, cents)
		v.Button = "Charge" + amount
		if from.ID != uuid.Nil {
			v.Way = "Debited from " + from.Token.Named()
		}
		if from.ID != uuid.Nil && !day.IsZero() {
			f, err := p.Service.Forecast(c.Request().Context(), purchase.Wish{Purchase: p.draft(c, in, brand, day, cents),
				TokenID: from.ID})
			if err != nil {
				return v, err
			}
			v.Plan = d.Forecast(f, amount != "")
		}
	case byLink:
		v.Way, v.Button = "The client gets a link", "Record and send link"
		if payer != nil && payer.Email == "" {
			v.Button = "Record and show link"
		}
	default:
		v.Way = "Nothing is collected yet"
	}
	if way != byCharge && !day.IsZero() {
		v.Due = words.SayDay(day, d.Now)
	}
	return v, nil
}

// draft is the purchase that a form describes, as far as a debit of it goes.
func (p *Purchases) draft(c echo.Context, in purchase.Input, brand merchant.Brand, day calendar.Date,
	cents int64) purchase.Purchase {
	return p.Service.On(purchase.Purchase{MerchantID: access.Actor(c).MerchantID, BrandID: brand.ID, ClientID: in.ClientID,
		Currency: brand.Currency, TotalCents: cents}, day)
}
