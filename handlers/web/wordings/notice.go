package wordings

import (
	"context"
	"net/http"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/notice"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// notice adds to the page of the notice of a debit whether it is sent, and what became of debits with one and without.
func (h *Wordings) notice(ctx context.Context, v *pages.WordingView, a asked, who actor.Actor, in *notice.Input,
	refused error) error {
	if a.Name != notice.Kind {
		return nil
	}
	set, err := h.Notices.Store.Settings(ctx, a.brand.MerchantID, a.brand.ID)
	if err != nil {
		return err
	}
	if in == nil {
		in = &notice.Input{Version: set.Version, Days: set.Days, Channel: set.Channel}
	}
	byInput, summary, _ := kit.Problems(refused)
	n := &pages.NoticeCard{Problems: components.ErrorSummary{Items: summary}, Version: strconv.Itoa(set.Version),
		Now: "No notices are sent."}
	if set.On() {
		n.Now = "Sent " + plural.Of(set.Days, "day") + " before each debit, at 08:00, by " +
			channelWords[set.Channel] + "."
	}
	if who.Can(actor.Manage) {
		n.Action = a.href() + "/notice"
	}
	n.Days = components.Select{Label: "When", Name: "days", Error: byInput["days"], Width: "m", Quiet: true,
		Options: []components.Option{{Value: "0", Text: "No notice", Selected: in.Days == 0}}}
	for d := 1; d <= notice.MostDays; d++ {
		n.Days.Options = append(n.Days.Options, components.Option{Value: strconv.Itoa(d), Selected: in.Days == d,
			Text: plural.Of(d, "day") + " before"})
	}
	n.Channel = components.Select{Label: "How", Name: "channel", Error: byInput["channel"], Width: "m", Quiet: true}
	for _, c := range []notice.Channel{notice.ByMail, notice.BySMS} {
		n.Channel.Options = append(n.Channel.Options, components.Option{Value: string(c), Text: channelNames[c],
			Selected: in.Channel == c})
	}
	compared, err := h.Notices.Compare(ctx, who, a.brand.ID)
	if err != nil {
		return err
	}
	if compared.With.N > 0 {
		n.Tells = compared.Tells()
		n.Sides = []pages.NoticeSide{side("With a notice", compared.With), side("Without one", compared.Without)}
	}
	v.Notice = n
	return nil
}

var (
	channelNames = map[notice.Channel]string{notice.ByMail: "E-mail", notice.BySMS: "SMS"}
	channelWords = map[notice.Channel]string{notice.ByMail: "e-mail", notice.BySMS: "SMS"}
)

func side(label string, s notice.Side) pages.NoticeSide {
	out := pages.NoticeSide{Label: label, N: words.Grouped(s.N), Paid: "–", Disputed: "–"}
	if s.N > 0 {
		out.Paid, out.Disputed = words.Grouped(s.Paid), words.Grouped(s.Disputed)
	}
	if s.Enough() {
		out.Paid += " (" + words.Range(s.PaidRange) + ")"
		out.Disputed += " (" + words.Range(s.DisputedRange) + ")"
	}
	return out
}

// SaveNotice serves POST /settings/brands/:id/messages/:message/notice.
func (h *Wordings) SaveNotice(c echo.Context) error {
	form, a, err := h.posted(c)
	if err != nil {
		return err
	}
	if a.Name != notice.Kind {
		return fault.Missing()
	}
	version, _ := strconv.Atoi(form.Get("version"))
	days, err := strconv.Atoi(form.Get("days"))
	if err != nil {
		days = -1 // which is none of the choices
	}
	in := notice.Input{Version: version, Days: days, Channel: notice.Channel(form.Get("channel"))}
	set, err := h.Notices.Save(c.Request().Context(), access.Actor(c), a.brand.ID, in)
	switch f, refused := fault.From(err); {
	case refused && f.Kind == fault.Conflict:
		return access.RedirectWithFlash(c, "warn", f.Message, a.href())
	case refused && f.Kind == fault.Invalid:
		return h.show(c, http.StatusUnprocessableEntity, a, &in, err)
	case err != nil:
		return err
	}
	text := "Notices are no longer sent."
	if set.On() {
		text = "Notices are sent from tomorrow at 08:00."
	}
	return access.RedirectWithFlash(c, "ok", text, a.href())
}

// page shows a kind of message.
func (h *Wordings) page(c echo.Context, status int, v pages.WordingView) error {
	return h.Desk.ShowIn(c, status, v.Title, words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.Wording(f, v) })
}
