package multiply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// fixedTables do not grow with a merchant's history: people, keys, settings, and what the whole installation has once.
var fixedTables = []string{
	"merchants",
	"brands",
	"brand_counters",
	"debit_profiles",
	"users",
	"memberships",
	"sessions",
	"sign_in_failures",
	"credentials",
	"merchant_keys",
	"own_rules",
	"message_words",
	"brand_logos",
	"invoice_series",
	"sms_addresses",
	"webhooks",
	"invitations",
	"passkeys",
	"recently_opened",
	"recovery_codes",
	"password_resets",
	"proclaimed_days",
	"issuers",
	"issuer_people",
	"issuer_once",
	"kept_forms",
	"key_rotations",
	"readiness",
	"sandbox_clock",
	"simulations",
	"list_settings",
	"list_views",
	"saved_reports",
	"list_view_pins",
	"bank_numbers",
	"audit_turns",
	"figure_sweep",
	"first_links",
	"book_settings",
	"client_page_settings",
	"notice_settings",
	"book_accounts",
	"book_vat_bases",
	"book_closings",
	"book_records",
	"bank_payments",
	"plans",
	"plan_versions",
}

// ownedTables are those of them that a neighbour has rows of its own in.
var ownedTables = []string{"merchants", "brands", "debit_profiles", "merchant_keys", "brand_counters", "invoice_series"}

// derivedTables follow from others and are made anew.
var derivedTables = []string{
	"purchase_counts",
	"purchase_count_deltas",
	"purchase_sums",
	"storing_counts",
	"storing_count_deltas",
	"mandate_counts",
	"mandate_count_deltas",
	"audit_links",
	"audit_heads",
	"audit_progress",
	"audit_alarms",
	"audit_trees",
	"audit_tiles",
	"ledger_days",
	"ledger_months",
	"ledger_day_deltas",
	"debit_days",
	"debit_day_deltas",
	"debit_trait_days",
	"debit_trait_deltas",
	"debit_traits_due",
	"recurring_months",
	"recurring_moves",
	"recurring_runs",
	"failed_purchases",
	"failure_changes",
	"journal_days",
	"journal_months",
	"journal_day_deltas",
	"journal_sums_due",
	"attention",
	"attention_changes",
	"attention_counts",
	"attention_solved",
	"bank_days",
	"bank_day_changes",
	"part_days",
	"part_day_deltas",
	"refunded_debits",
	"billing_groups",
	"billing_group_deltas",
	"journal_entries",
}

// followers have no merchant, and their rows follow rows that have.
var followers = []string{"sandbox_answers", "bank_tellings"}

// youngTables hold what the product drops after so many days.
var youngTables = map[string]int{"events": 30, "deliveries": 30, "delivery_attempts": 30, "api_requests": 30,
	"idempotency_keys": 2}

// mostRows of a table that the product keeps, for each merchant.
var mostRows = map[string]int{"api_requests": 100_000}

// sharedTables have rows that several copies share: half of the copies subscribe to the templates that were there.
var sharedTables = []string{"billing_templates"}

// standing are the days that do not move back: the next bill of a subscriber, which is ahead, is counted from its
// anchor.
var standing = []string{"template_clients.anchor"}

// counting are the columns whose numbers go on from copy to copy; those of one name are one series.
var counting = map[string]string{"events.seq": "seq", "deliveries.seq": "seq", "audit_entries.turn": "turn",
	"invoices.serial": "INV"}

// table is one table with the rows that it had.
type table struct {
	name        string
	columns     []column
	key         []string // of its primary key
	partitioned bool
	rows        [][]piece
	limit       int // copies that it gets; 0: all
}

type column struct {
	name, kind string
	identity   bool
}

func (t *table) names() string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = pgx.Identifier{c.name}.Sanitize()
	}
	return strings.Join(names, ", ")
}

