package simulation

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// wiping deletes what a merchant did, what refers to other rows first. A test knows
// every table that there is, so that a new one is either here or in WipeKeeps.
var wiping = []struct{ table, where string }{
	{"recently_opened", "merchant_id = $1"},
	{"book_closings", "merchant_id = $1"}, // what is closed does not go
	{"journal_entries", "merchant_id = $1"},
	{"write_offs", "merchant_id = $1"},
	{"book_records", "merchant_id = $1"},
	{"plan_steps", "merchant_id = $1"},
	{"plan_runs", "merchant_id = $1"},
	{"plan_versions", "merchant_id = $1"},
	{"plans", "merchant_id = $1"},
	{"token_deletions", "merchant_id = $1"},
	{"sms_messages", "merchant_id = $1"},
	{"sms_replies", "merchant_id = $1"},
	{"sms_blocks", "merchant_id = $1"},
	{"sms_days", "merchant_id = $1"},
	{"client_page_sessions", "merchant_id = $1"},
	{"client_page_links", "merchant_id = $1"},
	{"client_page_acts", "merchant_id = $1"},
	{"client_requests", "merchant_id = $1"},
	{"client_stops", "merchant_id = $1"},
	{"client_merges", "merchant_id = $1"},
	{"clients_apart", "merchant_id = $1"},
	{"approvals", "merchant_id = $1"},
	{"followups", "merchant_id = $1"},
	{"attention_solved", "merchant_id = $1"},
	{"owners", "merchant_id = $1"},
	{"promises", "merchant_id = $1"},
	{"notes", "merchant_id = $1"},
	{"task_chunks", "merchant_id = $1"},
	{"tasks", "merchant_id = $1"},
	{"selections", "merchant_id = $1"},
	{"delivery_attempts", "delivery_id IN (SELECT id FROM deliveries WHERE merchant_id = $1)"},
	{"deliveries", "merchant_id = $1"},
	{"events", "merchant_id = $1"},
	{"api_requests", "merchant_id = $1"},
	{"api_request_bodies", "merchant_id = $1"},
	{"company_statements", "merchant_id = $1"},
	{"billing_periods", "merchant_id = $1"},
	{"price_letters", "merchant_id = $1"},
	{"template_clients", "merchant_id = $1"},
	{"billing_templates", "merchant_id = $1"},
	{"client_references", "merchant_id = $1"},
	{"book_import_rows", "merchant_id = $1"},
	{"book_scans", "merchant_id = $1"},
	{"book_imports", "merchant_id = $1"},
	{"book_mappings", "merchant_id = $1"},
	{"batch_mends", "merchant_id = $1"},
	{"batch_rows", "merchant_id = $1"},
	{"batches", "merchant_id = $1"},
	{"batch_mappings", "merchant_id = $1"},
	{"invoices", "merchant_id = $1"},
	{"mails", "merchant_id = $1"},
	{"ledger_entries", "merchant_id = $1"},
	{"refunds", "merchant_id = $1"},
	{"bank_messages",
		"merchant_id = $1 OR instruction_id IN (SELECT id FROM sandbox_instructions WHERE merchant_id = $1)"},
	{"bank_answers", "merchant_id = $1"},
	{"bank_payments", "merchant_id = $1"},
	{"bank_tellings", "entry_id IN (SELECT id FROM bank_entries WHERE merchant_id = $1)"},
	{"bank_entries", "merchant_id = $1"},
	{"bank_file_groups", "message_id IN (SELECT id FROM bank_files_out WHERE merchant_id = $1)"},
	{"bank_files_out", "merchant_id = $1"}, // their numbers go on: the bank knows them
	{"bank_files_in_of", "merchant_id = $1"},
	{"bank_files_in", "merchant_id = $1"},
	{"bank_items", "merchant_id = $1"},
	{"bank_findings", "merchant_id = $1"},
	{"bank_statements", "merchant_id = $1"},
	{"bank_day_notes", "merchant_id = $1"},
	{"sandbox_answers", "instruction_id IN (SELECT id FROM sandbox_instructions WHERE merchant_id = $1)"},
	{"sandbox_instructions", "merchant_id = $1"},
	{"account_verifications", "merchant_id = $1"},
	{"amendments", "merchant_id = $1"},
	{"debit_notices", "merchant_id = $1"},
	{"collections", "merchant_id = $1"},
	{"tokens", "merchant_id = $1"},
	{"mandate_evidence", "merchant_id = $1"},
	{"mandates_replaced", "merchant_id = $1"},
	{"mandate_authentications", "merchant_id = $1"},
	{"mandates", "merchant_id = $1"},  // mandate_counts follow by a trigger
	{"purchases", "merchant_id = $1"}, // so do purchase_counts, purchase_sums and storing_counts
	{"clients", "merchant_id = $1"},
	{"idempotency_keys", "merchant_id = $1"}, // their answers name what is gone
	{"simulations", "merchant_id = $1"},
}

