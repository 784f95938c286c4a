package handlers

import (
	"debitdesk/handlers/web/bankfiles"
	"debitdesk/models/actor"
)

// bankRoutes are what is exchanged with the bank in files. Without such a bank the
// places of the menu say so.
func (e *edge) bankRoutes() Table {
	if e.BankFiles == nil {
		var none []Route
		for _, place := range bankfiles.Places {
			none = append(none, Route{page, "GET", place, bankfiles.None(e.Home.Desk)})
		}
		return Table{{actor.Read, "Bank files: where a bank is connected by files", none}}
	}
	return Table{
		{actor.Read, "Bank files: what is waiting, the files both ways, movements and the reconciliation", []Route{
			{page, "GET", "/bank", e.BankFiles.Overview},
			{page, "GET", "/bank/files", e.BankFiles.Files},
			{page, "GET", "/bank/files/export", e.BankFiles.ExportFiles},
			{page, "GET", "/bank/files/:id", e.BankFiles.File},
			{page, "GET", "/bank/received", e.BankFiles.Received},
			{page, "GET", "/bank/received/export", e.BankFiles.ExportReceived},
			{page, "GET", "/bank/received/:id", e.BankFiles.Document},
			{page, "GET", "/bank/movements", e.BankFiles.Movements},
			{page, "GET", "/bank/movements/export", e.BankFiles.ExportMovements},
			{page, "GET", "/bank/movements/:id", e.BankFiles.Movement},
			{page, "GET", "/bank/days", e.BankFiles.Days},
			{page, "GET", "/bank/days/:id", e.BankFiles.Day},
			{page, "GET", "/bank/days/export", e.BankFiles.ExportDays},
			{page, "GET", "/bank/items", e.BankFiles.Items},
			{page, "GET", "/bank/items/export", e.BankFiles.ExportItems},
			{page, "GET", "/bank/findings", e.BankFiles.Findings},
			{page, "GET", "/bank/findings/export", e.BankFiles.ExportFindings},
			{page, "GET", "/bank/findings/:id", e.BankFiles.Finding},
		}},
		{actor.Approve, "Approve or refuse a file to the bank that is waiting for a second approver", []Route{
			{page, "GET", "/bank/files/:id/approval", e.BankFiles.AskAct("approval")},
			{page, "POST", "/bank/files/:id/approval", e.BankFiles.Act("approval")},
			{page, "GET", "/bank/files/:id/refusal", e.BankFiles.AskAct("refusal")},
			{page, "POST", "/bank/files/:id/refusal", e.BankFiles.Act("refusal")},
		}},
		{actor.Manage, "The rule that books EFT payments without a person", []Route{
			{page, "GET", "/bank/rule", e.BankFiles.Rule},
			{pageProof, "POST", "/bank/rule", e.BankFiles.SetRule},
		}},
		{actor.Exchange, "Cut, download, import and send bank files again; match movements; settle findings", []Route{
			{page, "GET", "/bank/cut", e.BankFiles.AskCut},
			{page, "POST", "/bank/cut", e.BankFiles.Cut},
			{page, "GET", "/bank/import", e.BankFiles.AskImport},
			{pageFile, "POST", "/bank/import", e.BankFiles.Import},
			{pageFile, "POST", "/bank/import/trial", e.BankFiles.Try},
			{page, "POST", "/bank/received/:id/trial", e.BankFiles.Replay},
			{pageProof, "POST", "/bank/files/:id/download", e.BankFiles.Download},
			{pageProof, "POST", "/bank/files/:id/download/:form", e.BankFiles.DownloadAs},
			{page, "GET", "/bank/files/:id/taken", e.BankFiles.AskAct("taken")},
			{page, "POST", "/bank/files/:id/taken", e.BankFiles.Act("taken")},
			{page, "GET", "/bank/files/:id/confirmation", e.BankFiles.AskAct("confirmation")},
			{page, "POST", "/bank/files/:id/confirmation", e.BankFiles.Act("confirmation")},
			{page, "GET", "/bank/files/:id/again", e.BankFiles.AskAct("again")},
			{page, "POST", "/bank/files/:id/again", e.BankFiles.Act("again")},
			{page, "GET", "/bank/files/:id/replacement", e.BankFiles.AskAct("replacement")},
			{page, "POST", "/bank/files/:id/replacement", e.BankFiles.Act("replacement")},
			{page, "GET", "/bank/files/:id/dropping", e.BankFiles.AskAct("dropping")},
			{page, "POST", "/bank/files/:id/dropping", e.BankFiles.Act("dropping")},
			{page, "GET", "/bank/movements/:id/match", e.BankFiles.AskMatch},
			{page, "POST", "/bank/movements/:id/match", e.BankFiles.Match},
			{page, "POST", "/bank/movements/:id/unmatch", e.BankFiles.Unmatch},
			{page, "POST", "/bank/movements/:id/reopening", e.BankFiles.Reopen},
			{page, "POST", "/bank/movements/:id/payments", e.BankFiles.Pay},
			{page, "POST", "/bank/movements/:id/payments/return", e.BankFiles.ReturnPayment},
			{page, "POST", "/bank/days/:id/acceptance", e.BankFiles.AcceptDay},
			{page, "POST", "/bank/days/:id/reopening", e.BankFiles.ReopenDay},
			{page, "GET", "/bank/findings/:id/sending", e.BankFiles.AskLate(true)},
			{page, "POST", "/bank/findings/:id/sending", e.BankFiles.Late(true)},
			{page, "GET", "/bank/findings/:id/reading", e.BankFiles.AskReading},
			{page, "POST", "/bank/findings/:id/reading", e.BankFiles.Reading},
			{page, "GET", "/bank/findings/:id/dropping", e.BankFiles.AskLate(false)},
			{page, "POST", "/bank/findings/:id/dropping", e.BankFiles.Late(false)},
			{page, "POST", "/bank/findings/:id/settlement", e.BankFiles.Settle},
		}},
	}
}
