package mandates

import (
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/words"
	"debitdesk/models/amendment"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// sideLine is one row of a comparison; marks says what the bank said about it.
type sideLine struct {
	label, text string
	mono        bool
	pill        components.Pill
}

// sideLines is one side in words, always with the same rows.
func sideLines(s amendment.Side, said []mandate.Verification) []sideLine {
	t, m := s.Token, s.Mandate
	lines := []sideLine{{label: "Bank", text: words.BankWords(t.BankCode)},
		{label: "Account", text: t.AccountMask, mono: true}, {label: "Account check", text: ""},
		{label: "Account holder", text: t.HolderName}, {label: "Account type", text: t.AccountType.Label()},
		{label: "Method", text: methodWord(t.Method)},
		{label: "What the bank allows"}, {label: "Usual amount"}, {label: "Maximum"}, {label: "Day", text: rhythmWords(m)}}
	if len(said) > 0 {
		lines[2].pill = words.VerifiedPill(said)
		lines[2].text = lines[2].pill.Word
	} else {
		lines[2].text = "Not asked"
	}
	if m.Terms == nil {
		lines[6].text = "Any amount that was agreed on; every debit may be disputed."
		lines[8].text = "None"
		return lines
	}
	lines[6].text = m.Terms.Explain(m, money.ZAR).Allowed
	lines[7].text, lines[8].text = words.Sum(m.Terms.PriceCents, money.ZAR), words.Sum(m.Terms.MaxAmountCents, money.ZAR)
	return lines
}

func methodWord(method string) string {
	if method == purchase.DebiCheck {
		return "DebiCheck"
	}
	return "EFT debit order"
}

// compare puts the two sides beside each other.
func (h *Amendments) compare(c echo.Context, a amendment.AmendmentSheet) ([]pages.AmendmentLine, error) {
	ctx, who := c.Request().Context(), access.Actor(c)
	sides := [2][]sideLine{}
	for i, s := range []amendment.Side{a.Old, a.New} {
		if !s.Known {
			continue
		}
		sheet, err := h.Mandates.Show(ctx, who, s.Mandate.ID)
		if err != nil {
			return nil, err
		}
		sides[i] = sideLines(s, sheet.Verifications)
	}
	out := make([]pages.AmendmentLine, 0, len(sides[0]))
	for i, was := range sides[0] {
		line := pages.AmendmentLine{Label: was.label, Old: was.text, OldPill: was.pill, Mono: was.mono, New: "Not given yet",
			Waits: true}
		if sides[1] != nil {
			is := sides[1][i]
			line.New, line.NewPill, line.Waits = is.text, is.pill, false
			line.Changed = is.text != was.text && was.label != "Account check"
		} else if was.label == "Method" {
			line.New, line.Waits, line.Changed = methodWord(a.Source.Method), false, a.Source.Method != a.Old.Token.Method
		}
		if line.Old != "" || line.New != "" {
			out = append(out, line)
		}
	}
	return out, nil
}
