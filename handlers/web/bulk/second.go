package bulk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/audit"
	"debitdesk/models/fault"
	"debitdesk/models/selection"
)

// SecondWords says that many are done only after a second approver agreed.
const SecondWords = "This comes to more than your business lets one person do alone. A second approver is asked, and " +
	"nothing is done before that."

// askSecond asks a second approver for what the rehearsal showed, once.
func (h *Bulk) askSecond(c echo.Context, sel selection.Selection, act Act, in url.Values, out rehearsal,
	reason string) error {
	input, err := json.Marshal(order{Act: act.Key, List: sel.List, Selection: sel.ID, In: in, Rows: out.rows})
	if err != nil {
		return err
	}
	a, err := h.Approvals.Ask(c.Request().Context(), access.Actor(c), approval.DoMany, approval.Subject{
		Work: &approval.Work{Task: Kind, Needs: act.Needs, One: act.One, Key: sameWork(act.Key, in, out.rows), Input: input},
	}, reason)
	if kit.MayShow(err) {
		notice := ""
		if !fault.Is(err, fault.Invalid) {
			notice = err.Error()
		}
		return h.show(c, sel, act, kit.StatusOf(err), in, err, notice)
	}
	if err != nil {
		return err
	}
	return kit.ToRequest(c, a)
}

// sameWork is the same for the same act on the same rows, in whichever order and by whichever list they were chosen.
func sameWork(act string, in url.Values, rows []Row) string {
	var ids []string
	for _, r := range rows {
		if r.Why == "" {
			ids = append(ids, r.ID.String())
		}
	}
	slices.Sort(ids)
	sum := sha256.Sum256([]byte(act + "\x00" + in.Encode() + "\x00" + strings.Join(ids, ",")))
	return hex.EncodeToString(sum[:])
}

// changedSince is why a row of a request is left out: it is not what was asked for.
const changedSince = "Its amount, its account or what ends with it changed after the request."

// Stands implements approval.Worker: the rows that were asked for, as they would be done now. The day of a debit is the
// next that is possible; a row of which anything else changed is left out.
func (h *Bulk) Stands(ctx context.Context, who actor.Actor, input []byte) (s approval.Standing, err error) {
	var o order
	if err := json.Unmarshal(input, &o); err != nil {
		return s, err
	}
	act, known := h.Acts.find(o.List, o.Act)
	if !known {
		return approval.Standing{Name: o.Act, Lines: []string{"This action is no longer available."}}, nil
	}
	asked := slices.DeleteFunc(o.Rows, func(r Row) bool { return r.Why != "" })
	plan, sum := act.Begin(o.In), sha256.New()
	var out rehearsal
	for part := range slices.Chunk(asked, partRows) {
		ids := make([]uuid.UUID, len(part))
		for i, r := range part {
			ids[i] = r.ID
		}
		planned, err := plan(ctx, who, ids)
		if err != nil {
			return s, err
		}
		for i, r := range inOrder(ids, planned) {
			if r.Why == "" && (r.Cents != part[i].Cents || r.From != part[i].From || r.Ends != part[i].Ends) {
				r.Why = changedSince
			}
			out.add(r, nil)
			kept, err := json.Marshal(r)
			if err != nil {
				return s, err
			}
			sum.Write(kept)
		}
	}
	o.Rows = out.rows
	if s.Input, err = json.Marshal(o); err != nil {
		return s, err
	}
	s.Title = act.Words(act.many(out.all.n))
	s.Name, s.Lines = words.LowerFirst(s.Title), act.lines(out)
	s.Totals = approval.Totals{Rows: int(out.all.n), Cents: out.all.cents, Digest: hex.EncodeToString(sum.Sum(nil)[:12])}
	s.Audit = audit.Entry{Action: "bulk." + act.Key, Text: act.facts(out.all) + " was agreed to by a second approver."}
	return s, nil
}

// lines say what is done, and what is left out and why.
func (a Act) lines(out rehearsal) (lines []string) {
	line := func(g *group, text string) {
		if g.cents != 0 {
			text += " · " + words.Sum(g.cents, rand)
		}
		lines = append(lines, words.Capital(a.many(g.n))+": "+text)
	}
	for _, g := range out.will {
		text := g.text
		if text == "" {
			text = "will be done"
		}
		line(g, words.LowerFirst(text))
	}
	for _, g := range out.not {
		line(g, "left out. "+g.text)
	}
	return append(lines, "It begins at once, in the background.")
}

// second tells whether a second approver has to agree to so many together. What is refused for another reason is told.
func (h *Bulk) second(ctx context.Context, who actor.Actor, act Act, out rehearsal) (bool, error) {
	err := h.maySend(ctx, who, act, out)
	if fault.HasCode(err, "approval_needed") {
		return true, nil
	}
	return false, err
}

// refusedTogether shows why so many are not done together.
func (h *Bulk) refusedTogether(c echo.Context, sel selection.Selection, act Act, in url.Values, err error) error {
	if _, known := fault.From(err); !known {
		return err
	}
	return h.show(c, sel, act, http.StatusConflict, in, nil, "") // which says why
}
