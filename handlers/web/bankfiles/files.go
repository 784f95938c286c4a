package bankfiles

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// messageStates lists them in the order of a file's life.
var messageStates = []exchange.MessageState{exchange.Made, exchange.Held, exchange.Placed, exchange.Taken,
	exchange.Acknowledged, exchange.Approval, exchange.Accepted, exchange.Refused, exchange.Replaced, exchange.Closed}

func kindOptions() (options []components.Option) {
	for _, k := range exchange.Kinds {
		options = append(options, components.Option{Value: string(k), Text: kindWords[k]})
	}
	return options
}

func (h *Pages) files() kit.Shown {
	return &kit.List[exchange.Message, exchange.MessageFilter]{
		Desk:    h.Desk,
		Exports: h.Exports,
		Path:    filesPath,
		Active:  section,
		One:     "file to the bank",
		Many:    "files to the bank",
		Nav:     components.StatusTabs(nav(filesPath)),
		Head: components.PageHead{Title: "Files to the bank",
			Sub: "Each file holds one kind of request, and has a number without gaps."},
		Query: h.Exchange.Messages,
		ID:    exchange.Message.UUID,
		Count: func(ctx context.Context, who actor.Actor, f exchange.MessageFilter) (kit.Tally, error) {
			counts, err := h.Exchange.CountMessages(ctx, who, f)
			return kit.TallyOf(counts, f.States, false, 0), err
		},
		By: "state",
		Views: []kit.View{
			kit.ViewOf("Not taken yet", "state", exchange.Made, exchange.Held, exchange.Placed),
			kit.ViewOf("At the bank", "state", exchange.Taken, exchange.Acknowledged, exchange.Approval, exchange.Accepted),
			kit.ViewOf("Refused", "state", exchange.Refused),
			kit.ViewOf("Sent again or not run", "state", exchange.Replaced, exchange.Closed).WhenAny(),
		},
		Filters: []kit.Filter[exchange.MessageFilter]{
			kit.StatesFilter("state", "a state of a file", messageStates,
				func(s exchange.MessageState) string { return messagePills[s].Word },
				func(f *exchange.MessageFilter) *[]exchange.MessageState { return &f.States }),
			kit.ChoiceFilter("kind", "a kind of file", "Kind is ",
				components.Select{Label: "Kind", Blank: "Any kind", Quiet: true, Options: kindOptions()},
				func(f *exchange.MessageFilter) *exchange.Kind { return &f.Kind }),
			kit.PastFilter("when", "Made", func(f *exchange.MessageFilter) *time.Time { return &f.From },
				func(f *exchange.MessageFilter) *time.Time { return &f.To }),
			kit.FromDay("from", "Made from", func(f *exchange.MessageFilter) *time.Time { return &f.From }),
			kit.ToDay("to", "Made to", func(f *exchange.MessageFilter) *time.Time { return &f.To }),
		},
		Columns: messageColumns,
		Empty: components.Empty{Icon: "out", Title: "No file has been made yet",
			Text: "Debits, refunds and mandate requests leave with the next cut."},
	}
}

// Files serves GET /bank/files.
func (h *Pages) Files(c echo.Context) error { return h.files().Show(c) }

// ExportFiles serves GET /bank/files/export.
func (h *Pages) ExportFiles(c echo.Context) error { return h.files().Export(c) }

// ExportedFiles is the list for exports in the background.
func (h *Pages) ExportedFiles() kit.Exportable { return h.files() }

// itemsOf lists what is in a file.
func itemsOf(h *Pages, path, title string, narrow func(*exchange.ItemFilter)) *kit.List[exchange.ItemLine,
	exchange.ItemFilter] {
	return &kit.List[exchange.ItemLine, exchange.ItemFilter]{
		Desk: h.Desk, Path: path, Active: section, One: "item", Card: components.Card{Title: title},
		Query: func(ctx context.Context, who actor.Actor, f exchange.ItemFilter, ask paging.Ask) (
			paging.Page[exchange.ItemLine], error) {
			narrow(&f)
			return h.Exchange.Items(ctx, who, f, ask)
		},
		ID: func(i exchange.ItemLine) uuid.UUID { return i.ID },
		Count: func(ctx context.Context, who actor.Actor, f exchange.ItemFilter) (kit.Tally, error) {
			narrow(&f)
			return h.tally(ctx, who, f)
		},
		By: "outcome", Views: []kit.View{kit.ViewOf("No answer", "outcome", exchange.OutcomeNone),
			kit.ViewOf("Paid or confirmed", "outcome", exchange.OutcomePaid),
			kit.ViewOf("Came back", "outcome", exchange.OutcomeBack)},
		Filters: []kit.Filter[exchange.ItemFilter]{outcomeFilter},
		Columns: itemColumns(func(i exchange.ItemLine) int64 { return i.AmountCents }),
		Around:  totalBelow,
		Empty: components.Empty{Icon: "receipt", Title: "No items",
			Text: "This file no longer holds anything: its items left in another one, or none of them were yours."},
	}
}

