// Package kit is what the pages of the dashboard are made with: the frame around a page, forms, lists,
// files and requests for a second approver. It knows no concept of the product.
package kit

import (
	"context"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/audit/trail"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/facet"
	"debitdesk/models/listview"
	"debitdesk/models/paging"
	"debitdesk/models/plural"
	"debitdesk/models/task"
	"debitdesk/models/user"
	"debitdesk/models/webhook"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Desk is what every page of the dashboard shares.
type Desk struct {
	Now     func() time.Time // the product's clock
	Sandbox bool
	// OtherBank: in the sandbox, another than the sandbox bank collects.
	OtherBank bool
	BaseURL   string // public address, without a slash at the end
	BankFiles bool   // the bank takes files
	// Attention counts what waits for somebody.
	Attention func(ctx context.Context, merchantID uuid.UUID) (int, error)
	// Failing gives the webhooks whose deliveries are not taken, for those who can
	// mend them.
	Failing func(ctx context.Context, merchantID uuid.UUID) ([]webhook.Webhook, error)
	// KeptForms keeps a form while another one is filled in.
	KeptForms *access.KeptForms
	// Replays are the answers given before, so that a form counts once.
	Replays database.Answers
	// Tasks are the person's own that are open or have just ended; nil: nobody has any.
	Tasks func(ctx context.Context, who actor.Actor) ([]task.Task, error)
	// Lists keeps how people want to see lists; nil: nobody can choose.
	Lists *listview.Service
	// Facets reads what filters of lists offer.
	Facets *facet.Service
	// AsOf is the moment of what a context reads, where that is long ago; nil: it never is.
	AsOf func(ctx context.Context) (time.Time, bool)
	// Alarms tells that the record of who did what does not hold.
	Alarms func(ctx context.Context, who actor.Actor) ([]trail.Alarm, error)
}

// Banner tells that no bank is contacted, and the sandbox clock; nil in live mode.
func (d *Desk) Banner() *layout.SandboxBanner {
	if !d.Sandbox {
		return nil
	}
	now := d.Now().In(calendar.SAST)
	return &layout.SandboxBanner{Now: now.Format(words.MinuteForm), ISO: now.Format(time.RFC3339),
		OtherBank: d.OtherBank}
}

// frame is what stands around a page. It takes the messages that wait, so call
// it before anything is written.
func (d *Desk) frame(c echo.Context, title, active string) (layout.Frame, error) {
	in, _ := access.Session(c)
	f := layout.Frame{
		Title: title, Active: active, Merchant: in.MerchantName, Brand: in.BrandName, Theme: in.User.Theme,
		User: layout.User{Name: in.User.Called(), Email: in.User.Email, Role: RoleWord(in.User.Role),
			Initials: initials(in.User.Called())},
		Sandbox: d.Banner(), ThemeAction: "/account/theme", SignOutAction: "/logout", AccountHref: "/account",
	}
	if in.User.KeysOff {
		f.Keys = "off"
	}
	if d.AsOf != nil {
		if at, old := d.AsOf(c.Request().Context()); old {
			f.AsOf = at.In(calendar.SAST).Format(time.TimeOnly)
		}
	}
	for _, b := range in.Others {
		f.Others = append(f.Others, layout.Business{ID: b.ID.String(), Name: b.Name})
	}
	if !access.Actor(c).Can(actor.Manage) {
		f.Hide = []string{"developers", "settings"}
	}
	if !d.BankFiles {
		f.Hide = append(f.Hide, "bank")
	}
	waiting, err := access.TakeFlashes(c)
	if err != nil {
		return f, err
	}
	for _, w := range waiting {
		f.Flash = append(f.Flash, components.Flash{Kind: w.Kind, Text: w.Text, Undo: w.Undo})
	}
	who := access.Actor(c)
	var failing []webhook.Webhook
	var alarms []trail.Alarm
	err = database.AtOnce(c.Request().Context(), func(ctx context.Context) (err error) {
		f.AttentionCount, err = d.Attention(ctx, in.User.MerchantID)
		return err
	}, func(ctx context.Context) (err error) {
		failing, err = d.FailingWebhooks(ctx, who)
		return err
	}, func(ctx context.Context) (err error) {
		f.Pins, err = d.pins(ctx, who)
		return err
	}, func(ctx context.Context) (err error) {
		f.Work, err = d.TaskLine(ctx, who)
		return err
	}, func(ctx context.Context) (err error) {
		alarms, err = d.OpenAlarms(ctx, who)
		return err
	})
	f.AttentionCount += len(failing) + len(alarms)
	return f, err
}

// pins are the saved views that a person sees on every page.
func (d *Desk) pins(ctx context.Context, who actor.Actor) (out []layout.Pin, err error) {
	if d.Lists == nil || who.Kind != actor.User {
		return nil, nil
	}
	views, err := d.Lists.Pinned(ctx, who)
	for _, v := range views {
		if !components.MayOpen(ctx, v.List) { // the person could when it was pinned
			continue
		}
		out = append(
			out,
			layout.Pin{Label: v.Name, Href: ViewHref(v.View), Count: "/lists/views/" + v.ID.String() + "/count"},
		)
	}
	return out, err
}

// TaskLine tells of the person's own long work in a few words.
func (d *Desk) TaskLine(ctx context.Context, who actor.Actor) (line layout.WorkLine, err error) {
	if d.Tasks == nil {
		return line, nil
	}
	recent, err := d.Tasks(ctx, who)
	running, done, failed := 0, 0, 0
	for _, t := range recent {
		switch t.State {
		case task.Waiting, task.Running:
			running++
		case task.Done:
			done++
		case task.Failed:
			failed++
		case task.Cancelled:
		}
	}
	switch {
	case running > 0:
		line = layout.WorkLine{Text: plural.Of(running, "task") + " running", Live: true}
	case failed > 0:
		line.Text = plural.Of(failed, "task") + " failed"
	case done > 0:
		line.Text = plural.Of(done, "task") + " done"
	}
	return line, err
}

// OpenAlarms are those about the audit, for those who may read it.
func (d *Desk) OpenAlarms(ctx context.Context, who actor.Actor) ([]trail.Alarm, error) {
	if !who.Can(actor.Manage) {
		return nil, nil
	}
	return paging.Once(ctx, "alarms", func() ([]trail.Alarm, error) { return d.Alarms(ctx, who) })
}

// FailingWebhooks are the webhooks that fail, for those who can mend them.
func (d *Desk) FailingWebhooks(ctx context.Context, who actor.Actor) ([]webhook.Webhook, error) {
	if !who.Can(actor.Manage) {
		return nil, nil
	}
	return paging.Once(ctx, "failing webhooks", func() ([]webhook.Webhook, error) {
		return d.Failing(ctx, who.MerchantID)
	})
}

// show answers with a page inside its frame.
func (d *Desk) ShowIn(c echo.Context, status int, title, active string, page func(layout.Frame) templ.Component) error {
	f, err := d.frame(c, title, active)
	if err != nil {
		return err
	}
	return html.Send(c, status, page(f))
}

// ErrorPage draws a refusal inside the frame when the person is known.
func (d *Desk) ErrorPage(c echo.Context, v pages.ErrorView) templ.Component {
	if _, known := access.Session(c); !known {
		return pages.ErrorPage(v)
	}
	f, err := d.frame(c, v.Title, "")
	if err != nil {
		return pages.ErrorPage(v)
	}
	return pages.ErrorInFrame(f, v)
}

// Real is a moment of real time, by which people sign in and credentials live. Where
// the clock of the sandbox shows another time, it says which of the two it is.
func (d *Desk) Real(at time.Time) components.Time {
	t := words.Moment(at)
	if t.Text != "" && d.clockMoved() {
		t.Text += " real time"
		t.Title += ", real time"
	}
	return t
}

// clockMoved tells whether the clock of the sandbox was moved away from real time.
func (d *Desk) clockMoved() bool {
	return d.Sandbox && time.Until(d.Now()).Abs() > time.Minute
}

func RoleWord(r actor.Role) string {
	switch r {
	case "":
		return ""
	case actor.ReadOnly:
		return "Read-only"
	default:
	}
	return strings.ToUpper(string(r[:1])) + string(r[1:])
}

// initials are the first letters of the first and the last name.
func initials(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '.' || r == '@' })
	switch len(words) {
	case 0:
		return "?"
	case 1:
		return strings.ToUpper(string([]rune(words[0])[:1]))
	}
	last := words[len(words)-1]
	if strings.Contains(name, "@") {
		last = words[1]
	}
	return strings.ToUpper(string([]rune(words[0])[:1]) + string([]rune(last)[:1]))
}

// Mine is the session of the request; pages stand behind one.
func Mine(c echo.Context) user.SignedIn {
	in, _ := access.Session(c)
	return in
}
