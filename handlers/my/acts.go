package my

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/my/mytext"
	"debitdesk/models/calendar"
	"debitdesk/models/clientpage"
	"debitdesk/models/fault"
	"debitdesk/views/components"
	"debitdesk/views/my"
)

func actPath(k clientpage.Kind) string { return "/my/acts/" + string(k) + "/" }

func codePath(id uuid.UUID) string { return "/my/codes/" + id.String() + "/" }

// kindOf is the act of the address.
func kindOf(c echo.Context) (clientpage.Kind, error) {
	k := clientpage.Kind(c.Param("kind"))
	if !slices.Contains(clientpage.Kinds, k) {
		return "", fault.Missing()
	}
	return k, nil
}

// AskAct serves GET /my/acts/:kind.
func (p *Pages) AskAct(c echo.Context) error {
	v, ok, err := p.visit(c)
	if !ok || err != nil {
		return err
	}
	k, err := kindOf(c)
	if err != nil {
		return err
	}
	return p.form(c, v, k, idOf(c.QueryParam("object")), clientpage.Wish{}, nil)
}

// Act serves POST /my/acts/:kind: the code goes out, and nothing changes before it is entered.
func (p *Pages) Act(c echo.Context) error {
	v, ok, err := p.visit(c)
	if !ok || err != nil {
		return err
	}
	k, err := kindOf(c)
	if err != nil {
		return err
	}
	form, err := access.Posted(c)
	if err != nil {
		return err
	}
	get := form.Get
	w := clientpage.Wish{Text: plain(get("text")), Request: clientpage.RequestKind(plain(get("request")))}
	w.Day, _ = calendar.ParseDate(get("day")) // what is no day is none, and is said so
	object := idOf(get("object"))
	a, err := p.Service.Begin(c.Request().Context(), v, k, object, w, c.RealIP(), access.RequestID(c))
	if f, known := fault.From(err); known && (f.Kind == fault.Invalid || f.Kind == fault.Conflict ||
		f.Kind == fault.TooMany) {
		return p.form(c, v, k, object, w, f)
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, codePath(a.ID))
}

// form asks for what an act needs.
func (p *Pages) form(c echo.Context, v clientpage.Visit, k clientpage.Kind, object uuid.UUID, w clientpage.Wish,
	refused *fault.Fault) error {
	offer, err := p.Service.Offer(c.Request().Context(), v, k, object)
	if err != nil && refused == nil {
		f, known := fault.From(err)
		if !known || f.Kind != fault.Conflict {
			return err
		}
		refused = f
	}
	name := mytext.Act(k, offer.Asks)
	view := my.FormView{Frame: p.frame(v.Brand, name), Title: name, Says: mytext.Explain(k, v.Brand.Name),
		Action: actPath(k), Button: mytext.Continue, Back: back(), Foot: foot()}
	if offer.Asks && k != clientpage.Details && k != clientpage.Privacy {
		view.Says = append(view.Says, mytext.Asking(v.Brand.Name))
	}
	if offer.Named != "" {
		view.Says = append([]string{mytext.About(offer.Named)}, view.Says...)
	}
	if object != uuid.Nil {
		view.Object = object.String()
	}
	fill(&view, k, offer, w)
	return p.sendForm(c, view, refused)
}

// fill adds the inputs of an act.
func fill(view *my.FormView, k clientpage.Kind, offer clientpage.Offer, w clientpage.Wish) {
	switch k {
	case clientpage.Promise, clientpage.Day:
		view.Days = &components.Select{Label: mytext.DayLabel, Name: "day", Required: true, Blank: mytext.ChooseDay}
		if k == clientpage.Promise {
			view.Days.Hint = mytext.PromiseHint
		}
		for _, d := range offer.Days {
			view.Days.Options = append(view.Days.Options, components.Option{Value: d.String(),
				Text: d.Format(mytext.LongForm), Selected: d == w.Day})
		}
	case clientpage.Details:
		view.Text = &components.Textarea{Label: mytext.DetailsLabel, Name: "text", Value: w.Text, Hint: mytext.DetailsHint,
			Rows: 4, MaxLength: 1000, Required: true}
	case clientpage.Privacy:
		view.Choices = &components.RadioCards{Legend: mytext.PrivacyLabel, Name: "request", Value: string(w.Request),
			Required: true}
		for _, r := range []clientpage.RequestKind{clientpage.Access, clientpage.Objection, clientpage.Deletion} {
			view.Choices.Options = append(view.Choices.Options, components.RadioCard{Value: string(r),
				Title: mytext.Rights[r]})
		}
		view.Text = &components.Textarea{Label: mytext.PrivacyText, Name: "text", Value: w.Text, Rows: 3, MaxLength: 1000}
	default: // confirmed by the code alone
	}
}

