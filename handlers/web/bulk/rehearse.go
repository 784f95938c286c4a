package bulk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/plural"
	"debitdesk/models/selection"
)

// partRows is how many rows are planned at once, so that no rehearsal holds more of them in memory.
const partRows = 200

// group is the rows that have one thing in common: what happens to them, or why nothing does.
type group struct {
	key, text string
	n, cents  int64
	ends      int64
	notes     int64
	mails     int64
	first     []Row
	days      []calendar.Date
}

// shownRows is how many rows a group shows on the page of the rehearsal.
const shownRows = 10

func (g *group) add(r Row) {
	g.n++
	g.cents += r.Cents
	g.ends += r.Ends
	g.notes += r.Notes
	g.mails += r.Mails
	if len(g.first) < shownRows {
		g.first = append(g.first, r)
	}
	if !r.On.IsZero() && !slices.Contains(g.days, r.On) {
		g.days = append(g.days, r.On)
	}
}

// rehearsal is what an act would do with a selection.
type rehearsal struct {
	will, not []*group // by what happens, and by the reason
	n         int64    // in all
	all       group    // that will happen
	changed   group    // since they were chosen, whatever becomes of them
	rows      []Row    // what is kept of each, in their order
	digest    string
}

// one is a row that will happen.
func (out rehearsal) one() Row {
	for _, r := range out.rows {
		if r.Why == "" {
			return r
		}
	}
	return Row{}
}

// missing is why nothing happens to a row that is not there any more.
const missing = "It no longer exists."

// rehearse plans an act part by part. each hears of every row; it may be nil.
func (h *Bulk) rehearse(ctx context.Context, who actor.Actor, sel selection.Selection, act Act, in url.Values,
	each func(group string, r Row)) (out rehearsal, err error) {
	plan, sum := act.Begin(in), sha256.New()
	chosen, err := h.about(ctx, who, sel)
	if err != nil {
		return out, err
	}
	for part := range slices.Chunk(chosen, partRows) {
		ids, changed := make([]uuid.UUID, len(part)), map[uuid.UUID]int64{}
		for i, row := range part {
			ids[i], changed[row.ID] = row.ID, row.Changed.UnixMicro()
		}
		planned, err := plan(ctx, who, ids)
		if err != nil {
			return out, err
		}
		for _, r := range inOrder(ids, planned) {
			r.Changed = r.ChangedAt > changed[r.ID]
			out.add(r, each)
			kept, err := json.Marshal(r)
			if err != nil {
				return out, err
			}
			sum.Write(kept)
		}
	}
	out.digest = hex.EncodeToString(sum.Sum(nil)[:12])
	return out, nil
}

// about are the things that are acted on, each once, in the order of the rows that were chosen.
func (h *Bulk) about(ctx context.Context, who actor.Actor, sel selection.Selection) (out []selection.Row, err error) {
	rows, of := sel.Chosen(), h.Lists[sel.List].About
	if of == nil {
		return rows, nil
	}
	known := map[uuid.UUID]bool{}
	for part := range slices.Chunk(rows, partRows) {
		ids := make([]uuid.UUID, len(part))
		for i, row := range part {
			ids[i] = row.ID
		}
		about, err := of(ctx, who, ids)
		if err != nil {
			return nil, err
		}
		for _, row := range part {
			if id, there := about[row.ID]; there {
				row.ID = id
			}
			if !known[row.ID] {
				known[row.ID] = true
				out = append(out, row)
			}
		}
	}
	return out, nil
}

// inOrder gives a row for every id; what was not planned is gone.
func inOrder(ids []uuid.UUID, planned []Row) []Row {
	by := make(map[uuid.UUID]Row, len(planned))
	for _, r := range planned {
		by[r.ID] = r
	}
	out := make([]Row, len(ids))
	for i, id := range ids {
		r, there := by[id]
		if !there {
			r = Row{ID: id, Why: missing, Name: "Row " + id.String()[:8]}
		}
		out[i] = r
	}
	return out
}

func (out *rehearsal) add(r Row, each func(string, Row)) {
	out.n++
	out.rows = append(out.rows, Row{ID: r.ID, Cents: r.Cents, On: r.On, From: r.From, Day: r.Day, Ends: r.Ends,
		Why: r.Why, Notes: r.Notes, Mails: r.Mails})
	into, text := &out.not, r.Why
	if r.Why == "" {
		into, text = &out.will, r.Note
		out.all.add(r)
	}
	g := groupOf(into, text)
	g.add(r)
	if each != nil {
		each(g.key, r)
	}
	if r.Changed {
		out.changed.key = "changed"
		out.changed.add(r)
		if each != nil {
			each("changed", r)
		}
	}
}

func groupOf(groups *[]*group, text string) *group {
	sum := sha256.Sum256([]byte(text))
	key := hex.EncodeToString(sum[:4])
	for _, g := range *groups {
		if g.key == key {
			return g
		}
	}
	g := &group{key: key, text: text}
	*groups = append(*groups, g)
	return g
}

// many is a number of rows with its noun.
func (a Act) many(n int64) string { return plural.Of(n, a.One) }

// typed is what a person types before it is done, where others end with the rows: how many.
func (a Act) typed(g group) kit.TypedWord {
	if a.Ends == "" || g.ends == 0 {
		return kit.TypedWord{}
	}
	return kit.TypedWord{Word: words.Grouped(g.ends), What: "the number of " + a.Ends + "s"}
}

// leaves are the papers and mails that leave with the rows.
func (g group) leaves() []string {
	if g.notes == 0 {
		return nil
	}
	text := plural.Of(g.notes, "credit note") + " " + plural.Pick(g.notes, "is", "are") + " issued"
	if g.mails == 0 {
		return []string{text + ". No mail is sent: no client has an e-mail address."}
	}
	return []string{text + ", and " + plural.Of(g.mails, "mail") + " " + plural.Pick(g.mails, "is", "are") + " sent."}
}

// facts are what the button says: the act, the rows, what they come to, and when.
func (a Act) facts(g group) string {
	text := a.Words(a.many(g.n))
	if g.cents != 0 {
		text += " · " + words.Sum(g.cents, rand)
	}
	switch len(g.days) {
	case 0:
	case 1:
		text += " · on " + words.Glue(g.days[0].Format("Mon 2 Jan 2006"))
	default:
		first := slices.MinFunc(g.days, func(a, b calendar.Date) int {
			if a.Before(b) {
				return -1
			}
			return 1
		})
		text += " · on " + plural.Of(len(g.days), "day") + " from " + words.Glue(first.Format("Mon 2 Jan 2006"))
	}
	return text
}
