package leaving

import "slices"

// files are all of a book, in their order.
func files() []file {
	return slices.Concat(clientFiles(), mandateFiles(), subscriptionFiles(), moneyFiles(), deskFiles())
}

// apart are the tables with a merchant that are not in a book, by the reason.
var apart = []struct {
	LeftOut
	tables []string
}{
	{LeftOut{"The audit", "It has an export of its own, which keeps its chain: Audit, or debitdesk audit export."},
		[]string{"audit_entries", "audit_links", "audit_heads", "audit_bases", "audit_alarms", "audit_trees",
			"audit_tiles"}},
	{LeftOut{"Credentials, keys and sessions", "They open this system and no other."},
		[]string{"credentials", "merchant_keys", "sessions", "idempotency_keys", "invitations", "issuers",
			"issuer_people"}},
	{LeftOut{"Events, their deliveries and the request log",
		"They are dropped after some days; what they told of is here."},
		[]string{"events", "deliveries", "api_requests", "api_request_bodies"}},
	{LeftOut{"Files to and from the bank",
		"What they said of each debit is in debits.csv, and what moved in movements.csv."},
		[]string{"bank_items", "bank_files_out", "bank_files_in", "bank_files_in_of", "bank_answers", "bank_messages",
			"bank_entries", "bank_findings", "bank_statements", "bank_day_notes"}},
	{LeftOut{"Counts and lists of what needs attention", "They follow from what is here."},
		[]string{"attention", "attention_changes", "attention_counts", "attention_solved", "bank_days", "bank_day_changes",
			"billing_groups", "billing_group_deltas", "debit_days", "debit_day_deltas", "debit_trait_days",
			"debit_trait_deltas", "debit_traits_due", "failed_purchases", "failure_changes",
			"journal_days", "journal_months", "journal_day_deltas",
			"journal_sums_due", "ledger_days", "ledger_months",
			"ledger_day_deltas", "mandate_counts", "mandate_count_deltas", "part_days", "part_day_deltas", "purchase_counts",
			"purchase_count_deltas", "purchase_sums", "recurring_months", "recurring_moves", "recurring_runs",
			"refunded_debits", "storing_counts", "storing_count_deltas"}},
	{LeftOut{"How each person arranged their lists, and reports that they saved", "They belong to the pages here."},
		[]string{"list_settings", "list_views", "list_view_pins", "recently_opened", "saved_reports", "selections"}},
	{LeftOut{"Work in the background, and files that it wrote", "They are made from what is here."},
		[]string{"tasks", "task_chunks", "company_statements", "token_deletions", "simulations"}},
	{LeftOut{"How columns of uploaded files were read", "What came of each row is in batch_rows.csv."},
		[]string{"batch_mappings", "batch_mends"}},
	{LeftOut{"Imports", "What they brought in is here; their files are deleted when they can no longer be undone."},
		[]string{"book_imports", "book_import_rows", "book_scans", "book_mappings"}},
	{LeftOut{"The journal", "It follows from what is here, and has files of its own: Books, or debitdesk books export."},
		[]string{"journal_entries", "book_settings", "book_accounts", "book_vat_bases", "book_closings"}},
	{LeftOut{"Clients’ own pages",
		"Links and codes open this system and no other; what clients asked for is in requests.csv."},
		[]string{"client_page_links", "client_page_sessions", "client_page_acts", "client_page_settings"}},
	{LeftOut{"Which debits clients were told of before them, and its settings",
		"The settings of another system are its own; what was debited is in debits.csv."},
		[]string{"notice_settings", "debit_notices"}},
	{LeftOut{"What clients answered by SMS, and the settings of SMS",
		"Numbers that want no SMS are in sms_blocks.csv; the page of a client shows its answers."},
		[]string{"sms_replies", "sms_settings", "sms_days"}},
	{LeftOut{"The sandbox’s bank", "It is none."}, []string{"sandbox_instructions"}},
}

func leftOut() (out []LeftOut) {
	for _, a := range apart {
		out = append(out, a.LeftOut)
	}
	return out
}

// Contents are the files of a book, without what is in them.
func Contents() (out []File) {
	for _, f := range files() {
		out = append(out, File{Name: f.name, Holds: f.holds})
	}
	return out
}