// sendForm answers with a form, and with what is wrong.
func (p *Pages) sendForm(c echo.Context, view my.FormView, refused *fault.Fault) error {
	status := http.StatusOK
	switch {
	case refused == nil:
	case refused.Kind == fault.Invalid && len(refused.Fields) > 0:
		status = http.StatusUnprocessableEntity
		for _, wrong := range refused.Fields {
			name := wrong.Leaf()
			view.Problems.Items = append(view.Problems.Items, components.ErrorItem{Field: name, Text: wrong.Message})
			switch {
			case view.Days != nil && name == view.Days.Name:
				view.Days.Error = wrong.Message
			case view.Text != nil && name == view.Text.Name:
				view.Text.Error = wrong.Message
			case view.Choices != nil && name == view.Choices.Name:
				view.Choices.Error = wrong.Message
			case view.Code != nil && name == view.Code.Name:
				view.Code.Error = wrong.Message
			}
		}
	default:
		status, view.Action = http.StatusConflict, ""
		if refused.Kind == fault.TooMany {
			status = http.StatusTooManyRequests
		}
		view.Refused = &components.Note{Kind: "warn", Title: mytext.NotNow, Text: refused.Message}
	}
	return html.Send(c, status, my.Form(view))
}

// AskCode serves GET /my/codes/:id.
func (p *Pages) AskCode(c echo.Context) error {
	v, ok, err := p.visit(c)
	if !ok || err != nil {
		return err
	}
	a, err := p.Service.Find(c.Request().Context(), v, idOf(c.Param("id")))
	if err != nil {
		return err
	}
	if a.State == clientpage.ActDone {
		return p.done(c, v, a)
	}
	refused, _ := fault.From(a.Waiting(p.Service.Real()))
	return p.codeForm(c, v, a, refused)
}

// Code serves POST /my/codes/:id: it does what was asked for, once.
func (p *Pages) Code(c echo.Context) error {
	v, ok, err := p.visit(c)
	if !ok || err != nil {
		return err
	}
	form, err := access.Posted(c)
	if err != nil {
		return err
	}
	ctx, id := c.Request().Context(), idOf(c.Param("id"))
	a, err := p.Service.Confirm(ctx, v, id, form.Get("code"), c.RealIP(), access.RequestID(c))
	if f, known := fault.From(err); known && (f.Kind == fault.Invalid || f.Kind == fault.Conflict) {
		if a, err = p.Service.Find(ctx, v, id); err != nil {
			return err
		}
		return p.codeForm(c, v, a, f)
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, codePath(a.ID))
}

func (p *Pages) codeForm(c echo.Context, v clientpage.Visit, a clientpage.Act, refused *fault.Fault) error {
	return p.sendForm(c, my.FormView{Frame: p.frame(v.Brand, mytext.CodeTitle), Title: mytext.CodeTitle,
		Says: []string{mytext.Doing(a), mytext.CodeText(masked(v.Client.Email))}, Action: codePath(a.ID),
		Code: &components.Field{Label: mytext.CodeLabel, Name: "code", Hint: mytext.CodeHint, InputMode: "numeric",
			Autocomplete: "one-time-code", Required: true, MaxLength: 12, Width: "s"},
		Button: mytext.CodeButton, Back: back(), Foot: foot()}, refused)
}

// masked is an e-mail address of which its owner knows the rest: t•••@example.com.
func masked(email string) string {
	name, host, _ := strings.Cut(email, "@")
	first := ""
	for _, r := range name {
		first = string(r)
		break
	}
	return first + "•••@" + host
}

// done says what came of an act.
func (p *Pages) done(c echo.Context, v clientpage.Visit, a clientpage.Act) error {
	view := my.DoneView{Frame: p.frame(v.Brand, mytext.DoneTitle), Title: mytext.DoneTitle,
		Says: append(mytext.Did(a, v.Brand.Name), mytext.DoneMail), Back: back(), Foot: foot()}
	if a.Kind == clientpage.Account && !a.Wish.Asks {
		id, err := p.account(c.Request().Context(), c, v, a)
		if err != nil {
			return err
		}
		view.Next = components.Link{Text: mytext.GiveNew, Href: "/p/" + id.String() + "/"}
	}
	return html.Send(c, http.StatusOK, my.Done(view))
}

func (p *Pages) account(ctx context.Context, c echo.Context, v clientpage.Visit, a clientpage.Act) (uuid.UUID, error) {
	return p.Service.Account(ctx, v, a, c.RealIP(), access.RequestID(c))
}
