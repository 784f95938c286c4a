package bankfiles

import (
	"context"
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
	"debitdesk/models/bank/exchange"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// readNote names a statement of another account, and one that was read before.
func readNote(d exchange.Document) components.Note {
	switch {
	case d.Strange():
		return components.Note{Kind: "warn", Title: "This is about another account, " + d.StrangeAccount,
			Text: "It is not one of the accounts that your debits are paid into, so nothing in it counts. If it should be " +
				"yours, add it to a brand under Settings → Brands, and import the file again."}
	case d.StrangeMovements > 0:
		return components.Note{Kind: "warn", Title: plural.Of(d.StrangeMovements, "movement") + " in it " +
			plural.Is(d.StrangeMovements) + " on another account, " + d.StrangeAccount,
			Text: "That is not one of the accounts that your debits are paid into. They do not count for you."}
	case d.Repeated():
		return components.Note{Kind: "info", Title: "This file repeats what was known",
			Text: "Every movement in it was in an earlier file. Nothing was counted twice."}
	}
	return components.Note{}
}

func (h *Pages) received() kit.Shown {
	return &kit.List[exchange.Document, exchange.DocumentFilter]{
		Desk:    h.Desk,
		Exports: h.Exports,
		Path:    receivedPath,
		Active:  section,
		One:     "file from the bank",
		Many:    "files from the bank",
		Nav:     components.StatusTabs(nav(receivedPath)),
		Head: components.PageHead{
			Title:   "Files from the bank",
			Sub:     "Answers and statements, as they arrived or were imported.",
			Primary: components.Button{Label: "Import a file", Icon: "upload", Href: "/bank/import"},
		},
		Query: h.Exchange.Documents,
		ID:    func(d exchange.Document) uuid.UUID { return d.ID },
		Count: func(ctx context.Context, who actor.Actor, f exchange.DocumentFilter) (kit.Tally, error) {
			counts, err := h.Exchange.CountDocuments(ctx, who, f)
			return kit.TallyOf(counts, kit.Split[exchange.DocumentState](string(f.State)), false, 0), err
		},
		By: "state",
		Views: []kit.View{kit.ViewOf("Read", "state", exchange.DocumentRead),
			kit.ViewOf("Rejected", "state", exchange.DocumentRejected),
			kit.ViewOf("Being read", "state", exchange.DocumentOpen).WhenAny()},
		Filters: []kit.Filter[exchange.DocumentFilter]{
			kit.StateFilter("state", "a state of a file",
				[]exchange.DocumentState{exchange.DocumentOpen, exchange.DocumentRead, exchange.DocumentRejected},
				func(f *exchange.DocumentFilter) *exchange.DocumentState { return &f.State }),
			kit.PastFilter("when", "Arrived", func(f *exchange.DocumentFilter) *time.Time { return &f.From },
				func(f *exchange.DocumentFilter) *time.Time { return &f.To }),
			kit.FromDay("from", "Arrived from", func(f *exchange.DocumentFilter) *time.Time { return &f.From }),
			kit.ToDay("to", "Arrived to", func(f *exchange.DocumentFilter) *time.Time { return &f.To }),
		},
		Columns: documentColumns,
		Empty: components.Empty{Icon: "in", Title: "Nothing has come from the bank yet",
			Text: "Answers and statements appear here when they arrive, or when you import them."},
	}
}

// Received serves GET /bank/received.
func (h *Pages) Received(c echo.Context) error { return h.received().Show(c) }

// ExportReceived serves GET /bank/received/export.
func (h *Pages) ExportReceived(c echo.Context) error { return h.received().Export(c) }

// ExportedReceived is the list for exports in the background.
func (h *Pages) ExportedReceived() kit.Exportable { return h.received() }

// Document serves GET /bank/received/{id}.
func (h *Pages) Document(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	d, err := h.Exchange.Document(ctx, who, id)
	if err != nil {
		return err
	}
	list := itemsOf(h, receivedHref(id), "Answers to items", func(f *exchange.ItemFilter) { f.ArrivalID = id })
	list.Columns = append(list.Columns, itemFileColumn)
	list.Empty.Text = "This file decides nothing about an item of yours."
	items, err := list.View(c)
	if err != nil {
		return err
	}
	if kit.FragmentFor(c, "results") {
		return html.Send(c, http.StatusOK, pages.ListResults(items))
	}
	movements, err := h.movementLines(ctx, who, exchange.EntryFilter{ArrivalID: id}, newest)
	if err != nil {
		return err
	}
	_, hash := hashOf(d.SHA256)
	v := pages.BankReceivedView{Nav: nav(receivedPath), State: documentPills[d.State], Items: items,
		Head: components.PageHead{Title: d.FileName, Back: components.Link{Text: "Files from the bank", Href: receivedPath}},
		Facts: components.Facts{Wide: true, Items: []components.Fact{
			{Label: "Form", Value: d.Name, Mono: true}, {Label: "Id of the bank", Value: d.BankID, Mono: true},
			{Label: "About you", Value: counted(int64(d.Count), d.SumCents)},
			{Label: "Size", Value: words.Grouped(d.Size) + " bytes"},
			{Label: "How it came", Value: words.Capital(broughtBy(d))},
			momentFact("Arrived", d.ArrivedAt, ""), momentFact("Read", d.ReadAt, "not yet"),
			{Label: "SHA-256", Value: hash, Mono: true, Copy: hash}}},
		Movements: kit.TableOf("Movements in the file", movementColumns, movements.Items),
		More:      components.Link{Text: "All movements of this file", Href: movementsPath + "?document=" + id.String()}}
	switch d.State {
	case exchange.DocumentRejected:
		v.Note = components.Note{Kind: "bad", Title: "The file could not be read",
			Text: d.Why + " Nothing in it counts. Ask your bank for the file again, or import it by hand."}
	case exchange.DocumentOpen:
		v.Note = components.Note{Kind: "info", Text: "The file is not read yet: its end is missing, or it is being read now."}
	case exchange.DocumentRead:
		v.Note = readNote(d)
	}
	if d.State != exchange.DocumentOpen && who.May(actor.Exchange) == nil {
		v.Try = receivedHref(id) + "/trial"
	}
	if v.Findings, err = h.findingLines(ctx, who, exchange.FindingFilter{ArrivalID: id,
		State: exchange.FindingOpen}); err != nil {
		return err
	}
	return h.show(c, http.StatusOK, d.FileName, func(f layout.Frame) templ.Component { return pages.BankReceived(f, v) })
}