// read finds the tables and their rows.
func (f *filling) read(ctx context.Context) error {
	if err := f.findTables(ctx); err != nil {
		return err
	}
	if err := f.findIDs(ctx); err != nil {
		return err
	}
	if err := f.findSteps(ctx); err != nil {
		return err
	}
	for _, t := range f.tables {
		if err := f.readRows(ctx, t); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

// findTables lists the tables that grow, those first that others refer to. A table that has no merchant and refers to
// none that grows must be named above: it is an error that nobody said what becomes of it.
func (f *filling) findTables(ctx context.Context) error {
	rows, err := f.conn.Query(ctx, `SELECT c.relname, c.relkind = 'p',
			EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'merchant_id' AND NOT a.attisdropped),
			ARRAY(SELECT confrelid::regclass::text FROM pg_constraint WHERE conrelid = c.oid AND contype = 'f')
		FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
			AND c.relname !~ '^(river|goose)_' ORDER BY c.relname`)
	if err != nil {
		return err
	}
	type found struct {
		Name        string
		Partitioned bool
		OfMerchant  bool
		Refers      []string
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[found])
	if err != nil {
		return err
	}
	var grow []string
	for _, t := range all {
		if slices.Contains(fixedTables, t.Name) || slices.Contains(derivedTables, t.Name) {
			continue
		}
		if !t.OfMerchant && !slices.Contains(followers, t.Name) && !slices.ContainsFunc(t.Refers, func(to string) bool {
			return slices.ContainsFunc(all, func(o found) bool { return o.Name == to && o.OfMerchant })
		}) {
			return fmt.Errorf("the table %s has no merchant and refers to none that has: say in fixedTables, derivedTables"+
				" or followers what becomes of it", t.Name)
		}
		grow = append(grow, t.Name)
		one := &table{name: t.Name, partitioned: t.Partitioned}
		if one.columns, one.key, err = f.columnsOf(ctx, t.Name); err != nil {
			return err
		}
		f.tables = append(f.tables, one)
	}
	if len(grow) == 0 {
		return fmt.Errorf("no tables")
	}
	return nil
}

// columnsOf leaves out what the database computes itself.
func (f *filling) columnsOf(ctx context.Context, name string) (columns []column, key []string, err error) {
	rows, err := f.conn.Query(ctx, `SELECT column_name, udt_name, is_identity = 'YES' FROM information_schema.columns
		WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position`, name)
	if err != nil {
		return nil, nil, err
	}
	for rows.Next() {
		var c column
		if err := rows.Scan(&c.name, &c.kind, &c.identity); err != nil {
			return nil, nil, err
		}
		columns = append(columns, c)
	}
	if err := rows.Err(); err != nil {
		return nil, nil, err
	}
	rows, err = f.conn.Query(ctx, `SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid
		AND a.attnum = ANY (i.indkey) WHERE i.indrelid = to_regclass($1) AND i.indisprimary
		ORDER BY array_position(i.indkey::int2[], a.attnum)`, name)
	if err != nil {
		return nil, nil, err
	}
	key, err = pgx.CollectRows(rows, pgx.RowTo[string])
	return columns, key, err
}

// findIDs learns of which kind an id is where it is not that of a copied row.
func (f *filling) findIDs(ctx context.Context) error {
	f.ids = map[uuid.UUID]class{uuid.Nil: fixed}
	var owners []string
	for _, name := range fixedTables {
		if slices.Contains(ownedTables, name) {
			owners = append(owners, name)
			continue
		}
		if err := f.note(ctx, name, "", fixed); err != nil {
			return err
		}
	}
	for _, name := range owners {
		if err := f.note(ctx, name, "", owned); err != nil {
			return err
		}
	}
	for name := range youngTables {
		if err := f.note(ctx, name, "id", young); err != nil {
			return err
		}
	}
	for _, name := range sharedTables {
		if err := f.note(ctx, name, "id", shared); err != nil {
			return err
		}
	}
	return nil
}

// note takes the ids of a table's columns, of one column or of all.
func (f *filling) note(ctx context.Context, name, only string, as class) error {
	columns, _, err := f.columnsOf(ctx, name)
	if err != nil {
		return err
	}
	for _, c := range columns {
		if c.kind != "uuid" || only != "" && c.name != only {
			continue
		}
		rows, err := f.conn.Query(ctx, fmt.Sprintf(`SELECT DISTINCT %[1]s FROM %[2]s WHERE %[1]s IS NOT NULL`,
			pgx.Identifier{c.name}.Sanitize(), pgx.Identifier{name}.Sanitize()))
		if err != nil {
			return err
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		if err != nil {
			return err
		}
		for _, id := range ids {
			f.ids[id] = as
		}
	}
	return nil
}

// findSteps learns how far each series of numbers counts in what is copied.
func (f *filling) findSteps(ctx context.Context) error {
	f.steps = map[string]int64{"member": 1000}
	for name, q := range map[string]string{
		"seq":      `SELECT COALESCE(max(seq), 0) + 1 FROM events`,
		"turn":     `SELECT COALESCE(max(turn), 0) + 1 FROM audit_entries`,
		"purchase": `SELECT COALESCE(max(next), 1) FROM brand_counters WHERE name = 'purchase'`,
		"contract": `SELECT COALESCE(max(next), 1) FROM brand_counters WHERE name = 'contract'`,
		"INV":      `SELECT COALESCE(max(next), 1) FROM invoice_series`,
	} {
		var step int64
		if err := f.conn.QueryRow(ctx, q).Scan(&step); err != nil {
			return err
		}
		f.steps[name] = step
	}
	rows, err := f.conn.Query(ctx, `SELECT number, issued - '2000-01-01'::date FROM invoices`)
	if err != nil {
		return err
	}
	f.issued = map[string]day{}
	for rows.Next() {
		var number string
		var issued int
		if err := rows.Scan(&number, &issued); err != nil {
			return err
		}
		f.issued[number] = day(issued)
	}
	return rows.Err()
}

// Growing names the tables that grow with a merchant's history.
func Growing(ctx context.Context, dsn string) (names []string, err error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	f := &filling{conn: conn}
	if err := f.findTables(ctx); err != nil {
		return nil, err
	}
	for _, t := range f.tables {
		names = append(names, t.name)
	}
	return append(names, "audit_links", "attention"), nil
}