// totalBelow says at the foot of a list what its rows come to.
func totalBelow(_ echo.Context, _ *kit.Listing, v *pages.ListView) error {
	v.Below = pages.BankTotal("In all " + v.Filters.Found)
	return nil
}

var outcomeFilter = kit.StateFilter("outcome", "an outcome",
	[]exchange.ItemOutcome{exchange.OutcomeNone, exchange.OutcomePaid, exchange.OutcomeBack},
	func(f *exchange.ItemFilter) *exchange.ItemOutcome { return &f.Outcome })

// tally counts and sums items, and those of each tab.
func (h *Pages) tally(ctx context.Context, who actor.Actor, f exchange.ItemFilter) (t kit.Tally, err error) {
	of := map[exchange.ItemOutcome]kit.RowsFound{}
	for _, o := range []exchange.ItemOutcome{"", exchange.OutcomeNone, exchange.OutcomePaid, exchange.OutcomeBack} {
		g := f
		g.Outcome = o
		n, err := h.Exchange.CountItems(ctx, who, g)
		if err != nil {
			return t, err
		}
		of[o] = kit.FoundUpTo(n.Count, n.Count)
		if o == f.Outcome {
			t.Found, t.Sum = of[o], ", "+words.Sum(n.Cents, money.ZAR)
		}
	}
	t.Of = func(v kit.View) kit.RowsFound { return of[exchange.ItemOutcome(v.Value)] }
	return t, nil
}