// WipeKeeps are the tables with a merchant's own rows that a wipe leaves: who works
// there, what programs may call, where they are told, how it trades, and who did
// what. Counts of purchases and mandates follow by themselves. Numbers of invoices
// go on, for a number that was given out never comes again.
var WipeKeeps = []string{
	"list_settings",
	"list_views",
	"saved_reports",
	"list_view_pins",
	"client_page_settings",
	"notice_settings",
	"sms_settings",
	"merchants",
	"brands",
	"brand_counters",
	"debit_profiles",
	"users",
	"credentials",
	"audit_entries",
	"audit_links",
	"audit_heads",
	"audit_bases",
	"audit_alarms",
	"audit_trees",
	"audit_tiles",
	"memberships",
	"invitations",
	"sessions",
	"issuers",
	"issuer_people",
	"kept_forms",
	"invoice_series",
	"webhooks",
	"merchant_keys",
	"own_rules",
	"message_words",
	"brand_logos",
	"book_settings",
	"book_accounts",
	"book_vat_bases",
	"purchase_counts",
	"purchase_count_deltas",
	"purchase_sums",
	"storing_counts",
	"storing_count_deltas",
	"mandate_counts",
	"mandate_count_deltas",
	"ledger_days",
	"ledger_months",
	"ledger_day_deltas",
	"debit_days",
	"debit_day_deltas",
	"debit_trait_days",
	"debit_trait_deltas",
	"recurring_months",
	"recurring_moves",
	"recurring_runs",
	"failed_purchases",
	"failure_changes",
	"journal_days",
	"journal_months",
	"journal_day_deltas",
	"attention",
	"attention_changes",
	"attention_counts",
	"bank_days",
	"bank_day_changes",
	"part_days",
	"part_day_deltas",
	"refunded_debits",
	"billing_groups",
	"billing_group_deltas",
}

// WipeTables are the tables that a wipe empties for one merchant.
func WipeTables() []string {
	out := make([]string, len(wiping))
	for i, w := range wiping {
		out[i] = w.table
	}
	return out
}

// wipe deletes what a merchant did: clients, purchases, debits, mails and all that hangs
// on them. It tells how many rows of each table went. A row that somebody adds meanwhile
// ends it with fault.ErrLost.
func wipe(tx *database.Tx, merchantID uuid.UUID) (map[string]int64, error) {
	gone := map[string]int64{}
	err := tx.Pgx(func(on pgx.Tx) error {
		for _, w := range wiping {
			tag, err := on.Exec(tx.Context(), "DELETE FROM "+w.table+" WHERE "+w.where,
				database.Native([]any{merchantID})...)
			if err != nil {
				return fmt.Errorf("wipe %s: %w", w.table, err)
			}
			if n := tag.RowsAffected(); n > 0 {
				gone[w.table] = n
			}
		}
		return nil
	})
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "23503" { // foreign_key_violation
		return nil, fault.ErrLost
	}
	return gone, err
}
