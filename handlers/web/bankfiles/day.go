package bankfiles

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

func dayHref(day date, more ...string) string { return joined(daysPath+"/"+day.String(), more) }

// dayOf reads the day of an address.
func dayOf(c echo.Context) (date, error) {
	day, err := calendar.ParseDate(c.Param("id"))
	if err != nil {
		return day, fault.Missing()
	}
	return day, nil
}

// Day serves GET /bank/days/{day}: what is in one list only.
func (h *Pages) Day(c echo.Context) error { return h.day(c, nil, nil) }

func (h *Pages) day(c echo.Context, form url.Values, refused error) error {
	day, err := dayOf(c)
	if err != nil {
		return err
	}
	d, err := h.Exchange.Day(c.Request().Context(), access.Actor(c), day)
	if err != nil {
		return err
	}
	title := d.Day.Day.Format("Mon 2 Jan 2006")
	cents, told := d.Difference()
	difference := "nothing tells of the day"
	if told {
		difference = words.Minus(words.Sum(cents, money.ZAR))
	}
	unmatched, err := h.lines(c.Request().Context(), access.Actor(c), d.Unmatched)
	if err != nil {
		return err
	}
	v := pages.BankDayView{Nav: nav(daysPath), State: dayPills[d.State()],
		Head: components.PageHead{Title: title, Back: components.Link{Text: "Reconciliation", Href: daysPath}},
		Facts: components.Facts{Wide: true, Items: []components.Fact{
			{Label: "Expected", Value: words.Minus(words.Sum(d.ExpectedCents(), money.ZAR)),
				Href: partHref(day, exchange.PartExpected)},
			{Label: "Booked", Value: words.Minus(words.Sum(d.Booked.Cents, money.ZAR)), Href: bookedHref(day)},
			{Label: "Difference", Value: difference},
		}},
		Causes: causesOf(d.Causes, day, mayAct(c)),
		Apart:  kit.TableOf("In one list only", apartColumns, d.Apart),
		ApartEmpty: components.Empty{Icon: "done", Title: "Both lists agree",
			Text: "Every debit, return and refund that is expected on this day is booked, and nothing else is."},
		Unmatched: kit.TableOf("Unmatched movements of the day", movementColumns, unmatched)}
	if more := d.All - int64(len(d.Apart)); more > 0 {
		v.More = words.Grouped(more) + " more with smaller differences are not shown."
	}
	if d.Note.Note != "" {
		v.Accepted = components.Note{Kind: "info", Title: "A difference of " +
			words.Minus(words.Sum(d.Note.Cents, money.ZAR)) + " was accepted",
			Text: d.Note.Note + " (" + by(d.Note.By) + ", " + words.Moment(d.Note.At).Text + " SAST)"}
		if d.State() != exchange.DayAccepted {
			v.Accepted.Kind, v.Accepted.Text = "warn", v.Accepted.Text+". The difference is another one now."
		}
		if mayAct(c) {
			v.Reopen = dayHref(day, "reopening")
		}
	}
	if told && cents != 0 && d.State() != exchange.DayAccepted && mayAct(c) {
		wrong, _, _ := kit.Problems(refused)
		v.Accept, v.Cents = dayHref(day, "acceptance"), strconv.FormatInt(cents, 10)
		v.Lines = components.Textarea{Label: "Why the difference is right", Name: "note", Value: form.Get("note"),
			Error: wrong["note"], Required: true, Rows: 3, MaxLength: 1000}
	}
	return h.show(c, kit.StatusOf(refused), title, func(f layout.Frame) templ.Component { return pages.BankDay(f, v) })
}

// apartColumns say what is in one list only.
var apartColumns = []kit.Column[exchange.Apart]{
	kit.ColumnOf("Client, purchase", func(a exchange.Apart) components.Cell {
		if a.ItemLine.State != "" {
			return itemCell(a.ItemLine)
		}
		return components.Cell{Text: "Booked in one sum", Strong: true, Second: a.GroupID}
	}),
	kit.DateColumn("Debit date", 14, func(a exchange.Apart) date { return a.ActionDate }),
	kit.ColumnOf("Only in", func(a exchange.Apart) components.Cell {
		switch {
		case a.BookedCents == 0:
			return components.Cell{Text: "Expected", Second: "the bank booked nothing for it"}
		case a.ExpectedCents == 0:
			return components.Cell{Text: "Booked", Second: "nothing is expected for it on this day"}
		}
		return components.Cell{Text: "Both", Second: "with different sums"}
	}),
	amountColumn("Expected", func(a exchange.Apart) int64 { return a.ExpectedCents }),
	amountColumn("Booked", func(a exchange.Apart) int64 { return a.BookedCents }),
	amountColumn("Difference", func(a exchange.Apart) int64 { return a.BookedCents - a.ExpectedCents }),
	kit.PillColumn("State", 22, func(a exchange.Apart) components.Pill {
		if a.ItemLine.State == "" {
			return components.Pill{}
		}
		return itemPill(a.ItemLine)
	}),
	kit.ColumnOf("File", func(a exchange.Apart) components.Cell {
		if a.MessageID == "" {
			return components.Cell{}
		}
		return components.Cell{Part: components.To(components.Link{Text: a.MessageID, Href: filePath(a.MessageID)})}
	}),
}

// AcceptDay serves POST /bank/days/{day}/acceptance.
func (h *Pages) AcceptDay(c echo.Context) error {
	day, err := dayOf(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	if _, err := h.Exchange.Day(ctx, who, day); err != nil {
		return err
	}
	cents, err := strconv.ParseInt(form.Get("cents"), 10, 64)
	if err != nil {
		return c.Redirect(http.StatusSeeOther, dayHref(day))
	}
	err = h.Exchange.AcceptDay(ctx, who, day, cents, form.Get("note"))
	if fault.Is(err, fault.Invalid) {
		return h.day(c, form, err)
	}
	return h.done(c, err, dayHref(day), "The difference is accepted. "+
		"The day is asked about again if the difference changes.")
}

// ReopenDay serves POST /bank/days/{day}/reopening.
func (h *Pages) ReopenDay(c echo.Context) error {
	day, err := dayOf(c)
	if err != nil {
		return err
	}
	err = h.Exchange.ReopenDay(c.Request().Context(), access.Actor(c), day)
	return h.done(c, err, dayHref(day), "The difference is no longer accepted.")
}