// File serves GET /bank/files/{id}.
func (h *Pages) File(c echo.Context) error {
	id, err := messageID(c)
	if err != nil {
		return err
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	m, err := h.Exchange.Sheet(ctx, who, id)
	if err != nil {
		return err
	}
	items, err := itemsOf(h, filePath(id), "Items", func(f *exchange.ItemFilter) { f.MessageID = id }).View(c)
	if err != nil {
		return err
	}
	if kit.FragmentFor(c, "results") {
		return html.Send(c, http.StatusOK, pages.ListResults(items))
	}
	v := pages.BankFileView{Nav: nav(filesPath), State: messagePill(m.Message), Items: items, Facts: fileFacts(m.Message),
		Head: components.PageHead{Title: m.FileName, Back: components.Link{Text: "Files to the bank", Href: filesPath},
			Secondary: actButtons(m)},
		Groups:  kit.TableOf("Parts of the file", groupColumns, m.Groups),
		History: kit.History(paging.Page[audit.Entry]{Items: m.History}, nil)}
	v.Note = fileNote(m)
	if mayAct(c) && len(m.SHA256) > 0 && !m.Withheld() {
		v.Download = filePath(id, "download")
		for _, f := range h.Exchange.Spellings {
			if why := f.Refuses(m.Message, m.Groups); why == "" {
				v.Forms = append(v.Forms, components.Link{Text: f.Title(), Href: filePath(id, "download", f.Name())})
			} else if m.Kind == exchange.Debits {
				v.NoForms = append(v.NoForms, f.Title()+" cannot be had: "+why)
			}
		}
	}
	if v.Findings, err = h.findingLines(ctx, who, exchange.FindingFilter{MessageID: id,
		State: exchange.FindingOpen}); err != nil {
		return err
	}
	return h.show(c, http.StatusOK, m.FileName, func(f layout.Frame) templ.Component { return pages.BankFile(f, v) })
}

// fileNote says what has to be known about a file first.
func fileNote(m exchange.MessageSheet) components.Note {
	switch {
	case m.State == exchange.Held:
		text := "It leaves only when someone approves it. It should be approved by " +
			words.Moment(m.ApproveBy).Text + " SAST."
		if m.Yours != "" {
			text += " " + m.Yours
		}
		return components.Note{Kind: "warn", Title: "Waiting for a second approver", Text: text}
	case m.Declined && m.Refused.Count > 0:
		return components.Note{Kind: "bad", Title: "The file was not approved, and never left",
			Text: m.Reason + " Send the items again, or mark them as not collected."}
	case m.Refused.Count > 0:
		return components.Note{
			Kind:  "bad",
			Title: "The bank refused " + counted(int64(m.Refused.Count), m.Refused.SumCents),
			Text: cmp.Or(m.Reason,
				"The bank gave no reason.") + " No client in it was debited. Send the items again, or mark them as not collected.",
		}
	case m.State == exchange.Replaced:
		return components.Note{Kind: "info", Text: "The refused items were sent again in a later file."}
	case m.State == exchange.Closed:
		return components.Note{Kind: "info", Text: "The refused items were marked as not collected."}
	}
	return components.Note{}
}

func fileFacts(m exchange.Message) components.Facts {
	_, hash := hashOf(m.SHA256)
	downloads := "never"
	if m.Downloads > 0 {
		downloads = plural.Of(m.Downloads, "time") + ", last by " + m.DownloadsBy
	}
	return components.Facts{Items: []components.Fact{
		{Label: "Kind", Value: kindWords[m.Kind]},
		{Label: "Items", Value: counted(int64(m.Count), m.SumCents)},
		{Label: "Number", Value: words.Grouped(m.Number)},
		{Label: "Form", Value: m.Name, Mono: true},
		{Label: "Id at the bank", Value: m.ID, Mono: true, Copy: m.ID},
		{Label: "Size", Value: words.Grouped(m.Size) + " bytes"},
		{Label: "SHA-256", Value: hash, Mono: true, Copy: hash},
		{Label: "Made by", Value: by(m.MadeBy)},
		momentFact("Made", m.MadeAt, ""),
		decidedFact(m),
		momentFact("Laid out", m.PlacedAt, "not yet"),
		momentFact("Taken", m.TakenAt, "not yet"),
		momentFact("Acknowledged", m.AckAt, "not yet"),
		momentFact("Last answer", m.AnsweredAt, "none yet"),
		{Label: "Downloaded", Value: downloads},
	}}
}

// decidedFact is who approved a file, or refused to.
func decidedFact(m exchange.Message) components.Fact {
	value := "not needed"
	switch {
	case m.State == exchange.Held:
		value = "not yet"
	case m.Declined:
		value = "refused by " + m.DecidedBy
	case m.DecidedBy != "":
		value = m.DecidedBy
	}
	return components.Fact{Label: "Approved by", Value: value}
}

var groupColumns = []kit.Column[exchange.Group]{
	kit.ColumnOf("Part", func(g exchange.Group) components.Cell {
		return components.Cell{Text: g.ID, Strong: true, Look: "mono small"}
	}),
	kit.TextColumn("Account of", 20, func(g exchange.Group) string { return g.Creditor.Name }),
	kit.DateColumn("Day", 14, func(g exchange.Group) date { return g.ActionDate }),
	kit.TextColumn("Method", 11, func(g exchange.Group) string { return methodWords[g.Method] }),
	kit.TextColumn("Sequence", 11, func(g exchange.Group) string { return sequenceWords[g.Sequence] }),
	countColumn("Items", func(g exchange.Group) int64 { return int64(g.Count) }),
	amountColumn("Sum", func(g exchange.Group) int64 { return g.SumCents }),
	kit.ColumnOf("State", func(g exchange.Group) components.Cell {
		if g.Refused {
			return components.Cell{Pill: components.Pill{Kind: "bad", Word: "Refused"}}
		}
		return components.Cell{}
	}),
}

// Download serves POST /bank/files/{id}/download.
func (h *Pages) Download(c echo.Context) error {
	id, err := messageID(c)
	if err != nil {
		return err
	}
	m, content, err := h.Exchange.Download(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	return sendFile(c, m.FileName, content)
}

// DownloadAs serves POST /bank/files/{id}/download/{form}.
func (h *Pages) DownloadAs(c echo.Context) error {
	id, err := messageID(c)
	if err != nil {
		return err
	}
	name, content, err := h.Exchange.DownloadAs(c.Request().Context(), access.Actor(c), id, c.Param("form"))
	if err != nil {
		return err
	}
	return sendFile(c, name, bytes.NewReader(content))
}

func sendFile(c echo.Context, name string, content io.Reader) error {
	to := &kit.Download{C: c, Control: http.NewResponseController(c.Response()), ContentType: "application/octet-stream",
		Name: name}
	if _, err := io.Copy(to, content); err != nil {
		to.BreakOff()
		return err
	}
	return nil
}
