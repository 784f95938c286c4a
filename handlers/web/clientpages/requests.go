package clientpages

import (
	"net/url"
	"strconv"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/clientpage"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

const requestsPath = "/requests"

func requestPath(id uuid.UUID) string { return requestsPath + "/" + id.String() }

// channelNames are how requests come.
var channelNames = map[clientpage.Channel]string{clientpage.ByPage: "The client’s own page",
	clientpage.ByPhone: "Phone",
	clientpage.ByMail:  "E-mail", clientpage.ByLetter: "Letter", clientpage.InPerson: "In person"}

// Requests serves GET /requests.
func (p *Pages) Requests(c echo.Context) error {
	found, err := p.Service.Register(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	v := pages.ClientRequestsView{Open: p.table("Open requests", found.Open, true),
		Closed: p.table("Answered or withdrawn", found.Closed, true)}
	if len(found.Open) == clientpage.MostRequests {
		v.More = "The first " + strconv.Itoa(clientpage.MostRequests) + " are shown."
	}
	return p.Desk.ShowIn(c, kit.StatusOf(nil), "Requests of clients", clientsSection,
		func(f layout.Frame) templ.Component { return pages.ClientRequests(f, v) })
}

// table lists requests, with the names of their clients where they are of several.
func (p *Pages) table(label string, list []clientpage.Request, named bool) components.Table {
	t := components.Table{Label: label, Heads: []components.Head{{Label: "Request"}, {Label: "Received"},
		{Label: "Answer by"}, {Label: "Status"}}}
	today := calendar.DateOf(p.Desk.Now())
	for _, r := range list {
		first := components.Cell{Text: words.Capital(r.Kind.Label()), Href: requestPath(r.ID), Second: r.About}
		if named {
			first.Second = words.JoinedWords(" · ", r.ClientName, r.About)
		}
		t.Rows = append(t.Rows, components.Row{Cells: []components.Cell{first,
			{Text: words.SayDay(r.ReceivedOn, p.Desk.Now())},
			{Text: words.SayDay(r.DueOn, p.Desk.Now())}, {Pill: requestPill(r, today)}}})
	}
	return t
}

func requestPill(r clientpage.Request, today calendar.Date) components.Pill {
	switch {
	case r.State == clientpage.RequestAnswered:
		return components.Pill{Kind: "done", Word: "Answered"}
	case r.State == clientpage.RequestWithdrawn:
		return components.Pill{Kind: "draft", Word: "Withdrawn"}
	case r.Late(today):
		return components.Pill{Kind: "bad", Word: "Late"}
	case r.Soon(today):
		return components.Pill{Kind: "wait", Word: plural.Of(r.DueOn.DaysSince(today), "day") + " left"}
	}
	return components.Pill{Kind: "progress", Word: "Open"}
}

// Request serves GET /requests/:id.
func (p *Pages) Request(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	r, err := p.Service.Request(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	return p.request(c, r, "", nil)
}

func (p *Pages) request(c echo.Context, r clientpage.Request, typed string, refused error) error {
	who, now := access.Actor(c), p.Desk.Now()
	byInput, summary, byField := kit.Problems(refused)
	v := pages.ClientRequestView{Title: words.Capital(r.Kind.Label()),
		Back:     components.Link{Text: "Requests", Href: requestsPath},
		Problems: components.ErrorSummary{Items: summary}, Pill: requestPill(r, calendar.DateOf(now)), Said: r.Text,
		Answer: r.Answer, Version: strconv.Itoa(r.Version), HelpText: helpWords[r.Kind],
		Facts: components.Facts{Items: []components.Fact{
			{Label: "Client", Part: components.To(components.Link{Text: r.ClientName, Href: words.ClientHref(r.ClientID)})},
			{Label: "About", Value: r.About}, {Label: "Came by", Value: channelNames[r.Channel]},
			{Label: "Written down by", Value: r.RecordedBy}, {Label: "Received", Value: words.SayDay(r.ReceivedOn, now)},
			{Label: "Answer by", Value: words.SayDay(r.DueOn, now)}}}}
	if r.State == clientpage.RequestAnswered {
		v.Facts.Items = append(v.Facts.Items, components.Fact{Label: "Answered",
			Value: words.SayDay(r.AnsweredOn, now) + " by " + r.AnsweredBy})
	}
	if f, wrong := fault.From(refused); wrong && !byField {
		v.Note = &components.Note{Kind: "warn", Title: "Not done", Text: f.Message}
	}
	v.Help = helpLinks(who, r)
	one, mailed, err := p.Service.Reaches(c.Request().Context(), r)
	if err != nil {
		return err
	}
	if who.Can(actor.Write) {
		if r.State == clientpage.RequestOpen {
			v.Action = requestPath(r.ID) + "/answer"
			v.Lines = components.Textarea{Label: "Your answer", Name: "answer", Value: typed, Error: byInput["answer"], Rows: 5,
				MaxLength: 1000, Required: true, Hint: "It is mailed to " + one.Email + "."}
			if !mailed {
				v.Lines.Hint = "There is no e-mail address, so nothing is sent. Tell the client by phone or letter, and write " +
					"here what you said."
			}
		} else {
			v.Reopen = requestPath(r.ID) + "/reopening"
			v.Answer = r.Answer
		}
	}
	if r.State == clientpage.RequestOpen {
		v.Answer = ""
	}
	if r.Kind == clientpage.NotAgreed && who.Can(actor.Approve) {
		v.GoOn = requestPath(r.ID) + "/going-on"
	}
	return p.Desk.ShowIn(c, kit.StatusOf(refused), v.Title, clientsSection,
		func(f layout.Frame) templ.Component { return pages.ClientRequest(f, v) })
}

// helpWords say what staff do about a request.
var helpWords = map[clientpage.RequestKind]string{
	clientpage.Objection: "Decide whether the client’s data may still be used, and for what. " +
		"An objection alone does not " +
		"end a lawful debit.",
	clientpage.Correction: "Correct the client’s details, then answer.",
	clientpage.Deletion: "Erase the personal data as far as the law allows. Mandates and invoices are kept for the time " +
		"that the law asks for; say until when.",
	clientpage.Access:      "Send the client what you know of it, for example the account and the mandates as files.",
	clientpage.AsksDay:     "Move the debit where the mandate allows it, then answer.",
	clientpage.AsksStop:    "Stop the subscription on the client’s page, then answer.",
	clientpage.AsksPause:   "Pause the subscription on the client’s page, then answer.",
	clientpage.AsksAccount: "Begin to replace the account, then answer.",
	clientpage.NotAgreed: "Nothing is debited under this mandate, and what was not with the bank is withdrawn. Look for " +
		"the proof of the mandate, then answer. If the client did agree, let debits go on; else delete the account.",
}

// helpLinks lead to where it is done.
func helpLinks(who actor.Actor, r clientpage.Request) (links []components.Link) {
	at := words.ClientHref(r.ClientID)
	switch r.Kind {
	case clientpage.Correction:
		if who.Can(actor.Write) {
			links = append(links, components.Link{Text: "Edit the client", Href: at + "/edit"})
		}
	case clientpage.Deletion:
		if who.Can(actor.Manage) {
			links = append(links, components.Link{Text: "Erase personal data", Href: at + "/erasure"})
		}
	case clientpage.Access:
		links = append(links, components.Link{Text: "Account of the client", Href: at + "/account"})
	case clientpage.AsksDay:
		links = append(links, components.Link{Text: "The purchase", Href: words.PurchasePath(r.ObjectID)})
	case clientpage.AsksAccount, clientpage.NotAgreed:
		links = append(links, components.Link{Text: "The account", Href: "/tokens/" + r.ObjectID.String()})
	default: // done on the client's page
	}
	return append(links, components.Link{Text: "The client", Href: at})
}

// Answer serves POST /requests/:id/answer.
func (p *Pages) Answer(c echo.Context) error {
	return p.act(c, func(who actor.Actor, id uuid.UUID, version int, form url.Values) (string, error) {
		ctx := c.Request().Context()
		r, err := p.Service.Answer(ctx, who, id, version, clientpage.RequestState(form.Get("state")), form.Get("answer"))
		if err != nil || r.State != clientpage.RequestAnswered {
			return "The request is closed.", err
		}
		one, mailed, err := p.Service.Reaches(ctx, r)
		if !mailed {
			return "The request is closed. Nothing was sent: there is no e-mail address.", err
		}
		return "The request is closed. The answer is on its way to " + one.Email + ".", err
	})
}

// GoOn serves POST /requests/:id/going-on.
func (p *Pages) GoOn(c echo.Context) error {
	return p.act(c, func(who actor.Actor, id uuid.UUID, version int, _ url.Values) (string, error) {
		_, err := p.Service.GoOn(c.Request().Context(), who, id, version)
		return "Debits under this mandate go on.", err
	})
}

// Reopen serves POST /requests/:id/reopening.
func (p *Pages) Reopen(c echo.Context) error {
	return p.act(c, func(who actor.Actor, id uuid.UUID, version int, _ url.Values) (string, error) {
		_, err := p.Service.Reopen(c.Request().Context(), who, id, version)
		return "The request is open again.", err
	})
}

// act does something about a request, and shows what is refused beside it.
func (p *Pages) act(c echo.Context, do func(actor.Actor, uuid.UUID, int, url.Values) (string, error)) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	who := access.Actor(c)
	version, _ := strconv.Atoi(form.Get("version")) // what is no number is no version that there is
	said, err := do(who, id, version, form)
	if kit.MayShow(err) {
		r, found := p.Service.Request(c.Request().Context(), who, id)
		if found != nil {
			return found
		}
		return p.request(c, r, form.Get("answer"), err)
	}
	if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", said, requestPath(id))
}

// NewRequest serves GET /clients/:id/requests/new.
func (p *Pages) NewRequest(c echo.Context) error {
	one, err := p.find(c)
	if err != nil {
		return err
	}
	return p.newRequest(c, one, url.Values{"received_on": {calendar.DateOf(p.Desk.Now()).String()}}, nil)
}

func (p *Pages) newRequest(c echo.Context, one client.Client, form url.Values, refused error) error {
	byInput, summary, byField := kit.Problems(refused)
	v := pages.ClientRequestFormView{Back: components.Link{Text: one.Name(), Href: words.ClientHref(one.ID) + "/page"},
		Action: words.ClientHref(one.ID) + "/requests", Problems: components.ErrorSummary{Items: summary},
		Kind: components.Select{Label: "The client asks for", Name: "kind", Blank: "Choose", Error: byInput["kind"],
			Required: true},
		Channel: components.Select{Label: "It came by", Name: "channel", Blank: "Choose", Error: byInput["channel"],
			Required: true},
		Received: components.DateField{Label: "Received on", Name: "received_on", Value: form.Get("received_on"),
			Error: byInput["received_on"], Required: true},
		Text: components.Textarea{Label: "What the client said", Name: "text", Value: form.Get("text"),
			Error: byInput["text"], Rows: 4, MaxLength: 1000, Required: true,
			Hint: "Leave out identity and account numbers."}}
	if f, wrong := fault.From(refused); wrong && !byField {
		v.Problems.Items = []components.ErrorItem{{Text: f.Message}}
	}
	for _, k := range clientpage.Rights {
		v.Kind.Options = append(v.Kind.Options, components.Option{Value: string(k), Text: words.Capital(k.Label()),
			Selected: form.Get("kind") == string(k)})
	}
	for _, ch := range clientpage.Channels {
		v.Channel.Options = append(v.Channel.Options, components.Option{Value: string(ch), Text: channelNames[ch],
			Selected: form.Get("channel") == string(ch)})
	}
	return p.Desk.ShowIn(c, kit.StatusOf(refused), "Write a request down", clientsSection,
		func(f layout.Frame) templ.Component { return pages.ClientRequestForm(f, v) })
}

// Record serves POST /clients/:id/requests.
func (p *Pages) Record(c echo.Context) error {
	one, err := p.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	received, _ := calendar.ParseDate(form.Get("received_on")) // what is no day is none, and is said so
	r, err := p.Service.Record(c.Request().Context(), access.Actor(c), clientpage.RequestInput{ClientID: one.ID,
		Kind: clientpage.RequestKind(form.Get("kind")), Channel: clientpage.Channel(form.Get("channel")),
		Text: form.Get("text"), ReceivedOn: received})
	if kit.MayShow(err) {
		return p.newRequest(c, one, form, err)
	}
	if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", "The request is to be answered by "+words.SayDay(r.DueOn, p.Desk.Now())+".",
		requestPath(r.ID))
}
