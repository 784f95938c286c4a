package my

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/my/mytext"
	"debitdesk/models/calendar"
	"debitdesk/models/clientpage"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/sms"
	"debitdesk/models/weblink"
	"debitdesk/views/components"
	"debitdesk/views/my"
)

func actPath(k clientpage.Kind) string { return "/my/acts/" + string(k) + "/" }

// actOn is where an act begins that is about something; uuid.Nil: about nothing in particular.
func actOn(k clientpage.Kind, object uuid.UUID) string {
	if object == uuid.Nil {
		return actPath(k)
	}
	return actPath(k) + "?object=" + object.String()
}

// bySMS is the field of a form that asks for a code or a link by SMS.
const bySMS = "by_sms"

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
	w.SMS = get(bySMS) != ""
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
func (p *Pages) form(c echo.Context, v clientpage.Visit, k clientpage.Kind, object uuid.UUID, wish clientpage.Wish,
	refused *fault.Fault) error {
	offer, err := p.Service.Offer(c.Request().Context(), v, k, object)
	if err != nil && refused == nil {
		f, known := fault.From(err)
		if !known || f.Kind != fault.Conflict {
			return err
		}
		refused = f
	}
	chooses := p.Service.MayText(c.Request().Context(), v.Client)
	return p.sendForm(c, v, refused, 0, func(w locale.Words) my.FormView {
		name := mytext.Act(w, k, offer.Asks)
		view := my.FormView{Frame: p.frame(c, w, v.Brand, name), Title: name, Says: mytext.Explain(w, k, offer, v.Brand.Name),
			Action: actPath(k), Button: w.Say("my.continue"), Back: back(w), Foot: foot(w)}
		if offer.Asks && k != clientpage.Details && k != clientpage.Privacy {
			view.Says = append(view.Says, w.Say("my.asking", "business", v.Brand.Name))
		}
		if offer.Named != "" {
			view.Says = append([]string{w.Say("my.about", "what", offer.Named)}, view.Says...)
		}
		if object != uuid.Nil {
			view.Object = object.String()
		}
		if chooses {
			view.BySMS = &components.Checkbox{Label: w.Say("my.code.by_sms", "phone", sms.Masked(v.Client.Phone)), Name: bySMS,
				Value: "yes", Checked: wish.SMS}
		}
		fill(w, &view, k, offer, wish)
		return view
	})
}

// fill adds the inputs of an act.
func fill(w locale.Words, view *my.FormView, k clientpage.Kind, offer clientpage.Offer, wish clientpage.Wish) {
	switch k {
	case clientpage.Promise, clientpage.Day:
		view.Days = &components.Select{Label: w.Say("my.field.day"), Name: "day", Required: true,
			Blank: w.Say("my.field.choose_day")}
		if k == clientpage.Promise {
			view.Days.Hint = w.Say("my.field.promise_hint")
		}
		for _, d := range offer.Days {
			view.Days.Options = append(view.Days.Options, components.Option{Value: d.String(),
				Text: w.LongDay(d), Selected: d == wish.Day})
		}
	case clientpage.Details:
		view.Text = &components.Textarea{Label: w.Say("my.field.details"), Name: "text", Value: wish.Text,
			Hint: w.Say("my.field.details_hint"),
			Rows: 4, MaxLength: 1000, Required: true}
	case clientpage.Privacy:
		view.Choices = &components.RadioCards{Legend: w.Say("my.field.privacy"), Name: "request", Value: string(wish.Request),
			Required: true}
		for _, r := range []clientpage.RequestKind{clientpage.Access, clientpage.Objection, clientpage.Deletion} {
			view.Choices.Options = append(view.Choices.Options, components.RadioCard{Value: string(r),
				Title: mytext.Right(w, r)})
		}
		view.Text = &components.Textarea{Label: w.Say("my.field.privacy_more"), Name: "text", Value: wish.Text,
			Rows: 3, MaxLength: 1000}
	default: // confirmed by the code alone
	}
}

