package mandates

import (
	"net/url"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/amendment"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// stage is what an amendment waits for.
type stage string

const (
	stageDetails    stage = "details"    // the client, to give the details
	stageAsked      stage = "asked"      // the client’s answer to the bank
	stageRefused    stage = "refused"    // the mandate did not come about; it may be tried again
	stageCollecting stage = "collecting" // the first debit of an EFT account
	stageReady      stage = "ready"      // the person, to take over
	stageFailed     stage = "failed"     // nothing can come of it
	stageDone       stage = "done"
	stageAbandoned  stage = "abandoned"
)

func stageOf(a amendment.AmendmentSheet) stage {
	switch {
	case a.State == amendment.AmendmentDone:
		return stageDone
	case a.State == amendment.AmendmentAbandoned:
		return stageAbandoned
	case a.Ready():
		return stageReady
	case a.Failed():
		return stageFailed
	case !a.New.Known:
		return stageDetails
	case a.New.Mandate.State.Waiting():
		return stageAsked
	case a.New.Mandate.State.Unanswered():
		return stageRefused
	}
	return stageCollecting
}

// final tells that nothing changes any more without a person.
func (s stage) final() bool {
	return s == stageReady || s == stageFailed || s == stageDone || s == stageAbandoned
}

func amendSteps(now int, done bool) components.Stepper {
	s := components.Stepper{Label: "Steps of the change"}
	for i, label := range []string{"What changes", "The client’s answer", "Take over"} {
		state := "next"
		switch {
		case i+1 < now || done:
			state = "past"
		case i+1 == now:
			state = "now"
		}
		s.Steps = append(s.Steps, components.Step{Label: label, State: state})
	}
	return s
}

func (h *Amendments) page(c echo.Context, status int, a amendment.AmendmentSheet, form url.Values, wrong error) error {
	at, now, who := stageOf(a), h.Desk.Now(), access.Actor(c)
	byInput, summary, _ := kit.Problems(wrong)
	if f, ok := fault.From(wrong); ok && len(summary) == 0 {
		summary = []components.ErrorItem{{Text: f.Message}}
	}
	step := 2
	if at == stageReady || at == stageDone {
		step = 3
	}
	v := pages.AmendmentView{Title: "Change debit-order details",
		Back:  components.Link{Text: a.Old.Token.Named(), Href: words.TokenPath(a.OldTokenID)},
		Steps: amendSteps(step, at == stageDone), Problems: components.ErrorSummary{Items: summary}, Done: at == stageDone,
		MayWrite: who.Can(actor.Write), Open: a.State == amendment.AmendmentOpen,
		AbandonAction: words.AmendmentPath(a.ID, "/abandonment")}
	var err error
	if v.State, err = h.state(c, a); err != nil {
		return err
	}
	if a.New.Known && a.New.Mandate.Kind == mandate.DebiCheck && (at == stageAsked || at == stageRefused) {
		sheet, err := h.Mandates.Show(c.Request().Context(), who, a.NewID)
		if err != nil {
			return err
		}
		if v.Live, err = h.LivePanel(c.Request().Context(), who, sheet); err != nil {
			return err
		}
	}
	if v.Lines, err = h.compare(c, a); err != nil {
		return err
	}
	if at == stageDetails || at == stageRefused {
		v.Link = (&purchases.Purchases{Desk: h.Desk}).Link(a.Source)
		if a.Source.Method == purchase.EFT {
			v.Paper = h.paper(a, form, byInput)
		}
	}
	v.AbandonText = "The account in use stays as it is."
	if v.Link != nil {
		v.AbandonText = "The account in use stays as it is, and the client’s link stops working."
	} else if at == stageReady {
		v.AbandonText = "The account in use stays as it is; the new one stays stored beside it."
	}
	if at == stageReady {
		v.TakeOver = takeOverView(a, byInput, now)
	}
	return h.Desk.ShowIn(c, status, v.Title, words.TokensSection,
		func(f layout.Frame) templ.Component { return pages.Amendment(f, v) })
}

func (h *Amendments) paper(a amendment.AmendmentSheet, form url.Values,
	byInput map[string]string) *pages.StoreAccountView {
	if form == nil {
		form = url.Values{"full_name": {a.Old.Token.HolderName}}
	}
	v := &pages.StoreAccountView{PaperAction: words.AmendmentPath(a.ID, "/account"), OnPaper: len(byInput) > 0}
	(&Accounts{Desk: h.Desk}).paperFields(v, form, byInput)
	return v
}

// state is what the amendment waits for, in words; it is asked for again while it
// may change by itself.
func (h *Amendments) state(c echo.Context, a amendment.AmendmentSheet) (pages.AmendmentStateView, error) {
	at := stageOf(a)
	v := pages.AmendmentStateView{Note: stageNote(a, at)}
	if !at.final() {
		v.Poll = words.AmendmentPath(a.ID, "?seen="+string(at))
	}
	if at == stageDone {
		v.Mandate = components.Button{Label: "Open the new account", Icon: "bank", Href: words.TokenPath(a.NewID)}
	}
	if !a.New.Known || a.New.Mandate.Kind != mandate.DebiCheck {
		return v, nil
	}
	switch at {
	case stageAsked:
		v.Note.Text = "The old account stays in use until the client has confirmed and you take over."
	case stageRefused:
		v.Note.Text = "The old account stays in use. Ask again, send the client the link to give other details, " +
			"or abandon this change and start another one, by EFT if you like."
	default:
	}
	return v, nil
}

func stageNote(a amendment.AmendmentSheet, at stage) components.Note {
	switch at {
	case stageDetails:
		return components.Note{Kind: "warn", Title: "Waiting for the client’s details",
			Text: "Send the client the link below. The old account stays in use until then."}
	case stageAsked:
		return components.Note{Kind: "warn", Title: "Waiting for the client’s answer at the bank"}
	case stageRefused:
		return components.Note{Kind: "bad", Title: "The new mandate was not set up: " +
			words.LowerFirst(a.New.Mandate.State.Label())}
	case stageCollecting:
		return components.Note{Kind: "info", Title: "Waiting for the first debit",
			Text: "The new account can take over when its first debit has succeeded. The old one stays in use until then."}
	case stageReady:
		return components.Note{Kind: "ok", Title: "The new details work",
			Text: "Nothing has changed for the old account yet. Take over when you are ready."}
	case stageFailed:
		return components.Note{
			Kind:  "bad",
			Title: "This change can no longer go ahead",
			Text: "The new details were withdrawn, blocked or deleted, or their first debit failed. " +
				"Abandon this change and start a new one. The old account is as it was.",
		}
	case stageAbandoned:
		return components.Note{Kind: "info", Title: "This change was abandoned",
			Text: "The old account stayed in use as it was."}
	case stageDone:
		text := "Nothing was waiting on the old account."
		if a.Moved > 0 {
			text = plural.Of(a.Moved, "waiting purchase") + " moved to the new account."
		}
		if a.Old.Token.State == token.Deleted {
			text = "The old account had been deleted, so nothing was moved."
		}
		return components.Note{Kind: "ok", Title: "The new details are in use",
			Text: text + " The proof of the old mandate is kept."}
	}
	return components.Note{}
}
