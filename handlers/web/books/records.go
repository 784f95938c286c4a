package books

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/journal"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

const feesPath = "/books/fees"

func recordPath(id uuid.UUID) string { return feesPath + "/" + id.String() }

// amountOf is empty for nothing.
func amountOf(cents int64, currency string) string {
	if cents == 0 {
		return ""
	}
	return words.Sum(cents, currency)
}

// Fees serves GET /books/fees.
func (h *Books) Fees(c echo.Context) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	var after journal.RecordPlace
	if on, id, found := strings.Cut(c.QueryParam("after"), "_"); found {
		day, dayErr := calendar.ParseDate(on)
		of, idErr := uuid.Parse(id)
		if dayErr == nil && idErr == nil {
			after = journal.RecordPlace{Day: day, ID: of}
		}
	}
	records, next, err := h.Journal.Records(ctx, who, after)
	if err != nil {
		return err
	}
	held, err := h.Journal.Held(ctx, who)
	if err != nil {
		return err
	}
	v := pages.BookRecordsView{Head: components.PageHead{Title: "Fees and payouts",
		Sub:  "What your provider paid out and held back, and what it and your bank charged.",
		Back: components.Link{Text: "Books", Href: "/books"}}}
	if who.Can(actor.Books) {
		v.Head.Primary = components.Button{Label: "Record…", Icon: "plus", Href: feesPath + "/new"}
	}
	for _, currency := range slices.Sorted(maps.Keys(held)) {
		v.Held = append(v.Held, words.Sum(held[currency], currency))
	}
	for _, r := range records {
		line := pages.BookRecord{Day: words.DayTime(r.Day), Kind: r.Kind.Word(), Name: r.Name(), Href: recordPath(r.ID),
			Transit: amountOf(r.ClrCents, r.Currency), Bank: amountOf(r.BankCents, r.Currency),
			Fee: amountOf(r.FeeCents, r.Currency), VAT: amountOf(r.VATICents, r.Currency),
			HeldNow: amountOf(r.RetCents, r.Currency), TakenBack: r.UndoneID != uuid.Nil}
		if r.What != r.Name() {
			line.Second = r.What
		}
		v.Records = append(v.Records, line)
	}
	if next.ID != uuid.Nil {
		v.Older = feesPath + "?after=" + next.Day.String() + "_" + next.ID.String()
	}
	return h.Desk.ShowIn(c, http.StatusOK, v.Head.Title, section,
		func(f layout.Frame) templ.Component { return pages.BookRecords(f, v) })
}

// Fee serves GET /books/fees/:id.
func (h *Books) Fee(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	who := access.Actor(c)
	r, err := h.Journal.Recorded(c.Request().Context(), who, id)
	if err != nil {
		return err
	}
	title := r.Kind.Word() + " " + r.Name()
	v := pages.BookRecordView{Head: components.PageHead{Title: title,
		Back: components.Link{Text: "Fees and payouts", Href: feesPath}}, Facts: recordFacts(r)}
	if who.Can(actor.Books) && r.UndoneID == uuid.Nil && r.Kind != journal.TakenBack {
		v.Acts = []components.Button{{Label: "Take back…", Href: recordPath(id) + "/undoing"}}
	}
	return h.Desk.ShowIn(c, http.StatusOK, title, section,
		func(f layout.Frame) templ.Component { return pages.BookRecordPage(f, v) })
}

func recordFacts(r journal.Recorded) components.Facts {
	amount := func(label string, cents int64) components.Fact {
		return components.Fact{Label: label, Value: amountOf(cents, r.Currency)}
	}
	facts := []components.Fact{{Label: "Day", Value: r.Day.Format("Mon 2 Jan 2006")}, {Label: "What", Value: r.What},
		{Label: "Reference", Value: r.Reference}, amount(journal.Transit.Word(), r.ClrCents),
		amount(journal.Bank.Word(), r.BankCents), amount("Fee, without VAT", r.FeeCents),
		amount("VAT of the fee", r.VATICents), amount(journal.HeldBack.Word(), r.RetCents),
		{Label: "Recorded by", Value: r.ByName}, {Label: "Recorded", Value: words.Moment(r.CreatedAt).Text}}
	if !r.Booked.IsZero() && r.Booked != r.Day {
		facts = append(facts, components.Fact{Label: "Booked on",
			Value: r.Booked.Format("Mon 2 Jan 2006") + ": the month of its day was closed"})
	}
	if r.MovementID != uuid.Nil {
		facts = append(facts, components.Fact{Label: "Bank movement", Value: "Open the movement",
			Href: "/bank/movements/" + r.MovementID.String()})
	}
	if r.UndoneID != uuid.Nil {
		facts = append(facts, components.Fact{Label: "Taken back", Value: r.UndoneBy + ": " + r.UndoneWhy,
			Href: recordPath(r.UndoneID)})
	}
	if r.Undoes != uuid.Nil {
		facts = append(facts, components.Fact{Label: "Takes back", Value: r.Reference, Href: recordPath(r.Undoes)})
	}
	return components.Facts{Wide: true, Items: facts}
}

// AskUndo serves GET /books/fees/:id/undoing.
func (h *Books) AskUndo(c echo.Context) error { return h.askUndo(c, "", "", nil) }

func (h *Books) askUndo(c echo.Context, reason, key string, refused error) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	r, err := h.Journal.Recorded(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	v := pages.ActView{Title: "Take back " + words.LowerFirst(r.Kind.Word()) + " " + r.Name(),
		Back: components.Link{Text: r.Kind.Word() + " " + r.Name(), Href: recordPath(id)}}
	if r.UndoneID != uuid.Nil || r.Kind == journal.TakenBack {
		v.Blocked = "This was taken back already."
	}
	v.Question = components.Confirm{ID: "act", Action: recordPath(id) + "/undoing", CancelHref: recordPath(id),
		Title:  "Take back " + words.Sum(r.Gross(), r.Currency) + "?",
		Text:   "The same is posted today the other way round. Both stay in the books.",
		Button: "Take back"}
	if r.MovementID != uuid.Nil {
		v.Question.Breaks = []string{"The bank movement waits to be matched again."}
	}
	return h.askWhy(c, section, v, reason, key, refused)
}

// askWhy asks before an act that needs a reason. The key is that of a form that is shown again, else empty.
func (h *Books) askWhy(c echo.Context, under string, v pages.ActView, reason, key string, refused error) error {
	v.Question.Fields = append(v.Question.Fields,
		components.Pair{Name: kit.FormKeyName, Value: cmp.Or(key, kit.NewFormKey())})
	byInput, summary, _ := kit.Problems(refused)
	v.Problems.Items = summary
	v.Lines = &components.Textarea{Label: "Reason", Name: "reason", Value: reason, Error: byInput["reason"],
		Required: true, Rows: 3, MaxLength: 500}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), v.Title, under,
		func(f layout.Frame) templ.Component { return pages.AskAct(f, v) })
}

// Undo serves POST /books/fees/:id/undoing.
func (h *Books) Undo(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	reason, key := form.Get("reason"), form.Get(kit.FormKeyName)
	err = kit.Once(c, h.Desk, key, func(ctx context.Context) (journal.Record, error) {
		r, err := h.Journal.Undo(ctx, access.Actor(c), id, reason)
		if err != nil {
			return r, err
		}
		return r, access.AddFlash(c, "ok", r.Reference+" was taken back.")
	}, func(journal.Record) string { return recordPath(id) })
	return kit.AskAgain(c, err, recordPath(id), func() error { return h.askUndo(c, reason, key, err) })
}