// sendForm answers with a form, and with what is wrong. Tries are how often a code can still be entered.
func (p *Pages) sendForm(c echo.Context, v clientpage.Visit, refused *fault.Fault, tries int,
	form func(locale.Words) my.FormView) error {
	status := http.StatusOK
	fields := refused != nil && refused.Kind == fault.Invalid && len(refused.Fields) > 0
	switch {
	case refused == nil:
	case fields:
		status = http.StatusUnprocessableEntity
	case refused.Kind == fault.TooMany:
		status = http.StatusTooManyRequests
	default:
		status = http.StatusConflict
	}
	return p.show(c, status, v, func(w locale.Words) templ.Component {
		view := form(w)
		switch {
		case refused == nil:
		case fields:
			p.problems(w, &view, refused, tries)
		default:
			view.Action = ""
			view.Refused = &components.Note{Kind: "warn", Title: w.Say("my.refused"),
				Text: mytext.Refusal(w, refused, v.Brand.Name)}
		}
		return my.Form(view)
	})
}

// problems puts what is wrong above the form and beside its fields.
func (p *Pages) problems(w locale.Words, view *my.FormView, refused *fault.Fault, tries int) {
	last := clientpage.PromiseTo(calendar.DateOf(p.Service.Now()))
	for _, one := range refused.Fields {
		name, text := one.Leaf(), mytext.Wrong(w, one, last, tries)
		view.Problems.Items = append(view.Problems.Items, components.ErrorItem{Field: name, Text: text})
		switch {
		case view.Days != nil && name == view.Days.Name:
			view.Days.Error = text
		case view.Text != nil && name == view.Text.Name:
			view.Text.Error = text
		case view.Choices != nil && name == view.Choices.Name:
			view.Choices.Error = text
		case view.Code != nil && name == view.Code.Name:
			view.Code.Error = text
		}
	}
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
	return p.sendForm(c, v, refused, clientpage.CodeTries-a.Tries, func(w locale.Words) my.FormView {
		if a.Waiting(p.Service.Real()) != nil { // nobody is to look for a code that does not work, or to enter it
			name := mytext.Act(w, a.Kind, a.Wish.Asks)
			return my.FormView{Frame: p.frame(c, w, v.Brand, name), Title: name, Says: []string{mytext.Doing(w, a)},
				Again: components.Link{Text: w.Say("my.code.again"), Href: actOn(a.Kind, a.ObjectID)}, Back: back(w), Foot: foot(w)}
		}
		title, sent := w.Say("my.code.title"), w.Say("my.code.sent", "address", masked(v.Client.Email))
		if a.Wish.SMS {
			sent = w.Say("my.code.sent_sms", "phone", sms.Masked(v.Client.Phone))
		}
		return my.FormView{Frame: p.frame(c, w, v.Brand, title), Title: title, Says: []string{mytext.Doing(w, a), sent},
			Action: codePath(a.ID), Code: &components.Field{Label: w.Say("my.code.label"), Name: "code",
				Hint: w.Say("my.code.hint"), InputMode: "numeric", Autocomplete: "one-time-code", Required: true, MaxLength: 12,
				Width: "s"},
			Button: w.Say("my.code.button"), Back: back(w), Foot: foot(w)}
	})
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
	next := ""
	if a.Kind == clientpage.Account && !a.Wish.Asks {
		id, err := p.account(c.Request().Context(), c, v, a)
		if err != nil {
			return err
		}
		next = weblink.Payer(id)
	}
	return p.show(c, http.StatusOK, v, func(w locale.Words) templ.Component {
		title := w.Say("my.done.title")
		view := my.DoneView{Frame: p.frame(c, w, v.Brand, title), Title: title,
			Says: append(mytext.Did(w, a, v.Brand.Name), w.Say("my.done.mail")), Back: back(w), Foot: foot(w)}
		if next != "" {
			view.Next = components.Link{Text: w.Say("my.done.account"), Href: next}
		}
		return my.Done(view)
	})
}

func (p *Pages) account(ctx context.Context, c echo.Context, v clientpage.Visit, a clientpage.Act) (uuid.UUID, error) {
	return p.Service.Account(ctx, v, a, c.RealIP(), access.RequestID(c))
}
