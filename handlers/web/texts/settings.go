package texts

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/models/texting"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

const settingsPath = "/settings/sms"

// Settings serves GET /settings/sms.
func (h *Texts) Settings(c echo.Context) error { return h.settings(c, nil, nil) }

func (h *Texts) settings(c echo.Context, form url.Values, refused error) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	set, err := h.Service.Store.Settings(ctx, who.MerchantID)
	if err != nil {
		return err
	}
	used, err := h.Service.Store.Used(ctx, who.MerchantID, calendar.DateOf(h.Desk.Now()))
	if err != nil {
		return err
	}
	byInput, summary, fields := kit.Problems(refused)
	v := pages.SMSSettingsView{Action: settingsPath, Version: strconv.Itoa(set.Version),
		Problems: components.ErrorSummary{Items: summary}, Used: plural.Of(used, "part") + " sent today.",
		Ready: h.Service.Ready()}
	if v.Ready {
		if by := h.Service.Gateway.Limits(); by.Keeps {
			v.Provider = "The sandbox keeps SMS and shows them on the client’s phone. Nothing is sent."
		} else {
			v.Provider = "SMS go out through " + by.Name + "."
		}
	}
	if f, wrong := fault.From(refused); wrong && !fields {
		v.Problems.Items = []components.ErrorItem{{Text: f.Message}}
	}
	parts, wide := strconv.Itoa(set.DailyParts), set.WideHours
	if form != nil {
		parts, wide = form.Get("daily_parts"), form.Get("wide_hours") != ""
	}
	v.Daily = components.Field{Label: "Parts a day at most", Name: "daily_parts", Value: parts,
		Error: byInput["daily_parts"], InputMode: "numeric", Width: "s", Required: true,
		Hint: "A part is what the provider charges for: 160 plain characters. What does not fit waits for the next day. " +
			"0 sends none."}
	v.Wide = components.Checkbox{Label: "Send from 07:00 to 21:00 on working days", Name: "wide_hours", Checked: wide,
		Hint: "Usual are 08:00 to 20:00 on working days and 09:00 to 13:00 on Saturdays. On Sundays and public holidays no " +
			"SMS go out."}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), "SMS", words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.SMSSettings(f, v) })
}

// Set serves POST /settings/sms.
func (h *Texts) Set(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	in := texting.SetInput{WideHours: form.Get("wide_hours") != ""}
	in.Version, _ = strconv.Atoi(form.Get("version")) // what is no number is no version that there is
	if in.DailyParts, err = strconv.Atoi(strings.TrimSpace(form.Get("daily_parts"))); err != nil {
		in.Wrong.Add("daily_parts", "invalid", "Enter a whole number.")
	}
	_, err = h.Service.Set(c.Request().Context(), access.Actor(c), in)
	if kit.MayShow(err) {
		return h.settings(c, form, err)
	}
	if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", "The settings of SMS are saved.", settingsPath)
}
