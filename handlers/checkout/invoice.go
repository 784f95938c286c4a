package checkout

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/shopspring/decimal"

	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/views/checkout"
	"debitdesk/views/components"
)

// Invoice serves GET /p/:id/invoice: the lines with their total, and the receipt
// once it is paid.
func (p *Pages) Invoice(c echo.Context) error {
	rec, err := p.open(c)
	if err != nil {
		return err
	}
	if rec, err = p.view(c, rec); err != nil {
		return err
	}
	offer, err := p.Purchases.Offer(c.Request().Context(), rec)
	if err != nil {
		return err
	}
	v := checkout.InvoiceView{Title: "Invoice", State: state(rec), Lines: priced(rec), Sums: sums(rec), Notes: rec.Details.Notes, Seller: seller(rec.Brand), Payer: payer(rec.Payer)}
	add := func(label, value string) {
		v.Facts.Items = append(v.Facts.Items, components.Fact{Label: label, Value: value})
	}
	add("Reference", reference(rec))
	add("Issued", rec.Issued.Format(day))
	if rec.DueGiven {
		add("Due", calendar.DateOf(rec.Due).Format(day))
	}
	if rec.Payment != nil {
		v.Title = "Receipt"
		add("Paid", calendar.DateOf(rec.Payment.PaidOn).Format(day))
	}
	v.Frame = p.frame(rec, v.Title)
	if offer.Open() {
		v.Action, v.ActionTo = "Pay this", path(rec.ID)
		if offer.FirstDebit.IsZero() {
			v.Action = "Set up the debit order"
		}
	}
	return render(c, http.StatusOK, checkout.Invoice(v))
}

// priced are the lines with what one piece costs.
func priced(rec purchase.Record) []checkout.Line {
	lines := linesOf(rec)
	for i, pr := range rec.Details.Products {
		if lines[i].Quantity != "" {
			lines[i].Quantity += " × " + money.Format(pr.PriceCents, rec.Currency)
		}
	}
	return lines
}

// state is how it stands, in a word.
func state(rec purchase.Record) components.Pill {
	switch rec.Status {
	case purchase.Paid, purchase.Cleared, purchase.Settled:
		return components.Pill{Kind: "done", Word: "Paid"}
	case purchase.Preauthorized:
		return components.Pill{Kind: "done", Word: "Account stored"}
	case purchase.PendingCharge, purchase.PendingExecute:
		return components.Pill{Kind: "progress", Word: "Debit under way"}
	case purchase.Failed:
		return components.Pill{Kind: "bad", Word: "Not paid"}
	case purchase.Overdue:
		return components.Pill{Kind: "wait", Word: "Overdue"}
	case purchase.Expired:
		return components.Pill{Kind: "draft", Word: "Expired"}
	case purchase.Cancelled:
		return components.Pill{Kind: "draft", Word: "Cancelled"}
	case purchase.Chargeback:
		return components.Pill{Kind: "bad", Word: "Disputed"}
	case purchase.PendingRefund:
		return components.Pill{Kind: "wait", Word: "Refund under way"}
	case purchase.Refunded:
		return components.Pill{Kind: "draft", Word: "Refunded"}
	default:
		return components.Pill{Kind: "wait", Word: "Not paid yet"}
	}
}

// sums are the lines below the products. What the merchant chose to display in
// place of a computed sum is displayed (API contract 3.2); the total is stored.
func sums(rec purchase.Record) []checkout.Sum {
	d := rec.Details
	var out []checkout.Sum
	add := func(label string, computed int64, display *int64) {
		if display != nil {
			computed = *display
		}
		if computed != 0 || display != nil {
			out = append(out, checkout.Sum{Label: label, Amount: money.Format(computed, rec.Currency)})
		}
	}
	if d.SubtotalOverrideCents != nil {
		add("Subtotal", 0, d.SubtotalOverrideCents)
	}
	discount, tax := within(d.Products)
	add("Discount included", discount, d.DiscountOverrideCents)
	add("Tax included", tax, d.TaxOverrideCents)
	add("Brought forward", d.DebtCents, nil)
	return append(out, checkout.Sum{Label: "Total", Amount: money.Format(rec.TotalCents, rec.Currency), Total: true})
}

// within is the discount and the tax that the lines hold already, in cents.
func within(products []purchase.Product) (discount, tax int64) {
	for _, pr := range products {
		discount += pr.DiscountCents
		with, err := pr.LineCents()
		if err != nil || pr.TotalOverrideCents != nil {
			continue
		}
		pr.TaxPercent = decimal.Zero
		if without, err := pr.LineCents(); err == nil {
			tax += with - without
		}
	}
	return discount, tax
}

func seller(b merchant.Brand) []string {
	rows := []string{b.Name}
	if b.LegalName != "" && b.LegalName != b.Name {
		rows = append(rows, b.LegalName)
	}
	rows = append(rows, b.StreetAddress, strings.TrimSpace(b.City+" "+b.ZipCode), named("Registration ", b.RegistrationNumber), named("VAT number ", b.TaxNumber), b.Phone, b.Email, b.Website)
	return filled(rows)
}

func payer(d client.Details) []string {
	return filled([]string{d.FullName, d.LegalName, d.StreetAddress, strings.TrimSpace(d.City + " " + d.ZipCode), named("VAT number ", d.TaxNumber), d.Email})
}

func named(label, value string) string {
	if value == "" {
		return ""
	}
	return label + value
}

func filled(rows []string) (out []string) {
	for _, r := range rows {
		if r != "" {
			out = append(out, r)
		}
	}
	return out
}
