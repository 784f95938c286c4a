package app

import (
	"maps"
	"slices"

	"debitdesk/handlers"
	"debitdesk/handlers/web/bulk"
	"debitdesk/handlers/web/imports"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/templates"
	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/find"
	"debitdesk/models/task"
)

// workers gives long work to who does it. A list is written into a file by the page that shows it, so that both hold
// the same; a process without pages has those for this alone.
func (s Services) workers(o Options) {
	var d handlers.Deps
	desk := &kit.Desk{Now: o.Store.Now, Sandbox: o.Sandbox, BaseURL: o.BaseURL, Replays: database.Answers{DB: o.Store}}
	s.desk(&d, desk, HTTP{Store: o.Store, BaseURL: o.BaseURL, Sandbox: o.Sandbox, Now: o.Now, Log: o.Log})
	s.Tasks.Workers[kit.ExportKind] = d.Clients.Exports
	s.Tasks.Workers[bulk.Kind] = d.Bulk
	s.Tasks.Workers[imports.Kind] = imports.Worker{Service: s.Imports}
	s.Tasks.Workers[templates.AddKind] = templates.Adding{Templates: d.Templates}
	s.Tasks.Workers[templates.PriceKind] = templates.Pricing{Templates: d.Templates}
	s.Tasks.Workers[task.Book] = s.Leaving
	s.Tasks.Workers[task.Journal] = d.Books
	s.Approvals.Works[task.Book] = s.Leaving
	s.Approvals.Works[bulk.Kind] = d.Bulk
	s.Approvals.Works[templates.AddKind] = templates.Adding{Templates: d.Templates}
	s.Approvals.Works[templates.PriceKind] = templates.Pricing{Templates: d.Templates}
}

// exported are the lists that can be exported in the background, by their names.
func exported(d *handlers.Deps) map[string]kit.ExportSource {
	out := map[string]kit.ExportSource{
		"clients":                      kit.Listed(actor.Read, d.Clients.Exported),
		"purchases":                    kit.Listed(actor.Read, d.Purchases.Exported),
		"debits":                       kit.Listed(actor.Read, d.Purchases.ExportedDebits),
		"invoices":                     kit.Listed(actor.Read, d.Invoices.Exported),
		"tokens":                       kit.Listed(actor.Read, d.Tokens.Exported),
		"mandates":                     kit.Listed(actor.Read, d.Mandates.Exported),
		"subscribers":                  {Needs: actor.Read, Open: d.Templates.Exported},
		templates.StrandedList:         kit.Listed(actor.Read, d.Templates.ExportedWithoutAccount),
		templates.UnfitList:            kit.Listed(actor.Read, d.Templates.ExportedNotAllowed),
		"audit entries":                kit.Listed(actor.Manage, d.Audit.Exported),
		"entries":                      kit.Listed(actor.Read, d.Books.ExportedEntries),
		"messages":                     kit.Listed(actor.Read, d.Messages.Exported),
		"all promises to pay":          kit.Listed(actor.Read, d.Followups.ExportedPromises),
		"promises to pay":              kit.Listed(actor.Read, d.Planner.ExportedPromises),
		"subscriptions that will bill": kit.Listed(actor.Read, d.Planner.ExportedTurns),
		"movements of money":           kit.Listed(actor.Read, d.Reports.ExportedMovements),
		"parts of the balance":         kit.Listed(actor.Read, d.Reports.ExportedParts),
		"events":                       kit.Listed(actor.Manage, d.Events.Exported),
	}
	if files := d.BankFiles; files != nil {
		out["movements"] = kit.Listed(actor.Read, files.ExportedMovements)
		out["bank days"] = kit.Listed(actor.Read, files.ExportedDays)
		out["items"] = kit.Listed(actor.Read, files.ExportedItems)
		out["findings"] = kit.Listed(actor.Read, files.ExportedFindings)
		out["files from the bank"] = kit.Listed(actor.Read, files.ExportedReceived)
		out["files to the bank"] = kit.Listed(actor.Read, files.ExportedFiles)
	}
	return out
}

// listPlaces are the lists that open without more, and their views.
func listPlaces(all map[string]kit.ExportSource) (out []find.Place) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if list := all[name].List; list != nil {
			out = append(out, list().Places()...)
		}
	}
	return out
}
