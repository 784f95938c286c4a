package handlers

import (
	"debitdesk/models/actor"
)

// importRoutes are the steps on which a business moves in.
func (e *edge) importRoutes() Table {
	return Table{
		{actor.Read, "Imports: list, problems, rehearsal, groups and the file with the verdicts", []Route{
			{page, "GET", "/imports", e.Imports.List},
			{page, "GET", "/imports/:id", e.Imports.Open},
			{page, "GET", "/imports/:id/map", e.Imports.Map},
			{page, "GET", "/imports/:id/check", e.Imports.Check},
			{page, "GET", "/imports/:id/rehearsal", e.Imports.Rehearsal},
			{page, "GET", "/imports/:id/groups", e.Imports.Groups},
			{page, "GET", "/imports/:id/confirm", e.Imports.Confirm},
			{page, "GET", "/imports/:id/verdicts.csv", e.Imports.Verdicts},
		}},
		{actor.Bill, "Import clients with their accounts, mandates and subscriptions; switch groups on; undo", []Route{
			{page, "GET", "/imports/new", e.Imports.New},
			{pageBook, "POST", "/imports", e.Imports.Upload},
			{page, "POST", "/imports/:id/map", e.Imports.PutMap},
			{page, "POST", "/imports/:id/fixes", e.Imports.Fix},
			{page, "POST", "/imports/:id/cells", e.Imports.Cell},
			{page, "POST", "/imports/:id/rows", e.Imports.Row},
			{pageScans, "POST", "/imports/:id/scans", e.Imports.AddScans},
			{page, "POST", "/imports/:id/rehearse", e.Imports.Rehearse},
			{page, "GET", "/imports/:id/discard", e.Imports.AskDiscard},
			{page, "POST", "/imports/:id/discard", e.Imports.Discard},
			{page, "POST", "/imports/:id/start", e.Imports.Start},
			{page, "POST", "/imports/:id/continue", e.Imports.Continue},
			{page, "POST", "/imports/:id/confirm", e.Imports.AskConfirm},
			{page, "GET", "/imports/:id/switch", e.Imports.AskSwitch},
			{page, "POST", "/imports/:id/switch", e.Imports.Switch},
			{page, "GET", "/imports/:id/undo", e.Imports.AskUndo},
			{page, "POST", "/imports/:id/undo", e.Imports.Undo},
		}},
	}
}
