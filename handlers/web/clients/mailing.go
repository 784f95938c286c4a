package clients

import (
	"context"
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/bulk"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/clientaccount"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

func accountPath(one client.Client, day calendar.Date) string {
	return kit.Address(words.ClientHref(one.ID)+"/account", url.Values{asOfKey: {day.String()}})
}

// asOfKey is the field with the day at whose end an account is looked at.
const asOfKey = "as_of"

// AskMailing serves GET /clients/:id/account/mailing: whether the statement of a day is to be mailed.
func (h *Clients) AskMailing(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	if err := access.Actor(c).May(actor.Write); err != nil {
		return err
	}
	return h.askMailing(c, one, h.asOf(c.QueryParam(asOfKey)), clientaccount.MayMail(one))
}

func (h *Clients) askMailing(c echo.Context, one client.Client, day calendar.Date, refused error) error {
	if f, is := fault.From(refused); is {
		return access.RedirectWithFlash(c, "bad", f.Words(), accountPath(one, day))
	}
	ask := components.Confirm{ID: "mailing", Title: "Mail the statement to " + one.Email + "?",
		Text: "The client gets the account at the end of " + words.DayTime(day).Text +
			" as a PDF, in the client’s language. A mail cannot be taken back.",
		Action: words.ClientHref(one.ID) + "/account/mailing", Button: "Mail statement", CancelHref: accountPath(one, day),
		Fields: []components.Pair{{Name: asOfKey, Value: day.String()}, {Name: kit.FormKeyName, Value: kit.FormKeyOf(c)}},
		Safe:   true}
	return h.Desk.ShowIn(c, http.StatusOK, ask.Title, clientsSection,
		func(f layout.Frame) templ.Component { return pages.Ask(f, ask) })
}

// MailStatement serves POST /clients/:id/account/mailing.
func (h *Clients) MailStatement(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	day := h.asOf(form.Get(asOfKey))
	err = kit.Once(c, h.Desk, form.Get(kit.FormKeyName), func(ctx context.Context) (mail.Mail, error) {
		m, err := h.Statements.Mail(ctx, access.Actor(c), one.ID, day)
		if err == nil {
			err = access.AddFlash(c, "ok", "The statement is on its way to "+one.Email+".")
		}
		return m, err
	}, func(mail.Mail) string { return accountPath(one, day) })
	if kit.MayShow(err) {
		return h.askMailing(c, one, day, err)
	}
	return err
}

// whoKey is the field that says who gets a statement; everyone is all who were selected.
const (
	whoKey   = "who"
	everyone = "everyone"
)

// mailStatements mails each client its statement, once.
func (h *Clients) mailStatements() bulk.Act {
	return bulk.Act{
		Key: "statement", Label: "Mail statements…", Icon: "mail", Needs: actor.Write, Lists: []string{ListName},
		One:   "client",
		Words: func(rows string) string { return "Mail statements to " + rows },
		Done:  func(rows string) string { return "Statements for " + rows + " are on their way" },
		Text: "Each client gets the account at the end of the day as a PDF, in the client’s language. A mail cannot be " +
			"taken back. If you change the day or who gets one, you see first what would happen.",
		Names: []string{asOfKey, whoKey},
		Begin: func(in url.Values) bulk.Plan {
			return func(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]bulk.Row, error) {
				return h.planStatements(ctx, who, ids, in)
			}
		},
		Ask: h.askStatements, Replans: true,
		Do: func(ctx context.Context, who actor.Actor, row bulk.Row, _ url.Values) error {
			_, err := h.Statements.MailOnce(ctx, who, row.ID, row.Day, row.Once)
			return err
		},
	}
}

func (h *Clients) askStatements(_ context.Context, _ actor.Actor, in url.Values,
	wrong map[string]string) (bulk.Fields, error) {
	return bulk.Fields{
		Date: &components.DateField{Label: "At the end of", Name: asOfKey, Value: h.asOf(in.Get(asOfKey)).String(),
			Max: calendar.DateOf(h.Desk.Now()).String(), Required: true, Error: wrong[asOfKey]},
		Options: &components.Select{Label: "Who gets one", Name: whoKey, Options: []components.Option{
			{Value: "owing", Text: "Clients who owe something", Selected: in.Get(whoKey) != everyone},
			{Value: everyone, Text: "All selected clients", Selected: in.Get(whoKey) == everyone}}},
	}, nil
}

// planStatements says who gets a statement, and what it comes to.
func (h *Clients) planStatements(ctx context.Context, who actor.Actor, ids []uuid.UUID,
	in url.Values) ([]bulk.Row, error) {
	found, err := h.Service.Several(ctx, who, ids)
	if err != nil {
		return nil, err
	}
	day := h.asOf(in.Get(asOfKey))
	accounts, err := h.Money.AccountsAt(ctx, who, ids, h.Statements.Moment(day))
	if err != nil {
		return nil, err
	}
	out := make([]bulk.Row, len(found))
	for i, c := range found {
		out[i] = clientRow(c)
		row, owing := &out[i], accounts[c.ID].Owing
		row.Day, row.Cents, row.Mails = day, owing.Near(), 1
		row.Why = bulk.WhyNot(clientaccount.MayMail(c))
		if row.Why == "" && in.Get(whoKey) != everyone && owing.Sign() <= 0 {
			row.Why = "Owes nothing on that day."
		}
		if row.Why != "" {
			row.Cents, row.Mails = 0, 0
		}
	}
	return out, nil
}
