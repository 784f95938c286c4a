package approvals

import (
	"net/url"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/approval"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// demandsSection is the section of the menu that the settings stand in.
const demandsSection = "settings"

// Settings serves GET /settings/approvals.
func (h *Approvals) Settings(c echo.Context) error {
	return h.settings(c, nil, nil)
}

func (h *Approvals) settings(c echo.Context, form url.Values, refused error) error {
	who := access.Actor(c)
	d, can, err := h.Service.Demands(c.Request().Context(), who)
	if err != nil {
		return err
	}
	wrong, summary, _ := kit.Problems(refused)
	view := pages.DemandsView{Problems: components.ErrorSummary{Items: summary}, MayChange: mayManage(c),
		Deletions: components.Checkbox{Label: "Tokens are deleted", Name: "deletions", Checked: d.Deletions,
			Hint: "From the dashboard, one or many at once."},
		Settings: components.Checkbox{Label: "A setting that directs money is changed", Name: "settings", Checked: d.Settings,
			Hint: "Clearing accounts, the default account and webhooks, from the dashboard."},
		Batches: components.Checkbox{Label: "A batch is sent with a total above this amount", Name: "batches",
			Checked: d.BatchesAbove != nil, Hint: "The same amount holds when many subscribers are added together, many " +
				"debits are repeated together, or the subscribers of a template are to pay a higher price."},
		Above: components.MoneyField{Label: "Amount", Name: "batches_above", Currency: "R", Error: wrong["batches_above"],
			Width: "m"}}
	if d.Any() {
		view.Reason = kit.ReasonField(form.Get("reason"), wrong["reason"])
		view.Reason.Required, view.Reason.Hint = false,
			"Required if you ask for fewer approvals than before: that change needs a second approver itself."
	}
	if refused != nil && len(summary) == 0 {
		view.Problems.Items = []components.ErrorItem{{Text: refused.Error()}}
	}
	if d.BatchesAbove != nil {
		view.Above.Value = money.Amount(*d.BatchesAbove)
	}
	if h.Desk.BankFiles {
		view.Files = &components.Checkbox{Label: "A file with debits or refunds above this amount leaves for the bank",
			Name: "files", Checked: d.FilesAbove != nil}
		view.FilesAbove = components.MoneyField{Label: "Amount of a file", Name: "files_above", Currency: "R",
			Error: wrong["files_above"], Width: "m"}
		if d.FilesAbove != nil {
			view.FilesAbove.Value = money.Amount(*d.FilesAbove)
		}
		if form != nil {
			view.Files.Checked, view.FilesAbove.Value = form.Get("files") != "", form.Get("files_above")
		}
	}
	if form != nil {
		view.Deletions.Checked, view.Batches.Checked, view.Above.Value = form.Get("deletions") != "",
			form.Get("batches") != "", form.Get("batches_above")
		view.Settings.Checked = form.Get("settings") != ""
	}
	for _, u := range can {
		view.Can = append(view.Can, u.Called()+" – "+kit.RoleWord(u.Role))
	}
	if len(can) < 2 {
		view.Alone = "Fewer than two people can approve, so what needs a second approver could never be done. " +
			"Give a colleague the permission first, under Roles."
	}
	if view.Lists, err = h.lists(c, "/settings/approvals"); err != nil {
		return err
	}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), "Approvals", demandsSection,
		func(f layout.Frame) templ.Component { return pages.Demands(f, view) })
}

// Demand serves POST /settings/approvals.
func (h *Approvals) Demand(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	before, _, err := h.Service.Demands(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	d := merchant.Demands{Deletions: form.Get("deletions") != "", Settings: form.Get("settings") != "",
		FilesAbove: before.FilesAbove}
	if d.BatchesAbove, err = limitIn(form, "batches", "batches_above"); err != nil {
		return h.settings(c, form, err)
	}
	if h.Desk.BankFiles {
		if d.FilesAbove, err = limitIn(form, "files", "files_above"); err != nil {
			return h.settings(c, form, err)
		}
	}
	err = h.Service.Demand(c.Request().Context(), access.Actor(c), d)
	if fault.HasCode(err, "approval_needed") {
		var a approval.Approval
		if a, err = h.Service.Ask(c.Request().Context(), access.Actor(c), approval.Loosen,
			approval.Subject{Loosening: &approval.Loosening{After: d}}, form.Get("reason")); err == nil {
			return kit.ToRequest(c, a)
		}
	}
	switch {
	case kit.MayShow(err):
		return h.settings(c, form, err)
	case err != nil:
		return err
	}
	return access.RedirectWithFlash(c, "ok", "Saved.", "/settings/approvals")
}

// limitIn is the amount above which a second approver is needed; nil when the box is not ticked.
func limitIn(form url.Values, box, amount string) (*int64, error) {
	if form.Get(box) == "" {
		return nil, nil
	}
	cents, err := money.Parse(form.Get(amount))
	if err != nil {
		return nil, fault.At(amount, "invalid", "Enter an amount, such as 50 000,00.")
	}
	return &cents, nil
}
