package simbank

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"debitdesk/models/calendar"
)

// due is one answer that has to be given.
type due struct {
	key key
	at  time.Time
}

// answerDue begins every answer that is due and lays it out, the oldest first.
func (b *Bank) answerDue(ctx context.Context, now time.Time) error {
	all := b.due(now)
	slices.SortStableFunc(all, func(x, y due) int { return x.at.Compare(y.at) })
	for _, d := range all {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var begun []record
		for _, a := range b.begin(d) {
			b.answers = append(b.answers, a)
			begun = append(begun, record{Answer: a})
		}
		b.begun[d.key] = true
		if err := b.note(begun...); err != nil {
			return err
		}
		b.crash("begun " + d.key.About)
		for _, r := range begun {
			if err := b.layOut(r.Answer, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// due lists the answers that were not begun, from what was taken and the time.
func (b *Bank) due(now time.Time) []due {
	var out []due
	seen := map[key]bool{}
	add := func(k key, at time.Time) {
		if !b.begun[k] && !seen[k] {
			seen[k] = true
			out = append(out, due{k, at})
		}
	}
	for _, f := range b.files {
		if f.Silent {
			continue
		}
		if about := f.firstAnswer(b.settings); about != "" {
			add(key{About: about, File: f.Number}, f.At)
		}
		for _, o := range f.Orders {
			switch {
			case o.Kind != recall || !o.Done:
			case f.reverses():
				add(key{About: "reversed", File: f.Number}, f.At)
			case b.settings.Recalls == "pain.002":
				add(key{About: "cancelled", File: b.orders[o.Target-1].file.Number, At: stamp(f.At)}, f.At)
			}
			for _, e := range o.Plan {
				if !o.happens(e, now) {
					continue
				}
				if e.Status != "" {
					add(key{About: "status", File: f.Number, At: stamp(e.At)}, e.At)
				}
				if e.Answer != "" {
					add(key{About: "mandate", File: f.Number, At: stamp(e.At)}, e.At)
				}
				if e.Notify {
					add(key{About: "returns", Account: o.Creditor, At: stamp(e.At)}, e.At)
				}
			}
		}
	}
	for _, e := range b.entries(now) {
		if at := b.statementAt(e.Day); !at.After(now) && !e.order.file.Silent {
			add(key{About: "statement", Account: e.Account, At: e.Day.String()}, at)
		}
	}
	return out
}

// next is when something more becomes due, if no message comes.
func (b *Bank) next(now time.Time) time.Time {
	soonest := now.AddDate(10, 0, 0)
	see := func(at time.Time) {
		if at.After(now) && at.Before(soonest) {
			soonest = at
		}
	}
	for _, o := range b.orders {
		for _, e := range o.Plan {
			see(e.At)
			if e.Book != 0 {
				see(b.statementAt(calendar.DateOf(e.At)))
			}
		}
	}
	return soonest
}

// firstAnswer is what the bank says as soon as it has taken a message.
func (f *file) firstAnswer(s Settings) string {
	if f.Refused == nil && strings.HasPrefix(f.Message, "camt.055") && s.Recalls == "camt.029" {
		return "recall"
	}
	return "ack"
}

// statementAt is when the statement of a day is written: in the morning of the next business day.
func (b *Bank) statementAt(day calendar.Date) time.Time {
	return mornings.On(b.cal.AddBusinessDays(day, 1))
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// begin numbers the messages that one answer becomes: one, unless the bank was told to misbehave.
func (b *Bank) begin(d due) []*answer {
	told := slices.DeleteFunc(slices.Clone(b.told), func(m Misbehaviour) bool { return slices.Contains(once, m) })
	parts := []int{0}
	if has(told, Halves) && d.key.About != "mandate" { // a pain.012 cannot be empty
		parts = []int{1, 2}
	}
	var out []*answer
	add := func(a answer) {
		a.Number = len(b.answers) + len(out) + 1
		a.Key, a.At, a.As = d.key, d.at, told
		a.Form = b.form(d.key)
		a.Name = fmt.Sprintf("%s_%s_%06d.xml", strings.ReplaceAll(a.Form[:8], ".", ""), local(d.at, "20060102150405"),
			a.Number)
		if has(told, Zipped) {
			a.Name += ".zip"
		}
		out = append(out, &a)
	}
	for _, part := range parts {
		add(answer{Part: part})
		if has(told, Twice) {
			add(answer{Part: part})
		}
		if has(told, Copies) {
			add(answer{Part: part, Again: out[len(out)-1].Number})
		}
	}
	return out
}

func (b *Bank) form(k key) string {
	switch k.About {
	case "returns":
		return "camt.054.001." + b.settings.Statements
	case "statement":
		return "camt.053.001." + b.settings.Statements
	case "mandate":
		return strings.Replace(b.files[k.File-1].Message, "pain.009.", "pain.012.", 1)
	case "recall":
		return "camt.029.001.10"
	}
	return b.settings.StatusReport
}

func local(t time.Time, layout string) string { return t.In(calendar.SAST).Format(layout) }

// finish lays out what was begun before a crash, and the rest of what was to grow.
func (b *Bank) finish() error {
	for _, a := range b.answers {
		if !a.laid {
			if err := b.layOut(a, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// layOut writes an answer into the inbox. One that is to grow is written by half first, under its final name.
func (b *Bank) layOut(a *answer, whole bool) error {
	content, err := b.content(a)
	if err != nil {
		return err
	}
	if has(a.As, Growing) && !whole {
		return os.WriteFile(b.path("inbox", a.Name), content[:len(content)/2], 0o600)
	}
	if has(a.As, Growing) {
		err = b.memory.disk.grow(b.path("inbox", a.Name), content)
	} else {
		err = b.memory.disk.lay(b.path("inbox"), a.Name, content)
	}
	if err != nil {
		return err
	}
	b.crash("laid " + a.Key.About)
	a.laid = true
	b.report.Written++
	b.say("%s: %s", a.Name, a.Key.About)
	return b.note(record{Laid: a.Number})
}

func (d disk) grow(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // a name of ours
	if err != nil {
		return err
	}
	_, err = f.WriteAt(content[len(content)/2:], int64(len(content)/2))
	if err == nil {
		_, err = f.WriteAt(content[:len(content)/2], 0)
	}
	return errors.Join(err, d.sync(f), f.Close())
}

// content is the same bytes for the same answer, whenever it is asked for.
func (b *Bank) content(a *answer) ([]byte, error) {
	name := strings.TrimSuffix(a.Name, ".zip")
	if a.Again > 0 {
		a = b.answers[a.Again-1]
	}
	d := newDocument(a)
	switch a.Key.About {
	case "ack":
		b.acknowledgement(d, a)
	case "status":
		b.statuses(d, a)
	case "cancelled":
		b.cancelled(d, a)
	case "reversed":
		b.reversed(d, a)
	case "mandate":
		b.mandateAnswers(d, a)
	case "recall":
		b.recallAnswers(d, a)
	case "returns":
		b.notification(d, a)
	case "statement":
		b.statement(d, a)
	}
	content, err := d.bytes()
	if err != nil || !has(a.As, Zipped) {
		return content, err
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write(content)
	}
	err = errors.Join(err, z.Close())
	return out.Bytes(), err
}

// half is the part of the items that an answer speaks of.
func half[T any](a *answer, all []T) []T {
	switch a.Part {
	case 1:
		return all[:(len(all)+1)/2]
	case 2:
		return all[(len(all)+1)/2:]
	}
	return all
}
